/**
 * A strategy's answer: the orders that each slot should hold, the reasons, and for how long the answer holds.
 *
 * A slot is a list of legs that are worked one after the other ("buy at 100, then sell at 110, then again"). The slot's progress decides
 * which leg is armed (`armedLeg`), so a decision can hold across fills. Inside the bounds `until` the strategy would give the same answer.
 * A live run plans its polling by the bounds, a backtest jumps to them, and an explanation shows them as the numbers that would change the
 * verdict.
 */
import { type Amount, max, min } from "../domain/Amount.ts"
import type { Of, Reason } from "../domain/BotEvent.ts"
import { isLeftover } from "../domain/CostBasis.ts"
import * as Decimal from "../domain/Decimal.ts"
import type { DecisionBounds, PlannedLeg } from "../domain/EventValues.ts"
import { baseQuantity, inputAmount, type Market, mid, type Price, quoteAmount } from "../domain/Market.ts"
import { present } from "../domain/Present.ts"
import { commonMillis, timeframeMillis, timeframeOf } from "../domain/Timeframe.ts"
import { type LegProgress, type LegsDone, progressOf, type SlotProgress, type View, wholeOf } from "./View.ts"

export type Leg = typeof PlannedLeg.Type

export interface DesiredSlot {
  readonly slot: string
  readonly market?: Market
  readonly legs: readonly [Leg, ...ReadonlyArray<Leg>]
  /** The first leg follows the last one. If false, the slot ends after its last leg. */
  readonly cycle: boolean
  /** The slot's progress when these legs began. Missing if the slot did no other work before. */
  readonly after?: LegsDone
  /** Slots whose orders must end first. While one of them may still fill, no new order is placed here. */
  readonly yieldsTo?: ReadonlyArray<string>
  /** An order for a larger quantity is cancelled, whatever the cancel costs. */
  readonly neverMore?: true
  /** An order at another price is replaced, whatever that costs: a person wrote the price, and may have edited it. */
  readonly isExact?: true
  readonly why: Reason
}

export type Bounds = typeof DecisionBounds.Type
export type PriceBounds = Pick<Bounds, "priceBelow" | "priceAbove">

export const narrowed = <A extends PriceBounds>(
  until: A,
  below: ReadonlyArray<Price | undefined>,
  above: ReadonlyArray<Price | undefined>
): A => ({
  ...until,
  ...present({
    priceBelow: nearest([until.priceBelow, ...below], Decimal.max),
    priceAbove: nearest([until.priceAbove, ...above], Decimal.min)
  })
})

export type Ends = Omit<Bounds, "onFill">

export const sooner = (one: Ends, other: Ends): Ends => {
  const closes = [one, other].flatMap(({ barClose }) => timeframeMillis(barClose ?? "") ?? [])
  const times = [one, other].flatMap(({ time }) => time ?? [])
  const elsewhere = [...(one.elsewhere ?? []), ...(other.elsewhere ?? [])]
  return {
    ...narrowed({ ...one, ...other }, [one.priceBelow], [one.priceAbove]),
    ...(elsewhere.length === 0 ? {} : { elsewhere }),
    ...(times.length === 0 ? {} : { time: Math.min(...times) }),
    ...(closes.length === 0 ? {} : { barClose: timeframeOf(closes.reduce(commonMillis)) })
  }
}

const nearest = (prices: ReadonlyArray<Price | undefined>, nearer: (a: Price, b: Price) => Price): Price | undefined =>
  prices.reduce((best, price) => (best === undefined || price === undefined ? (best ?? price) : nearer(best, price)))

/** The strategy gets this JSON value back at its next decision. The journal has it. */
export type Memory = null | string | number | boolean | ReadonlyArray<Memory> | { readonly [key: string]: Memory }

export type AbsentSlot = Of<"Decided">["absent"][number]

export interface Decision {
  readonly desired: ReadonlyArray<DesiredSlot>
  readonly absent: ReadonlyArray<AbsentSlot>
  readonly memory: Memory
  readonly reasons: ReadonlyArray<Reason>
  readonly until: Bounds
  /**
   * Prices at which the strategy exits with a loss, now or after a planned order has filled. Candles do not tell whether a bar reached a
   * stop or a target first. So the pessimistic side of a backtest asks at these prices within the bar.
   */
  readonly stops?: PriceBounds
  /** A stop or a target of the whole strategy has ended it, and it has nothing left to sell. */
  readonly isOver?: true
}

