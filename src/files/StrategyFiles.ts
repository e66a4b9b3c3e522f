/** Reads strategy files together and reports every problem at once. A `reader` parses only files that have changed. */
import { dirname, join, relative, resolve } from "node:path"
import { Effect, FileSystem, Option, Path, Result, Schema } from "effect"
import { type Markets, quotedIn } from "../strategy/Markets.ts"
import { packageName } from "../strategy/own/OwnKind.ts"
import { type Problem, problemAt, quoted, render, sourceText, suggestion } from "../strategy/Problem.ts"
import { marketsSeen, type Strategy } from "../strategy/Strategy.ts"
import * as StrategyFile from "../strategy/StrategyFile.ts"
import { mostCharacters } from "../strategy/YamlReader.ts"
import { documentedCosts } from "../venue/profile/Charges.ts"
import * as ByHand from "./ByHand.ts"
import * as PlainFiles from "./PlainFiles.ts"

const Entry = Schema.Union([Schema.String, Schema.Struct({ default: Schema.String })])
const Manifest = Schema.fromJsonString(
  Schema.Struct({
    main: Schema.optionalKey(Schema.String),
    exports: Schema.optionalKey(Schema.Union([Entry, Schema.Struct({ ".": Entry })]))
  })
)
const decodeManifest = Schema.decodeUnknownOption(Manifest)

const entryOf = ({ exports, main = "index.js" }: typeof Manifest.Type): string => {
  const entry = exports !== undefined && typeof exports !== "string" && "." in exports ? exports["."] : exports
  return entry === undefined ? main : typeof entry === "string" ? entry : entry.default
}

const packageFolders = (from: string): ReadonlyArray<string> => {
  const above = dirname(from)
  return [join(from, "node_modules"), ...(above === from ? [] : packageFolders(above))]
}

/** Reads code beside the strategy file, or in a package installed there or further up, as Node finds it. `none` if nothing is readable. */
const codeTextOf = Effect.fn("StrategyFiles.codeTextOf")(function* (strategyFile: string, wanted: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const readText = (file: string) => Effect.option(fileSystem.readFileString(file))
  const folder = resolve(dirname(strategyFile))
  const name = packageName(wanted)
  if (name === undefined) return yield* readText(resolve(folder, wanted))
  for (const each of packageFolders(folder)) {
    const manifest = Option.flatMap(yield* readText(join(each, name, "package.json")), decodeManifest)
    if (Option.isNone(manifest)) continue
    const file = resolve(each, name, entryOf(manifest.value))
    return relative(join(each, name), file).startsWith("..") ? Option.none() : yield* readText(file)
  }
  return Option.none()
})

/** Larger files are refused unread: a counted character has at most three bytes in UTF-8. */
const mostBytes = 3 * mostCharacters

export interface ReadFiles {
  readonly strategies: ReadonlyArray<Strategy>
  readonly problems: ReadonlyArray<Problem>
  readonly rendered: ReadonlyArray<string>
}

export class StrategiesInvalid extends Schema.TaggedError<StrategiesInvalid>()("StrategiesInvalid", {
  rendered: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return this.rendered.join("\n")
  }
}

/** Adds the code that the text names. Text whose code cannot be read stays without it and is reported as faulty later. */
export const whole = Effect.fn("StrategyFiles.whole")(function* (file: string, text: string) {
  const codePath = StrategyFile.codeWanted(text)
  if (codePath === undefined) return text
  return Option.match(yield* codeTextOf(file, codePath), {
    onNone: () => text,
    onSome: (code) => StrategyFile.withCode(text, code)
  })
})

const readText = Effect.fnUntraced(
  function* (file: string) {
    const fileSystem = yield* FileSystem.FileSystem
    const { size } = yield* fileSystem.stat(file)
    if (size > mostBytes) {
      return yield* Effect.fail(`it has ${size} bytes; the most that is read is ${mostCharacters} characters`)
    }
    const text = yield* fileSystem.readFileString(file)
    return yield* whole(file, text)
  },
  Effect.mapError((failed) => (typeof failed === "string" ? failed : (PlainFiles.phraseOf(failed) ?? failed.message)))
)

interface ReadFile extends ReadFiles {
  readonly file: string
  readonly text: string | undefined
  readonly name: ReturnType<typeof StrategyFile.readingOf>["name"]
}

