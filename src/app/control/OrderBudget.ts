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
import * as ByHand from "../../files/ByHand.ts"
import { untouchedSlot } from "../../strategy/View.ts"
import { wishesOf } from "../../views/explain/Wishes.ts"
import { type RuleTerms, sideOf, termsIn } from "./OrderRule.ts"

export const liveIn = (state: BotState, strategy: string, id: string): Placement | undefined =>
  unfinishedOf(state, strategy).find(({ slot }) => slot === id)

/** True if nothing more will be placed for the order and no money is on the way. */
export const isOver = (state: BotState, strategy: string, id: string): boolean => {
  const own = state.strategies.get(strategy)
  if (own === undefined || liveIn(state, strategy, id) !== undefined) return false
  const wish = wishesOf(state, own).get(id)
  const isUsedUp = own.decision?.absent.some(({ slot, why }) => slot === id && why.code === "used-up") === true
  return isUsedUp || (wish !== undefined && "done" in wish)
}

const standing = (state: BotState, strategy: string, id: string, { hasExit, parts, quantity }: RuleTerms) => {
  const live = liveIn(state, strategy, id)
  const slot = progress(state, strategy, live === undefined ? [] : [live]).get(id) ?? untouchedSlot
  const legs = hasExit ? 2 : 1
  const partsLeft = BigInt(Math.max(0, parts - Math.ceil(slot.completedLegs / legs)))
  const isInExit = slot.completedLegs % legs === 1
  const unfilled = quantity * partsLeft - (isInExit ? 0n : slot.filledInLeg)
  const open = live !== undefined && !isUnpaid(live) ? live : undefined
  return { slot, isInExit, open, unfilled: isOver(state, strategy, id) ? 0n : max(0n, unfilled) }
}

/** Base that the entry of the order still has to trade, in an open order or not. */
export const unfilledOf = (...order: Parameters<typeof standing>): Amount => standing(...order).unfilled

const inputOf = (market: Market, open: Placement): Amount =>
  inputAmount(market, open.side, openQuantity(open), open.price)

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

/** Lowers the budget only for the order in `cancelled`, whose money returns to the account. */
export const budgetWith = (
  state: BotState,
  market: Market,
  orders: ReadonlyMap<string, string>,
  cancelled?: string
) => {
  const strategy = ByHand.strategyOf(market)
  const none = { base: 0n, quote: 0n }
  const [costs, paid, held] = [{ ...none }, { ...none }, { ...none }]
  for (const [id, rule] of orders) {
    const terms = termsIn(market, rule)
    if (terms === undefined) continue
    const { isInExit, open, slot, unfilled } = standing(state, strategy, id, terms)
    const { price, side } = terms
    const [input, output] = side === "BUY" ? (["quote", "base"] as const) : (["base", "quote"] as const)
    costs[input] += inputAmount(market, side, unfilled, price)
    if (unfilled > 0n) costs.quote += terms.dearness
    if (open?.side === side) {
      const fee = Decimal.compare(open.price, price) === 0 ? 0n : (open.order?.estimatedRefundFee ?? 0n)
      paid[input] += inputOf(market, open) - fee
    }
    const sold = side === "BUY" ? slot.filledInLeg : 0n
    if (terms.hasExit && isInExit && open === undefined) held[output] += slot.receivedByLastLeg - sold
    if (terms.hasExit && !isInExit) held[output] += sold
  }
  const back = cancelled === undefined ? undefined : liveIn(state, strategy, cancelled)
  const amountOf = (key: "base" | "quote") => {
    const asset = market[key].symbol
    const returned = Ledger.givenBack(state.ledger).find((each) => each.strategy === strategy && each.asset === asset)
    const coming = back?.inputAsset === asset && !isUnpaid(back) ? inputOf(market, back) : 0n
    const allotted = state.strategies.get(strategy)?.budget.get(asset) ?? 0n
    const free = Ledger.freeOf(state.ledger, strategy, asset) + (returned?.amount ?? 0n) + coming
    const lack = costs[key] - paid[key] - min(free, max(0n, free - held[key]))
    const isMoved = lack > 0n || cancelled !== undefined
    return max(0n, allotted + (isMoved ? lack + costs[key] / refundShare : 0n))
  }
  return { base: amountOf("base"), quote: amountOf("quote") }
}
