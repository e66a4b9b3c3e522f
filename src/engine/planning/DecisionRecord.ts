/** Builds the view of a strategy and the event of its decision, and compares decisions. A run and a replay use the same functions. */
import { Effect, Result } from "effect"
import type { Depth } from "../../domain/Book.ts"
import type { Of } from "../../domain/BotEvent.ts"
import * as CostBasis from "../../domain/CostBasis.ts"
import { elapsedMillis } from "../../domain/Durations.ts"
import * as Ledger from "../../domain/Ledger.ts"
import type { TwoSidedPrice } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import type { Signals } from "../../domain/Signal.ts"
import { orderedJson } from "../../domain/Text.ts"
import { type Decision, type DesiredOrder, type DesiredSlot, holds, written } from "../../strategy/Decision.ts"
import * as JoinedCandles from "../../strategy/expression/series/JoinedCandles.ts"
import { armedAboveCost } from "../../strategy/kinds/CostFloor.ts"
import type { Inputs, Strategy } from "../../strategy/Strategy.ts"
import { type OwnState, progressOf, type SlotProgress, type View } from "../../strategy/View.ts"
import { holdsOnSlot, stopping } from "../holds/Holds.ts"
import { quietness } from "../holds/MarketLimits.ts"
import type { Bookkeeper } from "../state/Bookkeeper.ts"
import { type BotState, perEvent, unfinishedOf } from "../state/BotState.ts"
import type { Placement } from "../state/Placement.ts"
import * as SlotFold from "../state/SlotFold.ts"
import { noTrading } from "../state/strategies/TradingFold.ts"
import * as Tally from "../state/Tally.ts"
import type { Refusals } from "./Exits.ts"

export type MarketMoment = Pick<View, "candles" | "depth" | "elsewhere" | "now" | "price">

/** `undefined` while a price of one of its markets is missing. Without a fresh price of a watched market, only decisions on it wait. */
export const momentOf = (
  { market, others = [], watched = [], limits: { staleAfterMillis } }: Strategy,
  prices: ReadonlyMap<string, TwoSidedPrice>,
  candles: View["candles"],
  now: number,
  depth?: Depth
): MarketMoment | undefined => {
  const price = prices.get(market.name)
  if (price === undefined) return undefined
  const moment = { price, now, ...present({ candles, depth }) }
  if (others.length + watched.length === 0) return moment
  const elsewhere = new Map<string, TwoSidedPrice>()
  for (const { name } of others) {
    const otherPrice = prices.get(name)
    if (otherPrice === undefined) return undefined
    elsewhere.set(name, otherPrice)
  }
  for (const other of watched) {
    const watchedPrice = prices.get(other.market.name)
    if (watchedPrice !== undefined && elapsedMillis(watchedPrice.at, now) <= staleAfterMillis)
      elsewhere.set(other.market.name, watchedPrice)
  }
  return { ...moment, elsewhere }
}

export const viewOf = (
  state: BotState,
  strategy: Strategy,
  moment: MarketMoment,
  tally = Tally.of(state, strategy.name, moment.now)
): View => {
  const own = unfinishedOf(state, strategy.name)
  const { limits } = strategy
  const { now } = moment
  return {
    ...moment,
    market: strategy.market,
    slots: progress(state, strategy.name, own),
    ...present({ fillBasisPoints: state.run?.fillBasisPoints }),
    signals: state.signals,
    isHeld: (stopping(holdsOnSlot(state, strategy.name, ""), "create") ?? quietness({ now, limits })) !== undefined,
    own: ownState(state, strategy, tally.own)
  }
}

const slotsByStrategy = perEvent(({ slots }) => Map.groupBy(slots.values(), ({ strategy }) => strategy))

/** Checks of the strategy's conditions by slot; `undefined` without a price, and while the strategy's own code fails. */
export const checksAt = (state: BotState, strategy: Strategy, moment: MarketMoment | undefined): Inputs | undefined => {
  const memory = state.strategies.get(strategy.name)?.memory ?? strategy.initialMemory
  return Result.getOrUndefined(Result.try(() => moment && strategy.inputs?.(viewOf(state, strategy, moment), memory)))
}

export const progress = (state: BotState, strategy: string, own: ReadonlyArray<Placement>) => {
  const live = new Map(own.map((placement) => [placement.slot, placement]))
  const slots = new Map<string, SlotProgress>()
  for (const slot of slotsByStrategy(state).get(strategy) ?? [])
    slots.set(slot.slot, SlotFold.progressOf(slot, live.get(slot.slot)))
  return slots
}

export const armed = (desired: DesiredSlot, view: View): DesiredOrder | undefined =>
  armedAboveCost(desired.market ?? view.market, desired, progressOf(view, desired.slot))

