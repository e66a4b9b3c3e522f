/** Loads the candles of a run, from files or a journal. Each market has its own file; all have one time axis. */
import * as fs from "node:fs"
import { Array as Arr, Effect, Order, Record, Result } from "effect"
import * as Alignment from "../../candles/Alignment.ts"
import { isCacheFile } from "../../candles/CacheFolder.ts"
import * as CandleFile from "../../candles/CandleFile.ts"
import * as Candles from "../../candles/Candles.ts"
import { sha256Of, type WantedColumns } from "../../candles/ColumnCache.ts"
import * as CrossingIndex from "../../candles/CrossingIndex.ts"
import { closeGaps, noRepair, type Repair, repairs } from "../../candles/csv/CandleChecks.ts"
import { parseField } from "../../candles/csv/CsvField.ts"
import { format } from "../../candles/DataProblem.ts"
import * as TimeAxis from "../../candles/TimeAxis.ts"
import type { Market } from "../../domain/Market.ts"
import { countText, utc } from "../../domain/Text.ts"
import { orWrong, wrongUsage } from "../../process/WrongUsage.ts"
import { marketsSaid, marketsSeen, type Strategy } from "../../strategy/Strategy.ts"

export interface PartAsked {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly repair: string | undefined
  readonly noCache: boolean
}

export interface CandlesWanted extends WantedColumns {
  readonly indexed: boolean
  readonly tradeCandleMillis?: number
}

export const moment = (flag: string, written: string | undefined, otherwise: number) =>
  Effect.suspend(() => {
    if (written === undefined) return Effect.succeed(otherwise)
    if (/^\d{4}$/.test(written)) return wrongUsage(`--${flag} ${written}: a year is not a date; write ${written}-01-01`)
    const parsing = Result.map(parseField(written, "time"), ({ value }) => value)
    return orWrong(Result.mapError(parsing, ({ advice, message }) => `--${flag} ${message}; ${advice}`))
  })

const repairsOf = (written: string | undefined): Result.Result<ReadonlySet<Repair>, string> => {
  if (written === undefined) return Result.succeed(new Set())
  const names = written === "all" ? [...repairs] : written.split(",").map((name) => name.trim())
  const unknown = names.find((name) => !repairs.some((repair) => repair === name))
  return unknown === undefined
    ? Result.succeed(new Set(repairs.filter((repair) => names.includes(repair))))
    : Result.fail(`--repair ${unknown}: unknown repair; choose from ${repairs.join(", ")}, all`)
}

export const journalPrefix = "journal:"

/** Fills the gaps of a journal, or those between the files of `parts`. Without that repair, it warns of all gaps. */
const withGaps = Effect.fnUntraced(function* (
  loaded: CandleFile.Loaded,
  file: string,
  repair: ReadonlySet<Repair>,
  parts: ReadonlyArray<CandleFile.Loaded> = []
) {
  const count = (candles: Candles.Candles) => TimeAxis.gaps(candles.time).count
  if (count(loaded.candles) === parts.reduce((sum, { candles }) => sum + count(candles), 0)) return loaded
  const { candles, problem } = yield* orWrong(closeGaps(loaded.candles, file, repair.has("gaps")))
  return {
    ...loaded,
    candles,
    indices: CrossingIndex.linearIndices(candles),
    problems: [...loaded.problems, problem],
    repaired: { ...loaded.repaired, gaps: loaded.repaired.gaps + candles.bars - loaded.candles.bars }
  } satisfies CandleFile.Loaded
})

const fromJournal = Effect.fnUntraced(function* (
  file: string,
  market: string | undefined,
  repair: ReadonlySet<Repair>
) {
  const JournalData = yield* Effect.promise(() => import("../../app/journal/JournalData.ts"))
  const { candles, sha256 } = yield* JournalData.candles(file, market)
  const indices = CrossingIndex.linearIndices(candles)
  const loaded: CandleFile.Loaded = { candles, sha256, indices, problems: [], repaired: noRepair, source: "file" }
  return yield* withGaps(loaded, `${file}, ${market}`, repair)
})

