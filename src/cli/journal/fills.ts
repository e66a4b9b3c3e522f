/** `limitbot fills`: every recorded fill, oldest first, with its price and what its payout cost. */
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Decimal from "../../domain/Decimal.ts"
import { iso } from "../../domain/Text.ts"
import * as Profit from "../../ledger/Profit.ts"
import type { Trade, TradingRecord } from "../../ledger/Trades.ts"
import * as Csv from "../../report/text/Csv.ts"
import * as Money from "../../report/text/Money.ts"
import * as Table from "../../report/text/Table.ts"
import * as flags from "../flags.ts"
import { withLedger } from "../money/LedgerView.ts"

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

const row = (trade: Trade, { fees, orders }: TradingRecord, realised: bigint | undefined, assets: Money.Assets) => {
  const [paidAsset, paid, receivedAsset, received] =
    trade.side === "SELL"
      ? [trade.base, trade.baseAmount, trade.quote, trade.quoteAmount]
      : [trade.quote, trade.quoteAmount, trade.base, trade.baseAmount]
  const price = priceOf(trade, assets)
  const limit = orders.find(({ placement }) => placement === trade.placement)?.price
  const payout = fees.findLast(({ placement, kind }) => placement === trade.placement && kind === "payout")
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

const table = (rows: ReadonlyArray<Row>): ReadonlyArray<string> =>
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

const titles = [
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

export const command = Command.make(
  "fills",
  {
    config: flags.config,
    strategy: Flag.String("strategy").pipe(Flag.withDescription("Only of this strategy"), Flag.optional),
    slot: Flag.String("slot").pipe(Flag.withDescription("Only of this slot, such as grid/cell-07"), Flag.optional),
    market: Flag.String("market").pipe(Flag.withDescription("Only of this market"), Flag.optional),
    since: Flag.String("since").pipe(
      Flag.withSchema(flags.DurationText),
      Flag.withDescription("Only of the last 30s, 5m, 6h, 7d"),
      Flag.optional
    ),
    csv: Flag.Boolean("csv").pipe(Flag.withDescription("Print comma-separated values"), Flag.withDefault(false)),
    json: flags.json
  },
  Effect.fn(function* ({ config, strategy, slot, market, since, csv, json }) {
    yield* withLedger(config, ({ trading, assets, now }) => {
      const is = (wanted: Option.Option<string>, value: string) => Option.getOrElse(wanted, () => value) === value
      const from = Option.match(since, { onNone: () => Number.NEGATIVE_INFINITY, onSome: (millis) => now - millis })
      const realised = Profit.realisedByFill(trading.trades, "average")
      const rows = trading.trades
        .filter(
          (trade) =>
            trade.at >= from &&
            is(strategy, trade.strategy) &&
            is(slot, `${trade.strategy}/${trade.slot}`) &&
            is(market, trade.market)
        )
        .map((trade) => row(trade, trading, realised.get(Profit.fillKey(trade)), assets))
      if (json) return Console.log(JSON.stringify(rows))
      if (csv) {
        const cells = rows.map((fill) => titles.map((title) => fill[title] ?? ""))
        return Console.log(Csv.render(titles, cells).trimEnd())
      }
      if (rows.length === 0) return Console.log("No fills yet.")
      return Console.log([...table(rows), "", "Realised by average cost, fees not deducted."].join("\n"))
    })
  })
).pipe(
  Command.withDescription("List the fills, oldest first"),
  Command.withExamples([
    { command: "limitbot fills --since 1d --csv", description: "Yesterday and today for a spreadsheet" }
  ])
)
