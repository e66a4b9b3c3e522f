/**
 * Computes the budget of orders by hand: what they still have to pay beyond what their strategy has free. An order may sell what an earlier
 * one bought, and no order takes money that the exit of another one needs.
 */
import type { OrderRequest } from "../../control/api/Order.ts"
import { type Amount, floorOf, format, max, min } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import * as Ledger from "../../domain/Ledger.ts"
import { baseQuantity, inputAmount, inputAsset, type Market } from "../../domain/Market.ts"
import { progress } from "../../engine/planning/DecisionRecord.ts"
import { type BotState, unfinishedOf } from "../../engine/state/BotState.ts"
import { isUnpaid, openQuantity, type Placement } from "../../engine/state/Placement.ts"
import { slotKey } from "../../engine/state/SlotFold.ts"
import * as ByHand from "../../files/ByHand.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { untouchedSlot } from "../../strategy/View.ts"
import { wishesOf } from "../../views/explain/Wishes.ts"
import { type RuleTerms, sideOf, slotsOf, termsIn } from "./OrderRule.ts"

export const liveIn = (state: BotState, strategy: string, id: string): ReadonlyArray<Placement> =>
  unfinishedOf(state, strategy).filter(({ slot }) => ByHand.orderOf(slot) === id)

type OwnSlots = (slot: string) => boolean

const endedBy = (state: BotState, strategy: string, isOwn: OwnSlots, codes: ReadonlyArray<string>): boolean => {
  const own = state.strategies.get(strategy)
  if (own === undefined || unfinishedOf(state, strategy).some(({ slot }) => isOwn(slot))) return false
  const ends = [
    ...(own.decision?.absent ?? []).map(({ slot, why }) => ({ slot, isEnd: codes.includes(why.code) })),
    ...[...wishesOf(state, own)].map(([slot, wish]) => ({ slot, isEnd: "done" in wish }))
  ].filter(({ slot }) => isOwn(slot))
  return ends.length > 0 && ends.every(({ isEnd }) => isEnd)
}

/** True if nothing more will be placed in these slots and none of their money is on the way. */
export const haveEnded = (state: BotState, strategy: string, isOwn: OwnSlots): boolean =>
  endedBy(state, strategy, isOwn, ["used-up"])

export const isOver = (state: BotState, strategy: string, id: string): boolean =>
  haveEnded(state, strategy, (slot) => ByHand.orderOf(slot) === id)

/** True if the running file says that the order was cancelled, and its money is back. */
export const isCancelled = (state: BotState, strategy: string, id: string): boolean =>
  ByHand.cancelledIn(state.strategies.get(strategy)?.loaded?.text ?? "").includes(id) &&
  liveIn(state, strategy, id).length === 0

/** True if the order has ended, or its strategy was closed and has sold. No budget uses this, as an edit may open the strategy again. */
export const isOverOrClosed = (state: BotState, strategy: string, id: string): boolean => {
  // Until an edited file has decided, the decision is of the file before.
  const ends = state.strategies.get(strategy)?.isTried === true ? ["used-up", "period-over"] : ["used-up"]
  return endedBy(state, strategy, (slot) => ByHand.orderOf(slot) === id, ends)
}

const standings = (state: BotState, strategy: string, id: string, terms: RuleTerms) => {
  const own = unfinishedOf(state, strategy)
  const slots = progress(state, strategy, own)
  const legs = terms.hasExit ? 2 : 1
  return slotsOf(id, terms).map(({ size, slot: name }) => {
    const slot = slots.get(name) ?? untouchedSlot
    const open = own.find((live) => live.slot === name && !isUnpaid(live))
    const partsLeft = BigInt(Math.max(0, terms.parts - Math.ceil(slot.completedLegs / legs)))
    const isInExit = slot.completedLegs % legs === 1
    const unfilled = max(0n, size * partsLeft - (isInExit ? 0n : slot.filledInLeg))
    const hasEnded = haveEnded(state, strategy, (each) => each === name)
    return { slot, key: slotKey(strategy, name), isInExit, open, due: hasEnded ? 0n : unfilled }
  })
}

/**
 * Returns the orders by hand that have not ended: those in the files that run, and those that have left them while their money is on the
 * way.
 */
export const unendedIn = (state: BotState): ReadonlyArray<string> =>
  [...state.strategies.values()].flatMap(({ isLoaded, loaded, name }) => {
    if (!ByHand.isByHand(name)) return []
    const live = unfinishedOf(state, name).map(({ slot }) => ByHand.orderOf(slot))
    const written = isLoaded === true ? [...ByHand.ordersIn(loaded?.text ?? "").keys()] : []
    return [...new Set([...written, ...live])].filter((id) => !isOverOrClosed(state, name, id))
  })

/** Base that the entry of the order still has to trade, in an open order or not. */
export const unfilledOf = (...order: Parameters<typeof standings>): Amount => dueIn(standings(...order))

const dueIn = (own: ReturnType<typeof standings>): Amount => own.reduce((sum, { due }) => sum + due, 0n)

/** Percent of the entry that has filled, over all its orders, and the slots in which an exit is due or open. */
export const entryOf = (state: BotState, strategy: string, id: string, terms: RuleTerms) => {
  const own = standings(state, strategy, id, terms)
  const whole = terms.quantity * BigInt(terms.parts)
  const inExit = own.flatMap(({ isInExit, key }) => (isInExit ? [key] : []))
  const filled = own.reduce((sum, { slot }) => sum + (terms.side === "BUY" ? slot.bought : slot.sold), 0n)
  return { percent: whole === 0n ? 0n : min(100n, (filled * 100n) / whole), inExit }
}

