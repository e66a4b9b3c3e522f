/** Fills, as they happen, and later with the cost of their payouts and their earnings, one by one or by order. */
import { Schema } from "effect"
import type { Of } from "../domain/BotEvent.ts"
import * as Decimal from "../domain/Decimal.ts"
import { iso } from "../domain/Text.ts"
import { slotKey } from "../engine/state/SlotFold.ts"
import { fillKey } from "../ledger/Profit.ts"
import type { Fee, Trade, TradingRecord } from "../ledger/Trades.ts"
import { priceOf } from "../ledger/tables/Tables.ts"
import * as Money from "../report/text/Money.ts"
import * as Table from "../report/text/Table.ts"
import { asOf, Side, Time } from "./AsOf.ts"

const Text = Schema.String

export const FillView = Schema.Struct({
  sequence: Schema.Int,
  at: Time,
  slot: Text,
  placement: Text,
  market: Text,
  side: Side,
  price: Text,
  paid: Text,
  paidAsset: Text,
  received: Text,
  receivedAsset: Text,
  fillId: Text
})
export type FillView = typeof FillView.Type
export const Fills = Schema.Struct({ ...asOf, fills: Schema.Array(FillView) })

const pricePlaces = 12

interface Exchange extends Pick<Trade, "base" | "quote" | "baseAmount" | "quoteAmount"> {
  readonly side: "BUY" | "SELL"
}

/** The exchanged amounts give the price, unless one of them is zero; the limit is only the price of the order. */
const priceIn = (exchange: Exchange, assets: Money.Assets): string | undefined =>
  assets.has(exchange.base) && assets.has(exchange.quote) && exchange.quoteAmount !== 0n
    ? priceOf(exchange, (symbol) => assets.get(symbol)?.decimals ?? 0, pricePlaces)
    : undefined

const exchanged = (exchange: Exchange, assets: Money.Assets) => {
  const { base, baseAmount, quote, quoteAmount, side } = exchange
  const [ofBase, ofQuote] = [Money.amountText(assets, base, baseAmount), Money.amountText(assets, quote, quoteAmount)]
  const price = priceIn(exchange, assets) ?? null
  return side === "SELL"
    ? { price, paid: ofBase, paidAsset: base, received: ofQuote, receivedAsset: quote }
    : { price, paid: ofQuote, paidAsset: quote, received: ofBase, receivedAsset: base }
}

export const fillView = (sequence: number, event: Of<"FillSeen">, assets: Money.Assets): FillView => {
  const { amountIn, amountOut, inputAsset, outputAsset, side } = event
  const exchange: Exchange =
    side === "BUY"
      ? { side, base: outputAsset, quote: inputAsset, baseAmount: amountOut, quoteAmount: amountIn }
      : { side, base: inputAsset, quote: outputAsset, baseAmount: amountIn, quoteAmount: amountOut }
  const { price, ...amounts } = exchanged(exchange, assets)
  return {
    sequence,
    at: event.filledAt,
    slot: slotKey(event.strategy, event.slot),
    placement: event.placement,
    market: `${exchange.base}/${exchange.quote}`,
    side,
    price: price ?? Decimal.format(event.price),
    ...amounts,
    fillId: event.fillId
  }
}

const rowOf = (
  trade: Trade,
  assets: Money.Assets,
  gridProfit: bigint | undefined,
  payout: Fee | undefined,
  life?: TradingRecord["orders"][number]
) => ({
  at: iso(trade.at),
  market: trade.market,
  slot: slotKey(trade.strategy, trade.slot),
  side: trade.side,
  limit: life === undefined ? null : Decimal.format(life.price),
  ...exchanged(trade, assets),
  /** The payout fee of its whole order; null until it is paid. */
  fee: payout === undefined ? null : Money.amountText(assets, payout.asset, payout.amount),
  feeAsset: payout?.asset ?? null,
  /** The share of the input that the service takes, by the order's answer; null if the answer has none. */
  echoedBasisPoints: life?.echoedBasisPoints ?? null,
  /** In quote, fees not deducted; null for a fill that only opens. */
  gridProfit: gridProfit === undefined ? null : Money.amountText(assets, trade.quote, gridProfit),
  gridProfitAsset: trade.quote,
  orderId: trade.orderId ?? null,
  fillId: trade.fillId
})

