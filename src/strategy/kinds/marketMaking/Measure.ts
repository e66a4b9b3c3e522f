/**
 * The width of the quotes, and the shift that the net purchase causes. The width is never narrower than the market's own spread. Both stay
 * until a change would move the first quotes by `requote`.
 */
import type { Amount } from "../../../domain/Amount.ts"
import { impactOf, isSurelyWithin } from "../../../domain/Book.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import type { View } from "../../View.ts"
import * as Model from "../AvellanedaStoikov.ts"
import { distanceAt, type Spread } from "../Volatility.ts"

interface Quoting {
  readonly spread: Spread
  readonly requote: Decimal.Decimal
  readonly quantity: Amount
}

const two = Decimal.make(2n)

export const measureInForce = (
  whole: Quoting,
  view: View,
  { spread, lean = Decimal.zero }: { readonly [Field in keyof Model.Quotes]: Model.Quotes[Field] | undefined },
  inventory: Amount
): Model.Quotes | undefined => {
  const { requote } = whole
  const measured = measureNow(whole, view)
  if (spread === undefined) return measured
  const measureBefore = { spread, lean }
  if (measured === undefined) return measureBefore
  if (
    measureBefore.lean.digits === 0n &&
    measured.lean.digits === 0n &&
    isSurelySmall(measureBefore.spread, measured.spread, requote)
  )
    return measureBefore
  const apart = (a: Decimal.Decimal, b: Decimal.Decimal) => Decimal.subtract(Decimal.max(a, b), Decimal.min(a, b))
  const wider = Decimal.multiply(apart(measureBefore.spread, measured.spread), Decimal.half)
  const moved = apart(leaning(whole, measureBefore.lean, inventory), leaning(whole, measured.lean, inventory))
  return Decimal.isLess(Decimal.add(wider, moved), requote) ? measureBefore : measured
}

/** True is certain: half of the difference between the ratios is below `least`. */
const isSurelySmall = (a: Decimal.Decimal, b: Decimal.Decimal, least: Decimal.Decimal): boolean =>
  Math.abs(Decimal.toNumber(a) - Decimal.toNumber(b)) / 2 + hair < Decimal.toNumber(least)

const hair = 1e-12

export const leaning = (
  { quantity }: Pick<Quoting, "quantity">,
  lean: Decimal.Decimal,
  inventory: Amount
): Decimal.Decimal =>
  lean.digits === 0n
    ? lean
    : Decimal.multiply(lean, Decimal.divide(Decimal.make(inventory), Decimal.make(quantity), 6, "down"))

/** The wider of the file's spread and the market's at the size of one order; the file's if the market's is unknown. */
const measureNow = ({ spread, quantity }: Quoting, view: View): Model.Quotes | undefined => {
  const quotes = spread.model === undefined ? byDistance(spread, view) : Model.quotesAt(spread.model, view)
  if (quotes === undefined) return undefined
  const { depth } = view
  if (depth === undefined || isSurelyWithin(depth, quantity, Decimal.toNumber(quotes.spread) / 2)) return quotes
  const impact = impactOf(depth, quantity)
  return impact === undefined
    ? quotes
    : { spread: Decimal.max(quotes.spread, Decimal.multiply(impact, two)), lean: quotes.lean }
}

const byDistance = (spread: Spread, view: View): Model.Quotes | undefined => {
  const distance = distanceAt(spread, view)
  return distance && { spread: distance, lean: Decimal.zero }
}
