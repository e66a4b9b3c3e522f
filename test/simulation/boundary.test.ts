/** Boundaries in short: a sample of the operations of a life, each failing once. `npm run boundaries` takes all of them. */
import { assert, describe, it } from "@effect/vitest"
import { type Fault, live, recordFaults, requestFaults } from "./Boundary.ts"
import { tell } from "./boundaryCases.ts"

describe("boundaries", () => {
  it("a sample of the operations of a life fails once each", { timeout: 120_000 }, async () => {
    const life = { scenario: "ladder", policy: "prompt" } as const
    const { records, requests } = await live(life, [])
    const cases: ReadonlyArray<Fault> = [
      ...recordFaults.map((what, index): Fault => ({ on: "record", number: 1 + ((9 + index * 7) % records), what })),
      ...requestFaults.map((what, index): Fault => ({ on: "request", number: 1 + ((6 + index * 5) % requests), what }))
    ]
    const failed: Array<string> = []
    for (const fault of cases)
      await live(life, [fault]).catch((error: unknown) => failed.push(`${tell([fault])}: ${error}`))
    assert.deepStrictEqual(failed, [])
  })
})
