/**
 * Input for RP2 (a tax calculator). RP2 needs the whole history to match sales with purchases, so the year is chosen when RP2 runs. Capital
 * that came in as base counts as bought at its market value. RP2 reads doubles: at most eleven decimal places. It accepts lost coins only
 * at a price above zero. It cannot express that lost coins were found again, so such coins count as never lost.
 */
import { format } from "../../domain/Amount.ts"
import { iso } from "../../domain/Text.ts"
import type { LotMethod } from "../Lots.ts"
import type { Decimals } from "../PlainText.ts"
import type { Trade, TradingRecord } from "../Trades.ts"
import * as Ods from "./Ods.ts"
import { priceOf, taxPools } from "./Tables.ts"

const places = 11
/** The smallest price above zero with these places. Losses are written at this price. */
const minPrice = `0.${"1".padStart(places, "0")}`
const holder = "account"
const exchange = "limitbot"

const incoming = "timestamp,asset,exchange,holder,transaction_type,spot_price,crypto_in,unique_id,notes".split(",")
const outgoing =
  "timestamp,asset,exchange,holder,transaction_type,spot_price,crypto_out_no_fee,crypto_fee,unique_id,notes".split(",")
const between =
  "timestamp,asset,from_exchange,from_holder,to_exchange,to_holder,spot_price,crypto_sent,crypto_received,unique_id,notes".split(
    ","
  )

export const filesOf = (
  trading: TradingRecord,
  { decimals, method }: { readonly decimals: Decimals; readonly method: LotMethod }
): ReadonlyArray<{ readonly name: string; readonly content: string | Uint8Array }> => {
  const { losses } = trading
  const recoveries = new Set(losses.flatMap(({ loss, placement }) => (loss === "found" ? [placement] : [])))
  const lasting = {
    ...trading,
    losses: losses.filter(({ loss, placement }) => loss === undefined || !recoveries.has(placement))
  }
  const byAsset = Map.groupBy([...taxPools(lasting).values()].flat(), ({ base }) => base)
  if (byAsset.size === 0) return []
  return [
    { name: "rp2.ini", content: configuration([...byAsset.keys()]) },
    { name: "rp2.ods", content: Ods.render([...byAsset].map(([asset, trades]) => sheet(asset, trades, decimals))) },
    {
      name: "README.txt",
      content: `rp2_us -m ${method === "average" ? "fifo" : method} -o reports rp2.ini rp2.ods\nCosts are in the quote asset of each market. Fees of payouts are in fees.csv of --format csv.\n`
    }
  ]
}

const section = (name: string, columns: ReadonlyArray<string>): string =>
  `[${name}]\n${columns.map((column, index) => `${column} = ${index}`).join("\n")}\n`

const configuration = (assets: ReadonlyArray<string>): string =>
  [
    `[general]\nassets = ${assets.join(", ")}\nexchanges = ${exchange}\nholders = ${holder}\n`,
    section("in_header", incoming),
    section("out_header", outgoing),
    section("intra_header", between)
  ].join("\n")

const rowOf = (trade: Trade, decimals: Decimals, index: number): ReadonlyArray<Ods.SheetCell> => {
  const common = [iso(trade.at), trade.base, exchange, holder]
  // As precisely as RP2 reads it, so that price times quantity is the amount paid.
  const priceText = priceOf(trade, decimals, places) ?? "0"
  const price = { number: trade.loss === undefined ? priceText : minPrice }
  const quantity = { number: format(trade.baseAmount, decimals(trade.base)) }
  const id = `${trade.fillId}-${index}`
  return trade.side === "BUY"
    ? [...common, "Buy", price, quantity, id, trade.slot]
    : [...common, trade.loss === undefined ? "Sell" : "Lost", price, quantity, { number: "0" }, id, trade.slot]
}

const table = (name: string, titles: ReadonlyArray<string>, rows: Ods.Sheet["rows"]): Ods.Sheet["rows"] => [
  [name],
  titles,
  ...rows,
  ["TABLE END"]
]

const sheet = (asset: string, trades: ReadonlyArray<Trade>, decimals: Decimals): Ods.Sheet => {
  const rows = (side: Trade["side"]) =>
    trades.flatMap((trade, index) => (trade.side === side ? [rowOf(trade, decimals, index)] : []))
  const [bought, sold] = [table("IN", incoming, rows("BUY")), table("OUT", outgoing, rows("SELL"))]
  return { name: asset, rows: [...bought, [""], ...sold, [""], ...table("INTRA", between, [])] }
}
