import { assert, describe, it } from "@effect/vitest"
import * as Statistics from "../../../../src/lab/backtest/results/Statistics.ts"

describe("Statistics", () => {
  it("computes ratios that a person can check", () => {
    const equity = [100, 110, 99, 108.9]
    const returns = [0.1, -0.1, 0.1]
    const mean = 0.1 / 3
    const deviation = Math.sqrt(returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 2)
    const found = Statistics.of(equity, { periodsPerYear: 12, years: 0.25 })
    assert.closeTo(found.totalReturn, 0.089, 1e-12)
    assert.closeTo(found.yearlyReturn, 1.089 ** 4 - 1, 1e-12)
    assert.closeTo(found.volatility, deviation * Math.sqrt(12), 1e-12)
    assert.closeTo(found.sharpe, (mean / deviation) * Math.sqrt(12), 1e-12)
    assert.closeTo(found.sortino, (mean * 12) / Math.sqrt((0.01 / 3) * 12), 1e-12)
    assert.closeTo(found.maxDrawdown, 0.1, 1e-12)
  })

  it("knows the normal distribution", () => {
    for (const [z, probability] of [
      [0, 0.5],
      [1, 0.841344746],
      [-1.96, 0.024997895],
      [2.5, 0.993790335]
    ] as const) {
      assert.closeTo(Statistics.normalProbability(z), probability, 2e-7)
      assert.closeTo(Statistics.normalQuantile(probability), z, 1e-5)
    }
  })

  it("reproduces the published example of the deflated Sharpe ratio", () => {
    // Bailey and López de Prado (2014): 100 trials, variance of yearly ratios 1/2, 250 days a year: expected best 0.1132.
    const spread = Math.sqrt(0.5 / 250)
    const half = Math.sqrt(99 / 100) * spread
    const sharpes = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? half : -half))
    assert.closeTo(Statistics.luckySharpe(sharpes), 0.1132, 1e-4)
  })

  it("trusts a result less the more settings are tried", () => {
    const returns = Array.from({ length: 300 }, (_, index) => 0.002 + (index % 2 === 0 ? 0.01 : -0.01))
    const few = Array.from({ length: 5 }, (_, index) => index * 0.05)
    const many = Array.from({ length: 500 }, (_, index) => (index % 5) * 0.05)
    assert.isAbove(Statistics.deflatedSharpe(returns, few), Statistics.deflatedSharpe(returns, many))
    const after = [1, 2, 10, 1000].map((trials) => Statistics.deflatedAfter(returns, trials))
    assert.deepStrictEqual(
      after,
      after.toSorted((a, b) => b - a)
    )
    assert.strictEqual(after[0], Statistics.deflatedSharpe(returns, []))
    assert.isAbove(
      Statistics.of([1, 1.1, 1.2, 1.3, 1.5], { periodsPerYear: 365, years: 4 / 365 }).probabilisticSharpe,
      0.9
    )
  })

  it("gives numbers for series without movement or length", () => {
    for (const equity of [[], [1], [1, 1], [1, 1, 1, 1], [0, 0, 0]])
      for (const value of Object.values(Statistics.of(equity, { periodsPerYear: 365, years: 1 })))
        assert.isTrue(Number.isFinite(value), `${equity}`)
  })
})
