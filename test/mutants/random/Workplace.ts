/** A copy of the tree in which files are changed and tests are run, beside everything that others do with the tree itself. */
import { execFileSync, spawn } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { root } from "./Rooms.ts"

/** All files of the tree, committed or not, except those that are built or downloaded. Tests read files of every folder. */
const filesOfTree = (): ReadonlyArray<string> =>
  execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter((file) => file !== "" && existsSync(join(root, file)))

/** `green`: every test passed. `late`: there was no time for all of them, and those that ran passed. */
export interface TestRun {
  readonly outcome: "green" | "failed" | "hangs" | "late"
  /** The name of the first test that failed, or of the last one that ended. */
  readonly test: string
}

export interface Workplace {
  readonly folder: string
  readonly write: (file: string, text: string) => void
  readonly run: (tests: ReadonlyArray<string>, settings: Settings) => Promise<TestRun>
  readonly end: () => void
}

/** No test of ours takes so long, even beside others: the mistake made a loop that never ends. */
const silenceMillis = 120_000

interface Settings {
  readonly limitMillis: number
  /** Tests that start processes need the program built. */
  readonly needsProgram: boolean
  readonly bail: boolean
  readonly environment?: Readonly<Record<string, string>>
}

/** The tests in the order in which they are given, transformed once for all runs. */
const configuration = (tests: ReadonlyArray<string>, { bail, needsProgram }: Settings): string => `
import { defineConfig } from "vitest/config"
const order = ${JSON.stringify(tests)}
const place = ({ moduleId }) => order.findIndex((test) => moduleId.endsWith(test))
class InOrder {
  async shard(all) { return all }
  async sort(all) { return all.toSorted((a, b) => place(a) - place(b)) }
}
export default defineConfig({
  test: {
    include: order, setupFiles: "test/setup.ts", isolate: false, maxWorkers: 1, bail: ${bail ? 1 : 0}, testTimeout: 60_000,
    ${needsProgram ? 'globalSetup: "test/buildProgram.ts",' : ""} fsModuleCache: true, fsModuleCachePath: ".modules",
    reporters: "verbose", sequence: { sequencer: InOrder }
  }
})
`

export const make = (): Workplace => {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-mutants-"))
  for (const file of filesOfTree()) cpSync(join(root, file), join(folder, file))
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"))
  return {
    folder,
    write: (file, text) => writeFileSync(join(folder, file), text),
    run: (tests, settings) => runTests(folder, tests, settings),
    end: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

const runTests = (folder: string, tests: ReadonlyArray<string>, settings: Settings): Promise<TestRun> =>
  new Promise((done) => {
    writeFileSync(join(folder, "mutants.config.ts"), configuration(tests, settings))
    const vitest = join(folder, "node_modules/vitest/vitest.mjs")
    // A group of its own: what it started ends with it.
    const child = spawn(process.execPath, [vitest, "run", "--config", "mutants.config.ts"], {
      cwd: folder,
      detached: true,
      env: { ...process.env, ...settings.environment, NO_COLOR: "1" }
    })
    let said = ""
    let outcome: TestRun["outcome"] | undefined
    let heardAt = Date.now()
    const ends = Date.now() + settings.limitMillis
    const hear = (data: Buffer) => {
      said += data
      heardAt = Date.now()
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    const timer = setInterval(() => {
      if (Date.now() < ends && Date.now() < heardAt + silenceMillis) return
      outcome = Date.now() < ends ? "hangs" : "late"
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    }, 1_000)
    child.on("close", (code) => {
      clearInterval(timer)
      const test = /FAIL +(.*)/.exec(said)?.[1] ?? said.trim().split("\n").at(-1) ?? ""
      done({ outcome: outcome ?? (code === 0 ? "green" : "failed"), test })
    })
  })
