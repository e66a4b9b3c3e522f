/**
 * What it is worth to move an order to another price or size, and whether that is more than moving it costs. Live and
 * backtest decide by this one rule, so a wobbling price burns fees in neither.
 */
import type { Amount } from "./Amount.ts"
import { type Market, type Price, quoteAmount } from "./Market.ts"

/** An order's price, and the base quantity that is still to fill. */
export interface Terms {
  readonly price: Price
  readonly quantity: Amount
}

const wholeBasisPoints = 10_000

/**
 * What the wanted price and quantity are worth in quote, compared with the present ones; less the share of the time for
 * which moving takes an order out of the market. Rounded down.
 */
export const gainOf = (market: Market, present: Terms, wanted: Terms, outOfMarketBasisPoints = 0): Amount => {
  const worth = (quantity: Amount, price: Price) => quoteAmount(market, quantity, price, "up")
  const atOldPrice = worth(wanted.quantity, present.price)
  const byPrice = magnitude(worth(wanted.quantity, wanted.price) - atOldPrice)
  const bySize = magnitude(atOldPrice - worth(present.quantity, present.price))
  return ((byPrice + bySize) * BigInt(wholeBasisPoints - outOfMarketBasisPoints)) / BigInt(wholeBasisPoints)
}

const magnitude = (amount: Amount): Amount => (amount < 0n ? -amount : amount)
