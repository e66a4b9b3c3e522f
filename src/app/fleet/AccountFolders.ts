/**
 * The accounts of a fleet as people keep them: a folder, in it one for each account with `config.yaml` and its strategies. What would change
 * in the database is said before it is written, and a folder with a mistake changes nothing at all. Secrets stay where they are: a
 * configuration only refers to them, and each runner has them in a folder of its own.
 */
import { Effect, FileSystem, Path, Result, Schema } from "effect"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import { type AccountFile, Registry } from "../../journal/postgres/Registry.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"

/** The folder has mistakes: nothing was written. */
export class FolderInvalid extends Schema.TaggedError<FolderInvalid>()("FolderInvalid", { message: Schema.String }) {}

interface AccountFolder {
  readonly name: string
  readonly config: string
  readonly strategies: ReadonlyArray<AccountFile>
}

const accountName = /^[a-z0-9][a-z0-9-]{0,63}$/
const configName = "config.yaml"

/** What is wrong with it is in the failure, each mistake with its place. */
const readOne = Effect.fnUntraced(function* (folder: string, name: string) {
  const [fileSystem, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const own = path.join(folder, name)
  const files = (yield* fileSystem.readDirectory(own)).filter((file) => /\.ya?ml$/.test(file) && file !== configName)
  const config = yield* fileSystem.readFileString(path.join(own, configName))
  const { markets } = yield* ConfigFile.loadSettings(path.join(own, configName))
  const strategies = yield* Effect.forEach(files.toSorted(), (file) =>
    Effect.map(fileSystem.readFileString(path.join(own, file)), (text) => ({ file, text }))
  )
  const paths = strategies.map(({ file }) => path.join(own, file))
  const problems = strategies.flatMap(({ text }, index) =>
    StrategyFile.codeWanted(text) === undefined ? [] : [`${paths[index]}: a fleet runs no code of one's own yet`]
  )
  if (problems.length === 0) problems.push(...(yield* StrategyFiles.readAll(paths, markets)).rendered)
  if (strategies.length === 0) problems.push(`${own}: there is no strategy`)
  if (!accountName.test(name)) problems.push(`${own}: an account is named by small letters, digits and dashes`)
  if (problems.length > 0) return yield* new FolderInvalid({ message: problems.join("\n") })
  return { name, config, strategies } satisfies AccountFolder
})

const read = Effect.fnUntraced(function* (folder: string) {
  const [fileSystem, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const entries = yield* fileSystem.readDirectory(folder)
  const names = yield* Effect.filter(entries.toSorted(), (name) =>
    fileSystem.exists(path.join(folder, name, configName))
  )
  if (names.length === 0) return yield* new FolderInvalid({ message: `${folder}: no folder in it has a ${configName}` })
  const found = yield* Effect.forEach(names, (name) => Effect.result(readOne(folder, name)))
  const wrong = found.flatMap((each) => (Result.isFailure(each) ? [each.failure.message] : []))
  if (wrong.length > 0) return yield* new FolderInvalid({ message: wrong.join("\n") })
  return found.flatMap((each) => (Result.isSuccess(each) ? [each.success] : []))
})

export interface AccountChange {
  readonly account: string
  readonly change: "new" | "changed" | "same"
  /** The files that are not as they were. */
  readonly files: ReadonlyArray<string>
}

/** What differs from the database; with `isMeant` it is written. */
export const apply = Effect.fn("AccountFolders.apply")(function* (folder: string, isMeant: boolean) {
  const registry = yield* Registry
  const accounts = yield* read(folder)
  return yield* Effect.forEach(accounts, ({ config, name, strategies }) =>
    Effect.gen(function* () {
      const known = yield* registry.text(name)
      const before = new Map([
        ...(known === undefined ? [] : [[configName, known.config] as const]),
        ...(known?.strategies ?? []).map(({ file, text }) => [file, text] as const)
      ])
      const after = new Map([[configName, config], ...strategies.map(({ file, text }) => [file, text] as const)])
      const files = [...new Set([...before.keys(), ...after.keys()])].filter(
        (file) => before.get(file) !== after.get(file)
      )
      const change = known === undefined ? "new" : files.length > 0 ? "changed" : "same"
      if (isMeant && change !== "same") yield* registry.apply(name, config, strategies)
      return { account: name, change, files } satisfies AccountChange
    })
  )
})
