/** What `limitbot init` asks for a grid: its total first, and then how that is divided into cells. */
import * as Decimal from "../../../domain/Decimal.ts"
import type { Market } from "../../../domain/Market.ts"
import { percent } from "../../../domain/Text.ts"
import * as Read from "../../Fields.ts"
import type { AnswerOf, Setup } from "../../Setup.ts"
import * as Ask from "../../Setup.ts"

const cellsOf = (answer: AnswerOf): number => Number(answer("levels")) - 1

export const setup = (market: Market): Setup => {
  const { base, quote } = market
  return {
    steps: [
      Ask.total(quote, "that it may use in all"),
      Ask.price("lower", `Lowest price, ${Ask.per(market)}`, () => 0.9),
      Ask.priceBeyond(
        "upper",
        "Highest price",
        "lower",
        () => "above",
        () => 1.1
      ),
      Ask.asked("levels", "How many price levels", "21", Read.integer(2, 1000)),
      Ask.share(quote, "for each purchase", cellsOf),
      Ask.amount("base", base, "that it may sell from the start", "0")
    ],
    budget: (answer) => ({ base: answer("base"), quote: Ask.totalOf(quote, answer, cellsOf(answer)) }),
    section: (answer) => `
  lower: ${answer("lower")}
  upper: ${answer("upper")}
  levels: ${answer("levels")}  # ${cellsOf(answer)} cells: each buys at one level and sells at the next
  spacing: geometric  # equal ratios; arithmetic: equal differences
  size: { quote: ${answer("size")} }  # ${quote.symbol} per cell; or { base: … } in ${base.symbol}
  # sizeScale: 1.05  # each cell is so many times as large as the one above it
  # fundNearest: 5  # keep only so many nearest buys and sells funded
  # trail: up  # or down, both: the range follows the price that way`,
    earns: (answer, fee) => {
      // All cells have the same ratio. What a fill pays out is less by the fee, and the sale sells what the purchase paid out.
      const ratio = (Number(answer("upper")) / Number(answer("lower"))) ** (1 / cellsOf(answer))
      const gain = ratio * (1 - fee) ** 2 - 1
      const amount = Decimal.format(Decimal.fromNumber(Math.abs(gain) * Number(answer("size")), gainDigits))
      const round = `${amount} ${quote.symbol} a round (${percent(gain)}), after fees of ${percent(fee)} of every fill`
      return gain > 0
        ? `Each of its ${cellsOf(answer)} cells earns ${round}.`
        : `Each of its ${cellsOf(answer)} cells loses ${round}: take fewer levels, or a wider range.`
    }
  }
}

const gainDigits = 3