/** Replaces the text of these files for every reader, as if an editor had saved them. */
export const laidOver = (texts: ReadonlyArray<{ readonly file: string; readonly text: string }>) => {
  const edited = new Map(texts.map(({ file, text }) => [file, text]))
  return Effect.updateService(
    FileSystem.FileSystem,
    (files): FileSystem.FileSystem => ({
      ...files,
      readFileString: (file, encoding) => {
        const text = edited.get(file)
        return text === undefined ? files.readFileString(file, encoding) : Effect.succeed(text)
      }
    })
  )
}

/** Some strategies need volumes, others cannot run on one series of prices. */
export type Purpose = "live" | "rehearsal" | "backtest" | "search"

const readOne = Effect.fnUntraced(function* (file: string, markets: Markets, purpose: Purpose, before?: ReadFile) {
  const textResult = yield* Effect.result(readText(file))
  if (Result.isFailure(textResult)) {
    const message = `the strategy file cannot be read: ${textResult.failure}`
    const problems = [{ file, line: 1, column: 1, message }]
    return { file, text: undefined, name: undefined, strategies: [], problems, rendered: [`${file}: ${message}`] }
  }
  const text = textResult.success
  return before?.text === text ? before : readOf(file, text, markets, purpose)
})

const readOf = (file: string, text: string, markets: Markets, purpose: Purpose): ReadFile => {
  const { name, strategy } = StrategyFile.readingOf(text, file, markets)
  const nothing = { file, text, name, strategies: [], problems: [], rendered: [] }
  return Result.match(suited(strategy, purpose), {
    onSuccess: (strategy) => ({ ...nothing, strategies: [ByHand.withLargestOrder(strategy)] }),
    onFailure: (problems) => {
      return { ...nothing, problems, rendered: problems.map((problem) => render(problem, text)) }
    }
  })
}

/** Reports a strategy that cannot serve the purpose, or whose own code fails its proof, like any other mistake. */
export const suited = (read: Result.Result<Strategy, ReadonlyArray<Problem>>, purpose: Purpose): typeof read =>
  Result.flatMap(read, (strategy) => {
    const { notLive: live, notSearched: search, proof } = strategy
    const unfit = { live, rehearsal: notRehearsed(strategy), backtest: undefined, search }[purpose]
    const problem = unfit ?? proof?.()
    return problem === undefined ? Result.succeed(strategy) : Result.fail([problem])
  })

const notRehearsed = ({ volumes = new Map() }: Strategy): Problem | undefined => {
  const [problem] = volumes.values()
  const hint = "limitbot backtest, or run against a sandbox"
  return problem && { ...problem, message: "a rehearsal has no volumes", hint }
}

/** Reports duplicate names at the later files, even if those have other mistakes. */
const twinsIn = (
  read: ReadonlyArray<ReadFile>
): ReadonlyArray<{ readonly problem: Problem; readonly text: string }> => {
  const owners = new Map<string, string>()
  return read.flatMap(({ file, text = "", name }) => {
    const owner = name === undefined ? undefined : owners.get(name.value)
    if (name !== undefined && owner === undefined) owners.set(name.value, file)
    if (name === undefined || owner === undefined) return []
    const message =
      owner === file
        ? "this file is listed twice"
        : `the strategy name "${name.value}" is taken by ${owner}: names must differ`
    return [{ problem: problemAt(sourceText(file, text), name, message), text }]
  })
}

/** The most decimals that an asset may have, so that no amount in a file is too fine. */
const mostDecimals = 36

export const marketsOf = (symbols: Iterable<string>, decimals = mostDecimals): Markets => {
  const assets = Array.from(symbols, (symbol) => ({ symbol, id: symbol, decimals }))
  return { assets, ticks: new Map(), costs: documentedCosts(assets) }
}

export const marketsNamedIn = Effect.fn("StrategyFiles.marketsNamedIn")(function* (files: ReadonlyArray<string>) {
  const texts = yield* Effect.forEach(files, (file) => Effect.orElseSucceed(readText(file), () => ""))
  const lines = texts.flatMap((text) => text.match(/^\s*(?:market|targets)\b.*$|^\s*-\s*\S+\/\S+.*$/gm) ?? [])
  const traded = lines.flatMap((line) => line.match(/[A-Za-z0-9.]{1,20}\/[A-Za-z0-9.]{1,20}/g) ?? [])
  const watched = texts.flatMap((text) => quotedIn(text))
  return marketsOf(new Set([...traded, ...watched].flatMap((market) => market.split("/"))))
})

