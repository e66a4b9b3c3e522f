/**
 * `npm run simulate:fleet`: episodes of an account whose owners change, and what they came to. With `--fence none` the journal takes
 * what anybody appends: that run shows what the fence is for, and fails.
 */
import { setImmediate } from "node:timers/promises"
import { parseArgs } from "node:util"
import type { Fence } from "../world/bot/MemoryJournals.ts"
import * as flags from "../world/flags.ts"
import { run } from "./Fleet.ts"
import { Violation } from "./oracle/Judge.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    episodes: { type: "string", default: "20" },
    minutes: { type: "string", default: "6" },
    fence: { type: "string", default: "epoch" }
  }
})
const fences: ReadonlyArray<Fence> = ["epoch", "sequence", "none"]
const fence = flags.oneOf("fence", values.fence, fences)
const [first, count] = [flags.whole("seed", values.seed, 0), flags.whole("episodes", values.episodes)]
const minutes = flags.figure("minutes", values.minutes, 0)

const fallen = new Map<string, number>()
const handovers = new Map<string, number>()
const totals = {
  fencedOff: 0,
  endedByPlacement: 0,
  failovers: 0,
  lostRecords: 0,
  sharedMillis: 0,
  longestSharedMillis: 0,
  deposits: 0,
  events: 0
}
let isStopped = false
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    isStopped = true
  })
let episodes = 0
// A campaign of hours that is ended tells what it came to.
for (let seed = first; seed < first + count && !isStopped; seed += 1) {
  episodes += 1
  // An episode never waits for the machine, so no signal would be heard in all of them.
  await setImmediate()
  try {
    const result = await run({ seed, minutes, fence })
    for (const [fate, times] of Object.entries(result.handovers))
      handovers.set(fate, (handovers.get(fate) ?? 0) + times)
    totals.fencedOff += result.fencedOff
    totals.endedByPlacement += result.endedByPlacement
    totals.failovers += result.failovers
    totals.lostRecords += result.lostRecords
    totals.sharedMillis += result.sharedMillis
    totals.longestSharedMillis = Math.max(totals.longestSharedMillis, result.longestSharedMillis)
    totals.deposits += result.deposits
    totals.events += result.events
  } catch (error) {
    const invariant = error instanceof Violation ? error.invariant : "crash"
    fallen.set(invariant, (fallen.get(invariant) ?? 0) + 1)
    process.stdout.write(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}\n`)
  }
}
const list = (counts: ReadonlyMap<string, number>) => [...counts].map(([what, times]) => `${times} ${what}`).join(", ")
const failed = [...fallen.values()].reduce((sum, times) => sum + times, 0)
process.stdout.write(`fence ${fence}: ${episodes} episodes from seed ${first}, ${failed} failed${failed > 0 ? ` (${list(fallen)})` : ""}
  owners replaced: ${list(handovers)}
  ${totals.fencedOff} stopped by the journal, ${totals.endedByPlacement} by the placement
  the database went on elsewhere ${totals.failovers} times, without ${totals.lostRecords} records
  two owners at once: ${Math.round(totals.sharedMillis / 1_000)} s in all, ${Math.round(totals.longestSharedMillis / 1_000)} s at most
  ${totals.deposits} payments, ${totals.events} events\n`)
process.exitCode = failed === 0 ? 0 : 1
