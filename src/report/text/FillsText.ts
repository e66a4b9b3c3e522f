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
const priceOf = (
  { base, quote, baseAmount, quoteAmount }: Trade,
  assets: Money.Assets
): Decimal.Decimal | undefined => {
  const [ofBase, ofQuote] = [assets.get(base), assets.get(quote)]
  if (ofBase === undefined || ofQuote === undefined || baseAmount === 0n) return undefined
  const [value, quantity] = [Decimal.make(quoteAmount, ofQuote.decimals), Decimal.make(baseAmount, ofBase.decimals)]
  return Decimal.divide(value, quantity, pricePlaces, "down")
}

/** The rows of these trades; `realised` by `Profit.fillKey`. */
export const rowsOf = (
  trades: ReadonlyArray<Trade>,
  { fees, orders }: TradingRecord,
  realised: ReadonlyMap<string, bigint>,
  assets: Money.Assets
): ReadonlyArray<Row> => {
  const limits = new Map(orders.map(({ placement, price }) => [placement, price]))
  const payouts = new Map(fees.flatMap((fee) => (fee.kind === "payout" ? [[fee.placement, fee] as const] : [])))
  return trades.map((trade) => {
    const of = { limit: limits.get(trade.placement), payout: payouts.get(trade.placement) }
    return row(trade, { ...of, realised: realised.get(fillKey(trade)) }, assets)
  })
}

interface OfOrder {
  readonly limit: Decimal.Decimal | undefined
  readonly payout: Fee | undefined
  readonly realised: bigint | undefined
}

const row = (trade: Trade, { limit, payout, realised }: OfOrder, assets: Money.Assets) => {
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
    /** By average cost, in quote, fees not deducted; null for a fill that only opens. */
    realised: realised === undefined ? null : Money.amountText(assets, trade.quote, realised),
    realisedAsset: trade.quote,
    orderId: trade.orderId ?? null,
    fillId: trade.fillId
  }
}

type Row = ReturnType<typeof row>

const shown = (price: string | null): string =>
  price === null ? "" : Decimal.format(Decimal.fromNumber(Number(price), shownDigits))

export const table = (rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
  Table.render(
    [
      { title: "TIME" },
      { title: "SLOT" },
      { title: "SIDE" },
      { title: "PRICE", align: "decimal" },
      { title: "PAID", align: "decimal" },
      { title: "RECEIVED", align: "decimal" },
      { title: "PAYOUT FEE", align: "decimal" },
      { title: "REALISED", align: "decimal" }
    ],
    rows.map((fill) => [
      fill.at,
      fill.slot,
      fill.side,
      shown(fill.price),
      `${fill.paid} ${fill.paidAsset}`,
      `${fill.received} ${fill.receivedAsset}`,
      fill.fee === null ? "" : `${fill.fee} ${fill.feeAsset}`,
      fill.realised === null ? "" : `${fill.realised} ${fill.realisedAsset}`
    ])
  )

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
  "realised",
  "realisedAsset"
] as const
