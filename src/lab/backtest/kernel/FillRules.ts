/**
 * The rules by which an open order fills against a candle. Candles do not determine fills exactly, so each difference between engines is an
 * option, and two sets of options span a band.
 */
import * as Amount from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import * as RoundCost from "../../../domain/fees/RoundCost.ts"
import { ratioOf } from "../../../domain/fees/RoundCost.ts"
import { type BidAsk, type Market, type Price, quoteAmount, type Side } from "../../../domain/Market.ts"
import { lately } from "../../../strategy/expression/Same.ts"

export interface FillRules {
  /** `at`: the bar reaches the limit. `through`: goes beyond. `within`: contains it, so no fill in a gap. `close`: closes at or beyond. */
  readonly touch: "at" | "through" | "within" | "close"
  /**
   * `close`: a stop counts at closes. `first`: a bar that reaches a stop does so after all transits have ended, and before any order on the
   * other side of the bar fills.
   */
  readonly stops: "close" | "first"
  /** Distance beyond the limit that the bar must reach. */
  readonly edgeBasisPoints: number
  /**
   * `open`: a bar that opens beyond the limit fills at its open. `arrival`: an order that the market has reached on arrival fills at once,
   * at the close. Any other order fills at its limit, and the solver keeps the difference.
   */
  readonly price: "limit" | "open" | "arrival"
  /** Half the spread: the distance of bid and ask from a close. An order that takes the market pays it in addition to the margin. */
  readonly spreadBasisPoints: number
  /** Additional cost of an order that takes the market, for each million (`perImpact`) of its value in quote. */
  readonly impactBasisPoints: number
  /** Time from a decision until the funded order can fill. */
  readonly placeMillis: number
  /** Time from a fill until the output can be spent. */
  readonly payoutMillis: number
  /** Time from the cancel request to the refund. Until then the order can fill. */
  readonly cancelMillis: number
  /**
   * An order that is being cancelled may still fill at its limit, because a solver had it in hand. If cancelling takes time, this happens
   * to `share` of the orders whose limit is within the ratio `distance` of the market, drawn by `seed`.
   */
  readonly inHand: { readonly share: number; readonly distance: number; readonly seed: number }
  /** Share of swaps that the venue refunds instead of executing. They are tried again. */
  readonly refundedSwapShare: number
  /** Maximum share of a bar's volume for our orders; 0 for no limit. */
  readonly volumeShare: number
  /** Taken from the output of every fill, rounded up. */
  readonly feeBasisPoints: number
  /**
   * App fees taken from every input: by the strategy's `terms`, or by the service's schedule. A solver gets less for an equal output, so
   * open orders fill later and market orders get a worse price.
   */
  readonly appFeeBasisPoints: number
  /** Taken from every payout, by output asset. An order has one payout. */
  readonly withdrawFee: { readonly base: Amount.Amount; readonly quote: Amount.Amount }
  /** Taken from every refund, by input asset. */
  readonly refundFee: { readonly base: Amount.Amount; readonly quote: Amount.Amount }
  readonly minimumQuote: Amount.Amount
}

/** True if open orders fill whole at their limit, as the kernel's fast path requires. */
export const isImmediate = (rules: FillRules): boolean =>
  rules.touch !== "within" &&
  rules.stops === "close" &&
  rules.price !== "open" &&
  rules.volumeShare === 0 &&
  rules.placeMillis === 0 &&
  rules.payoutMillis === 0 &&
  rules.cancelMillis === 0

interface Ratios {
  readonly halfSpread: Decimal.Decimal
  readonly fee: Decimal.Decimal
  readonly reach: Readonly<Record<Side, { readonly edge: Decimal.Decimal; readonly whole: number }>>
}

const ratiosCache = new WeakMap<FillRules, Ratios>()

const ratiosOf = lately((rules: FillRules): Ratios => {
  const presetRatios = ratiosCache.get(rules)
  if (presetRatios !== undefined) return presetRatios
  const [edge, rest] = [ratioOf(rules.edgeBasisPoints), Decimal.toNumber(restOf(rules))]
  const [buy, sell] = [Decimal.subtract(Decimal.one, edge), Decimal.add(Decimal.one, edge)]
  const ratios = {
    halfSpread: ratioOf(rules.spreadBasisPoints),
    fee: ratioOf(rules.feeBasisPoints),
    reach: {
      BUY: { edge: buy, whole: Decimal.toNumber(buy) * rest },
      SELL: { edge: sell, whole: Decimal.toNumber(sell) / rest }
    }
  }
  ratiosCache.set(rules, ratios)
  return ratios
})

export const quotedAt = (rules: FillRules, close: Price): BidAsk => {
  if (rules.spreadBasisPoints === 0) return { bid: close, ask: close }
  const half = Decimal.multiply(close, ratiosOf(rules).halfSpread)
  return { bid: Decimal.subtract(close, half), ask: Decimal.add(close, half) }
}

const restOf = ({ appFeeBasisPoints }: FillRules): Decimal.Decimal =>
  Decimal.subtract(Decimal.one, ratioOf(appFeeBasisPoints))

const divided = (price: Price, ratio: Decimal.Decimal): Price => Decimal.divide(price, ratio, price.scale + 9, "up")

const beforeAppFees = (rules: FillRules, side: Side, price: Price): Price => {
  if (rules.appFeeBasisPoints === 0) return price
  return side === "BUY" ? Decimal.multiply(price, restOf(rules)) : divided(price, restOf(rules))
}

const afterAppFees = (rules: FillRules, side: Side, market: Price): Price => {
  if (rules.appFeeBasisPoints === 0) return market
  return side === "BUY" ? divided(market, restOf(rules)) : Decimal.multiply(market, restOf(rules))
}

