/** A few of the windows that `npm run coverage` measures with. */
import { assert, describe, it } from "@effect/vitest"
import { covered, minutesOf } from "./bandCoverage.ts"
import * as sharedData from "./sharedData.ts"

describe.skipIf(!sharedData.isPresent)(
  "the band over real minutes (skipped where the shared data are not here)",
  () => {
    for (const kind of ["ladder", "rebalance"])
      it(`${kind}: most live results lie between p5 and p95`, () => {
        const inside = Array.from({ length: 4 }, (_, seed) => covered(kind, seed + 1, minutesOf(seed))[0]?.inside ?? 0)
        assert.isAtLeast(inside.reduce((sum, share) => sum + share, 0) / inside.length, 0.75)
      })
  }
)
