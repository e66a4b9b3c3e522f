/** The operator's word on its way to a running bot, by a file. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Path, PlatformError } from "effect"
import * as ResolveFile from "../../../src/app/journal/Resolving.ts"

const answer = { placement: "p1", word: "paid", text: "seen on the explorer" } as const

describe("a resolution that waits for the bot", () => {
  it.effect("is kept if the process has no free file descriptor to read it", () =>
    Effect.gen(function* () {
      let isReadable = false
      const files = new Set(["journal.sqlite", "journal.sqlite.resolve.p1"])
      const noted: Array<unknown> = []
      const exhausted = PlatformError.systemError({ _tag: "Unknown", module: "FileSystem", method: "open" })
      const fileSystem = FileSystem.layerNoop({
        readDirectory: () => Effect.succeed([...files]),
        readFileString: () => (isReadable ? Effect.succeed(JSON.stringify(answer)) : Effect.fail(exhausted)),
        remove: (path) => Effect.sync(() => files.delete(path.replace(/^.*\//, "")))
      })
      const takeUp = ResolveFile.takeUpAnswers("/bot/journal.sqlite", (said) =>
        Effect.sync(() => noted.push(said))
      ).pipe(Effect.provide(Layer.merge(fileSystem, Path.layer)))
      yield* takeUp
      assert.isTrue(files.has("journal.sqlite.resolve.p1"), "it waits on")
      isReadable = true
      yield* takeUp
      assert.deepStrictEqual(noted, [answer])
      assert.isFalse(files.has("journal.sqlite.resolve.p1"))
    })
  )
})