/**
 * Returns the candle price at which an order fills: a BUY if the low is at or below it, a SELL if the high is at or above it. It has the
 * candles' decimal places, so comparing doubles is exact.
 */
export const fillsAt = (rules: FillRules, side: Side, limit: Price, priceScale: number): number => {
  const strict = rules.touch === "through"
  const isPlain = rules.edgeBasisPoints === 0 && rules.appFeeBasisPoints === 0
  if (isPlain && !strict && limit.scale <= priceScale) return Decimal.toNumber(limit)
  const { edge, whole } = ratiosOf(rules).reach[side]
  const ticks = Decimal.toNumber(limit) * whole * Decimal.doublePower(priceScale)
  if (Decimal.isSurelyBetween(ticks))
    return (side === "BUY" ? Math.floor(ticks) : Math.ceil(ticks)) / Decimal.doublePower(priceScale)
  const beyond = beforeAppFees(rules, side, Decimal.multiply(limit, edge))
  const tick = Decimal.make(1n, priceScale)
  const onGrid = Decimal.roundToStep(beyond, tick, side === "BUY" ? "down" : "up")
  if (!strict || !Decimal.equals(onGrid, beyond)) return Decimal.toNumber(onGrid)
  return Decimal.toNumber(side === "BUY" ? Decimal.subtract(onGrid, tick) : Decimal.add(onGrid, tick))
}

export const reachOf = (rules: FillRules, side: Side): number => {
  const [edge, rest] = [rules.edgeBasisPoints / 10_000, 1 - rules.appFeeBasisPoints / 10_000]
  return side === "BUY" ? (1 - edge) * rest : (1 + edge) / rest
}

/** Returns the price on marketable arrival: app fees, the margin and half the spread worse than the market, never worse than the limit. */
export const arrivalPrice = (rules: FillRules, side: Side, limit: Price, market: Price): Price => {
  const beyond = rules.edgeBasisPoints + rules.spreadBasisPoints
  if (beyond === 0 && rules.appFeeBasisPoints === 0) return market
  const ratio = ratioOf(beyond)
  const factor = side === "BUY" ? Decimal.add(Decimal.one, ratio) : Decimal.subtract(Decimal.one, ratio)
  const effectivePrice = afterAppFees(rules, side, Decimal.multiply(market, factor))
  return side === "BUY" ? Decimal.min(limit, effectivePrice) : Decimal.max(limit, effectivePrice)
}

export const perImpact = 1_000_000
/** Half the price. A market with a larger spread is unusable. */
export const mostSpreadBasisPoints = 5000

interface Sized {
  readonly price: Price
  readonly quantity: Amount.Amount
}

export const forSize = (rules: FillRules, market: Market, { price, quantity }: Sized): FillRules => {
  if (rules.impactBasisPoints === 0) return rules
  const worth = Amount.toDecimal(quoteAmount(market, quantity, price, "down"), market.quote.decimals)
  const impact = (rules.impactBasisPoints * Decimal.toNumber(worth)) / perImpact
  return { ...rules, spreadBasisPoints: Math.min(mostSpreadBasisPoints, rules.spreadBasisPoints + impact) }
}

/** Returns the rules by which a swap becomes possible: half the spread away from its limit, without a solver's margin. */
export const swapping = (rules: FillRules): FillRules => ({
  ...rules,
  touch: "at",
  edgeBasisPoints: rules.spreadBasisPoints
})

/** A swap pays half the spread and app fees, but no margin. */
export const swapPrice = (rules: FillRules, side: Side, limit: Price, market: Price): Price =>
  arrivalPrice({ ...rules, edgeBasisPoints: 0 }, side, limit, market)

/** Returns the candle price of a bound. Closes at or below it reach a lower bound, closes at or above it an upper bound. */
export const boundAt = (bound: Price, priceScale: number, rounding: Decimal.Rounding): number => {
  if (bound.scale <= priceScale) return Decimal.toNumber(bound)
  const ticks = Decimal.toNumber(bound) * Decimal.doublePower(priceScale)
  if (Decimal.isSurelyBetween(ticks))
    return (rounding === "down" ? Math.floor(ticks) : Math.ceil(ticks)) / Decimal.doublePower(priceScale)
  return Decimal.toNumber(Decimal.roundToStep(bound, Decimal.make(1n, priceScale), rounding))
}

/** The venue's share, rounded up. */
export const shareOf = (rules: FillRules, gross: Amount.Amount): Amount.Amount =>
  RoundCost.shareOf(ratiosOf(rules).fee, gross)

export const withdrawFee = (rules: FillRules, side: Side): Amount.Amount =>
  side === "BUY" ? rules.withdrawFee.base : rules.withdrawFee.quote

/** Returns the fees of a fill that ends its order: the venue's share of this fill and the payout fee, at most the unpaid output. */
export const lastFeeOf = (rules: FillRules, side: Side, gross: Amount.Amount, unpaid: Amount.Amount): Amount.Amount =>
  Amount.min(unpaid + gross, shareOf(rules, gross) + withdrawFee(rules, side))

/** Returns the base smallest units that our orders get of a bar with this volume. */
export const capacityOf = (rules: FillRules, market: Market, volume: number): Amount.Amount => {
  const micro = BigInt(Math.floor(volume * rules.volumeShare * 1e6))
  const { decimals } = market.base
  return decimals >= 6 ? micro * Decimal.powerOfTen(decimals - 6) : micro / Decimal.powerOfTen(6 - decimals)
}
