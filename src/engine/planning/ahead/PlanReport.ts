/** A plan as facts for people and programs: each change, its reason and its cost, and the money that it locks. Pure. */
import { type Amount, max } from "../../../domain/Amount.ts"
import type { BotEvent, Of, Reason } from "../../../domain/BotEvent.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import * as Market from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import type { Leg } from "../../../strategy/Decision.ts"
import { budgets, type Strategy } from "../../../strategy/Strategy.ts"
import { isUnpaid, type Placement } from "../../state/Placement.ts"
import { slotKey } from "../../state/SlotFold.ts"
import { replacementCost } from "../ReplacementCost.ts"
import type { PlannedAhead } from "./PlanAhead.ts"

export const actions = ["keep", "cancel", "create", "defer"] as const

export interface Money {
  readonly asset: string
  readonly amount: Amount
}

export interface Cost extends Money {
  readonly what: "refund fee" | "payout fee"
}

export interface PlannedOrder {
  readonly side: Market.Side
  readonly price: Market.Price
  readonly quantity: Amount
  readonly input: Money
  readonly output: Money
}

export interface PlannedChange extends PlannedOrder {
  readonly action: (typeof actions)[number]
  readonly strategy: string
  readonly slot: string
  readonly market: string
  readonly reason: Reason
  readonly limit?: string
  readonly next?: PlannedOrder
  /** Fees as the venue last estimated them: of the refund for a cancel, of the payout for a new order. */
  readonly costs: ReadonlyArray<Cost>
}

export interface Locked {
  readonly strategy: string
  readonly asset: string
  readonly now: Amount
  /** The most over time: each slot with its most expensive leg if all slots are known from the start, otherwise the whole budget. */
  readonly worst: Amount
  readonly budget: Amount
}

export interface PlanWarning {
  readonly name: "beyond-depth" | "file" | "renewal"
  readonly strategy: string
  readonly slots: ReadonlyArray<string>
  readonly text: string
}

export interface FeeEstimate {
  readonly withdraw?: Amount
  readonly refund?: Amount
}

export type Fees = ReadonlyMap<string, FeeEstimate>

export const orderOf = (market: Market.Market, { side, price, quantity }: Leg): PlannedOrder => ({
  side,
  price,
  quantity,
  input: { asset: Market.inputAsset(market, side).symbol, amount: Market.inputAmount(market, side, quantity, price) },
  output: { asset: Market.outputAsset(market, side).symbol, amount: Market.outputAmount(market, side, quantity, price) }
})

const orderOfPlacement = (placement: Placement): PlannedOrder => ({
  side: placement.side,
  price: placement.price,
  quantity: placement.quantity,
  input: { asset: placement.inputAsset, amount: placement.inputAmount },
  output: { asset: placement.outputAsset, amount: placement.outputAmount }
})

const cost = (what: Cost["what"], asset: string, amount: Amount | undefined): ReadonlyArray<Cost> =>
  amount === undefined ? [] : [{ what, asset, amount }]

/** Strategies in the order of their files, slots by name; orders of strategies that are not loaded come last. */
export const changesOf = (strategies: ReadonlyArray<Strategy>, planned: PlannedAhead, fees: Fees) => {
  const loaded = new Map(strategies.map((strategy) => [strategy.name, strategy]))
  const ended = endedBy(planned)
  const decided = new Map(
    planned.events.flatMap((event) => (event._tag === "Decided" ? [[event.strategy, event]] : []))
  )
  const denied = new Map(
    planned.events.flatMap((event) =>
      event._tag === "Denied" ? [[slotKey(event.strategy, event.slot), event] as const] : []
    )
  )
  const standing = planned.before.map((placement) => {
    const { id, slot, strategy } = placement
    const [owner, decision] = [loaded.get(strategy), decided.get(strategy)]
    const costs = owner && decision && costsOf(planned, owner, placement, decision)
    const ground = { owner, fees, denied: denied.get(slotKey(strategy, slot)), costs }
    return changeOfPlacement(placement, ended.get(id), wishIn(decision, placement), ground)
  })
  const fresh = planned.events.flatMap((event) => {
    const strategy = "strategy" in event ? loaded.get(event.strategy) : undefined
    return strategy === undefined ? [] : changeOfEvent(event, strategy, decided.get(strategy.name), fees)
  })
  const rank = new Map([...loaded.keys()].map((name, index) => [name, index]))
  const rankOf = ({ strategy }: PlannedChange) => rank.get(strategy) ?? rank.size
  return [...standing, ...fresh].sort(
    (a, b) => rankOf(a) - rankOf(b) || (a.slot < b.slot ? -1 : a.slot > b.slot ? 1 : 0)
  )
}

const costsOf = ({ state }: PlannedAhead, owner: Strategy, placement: Placement, decided: Of<"Decided">): string => {
  const at = { ask: decided.ask, now: decided.now ?? decided.priceAt }
  return replacementCost(state, marketOf(owner, placement.market), placement, at).text
}

type Wished = Of<"Decided">["desired"][number]

const wishIn = (decided: Of<"Decided"> | undefined, { slot }: { readonly slot: string }): Wished | undefined =>
  decided?.desired.find((wished) => wished.slot === slot)

