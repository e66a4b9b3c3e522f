/** What one round of a grid's cells earns by the answers of `limitbot init`, before payouts, which `check` counts. */
import * as Decimal from "../../../domain/Decimal.ts"
import { gainOf } from "../../../domain/fees/RoundCost.ts"
import type { Market } from "../../../domain/Market.ts"
import { percent } from "../../../domain/Text.ts"
import type { AnswerOf } from "../../Setup.ts"

export const cellsOf = (answer: AnswerOf): number => Number(answer("levels")) - 1

/** All cells have the same ratio. */
export const earns =
  (market: Market) =>
  (answer: AnswerOf, fee: number): string => {
    const ratio = (Number(answer("upper")) / Number(answer("lower"))) ** (1 / cellsOf(answer))
    const gain = gainOf(market, { ratio }, { fillBasisPoints: fee * 10_000, payouts: new Map() })
    const amount = Decimal.format(Decimal.fromNumber(Math.abs(gain) * Number(answer("size")), gainDigits))
    const round = `${amount} ${market.quote.symbol} a round (${percent(gain)}), after fees of ${percent(fee)} of every fill`
    return gain > 0
      ? `Each of its ${cellsOf(answer)} cells earns ${round}.`
      : `Each of its ${cellsOf(answer)} cells loses ${round}: take fewer levels, or a wider range.`
  }

const gainDigits = 3
