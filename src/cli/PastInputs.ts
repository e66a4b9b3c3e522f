/**
 * What the conditions of strategies saw at a moment, now or long ago: evaluated anew on the prices that the journal keeps, with
 * what the journal said of the strategy's own trading by then. Where it keeps no prices, what was recorded with the decision.
 */
import { Effect } from "effect"
import * as Decimal from "../domain/Decimal.ts"
import type { TwoSidedPrice } from "../domain/Market.ts"
import { type BotState, type StrategyState, unfinished } from "../engine/BotState.ts"
import * as CandleFeed from "../engine/CandleFeed.ts"
import { progress } from "../engine/Planning.ts"
import { ownState } from "../engine/TradingFold.ts"
import { type Minute, PriceStore } from "../journal/PriceStore.ts"
import type { Inputs, Strategy } from "../strategy/Strategy.ts"
import type { View } from "../strategy/View.ts"

const minuteMillis = 60_000
/** An older price says nothing about the moment. */
const freshMinutes = 3

/** Inputs by slot, and when they were so. */
export interface Seen {
  readonly at: number
  readonly inputs: Inputs
}

export const look = Effect.fn("PastInputs.look")(function* (state: BotState, strategy: Strategy, now: number) {
  const known = state.strategies.get(strategy.name)
  if (known?.decision === undefined || strategy.inputs === undefined) return recorded(known)
  const store = yield* PriceStore
  const feed = CandleFeed.make(strategy.candles ?? new Map())
  const from = now - feed.spanMillis - freshMinutes * minuteMillis
  // A journal of an older version has no prices yet.
  const stored = yield* store.since(strategy.market.name, from).pipe(Effect.orElseSucceed(() => []))
  const minutes = stored.filter(({ openedAt }) => openedAt + minuteMillis <= now)
  feed.restore(minutes)
  const price = priceAt(minutes.at(-1), now)
  if (price === undefined) return recorded(known)
  const own = unfinished(state).filter((placement) => placement.strategy === strategy.name)
  const view: View = {
    now,
    market: strategy.market,
    price,
    slots: progress(state, strategy.name, own),
    candles: feed.view(),
    own: ownState(state, strategy, own)
  }
  return { at: price.at, inputs: strategy.inputs(view, known.memory ?? null) } satisfies Seen
})

const recorded = (known: StrategyState | undefined): Seen | undefined =>
  known?.decision?.inputs === undefined
    ? undefined
    : { at: known.decidedAt, inputs: new Map(known.decision.inputs.map(({ slot, checks }) => [slot, checks])) }

const priceAt = (last: Minute | undefined, now: number): TwoSidedPrice | undefined => {
  const at = (last?.openedAt ?? 0) + minuteMillis
  if (last === undefined || now - at > freshMinutes * minuteMillis) return undefined
  const mid = Decimal.fromNumber(last.close)
  return { bid: mid, ask: mid, at }
}
