/**
 * When, at what price, how fast and at what cost a resting order fills against a candle. Nobody knows it exactly from
 * candles: each difference between engines is an option with a name, and two sets of them span a band.
 */
import * as Amount from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import * as RoundCost from "../../../domain/fees/RoundCost.ts"
import { ratioOf } from "../../../domain/fees/RoundCost.ts"
import { type BidAsk, type Market, type Price, quoteAmount, type Side } from "../../../domain/Market.ts"

export interface FillRules {
  /**
   * `at`: the bar reaches the limit. `through`: it goes beyond. `within`: the limit lies inside the bar, so a gap that
   * jumps over it does not fill. `close`: only the close counts.
   */
  readonly touch: "at" | "through" | "within" | "close"
  /**
   * `close`: a stop counts at closes. `first`: a bar that reaches a stop comes to it before anything on the other side of the bar
   * fills, and has time for all that is under way.
   */
  readonly stops: "close" | "first"
  /** How far beyond the limit the bar must go. */
  readonly edgeBasisPoints: number
  /**
   * `open`: a bar that opens beyond the limit fills at its open. `arrival`: an order that the market has reached when it
   * arrives fills at once, at the close; one that rests fills at its limit, and the solver keeps the rest.
   */
  readonly price: "limit" | "open" | "arrival"
  /**
   * Half of what lies between bid and ask: a strategy sees them so far from a close, and an order that takes the market pays
   * it beside the margin.
   */
  readonly spreadBasisPoints: number
  /** What an order that takes the market pays beyond half the spread for each million (`perImpact`) of quote that it is worth. */
  readonly impactBasisPoints: number
  /** From a decision to a funded order that others see. */
  readonly placeMillis: number
  /** From a fill to the output in the wallet. */
  readonly payoutMillis: number
  /** From a wish to cancel to the refund; until then the order can fill. */
  readonly cancelMillis: number
  /**
   * An order that is being cancelled may fill at its limit after all, because a solver had it in hand already: such a share
   * of those whose limit is within such a ratio of the market, drawn by the seed, where cancelling takes time.
   */
  readonly inHand: { readonly share: number; readonly distance: number; readonly seed: number }
  /** Share of swaps that the venue does not execute: their money comes back, and they are tried again. */
  readonly refundedSwapShare: number
  /** The most of a bar's volume that is ours; 0 for no limit. */
  readonly volumeShare: number
  /** Taken from the output of every fill, rounded up. */
  readonly feeBasisPoints: number
  /**
   * What the strategy's `terms` take out of every input for others, or the service's schedule with them. Who fills an order
   * gets so much less for the same output, so the market must be better by as much: an order that rests fills later, one that
   * takes the market gets less.
   */
  readonly appFeeBasisPoints: number
  /** Taken from every payout, by output asset; an order has one. */
  readonly withdrawFee: { readonly base: Amount.Amount; readonly quote: Amount.Amount }
  /** Taken from every refund, by input asset. */
  readonly refundFee: { readonly base: Amount.Amount; readonly quote: Amount.Amount }
  /** A smaller order is refused. */
  readonly minimumQuote: Amount.Amount
}

/** A touch fills the whole order at its limit, at once and for nothing. */
export const touching: FillRules = {
  touch: "at",
  stops: "close",
  edgeBasisPoints: 0,
  spreadBasisPoints: 0,
  impactBasisPoints: 0,
  price: "limit",
  placeMillis: 0,
  payoutMillis: 0,
  cancelMillis: 0,
  inHand: { share: 0, distance: 0, seed: 1 },
  refundedSwapShare: 0,
  volumeShare: 0,
  feeBasisPoints: 0,
  appFeeBasisPoints: 0,
  withdrawFee: { base: 0n, quote: 0n },
  refundFee: { base: 0n, quote: 0n },
  minimumQuote: 0n
}

/** Resting orders fill whole at their limit: what the kernel's fast path can do. */
export const isImmediate = (rules: FillRules): boolean =>
  rules.touch !== "within" &&
  rules.stops === "close" &&
  rules.price !== "open" &&
  rules.volumeShare === 0 &&
  rules.placeMillis === 0 &&
  rules.payoutMillis === 0 &&
  rules.cancelMillis === 0

