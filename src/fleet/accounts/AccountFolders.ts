/**
 * The accounts of a fleet as folders: one for each account, with `config.yaml` and its strategies. Changes of the database are shown before
 * they are written, and a folder with a mistake changes nothing. Secrets stay in a folder of each runner; a configuration only refers to
 * them.
 */
import { Effect, FileSystem, Path, Result, Schema } from "effect"
import { countText } from "../../domain/Text.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { accountName } from "../../files/FleetAllowed.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import { type AccountFiles, Registry, type StoredAccount } from "../../journal/postgres/Registry.ts"
import type { CommandAnswer } from "../../process/Answer.ts"
import type { Markets } from "../../strategy/Markets.ts"
import { place, sourceText } from "../../strategy/Problem.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import { readYaml, valueIn, type YamlNode } from "../../strategy/YamlReader.ts"
import * as SharedStrategy from "./sharing/SharedStrategy.ts"

export class FolderInvalid extends Schema.TaggedError<FolderInvalid>()("FolderInvalid", { message: Schema.String }) {}

const configName = "config.yaml"
const budgetsName = "budgets.yaml"
const sharedName = "strategies"

type Place = Readonly<Record<"folder" | "name" | "class", string>>

const isStrategy = (file: string): boolean => /\.ya?ml$/.test(file) && file !== configName && file !== budgetsName

