/** Boundaries in short: a sample of the operations of a life, each failing once. `npm run boundaries` takes all of them. */
import { assert, describe, it } from "@effect/vitest"
import { firstOf, isLong } from "../long.ts"
import { type Fault, live, type Policy, recordFaults, requestFaults } from "./Boundary.ts"
import { tell } from "./boundaryCases.ts"

/** Records of one order's life: its plan with its create, what it is bound to, its payment as it leaves, and the answer. */
const [created, acknowledged] = [4, 7]

/** The crash comes when the answer to the payment should be written; so many records before it are lost. */
const tails = (policy: Policy, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    life: { scenario: "order", policy } as const,
    fault: { on: "integrity", number: acknowledged, what: from + index } as const
  }))

describe("the boundaries of safe operation", () => {
  it.skipIf(!isLong)(
    "hold if a disk loses several promised records at once: no second payment, no wrong books",
    {
      timeout: 180_000
    },
    async () => {
      const failed: Array<string> = []
      for (const { fault, life } of [...tails("slow", 1, 4), ...tails("doubling", 1, 4)])
        await live(life, [fault]).catch((error: unknown) => failed.push(`${life.policy}, ${tell([fault])}: ${error}`))
      assert.deepStrictEqual(failed, [])
    }
  )

  it.skipIf(!isLong)(
    "hold if an old copy of the journal is put back: no second payment, no wrong books",
    {
      timeout: 180_000
    },
    async () => {
      const failed: Array<string> = []
      for (const [on, number, what] of [
        ["copy", 9, 4],
        ["copy", 18, 11],
        ["copy", 31, 27],
        ["folder", 7, 2],
        ["folder", 19, 6]
      ] as const)
        await live({ scenario: "ladder", policy: "prompt" }, [{ on, number, what }]).catch((error: unknown) =>
          failed.push(`${tell([{ on, number, what }])}: ${error}`)
        )
      assert.deepStrictEqual(failed, [])
    }
  )

  it("hold if any record fails from an order's plan to the answer to its payment: nothing is paid twice", async () => {
    const failed: Array<string> = []
    for (let number = created; number <= acknowledged; number += 1)
      for (const what of firstOf(2, recordFaults)) {
        const fault: Fault = { on: "record", number, what }
        await live({ scenario: "order", policy: "prompt" }, [fault]).catch((error: unknown) =>
          failed.push(`${tell([fault])}: ${error}`)
        )
      }
    assert.deepStrictEqual(failed, [])
  })

  it.skipIf(!isLong)("survive one failure each of a sample of the operations of a life", async () => {
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
