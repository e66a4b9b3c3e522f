/**
 * The account's transactions for the tax services Koinly and CoinTracking: one row for each fill, fee and written-off loss. Deposits to the
 * account and withdrawals from it are not in the journal; users import them from the account itself. Lost money that arrived after all
 * counts as never lost.
 */
import { type Amount, format } from "../../domain/Amount.ts"
import { iso } from "../../domain/Text.ts"
import type { Decimals } from "../PlainText.ts"
import type { Trade, TradingRecord } from "../Trades.ts"
import type { Period, Table } from "./Tables.ts"

export const taxServices = ["koinly", "cointracking"] as const
export type TaxService = (typeof taxServices)[number]

interface Money {
  readonly asset: string
  readonly amount: Amount
}

interface Transaction {
  readonly at: number
  readonly kind: "trade" | "fee" | "lost"
  readonly sent: Money
  readonly received?: Money
  readonly strategy: string
  readonly slot: string
  readonly id: string
}

const sidesOf = ({ base, baseAmount, quote, quoteAmount, side }: Trade): readonly [sent: Money, received: Money] => {
  const [ofBase, ofQuote] = [
    { asset: base, amount: baseAmount },
    { asset: quote, amount: quoteAmount }
  ]
  return side === "BUY" ? [ofQuote, ofBase] : [ofBase, ofQuote]
}

const transactionsOf = ({ fees, losses, trades }: TradingRecord, { from, to }: Period): ReadonlyArray<Transaction> => {
  const recoveries = new Set(losses.flatMap(({ loss, placement }) => (loss === "found" ? [placement] : [])))
  const all: ReadonlyArray<Transaction> = [
    ...trades.map((trade): Transaction => {
      const [sent, received] = sidesOf(trade)
      return { ...trade, kind: "trade", sent, received, id: `${trade.orderId ?? trade.placement}/${trade.fillId}` }
    }),
    ...fees.flatMap((fee): ReadonlyArray<Transaction> => {
      const { amount, asset, at, kind, placement, slot, strategy } = fee
      const id = `${kind} of ${placement}`
      return amount > 0n ? [{ at, kind: "fee", sent: { asset, amount }, strategy, slot, id }] : []
    }),
    ...losses.flatMap((trade): ReadonlyArray<Transaction> => {
      const [sent] = sidesOf(trade)
      // A fee in base is among the fees.
      const isLost = trade.loss === "given up" && !recoveries.has(trade.placement) && sent.amount > 0n
      return isLost ? [{ ...trade, kind: "lost", sent, id: trade.placement }] : []
    })
  ]
  return all.filter(({ at }) => at >= from && at < to).toSorted((a, b) => a.at - b.at)
}

const second = (at: number): string => iso(at).slice(0, 19).replace("T", " ")

type Cells = (
  transaction: Transaction,
  money: (of: Money | undefined) => ReadonlyArray<string>
) => ReadonlyArray<string>

const koinlyLabels = { trade: "", fee: "cost", lost: "lost" } as const
const coinTrackingTypes = { trade: "Trade", fee: "Other Fee", lost: "Lost" } as const

const services: Readonly<Record<TaxService, { readonly titles: string; readonly cells: Cells }>> = {
  // Koinly's universal template.
  koinly: {
    titles:
      "Date,Sent Amount,Sent Currency,Received Amount,Received Currency,Fee Amount,Fee Currency,Net Worth Amount,Net Worth Currency,Label,Description,TxHash",
    cells: ({ at, id, kind, received, sent, slot, strategy }, money) => [
      `${second(at)} UTC`,
      ...money(sent),
      ...money(received),
      ...["", "", "", ""],
      koinlyLabels[kind],
      `${strategy}/${slot} ${id}`,
      ""
    ]
  },
  // The columns that CoinTracking's import of comma-separated values needs.
  cointracking: {
    titles: "Type,Buy Amount,Buy Currency,Sell Amount,Sell Currency,Fee,Fee Currency,Exchange,Trade-Group,Comment,Date",
    cells: ({ at, id, kind, received, sent, slot, strategy }, money) => [
      coinTrackingTypes[kind],
      ...money(received),
      ...money(sent),
      ...["", ""],
      "limitbot",
      strategy,
      `${slot} ${id}`,
      second(at)
    ]
  }
}

export const tableOf = (
  service: TaxService,
  trading: TradingRecord,
  { decimals, span }: { readonly decimals: Decimals; readonly span: Period }
): Table => {
  const { cells, titles } = services[service]
  const money = (of: Money | undefined) =>
    of === undefined ? ["", ""] : [format(of.amount, decimals(of.asset)), of.asset]
  return {
    name: service,
    titles: titles.split(","),
    rows: transactionsOf(trading, span).map((each) => cells(each, money))
  }
}
