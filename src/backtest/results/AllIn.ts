/**
 * What everything would have gained in base from the first close on: the comparison that traders call buy and hold. The budget
 * left alone is another one, for it keeps its quote. No fee is taken. Of several markets there is no such single purchase.
 */

import { closeAt, exactPrice } from "../../candles/Candles.ts"
import type { Amount } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { quoteAmount } from "../../domain/Market.ts"
import type * as Backtest from "../Backtest.ts"

/** Prices compared at this many units of base lose no digit that shows. */
const precisePlaces = 18

/** In smallest units of quote. */
export const gainOf = ({ parts }: Backtest.BandSide): Amount | undefined => {
  const [{ market, candles, budget }, ...others] = parts
  if (others.length > 0) return undefined
  const precise = Decimal.powerOfTen(market.base.decimals + precisePlaces)
  const worth = (bar: number, base: Amount): Amount =>
    quoteAmount(market, base, exactPrice(closeAt(candles, bar)), "down")
  const [first, last] = [worth(0, precise), worth(candles.bars - 1, precise)]
  if (first === 0n) return undefined
  const atStart = budget.quote + worth(0, budget.base)
  return Decimal.divideInteger(atStart * last, first, "down") - atStart
}
