/** A few of the windows that `npm run coverage` measures with. */
import { assert, describe, it } from "@effect/vitest"
import { covered, isInside, laws, sourceOf } from "./bandCoverage.ts"
import * as sharedData from "./sharedData.ts"

describe.skipIf(!sharedData.isPresent)(
  "the band over real prices, tested with solvers of another law (skipped without the shared data)",
  () => {
    for (const kind of ["ladder", "bracket"])
      it(`${kind}: most live results are between p5 and p95`, () => {
        const found = [3, 4].map((seed) => covered(kind, seed, sourceOf(seed), 1, laws))
        const inside = found.flatMap((each) => each.live.flat().map((gain) => isInside(each, gain)))
        assert.isAtLeast(inside.filter(Boolean).length / inside.length, 0.75)
      })
  }
)
