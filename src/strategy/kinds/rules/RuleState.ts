/**
 * What a rule remembers: how often it fired, until when it pauses, and the order that it is working on. An order is
 * over when it can fill no more, not when its withdrawal is requested. Until then it may fill, and the rule then goes
 * on as if the order had never been withdrawn.
 */
import { type Amount, format } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { Market, Price } from "../../../domain/Market.ts"
import { present } from "../../../domain/Present.ts"
import { filledOfLeg, type Memory } from "../../Decision.ts"
import type { LegsDone, SlotProgress } from "../../View.ts"
import { amountIn, decimalIn, isTrueIn, legsIn, numberIn } from "../Memory.ts"
import { type Left, leftIn, rememberLeft } from "../StopExit.ts"

/** What a rule's entry has brought in. */
export interface Held {
  readonly since: number
  /** The best price since the entry, in steps; the first one until the price from which it trails is reached. */
  readonly best: number
  /** Since it leaves. */
  readonly left: Left | undefined
}

/** What a rule is working on. */
export interface Going {
  readonly price: Price
  /** It ends when it has left the position, not when the entry has filled. */
  readonly hasExit: boolean
  readonly exit: Price | undefined
  readonly stop: Price | undefined
  readonly trailFrom: Price | undefined
  readonly held: Held | undefined
  readonly quantity: Amount
  /** How far the slot was when the rule fired. */
  readonly after: LegsDone
  readonly firedAt: number
  /** When its withdrawal was decided. */
  readonly withdrawnAt: number | undefined
}

export interface RuleState {
  readonly fired: number
  /** The rule does not fire again before this moment. */
  readonly pausedUntil: number
  readonly going: Going | undefined
}

/** Part of the order has filled. */
export const isTouched = ({ after }: Going, progress: SlotProgress): boolean =>
  progress.completedLegs > after.completedLegs || filledOfLeg({ after }, progress) > 0n

/** All its legs are complete. */
export const isDone = ({ after, hasExit }: Going, { completedLegs }: SlotProgress): boolean =>
  completedLegs >= after.completedLegs + (hasExit ? 2 : 1)

/** The entry has filled, paid out or not. */
export const isHolding = ({ after, quantity }: Going, progress: SlotProgress): boolean =>
  progress.completedLegs > after.completedLegs || filledOfLeg({ after }, progress) >= quantity

export const remember = (market: Market, { fired, pausedUntil, going }: RuleState): Memory => ({
  fired,
  pausedUntil,
  ...(going === undefined
    ? {}
    : {
        price: Decimal.format(going.price),
        ...(going.hasExit && going.exit === undefined ? { hasExit: true } : {}),
        ...(going.exit === undefined ? {} : { exit: Decimal.format(going.exit) }),
        ...(going.stop === undefined ? {} : { stop: Decimal.format(going.stop) }),
        ...(going.trailFrom === undefined ? {} : { trailFrom: Decimal.format(going.trailFrom) }),
        ...rememberHeld(going.held),
        quantity: format(going.quantity, market.base.decimals),
        legsBefore: going.after.completedLegs,
        ...(going.after.filledInLeg === 0n
          ? {}
          : { filledBefore: format(going.after.filledInLeg, market.base.decimals) }),
        firedAt: going.firedAt,
        ...present({ withdrawnAt: going.withdrawnAt })
      })
})

const rememberHeld = (held: Held | undefined): { readonly [key: string]: Memory } =>
  held === undefined
    ? {}
    : {
        heldSince: held.since,
        best: held.best,
        ...rememberLeft(held.left)
      }

const heldIn = (memory: Memory): Held | undefined => {
  const [since, best] = [numberIn(memory, "heldSince"), numberIn(memory, "best")]
  return since === undefined || best === undefined ? undefined : { since, best, left: leftIn(memory) }
}

export const stateIn = (market: Market, memory: Memory): RuleState => {
  const price = decimalIn(memory, "price")
  const quantity = amountIn(market.base, memory, "quantity")
  const state = { fired: numberIn(memory, "fired") ?? 0, pausedUntil: numberIn(memory, "pausedUntil") ?? 0 }
  if (price === undefined || quantity <= 0n) return { ...state, going: undefined }
  return {
    ...state,
    going: {
      price,
      hasExit: isTrueIn(memory, "hasExit") || decimalIn(memory, "exit") !== undefined,
      exit: decimalIn(memory, "exit"),
      stop: decimalIn(memory, "stop"),
      trailFrom: decimalIn(memory, "trailFrom"),
      held: heldIn(memory),
      quantity,
      after: legsIn(market.base, memory),
      firedAt: numberIn(memory, "firedAt") ?? 0,
      withdrawnAt: numberIn(memory, "withdrawnAt")
    }
  }
}
