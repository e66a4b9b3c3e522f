/**
 * `npm run torture`: every campaign one after the other, each in a process of its own, and a table of what they found. How
 * many of each is asked for with `--episodes` and `--fuzz`; the machine does nothing else meanwhile.
 */
import { spawnSync } from "node:child_process"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { profiles } from "./Plan.ts"

const { values } = parseArgs({
  options: {
    episodes: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
    fuzz: { type: "string", default: "2000" },
    mutants: { type: "boolean", default: false }
  }
})
const root = resolve(import.meta.dirname, "../..")
const vitest = resolve(root, "node_modules/vitest/vitest.mjs")

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
      ...["--seed", values.seed, "--episodes", values.episodes, "--profile", profile]
    ]
  })),
  {
    name: `honest faults and kills: ${values.episodes} episodes from seed ${values.seed}`,
    words: [vitest, "run", "test/simulation/torture.test.ts"],
    env: { LIMITBOT_EPISODES: values.episodes, LIMITBOT_SEED: values.seed }
  },
  {
    name: "boundaries: every record and request of a life fails once in every way",
    words: [vitest, "run", "test/simulation/boundary.test.ts"],
    env: { LIMITBOT_BOUNDARIES: "all" }
  },
  {
    name: "protocol: every interleaving",
    words: ["--max-old-space-size=8000", vitest, "run", "test/model"],
    env: { LIMITBOT_MODEL: "whole" }
  },
  {
    name: `fuzz: ${values.fuzz} inputs for each reader`,
    words: [vitest, "run", "test/fuzz"],
    env: { LIMITBOT_FUZZ: values.fuzz }
  },
  ...(values.mutants ? [{ name: "mutants: each rule dropped from the code", words: ["test/mutants/run.ts"] }] : [])
]

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
  return `${status === 0 ? "ok    " : "FAILED"}  ${String(seconds).padStart(6)} s  ${name}`
})
process.stdout.write(`${rows.join("\n")}\n`)
process.exitCode = rows.every((row) => row.startsWith("ok")) ? 0 : 1
