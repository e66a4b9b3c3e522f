import { assert, describe, it } from "@effect/vitest"
import type { Candles } from "../../src/backtest/Candles.ts"
import { type FillRules, isImmediate } from "../../src/backtest/FillRules.ts"
import * as Kernel from "../../src/backtest/Kernel.ts"
import type { Conditions } from "../../src/backtest/Run.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { naive } from "./NaiveKernel.ts"
import { anyRules, immediateRules, random, randomCandles, randomConditions } from "./RandomStrategies.ts"

const readable = ({ fills, table, slotNames }: Kernel.Outcome) =>
  Array.from({ length: fills.count }, (_, index) => {
    const row = table.rows[fills.orders[index] ?? -1]
    return row === undefined
      ? undefined
      : {
          bar: fills.bars[index],
          slot: slotNames[row.slot],
          side: row.side,
          price: Decimal.format(row.price),
          input: row.input,
          output: row.output
        }
  })

const comparable = (outcome: Kernel.Outcome) => ({
  fills: readable(outcome),
  base: outcome.base,
  quote: outcome.quote,
  fees: outcome.fees,
  counts: outcome.counts,
  openOrders: outcome.openOrders
})

const compare = (seed: number, conditions: Conditions, candles: Candles) => {
  const { touch } = conditions.rules
  const linear = Kernel.simulate(conditions, candles, Kernel.linearIndices(candles, touch))
  const indexed = Kernel.simulate(conditions, candles, Kernel.buildIndices(candles, touch))
  const { drawdown, ...expected } = naive(conditions, candles)
  assert.deepStrictEqual(comparable(linear), expected, `seed ${seed}: linear kernel against the plain loop`)
  assert.deepStrictEqual(comparable(indexed), comparable(linear), `seed ${seed}: index against linear`)
  assert.strictEqual(indexed.maxDrawdown, linear.maxDrawdown, `seed ${seed}: drawdown with index`)
  assert.closeTo(linear.maxDrawdown, drawdown, 1e-9, `seed ${seed}: drawdown`)
  return expected
}

const campaign = (seeds: number, rulesOf: (next: () => number) => FillRules) => {
  const seen = { fills: 0, cancelled: 0, deniedFunds: 0, deniedMinimum: 0, decisions: 0 }
  for (let seed = 1; seed <= seeds; seed++) {
    const next = random(seed)
    const rules = rulesOf(next)
    const { fills, counts } = compare(
      seed,
      randomConditions(seed, rules),
      randomCandles(next, 50 + Math.floor(next() * 300))
    )
    seen.fills += fills.length
    seen.cancelled += counts.cancelled
    seen.deniedFunds += counts.deniedFunds
    seen.deniedMinimum += counts.deniedMinimum
    seen.decisions += counts.decisions
  }
  for (const [what, count] of Object.entries(seen)) assert.isAbove(count, seeds, `the campaign exercised ${what}`)
}

describe("Kernel", () => {
  it(
    "equals a plain loop over bars and slots, with and without index: whole orders",
    () => campaign(40, immediateRules),
    60_000
  )

  it(
    "equals a plain loop over bars and slots, with and without index: parts, better prices, waiting times",
    () => campaign(40, anyRules),
    60_000
  )

  it("fills by slices as it fills whole orders when nothing sets them apart", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const next = random(seed)
      const rules = immediateRules(next)
      const candles = randomCandles(next, 600)
      const indices = Kernel.linearIndices(candles, rules.touch)
      const whole = Kernel.simulate(randomConditions(seed, rules), candles, indices)
      const byParts = { ...rules, volumeShare: 1e9 }
      const parts = Kernel.simulate(randomConditions(seed, byParts), { ...candles, volume: candles.high }, indices)
      assert.isTrue(isImmediate(rules) && !isImmediate(byParts))
      assert.deepStrictEqual(comparable(parts), comparable(whole), `seed ${seed}`)
    }
  })
})