/** What basis points of the rules are as ratios: every order and every decision asks for some. */
interface Ratios {
  readonly halfSpread: Decimal.Decimal
  readonly fee: Decimal.Decimal
  /** The market at which an order fills, over its limit. */
  readonly reach: Readonly<Record<Side, { readonly edge: Decimal.Decimal; readonly whole: number }>>
}

const known = new WeakMap<FillRules, Ratios>()

const ratiosOf = (rules: FillRules): Ratios => {
  const found = known.get(rules)
  if (found !== undefined) return found
  const [edge, rest] = [ratioOf(rules.edgeBasisPoints), Decimal.toNumber(restOf(rules))]
  const [buy, sell] = [Decimal.subtract(Decimal.one, edge), Decimal.add(Decimal.one, edge)]
  const made = {
    halfSpread: ratioOf(rules.spreadBasisPoints),
    fee: ratioOf(rules.feeBasisPoints),
    reach: {
      BUY: { edge: buy, whole: Decimal.toNumber(buy) * rest },
      SELL: { edge: sell, whole: Decimal.toNumber(sell) / rest }
    }
  }
  known.set(rules, made)
  return made
}

/** Bid and ask around a close. */
export const quotedAt = (rules: FillRules, close: Price): BidAsk => {
  if (rules.spreadBasisPoints === 0) return { bid: close, ask: close }
  const half = Decimal.multiply(close, ratiosOf(rules).halfSpread)
  return { bid: Decimal.subtract(close, half), ask: Decimal.add(close, half) }
}

/** What app fees leave of an input, as a ratio. */
const restOf = ({ appFeeBasisPoints }: FillRules): Decimal.Decimal =>
  Decimal.subtract(Decimal.one, ratioOf(appFeeBasisPoints))

const divided = (price: Price, ratio: Decimal.Decimal): Price => Decimal.divide(price, ratio, price.scale + 9, "up")

/** The market at which somebody fills an order of this price, of whose input app fees are taken. */
const beforeAppFees = (rules: FillRules, side: Side, price: Price): Price => {
  if (rules.appFeeBasisPoints === 0) return price
  return side === "BUY" ? Decimal.multiply(price, restOf(rules)) : divided(price, restOf(rules))
}

/** The price of an order that takes this market. */
const afterAppFees = (rules: FillRules, side: Side, market: Price): Price => {
  if (rules.appFeeBasisPoints === 0) return market
  return side === "BUY" ? divided(market, restOf(rules)) : Decimal.multiply(market, restOf(rules))
}

/**
 * The candle price at which an order fills: a BUY when the low is at or below it, a SELL when the high is at or above it.
 * It lies on the candles' own decimal places, so comparing doubles is exact.
 */
export const fillsAt = (rules: FillRules, side: Side, limit: Price, priceScale: number): number => {
  const strict = rules.touch === "through"
  const isPlain = rules.edgeBasisPoints === 0 && rules.appFeeBasisPoints === 0
  if (isPlain && !strict && limit.scale <= priceScale) return Decimal.toNumber(limit)
  const { edge, whole } = ratiosOf(rules).reach[side]
  const ticks = Decimal.toNumber(limit) * whole * 10 ** priceScale
  if (Decimal.isSurelyBetween(ticks)) return (side === "BUY" ? Math.floor(ticks) : Math.ceil(ticks)) / 10 ** priceScale
  const beyond = beforeAppFees(rules, side, Decimal.multiply(limit, edge))
  const tick = Decimal.make(1n, priceScale)
  const onGrid = Decimal.roundToStep(beyond, tick, side === "BUY" ? "down" : "up")
  if (!strict || !Decimal.equals(onGrid, beyond)) return Decimal.toNumber(onGrid)
  return Decimal.toNumber(side === "BUY" ? Decimal.subtract(onGrid, tick) : Decimal.add(onGrid, tick))
}

