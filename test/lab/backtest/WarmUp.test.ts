/** Indicators of a part of the data know what lies before it. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Candles from "../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../src/candles/Generate.ts"
import { conditionsOf } from "../../../src/lab/backtest/Backtest.ts"
import { touching } from "../../../src/lab/backtest/kernel/FillPresets.ts"
import * as Kernel from "../../../src/lab/backtest/kernel/Kernel.ts"
import * as WarmUp from "../../../src/lab/backtest/WarmUp.ts"
import type { Decide } from "../../../src/strategy/Strategy.ts"
import * as StrategyFile from "../../../src/strategy/StrategyFile.ts"
import { random } from "./RandomStrategies.ts"

const assets = ["BTC", "USDC"].map((symbol) => ({ symbol, id: symbol, decimals: 8 }))
const text = `name: warm
market: BTC/USDC
kind: rules
limits: { budget: { quote: 1000 } }
rules:
  timeframe: 5m
  orders:
    dip: { when: "close < sma(close, 12) and rsi(close(1m), 3) < 60", side: buy, price: mid * 0.995, size: { quote: 50 } }
`
const strategy = Result.getOrThrow(StrategyFile.parse(text, "warm.yaml", { assets, ticks: new Map() }))
const all = Generate.generate({ ...Generate.defaults, bars: 400, seed: 3 })

/** The last closed candles that each decision sees, by its moment. */
const seenOn = (candles: Candles.Candles) => {
  const seen = new Map<number, string>()
  const decide: Decide = (view, memory) => {
    const last = [...(view.candles ?? [])].map(([name, { columns, closed }]) => [
      name,
      [...columns.close.subarray(Math.max(0, closed - 12), closed)],
      [...columns.high.subarray(Math.max(0, closed - 12), closed)]
    ])
    seen.set(view.now, JSON.stringify(last))
    return { ...strategy.decide(view, memory), until: { onFill: false, barClose: "1m" } }
  }
  // It is asked at every close.
  const { stands: _, ...usual } = conditionsOf(strategy, candles, touching)
  const conditions = { ...usual, decide }
  Kernel.simulate(conditions, candles, CrossingIndex.linearIndices(candles))
  return seen
}

describe("warm-up", () => {
  const expected = seenOn(all)

  it("starts a part of the data with what lies before it, and not with what comes after it", () => {
    for (let seed = 1; seed <= 30; seed++) {
      const next = random(seed)
      const from = 60 + Math.floor(next() * 200)
      const part = Candles.slice(all, from, from + 40 + Math.floor(next() * 60))
      for (const [now, seen] of seenOn(part)) assert.strictEqual(seen, expected.get(now), `seed ${seed} at ${now}`)
    }
  })

  it("refuses data without volumes to a strategy that uses them", () => {
    const looks = text.replace("close < sma(close, 12)", "volume > 2 * sma(volume, 12)")
    const using = Result.getOrThrow(StrategyFile.parse(looks, "warm.yaml", { assets, ticks: new Map() }))
    const bare = { ...all, volume: Candles.column(all.bars) }
    assert.strictEqual(
      WarmUp.unusable(using, [Candles.slice(bare, 30, 200)]),
      "the strategy uses volumes of BTC/USDC, and the data have none; use data with volumes"
    )
    assert.isUndefined(WarmUp.unusable(using, [all]))
    assert.isUndefined(WarmUp.unusable(strategy, [bare]))
  })

  it("says how many candles are missing", () => {
    assert.deepStrictEqual(
      WarmUp.of(strategy, [Candles.slice(all, 30, 200)]).map(({ timeframe, before }) => [timeframe, before]),
      [
        ["5m", 6],
        ["1m", 30]
      ]
    )
    const [five] = WarmUp.sentences(strategy, [Candles.slice(all, 30, 200)])
    assert.match(
      five ?? "",
      /^warm-up: 13 candles of 5m are needed before the first bar, the data has 6: no signals until 7 more/
    )
    assert.deepStrictEqual(WarmUp.sentences(strategy, [Candles.slice(all, 65, 200)]), [])
  })
})