export const slotsIn = ({ absent, desired }: Decision): ReadonlyArray<string> =>
  [...desired, ...absent].map(({ slot }) => slot)

/**
 * A reason whose text is made when it is read, because a backtest replaces nearly all answers before anything reads their reasons. Answers
 * that are recorded or shown have `written` reasons, which are plain values.
 */
export class LateReason<About, Shared> implements Reason {
  declare readonly code: string
  declare readonly source: string
  declare private readonly write: (about: About, shared: Shared) => string
  declare private readonly about: About
  declare private readonly shared: Shared

  /** `write` is one function for all reasons of a sort, so that equal reasons compare as equal. `shared` is one object for one answer. */
  constructor(
    code: string,
    source: string,
    write: (about: About, shared: Shared) => string,
    about: About,
    shared: Shared
  ) {
    this.code = code
    this.source = source
    this.write = write
    this.about = about
    this.shared = shared
  }

  get text(): string {
    return this.write(this.about, this.shared)
  }
}

const writtenReason = (why: Reason): Reason =>
  why instanceof LateReason ? { code: why.code, text: why.text, source: why.source } : why

const withWritten = <A extends { readonly why: Reason }>(slot: A): A =>
  slot.why instanceof LateReason ? { ...slot, why: writtenReason(slot.why) } : slot

export const written = (decision: Decision): Decision => ({
  ...decision,
  desired: decision.desired.map(withWritten),
  absent: decision.absent.map(withWritten),
  reasons: decision.reasons.map(writtenReason)
})

export interface DesiredOrder extends Leg, Omit<DesiredSlot, "legs" | "cycle" | "after"> {
  readonly leg: number
  readonly isExit?: true
  /** Quantity that was due in the leg, if the money covers only a part of it. The leg is not complete when this order has filled. */
  readonly dueInLeg?: Amount
}

const isRoundTrip = ({ legs: [first, second, ...others], cycle }: Legs): boolean =>
  cycle && second !== undefined && others.length === 0 && first.side !== second.side

export type Legs = Pick<DesiredSlot, "legs" | "cycle" | "after">

/**
 * Index of the due leg; beyond the last one when the slot is done. In a round trip the last traded side decides, not the number of legs. So
 * a sale follows a purchase, even if the edited file begins with the other side.
 */
export const dueLeg = (desired: Legs, { completedLegs, lastLeg }: LegProgress): number => {
  const { legs, cycle, after } = desired
  if (isRoundTrip(desired) && lastLeg !== undefined) return lastLeg.side === legs[0].side ? 1 : 0
  const done = Math.max(0, completedLegs - (after?.completedLegs ?? 0))
  return cycle ? done % legs.length : done
}

/**
 * Base quantity of a leg, its fills included. A sale after a purchase is never larger than that purchase's net output. The purchase that
 * ends a slot never buys back more than the sale before it sold.
 */
const wholeLeg = (
  { legs, after, cycle }: Legs,
  index: number,
  { carried = 0n, completedLegs, lastLeg, receivedByLastLeg }: LegProgress
): Amount => {
  const leg = legs[index]
  if (leg === undefined) return 0n
  const isFirst = completedLegs <= (after?.completedLegs ?? 0)
  const previous = isFirst ? undefined : legs[(index + legs.length - 1) % legs.length]
  if (previous === undefined || previous.side === leg.side) return leg.quantity
  if (leg.side === "SELL") return min(leg.quantity + carried, receivedByLastLeg)
  return cycle ? leg.quantity : min(leg.quantity, lastLeg?.quantity ?? leg.quantity)
}

export const filledOfLeg = (
  { after }: Pick<DesiredSlot, "after">,
  { completedLegs, filledInLeg }: LegsDone
): Amount => {
  if (after === undefined || completedLegs > after.completedLegs) return filledInLeg
  // The payout of the leg before is still pending.
  return completedLegs < after.completedLegs ? 0n : filledInLeg - after.filledInLeg
}

/** Unfilled base of a leg; zero or less if nothing is left to do. */
export const leftOfLeg = (legs: Legs, index: number, progress: LegProgress): Amount =>
  wholeLeg(legs, index, progress) - filledOfLeg(legs, progress)

/**
 * True if the due leg may be closed with its fills. An exit may only if its rest is a leftover of the planned leg, because a larger rest
 * is a position. A size that an edit has raised since the entry was ordered does not count. The exit that ends a slot may close without a
 * fill, if nothing came in that it could sell.
 */