export const reader = (markets: Markets, purpose: Purpose = "live") => {
  let last: ReadonlyArray<ReadFile> = []
  return Effect.fn("StrategyFiles.readAll")(function* (files: ReadonlyArray<string>) {
    const parsedFiles: ReadonlyArray<ReadFile> = yield* Effect.forEach(files, (file) =>
      readOne(
        file,
        markets,
        purpose,
        last.find((before) => before.file === file)
      )
    )
    last = parsedFiles
    return together(parsedFiles)
  })
}

const together = (read: ReadonlyArray<ReadFile>) => {
  const twins = twinsIn(read)
  return {
    strategies: read.flatMap((file) => file.strategies),
    problems: [...read.flatMap((file) => file.problems), ...twins.map(({ problem }) => problem)],
    rendered: [...read.flatMap((file) => file.rendered), ...twins.map(({ problem, text }) => render(problem, text))]
  } satisfies ReadFiles
}

export const readTexts = (
  texts: ReadonlyArray<{ readonly at: string; readonly text: string }>,
  markets: Markets,
  purpose: Purpose = "live"
): ReadFiles => together(texts.map(({ at, text }) => readOf(at, text, markets, purpose)))

/** Returns problems instead of failing, so that `check` can show them in its own way. */
export const readAll = (files: ReadonlyArray<string>, markets: Markets, purpose?: Purpose) =>
  reader(markets, purpose)(files)

/** Accepts assets that the configuration lacks, because a backtest needs none. `unlisted` says why `run` would refuse the file. */
export const readBeyond = Effect.fn("StrategyFiles.readBeyond")(function* (
  files: ReadonlyArray<string>,
  { config, markets, purpose }: { readonly config: string; readonly markets: Markets; readonly purpose: Purpose }
) {
  const symbols = markets.assets.map(({ symbol }) => symbol)
  const { assets } = yield* marketsNamedIn(files)
  const others = assets.filter(({ symbol }) => !symbols.includes(symbol))
  const allFiles = yield* readAll(files, { ...markets, assets: [...markets.assets, ...others] }, purpose)
  const unlisted = new Map<Strategy, Problem>()
  for (const strategy of allFiles.strategies) {
    const { file, text } = strategy
    const marketNames = marketsSeen(strategy).map(({ name }) => name)
    const market = marketNames.find((name) => others.some(({ symbol }) => name.split("/").includes(symbol)))
    const missingAsset = others.find(({ symbol }) => market?.split("/").includes(symbol))
    if (market === undefined || missingAsset === undefined) continue
    const start = text.indexOf(market)
    const message = `no asset ${quoted(missingAsset.symbol)} in ${config}, so run would refuse this file`
    const span = { start, end: start + market.length }
    unlisted.set(strategy, problemAt(sourceText(file, text), span, message, suggestion(missingAsset.symbol, symbols)))
  }
  return { ...allFiles, unlisted }
})

export const load = Effect.fn("StrategyFiles.load")(function* (
  files: ReadonlyArray<string>,
  markets: Markets,
  purpose: Purpose = "live"
) {
  const { strategies, problems, rendered } = yield* readAll(files, markets, purpose)
  return problems.length > 0 ? yield* new StrategiesInvalid({ rendered }) : strategies
})

export class NotInCatalogue extends Schema.TaggedError<NotInCatalogue>()("NotInCatalogue", {
  message: Schema.String
}) {}

const notInCatalogue = (name: string, hint: string) =>
  new NotInCatalogue({ message: `the catalogue has no strategy "${name}": ${hint}` })

const extension = ".yaml"

/** The first one works from the sources, the others from the built program. */
const places = ["../../strategies/catalogue", "../strategies/catalogue", "strategies/catalogue"]

export const catalogued = Effect.fn("StrategyFiles.catalogued")(function* (name: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (const place of places) {
    const folder = path.resolve(import.meta.dirname, place)
    const names = yield* fileSystem.readDirectory(folder).pipe(Effect.orElseSucceed(() => []))
    const catalogueNames = names
      .filter((file) => file.endsWith(extension))
      .map((file) => file.slice(0, -extension.length))
    if (catalogueNames.includes(name)) return yield* fileSystem.readFileString(path.join(folder, `${name}${extension}`))
    if (catalogueNames.length > 0) return yield* notInCatalogue(name, suggestion(name, catalogueNames.sort()))
  }
  return yield* notInCatalogue(name, "its files are missing here")
})
