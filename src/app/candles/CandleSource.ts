/**
 * Loads candles from before the bot's start. `candles:` of a strategy or a market names the source: a CSV file or a glob, `recorded` (the
 * prices in the bot's own journal, which always count), `journal:FILE` of another bot, or `ccxt:EXCHANGE:SYMBOL`. Callers get minutes: a
 * longer candle becomes one minute with its prices and its volume, followed by flat minutes without volume.
 */
import * as fs from "node:fs"
import { Effect, type FileSystem, Path, Schema } from "effect"
import { isCacheFile } from "../../candles/CacheFolder.ts"
import * as CandleFile from "../../candles/CandleFile.ts"
import { type Candles, hasOnlyZeroVolumes, volumeAt } from "../../candles/Candles.ts"
import { extend, type OpenCandle } from "../../candles/Resample.ts"
import * as TimeAxis from "../../candles/TimeAxis.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import type { Market } from "../../domain/Market.ts"
import { messageOf } from "../../domain/Text.ts"
import { frameStart, timeframeMillis } from "../../domain/Timeframe.ts"
import type { Minute, TradedCandle } from "../../journal/PriceStore.ts"
import type { MarketSources } from "../../strategy/Markets.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as JournalData from "../journal/JournalData.ts"
import * as ExchangeCandles from "./ExchangeCandles.ts"

export class CandleSourceFailed extends Schema.TaggedError<CandleSourceFailed>()("CandleSourceFailed", {
  source: Schema.String,
  why: Schema.String
}) {
  override get message(): string {
    return `candles: ${this.source}: ${this.why}`
  }
}

export interface SourceRequest {
  readonly source: string
  readonly folder: string
  readonly market: string
  readonly needs: ReadonlyMap<string, number>
  readonly from: number
  readonly now: number
}

/** Candles beyond the needed ones: the last one is not closed, and the first one may have begun before the data. */
const spareFrames = 2

export const spanOf = (needs: ReadonlyMap<string, number>): number =>
  Math.max(0, ...[...needs].map(([timeframe, count]) => (timeframeMillis(timeframe) ?? 0) * (count + spareFrames)))

/** Returns the strategy's source for the market that it trades, otherwise the market's own source. */
export const sourceOf = (
  { candleSource, file, market: traded }: Pick<Strategy, "candleSource" | "file" | "market">,
  market: Pick<Market, "name">,
  ofMarkets: MarketSources,
  path: Path.Path
): Pick<SourceRequest, "source" | "folder"> | undefined => {
  const entry =
    candleSource === undefined || market.name !== traded.name
      ? ofMarkets.get(market.name)
      : { source: candleSource.value, folder: path.dirname(path.resolve(file)) }
  return entry?.source === "recorded" ? undefined : entry
}

const shortestMillis = (needs: ReadonlyMap<string, number>): number =>
  Math.min(...[...needs.keys()].map((timeframe) => timeframeMillis(timeframe) ?? minuteMillis))

/** A source's candle that reaches into two candles of the strategy would count in one of them only. */
const fits = (stepMillis: number, needs: ReadonlyMap<string, number>): boolean =>
  [...needs.keys()].every((timeframe) => (timeframeMillis(timeframe) ?? minuteMillis) % stepMillis === 0)

export interface SourcedMinute extends Minute {
  /** Absent if the source has none, or the candle is not closed. */
  readonly volume?: number
}

/** Returns minutes from which every candle can be rebuilt whose length is a multiple of `stepMillis`. */
const minutesOf = (rows: ReadonlyArray<SourcedMinute>, stepMillis: number): ReadonlyArray<SourcedMinute> => {
  if (stepMillis <= minuteMillis) return rows
  const minutes = Math.round(stepMillis / minuteMillis)
  return rows.flatMap((row) =>
    Array.from({ length: minutes }, (_, index): SourcedMinute => {
      const { close } = row
      const openedAt = row.openedAt + index * minuteMillis
      const rest = { openedAt, open: close, high: close, low: close, close }
      return index === 0 ? row : row.volume === undefined ? rest : { ...rest, volume: 0 }
    })
  )
}

/** Returns the closed candles with volumes that the minutes cover completely, by the time they opened. */
export const candlesIn = (
  minutes: ReadonlyArray<SourcedMinute>,
  timeframe: string,
  now: number
): ReadonlyMap<number, TradedCandle> => {
  const millis = timeframeMillis(timeframe) ?? minuteMillis
  const [begin = now, end = 0] = [minutes[0]?.openedAt, minutes.at(-1)?.openedAt]
  const openCandles = new Map<number, OpenCandle>()
  for (const { openedAt, open, high, low, close, volume = Number.NaN } of minutes) {
    const frame = frameStart(openedAt, millis)
    const openFrame = openCandles.get(frame)
    if (openFrame !== undefined) extend(openFrame, high, low, close, volume)
    else if (begin <= frame && frame + millis <= Math.min(now, end + minuteMillis))
      openCandles.set(frame, { open, high, low, close, volume })
  }
  const withVolume = [...openCandles].filter(([, { volume }]) => !Number.isNaN(volume))
  return new Map(withVolume.map(([openedAt, candle]) => [openedAt, { openedAt, ...candle }]))
}