const inputOf = (market: Market, open: Placement): Amount =>
  inputAmount(market, open.side, openQuantity(open), open.price)

const refundFeeOf = ({ order }: Placement): Amount => order?.estimatedRefundFee ?? 0n

/** A changed budget gets 0.1 % of the costs on top, because each weekly renewal of an order costs a refund fee. */
const refundShare = 1_000n

const sizeFor = (
  market: Market,
  { parts = 1, price, side }: OrderRequest,
  input: Amount,
  rounding: Decimal.Rounding
) => {
  const at = Decimal.parse(price) ?? Decimal.one
  const whole = side === "sell" ? input : baseQuantity(market, input, at, rounding)
  const [part, rest] = [whole / BigInt(parts), whole % BigInt(parts)]
  return (rounding === "up" && rest > 0n ? part + 1n : part) * BigInt(parts)
}

/** Returns the smallest size that needs money beyond what the orders by hand have free. */
export const beyondFree = (state: BotState, market: Market, request: OrderRequest): string => {
  const asset = inputAsset(market, sideOf(request))
  const free = max(0n, Ledger.freeOf(state.ledger, ByHand.strategyOf(market), asset.symbol))
  return format(sizeFor(market, request, free + 1n, "up"), market.base.decimals)
}

/** Returns the largest possible size if an order of `size` leaves `spare` of the account's money; `undefined` if there is none. */
export const largestBy = (market: Market, request: OrderRequest, size: string, spare: Amount): string | undefined => {
  const [whole, price] = [Decimal.parse(size), Decimal.parse(request.price)]
  if (whole === undefined || price === undefined) return undefined
  const input = inputAmount(market, sideOf(request), floorOf(whole, market.base.decimals), price)
  const more = Decimal.divideInteger(spare * refundShare, refundShare + 1n, "down")
  const most = input + more <= 0n ? 0n : sizeFor(market, request, input + more, "down")
  return most === 0n ? undefined : format(most, market.base.decimals)
}

type Rules = ReturnType<typeof ByHand.ordersIn>

const amountsOf = (state: BotState, market: Market, orders: Rules) => {
  const strategy = ByHand.strategyOf(market)
  const none = { base: 0n, quote: 0n }
  const [costs, paid, held] = [{ ...none }, { ...none }, { ...none }]
  for (const [id, rule] of orders) {
    const terms = termsIn(market, rule)
    if (terms === undefined) continue
    const { price, side } = terms
    const own = standings(state, strategy, id, terms)
    const due = dueIn(own)
    const [input, output] = side === "BUY" ? (["quote", "base"] as const) : (["base", "quote"] as const)
    costs[input] += inputAmount(market, side, due, price)
    if (due > 0n) costs.quote += terms.dearness
    for (const { isInExit, open, slot } of own) {
      if (open?.side === side) {
        const fee = Decimal.compare(open.price, price) === 0 ? 0n : refundFeeOf(open)
        paid[input] += inputOf(market, open) - fee
      }
      const sold = side === "BUY" ? slot.filledInLeg : 0n
      if (terms.hasExit && isInExit && open === undefined) held[output] += slot.receivedByLastLeg - sold
      if (terms.hasExit && !isInExit) held[output] += sold
    }
  }
  return { costs, paid, held }
}

/** Returns what living orders by hand still pay, by strategy and symbol. A file with an order that a person has rewritten is left out. */
export const needsIn = (state: BotState, strategies: ReadonlyArray<Pick<Strategy, "market" | "name" | "text">>) =>
  new Map(
    strategies.flatMap(({ market, name, text }) => {
      const orders = ByHand.ordersIn(text)
      if (!ByHand.isByHand(name) || [...orders.values()].some((rule) => !termsIn(market, rule))) return []
      const { costs, held, paid } = amountsOf(state, market, orders)
      const needs = (["base", "quote"] as const).map(
        (key) => [market[key].symbol, costs[key] + costs[key] / refundShare - paid[key] + held[key]] as const
      )
      return [[name, new Map(needs)] as const]
    })
  )

/** Lowers the budget only for the order in `cancelled`, whose money returns to the account. */
export const budgetWith = (state: BotState, market: Market, orders: Rules, cancelled?: string) => {
  const strategy = ByHand.strategyOf(market)
  const { costs, held, paid } = amountsOf(state, market, orders)
  const back = cancelled === undefined ? [] : liveIn(state, strategy, cancelled).filter((each) => !isUnpaid(each))
  const amountOf = (key: "base" | "quote") => {
    const asset = market[key].symbol
    const returned = Ledger.givenBack(state.ledger).find((each) => each.strategy === strategy && each.asset === asset)
    const own = back.filter(({ inputAsset }) => inputAsset === asset)
    const coming = own.reduce((sum, each) => sum + inputOf(market, each) - refundFeeOf(each), 0n)
    const allotted = state.strategies.get(strategy)?.budget.get(asset) ?? 0n
    const free = Ledger.freeOf(state.ledger, strategy, asset) + (returned?.amount ?? 0n) + coming
    const lack = costs[key] - paid[key] - min(free, max(0n, free - held[key]))
    const isMoved = lack > 0n || cancelled !== undefined
    return max(0n, allotted + (isMoved ? lack + costs[key] / refundShare : 0n))
  }
  return { base: amountOf("base"), quote: amountOf("quote") }
}
