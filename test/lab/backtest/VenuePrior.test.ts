import { assert, describe, it } from "@effect/vitest"
import { seeded } from "../../../src/domain/Seeded.ts"
import { fillPresets } from "../../../src/lab/backtest/kernel/FillPresets.ts"
import type { FillRules } from "../../../src/lab/backtest/kernel/FillRules.ts"
import * as VenuePrior from "../../../src/lab/backtest/VenuePrior.ts"

const sides = [fillPresets.optimistic, fillPresets.pessimistic] as const

const drawn = (options: Parameters<typeof VenuePrior.describe>[0]): ReadonlyArray<Partial<FillRules>> => {
  const next = seeded(5)
  return Array.from({ length: 2000 }, () => VenuePrior.draw(options, sides, next))
}

const share = <A>(all: ReadonlyArray<A>, holds: (each: A) => boolean): number => all.filter(holds).length / all.length

describe("the assumptions of simulated runs about the venue", () => {
  it("are stated: margins of 0 to 30 basis points, both ends included", () => {
    const margins = drawn({ changes: {} }).map(({ edgeBasisPoints = -1 }) => edgeBasisPoints)
    assert.deepStrictEqual([Math.min(...margins), Math.max(...margins)], [0, 30])
    assert.approximately(
      share(margins, (each) => each === 0),
      1 / 8,
      0.02
    )
    assert.approximately(
      share(margins, (each) => each > 10 && each < 20),
      10 / 40,
      0.03
    )
    assert.strictEqual(
      VenuePrior.describe({ changes: {} }),
      "prior: margin 0–30 bps, half the spread 0–10 bps, placing 0–30 s, payout 0–60 s, cancelling 0–60 s"
    )
  })

  it("use measurements if there are enough, and flags before measurements", () => {
    const measured = {
      optimistic: { edgeBasisPoints: 12, payoutMillis: 3000 },
      pessimistic: { edgeBasisPoints: 17.5, payoutMillis: 41_000 }
    }
    for (const { edgeBasisPoints = 0, payoutMillis = 0 } of drawn({ changes: {}, measured })) {
      assert.isTrue(edgeBasisPoints >= 12 && edgeBasisPoints <= 17.5)
      assert.isTrue(payoutMillis >= 3000 && payoutMillis <= 41_000)
    }
    assert.strictEqual(
      VenuePrior.describe({ changes: { edgeBasisPoints: 5 }, measured }),
      "measured: payout 3–41 s; given: margin 5 bps; prior: half the spread 0–10 bps, placing 0–30 s, cancelling 0–60 s"
    )
    assert.isTrue(drawn({ changes: { edgeBasisPoints: 5 } }).every(({ edgeBasisPoints }) => edgeBasisPoints === 5))
  })
})
