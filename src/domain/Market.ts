/**
 * A market: base and quote asset. A price says how many units of the quote buy ONE unit of the base, independent of the decimals of either.
 * All conversions between the two sides are here, each with its rounding direction.
 */
import { type Amount, type Asset, magnitude } from "./Amount.ts"
import * as Decimal from "./Decimal.ts"

/** Quote per one base, positive. */
export type Price = Decimal.Decimal

/** SELL pays base and receives quote; BUY pays quote and receives base. */
export type Side = "BUY" | "SELL"

export interface TradeCosts {
  /** The venue's share of the output of every fill. */
  readonly fillBasisPoints: number
  /** Fee of one payout or refund by symbol, in smallest units. */
  readonly payouts: ReadonlyMap<string, Amount>
}

export interface Market {
  readonly name: string
  readonly base: Asset
  readonly quote: Asset
  /** Price step; missing if the venue has none. */
  readonly tick?: Price
  /** Missing if the bot does not ask the venue. */
  readonly costs?: TradeCosts
}

export const opposite = (side: Side): Side => (side === "BUY" ? "SELL" : "BUY")

export const inputAsset = (market: Market, side: Side): Asset => (side === "SELL" ? market.base : market.quote)

export const outputAsset = (market: Market, side: Side): Asset => (side === "SELL" ? market.quote : market.base)

/**
 * Quote amount of a base quantity at a price. The venue rounds up for both sides, so `up` is what an order shows; `down` is what a budget
 * still affords.
 */
export const quoteAmount = (market: Market, quantity: Amount, price: Price, rounding: Decimal.Rounding): Amount => {
  const scale = price.scale + market.base.decimals - market.quote.decimals
  const short = Decimal.shortQuotient(Number(quantity) * Number(price.digits), scale, rounding)
  if (short !== undefined) return BigInt(short)
  const product = quantity * price.digits * Decimal.powerOfTen(Math.max(0, -scale))
  return Decimal.divideInteger(product, Decimal.powerOfTen(Math.max(0, scale)), rounding)
}

/** Base quantity that a quote amount buys at a price; `down` never costs more than the amount. */
export const baseQuantity = (market: Market, quote: Amount, price: Price, rounding: Decimal.Rounding): Amount => {
  const scale = price.scale + market.base.decimals - market.quote.decimals
  const numerator = quote * Decimal.powerOfTen(Math.max(0, scale))
  const denominator = price.digits * Decimal.powerOfTen(Math.max(0, -scale))
  return Decimal.divideInteger(numerator, denominator, rounding)
}

/** The deposit of an order. */
export const inputAmount = (market: Market, side: Side, quantity: Amount, price: Price): Amount =>
  side === "SELL" ? quantity : quoteAmount(market, quantity, price, "up")

/** The minimum output of an order. */
export const outputAmount = (market: Market, side: Side, quantity: Amount, price: Price): Amount =>
  side === "SELL" ? quoteAmount(market, quantity, price, "up") : quantity

/** Rounds the price to the market's tick, away from the market: a BUY never pays more, a SELL never takes less. */
export const toTick = (market: Market, side: Side, price: Price): Price =>
  market.tick === undefined ? price : Decimal.roundToStep(price, market.tick, side === "BUY" ? "down" : "up")

export interface BidAsk {
  readonly bid: Price
  readonly ask: Price
  readonly mid?: Price
}

/** Executable for some size. `at`: epoch milliseconds at which it was seen. */
export interface TwoSidedPrice extends BidAsk {
  readonly at: number
}

export const mid = (price: BidAsk): Price => price.mid ?? Decimal.midpoint(price.bid, price.ask)

/** Upper bound of the relative error of a price in doubles. */
const hair = 1e-15

interface Priced {
  readonly price: Price
  readonly quantity: Amount
}

/** True if the other trade can replace the planned one without loss: its price is no worse, and its quantity is no larger. */
export const tradesNoWorse = (wanted: Priced & { readonly side: Side }, other: Priced): boolean =>
  other.quantity <= wanted.quantity &&
  (wanted.side === "BUY" ? !Decimal.isGreater(other.price, wanted.price) : !Decimal.isLess(other.price, wanted.price))

/** True if `gainOfMoving` is certainly above this amount of quote. Quick to compute if the price alone changes enough. */
export const surelyGainsMore = (
  { base, quote }: Market,
  from: Price,
  to: Price,
  quantity: Amount,
  amount: Amount
): boolean => {
  const [a, b] = [Decimal.toNumber(from), Decimal.toNumber(to)]
  const difference = Math.abs(a - b) - (a + b) * hair
  const units = Decimal.doublePower(quote.decimals) / Decimal.doublePower(base.decimals)
  return difference * Number(quantity) * units > Number(amount) * (1 + hair) + 2
}

/**
 * Gain in quote of an order with the planned price and quantity over its present ones, rounded down. Subtracts the share of time for which
 * the move takes the order out of the market. Live runs and backtests move an order by this figure.
 */
export const gainOfMoving = (market: Market, present: Priced, wanted: Priced, outOfMarketBasisPoints = 0): Amount => {
  const worth = (quantity: Amount, price: Price) => quoteAmount(market, quantity, price, "up")
  const atOldPrice = worth(wanted.quantity, present.price)
  const byPrice = magnitude(worth(wanted.quantity, wanted.price) - atOldPrice)
  const bySize = magnitude(atOldPrice - worth(present.quantity, present.price))
  return ((byPrice + bySize) * BigInt(10_000 - outOfMarketBasisPoints)) / 10_000n
}