/** A missing or empty volume column reads as zeros, so a file with nothing but zeros has no volumes. */
const rowsOf = (candles: Candles, { from, now }: Pick<SourceRequest, "from" | "now">): ReadonlyArray<SourcedMinute> => {
  const { bars, time, open, high, low, close } = candles
  const hasVolumes = !hasOnlyZeroVolumes(candles)
  const rows: Array<SourcedMinute> = []
  for (let bar = TimeAxis.firstBarFrom(time, from); bar < bars; bar += 1) {
    const end = close[bar] ?? 0
    const openedAt = TimeAxis.openTime(time, bar)
    rows.push({
      openedAt,
      open: open[bar] ?? end,
      high: high[bar] ?? end,
      low: low[bar] ?? end,
      close: end,
      ...(hasVolumes && openedAt + time.stepMillis <= now ? { volume: volumeAt(candles, bar) } : {})
    })
  }
  return rows
}

const fromFiles = Effect.fnUntraced(function* ({ source, folder, needs, from, now }: SourceRequest) {
  const path = yield* Path.Path
  const fail = (why: string) => new CandleSourceFailed({ source, why })
  const files = yield* Effect.try({
    try: () => fs.globSync(path.resolve(folder, source)),
    catch: (cause) => fail(messageOf(cause))
  })
  const names = files.filter((name) => !isCacheFile(name)).sort()
  if (names.length === 0) return yield* fail("no such file; the path starts at the folder of the file that names it")
  const minuteLists: Array<ReadonlyArray<SourcedMinute>> = []
  let first: { readonly name: string; readonly shared: string } | undefined
  for (const name of names) {
    const options = {
      repair: new Set<never>(),
      tradeCandleMillis: minuteMillis,
      cache: "never",
      wanted: { open: true, volume: true }
    } as const
    const loading = CandleFile.load(name, options)
    const { candles, shared } = yield* Effect.mapError(loading, ({ message }) => fail(message))
    first ??= shared ? { name, shared } : undefined
    if (shared && first && shared !== first.shared)
      return yield* fail(`${name} has ${shared}, ${first.name} ${first.shared}; choose files of one market`)
    const { stepMillis } = candles.time
    if (!fits(stepMillis, needs)) {
      const timeframes = [...needs.keys()].join(", ")
      return yield* fail(`${name} has candles of ${stepMillis / 1000} s, but the strategy needs ${timeframes}`)
    }
    if (stepMillis % minuteMillis !== 0) return yield* fail(`the candles of ${name} are not whole minutes`)
    minuteLists.push(minutesOf(rowsOf(candles, { from, now }), stepMillis))
  }
  return merged(minuteLists)
})

/** The earlier list wins where lists overlap. The result is in time order. */
export const merged = <A extends Minute>(lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<A> => {
  const byTime = new Map<number, A>()
  for (const list of lists.toReversed()) for (const minute of list) byTime.set(minute.openedAt, minute)
  return [...byTime.values()].sort((a, b) => a.openedAt - b.openedAt)
}

const journalPrefix = "journal:"
const exchangePrefix = "ccxt:"

const fromJournal = Effect.fnUntraced(function* ({ source, folder, market, ...span }: SourceRequest) {
  const path = yield* Path.Path
  const file = path.resolve(folder, source.slice(journalPrefix.length))
  const { candles } = yield* Effect.mapError(
    JournalData.candles(file, market),
    ({ message }) => new CandleSourceFailed({ source, why: message })
  )
  return rowsOf(candles, span)
})

const fromExchange = Effect.fnUntraced(
  function* ({ source, market, needs, from, now }: SourceRequest) {
    const [, exchange = "", symbol = market] = source.split(":")
    const opened = yield* ExchangeCandles.openExchange(yield* ExchangeCandles.loadLibrary, exchange)
    const shortest = shortestMillis(needs)
    const stepMillis = fits(shortest, needs) ? shortest : minuteMillis
    const [timeframe = "1m"] = [...needs.keys()].filter((name) => timeframeMillis(name) === stepMillis)
    const openFrame = frameStart(now, stepMillis)
    const closedCandles = yield* ExchangeCandles.candles(opened, { symbol, timeframe, stepMillis, from, to: openFrame })
    const minutes = { symbol, timeframe: "1m", stepMillis: minuteMillis, from: openFrame, to: now }
    const latestMinutes = stepMillis > minuteMillis ? yield* ExchangeCandles.candles(opened, minutes) : []
    return merged([latestMinutes, minutesOf(closedCandles, stepMillis)])
  },
  (effect, { source }) => Effect.mapError(effect, ({ message }) => new CandleSourceFailed({ source, why: message }))
)

export const load = (
  wanted: SourceRequest
): Effect.Effect<ReadonlyArray<SourcedMinute>, CandleSourceFailed, FileSystem.FileSystem | Path.Path> =>
  wanted.source.startsWith(journalPrefix)
    ? fromJournal(wanted)
    : wanted.source.startsWith(exchangePrefix)
      ? fromExchange(wanted)
      : Effect.scoped(fromFiles(wanted))
