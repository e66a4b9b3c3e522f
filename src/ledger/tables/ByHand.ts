/**
 * Swaps by hand among the trades of an account. A swap always sells its input, so a purchase by hand would be a sale of dollars for coins.
 * Each swap gets the direction of a market that strategies trade, if there is one. Otherwise its quote is the quote of such a market.
 * Otherwise all swaps of a pair get the direction of its first swap. Moves are not trades.
 */
import type { Amount } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { opposite } from "../../domain/Market.ts"
import { byHand } from "../../domain/Placement.ts"
import type { Fee, Trade, TradingRecord } from "../Trades.ts"

type Pair = Pick<Trade, "base" | "quote">

const nameOf = ({ base, quote }: Pair): string => `${base}/${quote}`
const turned = ({ base, quote }: Pair) => ({ base: quote, quote: base, market: nameOf({ base: quote, quote: base }) })

const isByHand = ({ strategy }: Pick<Trade, "strategy">): boolean => strategy === byHand

export const directed = (record: TradingRecord): TradingRecord => {
  const { fees, losses, trades } = record
  const isTurned = turns(record)
  const rates = ratesOf(trades)
  const trade = (each: Trade): Trade =>
    isByHand(each) && isTurned(each)
      ? {
          ...each,
          ...turned(each),
          side: opposite(each.side),
          baseAmount: each.quoteAmount,
          quoteAmount: each.baseAmount
        }
      : each
  const fee = (each: Fee): Fee => {
    if (!isByHand(each) || !isTurned(each)) return each
    const { estimatedInQuote: _, ...rest } = each
    const inQuote = each.asset === each.base ? each.amount : paidFor(rates, each)
    return { ...rest, ...turned(each), inQuote }
  }
  return { ...record, trades: trades.map(trade), losses: losses.map(trade), fees: fees.map(fee) }
}

const turns = ({ flows, markets, trades }: TradingRecord) => {
  const traded = new Set([
    ...markets.values(),
    ...flows.flatMap(({ market = [] }) => market),
    ...trades.flatMap((each) => (isByHand(each) ? [] : [each.market]))
  ])
  const money = new Set([...traded].map((market) => market.split("/")[1]))
  const first = new Set<string>()
  for (const each of trades) if (isByHand(each) && !first.has(turned(each).market)) first.add(nameOf(each))
  return (pair: Pair): boolean => {
    const [market, other] = [nameOf(pair), turned(pair).market]
    if (pair.base === pair.quote || traded.has(market)) return false
    if (traded.has(other)) return true
    if (money.has(pair.base) !== money.has(pair.quote)) return money.has(pair.base)
    return first.has(other)
  }
}

const ratesOf = (
  trades: ReadonlyArray<Trade>
): ReadonlyMap<string, { readonly base: Amount; readonly quote: Amount }> => {
  const rates = new Map<string, { readonly base: Amount; readonly quote: Amount }>()
  for (const { baseAmount, placement, quoteAmount, ...each } of trades) {
    if (!isByHand(each)) continue
    const { base, quote } = rates.get(placement) ?? { base: 0n, quote: 0n }
    rates.set(placement, { base: base + baseAmount, quote: quote + quoteAmount })
  }
  return rates
}

const paidFor = (rates: ReturnType<typeof ratesOf>, { amount, placement }: Fee): Amount => {
  const { base, quote } = rates.get(placement) ?? { base: 0n, quote: 0n }
  return quote === 0n ? 0n : Decimal.divideInteger(amount * base, quote, "up")
}
