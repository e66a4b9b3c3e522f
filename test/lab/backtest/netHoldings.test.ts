/** The holdings that `rebalance` and `skim` count are the holdings in the books of the backtest: after fees, also after a year. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as CrossingIndex from "../../../src/candles/CrossingIndex.ts"
import { format } from "../../../src/domain/Amount.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as Backtest from "../../../src/lab/backtest/Backtest.ts"
import { type Costs, type FillMode, noCosts } from "../../../src/lab/backtest/kernel/FillPresets.ts"
import * as FillRows from "../../../src/lab/backtest/results/FillRows.ts"
import type { Decision } from "../../../src/strategy/Decision.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import * as StrategyFile from "../../../src/strategy/StrategyFile.ts"
import { runOneMarket } from "../../world/oneMarket.ts"
import { naive } from "./NaiveKernel.ts"
import { waves } from "./waves.ts"

const assets = [
  { symbol: "SOL", id: "sol", decimals: 9 },
  { symbol: "USDC", id: "usdc", decimals: 6 }
]

/** Two waves a day, ten percent up and down. */
const closes = Array.from({ length: 720 }, (_, minute) =>
  Number((100 + 10 * Math.sin((minute / 360) * Math.PI)).toFixed(2))
)
const year = waves(closes, 365 * 1440)
const indices = CrossingIndex.linearIndices(year)

const fees = { ...noCosts, feeBasisPoints: 20 }
const flat = { ...fees, withdrawFee: { base: 100_000n, quote: 10_000n }, refundFee: { base: 50_000n, quote: 5_000n } }

const strategyOf = (keys: string): Strategy => {
  const text = `name: s\nmarket: SOL/USDC\n${keys}`
  return Result.getOrThrow(StrategyFile.parse(text, "s.yaml", { assets, ticks: new Map() }))
}

const runOf = (keys: string, mode: FillMode, costs: Costs) => {
  const strategy = strategyOf(keys)
  let last: Decision | undefined
  const watched: Strategy = {
    ...strategy,
    decide: (view, memory) => {
      last = strategy.decide(view, memory)
      return last
    }
  }
  const side = runOneMarket(watched, year, indices, mode, { costs, changes: { volumeShare: 0 } })
  assert.isAbove(side.fills, 700)
  return { side, decision: last ?? assert.fail("it was not asked") }
}

const rebalance = `kind: rebalance
limits: { budget: { base: 100, quote: 10000 }, maxPriceDeviation: 50% }
rebalance: { target: 50%, band: 2% }
`

describe("after a year of fees", () => {
  for (const [mode, costs, title] of [
    ["optimistic", fees, "of fills"],
    ["pessimistic", fees, "of fills"],
    ["optimistic", flat, "of fills, payouts and refunds"],
    ["pessimistic", flat, "of fills, payouts and refunds"]
  ] as const)
    it(`${title}, ${mode}: the orders of a rebalance are at the edges of its band by the books`, () => {
      const { side, decision } = runOf(rebalance, mode, costs)
      const [base, quote] = [Number(side.outcome.base) / 1e9, Number(side.quote) / 1e6]
      const shares = decision.desired.map(({ legs: [{ price }] }) => {
        const value = base * Decimal.toNumber(price)
        return value / (value + quote)
      })
      assert.strictEqual(shares.length, 2)
      for (const [index, edge] of [0.48, 0.52].entries()) assert.closeTo(shares[index] ?? 0, edge, 1e-5)
    })

  it("skim sets aside the most quote that the books show above its ceiling", () => {
    const { side, decision } = runOf(`${rebalance}skim: 10200\n`, "optimistic", fees)
    let [quote, most] = [10_000_000_000n, 0n]
    for (const row of FillRows.rows(side.outcome, year)) {
      quote += row.side === "BUY" ? -row.input : row.output
      if (quote - 10_200_000_000n > most) most = quote - 10_200_000_000n
    }
    assert.isAbove(Number(most), 0)
    assert.include(decision.memory, { skim: format(most, 6) })
  })
})

describe("holdings after fees", () => {
  for (const mode of ["optimistic", "pessimistic"] as const)
    it(`give the kernel and the naive kernel the same fills, ${mode}`, () => {
      const strategy = strategyOf(`${rebalance}skim: 10200\n`)
      const candles = waves(closes, 4000)
      const options = { costs: flat, changes: { volumeShare: 0 } }
      const { outcome } = runOneMarket(strategy, candles, CrossingIndex.linearIndices(candles), mode, options)
      const expected = naive(Backtest.conditionsOf(strategy, candles, Backtest.rulesIn(mode, options)), candles)
      const found = [...FillRows.rows(outcome, candles)].map(({ bar, slotName, side, input, output }) => {
        return { bar, slot: slotName, side, input, output }
      })
      assert.isAbove(found.length, 10)
      assert.deepStrictEqual(
        found,
        expected.fills.map(({ price: _, ...fill }) => fill)
      )
    })
})
