/** `npm run simulate`: runs episodes of the bad world and, where one fails, prints the smallest command that replays it. */
import { parseArgs } from "node:util"
import * as flags from "../world/flags.ts"
import { run } from "./Episode.ts"
import { Violation } from "./oracle/Judge.ts"
import { draw, type EpisodeOptions, type Feature, features, type Profile, profiles } from "./Plan.ts"
import { expected } from "./Reached.ts"

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    episodes: { type: "string", default: "1" },
    profile: { type: "string", default: "safety" },
    minutes: { type: "string" },
    without: { type: "string", default: "" },
    including: { type: "string", default: "" },
    first: { type: "boolean", default: false },
    /** One line an episode: two trees whose traces are equal behave alike. */
    traces: { type: "boolean", default: false },
    json: { type: "boolean", default: false }
  }
})

const print = (text: string) => process.stdout.write(`${text}\n`)

const profile: Profile = flags.oneOf("profile", values.profile, profiles)
const without: ReadonlyArray<Feature> = flags.several("without", values.without, features)
const including: ReadonlyArray<Feature> = flags.several("including", values.including, features)
const first = flags.whole("seed", values.seed, 0)
const count = flags.whole("episodes", values.episodes)
const minutes = values.minutes === undefined ? {} : { minutes: flags.figure("minutes", values.minutes, 0) }

/** The invariant that an episode violates, if it does. */
const failureOf = async (options: EpisodeOptions): Promise<{ invariant: string; text: string } | undefined> => {
  try {
    await run({ ...options, stacks: true })
    return undefined
  } catch (error) {
    if (error instanceof Violation) return { invariant: error.invariant, text: error.message }
    return { invariant: "crash", text: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

/** Leaves out features and time as long as the same invariant fails. */
const shrink = async (options: EpisodeOptions, invariant: string): Promise<EpisodeOptions> => {
  let smallest = options
  const consider = async (smaller: EpisodeOptions) => {
    if ((await failureOf(smaller))?.invariant === invariant) smallest = smaller
  }
  for (const feature of draw(options).has) {
    await consider({ ...smallest, without: [...(smallest.without ?? []), feature] })
  }
  for (const minutes of [2, 1]) if ((smallest.minutes ?? 4) > minutes) await consider({ ...smallest, minutes })
  return smallest
}

const commandOf = ({ including = [], minutes, profile, seed, without }: EpisodeOptions): string =>
  [
    `npm run simulate -- --seed ${seed} --profile ${profile}`,
    ...(minutes === undefined ? [] : [`--minutes ${minutes}`]),
    ...(including.length === 0 ? [] : [`--including ${including.join(",")}`]),
    ...(without === undefined || without.length === 0 ? [] : [`--without ${without.join(",")}`])
  ].join(" ")

const totals = { episodes: 0, failures: 0, steps: 0, events: 0, virtualMinutes: 0 }
const reached = new Map<string, number>()
const shrunk = new Set<string>()
const startedAt = performance.now()
for (let seed = first; seed < first + count; seed += 1) {
  const options: EpisodeOptions = {
    seed,
    profile,
    ...(without.length === 0 ? {} : { without }),
    ...(including.length === 0 ? {} : { including }),
    ...minutes
  }
  totals.episodes += 1
  try {
    const result = await run(options)
    totals.steps += result.steps
    totals.events += result.events
    totals.virtualMinutes += result.virtualMinutes
    for (const [what, times] of result.reached) reached.set(what, (reached.get(what) ?? 0) + times)
    if (count === 1 || values.traces)
      print(`seed ${seed}: ${result.steps} steps, ${result.events} events, trace ${result.trace}`)
  } catch {
    totals.failures += 1
    const failure = await failureOf(options)
    print(`seed ${seed}: ${failure?.text ?? "failed once, and not again: not deterministic"}`)
    if (values.first) break
    if (failure === undefined) continue
    // One of a kind is enough to look at.
    const isFirst = !shrunk.has(failure.invariant)
    shrunk.add(failure.invariant)
    print(`  replay: ${commandOf(isFirst ? await shrink(options, failure.invariant) : options)}`)
  }
}
if (count > 1) {
  const seconds = (performance.now() - startedAt) / 1000
  if (values.json) print(JSON.stringify({ profile, first, ...totals, seconds, reached: Object.fromEntries(reached) }))
  else {
    print(
      `${profile}: ${totals.episodes} episodes from seed ${first}, ${totals.failures} failed; ${totals.steps} steps, ${totals.events} events, ${Math.round(totals.virtualMinutes)} virtual minutes in ${Math.round(seconds)} s`
    )
    const never = expected([profile]).filter((what) => !reached.has(what))
    if (never.length > 0) print(`  never: ${never.join(", ")}`)
    for (const [what, times] of [...reached].toSorted(([a], [b]) => a.localeCompare(b))) print(`  ${times}  ${what}`)
  }
}
process.exitCode = totals.failures === 0 ? 0 : 1
