import { assert, describe, it } from "@effect/vitest"
import { seeded } from "../../../../src/domain/Seeded.ts"
import * as Quantiles from "../../../../src/lab/backtest/results/Quantiles.ts"

const drawn = (next: () => number, count: number): readonly [number, ...ReadonlyArray<number>] => {
  const values = Array.from({ length: count }, () => next() + next() + next())
  return [values[0] ?? 0, ...values.slice(1)]
}

describe("p5, p50 and p95 of equally drawn runs", () => {
  it("are whole ranks that leave the next run outside in two of twenty cases, for any number of runs", () => {
    const next = seeded(7)
    for (const runs of [19, 39, 199]) {
      let outside = 0
      const repeats = 4000
      for (let repeat = 0; repeat < repeats; repeat++) {
        const { p5, p95 } = Quantiles.of(drawn(next, runs))
        const [more] = drawn(next, 1)
        if (more < p5 || more > p95) outside++
      }
      assert.closeTo(outside / repeats, 0.1, 0.02, `${runs} runs`)
    }
  })

  it("stay together with more runs, unlike the lowest and the highest", () => {
    const next = seeded(8)
    const widths = (runs: number) => {
      let [middle, whole] = [0, 0]
      for (let repeat = 0; repeat < 300; repeat++) {
        const values = drawn(next, runs)
        const { p5, p95 } = Quantiles.of(values)
        middle += p95 - p5
        whole += Math.max(...values) - Math.min(...values)
      }
      return { middle, whole }
    }
    const [few, many] = [widths(39), widths(199)]
    assert.closeTo(many.middle / few.middle, 1, 0.05)
    assert.isAbove(many.whole / few.whole, 1.15)
  })

  it("are exact for amounts, and the lowest and the highest of a few", () => {
    const nineteen = Array.from({ length: 19 }, (_, index) => BigInt(index + 1) * 10n ** 18n).toReversed()
    assert.deepStrictEqual(Quantiles.of([nineteen[0] ?? 0n, ...nineteen.slice(1)]), {
      p5: 10n ** 18n,
      p50: 10n ** 19n,
      p95: 19n * 10n ** 18n
    })
    assert.deepStrictEqual(Quantiles.of([3n, 1n, 2n]), { p5: 1n, p50: 2n, p95: 3n })
    assert.deepStrictEqual(Quantiles.of([5n]), { p5: 5n, p50: 5n, p95: 5n })
  })

  it("are settled once each moves by at most a tenth of their distance, or by too little to matter", () => {
    const before = { p5: 0n, p50: 50n, p95: 100n }
    assert.isTrue(Quantiles.isSettled(before, { p5: 10n, p50: 41n, p95: 110n }, 0))
    assert.isFalse(Quantiles.isSettled(before, { p5: 0n, p50: 50n, p95: 112n }, 0))
    assert.isTrue(Quantiles.isSettled(before, { p5: 0n, p50: 50n, p95: 112n }, 12), "by no more than matters")
    assert.isTrue(Quantiles.isSettled({ p5: 1n, p50: 1n, p95: 1n }, { p5: 1n, p50: 1n, p95: 1n }, 0))
  })
})
