/** The probability of backtest overfitting, against the words of the paper, on noise, and where one trial is better. */
import { assert, describe, it } from "@effect/vitest"
import { seeded } from "../../../src/domain/Seeded.ts"
import * as Overfitting from "../../../src/lab/backtest/Overfitting.ts"

const noise = (seed: number, trials: number, periods: number, edge = 0) => {
  const next = seeded(seed)
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
  return Array.from({ length: trials }, (_, trial) =>
    Array.from({ length: periods }, () => 0.01 * normal() + (trial === 3 ? edge : 0))
  )
}

const halves = (blocks: ReadonlyArray<number>, size: number): ReadonlyArray<ReadonlyArray<number>> => {
  const [first, ...rest] = blocks
  if (size === 0) return [[]]
  if (first === undefined) return []
  return [...halves(rest, size - 1).map((half) => [first, ...half]), ...halves(rest, size)]
}

const naive = (returns: ReadonlyArray<ReadonlyArray<number>>, blocks: number): number => {
  const sharpe = (values: ReadonlyArray<number>) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    return mean / Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1))
  }
  const numbers = Array.from({ length: blocks }, (_, block) => block)
  const logits = halves(numbers, blocks / 2).map((half) => {
    const on = (isInside: boolean) =>
      returns.map((row) =>
        sharpe(row.filter((_, at) => half.includes(Math.floor((at * blocks) / row.length)) === isInside))
      )
    const [inside, outside] = [on(true), on(false)]
    const best = inside.indexOf(Math.max(...inside))
    const rank = outside.filter((value) => value <= (outside[best] ?? 0)).length / (returns.length + 1)
    return Math.log(rank / (1 - rank))
  })
  return logits.filter((logit) => logit <= 0).length / logits.length
}

describe("the probability of backtest overfitting", () => {
  it("equals the definition in the paper", () => {
    for (let seed = 1; seed <= 8; seed++) {
      const returns = noise(seed, 3 + seed, 60 + seed)
      const blocks = seed % 2 === 0 ? 6 : 8
      assert.strictEqual(Overfitting.probability(returns, blocks), naive(returns, blocks), `seed ${seed}`)
    }
  })

  it("is about a half on noise", () => {
    const found = Array.from({ length: 12 }, (_, seed) => Overfitting.probability(noise(seed + 1, 20, 160), 10) ?? 0)
    assert.closeTo(found.reduce((sum, each) => sum + each, 0) / found.length, 0.5, 0.15)
  })

  it("is about zero if one trial is truly better", () => {
    assert.isBelow(Overfitting.probability(noise(5, 20, 320, 0.006), 10) ?? 1, 0.02)
  })

  it("is undefined for one trial, or for few periods", () => {
    assert.isUndefined(Overfitting.probability(noise(1, 1, 100)))
    assert.isUndefined(Overfitting.probability(noise(1, 5, 10)))
    assert.strictEqual(Overfitting.blocksFor(1000), 16)
  })
})
