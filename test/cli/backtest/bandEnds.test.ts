import { assert, describe, it } from "@effect/vitest"
import type { BarPath } from "../../../src/backtest/Envelope.ts"
import { endsOf } from "../../../src/cli/backtest/BacktestSummary.ts"

const modes = ["pessimistic", "optimistic"] as const
const paths: ReadonlyArray<BarPath> = ["bars", "low first", "high first", "drawn"]
const runs = modes.flatMap((mode) => [{ mode }, ...paths.map((path) => ({ mode, path }))])
const namesOf = (band: Parameters<typeof endsOf>[0]) => endsOf(band).map(({ name }) => name)

describe("the columns of a band", () => {
  it("never have the same title, whichever two runs are the lowest and the highest", () => {
    for (const low of runs) {
      for (const high of runs.map((run) => ({ ...run }))) {
        const names = namesOf({ low, high })
        assert.strictEqual(new Set(names).size, 2, names.join(" | "))
      }
    }
  })

  it("say which one is the lowest where both were drawn", () => {
    const drawn = () => ({ mode: "optimistic", path: "drawn" }) as const
    assert.deepStrictEqual(namesOf({ low: drawn(), high: drawn() }), [
      "lowest, between, drawn",
      "highest, between, drawn"
    ])
  })

  it("are one for a single run", () => {
    const [run = { mode: "pessimistic" }] = runs
    assert.deepStrictEqual(namesOf({ low: run, high: run }), ["pessimistic"])
  })
})
