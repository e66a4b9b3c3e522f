/**
 * Supplies minutes for indicators: recorded ones, and where these are missing those of the source. Only the bot's own minutes are stored. A
 * source is read at a start, after a gap and, for volumes, after each close until it has the closed candle.
 */
import { Clock, Effect, type FileSystem, Path } from "effect"
import { minuteMillis, secondMillis } from "../../domain/Durations.ts"
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
/** A start waits for many pages of an exchange. Later, a source that does not answer must not delay the others. */
const maxMillis = { start: 10 * minuteMillis, close: 30 * secondMillis } as const
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
    return told === undefined || now - told.askedAt >= pauseMillis
  })

export const make = Effect.fn("WarmPrices.make")(function* (own: PriceStore["Service"], ofMarkets: MarketSources) {
  const path = yield* Path.Path
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const lastReports = new Map<string, Told>()
  const failures = new Map<string, string>()
  let neededCandles: ReturnType<typeof wantedBy> = new Map()

  const loadMinutes = Effect.fnUntraced(function* (
    market: string,
    source: WantedCandles,
    from: number,
    at: "start" | "close"
  ) {
    const now = yield* Clock.currentTimeMillis
    const start = Math.max(from, now - CandleSource.spanOf(source.needs))
    const minutes = yield* CandleSource.load({ ...source, market, from: start, now }).pipe(
      Effect.map((found) => found.filter(({ openedAt }) => openedAt + minuteMillis <= now)),
      Effect.timeoutOrElse({
        duration: maxMillis[at],
        orElse: () => new CandleSource.CandleSourceFailed({ source: source.source, why: "it does not answer" })
      }),
      Effect.tap(() => Effect.sync(() => failures.delete(market))),
      Effect.tapError(({ message }) => {
        if (failures.get(market) === message) return Effect.void
        failures.set(market, message)
        return Effect.logWarning(message)
      }),
      Effect.orElseSucceed((): ReadonlyArray<CandleSource.SourcedMinute> => [])
    )
    const candlesOf = (timeframe: string) => [timeframe, CandleSource.candlesIn(minutes, timeframe, now)] as const
    if (source.hasVolumes)
      lastReports.set(market, { askedAt: now, candles: new Map([...source.needs.keys()].map(candlesOf)) })
    return minutes
  }, Effect.provideContext(context))

  const since = Effect.fnUntraced(function* (market: string, from: number) {
    const recorded = yield* own.since(market, from)
    const source = neededCandles.get(market)
    if (source === undefined) return recorded
    return CandleSource.merged([recorded, yield* loadMinutes(market, source, from, "start")])
  })

  const readDue = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const due = [...neededCandles].filter(
      ([market, source]) => source.hasVolumes && isDue(source, lastReports.get(market), now)
    )
    yield* Effect.forEach(due, ([market, source]) => loadMinutes(market, source, 0, "close"), {
      concurrency: maxReadings,
      discard: true
    })
  })

  return {
    use: (strategies: ReadonlyArray<Strategy>) => {
      neededCandles = wantedBy(strategies, ofMarkets, path)
    },
    store: {
      ...own,
      since,
      told: (market, timeframe) => lastReports.get(market)?.candles.get(timeframe) ?? own.told(market, timeframe)
    } satisfies PriceStore["Service"],
    readDue,
    forever: Effect.forever(Effect.andThen(readDue, Effect.sleep(secondMillis)))
  }
})
