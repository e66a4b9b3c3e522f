/** A strategy that buys when it has no position buys again and again, live with the fees that the service takes and in a backtest. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as CrossingIndex from "../../src/candles/CrossingIndex.ts"
import { noCosts } from "../../src/lab/backtest/kernel/FillPresets.ts"
import * as FillRows from "../../src/lab/backtest/results/FillRows.ts"
import { waves } from "../lab/backtest/waves.ts"
import { parse } from "../world/bot/market.ts"
import { runOneMarket } from "../world/oneMarket.ts"
import { run } from "./Torture.ts"

const minuteMillis = 60_000
const closes = [1000, 1000, 1010, 1020, 1020, 1010]
const bars = 48

const rules = `name: s
market: SOL/USDC
kind: rules
limits: { budget: { quote: 3000 }, maxPriceDeviation: 20% }
rules:
  timeframe: 1m
  orders:
    in: { when: position == 0 SOL and mid < 1005, side: buy, price: mid * (1 + 0.3%), size: { base: 1 } }
    out: { when: position > 0 SOL and mid > 1015, side: sell, price: mid * (1 - 0.3%), size: { position: 100% } }
`

describe("a strategy that buys without a position", () => {
  it("buys in each wave of a backtest whose purchases pay fees in base", () => {
    const candles = waves(closes, bars)
    const costs = { ...noCosts, feeBasisPoints: 7, withdrawFee: { base: 123_456n, quote: 2_000n } }
    const { outcome } = runOneMarket(parse(rules), candles, CrossingIndex.linearIndices(candles), "optimistic", {
      costs,
      changes: {}
    })
    const bought = [...FillRows.rows(outcome, candles)].filter(({ side }) => side === "BUY")
    assert.strictEqual(bought.length, bars / closes.length)
    assert.strictEqual(outcome.base, 0n)
  })

  it("buys in each wave live, with the fees that the service takes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "limitbot-positions-"))
    const candles = join(folder, "sol.csv")
    const lines = Array.from({ length: bars }, (_, bar) => {
      const close = closes[bar % closes.length]
      return [Date.UTC(2026, 0, 1) + bar * minuteMillis, close, close, close, close, 1].join(",")
    })
    writeFileSync(candles, ["open_time_ms,open,high,low,close,volume", ...lines, ""].join("\n"))
    const { seen } = await run({
      seed: 1,
      chaosMillis: bars * minuteMillis,
      faultRate: 0,
      kills: 0,
      speed: 1,
      candles,
      sandbox: { stepMillis: minuteMillis },
      strategy: rules
    })
    rmSync(folder, { recursive: true })
    const purchases = seen.filter(({ side }) => side === "BUY")
    assert.isAtLeast(purchases.length, bars / closes.length - 1)
  })
})
