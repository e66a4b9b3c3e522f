/** Writes files that another process reads meanwhile: the complete text appears under its name at once. */
import { Effect, FileSystem } from "effect"
import { present } from "../domain/Present.ts"

export const writeAtomically = Effect.fn("WholeFile.writeAtomically")(function* (
  file: string,
  text: string,
  mode?: number
) {
  const fileSystem = yield* FileSystem.FileSystem
  const beside = `${file}.new`
  yield* fileSystem.writeFileString(beside, text, present({ mode }))
  yield* fileSystem.rename(beside, file)
})