/** Returns the sorted files that match a pattern; the text itself if none matches, so that the error message shows it. */
const filesFor = (pattern: string): Arr.NonEmptyReadonlyArray<string> => {
  if (!/[*?[{]/.test(pattern) || fs.existsSync(pattern)) return [pattern]
  const files = fs.globSync(pattern).filter((name) => !isCacheFile(name))
  return Arr.isReadonlyArrayNonEmpty(files) ? Arr.sort(files, Order.String) : [pattern]
}

const fromFiles = Effect.fnUntraced(function* (pattern: string, options: CandleFile.LoadOptions) {
  const files = filesFor(pattern)
  if (files.length === 1) return yield* CandleFile.load(files[0], options)
  const { open, volume } = options.wanted
  const wholeColumns = { ...options, wanted: { open: open !== false, volume: volume !== false } }
  const parts = yield* Effect.forEach(files, (file) =>
    Effect.map(CandleFile.load(file, wholeColumns), (loaded) => ({ ...loaded, file }))
  )
  const candles = yield* orWrong(Result.mapError(joined(parts), (why) => `${pattern}: ${why}`))
  const loaded: CandleFile.Loaded = {
    candles,
    indices: CrossingIndex.linearIndices(candles),
    problems: parts.flatMap(({ problems }) => problems),
    repaired: Record.map(noRepair, (_, repair) => parts.reduce((sum, { repaired }) => sum + repaired[repair], 0)),
    columns: Arr.dedupe(parts.map(({ columns = "" }) => columns)).join("; "),
    sha256: sha256Of(new TextEncoder().encode(parts.map(({ sha256 }) => sha256).join(" "))),
    source: "file"
  }
  return yield* withGaps(loaded, pattern, options.repair, parts)
})

const indicesOf = (candles: Candles.Candles, { indexed }: Pick<CandlesWanted, "indexed">): CrossingIndex.Indices =>
  indexed ? CrossingIndex.buildIndices(candles) : CrossingIndex.linearIndices(candles)

/** Reads candles of a file or of a journal (`journal:FILE`). Only a journal needs the market. */
export const ofFile = Effect.fn("RunCandles.ofFile")(function* (
  data: string,
  part: PartAsked,
  wanted: CandlesWanted,
  market?: string
) {
  const repair = yield* orWrong(repairsOf(part.repair))
  const from = yield* moment("from", part.from, 0)
  const to = yield* moment("to", part.to, Number.MAX_SAFE_INTEGER)
  // A part needs its own index, which takes whole columns.
  const isPart = part.from !== undefined || part.to !== undefined
  const { indexed, tradeCandleMillis = 60_000, range, ...columns } = wanted
  const loaded: CandleFile.Loaded = data.startsWith(journalPrefix)
    ? yield* fromJournal(data.slice(journalPrefix.length), market, repair)
    : yield* fromFiles(data, {
        repair,
        tradeCandleMillis,
        cache: part.noCache ? "never" : "kept",
        wanted: range === undefined || isPart ? columns : { ...columns, range }
      })
  const warnings = loaded.problems.filter(({ severity }) => severity === "warning").map(format)
  const candles = isPart ? Candles.between(loaded.candles, from, to) : loaded.candles
  if (candles.bars < 2)
    return yield* wrongUsage(`--from, --to: only ${countText(candles.bars, "candle")} between; choose a longer time`)
  const hasTree = loaded.indices.orders.minima.length > 0
  const indices = !isPart && (hasTree || !indexed) ? loaded.indices : indicesOf(candles, wanted)
  return { ...loaded, data, candles, indices, warnings }
})

export interface Source extends Effect.Success<ReturnType<typeof ofFile>> {
  readonly market: Market
}

export interface RunCandles extends Effect.Success<ReturnType<typeof load>> {
  /** Finer candles of a run in one market, which fill its orders. */
  readonly detail?: Source | undefined
}

type Seen = Pick<Strategy, "market" | "others" | "watched">

/** Splits `MARKET=CSV`, or accepts a file alone. The text before the sign is a market only if it is a market's name or has its form. */
const split = (text: string, markets: ReadonlyArray<Market>): { readonly market?: string; readonly file: string } => {
  const at = text.indexOf("=")
  const market = text.slice(0, Math.max(0, at))
  const isMarket = markets.some(({ name }) => name === market) || /^[A-Z0-9.]+\/[A-Z0-9.]+$/.test(market)
  return isMarket ? { market, file: text.slice(at + 1) } : { file: text }
}

type FilesOrWhy = Result.Result<ReadonlyArray<string>, string>

const filesOf = (given: ReadonlyArray<string>, strategy: Seen, flag: string): FilesOrWhy => {
  const markets = marketsSeen(strategy)
  const traded = `the strategy trades ${marketsSaid(strategy)}`
  const files = new Map<string, string>()
  // One journal has the prices of all markets of its bot.
  const fileMarkets = new Set(given.flatMap((each) => split(each, markets).market ?? []))
  const ofMarkets = (each: string) =>
    markets.length > 1 && each.startsWith(journalPrefix)
      ? markets.flatMap(({ name }) => (fileMarkets.has(name) ? [] : [`${name}=${each}`]))
      : [each]
  for (const each of given.flatMap(ofMarkets)) {
    const { market = markets.length === 1 ? markets[0]?.name : undefined, file } = split(each, markets)
    if (market === undefined)
      return Result.fail(
        `--${flag} ${each}: market missing, as ${traded}; write for example --${flag} ${markets[0]?.name}=${each}`
      )
    if (!markets.some(({ name }) => name === market))
      return Result.fail(`--${flag} ${each}: ${traded}, not ${market}; leave it out`)
    const before = files.get(market)
    if (before !== undefined)
      return Result.fail(
        `--${flag}: ${market} is given twice, as ${before} and as ${file}; give each market one file, or a pattern of files such as 'BTC-*.csv'`
      )
    files.set(market, file)
  }
  const missing = markets.flatMap(({ name }) => (files.has(name) ? [] : [name]))
  return missing.length === 0
    ? Result.succeed(markets.map(({ name }) => files.get(name) ?? ""))
    : Result.fail(`--${flag}: no data for ${missing.join(", ")}; add --${flag} ${missing[0]}=CSV`)
}

export const load = Effect.fn("RunCandles.load")(function* (
  data: ReadonlyArray<string>,
  part: PartAsked,
  wanted: CandlesWanted,
  strategy: Seen,
  flag: "data" | "detail" | "also" = "data"
) {
  const files = yield* orWrong(filesOf(data, strategy, flag))
  const sources = yield* Effect.forEach(marketsSeen(strategy), (market, index) =>
    Effect.map(ofFile(files[index] ?? "", part, wanted, market.name), (loaded): Source => ({ ...loaded, market }))
  )
  const series = sources.map(({ market, candles }) => ({ market: market.name, candles }))
  const aligned = yield* orWrong(Result.mapError(Alignment.align(series), (why) => `--${flag}: ${why}`))
  return {
    data: data.join(", "),
    sources,
    series: Arr.map(sources, (source, index) => {
      const candles = aligned.candles[index] ?? source.candles
      return { candles, indices: candles === source.candles ? source.indices : indicesOf(candles, wanted) }
    }),
    warnings: [...sources.flatMap(({ warnings }) => warnings), ...aligned.notes]
  }
})

interface FilePart extends Pick<CandleFile.Loaded, "shared"> {
  readonly file: string
  readonly candles: Candles.Candles
}

const startOf = ({ candles: { time } }: FilePart): number => TimeAxis.openTime(time, 0)

/** Joins consecutive files of one market. Fails if two files have candles of different lengths, or overlap. */
const joined = (parts: Arr.NonEmptyReadonlyArray<FilePart>): Result.Result<Candles.Candles, string> => {
  const [first, ...others] = Arr.sortWith(parts, startOf, Order.Number)
  const { stepMillis } = first.candles.time
  let before: FilePart = first
  for (const part of others) {
    const { bars, time } = before.candles
    const end = TimeAxis.closeTime(time, bars - 1)
    if (part.shared && first.shared && part.shared !== first.shared)
      return Result.fail(`${part.file} has ${part.shared}, ${first.file} ${first.shared}; choose files of one market`)
    if (part.candles.time.stepMillis !== stepMillis)
      return Result.fail(
        `${part.file} has candles of ${part.candles.time.stepMillis / 1000} s, and ${first.file} of ${stepMillis / 1000} s; choose files of one length`
      )
    if (startOf(part) < end)
      return Result.fail(
        `${part.file} begins at ${utc(startOf(part))}, before ${before.file} ends; give each time once`
      )
    before = part
  }
  const all = [first, ...others].map(({ candles }) => candles)
  const bars = all.reduce((sum, candles) => sum + candles.bars, 0)
  const whole = (columnOf: (candles: Candles.Candles) => Float64Array): Candles.Column => {
    const joinedColumn = Candles.column(columnOf(first.candles).length === 0 ? 0 : bars)
    let at = 0
    for (const candles of all) {
      joinedColumn.set(columnOf(candles), at)
      at += candles.bars
    }
    return joinedColumn
  }
  const times = whole(({ time }) => TimeAxis.opens(time))
  return Result.succeed({
    bars,
    time: TimeAxis.make(times, stepMillis),
    ...Candles.columnsBy((name) => whole((candles) => candles[name])),
    priceScale: Math.max(...all.map(({ priceScale }) => priceScale))
  })
}