const endedBy = ({ before, events }: PlannedAhead): ReadonlyMap<string, Reason> =>
  new Map(
    events.flatMap((event): ReadonlyArray<readonly [string, Reason]> => {
      if (event._tag === "CancelRequested") return [[event.placement, event.why]]
      if (event._tag === "StrategyRemoved") {
        const own = before.filter(({ strategy }) => strategy === event.strategy)
        return own.map(({ id }) => [id, { code: "removed", text: "no file has its strategy's name any more" }])
      }
      if (event._tag === "Abandoned") return [[event.placement, { code: "not-wanted", text: event.reason }]]
      return []
    })
  )

const marketOf = ({ market, others = [] }: Strategy, name: string | undefined): Market.Market =>
  others.find((other) => other.name === name) ?? market

interface Ground {
  readonly owner: Strategy | undefined
  readonly fees: Fees
  readonly denied: Of<"Denied"> | undefined
  readonly costs: string | undefined
}

const changeOfPlacement = (
  placement: Placement,
  ended: Reason | undefined,
  wished: Wished | undefined,
  ground: Ground
): PlannedChange => {
  const { fees, owner } = ground
  const { strategy, slot, market, order } = placement
  const about = { strategy, slot, market, ...orderOfPlacement(placement), costs: [] }
  if (ended !== undefined) {
    const refund = order?.estimatedRefundFee ?? fees.get(placement.inputAsset)?.refund
    const refunds = isUnpaid(placement) ? [] : cost("refund fee", placement.inputAsset, refund)
    if (owner === undefined || wished === undefined)
      return { ...about, action: "cancel", reason: ended, costs: refunds }
    const next = orderOf(marketOf(owner, wished.market), wished)
    const payout = cost("payout fee", next.output.asset, fees.get(next.output.asset)?.withdraw)
    return { ...about, action: "cancel", reason: ended, next, costs: [...refunds, ...payout] }
  }
  if (placement.state === "closing")
    return { ...about, action: "defer", reason: leaving("its money is on the way back") }
  if (placement.cancel !== undefined) return { ...about, action: "defer", reason: leaving("its cancel is under way") }
  return { ...about, action: "keep", reason: keepReason(placement, wished, ground) }
}

const leaving = (text: string): Reason => ({ code: "leaving", text })

const keepReason = (placement: Placement, wished: Wished | undefined, { costs, denied, owner }: Ground): Reason => {
  if (owner === undefined) return { code: "not-loaded", text: "its strategy is not among these files" }
  if (denied !== undefined) {
    const text = `until the better price is allowed: ${denied.reason}`
    return { code: denied.limit, text, ...present({ source: wished?.why.source }) }
  }
  if (wished === undefined) return placement.why
  const isSame = Decimal.equals(wished.price, placement.price) && wished.quantity === placement.quantity
  if (isSame) return wished.why
  const text = `replacing it costs more than the better price ${Decimal.format(wished.price)} gains${costs === undefined ? "" : ` (${costs})`}: ${wished.why.text}`
  return { ...wished.why, code: "within-tolerance", text }
}

const changeOfEvent = (
  event: BotEvent,
  strategy: Strategy,
  decided: Of<"Decided"> | undefined,
  fees: Fees
): ReadonlyArray<PlannedChange> => {
  const { name } = strategy
  if (event._tag === "Planned") {
    const market = marketOf(strategy, event.market)
    const order = orderOf(market, event)
    const costs = cost("payout fee", order.output.asset, fees.get(order.output.asset)?.withdraw)
    return [
      { ...order, action: "create", strategy: name, slot: event.slot, market: market.name, reason: event.why, costs }
    ]
  }
  if (event._tag !== "Denied" && event._tag !== "Deferred") return []
  const wished = wishIn(decided, event)
  if (wished === undefined) return []
  const market = marketOf(strategy, wished.market)
  const limit = event._tag === "Denied" ? { limit: event.limit } : {}
  const reason = {
    code: event._tag === "Denied" ? event.limit : "retry-later",
    text: event.reason,
    ...present({ source: wished.why.source })
  }
  const about = { strategy: name, slot: event.slot, market: market.name }
  return [{ ...orderOf(market, wished), action: "defer", ...about, reason, ...limit, costs: [] }]
}

export const isResting = ({ action, reason }: PlannedChange): boolean =>
  action === "keep" || action === "create" || reason.code === "leaving"

export const lockedOf = (
  strategies: ReadonlyArray<Strategy>,
  { decisions }: PlannedAhead,
  changes: ReadonlyArray<PlannedChange>
): ReadonlyArray<Locked> =>
  strategies.flatMap((strategy) => {
    const { name, market } = strategy
    const own = changes.filter((change) => change.strategy === name && isResting(change))
    const slots = decisions.get(name)?.desired ?? []
    return budgets(strategy).flatMap(({ asset: { symbol: asset }, amount: budget }): ReadonlyArray<Locked> => {
      const inputOf = (order: PlannedOrder) => (order.input.asset === asset ? order.input.amount : 0n)
      const now = own.reduce((sum, change) => sum + inputOf(change), 0n)
      const inSlots = slots.reduce(
        (sum, slot) =>
          sum + slot.legs.reduce((most, leg) => max(most, inputOf(orderOf(slot.market ?? market, leg))), 0n),
        0n
      )
      const worst = strategy.namesEverySlot ? inSlots : max(inSlots, budget)
      return now + worst + budget === 0n ? [] : [{ strategy: name, asset, now, worst: max(now, worst), budget }]
    })
  })

export const absentOf = (planned: PlannedAhead) =>
  [...planned.decisions].flatMap(([strategy, { absent }]) =>
    absent.map(({ slot, why }) => ({ strategy, slot, reason: why }))
  )
