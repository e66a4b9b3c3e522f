/**
 * The memory of a rule: how often it fired, how long it pauses, and its present order. An order ends when it can fill no more, not when its
 * cancel is requested. Until then it may fill, and the rule then continues as if the order had never been cancelled.
 */
import { type Amount, format } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { type Market, opposite, type Price, type Side } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import { filledOfLeg, type Memory } from "../../Decision.ts"
import type { LegsDone, SlotProgress } from "../../View.ts"
import { amountIn, decimalIn, isTrueIn, legsIn, numberIn } from "../Memory.ts"
import { type Left, leftIn, rememberLeft } from "../StopExit.ts"

export interface Held {
  readonly since: number
  /** Best price since the entry, in steps; the first one until a price is reached at which the stop moves. */
  readonly best: number
  readonly left: Left | undefined
  /** The target was reached, or another entry replaced this one, while part of the entry was open. */
  readonly isClosing: boolean
}

export interface Going extends Readonly<Record<"exit" | "stop" | "trailFrom" | "breakevenAt", Price | undefined>> {
  readonly price: Price
  /** The fills of an entry that an edit has moved, at their average price. */
  readonly fills?: { readonly price: Price; readonly quantity: Amount } | undefined
  /** It ends when the position has been exited, not when the entry has filled. */
  readonly hasExit: boolean
  readonly held: Held | undefined
  readonly quantity: Amount
  readonly after: LegsDone
  readonly firedAt: number
  readonly withdrawnAt: number | undefined
}

export interface RuleState {
  readonly fired: number
  /** Set for parts of a group: the last firing whose order has ended with its exit. */
  readonly exited?: number | undefined
  readonly pausedUntil: number
  readonly going: Going | undefined
}

/** The price from which the exits count. */
export const entryPrice = ({ fills, price }: Pick<Going, "fills" | "price">): Price => fills?.price ?? price

export const isTouched = ({ after }: Going, progress: SlotProgress): boolean =>
  progress.completedLegs > after.completedLegs || filledOfLeg({ after }, progress) > 0n

/** `most`: what its exit may sell in all, if other rules have sold of its purchase. */
export const isDone = ({ after, hasExit }: Going, { completedLegs, live }: SlotProgress, most?: Amount): boolean => {
  const isSold = most === 0n && live === undefined
  return completedLegs >= after.completedLegs + (hasExit && !isSold ? 2 : 1)
}

/** True if the whole entry has filled, paid out or not. */
export const isHolding = ({ after, quantity }: Going, progress: SlotProgress): boolean =>
  progress.completedLegs > after.completedLegs || filledOfLeg({ after }, progress) >= quantity

/** The price at which its exit has filled, in whole or in part. */
export const exitFill = (
  { after }: Pick<Going, "after">,
  { completedLegs, filledAt, filledInLeg }: SlotProgress
): Price | undefined => (completedLegs - after.completedLegs > (filledInLeg > 0n ? 0 : 1) ? filledAt : undefined)

/** True while a sale or purchase of its exit is open, or has traded a part, which must count for no later order. */
export const hasOpenExit = (going: Going, side: Side, progress: SlotProgress): boolean =>
  going.hasExit && (progress.live?.side === opposite(side) || exitFill(going, progress) !== undefined)

/**
 * An entry that kept its price needs no average. What the order before the edit fills until its cancel counts at its price. The average of
 * a purchase is rounded up, that of a sale down.
 */
export const fillsOf = (
  { after, fills, price, quantity }: Pick<Going, "after" | "fills" | "price" | "quantity">,
  side: Side,
  progress: SlotProgress,
  isMoved: boolean
): Going["fills"] => {
  const legs = progress.completedLegs - after.completedLegs
  const whole = progress.lastLeg?.quantity ?? quantity
  const total = legs === 0 ? filledOfLeg({ after }, progress) : legs === 1 ? whole : 0n
  const more = total - (fills?.quantity ?? 0n)
  const at = (legs === 0 || progress.filledInLeg === 0n ? progress.filledAt : undefined) ?? price
  if (more <= 0n || (fills === undefined && !isMoved && Decimal.equals(at, price))) return fills
  if (fills === undefined) return { price: at, quantity: total }
  const [before, now] = [Decimal.make(fills.quantity), Decimal.make(more)]
  const cost = Decimal.add(Decimal.multiply(fills.price, before), Decimal.multiply(at, now))
  return { price: Decimal.divide(cost, Decimal.make(total), 12, side === "BUY" ? "up" : "down"), quantity: total }
}