const strategiesIn = Effect.fnUntraced(function* (folder: string) {
  const [fileSystem, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const files = (yield* fileSystem.readDirectory(folder)).filter(isStrategy).toSorted()
  return yield* Effect.forEach(files, (file) =>
    Effect.map(fileSystem.readFileString(path.join(folder, file)), (text) => ({
      file,
      text,
      at: path.join(folder, file)
    }))
  )
})

const sharedIn = Effect.fnUntraced(function* ({ class: group, folder }: Place, own: string, markets: Markets) {
  const [fileSystem, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const [shared, file] = [path.join(folder, sharedName), path.join(own, budgetsName)]
  if (group === "" || !(yield* fileSystem.exists(shared))) return []
  const strategies = yield* strategiesIn(shared)
  const text = (yield* fileSystem.exists(file)) ? yield* fileSystem.readFileString(file) : undefined
  const filled = SharedStrategy.fill(strategies, { file, text }, markets)
  return Result.isSuccess(filled) ? filled.success : yield* new FolderInvalid({ message: filled.failure.join("\n") })
})

const elsewhere = "or run the strategy in a standalone bot"

/** Keys that have no effect in a fleet, each with what to do instead. */
const unusedKeys: ReadonlyMap<string, string> = new Map([
  ["alerts", "and set price alerts on a standalone bot"],
  ["canary", "and run limitbot check --service --config secrets/NAME/config.yaml"],
  ["candles", elsewhere],
  ["heartbeat", "and let a monitor poll /health/ready of each runner (fleet run --port)"],
  ["notify", "and alert on limitbot_fleet_problems in /metrics of limitbot fleet dashboard"],
  ["otlp", "and collect /metrics of each runner (fleet run --port) and of limitbot fleet dashboard"],
  ["signals", elsewhere],
  ["witness", "and keep the head that limitbot journal verify --account NAME prints"]
])

const entriesOf = (node: YamlNode | undefined) => (node?.type === "map" ? [...node.entries] : [])

const unusedIn = (file: string, text: string): ReadonlyArray<string> => {
  const source = sourceText(file, text)
  const root = Result.getOrUndefined(readYaml(source))
  const ofMarkets = entriesOf(valueIn(root, "markets")).flatMap(([, { value }]) => entriesOf(value))
  return [...entriesOf(root), ...ofMarkets].flatMap(([name, { key }]) => {
    const remedy = unusedKeys.get(name)
    const at = place(source, key.start)
    return remedy === undefined ? [] : [`${at}: a fleet does not use "${name}": remove it, ${remedy}`]
  })
}

interface FolderAccount extends AccountFiles {
  /** Returns problems: everything in its files that would have no effect in a fleet. Reads the YAML again, so only changed accounts ask. */
  readonly unused: () => ReadonlyArray<string>
}

const readOne = Effect.fnUntraced(function* (place: Place) {
  const [fileSystem, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const { name } = place
  const own = path.join(place.folder, name)
  const configFile = path.join(own, configName)
  const config = yield* fileSystem.readFileString(configFile)
  const { markets } = yield* ConfigFile.loadSettings(configFile)
  const strategies = [...(yield* sharedIn(place, own, markets)), ...(yield* strategiesIn(own))]
  const problems = strategies.flatMap(({ at, text }) =>
    StrategyFile.codeWanted(text) === undefined ? [] : [`${at}: a fleet does not run strategies in code yet`]
  )
  const readable = problems.length === 0 ? strategies : []
  const { rendered, strategies: parsedStrategies } = StrategyFiles.readTexts(readable, markets)
  problems.push(...rendered)
  const byFile = Map.groupBy(strategies, ({ file }) => file)
  for (const [file, { length }] of byFile) if (length > 1) problems.push(`${own}: its class also has a ${file}`)
  if (strategies.length === 0) problems.push(`${own}: no strategy`)
  if (!accountName.test(name)) problems.push(`${own}: an account's name has lower-case letters, digits and dashes`)
  if (problems.length > 0) return yield* new FolderInvalid({ message: problems.join("\n") })
  const files = strategies.map(({ file, text }) => ({ file, text }))
  const unsignalled = parsedStrategies.flatMap(({ file, signals }) =>
    [...(signals?.keys() ?? [])].map((signal) => `${file}: a fleet has no signal "${signal}": remove it, ${elsewhere}`)
  )
  const texts = [{ at: configFile, text: config }, ...strategies]
  const unused = () => [...texts.flatMap(({ at, text }) => unusedIn(at, text)), ...unsignalled]
  return { name, class: place.class, config, strategies: files, unused } satisfies FolderAccount
})

const placesIn = Effect.fnUntraced(function* (folder: string, group = "") {
  const [fileSystem, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const entries = (yield* fileSystem.readDirectory(folder)).toSorted()
  const names = yield* Effect.filter(entries, (name) => fileSystem.exists(path.join(folder, name, configName)))
  const others = entries.filter((name) => !names.includes(name))
  return { places: names.map((name): Place => ({ folder, name, class: group })), others }
})

const readFolder = Effect.fnUntraced(function* (folder: string) {
  const [fileSystem, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const { others, places: single } = yield* placesIn(folder)
  const classes = yield* Effect.filter(others, (name) =>
    Effect.map(fileSystem.stat(path.join(folder, name)), ({ type }) => type === "Directory")
  )
  const inClasses = yield* Effect.forEach(classes, (name) => placesIn(path.join(folder, name), name))
  const places = [...single, ...inClasses.flatMap((each) => each.places)]
  if (places.length === 0)
    return yield* new FolderInvalid({ message: `${folder}: no folder in it has a ${configName}` })
  const [accounts, failures] = yield* Effect.partition(places, readOne)
  const wrong = failures.map(({ message }) => message)
  for (const [name, { length }] of Map.groupBy(places, ({ name }) => name))
    if (length > 1) wrong.push(`${folder}: two accounts are named ${name}`)
  if (wrong.length > 0) return yield* new FolderInvalid({ message: wrong.join("\n") })
  return accounts
})

interface AccountChange {
  readonly account: string
  readonly change: "new" | "changed" | "same"
  readonly files: ReadonlyArray<string>
}

const differenceOf = (
  { class: group, config, name, strategies }: AccountFiles,
  storedAccount: StoredAccount | undefined
): AccountChange => {
  const before = new Map([
    ...(storedAccount === undefined ? [] : [[configName, storedAccount.config] as const]),
    ...(storedAccount?.strategies ?? []).map(({ file, text }) => [file, text] as const)
  ])
  const after = new Map([[configName, config], ...strategies.map(({ file, text }) => [file, text] as const)])
  const files = [...new Set([...before.keys(), ...after.keys()])].filter((file) => before.get(file) !== after.get(file))
  if (storedAccount !== undefined && storedAccount.class !== group) files.push(`class ${group === "" ? "none" : group}`)
  return { account: name, change: storedAccount === undefined ? "new" : files.length > 0 ? "changed" : "same", files }
}

/**
 * Returns the differences from the database. Writes them if `isWritten`. Refuses keys without effect only in an account
 * that differs: a runner that starts with `--apply` continues the accounts that it has.
 */
export const apply = Effect.fn("AccountFolders.apply")(function* (folder: string, isWritten: boolean) {
  const registry = yield* Registry
  const accounts = yield* readFolder(folder)
  const changes = yield* Effect.forEach(accounts, (account) =>
    Effect.map(registry.one(account.name), (storedAccount) => differenceOf(account, storedAccount))
  )
  const changedAccounts = accounts.filter((_, index) => changes[index]?.change !== "same")
  const unused = new Set(changedAccounts.flatMap((account) => account.unused()))
  if (unused.size > 0) return yield* new FolderInvalid({ message: [...unused].join("\n") })
  if (isWritten) yield* Effect.forEach(changedAccounts, registry.apply, { discard: true })
  return changes
})

export const linesOf = (changes: ReadonlyArray<AccountChange>): ReadonlyArray<string> =>
  changes.flatMap(({ account, change, files }) =>
    change === "same" ? [] : [`${account}: ${change} (${files.join(", ")})`]
  )

export const applied = Effect.fn("AccountFolders.applied")(function* (folder: string, isWritten: boolean) {
  const changes = yield* apply(folder, isWritten)
  const lines = linesOf(changes)
  const count = countText(lines.length, "account")
  const last =
    lines.length === 0
      ? "Nothing differs."
      : isWritten
        ? `${count} written; runners apply it within seconds.`
        : `${count} would be written: add --yes.`
  return { data: () => ({ isWritten, changes }), lines: () => [...lines, last] } satisfies CommandAnswer
})