export const fillRows = (
  trades: ReadonlyArray<Trade>,
  { fees, orders }: TradingRecord,
  gridProfit: ReadonlyMap<string, bigint>,
  assets: Money.Assets
) => {
  const lives = new Map(orders.map((life) => [life.placement, life]))
  const payouts = payoutsIn(fees)
  return trades.map((trade) => {
    const { placement } = trade
    return rowOf(trade, assets, gridProfit.get(fillKey(trade)), payouts.get(placement), lives.get(placement))
  })
}

const payoutsIn = (fees: ReadonlyArray<Fee>): ReadonlyMap<string, Fee> =>
  new Map(fees.flatMap((fee) => (fee.kind === "payout" ? [[fee.placement, fee] as const] : [])))

export const filledOrders = (
  trades: ReadonlyArray<Trade>,
  { fees }: TradingRecord,
  gridProfit: ReadonlyMap<string, bigint>,
  assets: Money.Assets
) => {
  const payouts = payoutsIn(fees)
  const ordered = [...Map.groupBy(trades, ({ placement }) => placement)].flatMap(([placement, parts]) => {
    const last = parts.at(-1)
    return last === undefined ? [] : [{ placement, parts, last }]
  })
  return ordered
    .toSorted((a, b) => a.last.at - b.last.at)
    .map(({ placement, parts, last }) => {
      const sum = (of: (part: Trade) => bigint) => parts.reduce((total, part) => total + of(part), 0n)
      const whole = {
        ...last,
        baseAmount: sum((part) => part.baseAmount),
        quoteAmount: sum((part) => part.quoteAmount)
      }
      const earned = parts.flatMap((part) => gridProfit.get(fillKey(part)) ?? [])
      const profit = earned.length === 0 ? undefined : earned.reduce((total, each) => total + each, 0n)
      return { ...rowOf(whole, assets, profit, payouts.get(placement)), parts: parts.length }
    })
}

type FillRow = ReturnType<typeof rowOf> & { readonly parts?: number }

const priceText = (price: string | null): string =>
  price === null ? "" : Decimal.format(Decimal.fromNumber(Number(price), 8))

export const table = Table.of<FillRow>([
  { key: "at", title: "TIME", value: ({ at }) => at },
  { key: "market", value: ({ market }) => market },
  { key: "slot", title: "SLOT", value: ({ slot }) => slot },
  { key: "side", title: "SIDE", value: ({ side }) => side },
  { key: "limit", value: ({ limit }) => limit },
  { key: "price", title: Table.decimal("PRICE"), value: ({ price }) => price, text: ({ price }) => priceText(price) },
  {
    key: "paid",
    title: Table.decimal("PAID"),
    value: (row) => row.paid,
    text: (row) => `${row.paid} ${row.paidAsset}`
  },
  { key: "paidAsset", value: ({ paidAsset }) => paidAsset },
  {
    key: "received",
    title: Table.decimal("RECEIVED"),
    value: ({ received }) => received,
    text: (row) => `${row.received} ${row.receivedAsset}`
  },
  { key: "receivedAsset", value: ({ receivedAsset }) => receivedAsset },
  {
    key: "fee",
    title: Table.decimal("PAYOUT FEE"),
    value: ({ fee }) => fee,
    text: ({ fee, feeAsset }) => (fee === null ? "" : `${fee} ${feeAsset}`)
  },
  { key: "feeAsset", value: ({ feeAsset }) => feeAsset },
  { key: "orderId", value: ({ orderId }) => orderId },
  { key: "fillId", value: ({ fillId }) => fillId },
  {
    key: "gridProfit",
    title: Table.decimal("GRID PROFIT"),
    value: ({ gridProfit }) => gridProfit,
    text: (row) => (row.gridProfit === null ? "" : `${row.gridProfit} ${row.gridProfitAsset}`)
  },
  { key: "gridProfitAsset", value: ({ gridProfitAsset }) => gridProfitAsset },
  { key: "echoedBasisPoints", value: ({ echoedBasisPoints }) => echoedBasisPoints },
  { title: Table.right("FILLS"), value: ({ parts }) => parts }
])