export const decisionEvent = (
  strategy: Strategy,
  view: View,
  decision: Decision,
  inputs: Inputs | undefined
): Of<"Decided"> => {
  const { price, elsewhere, depth } = view
  const slotOrders = decision.desired.map((desired) => ({ desired, order: armed(desired, view) }))
  return {
    _tag: "Decided",
    strategy: strategy.name,
    now: view.now,
    bid: price.bid,
    ask: price.ask,
    priceAt: price.at,
    ...(elsewhere && { elsewhere: [...elsewhere].map(([market, { bid, ask, at }]) => ({ market, bid, ask, at })) }),
    ...(depth === undefined || decision.until.depth === undefined ? {} : { depth }),
    desired: slotOrders.flatMap(({ desired: { slot, market, legs, cycle, why }, order }) => {
      if (order === undefined) return []
      const { side, price, quantity, by } = order
      const place = { ...(market === undefined ? {} : { market: market.name }), ...present({ by }) }
      return [{ slot, ...place, side, price, quantity, ...(decision.until.onFill ? {} : { legs, cycle }), why }]
    }),
    absent: [
      ...decision.absent,
      ...slotOrders.flatMap(({ desired, order }) =>
        order === undefined ? [doneSlot(desired, progressOf(view, desired.slot))] : []
      )
    ],
    ...(inputs === undefined ? {} : { inputs: [...inputs].map(([slot, checks]) => ({ slot, checks })) }),
    reasons: decision.reasons,
    until: decision.until,
    memory: decision.memory
  }
}

const doneSlot = ({ slot, why }: DesiredSlot, { filledInLeg }: SlotProgress): Decision["absent"][number] => ({
  slot,
  why:
    filledInLeg > 0n
      ? { ...why, code: "filled", text: `filled, payout pending: ${why.text}` }
      : { ...why, code: "done", text: `done, all its orders have filled: ${why.text}` }
})

const endCodes: ReadonlyArray<string> = ["done", "period-over", "used-up"]

/** Returns the slots of a strategy, with true for each one that gets no further order. */
export const slotEnds = (state: BotState, strategy: string): ReadonlyMap<string, boolean> => {
  const { absent = [], desired = [] } = state.strategies.get(strategy)?.decision ?? {}
  const living = [...desired, ...unfinishedOf(state, strategy)].map(({ slot }) => [slot, false] as const)
  return new Map([...absent.map(({ slot, why }) => [slot, endCodes.includes(why.code)] as const), ...living])
}

/** Text for comparing decisions, without the price. Its keys are sorted, because a journal does not keep their order. */
export const stable = ({ desired, absent, memory }: Of<"Decided">): string =>
  orderedJson([desired, absent.map(({ slot, why }) => [slot, why.code]), memory])

interface LastDecision {
  readonly strategy: Strategy
  readonly decision: Decision
  readonly moves: number
  readonly view: Pick<View, "candles" | "depth" | "signals">
  readonly recorded: string
}

/** The decision in force of each strategy: its last answer while that holds, otherwise a new one, which is recorded if it differs. */
export const deciding = (books: Bookkeeper["Service"], refusals: Refusals) => {
  const lastDecisions = new Map<string, LastDecision>()

  const inForce = (strategy: Strategy, moment: MarketMoment): Decision | undefined => {
    const last = lastDecisions.get(strategy.name)
    const moves = books.state.strategies.get(strategy.name)?.moves ?? 0
    return last?.strategy === strategy && stillHolds(last, moment, moves, books.state.signals)
      ? last.decision
      : undefined
  }

  const decide = Effect.fnUntraced(function* (strategy: Strategy, view: View) {
    const decisionInForce = inForce(strategy, view)
    if (decisionInForce !== undefined) return decisionInForce
    const last = lastDecisions.get(strategy.name)
    const strategyState = books.state.strategies.get(strategy.name)
    const moves = strategyState?.moves ?? 0
    const memory = strategyState?.memory ?? strategy.initialMemory
    const decision = written(strategy.decide(view, memory))
    const event = decisionEvent(strategy, view, decision, strategy.inputs?.(view, memory))
    const recorded = stable(event)
    const { candles, depth, signals } = view
    const seenView = present({ candles, depth, signals })
    lastDecisions.set(strategy.name, { strategy, decision, moves, recorded, view: seenView })
    // The first answer of an edited file is recorded even if it is the same: it shows which older orders the new file continues.
    if (recorded !== last?.recorded || strategyState?.isTried === false) {
      refusals.forgetAllBut(
        strategy.name,
        event.desired.map(({ slot }) => slot)
      )
      yield* books.record(event)
    }
    return decision
  })

  return { decide, inForce }
}

/** A newly closed candle and newly quoted depth are new objects in the view. */
const stillHolds = (
  { decision: { until }, moves, view: last }: LastDecision,
  view: MarketMoment,
  movesNow: number,
  signalsNow: Signals
): boolean =>
  holds(until, view, movesNow > moves) &&
  (until.barClose === undefined || JoinedCandles.isSame(view.candles, last.candles)) &&
  (until.depth === undefined || view.depth === last.depth) &&
  (until.signals === undefined || signalsNow === last.signals)

export const ownState = (
  state: BotState,
  { name, market }: Strategy,
  { openOrders, reserved }: Pick<Tally.Usage, "openOrders" | "reserved">
): OwnState => {
  const { lastFill, lastPlacedAt, position } = state.strategies.get(name)?.trading.get(market.name) ?? noTrading
  const free = (asset: string) => Ledger.freeOf(state.ledger, name, asset) - (reserved.get(asset) ?? 0n)
  return {
    openOrders,
    freeBase: free(market.base.symbol),
    freeQuote: free(market.quote.symbol),
    ...CostBasis.seenPosition(position, market),
    ...present({ lastFill, lastPlacedAt })
  }
}
