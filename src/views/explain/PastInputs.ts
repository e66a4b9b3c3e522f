/**
 * The inputs of a strategy's conditions at a time, evaluated again on the journal's prices and on the strategy's own trading as recorded
 * then. Without stored prices, the inputs that were recorded with the decision are shown.
 */
import { Effect } from "effect"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import type { TwoSidedPrice } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import * as CandleFeed from "../../engine/markets/CandleFeed.ts"
import { viewOf } from "../../engine/planning/DecisionRecord.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import type { StrategyState } from "../../engine/state/strategies/StrategyState.ts"
import { type Minute, PriceStore } from "../../journal/PriceStore.ts"
import * as JoinedCandles from "../../strategy/expression/series/JoinedCandles.ts"
import type { Input, Strategy } from "../../strategy/Strategy.ts"

/** An older price says nothing about the requested time. */
const freshMinutes = 3

export type SeenInputs = ReadonlyMap<string, { readonly at: number; readonly checks: ReadonlyArray<Input> }>

export const look = Effect.fn("PastInputs.look")(function* (state: BotState, strategy: Strategy, now: number) {
  const strategyState = state.strategies.get(strategy.name)
  if (strategyState?.decision === undefined || strategy.inputs === undefined) return recorded(strategyState)
  const own = yield* seenOf(strategy.market.name, strategy.candles ?? new Map(), now)
  if (own.price === undefined) return recorded(strategyState)
  const watched = yield* Effect.forEach(strategy.watched ?? [], ({ market, candles }) =>
    Effect.map(seenOf(market.name, candles, now), (seen) => [market.name, seen] as const)
  )
  const feeds = new Map([[strategy.market.name, own] as const, ...watched].map(([name, { feed }]) => [name, feed]))
  const { price } = own
  const freshMillis = Math.max(strategy.limits.staleAfterMillis, minuteMillis)
  const elsewhere = watched.flatMap(([name, { price }]) =>
    price === undefined || now - price.at > freshMillis ? [] : [[name, price] as const]
  )
  const moment = {
    now,
    price,
    ...(watched.length === 0 ? {} : { elsewhere: new Map(elsewhere) }),
    candles: JoinedCandles.make(strategy)(CandleFeed.seenBy(strategy, feeds, now)) ?? new Map(),
    // The journal keeps only those quotes that a decision used.
    ...present({ depth: strategyState.decision.depth })
  }
  const view = viewOf(state, strategy, moment)
  const fresh = strategy.inputs(view, strategyState.memory ?? null)
  const then = recorded(strategyState)
  return new Map(
    [...fresh].map(([slot, checks]) => {
      const before = then.get(slot)
      if (checks.length > 0 || before === undefined) return [slot, { at: price.at, checks }] as const
      // No condition cancels this order. The inputs of its decision are shown for information only.
      return [slot, { ...before, checks: before.checks.map((check) => ({ ...check, decides: false })) }] as const
    })
  )
})

const seenOf = Effect.fnUntraced(function* (market: string, needs: ReadonlyMap<string, number>, now: number) {
  const store = yield* PriceStore
  const feed = CandleFeed.make(needs)
  const from = now - feed.spanMillis - freshMinutes * minuteMillis
  const stored = yield* store.since(market, from)
  const minutes = stored.filter(({ openedAt }) => openedAt + minuteMillis <= now)
  feed.restore(minutes, now)
  feed.adopt((yield* store.kept(market, from)).filter(({ seenAt }) => seenAt <= now))
  return { price: priceAt(minutes.at(-1), now), feed }
})

const recorded = (known: StrategyState | undefined): SeenInputs =>
  new Map((known?.decision?.inputs ?? []).map(({ slot, checks }) => [slot, { at: known?.decidedAt ?? 0, checks }]))

const priceAt = (last: Minute | undefined, now: number): TwoSidedPrice | undefined => {
  const at = (last?.openedAt ?? 0) + minuteMillis
  if (last === undefined || now - at > freshMinutes * minuteMillis) return undefined
  const mid = Decimal.fromNumber(last.close)
  return { bid: mid, ask: mid, at }
}
