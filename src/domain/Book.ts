/**
 * Executable prices of a market for several base quantities, beside our own open orders there. The venue has no book to read, so each price
 * is for a whole quantity. A size between two quoted quantities counts as the larger one, so an impact is never understated.
 */
import type { Amount } from "./Amount.ts"
import * as Decimal from "./Decimal.ts"
import type { QuotedDepth } from "./EventValues.ts"
import { type Market, mid as midOf, type Price, type Side, type TwoSidedPrice } from "./Market.ts"

export type DepthLevel = typeof QuotedDepth.Type

/** The delay until a price move is seen: for half of all moves, and for 99 of 100. */
export type SeenAfter = Readonly<Record<"p50Millis" | "p99Millis", number>>

/** By quantity, smallest first. */
export type Depth = ReadonlyArray<DepthLevel>

/** A market that takes any quantity at one price, as in backtests. */
export const bottomless = ({ bid, ask, at }: TwoSidedPrice): Depth => [
  { quantity: Decimal.powerOfTen(60), bid, ask, at }
]

const impactPlaces = 8

const levelFor = (depth: Depth, quantity: Amount) =>
  depth.find(
    (level): level is Required<DepthLevel> =>
      level.quantity >= quantity && level.bid !== undefined && level.ask !== undefined
  )

/** Loss of an immediate order against the middle of its own bid and ask, as a ratio, rounded up; `undefined` above the quoted quantity. */
export const impactOf = (depth: Depth, quantity: Amount): Decimal.Decimal | undefined => {
  const level = levelFor(depth, quantity)
  if (level === undefined) return undefined
  const sum = Decimal.add(level.ask, level.bid)
  return Decimal.divide(Decimal.subtract(level.ask, level.bid), sum, impactPlaces, "up")
}

/** Fast test for `impactOf` at or below the ratio. True is certain; false may be wrong near the ratio. */
export const isSurelyWithin = (depth: Depth, quantity: Amount, ratio: number): boolean => {
  const level = levelFor(depth, quantity)
  if (level === undefined) return false
  const [bid, ask] = [Decimal.toNumber(level.bid), Decimal.toNumber(level.ask)]
  return (ask - bid) / (ask + bid) + hair < ratio
}

/** More than the error of rounding up and of doubles. */
const hair = 1e-7

/** The distance of each side from a mid, as ratios, rounded up; negative if the market moved in between. */
export const distances = ({ bid, ask }: DepthLevel, mid: Price) => ({
  buy: ask === undefined ? undefined : Decimal.divide(Decimal.subtract(ask, mid), mid, impactPlaces, "up"),
  sell: bid === undefined ? undefined : Decimal.divide(Decimal.subtract(mid, bid), mid, impactPlaces, "up")
})

export const mostQuoted = (depth: Depth, side: "bid" | "ask"): Amount | undefined =>
  depth.findLast((level) => level[side] !== undefined)?.quantity

export interface OwnOrder {
  readonly side: Side
  readonly price: Price
  /** Base that is not filled yet. */
  readonly quantity: Amount
  readonly slot: string
}

export interface Book {
  readonly market: Market
  /** For the size that strategies trade; absent before the first usable quote. */
  readonly price?: TwoSidedPrice
  /** From the size of the price to the deepest requested. */
  readonly depth: Depth
  /** From the token list, for people: marked, and never used for decisions. */
  readonly indicative?: { readonly mid: Price; readonly at: number }
  readonly problem?: string
  /** `millis`: duration of the last request. */
  readonly asked: { readonly requests: number; readonly millis: number }
  /** Absent before the second poll. */
  readonly seenAfter?: SeenAfter
}

/** Between the best bid and the best ask, as a ratio. */
export const spreadOf = ({ price }: Book): Decimal.Decimal | undefined =>
  price === undefined
    ? undefined
    : Decimal.divide(Decimal.subtract(price.ask, price.bid), midOf(price), impactPlaces, "up")

export const quotedOn = (
  { depth }: Book,
  side: "bid" | "ask"
): ReadonlyArray<readonly [price: Price, level: DepthLevel]> =>
  depth
    .flatMap((level) => {
      const price = level[side]
      return price === undefined ? [] : [[price, level] as const]
    })
    .sort(([a], [b]) => Decimal.compare(a, b) * (side === "bid" ? -1 : 1))

export const bestFirst = (orders: ReadonlyArray<OwnOrder>): ReadonlyArray<OwnOrder> => {
  const rising = orders.toSorted((a, b) => Decimal.compare(a.price, b.price))
  const of = (wanted: Side) => rising.filter(({ side }) => side === wanted)
  return [...of("BUY").toReversed(), ...of("SELL")]
}
