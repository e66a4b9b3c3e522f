/**
 * Closes legs that can never be filled to the last unit. After an edit to a smaller size, a leg may have filled more than it now plans. A
 * remainder may be below our minimum order, or the venue may refuse it repeatedly. Such a leg is closed with its fills, so its next leg
 * sells what was bought, and the remainder is reported.
 *
 * The remainder of a sale is dust (see `Ledger`). It is sold once it reaches the strategy's minimum order or, without one, the smallest
 * order that the strategy plans now. It is sold at the bid, because waiting earns nothing on it.
 */
import { type Amount, magnitude } from "../../domain/Amount.ts"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { isLeftover } from "../../domain/CostBasis.ts"
import * as Ledger from "../../domain/Ledger.ts"
import { type Market, quoteAmount, toTick } from "../../domain/Market.ts"
import { exitSlotOf } from "../../domain/Placement.ts"
import { present } from "../../domain/Present.ts"
import * as Decisions from "../../strategy/Decision.ts"
import { marketsOf, type Strategy } from "../../strategy/Strategy.ts"
import { priceIn, progressOf, type View } from "../../strategy/View.ts"
import type { BotState } from "../state/BotState.ts"
import { openQuantity, type Placement } from "../state/Placement.ts"
import { type Slot, slotKey } from "../state/SlotFold.ts"
import { tooDear } from "../tracking/amounts/Fees.ts"

/** The venue publishes no minimum size. A remainder that is refused this often in a row counts as below it. */
export const refusalsThatTell = 3

export const closings = (
  state: BotState,
  strategy: Strategy,
  { absent, desired }: Pick<Decisions.Decision, "absent" | "desired">,
  view: View,
  own: ReadonlyArray<Placement>
): ReadonlyArray<BotEvent> => {
  const live = new Set(own.map(({ slot }) => slot))
  const slots = new Set([...absent, ...desired].map(({ slot }) => slot))
  return desired.flatMap((each) => (live.has(each.slot) ? [] : closingOf(state, strategy, each, slots, view)))
}

const closingOf = (
  state: BotState,
  { limits: { minOrder }, name }: Strategy,
  desired: Decisions.DesiredSlot,
  slots: ReadonlySet<string>,
  view: View
): ReadonlyArray<BotEvent> => {
  const progress = progressOf(view, desired.slot)
  const [leg, filled] = [desired.legs[Decisions.dueLeg(desired, progress)], Decisions.filledOfLeg(desired, progress)]
  if (leg === undefined) return []
  const { base } = desired.market ?? view.market
  const about = { strategy: name, slot: desired.slot, side: leg.side, asset: base.symbol }
  if (isSoldAtEnd(state, name, desired, slots, view)) {
    const sold = { _tag: "LegClosed", ...about, rest: 0n, reason: "the end of the strategy has sold it" } as const
    const sale = { ...sold, side: "SELL", isSoldAtEnd: true } as const
    if (Decisions.isExitLeg(desired, leg)) return leg.side === "SELL" ? [sale] : []
    if (leg.side === "BUY" && filled > 0n) return [sold, sale]
  }
  if (!Decisions.mayCloseLeg(desired, progress)) return []
  const close = (rest: Amount, reason: string): ReadonlyArray<BotEvent> => [
    { _tag: "LegClosed", ...about, rest, reason }
  ]
  const order = Decisions.armedLeg(desired, progress)
  if (order === undefined) {
    const carried = leg.side === "BUY" && filled > leg.quantity ? filled - leg.quantity : undefined
    return [{ _tag: "LegClosed", ...about, rest: 0n, reason: "its planned amount has filled", ...present({ carried }) }]
  }
  const slot = state.slots.get(slotKey(name, desired.slot))
  const value = quoteAmount(desired.market ?? view.market, order.quantity, order.price, "up")
  if (minOrder !== undefined && value < minOrder)
    return close(order.quantity, "its remainder is below the minimum order")
  // A fee does not shrink with the size, so an attempt that was too dear is too dear again.
  const last = state.placements.get(slot?.placement ?? "")
  const isDear = last?.state === "abandoned" && last.order !== undefined && tooDear(last, last.order) !== undefined
  // An exit is small beside what came in, not beside a larger size in the file. If little came in, only its fee shows that.
  const isSmall = isDear || isLeftover(order.quantity, filled + order.quantity)
  const isRest = order.isExit === true ? isSmall : order.quantity * 2n < leg.quantity
  const times = (isDear ? slot?.failures : slot?.refusals) ?? 0
  if (isRest && times >= refusalsThatTell)
    return close(order.quantity, `its remainder was ${isDear ? "too dear" : "refused"} ${times} times in a row`)
  return []
}

const numberOf = ({ placement = "p0" }: Slot): number => Number(placement.slice(1))

/**
 * True if an end, which the file no longer has, has sold this slot's holding in its own slot. This slot now counts on the holding again.
 * `slots`: all slots of the file.
 */
const isSoldAtEnd = (
  state: BotState,
  strategy: string,
  { legs, slot }: Decisions.DesiredSlot,
  slots: ReadonlySet<string>,
  view: View
): boolean => {
  const exit = exitSlotOf(slot)
  const [own, end] = [slot, exit].map((each) => state.slots.get(slotKey(strategy, each)))
  if (slots.has(exit) || legs.length === 1 || own === undefined || end === undefined || end.sold <= 0n) return false
  return numberOf(own) < numberOf(end) && isLeftover(magnitude(view.own?.position ?? end.sold), end.sold)
}

const why = { code: "dust", text: "Unsold remainders are large enough for an order" }

export const sweeps = (
  state: BotState,
  strategy: Strategy,
  desired: ReadonlyArray<Decisions.DesiredSlot>,
  view: View,
  own: ReadonlyArray<Placement>
): ReadonlyArray<Decisions.DesiredOrder> =>
  marketsOf(strategy).flatMap((market) => {
    const slot = Ledger.dustSlot(market.base.symbol)
    const live = own.find((placement) => placement.slot === slot)
    if (live !== undefined) {
      const { price } = live
      const isHere = live.market === market.name
      return isHere ? [{ slot, market, side: "SELL", price, quantity: openQuantity(live), leg: 0, why }] : []
    }
    const quantity = Ledger.dustOf(state.ledger, strategy.name, market.base.symbol)
    const bid = priceIn(view, market.name)?.bid
    const least = bid === undefined ? undefined : leastOf(strategy, market, desired)
    if (bid === undefined || least === undefined || quantity <= 0n) return []
    if (quoteAmount(market, quantity, bid, "down") < least) return []
    return [{ slot, market, side: "SELL", price: toTick(market, "SELL", bid), quantity, leg: 0, mayLose: true, why }]
  })

/** In quote; `undefined` if no planned order of this market gives a measure. */
const leastOf = (
  { limits: { minOrder }, market: first }: Strategy,
  market: Market,
  desired: ReadonlyArray<Decisions.DesiredSlot>
): Amount | undefined => {
  if (minOrder !== undefined) return minOrder
  const values = desired
    .filter((slot) => (slot.market ?? first).name === market.name)
    .flatMap(({ legs }) => legs.map(({ price, quantity }) => quoteAmount(market, quantity, price, "up")))
  return values.reduce<Amount | undefined>(
    (least, value) => (least === undefined || value < least ? value : least),
    undefined
  )
}
