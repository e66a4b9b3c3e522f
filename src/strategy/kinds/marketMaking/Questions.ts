/** What `limitbot init` asks for market making. */
import type { Market } from "../../../domain/Market.ts"
import * as Read from "../../Fields.ts"
import type { AnswerOf, Setup } from "../../Setup.ts"
import * as Ask from "../../Setup.ts"

const levelsOf = (answer: AnswerOf): number => Number(answer("levels"))

export const setup = ({ base, quote }: Market): Setup => ({
  steps: [
    Ask.amount("quote", quote, "for the bids, all together"),
    Ask.total(base, "for the asks, all together", "base"),
    Ask.asked("levels", "How many orders on each side", "3", Read.integer(1, 50)),
    Ask.share(base, "of each order", levelsOf, "base"),
    Ask.asked("spread", "Between the first bid and the first ask", "0.6%", Read.ratio)
  ],
  budget: (answer) => ({
    base: Ask.totalOf(base, answer, levelsOf(answer), "base"),
    quote: answer("quote")
  }),
  section: (answer) => `
  levels: ${answer("levels")}  # orders on each side
  spread: ${answer("spread")}  # between the first bid and the first ask; or by volatility, see docs/strategies.md
  # step: 0.3%  # from one level to the next; default: the spread
  size: ${answer("size")}  # ${base.symbol} of each order
  requote: 0.3%  # quote anew when the price has moved this far
  skew: 0.3%  # move the quotes against what was bought or sold on balance, by this much when it is full`
})
