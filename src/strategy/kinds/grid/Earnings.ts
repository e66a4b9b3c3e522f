/** What one round of a grid's cells earns by the answers of `limitbot init`. */
import type { Asset } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { percent } from "../../../domain/Text.ts"
import type { AnswerOf } from "../../Setup.ts"

export const cellsOf = (answer: AnswerOf): number => Number(answer("levels")) - 1

export const earns =
  (quote: Asset) =>
  (answer: AnswerOf, fee: number): string => {
    // All cells have the same ratio. What a fill pays out is less by the fee, and the sale sells what the purchase paid out.
    const ratio = (Number(answer("upper")) / Number(answer("lower"))) ** (1 / cellsOf(answer))
    const gain = ratio * (1 - fee) ** 2 - 1
    const amount = Decimal.format(Decimal.fromNumber(Math.abs(gain) * Number(answer("size")), gainDigits))
    const round = `${amount} ${quote.symbol} a round (${percent(gain)}), after fees of ${percent(fee)} of every fill`
    return gain > 0
      ? `Each of its ${cellsOf(answer)} cells earns ${round}.`
      : `Each of its ${cellsOf(answer)} cells loses ${round}: take fewer levels, or a wider range.`
  }

const gainDigits = 3
