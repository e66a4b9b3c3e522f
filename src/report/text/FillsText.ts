/** Fills with price, fee and what they earned: each for programs and spreadsheets, and for people one line for an order. */
import * as Decimal from "../../domain/Decimal.ts"
import { iso } from "../../domain/Text.ts"
import { fillKey } from "../../ledger/Profit.ts"
import type { Fee, Trade, TradingRecord } from "../../ledger/Trades.ts"
import * as Money from "./Money.ts"
import * as Table from "./Table.ts"

const pricePlaces = 12

/** The digits that a table shows; programs get all of them. */
const shownDigits = 8

/** What was exchanged says the price; the limit says only what was asked for. */
export const priceOf = (
  { base, quote, baseAmount, quoteAmount }: Pick<Trade, "base" | "quote" | "baseAmount" | "quoteAmount">,
  assets: Money.Assets
): Decimal.Decimal | undefined => {
  const [ofBase, ofQuote] = [assets.get(base), assets.get(quote)]
  if (ofBase === undefined || ofQuote === undefined || baseAmount === 0n) return undefined
  const [value, quantity] = [Decimal.make(quoteAmount, ofQuote.decimals), Decimal.make(baseAmount, ofBase.decimals)]
  return Decimal.divide(value, quantity, pricePlaces, "down")
}

/** A fill, or all fills of an order together: a payout and its fee are the whole order's. */
interface Fill {
  readonly trade: Trade
  readonly limit: Decimal.Decimal | undefined
  /** What the order's answer said that the service takes of its input. */
  readonly echoed: number | undefined
  /** Once it is paid. */
  readonly payout: Fee | undefined
  /** In quote, fees not deducted; none for a fill that only opens. */
  readonly gridProfit: bigint | undefined
  readonly fills: number
}

const list = (assets: Money.Assets) => {
  const moved = ({ side, base, baseAmount, quote, quoteAmount }: Trade, isPaid: boolean) => {
    const [asset, amount] = (side === "SELL") === isPaid ? [base, baseAmount] : [quote, quoteAmount]
    return { asset, amount: Money.amountText(assets, asset, amount) }
  }
  const both = ({ asset, amount }: ReturnType<typeof moved>): string => `${amount} ${asset}`
  const feeOf = ({ payout }: Fill) => payout && Money.amountText(assets, payout.asset, payout.amount)
  const earned = ({ gridProfit, trade }: Fill) =>
    gridProfit === undefined ? undefined : Money.amountText(assets, trade.quote, gridProfit)
  return Table.of<Fill>([
    { key: "at", title: "TIME", value: ({ trade }) => iso(trade.at) },
    { key: "market", value: ({ trade }) => trade.market },
    { key: "slot", title: "SLOT", value: ({ trade }) => `${trade.strategy}/${trade.slot}` },
    { key: "side", title: "SIDE", value: ({ trade }) => trade.side },
    { key: "limit", value: ({ limit }) => limit && Decimal.format(limit) },
    {
      key: "price",
      title: Table.decimal("PRICE"),
      value: ({ trade }) => textOf(priceOf(trade, assets)),
      text: ({ trade }) => shown(priceOf(trade, assets))
    },
    {
      key: "paid",
      title: Table.decimal("PAID"),
      value: ({ trade }) => moved(trade, true).amount,
      text: ({ trade }) => both(moved(trade, true))
    },
    { key: "paidAsset", value: ({ trade }) => moved(trade, true).asset },
    {
      key: "received",
      title: Table.decimal("RECEIVED"),
      value: ({ trade }) => moved(trade, false).amount,
      text: ({ trade }) => both(moved(trade, false))
    },
    { key: "receivedAsset", value: ({ trade }) => moved(trade, false).asset },
    {
      key: "fee",
      title: Table.decimal("PAYOUT FEE"),
      value: feeOf,
      text: (fill) => (fill.payout === undefined ? "" : `${feeOf(fill)} ${fill.payout.asset}`)
    },
    { key: "feeAsset", value: ({ payout }) => payout?.asset },
    { key: "orderId", value: ({ trade }) => trade.orderId },
    { key: "fillId", value: ({ trade }) => trade.fillId },
    {
      key: "gridProfit",
      title: Table.decimal("GRID PROFIT"),
      value: earned,
      text: (fill) => (fill.gridProfit === undefined ? "" : `${earned(fill)} ${fill.trade.quote}`)
    },
    { key: "gridProfitAsset", value: ({ trade }) => trade.quote },
    { key: "echoedBasisPoints", value: ({ echoed }) => echoed },
    { title: Table.right("FILLS"), value: ({ fills }) => fills }
  ])
}

const textOf = (price: Decimal.Decimal | undefined) => price && Decimal.format(price)

const shown = (price: Decimal.Decimal | undefined): string =>
  price === undefined ? "" : Decimal.format(Decimal.fromNumber(Number(Decimal.format(price)), shownDigits))

/** These trades; `gridProfit` by `Profit.fillKey`. */
export const of = (
  trades: ReadonlyArray<Trade>,
  { fees, orders }: TradingRecord,
  gridProfit: ReadonlyMap<string, bigint>,
  assets: Money.Assets
) => {
  const lives = new Map(orders.map((life) => [life.placement, life]))
  const payouts = new Map(fees.flatMap((fee) => (fee.kind === "payout" ? [[fee.placement, fee] as const] : [])))
  const fillOf = (trade: Trade, parts: ReadonlyArray<Trade>): Fill => {
    const life = lives.get(trade.placement)
    const earned = parts.flatMap((part) => gridProfit.get(fillKey(part)) ?? [])
    return {
      trade,
      limit: life?.price,
      echoed: life?.echoedBasisPoints,
      payout: payouts.get(trade.placement),
      gridProfit: earned.length === 0 ? undefined : sum(earned),
      fills: parts.length
    }
  }
  const wholeOf = (parts: ReadonlyArray<Trade>): ReadonlyArray<Fill> =>
    parts.slice(-1).map((last) => {
      const [baseAmount, quoteAmount] = [
        sum(parts.map((part) => part.baseAmount)),
        sum(parts.map((part) => part.quoteAmount))
      ]
      return fillOf({ ...last, baseAmount, quoteAmount }, parts)
    })
  const columns = list(assets)
  const fills = trades.map((trade) => fillOf(trade, [trade]))
  const byOrder = Map.groupBy(trades, ({ placement }) => placement)
  return {
    json: () => columns.json(fills),
    csv: () => columns.csv(fills),
    lines: () => columns.lines([...byOrder.values()].flatMap(wholeOf))
  }
}

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, each) => total + each, 0n)