/** The whole quantity of its entry; if the rule exits, no more than has filled. */
export const entryOf = (going: Going, progress: SlotProgress): Amount => {
  const isLeaving = going.held?.left !== undefined || going.held?.isClosing === true
  return isLeaving && !isHolding(going, progress) ? filledOfLeg(going, progress) : going.quantity
}

const text = (price: Price | undefined): string | undefined => price && Decimal.format(price)

export const rememberFills = ({ base }: Market, fills: Going["fills"]): { readonly [key: string]: Memory } =>
  fills === undefined
    ? {}
    : { filledAt: Decimal.format(fills.price), filledQuantity: format(fills.quantity, base.decimals) }

export const fillsIn = ({ base }: Market, memory: Memory): Going["fills"] => {
  const price = decimalIn(memory, "filledAt")
  return price && { price, quantity: amountIn(base, memory, "filledQuantity") }
}

export const remember = (market: Market, { exited, fired, pausedUntil, going }: RuleState): Memory => {
  const counters = { fired, ...present({ exited }), pausedUntil }
  if (going === undefined) return counters
  const { after, breakevenAt, exit, fills, held, stop, trailFrom, withdrawnAt } = going
  const { decimals } = market.base
  return {
    ...counters,
    price: Decimal.format(going.price),
    ...rememberFills(market, fills),
    ...(going.hasExit && exit === undefined ? { hasExit: true } : {}),
    ...present({ exit: text(exit), stop: text(stop), trailFrom: text(trailFrom), breakevenAt: text(breakevenAt) }),
    ...(held && {
      heldSince: held.since,
      best: held.best,
      ...(held.isClosing ? { isClosing: true } : {}),
      ...rememberLeft(held.left)
    }),
    quantity: format(going.quantity, decimals),
    legsBefore: after.completedLegs,
    ...(after.filledInLeg === 0n ? {} : { filledBefore: format(after.filledInLeg, decimals) }),
    firedAt: going.firedAt,
    ...present({ withdrawnAt })
  }
}

const heldIn = (memory: Memory): Held | undefined => {
  const [since, best] = [numberIn(memory, "heldSince"), numberIn(memory, "best")]
  if (since === undefined || best === undefined) return undefined
  return { since, best, left: leftIn(memory), isClosing: isTrueIn(memory, "isClosing") }
}

export const stateIn = (market: Market, memory: Memory): RuleState => {
  const price = decimalIn(memory, "price")
  const quantity = amountIn(market.base, memory, "quantity")
  const exited = numberIn(memory, "exited")
  const times = { fired: numberIn(memory, "fired") ?? 0, pausedUntil: numberIn(memory, "pausedUntil") ?? 0 }
  const state = { ...times, ...present({ exited }) }
  if (price === undefined || quantity <= 0n) return { ...state, going: undefined }
  return {
    ...state,
    going: {
      price,
      fills: fillsIn(market, memory),
      hasExit: isTrueIn(memory, "hasExit") || decimalIn(memory, "exit") !== undefined,
      exit: decimalIn(memory, "exit"),
      stop: decimalIn(memory, "stop"),
      trailFrom: decimalIn(memory, "trailFrom"),
      breakevenAt: decimalIn(memory, "breakevenAt"),
      held: heldIn(memory),
      quantity,
      after: legsIn(market.base, memory),
      firedAt: numberIn(memory, "firedAt") ?? 0,
      withdrawnAt: numberIn(memory, "withdrawnAt")
    }
  }
}
