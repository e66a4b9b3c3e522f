/** Computes when indicators will have their candles. A source far from known prices is probably another market or unit. */
import { Clock, Effect, FileSystem, Path } from "effect"
import { median } from "../../domain/Amount.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { age, percent, utc } from "../../domain/Text.ts"
import { frameStart, timeframeMillis } from "../../domain/Timeframe.ts"
import * as CandleFeed from "../../engine/markets/CandleFeed.ts"
import { type Minute, PriceStore } from "../../journal/PriceStore.ts"
import * as Layers from "../../Layers.ts"
import type { MarketSources } from "../../strategy/Markets.ts"
import { candlesWanted, type Strategy, type WatchedMarket } from "../../strategy/Strategy.ts"
import type { Readiness } from "../../views/Plan.ts"
import * as CandleSource from "./CandleSource.ts"

/** A source may differ this much from the bot's own minutes, or from the venue's current price. */
const maxDistance = 0.05
/** A source that ends earlier proves nothing about the present price. */
const comparableMillis = 6 * 60 * minuteMillis
/** The bot bridges gaps up to this length by itself. */
const bridgedMillis = 4 * minuteMillis

const distanceOf = (
  sourced: ReadonlyArray<Minute>,
  own: ReadonlyArray<Minute>,
  price: number | undefined,
  now: number
): number | undefined => {
  const closes = new Map(own.map(({ openedAt, close }) => [openedAt, close]))
  const both = sourced.flatMap(({ openedAt, close }) => {
    const otherClose = closes.get(openedAt)
    return otherClose === undefined ? [] : [Math.abs(close / otherClose - 1)]
  })
  const last = sourced.at(-1)
  if (both.length > 0 || last === undefined || price === undefined) return median(both)
  return now - last.openedAt > comparableMillis ? undefined : Math.abs(last.close / price - 1)
}

const holeIn = (minutes: ReadonlyArray<Minute>): { readonly at: number; readonly millis: number } | undefined => {
  let longest: { readonly at: number; readonly millis: number } | undefined
  let last: number | undefined
  for (const { openedAt } of minutes) {
    const millis = last === undefined ? 0 : openedAt - last - minuteMillis
    if (last !== undefined && millis >= bridgedMillis && millis > (longest?.millis ?? 0)) longest = { at: last, millis }
    last = openedAt
  }
  return longest
}

interface Known {
  readonly own: ReadonlyArray<Minute>
  readonly price?: number | undefined
}

export const lookAll = <E, R>(
  strategies: ReadonlyArray<Strategy>,
  ofMarkets: MarketSources,
  knownOf: (seen: WatchedMarket) => Effect.Effect<Known, E, R>
) =>
  Effect.forEach(
    strategies.flatMap((strategy) => candlesWanted(strategy).map((seen) => [strategy, seen] as const)),
    ([strategy, seen]) => Effect.flatMap(knownOf(seen), (known) => look(strategy, seen, ofMarkets, known))
  )

