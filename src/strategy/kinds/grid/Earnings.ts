/** What one round of a grid's cells earns by the answers of `limitbot init`. */
import * as Decimal from "../../../domain/Decimal.ts"
import { gainOf } from "../../../domain/fees/RoundCost.ts"
import { baseQuantity, type Market } from "../../../domain/Market.ts"
import { percent } from "../../../domain/Text.ts"
import { type AnswerOf, unitsOf } from "../../Setup.ts"

export const cellsOf = (answer: AnswerOf): number => Number(answer("levels")) - 1

/** All cells have the same ratio. The highest buys least for its money, so its payout costs most. */
export const earns =
  (market: Market) =>
  (answer: AnswerOf, fee: number): string => {
    const { costs, quote } = market
    const ratio = (Number(answer("upper")) / Number(answer("lower"))) ** (1 / cellsOf(answer))
    const proceeds = unitsOf(quote, answer("size"))
    const bought = baseQuantity(market, proceeds, Decimal.parse(answer("upper")) ?? Decimal.one, "down")
    const payouts = costs?.payouts ?? new Map()
    const gain = gainOf(market, { ratio, bought, proceeds }, { fillBasisPoints: fee * 10_000, payouts })
    const amount = Decimal.format(Decimal.fromNumber(Math.abs(gain) * Number(answer("size")), gainDigits))
    const paid = `${percent(fee)} of every fill${payouts.size === 0 ? "" : " and of payouts"}`
    const round = `${amount} ${quote.symbol} a round (${percent(gain)}), after fees of ${paid}`
    return gain > 0
      ? `Each of its ${cellsOf(answer)} cells earns ${round}.`
      : `Each of its ${cellsOf(answer)} cells loses ${round}: take fewer levels, or a wider range.`
  }

const gainDigits = 3