export const mayCloseLeg = (desired: Legs, progress: LegProgress): boolean => {
  const [index, filled] = [dueLeg(desired, progress), filledOfLeg(desired, progress)]
  const leg = desired.legs[index]
  if (leg === undefined || !isExitLeg(desired, leg)) return filled > 0n
  const rest = leftOfLeg(desired, index, progress)
  const planned = desired.legs.length > 1 ? wholeOf(progress, leg.quantity) : leg.quantity
  return (filled > 0n || !desired.cycle) && (rest <= 0n || isLeftover(rest, max(planned, filled + rest)))
}

/**
 * The order that a slot has to work now, or `undefined` when it is done. Fills of the leg are subtracted. A SELL is capped at the base that
 * the purchase before it brought in, so fees never make a cycle ask for money that it does not have.
 */
export const armedLeg = (desired: DesiredSlot, progress: SlotProgress): DesiredOrder | undefined => {
  const index = dueLeg(desired, progress)
  const leg = desired.legs[index]
  const quantity = leftOfLeg(desired, index, progress)
  if (leg === undefined || quantity <= 0n) return undefined
  const { slot, isExact, market, neverMore, why, yieldsTo } = desired
  const isExit = isExitLeg(desired, leg) || undefined
  return { ...leg, quantity, slot, ...present({ market, isExact, isExit, neverMore, yieldsTo }), leg: index, why }
}

const isFilled = (desired: Legs, progress: SlotProgress, due: number): boolean => {
  const filled = filledOfLeg(desired, progress)
  return filled > 0n && filled >= wholeLeg(desired, due, progress)
}

/** Legs that have filled, over all cycles. A leg whose payout is in progress counts. */
export const filledLegs = (desired: Legs, view: Pick<View, "slots">, slot: string): number => {
  const progress = progressOf(view, slot)
  return progress.completedLegs + (isFilled(desired, progress, dueLeg(desired, progress)) ? 1 : 0)
}

export const nextLeg = (desired: Legs, view: Pick<View, "slots">, slot: string): Legs["legs"][number] | undefined => {
  const progress = progressOf(view, slot)
  const working = dueLeg(desired, progress)
  const due = working + (isFilled(desired, progress, working) ? 1 : 0)
  return desired.legs[desired.cycle ? due % desired.legs.length : due]
}

/**
 * Returns the quantity of an exit whose input asset has this much money. If the money covers the exit, the whole quantity. If it covers a
 * usable part, that part, because a part of an exit is better than none. If the part is only a leftover of the leg (which has `filled` so
 * far), or its value is below `least` (quote), the whole quantity: the budget then refuses the exit.
 */
export const coveredQuantity = (
  market: Market,
  { price, quantity, side }: Pick<Leg, "price" | "quantity" | "side">,
  money: Amount,
  filled: Amount,
  least: Amount
): Amount => {
  if (money >= inputAmount(market, side, quantity, price)) return quantity
  const part = side === "SELL" ? money : baseQuantity(market, money, price, "down")
  return isLeftover(part, filled + quantity) || quoteAmount(market, part, price, "up") < least ? quantity : part
}

/** A slot's only leg is an exit only if it may lose, because it then closes positions of other slots. */
export const isExitLeg = ({ legs }: Legs, { mayLose, side }: Leg): boolean =>
  side !== legs[0].side || (legs.length === 1 && mayLose === true)

/** Exits go first, in their order, so that no entry takes an exit's place or money. */
export const exitsFirst = <A>(all: ReadonlyArray<A>, isExit: (one: A) => boolean): ReadonlyArray<A> => {
  const exits = all.filter(isExit)
  return exits.length === 0 ? all : [...exits, ...all.filter((one) => !isExit(one))]
}

/** True while the strategy need not be asked again. `hasMoved`: it has filled, or its state changed otherwise, since its answer. */
export const holds = (until: Bounds, view: Pick<View, "now" | "price" | "elsewhere">, hasMoved: boolean): boolean =>
  !(
    (hasMoved && until.onFill) ||
    (until.time !== undefined && view.now >= until.time) ||
    isBeyond(until, view.price) ||
    until.elsewhere?.some((bounds) => isBeyond(bounds, view.elsewhere?.get(bounds.market)))
  )

export const isBeyond = ({ priceBelow, priceAbove }: PriceBounds, now: View["price"] | undefined): boolean => {
  if (now === undefined) return true
  const price = mid(now)
  return (
    (priceBelow !== undefined && Decimal.compare(price, priceBelow) <= 0) ||
    (priceAbove !== undefined && Decimal.compare(price, priceAbove) >= 0)
  )
}
