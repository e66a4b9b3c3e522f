/**
 * `npm run boundaries`: every operation of a life fails once in every way (`each`), old copies of the journal are put back at every
 * record (`copies`), and every outcome of a write meets every
 * fault of a record (`matrix`), under each policy of the venue. `--part 2/5` takes every fifth case from the second on, so that
 * several machines, or several evenings, can share a campaign; `--minutes 4` stops each policy after four minutes, having taken
 * cases from everywhere. `--extent pairs` takes all pairs.
 */
import { parseArgs } from "node:util"
import { seeded } from "../../src/domain/Seeded.ts"
import { live, type Policy, policies, type Scenario } from "./Boundary.ts"
import { casesOf, type Extent, extents, tell } from "./boundaryCases.ts"

const { values } = parseArgs({
  options: {
    extent: { type: "string", default: "each,copies,matrix" },
    policy: { type: "string", default: Object.keys(policies).join() },
    part: { type: "string", default: "1/1" },
    minutes: { type: "string", default: "100000" }
  }
})
const isAsked = (list: string, name: string): boolean => list.split(",").includes(name)
const [part = 1, parts = 1] = values.part.split("/").map(Number)
/** A shorter life where the cases multiply. */
const scenarioOf: Readonly<Record<Extent, Scenario>> = {
  each: "ladder",
  copies: "ladder",
  matrix: "order",
  pairs: "order"
}

let failures = 0
for (const extent of extents.filter((name) => isAsked(values.extent, name))) {
  for (const policy of (Object.keys(policies) as ReadonlyArray<Policy>).filter((name) =>
    isAsked(values.policy, name)
  )) {
    const begun = performance.now()
    const life = { scenario: scenarioOf[extent], policy }
    const all = casesOf(extent, policy, await live(life, [])).filter((_, index) => index % parts === part - 1)
    // In no order that hides a whole kind of fault behind the end of the time.
    const dice = seeded(1)
    const cases = all.map((faults) => ({ faults, at: dice() })).toSorted((a, b) => a.at - b.at)
    let [taken, failed] = [0, 0]
    for (const { faults } of cases) {
      if (performance.now() - begun > Number(values.minutes) * 60_000) break
      taken += 1
      await live(life, faults).catch((error: unknown) => {
        failed += 1
        process.stdout.write(`${policy}, ${tell(faults)}: ${error}\n`)
      })
    }
    failures += failed
    const seconds = Math.round((performance.now() - begun) / 1000)
    process.stdout.write(
      `boundaries, ${extent}, ${policy}: ${taken} of ${all.length} cases, ${failed} failed, ${seconds} s\n`
    )
  }
}
process.exitCode = failures === 0 ? 0 : 1
