/**
 * `npm run torture`: every campaign one after the other, each in a process of its own, and a table of what they found. How
 * many of each is asked for with `--episodes`, `--fuzz`, `--attacks` and `--boundaries`; the machine does nothing else meanwhile.
 */
import { spawnSync } from "node:child_process"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { profiles } from "./Plan.ts"
import { expected } from "./Reached.ts"

const { values } = parseArgs({
  options: {
    episodes: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    fuzz: { type: "string", default: "2000" },
    attacks: { type: "string", default: "1/1" },
    boundaries: { type: "string", default: "1/1" },
    mutants: { type: "boolean", default: false }
  }
})
const root = resolve(import.meta.dirname, "../..")
const vitest = [resolve(root, "node_modules/vitest/vitest.mjs"), "run", "--test-timeout=600000"]

interface Campaign {
  readonly name: string
  readonly words: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
}

const campaigns: ReadonlyArray<Campaign> = [
  ...profiles.map((profile) => ({
    name: `bad world, ${profile}: ${values.episodes} episodes from seed ${values.seed}`,
    words: [
      "test/simulation/simulate.ts",
      ...["--seed", values.seed, "--episodes", values.episodes, "--profile", profile, "--json"]
    ]
  })),
  {
    name: `honest faults and kills: ${values.episodes} episodes from seed ${values.seed}`,
    words: [...vitest, "test/simulation/torture.test.ts"],
    env: { LIMITBOT_EPISODES: values.episodes, LIMITBOT_SEED: values.seed }
  },
  {
    name: `semantic attacks (part ${values.attacks})`,
    words: ["test/hostile/run.ts", "--part", values.attacks]
  },
  {
    name: `boundaries: every record and request fails once, and every write with every record (part ${values.boundaries})`,
    words: ["test/simulation/boundaries.ts", "--part", values.boundaries]
  },
  {
    name: "protocol: every interleaving",
    words: ["--max-old-space-size=8000", ...vitest, "test/model"],
    env: { LIMITBOT_MODEL: "whole" }
  },
  {
    name: `fuzz: ${values.fuzz} inputs for each reader`,
    words: [...vitest, "test/fuzz"],
    env: { LIMITBOT_FUZZ: values.fuzz }
  },
  {
    name: `fuzz guided by coverage: ${values.fuzz} inputs for each reader`,
    words: ["test/fuzz/guided.ts", "--inputs", values.fuzz]
  },
  ...(values.mutants ? [{ name: "mutants: each rule dropped from the code", words: ["test/mutants/run.ts"] }] : [])
]

/** What the episodes came upon, over all profiles. */
const reached = new Set<string>()
const noteReached = (stdout: string): string => {
  const attacks = /^\d+ attacks, .*$/m.exec(stdout)?.[0]
  if (attacks !== undefined) return `; ${attacks}`
  const line = stdout.split("\n").find((each) => each.startsWith("{"))
  if (line === undefined) return ""
  const { events, failures, reached: found, steps } = JSON.parse(line)
  for (const what of Object.keys(found)) reached.add(what)
  return `; ${steps} steps, ${events} events, ${failures} failed`
}

const rows = campaigns.map(({ env, name, words }) => {
  const begun = performance.now()
  const { status, stderr, stdout } = spawnSync(process.execPath, words, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: 2 ** 28
  })
  const seconds = Math.round((performance.now() - begun) / 1000)
  if (status !== 0) process.stdout.write(`${stdout}\n${stderr}\n`)
  return `${status === 0 ? "ok    " : "FAILED"}  ${String(seconds).padStart(6)} s  ${name}${noteReached(stdout)}`
})
const never = expected(profiles).filter((what) => !reached.has(what))
process.stdout.write(`${rows.join("\n")}\n`)
// A rule that nothing tried was not tested; a short campaign cannot reach everything.
process.stdout.write(`never came up: ${never.length === 0 ? "nothing" : never.join(", ")}\n`)
process.exitCode = rows.every((row) => row.startsWith("ok")) ? 0 : 1
