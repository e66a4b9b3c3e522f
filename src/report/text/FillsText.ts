/** Fills with price, fee and what they earned: as rows, as a table, and as the columns of a spreadsheet. */
import * as Decimal from "../../domain/Decimal.ts"
import { iso } from "../../domain/Text.ts"
import { fillKey } from "../../ledger/Profit.ts"
import type { Fee, Trade, TradingRecord } from "../../ledger/Trades.ts"
import * as Money from "./Money.ts"
import * as Table from "./Table.ts"

const pricePlaces = 12

/** The digits that a table shows; programs get all of them. */
const shownDigits = 8

/** Quote per base of the exchanged amounts. */
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

/** The rows of these trades; `gridProfit` by `Profit.fillKey`. */
export const rowsOf = (
  trades: ReadonlyArray<Trade>,
  { fees, orders }: TradingRecord,
  gridProfit: ReadonlyMap<string, bigint>,
  assets: Money.Assets
): ReadonlyArray<Row> => {
  const lives = new Map(orders.map((life) => [life.placement, life]))
  const payouts = new Map(fees.flatMap((fee) => (fee.kind === "payout" ? [[fee.placement, fee] as const] : [])))
  return trades.map((trade) => {
    const life = lives.get(trade.placement)
    const of = { limit: life?.price, echoed: life?.echoedBasisPoints, payout: payouts.get(trade.placement) }
    return row(trade, { ...of, gridProfit: gridProfit.get(fillKey(trade)) }, assets)
  })
}

interface OfOrder {
  readonly limit: Decimal.Decimal | undefined
  readonly echoed: number | undefined
  readonly payout: Fee | undefined
  readonly gridProfit: bigint | undefined
}

const row = (trade: Trade, { echoed, limit, payout, gridProfit }: OfOrder, assets: Money.Assets) => {
  const [paidAsset, paid, receivedAsset, received] =
    trade.side === "SELL"
      ? [trade.base, trade.baseAmount, trade.quote, trade.quoteAmount]
      : [trade.quote, trade.quoteAmount, trade.base, trade.baseAmount]
  const price = priceOf(trade, assets)
  return {
    at: iso(trade.at),
    market: trade.market,
    slot: `${trade.strategy}/${trade.slot}`,
    side: trade.side,
    limit: limit === undefined ? null : Decimal.format(limit),
    price: price === undefined ? null : Decimal.format(price),
    paid: Money.amountText(assets, paidAsset, paid),
    paidAsset,
    received: Money.amountText(assets, receivedAsset, received),
    receivedAsset,
    /** The payout fee of its whole order; null until it is paid. */
    fee: payout === undefined ? null : Money.amountText(assets, payout.asset, payout.amount),
    feeAsset: payout?.asset ?? null,
    /** What the order's answer said that the service takes of its input; null where it said nothing. */
    echoedBasisPoints: echoed ?? null,
    /** In quote, fees not deducted; null for a fill that only opens. */
    gridProfit: gridProfit === undefined ? null : Money.amountText(assets, trade.quote, gridProfit),
    gridProfitAsset: trade.quote,
    orderId: trade.orderId ?? null,
    fillId: trade.fillId
  }
}

type Row = ReturnType<typeof row>

const shown = (price: string | null): string =>
  price === null ? "" : Decimal.format(Decimal.fromNumber(Number(price), shownDigits))

/** One line for an order, however many fills it had: a payout and its fee are the whole order's. */
export const table = (
  trades: ReadonlyArray<Trade>,
  { fees }: TradingRecord,
  gridProfit: ReadonlyMap<string, bigint>,
  assets: Money.Assets
): ReadonlyArray<string> => {
  const payouts = new Map(fees.flatMap((fee) => (fee.kind === "payout" ? [[fee.placement, fee] as const] : [])))
  return Table.render(
    [
      { title: "TIME" },
      { title: "SLOT" },
      { title: "SIDE" },
      { title: "PRICE", align: "decimal" },
      { title: "PAID", align: "decimal" },
      { title: "RECEIVED", align: "decimal" },
      { title: "PAYOUT FEE", align: "decimal" },
      { title: "GRID PROFIT", align: "decimal" },
      { title: "FILLS", align: "right" }
    ],
    [...Map.groupBy(trades, ({ placement }) => placement).values()].flatMap((parts) => {
      const last = parts.at(-1)
      if (last === undefined) return []
      const sum = (of: (part: Trade) => bigint | undefined) =>
        parts.reduce((total, part) => total + (of(part) ?? 0n), 0n)
      const whole: Trade = {
        ...last,
        baseAmount: sum((part) => part.baseAmount),
        quoteAmount: sum((part) => part.quoteAmount)
      }
      const earned = parts.flatMap((part) => gridProfit.get(fillKey(part)) ?? [])
      const of = {
        limit: undefined,
        echoed: undefined,
        payout: payouts.get(last.placement),
        gridProfit: earned.length === 0 ? undefined : earned.reduce((total, each) => total + each, 0n)
      }
      const order = row(whole, of, assets)
      return [
        [
          order.at,
          order.slot,
          order.side,
          shown(order.price),
          `${order.paid} ${order.paidAsset}`,
          `${order.received} ${order.receivedAsset}`,
          order.fee === null ? "" : `${order.fee} ${order.feeAsset}`,
          order.gridProfit === null ? "" : `${order.gridProfit} ${order.gridProfitAsset}`,
          String(parts.length)
        ]
      ]
    })
  )
}

export const titles = [
  "at",
  "market",
  "slot",
  "side",
  "limit",
  "price",
  "paid",
  "paidAsset",
  "received",
  "receivedAsset",
  "fee",
  "feeAsset",
  "orderId",
  "fillId",
  "gridProfit",
  "gridProfitAsset",
  "echoedBasisPoints"
] as const