/** The market at which an order fills, over its limit, roughly. */
export const reachOf = (rules: FillRules, side: Side): number => {
  const [edge, rest] = [rules.edgeBasisPoints / 10_000, 1 - rules.appFeeBasisPoints / 10_000]
  return side === "BUY" ? (1 - edge) * rest : (1 + edge) / rest
}

/** An order that is marketable as it arrives pays app fees, the margin and half the spread beyond the market, but never beyond its limit. */
export const arrivalPrice = (rules: FillRules, side: Side, limit: Price, market: Price): Price => {
  const beyond = rules.edgeBasisPoints + rules.spreadBasisPoints
  if (beyond === 0 && rules.appFeeBasisPoints === 0) return market
  const ratio = ratioOf(beyond)
  const factor = side === "BUY" ? Decimal.add(Decimal.one, ratio) : Decimal.subtract(Decimal.one, ratio)
  const paid = afterAppFees(rules, side, Decimal.multiply(market, factor))
  return side === "BUY" ? Decimal.min(limit, paid) : Decimal.max(limit, paid)
}

/** Impacts are named for so much quote. */
export const perImpact = 1_000_000
/** Half the price: a larger spread is no market. */
export const mostSpreadBasisPoints = 5000

interface Sized {
  readonly price: Price
  readonly quantity: Amount.Amount
}

/** The rules for an order of this size that takes the market. */
export const forSize = (rules: FillRules, market: Market, { price, quantity }: Sized): FillRules => {
  if (rules.impactBasisPoints === 0) return rules
  const worth = Amount.toDecimal(quoteAmount(market, quantity, price, "down"), market.quote.decimals)
  const impact = (rules.impactBasisPoints * Decimal.toNumber(worth)) / perImpact
  return { ...rules, spreadBasisPoints: Math.min(mostSpreadBasisPoints, rules.spreadBasisPoints + impact) }
}

/** Where a swap becomes possible: half the spread away from its limit, without a solver's margin. */
export const swapping = (rules: FillRules): FillRules => ({
  ...rules,
  touch: "at",
  edgeBasisPoints: rules.spreadBasisPoints
})

/** A swap pays half the spread and app fees, and no margin. */
export const swapPrice = (rules: FillRules, side: Side, limit: Price, market: Price): Price =>
  arrivalPrice({ ...rules, edgeBasisPoints: 0 }, side, limit, market)

/** Close prices at or below this have reached a lower bound; at or above, an upper one. */
export const boundAt = (bound: Price, priceScale: number, rounding: Decimal.Rounding): number => {
  if (bound.scale <= priceScale) return Decimal.toNumber(bound)
  const ticks = Decimal.toNumber(bound) * 10 ** priceScale
  if (Decimal.isSurelyBetween(ticks))
    return (rounding === "down" ? Math.floor(ticks) : Math.ceil(ticks)) / 10 ** priceScale
  return Decimal.toNumber(Decimal.roundToStep(bound, Decimal.make(1n, priceScale), rounding))
}

/** The venue's share of an output, rounded up. */
export const shareOf = (rules: FillRules, gross: Amount.Amount): Amount.Amount =>
  RoundCost.shareOf(ratiosOf(rules).fee, gross)

/** The price of one payout, in what the order brings in. */
export const withdrawFee = (rules: FillRules, side: Side): Amount.Amount =>
  side === "BUY" ? rules.withdrawFee.base : rules.withdrawFee.quote

/** What a fill that ends its order costs: the share and the payout of all that the order brought in, never more than that. */
export const lastFeeOf = (rules: FillRules, side: Side, gross: Amount.Amount, unpaid: Amount.Amount): Amount.Amount =>
  Amount.min(unpaid + gross, shareOf(rules, gross) + withdrawFee(rules, side))

/** Base smallest units that a bar of this volume lets us have. */
export const capacityOf = (rules: FillRules, market: Market, volume: number): Amount.Amount => {
  const micro = BigInt(Math.floor(volume * rules.volumeShare * 1e6))
  const { decimals } = market.base
  return decimals >= 6 ? micro * Decimal.powerOfTen(decimals - 6) : micro / Decimal.powerOfTen(6 - decimals)
}
