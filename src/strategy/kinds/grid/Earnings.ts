/**
 * The earnings of one round of a grid's cells, after all fees: of its cells, and for `limitbot init` from the answers. From the answers it
 * also says how many cells work at the present price, and what `buyBase` pays for the others.
 */
import { formatWithSymbol, fromDecimal, max, min, toDecimal } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { gainOf, roundOf } from "../../../domain/fees/RoundCost.ts"
import { baseQuantity, inputAmount, type Market, type Price, type TradeCosts } from "../../../domain/Market.ts"
import { percent } from "../../../domain/Text.ts"
import { type AnswerOf, unitsOf } from "../../Setup.ts"
import { between } from "../PriceLevels.ts"
import type { Cell } from "./Cells.ts"

export const cellsOf = (answer: AnswerOf): number => Number(answer("levels")) - 1

export const earnsIn = (market: Market, cells: ReadonlyArray<Pick<Cell, "buy" | "sell">>): string => {
  const { costs = { fillBasisPoints: 0, payouts: new Map() }, quote } = market
  const rounds = cells.map(({ buy, sell }) => roundOf(market, buy, sell, costs))
  const [first = 0n, ...others] = rounds.map(({ fees, gain }) => gain - fees)
  const [least, most] = [others.reduce(min, first), others.reduce(max, first)].map((each) =>
    Decimal.short(toDecimal(each, quote.decimals), gainDigits)
  )
  const amount = least === most ? least : `${least} to ${most}`
  return `each of its ${cells.length} cells earns ${amount} ${quote.symbol} a round, ${market.costs ? "after" : "before"} fees`
}

/** All cells have the same ratio. The highest cell buys least, so a payout in base costs it the largest share. */
export const earns =
  (market: Market) =>
  (answer: AnswerOf, price?: Price): string => {
    const { costs = { fillBasisPoints: 0, payouts: new Map() } } = market
    const ratio = (Number(answer("upper")) / Number(answer("lower"))) ** (1 / cellsOf(answer))
    const [size, highest] = [answer("size"), answer("upper")].map((text) => Decimal.parse(text) ?? Decimal.zero)
    const proceeds = size && fromDecimal(size, market.quote.decimals)
    const bought = proceeds && highest && baseQuantity(market, proceeds, highest, "down")
    const gain = gainOf(market, { ratio, bought, proceeds }, costs)
    const amount = Decimal.format(Decimal.fromNumber(Math.abs(gain) * Number(answer("size")), gainDigits))
    const round = `${amount} ${market.quote.symbol} a round (${percent(gain)}), after fees of ${feesText(market, costs)}`
    return gain > 0
      ? `Each of its ${cellsOf(answer)} cells earns ${round}.${price === undefined ? "" : worksAt(market, answer, price)}`
      : `Each of its ${cellsOf(answer)} cells loses ${round}: take fewer levels, larger orders or a wider range.`
  }

const worksAt = (market: Market, answer: AnswerOf, price: Price): string => {
  const { base, quote } = market
  const [lower, upper] = [answer("lower"), answer("upper")].map((text) => Decimal.parse(text))
  const levels = between(market, lower ?? price, upper ?? price, cellsOf(answer) + 1, "geometric")
  const above = levels.slice(0, -1).filter((level) => !Decimal.isLess(level, price))
  const quantities = above.map((level) => baseQuantity(market, unitsOf(quote, answer("size")), level, "down"))
  let own = unitsOf(base, answer("base"))
  const idle = quantities.filter((quantity) => {
    own -= quantity
    return own < 0n
  })
  if (idle.length === 0) return ""
  const [needed, at] = [idle.reduce((sum, quantity) => sum + quantity, 0n), Decimal.short(price)]
  const cost = Decimal.short(toDecimal(inputAmount(market, "BUY", needed, price), quote.decimals), gainDigits)
  return ` At ${at}, ${cellsOf(answer) - idle.length} of them work from the start; with buyBase: true all do, for ${formatWithSymbol(needed, base)}, about ${cost} ${quote.symbol}.`
}

const feesText = ({ base, quote }: Market, { fillBasisPoints, payouts }: TradeCosts): string => {
  const flat = [base, quote].flatMap((asset) => {
    const fee = payouts.get(asset.symbol)
    return fee === undefined ? [] : [formatWithSymbol(fee, asset)]
  })
  const share = fillBasisPoints === 0 && flat.length > 0 ? [] : [`${percent(fillBasisPoints / 10_000)} of every fill`]
  return [...share, ...(flat.length === 0 ? [] : [`${flat.join(" and ")} of payouts`])].join(", ")
}

const gainDigits = 3
