/** Flags of the commands that read candles and run strategies over them. */
import { Flag } from "effect/cli"
import { repairs } from "../../candles/csv/CandleChecks.ts"
import { mostSpreadBasisPoints } from "../../lab/backtest/kernel/FillRules.ts"
import * as FeeModel from "../../lab/runs/FeeModel.ts"
import * as flags from "../flags.ts"

const candles =
  "Candles or trades: CSV, plain or packed, Parquet or Feather; a pattern for several files; journal:FILE for prices that a bot recorded"

export const data = flags.file("data", candles)

export const dataOfMarkets = flags
  .fileFlag("data", `${candles}. For several markets MARKET=CSV for each`)
  .pipe(Flag.atLeast(1))

export const partFlags = {
  from: flags.text("from", "Start of the data to use: 2024-01-31, 2024-01-31T12:00:00Z or epoch milliseconds"),
  to: flags.text("to", "End of the data to use, not included"),
  repair: flags.text("repair", `Repair the data: ${repairs.join(", ")} (separated by commas), or all`),
  noCache: flags.toggle("no-cache", "Neither read nor write the column cache beside the data file")
}

export const configFlag = flags.text("config", "The configuration file; default: none, and every asset has 18 decimals")

export const ruleFlags = {
  touch: flags.choice(
    "touch",
    ["at", "through", "within", "close"],
    "A bar fills an order if it reaches its limit (at), goes beyond it (through), contains it (within) or closes there (close)"
  ),
  fillPrice: flags.choice(
    "fill-price",
    ["limit", "open", "arrival"],
    "The price of a fill: the limit, a bar's open, or the market on arrival"
  ),
  edgeBps: flags.figure("edge-bps", "How far beyond the limit the price must go, basis points", 0, 10_000),
  volumeShare: flags.figure("volume-share", "Our largest share of a bar's volume, 0 to 1; 0: no limit", 0, 1),
  feeBps: flags.figure(
    "fee-bps",
    "Fees of a fill, basis points of the output; default: as measured in the configuration's journal, else 20, or none with a partner credential",
    0,
    10_000
  ),
  spreadBps: flags.figure(
    "spread-bps",
    `From bid to ask, basis points; default: as measured in the configuration's journal, else ${FeeModel.sandboxSpreadBasisPoints}`,
    0,
    mostSpreadBasisPoints
  ),
  withdrawFee: flags.text(
    "withdraw-fee",
    "Fee of every payout as BASE,QUOTE amounts, for example 0.00001,0.5; with several markets, one amount for each base asset"
  ),
  refundFee: flags.text("refund-fee", "Fee of every refund as BASE,QUOTE amounts"),
  minimumQuote: flags.text("minimum-quote", "Smallest order that the venue takes, in quote")
}
