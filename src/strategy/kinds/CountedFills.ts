/**
 * What a slot has filled since it was last counted, for strategies that track their holdings. A leg counts as soon as
 * it has filled, before its payout, and no fill counts twice.
 */
import { type Amount, type Asset, format, fromDecimal } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Price } from "../../domain/Market.ts"
import type { Leg, Memory } from "../Decision.ts"
import type { SlotProgress } from "../View.ts"
import { decimalIn, numberIn, recordIn } from "./Memory.ts"

/** The leg that the slot worked when it was last counted, and how much of the slot is already counted. */
export interface Counted {
  readonly price: Price
  readonly quantity: Amount
  readonly legs: number
  readonly inLeg: Amount
}

export const count = (
  known: Counted,
  progress: SlotProgress
): { readonly fresh: Amount; readonly counted: Counted } => {
  const passed = progress.completedLegs - known.legs
  if (passed < 0) return { fresh: 0n, counted: { ...known, inLeg: 0n } }
  const whole = BigInt(passed) * known.quantity
  const fresh = whole + progress.filledInLeg - known.inLeg
  const isFilled = passed === 0 && known.quantity > 0n && progress.filledInLeg >= known.quantity
  const legs = progress.completedLegs + (isFilled ? 1 : 0)
  return { fresh, counted: { ...known, legs, inLeg: isFilled ? 0n : progress.filledInLeg } }
}

/**
 * What will be counted once the slot has filled: the order that rests there, whatever is wanted now; otherwise the
 * wanted order; otherwise nothing new.
 */
export const remember = (
  { decimals }: Asset,
  counted: Counted,
  asked: Leg | undefined,
  { live, filledInLeg }: SlotProgress
): Memory => {
  const resting = live === undefined ? undefined : { price: live.price, quantity: live.quantity + filledInLeg }
  const { price, quantity } = resting ?? asked ?? counted
  return {
    price: Decimal.format(price),
    quantity: format(quantity, decimals),
    legs: counted.legs,
    inLeg: format(counted.inLeg, decimals)
  }
}

export const countedIn = (asset: Asset, memory: Memory, slot: string): Counted => {
  const known = recordIn(memory, slot)
  return {
    price: decimalIn(known, "price") ?? Decimal.zero,
    quantity: amountIn(asset, known, "quantity"),
    legs: numberIn(known, "legs") ?? 0,
    inLeg: amountIn(asset, known, "inLeg")
  }
}

export const amountIn = ({ decimals }: Asset, memory: Memory, key: string): Amount =>
  fromDecimal(decimalIn(memory, key) ?? Decimal.zero, decimals) ?? 0n
