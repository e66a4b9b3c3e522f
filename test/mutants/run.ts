/**
 * `npm run mutants`: takes each rule out of a copy of the program and runs the simulation on it until an invariant falls.
 * Prints which seed found which mutant; ends with exit code 1 when one survives, or the program itself fails. With
 * `--random` it makes small mistakes at random places instead and runs the tests (`random/random.ts`).
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs, stripVTControlCharacters } from "node:util"
import { type Mutant, mutants } from "./mutants.ts"
import * as random from "./random/random.ts"

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    seeds: { type: "string", default: "500" },
    random: { type: "boolean", default: false },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "50" },
    rooms: { type: "string", default: "" },
    limit: { type: "string", default: "900" },
    anew: { type: "boolean", default: false }
  }
})
const root = join(import.meta.dirname, "../..")
const most = Number(values.seeds)
const profiles = ["hostile", "safety"] as const
/** Several episodes share the start of a process; more of them, the longer nothing is found. */
const batches = [10, 40, 50, 100, 100, 100, 100]

const copyOf = ({ edits }: Mutant): string => {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-mutant-"))
  for (const name of ["src", "test", "bench", "package.json", "tsconfig.json", "vitest.config.ts"]) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  for (const { file, find, replace } of edits) {
    const path = join(folder, file)
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace(find, () => replace)
    )
  }
  return folder
}

/** The first test of the file that fails. */
const failedIn = (folder: string, test: string): string | undefined => {
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const run = spawnSync(process.execPath, [vitest, "run", test, "--test-timeout=60000"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, LIMITBOT_LONG: "yes" }
  })
  if (run.status === 0) return undefined
  const said = stripVTControlCharacters(`${run.stdout}\n${run.stderr}`)
  return (
    said
      .split("\n")
      .find((line) => /^ *FAIL/.test(line))
      ?.trim() ?? said.slice(0, 200)
  )
}

/** The first episode in which an invariant falls, in words. */
const foundIn = (folder: string, { including = [], profile, without = [] }: Mutant): string | undefined => {
  let seed = 1
  for (const batch of batches) {
    for (const each of profile === undefined ? profiles : [profile]) {
      const episodes = Math.min(batch, most - seed + 1)
      if (episodes <= 0) return undefined
      const command = `--seed ${seed} --episodes ${episodes} --minutes 2 --profile ${each} --first`.split(" ")
      const features = ["--including", including.join(","), "--without", without.join(",")]
      const args = ["test/simulation/simulate.ts", ...command, ...features]
      const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" })
      if (status === 0) continue
      const said = `${stdout}\n${stderr}`.split("\n").find((line) => /^seed \d+: /.test(line)) ?? stderr.slice(0, 200)
      return `${each} ${said}`
    }
    seed += batch
  }
  return undefined
}

const takeRulesOut = (): boolean => {
  let survivors = 0
  for (const mutant of mutants.filter(({ name }) => values.only.split(",").some((part) => name.includes(part)))) {
    const folder = copyOf(mutant)
    const found = mutant.test === undefined ? foundIn(folder, mutant) : failedIn(folder, mutant.test)
    rmSync(folder, { recursive: true, force: true })
    if (found === undefined) survivors += 1
    process.stdout.write(`${mutant.name}: ${found ?? `SURVIVED ${most} seeds`}\n`)
  }
  return survivors === 0
}

const makeMistakes = (): Promise<boolean> =>
  random.run({
    seed: Number(values.seed),
    count: Number(values.count),
    rooms: values.rooms.split(",").filter(Boolean),
    limitMillis: Number(values.limit) * 1_000,
    isAnew: values.anew
  })

process.exitCode = (values.random ? await makeMistakes() : takeRulesOut()) ? 0 : 1
