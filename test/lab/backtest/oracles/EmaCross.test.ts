/**
 * An acceptance test of another engine: two exponential averages that cross, on ten thousand minutes, with the number of
 * orders and the balance to the last digit as it publishes them.
 *
 * Its rules by the names of ours: `price: arrival`, a marketable order fills at the close at which it is decided. Of its own
 * are two: fees are a thousandth of the value in quote beside the order, where ours come off what a fill brings in, so they
 * are summed from the kernel's fills; and its averages count from the twentieth candle, where ours hide what is not yet
 * settled, so that the first candle is repeated before the others, which leaves every average as it is.
 */

import { assert, describe, it } from "@effect/vitest"
import * as Candles from "../../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Resample from "../../../../src/candles/Resample.ts"
import * as TimeAxis from "../../../../src/candles/TimeAxis.ts"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import * as Kernel from "../../../../src/lab/backtest/kernel/Kernel.ts"
import * as FillRows from "../../../../src/lab/backtest/results/FillRows.ts"
import { type CandleColumns, ema, warmUp } from "../../../../src/strategy/Indicators.ts"
import * as sharedData from "../sharedData.ts"
import { feesOf, flipping } from "./flips.ts"
import { baseOf, conditionsOf, market, priceOf, quoteOf } from "./oracle.ts"

const [fast, slow] = [10, 20]
const before = warmUp.ema(slow) - 1

const withFirstRepeated = (candles: Candles.Candles): Candles.Candles => {
  const repeated = (values: Candles.Column) =>
    Candles.columnOf([...Array.from({ length: before }, () => candles.close[0] ?? 0), ...values])
  const bars = candles.bars + before
  const start = TimeAxis.openTime(candles.time, 0) - before * 60_000
  return {
    bars,
    priceScale: candles.priceScale,
    time: TimeAxis.regular(bars, start, 60_000),
    open: repeated(candles.open),
    high: repeated(candles.high),
    low: repeated(candles.low),
    close: repeated(candles.close),
    volume: repeated(candles.volume)
  }
}

/** Long from where the fast one is no lower, short from where it is lower. A candle that did not move says nothing. */
const crossings = ({ open, high, low, close }: CandleColumns): ReadonlyArray<number> => {
  const [quick, steady] = [ema(close, fast), ema(close, slow)]
  let position = 0
  return Array.from(close, (now, at) => {
    const moved = open[at] !== now || high[at] !== now || low[at] !== now
    if (!moved || at < before + slow - 1) return 0
    const side = (quick[at] ?? 0) >= (steady[at] ?? 0) ? 1 : -1
    if (side === position) return 0
    position = side
    return side
  })
}

interface EmaOracle {
  readonly cases: ReadonlyArray<{ readonly qty: string; readonly orders: number; readonly final_usdt: string }>
}

describe.skipIf(!sharedData.isPresent)("backtests compared with an oracle of crossing exponential averages", () => {
  const { cases }: EmaOracle = sharedData.isPresent
    ? JSON.parse(sharedData.text("oracle-nautilus-ema.json"))
    : { cases: [] }
  for (const [index, parts] of [1, 4].entries()) {
    it(`positions of ${parts} order${parts === 1 ? "" : "s"} each give as many orders, and the same balance to the last digit`, () => {
      const { qty = "", orders, final_usdt: balance } = cases[index] ?? {}
      const all = sharedData.candles("btc-perp-1m-20211231-20220201.csv.gz")
      const candles = withFirstRepeated(Candles.slice(all, 0, 10_000))
      const decide = flipping({
        signals: crossings,
        size: () => Number(qty),
        parts,
        last: candles.bars - 1,
        limit: (_, close) => priceOf(close)
      })
      const conditions = conditionsOf(decide)
      const outcome = Kernel.simulate(
        {
          ...conditions,
          rules: { ...conditions.rules, price: "arrival" },
          budget: { base: baseOf(10), quote: quoteOf(10_000_000) },
          timeframes: new Map([["1m", Resample.of(candles, 60_000)]])
        },
        candles,
        CrossingIndex.linearIndices(candles)
      )
      assert.strictEqual(outcome.counts.placed, orders)
      assert.strictEqual(outcome.fills.count, orders)
      assert.strictEqual(outcome.base, baseOf(10))
      const left = outcome.quote - feesOf([...FillRows.rows(outcome, candles)])
      assert.strictEqual(
        left,
        Decimal.multiply(
          Decimal.parse(balance ?? "") ?? Decimal.zero,
          Decimal.make(10n ** BigInt(market.quote.decimals))
        ).digits
      )
    })
  }
})
