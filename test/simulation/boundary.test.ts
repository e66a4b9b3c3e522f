/**
 * Every boundary of a life, one after the other: each record of the journal and each request fails once in each way. In
 * short a sample; `npm run boundaries` takes all of them, and `LIMITBOT_BOUNDARIES=pairs` all pairs of requests and records.
 */
import { assert, describe, it } from "@effect/vitest"
import { type Fault, live, type Policy, policies, recordFaults, requestFaults } from "./Boundary.ts"

const extent = process.env["LIMITBOT_BOUNDARIES"] ?? "sample"

const numbers = (count: number, step: number, first: number): ReadonlyArray<number> =>
  Array.from({ length: Math.ceil(count / step) }, (_, index) => 1 + ((first + index * step) % count))

/**
 * A record that is lost after the disk promised it is outside of what a payload with the service's nonce can survive, unless
 * the deposit shows before the next signature: so it is asked for only where deposits show promptly.
 */
const applies = (policy: Policy, what: Fault["what"]): boolean => what !== "lost" || policy === "prompt"

const casesOf = (policy: Policy, counts: { records: number; requests: number }): ReadonlyArray<Fault> => {
  const step = extent === "sample" ? Math.max(counts.records, counts.requests) : 1
  return [
    ...recordFaults.flatMap((what, index) =>
      applies(policy, what)
        ? numbers(counts.records, step, 9 + index * 7).map((number): Fault => ({ on: "record", number, what }))
        : []
    ),
    ...requestFaults.flatMap((what, index) =>
      numbers(counts.requests, step, 6 + index * 5).map((number): Fault => ({ on: "request", number, what }))
    )
  ]
}

const tell = (faults: ReadonlyArray<Fault>) =>
  faults.map(({ number, on, what }) => `${on} ${number} ${what}`).join(", ")

describe("boundaries", () => {
  for (const policy of extent === "sample" ? (["prompt"] as const) : (Object.keys(policies) as ReadonlyArray<Policy>)) {
    it(`each ${extent === "sample" ? "sampled " : ""}operation fails once while deposits are ${policy}`, {
      timeout: 36_000_000
    }, async () => {
      const counts = await live(policy, [])
      const single = casesOf(policy, counts).map((fault) => [fault])
      const pairs = single.flatMap(([first]) =>
        single.flatMap(([second]) => (first && second ? [[first, second]] : []))
      )
      const failed: Array<string> = []
      const cases = extent === "pairs" ? pairs : single
      for (const faults of cases) {
        await live(policy, faults).catch((error: unknown) => failed.push(`${tell(faults)}: ${error}`))
      }
      if (extent !== "sample")
        process.stdout.write(`boundaries, ${policy}: ${cases.length} cases, ${failed.length} failed\n`)
      assert.deepStrictEqual(failed, [])
    })
  }
})
