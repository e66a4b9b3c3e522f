/**
 * An order book: executable prices of a market for several base quantities, each as old as its question, beside what of
 * our own rests there. The venue has no book to read, so a price is for the whole quantity, and what lies between two
 * quoted quantities counts as the larger one: an impact is never understated.
 */
import type { Amount } from "./Amount.ts"
import * as Decimal from "./Decimal.ts"
import { type Market, mid as midOf, type Price, type Side, type TwoSidedPrice } from "./Market.ts"

export interface DepthLevel {
  /** Base smallest units. */
  readonly quantity: Amount
  /** What selling all of it brings per unit; left out when nobody buys that much. */
  readonly bid?: Price
  /** What buying all of it costs per unit. */
  readonly ask?: Price
  /** Epoch milliseconds of the question. */
  readonly at: number
}

/** How long until a move of the price is seen: half of all moves, and 99 of 100. */
export interface SeenAfter {
  readonly p50Millis: number
  readonly p99Millis: number
}

/** By quantity, smallest first. */
export type Depth = ReadonlyArray<DepthLevel>

/** A market that takes any quantity at one price, as backtests have it. */
export const bottomless = ({ bid, ask, at }: TwoSidedPrice): Depth => [
  { quantity: Decimal.powerOfTen(60), bid, ask, at }
]

/** Finer than any difference between prices that matters. */
const impactPlaces = 8

/** The first quoted level that holds this quantity on both sides. */
const levelFor = (depth: Depth, quantity: Amount) =>
  depth.find(
    (level): level is Required<DepthLevel> =>
      level.quantity >= quantity && level.bid !== undefined && level.ask !== undefined
  )

/**
 * What an immediate order of this quantity gives away against the middle of its own bid and ask, as a ratio, rounded up;
 * `undefined` for more than was quoted.
 */
export const impactOf = (depth: Depth, quantity: Amount): Decimal.Decimal | undefined => {
  const level = levelFor(depth, quantity)
  if (level === undefined) return undefined
  const sum = Decimal.add(level.ask, level.bid)
  return Decimal.divide(Decimal.subtract(level.ask, level.bid), sum, impactPlaces, "up")
}

/** Certain, and quick to say, where impacts are far from the ratio: what `impactOf` gives is not above it. */
export const isSurelyWithin = (depth: Depth, quantity: Amount, ratio: number): boolean => {
  const level = levelFor(depth, quantity)
  if (level === undefined) return false
  const [bid, ask] = [Decimal.toNumber(level.bid), Decimal.toNumber(level.ask)]
  return (ask - bid) / (ask + bid) + hair < ratio
}

/** More than rounding up and doubles add. */
const hair = 1e-7

/** The distance of each side from a mid, as ratios, rounded up; below zero where the market moved in between. */
export const distances = ({ bid, ask }: DepthLevel, mid: Price) => ({
  buy: ask === undefined ? undefined : Decimal.divide(Decimal.subtract(ask, mid), mid, impactPlaces, "up"),
  sell: bid === undefined ? undefined : Decimal.divide(Decimal.subtract(mid, bid), mid, impactPlaces, "up")
})

/** The most that one side was quoted for. */
export const mostQuoted = (depth: Depth, side: "bid" | "ask"): Amount | undefined =>
  depth.findLast((level) => level[side] !== undefined)?.quantity

/** An own order that rests, of whatever account. */
export interface OwnOrder {
  readonly side: Side
  readonly price: Price
  /** Base that is not filled yet. */
  readonly quantity: Amount
  /** `strategy/slot`. */
  readonly slot: string
}

/** What asking has cost so far. */
export interface AskingCost {
  readonly requests: number
  /** How long the last question took. */
  readonly millis: number
}

export interface Book {
  readonly market: Market
  /** At the size that strategies trade; left out before the first usable quote. */
  readonly price?: TwoSidedPrice
  /** From the size of the price on to the deepest that was asked for. */
  readonly depth: Depth
  /** From the token list, for people: marked, and never decided on. */
  readonly indicative?: { readonly mid: Price; readonly at: number }
  /** Why there is no fresh price, if so. */
  readonly problem?: string
  readonly asked: AskingCost
  /** Left out before the second look. */
  readonly seenAfter?: SeenAfter
}

/** Between the best bid and the best ask, as a ratio. */
export const spreadOf = ({ price }: Book): Decimal.Decimal | undefined =>
  price === undefined
    ? undefined
    : Decimal.divide(Decimal.subtract(price.ask, price.bid), midOf(price), impactPlaces, "up")

/** The quoted levels of one side, best first. */
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

/** Bids from the highest down, then asks from the lowest up. */
export const bestFirst = (orders: ReadonlyArray<OwnOrder>): ReadonlyArray<OwnOrder> => {
  const rising = orders.toSorted((a, b) => Decimal.compare(a.price, b.price))
  const of = (wanted: Side) => rising.filter(({ side }) => side === wanted)
  return [...of("BUY").toReversed(), ...of("SELL")]
}