export const look = Effect.fn("Readiness.look")(function* (
  strategy: Strategy,
  { market, candles: needs }: WatchedMarket,
  ofMarkets: MarketSources,
  known: Known
) {
  const { name } = strategy
  const path = yield* Path.Path
  const now = yield* Clock.currentTimeMillis
  const from = now - CandleSource.spanOf(needs)
  const source = CandleSource.sourceOf(strategy, market, ofMarkets, path)
  const loaded =
    source === undefined
      ? { minutes: [], problem: undefined }
      : yield* CandleSource.load({ ...source, market: market.name, needs, from, now }).pipe(
          Effect.map((minutes) => ({ minutes, problem: undefined })),
          Effect.catchTag("CandleSourceFailed", ({ message }) => Effect.succeed({ minutes: [], problem: message }))
        )
  const own = known.own.filter(({ openedAt }) => openedAt >= from)
  const minutes = CandleSource.merged([own, loaded.minutes])
  const last = minutes.at(-1)
  const isCurrent = last !== undefined && now - last.openedAt - minuteMillis < bridgedMillis
  const feed = CandleFeed.make(needs)
  feed.restore(minutes, now)
  const timeframes = [...needs].map(([timeframe, needed]) => {
    const millis = timeframeMillis(timeframe) ?? minuteMillis
    const have = isCurrent ? (feed.view().get(timeframe)?.closed ?? 0) : 0
    const missing = Math.max(0, needed - have)
    // The unfinished candle counts only if its beginning was seen.
    const first = frameStart(now, millis) + (isCurrent ? 0 : millis)
    return { timeframe, needed, have, readyAt: missing === 0 ? now : first + missing * millis }
  })
  const distance = distanceOf(loaded.minutes, own, known.price, now)
  const isReady = timeframes.every(({ have, needed }) => have >= needed)
  const hole = source === undefined || isReady ? undefined : holeIn(minutes)
  const sourceName = `candles: ${source?.source}`
  const problem =
    loaded.problem ??
    (source !== undefined && loaded.minutes.length === 0 ? `${sourceName} does not cover the needed period` : null) ??
    (source !== undefined &&
    strategy.volumes?.has(market.name) === true &&
    loaded.minutes.every(({ volume }) => volume === undefined)
      ? `${sourceName} has no volumes, but the strategy needs them`
      : null) ??
    (distance !== undefined && distance > maxDistance
      ? `${sourceName} is ${percent(distance, 1)} away from the price of ${market.name}: another market or unit?`
      : null)
  const note =
    (hole === undefined ? null : `${sourceName} has a gap of ${age(hole.millis)} after ${utc(hole.at)}`) ??
    (source !== undefined && !isCurrent && last !== undefined
      ? `${sourceName} ends ${age(now - last.openedAt)} ago: candles before the gap do not count`
      : null)
  const elsewhere = market.name === strategy.market.name ? {} : { market: market.name }
  return { strategy: name, ...elsewhere, source: source?.source ?? null, timeframes, problem, note } satisfies Readiness
})

export const lineOf = ({ market, timeframes, source, problem, note }: Readiness, now: number): string => {
  const title = market === undefined ? "candles" : `candles of ${market}`
  const missing = timeframes.filter(({ have, needed }) => have < needed)
  const hint = source === null && missing.length > 0 ? "; `candles:` can name a source (docs/strategies.md)" : ""
  const missingTexts = missing.map(
    ({ timeframe, needed, have, readyAt }) =>
      `${have} of ${needed} ${timeframe} candles, ready in ${age(readyAt - now)}`
  )
  const wrong = [problem, note].flatMap((text) => (text === null ? [] : [` (${text})`])).join("")
  return `${title}: ${missing.length === 0 ? "ready" : missingTexts.join("; ")}${hint}${wrong}`
}

/** Computes for `check` how long strategies would wait if the bot started now. Requests no prices. */
export const ofFiles = Effect.fn("Readiness.ofFiles")(function* (
  strategies: ReadonlyArray<Strategy>,
  sources: MarketSources,
  journal: string | undefined
) {
  const fileSystem = yield* FileSystem.FileSystem
  const now = yield* Clock.currentTimeMillis
  const hasJournal = journal !== undefined && (yield* Effect.orElseSucceed(fileSystem.exists(journal), () => false))
  const readiness = yield* lookAll(strategies, sources, (seen) =>
    Effect.map(hasJournal ? recorded(journal, seen, now) : Effect.succeed([]), (own) => ({ own }))
  )
  return readiness.map((each) => ({ ...each, line: lineOf(each, now) }))
})

const recorded = (journal: string, { market, candles }: WatchedMarket, now: number) =>
  Effect.flatMap(PriceStore, (store) => store.since(market.name, now - CandleSource.spanOf(candles))).pipe(
    Effect.provide(Layers.readOnlyJournal(journal)),
    Effect.orElseSucceed(() => [])
  )
