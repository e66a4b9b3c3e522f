/**
 * The prices for indicators: the minutes that the bot recorded and, where it has none, those of the source that the
 * strategy or its market names. Only the bot's own minutes are stored; a source is read again when it is needed.
 */
import { Clock, Effect, type FileSystem, Path } from "effect"
import { minuteMillis } from "../../domain/Durations.ts"
import type { Minute, PriceStore } from "../../journal/PriceStore.ts"
import type { MarketSources } from "../../strategy/Markets.ts"
import { candlesWanted, type Strategy } from "../../strategy/Strategy.ts"
import * as CandleSource from "./CandleSource.ts"

export interface WarmPrices {
  /** The sources of the strategies' markets, before the strategies start. */
  readonly use: (strategies: ReadonlyArray<Strategy>) => void
  readonly store: PriceStore["Service"]
}

/** The needs and the source of each market; among several strategies the first that names a source counts. */
const wantedBy = (strategies: ReadonlyArray<Strategy>, ofMarkets: MarketSources, path: Path.Path) => {
  const wanted = new Map<string, Pick<CandleSource.SourceRequest, "source" | "folder" | "needs">>()
  for (const { strategy, market, candles: needs } of strategies.flatMap(candlesOf)) {
    const source = CandleSource.sourceOf(strategy, market, ofMarkets, path)
    const known = wanted.get(market.name)
    const all = new Map(known?.needs)
    for (const [timeframe, count] of needs) all.set(timeframe, Math.max(count, all.get(timeframe) ?? 0))
    if (known !== undefined) wanted.set(market.name, { ...known, needs: all })
    else if (source !== undefined) wanted.set(market.name, { ...source, needs: all })
  }
  return wanted
}

const candlesOf = (strategy: Strategy) => candlesWanted(strategy).map((each) => ({ ...each, strategy }))

export const make = Effect.fn("WarmPrices.make")(function* (own: PriceStore["Service"], ofMarkets: MarketSources) {
  const path = yield* Path.Path
  const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  let wanted: ReturnType<typeof wantedBy> = new Map()

  const since = Effect.fnUntraced(function* (market: string, from: number) {
    const recorded = yield* own.since(market, from)
    const source = wanted.get(market)
    if (source === undefined) return recorded
    const now = yield* Clock.currentTimeMillis
    const start = Math.max(from, now - CandleSource.spanOf(source.needs))
    // The bot continues without it; `check` and `plan` say what is wrong with it.
    const sourced = yield* CandleSource.load({ ...source, market, from: start, now }).pipe(
      Effect.tapError(({ message }) => Effect.logWarning(message)),
      Effect.orElseSucceed((): ReadonlyArray<Minute> => [])
    )
    return CandleSource.merged([recorded, sourced.filter(({ openedAt }) => openedAt + minuteMillis <= now)])
  }, Effect.provideContext(context))

  const prices: WarmPrices = {
    use: (strategies) => {
      wanted = wantedBy(strategies, ofMarkets, path)
    },
    store: { ...own, since }
  }
  return prices
})
