/**
 * Supplies minutes for indicators: recorded ones, and where these are missing those of the source. Only the bot's own minutes are stored. A
 * source is read at a start, after a gap and, for volumes, after each close until it has the closed candle. A source that failed is read
 * again each minute, until the candles were built with its minutes.
 */
import { Clock, Effect, type FileSystem, Path } from "effect"
import { elapsedMillis, minuteMillis, secondMillis } from "../../domain/Durations.ts"
import { frameStart, timeframeMillis } from "../../domain/Timeframe.ts"
import type { PriceStore, TradedCandle } from "../../journal/PriceStore.ts"
import type { MarketSources } from "../../strategy/Markets.ts"
import { candlesWanted, type Strategy } from "../../strategy/Strategy.ts"
import * as CandleSource from "./CandleSource.ts"

export type WarmPrices = Effect.Success<ReturnType<typeof make>>

/** A source gets this long to write the candle that has closed. */
const graceMillis = 5 * secondMillis
/** A late source is read again after a quarter of the delay of its candle, and at least once a minute. */
const lateShare = 0.25
/**
 * A start waits for many pages of an exchange. Later, a source that does not answer must not delay the others, and the turns of all
 * strategies even less.
 */
const maxMillis = { start: 10 * minuteMillis, turn: 5 * secondMillis, close: 30 * secondMillis } as const
const maxReadings = 4

interface WantedCandles extends Pick<CandleSource.SourceRequest, "source" | "folder" | "needs"> {
  readonly hasVolumes: boolean
}

/** Takes the first source that a strategy names for a market. A strategy that uses volumes comes first, because some sources have none. */
const wantedBy = (strategies: ReadonlyArray<Strategy>, ofMarkets: MarketSources, path: Path.Path) => {
  const candlesByMarket = new Map<string, WantedCandles>()
  for (const { strategy, market, candles: needs } of strategies.flatMap(candlesOf)) {
    const source = CandleSource.sourceOf(strategy, market, ofMarkets, path)
    const marketPrices = candlesByMarket.get(market.name)
    const all = new Map(marketPrices?.needs)
    for (const [timeframe, count] of needs) all.set(timeframe, Math.max(count, all.get(timeframe) ?? 0))
    const hasVolumes = strategy.volumes?.has(market.name) === true
    const counts = marketPrices === undefined || (hasVolumes && !marketPrices.hasVolumes)
    if (source !== undefined && counts) candlesByMarket.set(market.name, { ...source, needs: all, hasVolumes })
    else if (marketPrices !== undefined) candlesByMarket.set(market.name, { ...marketPrices, needs: all })
  }
  return candlesByMarket
}

const candlesOf = (strategy: Strategy) => candlesWanted(strategy).map((each) => ({ ...each, strategy }))

interface Told {
  readonly askedAt: number
  readonly candles: ReadonlyMap<string, ReadonlyMap<number, TradedCandle>>
}

const isDue = ({ needs }: WantedCandles, told: Told | undefined, now: number): boolean =>
  [...needs.keys()].some((timeframe) => {
    const millis = timeframeMillis(timeframe) ?? minuteMillis
    const closedAt = frameStart(now, millis)
    const lateMillis = now - closedAt
    if (lateMillis < graceMillis || told?.candles.get(timeframe)?.has(closedAt - millis) === true) return false
    const pauseMillis = Math.max(graceMillis, Math.min(lateMillis * lateShare, minuteMillis))
    return told === undefined || elapsedMillis(told.askedAt, now) >= pauseMillis
  })

/** An edited source is read beside the turns. Late minutes are forgotten too: they may be too few, or of another source. */
const editedIn = (before: ReturnType<typeof wantedBy>, after: ReturnType<typeof wantedBy>): ReadonlyArray<string> =>
  [...after].flatMap(([market, { folder, source }]) => {
    const old = before.get(market)
    return old?.source === source && old.folder === folder ? [] : [market]
  })

type IsWanted = (market: string, source: WantedCandles, now: number) => boolean

const everySecond = (reading: Effect.Effect<void>) =>
  Effect.forever(Effect.andThen(reading, Effect.sleep(secondMillis)))

