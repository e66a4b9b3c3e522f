import { assert, describe as group, it } from "@effect/vitest"
import { describe, fillPresets } from "../../../../src/lab/backtest/kernel/FillPresets.ts"

group("the rules of fills as text", () => {
  it("the description of fill rules rounds drawn values", () => {
    const drawn = { edgeBasisPoints: 0.07453745696693659, placeMillis: 3874, volumeShare: 0.07 }
    const sentences = describe({ ...fillPresets.pessimistic, ...drawn }).join("\n")
    assert.match(sentences, /must be 0\.07 basis points beyond it\n/)
    assert.match(sentences, /at most 7 % of a bar's volume/)
    assert.match(sentences, /placing takes 0\.06 min, payout 1 min, cancelling 1 min/)
  })
})
