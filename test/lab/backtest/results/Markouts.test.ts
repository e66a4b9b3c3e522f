/** The price after fills: a backtest says of its fills what the live report says of the same fills and prices. */
import { assert, describe, it } from "@effect/vitest"
import type { Candles } from "../../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../../src/candles/Generate.ts"
import { closeTime, openTime } from "../../../../src/candles/TimeAxis.ts"
import { noCosts } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import * as FillRows from "../../../../src/lab/backtest/results/FillRows.ts"
import { qualityOf } from "../../../../src/ledger/Quality.ts"
import { emptyRecord } from "../../../ledger/emptyRecord.ts"
import { strategyOf } from "../../../strategy/support.ts"
import { runOneMarket } from "../../../world/oneMarket.ts"

const minute = 60_000
const candlesOf = (stepMillis: number): Candles =>
  Generate.generate({ bars: 4_000, seed: 5, startMillis: Date.UTC(2021, 0, 1), stepMillis, startPrice: 1_000 })

const minutes = candlesOf(minute)

const text = `name: test
market: BTC/USDC
kind: grid
limits: { budget: { base: 1, quote: 9000 } }
grid: { lower: 960, upper: 1040, levels: 17, size: { base: 0.1 } }
`

const run = (candles: Candles) =>
  runOneMarket(strategyOf(text), candles, CrossingIndex.linearIndices(candles), "optimistic", {
    costs: { ...noCosts, feeBasisPoints: 20 },
    changes: {}
  })

describe("the price move after fills", () => {
  it("is the same in a backtest over minutes as in the live report", () => {
    const { outcome, parts } = run(minutes)
    const fills = [...FillRows.rows(outcome, minutes)]
    assert.isAbove(fills.length, 20)
    const trades = fills.map(({ openTime, side, input, output, fee }, index) => {
      const [baseAmount, quoteAmount] = side === "BUY" ? [output + fee, input] : [input, output + fee]
      const about = {
        strategy: "test",
        slot: "s",
        market: "BTC/USDC",
        base: "BTC",
        quote: "USDC",
        placement: `${index}`
      }
      return { ...about, at: openTime + minute / 2, fillId: `${index}`, side, baseAmount, quoteAmount }
    })
    const seen = Array.from(minutes.close, (close, bar) => ({
      ...{ openedAt: openTime(minutes.time, bar), close },
      ...{ low: minutes.low[bar] ?? 0, high: minutes.high[bar] ?? 0 }
    }))
    const decimals = (symbol: string): number => (symbol === "BTC" ? 8 : 6)
    const live = qualityOf(
      { ...emptyRecord, trades },
      { quote: "USDC", minutes: new Map([["BTC/USDC", seen]]), decimals }
    )
    const ofBacktest = FillRows.markoutsIn(parts)
    assert.deepStrictEqual(ofBacktest, live.markout)
    for (const ratio of Object.values(ofBacktest)) assert.isNotNull(ratio)
  })

  it("is in the list of fills", () => {
    const { outcome, parts } = run(minutes)
    const [header, first] = FillRows.csv(parts).split("\n")
    assert.strictEqual(header, "bar_index,open_time_ms,side,slot,price,base,quote,markout_1m,markout_5m,markout_60m")
    const [{ bar, side, price } = assert.fail()] = [...FillRows.rows(outcome, minutes)]
    const gains = [0, 4, 59].map((later) => {
      const gain = (minutes.close[bar + later] ?? 0) / (Number(price.digits) / 10 ** price.scale) - 1
      return side === "BUY" ? gain : -gain
    })
    const cells = first?.split(",").slice(-3).map(Number)
    for (const [index, gain] of gains.entries()) assert.closeTo(cells?.[index] ?? Number.NaN, gain, 1e-7)
  })

  it("is unknown for less than a bar after a fill", () => {
    const { "1m": soon, "5m": later, "60m": latest } = FillRows.markoutsIn(run(candlesOf(5 * minute)).parts)
    assert.isNull(soon)
    assert.isNotNull(later)
    assert.isNotNull(latest)
  })

  it("is unknown across a gap of the data", () => {
    const { outcome, parts } = run(minutes)
    const last = [...FillRows.rows(outcome, minutes)].at(-1)?.bar ?? assert.fail()
    assert.isBelow(last, minutes.time.bars)
    const [part = assert.fail()] = parts
    const cut = { ...part, candles: { ...part.candles, time: { ...part.candles.time, bars: last + 1 } } }
    const rows = FillRows.csv([cut]).trim().split("\n")
    assert.strictEqual(closeTime(minutes.time, last) - openTime(minutes.time, last), minute)
    assert.match(rows.at(-1) ?? "", /,[-\d.e]+,,$/)
  })
})
