/**
 * The cost of a round: a purchase, and the sale of its output. App fees cost a limit order nothing: its limit holds after them, and the
 * market must be better by their amount before it fills.
 */
import { type Amount, min } from "../Amount.ts"
import * as Decimal from "../Decimal.ts"
import { type Market, type Price, quoteAmount, type TradeCosts } from "../Market.ts"

/** Exact to a millionth of a basis point. */
export const ratioOf = (basisPoints: number): Decimal.Decimal => Decimal.make(BigInt(Math.round(basisPoints * 1e6)), 10)

export const shareOf = (
  { digits, scale }: Decimal.Decimal,
  gross: Amount,
  rounding: Decimal.Rounding = "up"
): Amount =>
  digits === 0n ? 0n : min(gross, Decimal.divideInteger(gross * digits, Decimal.powerOfTen(scale), rounding))

/** Fees on inputs round down: the service's own, and app fees. */
export const inputShareOf = (basisPoints: number, input: Amount): Amount => shareOf(ratioOf(basisPoints), input, "down")

/** Fees of a completely filled order: the venue's share and one payout. At most its output. */
export const feesOf = ({ fillBasisPoints, payouts }: TradeCosts, symbol: string, gross: Amount): Amount =>
  min(gross, shareOf(ratioOf(fillBasisPoints), gross) + (payouts.get(symbol) ?? 0n))

interface Priced {
  readonly price: Price
  readonly quantity: Amount
}

/**
 * Both orders trade the smaller of both quantities and fill completely. All results are in quote. `gain` is before fees, and negative if the
 * sale is below the purchase. `fees` are rounded up; fees in base count at the price of the sale.
 */
export const roundOf = (market: Market, buy: Priced, sell: Priced, costs: TradeCosts) => {
  const quantity = min(buy.quantity, sell.quantity)
  const spent = quoteAmount(market, quantity, buy.price, "up")
  const gross = quoteAmount(market, quantity, sell.price, "down")
  const sold = quantity - feesOf(costs, market.base.symbol, quantity)
  const brought = quoteAmount(market, sold, sell.price, "down")
  return { spent, gain: gross - spent, fees: gross - brought + feesOf(costs, market.quote.symbol, brought) }
}

/** Net gain of a round without exact prices, as a ratio of its spending. Unknown amounts pay only their share. */
export const gainOf = (
  { base, quote }: Market,
  {
    ratio,
    bought,
    proceeds
  }: { readonly ratio: number; readonly bought?: Amount | undefined; readonly proceeds?: Amount | undefined },
  costs: TradeCosts
): number => {
  const netShare = (symbol: string, gross: Amount | undefined): number =>
    gross === undefined || gross === 0n
      ? 1 - costs.fillBasisPoints / 10_000
      : 1 - Number(feesOf(costs, symbol, gross)) / Number(gross)
  return ratio * netShare(base.symbol, bought) * netShare(quote.symbol, proceeds) - 1
}

/** The exit price of a percentage target, net of the venue's share of both fills. `exact` earns the target without fees. */
export const netOfFills = (isSale: boolean, exact: Price, fillBasisPoints = 0): Price => {
  if (fillBasisPoints === 0) return exact
  const rest = Decimal.subtract(Decimal.one, ratioOf(fillBasisPoints))
  const both = Decimal.multiply(rest, rest)
  return isSale ? Decimal.divide(exact, both, exact.scale + 18, "up") : Decimal.multiply(exact, both)
}