export const make = Effect.fn("WarmPrices.make")(function* (own: PriceStore["Service"], ofMarkets: MarketSources) {
  const path = yield* Path.Path
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const lastReports = new Map<string, Told>()
  const failures = new Map<string, string>()
  /** Minutes that candles still lack, because their source failed; `undefined` until it answers again. */
  const lateMinutes = new Map<string, ReadonlyArray<CandleSource.SourcedMinute> | undefined>()
  let isRunning = false
  let neededCandles: ReturnType<typeof wantedBy> = new Map()

  const loadMinutes = Effect.fnUntraced(function* (
    market: string,
    source: WantedCandles,
    from: number,
    at: keyof typeof maxMillis
  ) {
    const now = yield* Clock.currentTimeMillis
    const start = Math.max(from, now - CandleSource.spanOf(source.needs))
    const minutes = yield* CandleSource.load({ ...source, market, from: start, now }).pipe(
      Effect.map((found) => found.filter(({ openedAt }) => openedAt + minuteMillis <= now)),
      Effect.timeoutOrElse({
        duration: maxMillis[at],
        orElse: () => new CandleSource.CandleSourceFailed({ source: source.source, why: "it does not answer" })
      }),
      Effect.tap(() =>
        failures.delete(market) ? Effect.logWarning(`candles: ${source.source}: it answers again`) : Effect.void
      ),
      Effect.tapError(({ message }) => {
        if (failures.get(market) === message) return Effect.void
        failures.set(market, message)
        return Effect.logWarning(message)
      }),
      Effect.orElseSucceed(() => undefined)
    )
    const candlesOf = (timeframe: string) => [timeframe, CandleSource.candlesIn(minutes ?? [], timeframe, now)] as const
    const candles = source.hasVolumes ? [...source.needs.keys()].map(candlesOf) : []
    lastReports.set(market, { askedAt: now, candles: new Map(candles) })
    if (lateMinutes.has(market) && neededCandles.get(market) === source) lateMinutes.set(market, minutes)
    return minutes
  }, Effect.provideContext(context))

  const since = Effect.fnUntraced(function* (market: string, from: number) {
    const source = neededCandles.get(market)
    if (source === undefined) return yield* own.since(market, from)
    // While a source fails, no turn waits for any: `readLate` reads them beside the turns.
    const isDeferred =
      lateMinutes.has(market) || (isRunning && [...neededCandles.keys()].some((each) => failures.has(each)))
    const minutes = isDeferred
      ? lateMinutes.get(market)
      : yield* loadMinutes(market, source, from, isRunning ? "turn" : "start")
    if (minutes === undefined) lateMinutes.set(market, undefined)
    else lateMinutes.delete(market)
    return CandleSource.merged([yield* own.since(market, from), minutes ?? []])
  })

  const isLate: IsWanted = (market, _source, now) =>
    lateMinutes.has(market) && elapsedMillis(lastReports.get(market)?.askedAt ?? 0, now) >= minuteMillis

  const readEach = (at: keyof typeof maxMillis, isWanted: IsWanted) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const wanted = [...neededCandles].filter(([market, source]) => isWanted(market, source, now))
      const load = ([market, source]: (typeof wanted)[number]) => loadMinutes(market, source, 0, at)
      return Effect.forEach(wanted, load, { concurrency: maxReadings, discard: true })
    })
  const readDue = readEach("close", (market, each, now) => each.hasVolumes && isDue(each, lastReports.get(market), now))
  /** Nothing waits for it, so a source with many pages gets the time of a start. */
  const readLate = readEach("start", isLate)

  return {
    use: (strategies: ReadonlyArray<Strategy>) => {
      const next = wantedBy(strategies, ofMarkets, path)
      const edited = isRunning ? editedIn(neededCandles, next) : []
      neededCandles = next
      for (const market of [...lateMinutes.keys(), ...edited]) lateMinutes.set(market, undefined)
    },
    store: {
      ...own,
      since,
      told: (market, timeframe) => lastReports.get(market)?.candles.get(timeframe) ?? own.told(market, timeframe),
      isSourceBack: (market) => lateMinutes.get(market) !== undefined
    } satisfies PriceStore["Service"],
    readDue,
    readLate,
    forever: Effect.suspend(() => {
      isRunning = true
      return Effect.all([readDue, readLate].map(everySecond), { concurrency: 2, discard: true })
    })
  }
})
