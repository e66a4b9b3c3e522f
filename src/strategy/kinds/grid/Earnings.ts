/** The earnings of one round of a grid's cells, computed from the answers of `limitbot init`, after all fees. */
import { formatWithSymbol, fromDecimal } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { gainOf } from "../../../domain/fees/RoundCost.ts"
import { baseQuantity, type Market, type TradeCosts } from "../../../domain/Market.ts"
import { percent } from "../../../domain/Text.ts"
import type { AnswerOf } from "../../Setup.ts"

export const cellsOf = (answer: AnswerOf): number => Number(answer("levels")) - 1

/** All cells have the same ratio. The highest cell buys least, so a payout in base costs it the largest share. */
export const earns =
  (market: Market) =>
  (answer: AnswerOf): string => {
    const { costs = { fillBasisPoints: 0, payouts: new Map() } } = market
    const ratio = (Number(answer("upper")) / Number(answer("lower"))) ** (1 / cellsOf(answer))
    const [size, highest] = [answer("size"), answer("upper")].map((text) => Decimal.parse(text) ?? Decimal.zero)
    const proceeds = size && fromDecimal(size, market.quote.decimals)
    const bought = proceeds && highest && baseQuantity(market, proceeds, highest, "down")
    const gain = gainOf(market, { ratio, bought, proceeds }, costs)
    const amount = Decimal.format(Decimal.fromNumber(Math.abs(gain) * Number(answer("size")), gainDigits))
    const round = `${amount} ${market.quote.symbol} a round (${percent(gain)}), after fees of ${feesText(market, costs)}`
    return gain > 0
      ? `Each of its ${cellsOf(answer)} cells earns ${round}.`
      : `Each of its ${cellsOf(answer)} cells loses ${round}: take fewer levels, larger orders or a wider range.`
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
