/** Whatever the program makes is for its user alone, however generous the umask is; a journal of before becomes so. */
import { execFile } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { limitbot } from "../builtProgram.ts"
import { start, startSandbox, workspace } from "../world/processes/program.ts"

const config = ["--config", "config.yaml"]

/** With a umask that takes nothing away. */
const runOpenly = (cwd: string, words: ReadonlyArray<string>) =>
  new Promise<void>((done, fail) =>
    execFile(
      "sh",
      ["-c", 'umask 000; exec "$0" "$@"', process.execPath, limitbot, ...words],
      { cwd },
      (error, _, stderr) => (error === null ? done() : fail(new Error(`${words[0]}: ${stderr}`)))
    )
  )

/** What others could read, write or enter. */
const openTo = (folder: string, ours: ReadonlySet<string>): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => !ours.has(name) && (statSync(join(folder, name)).mode & 0o077) !== 0
  )

describe("files", () => {
  it("are for their owner alone", async () => {
    const sandbox = await startSandbox()
    const cwd = workspace(sandbox)
    mkdirSync(join(cwd, "made"))
    const ours = new Set([...readdirSync(cwd), "made"])
    await runOpenly(cwd, ["run", "grid.yaml", ...config, "--for", "2s"])
    for (const words of [
      ["journal", "backup", "made/copy.sqlite"],
      ["export", "--format", "csv", "--out", "made/books"],
      ["evidence", "p1", "--offline", "--out", "made/evidence.json"],
      ["data", "generate", "made/candles.csv", "--bars", "100"]
    ]) {
      await runOpenly(cwd, words[0] === "data" ? words : [...words, ...config])
    }
    const made = readdirSync(cwd, { recursive: true, encoding: "utf8" })
    assert.includeMembers(made, ["journal.sqlite", "journal.sqlite.lease", "journal.sqlite.reserve", "made/books"])
    assert.deepStrictEqual(openTo(cwd, ours), [])

    chmodSync(join(cwd, "journal.sqlite"), 0o644)
    const bot = start(["run", "grid.yaml", ...config], { cwd })
    await bot.says("the order rests")
    assert.include(readdirSync(cwd), "journal.sqlite-wal")
    assert.deepStrictEqual(openTo(cwd, ours), [])
    bot.signal("SIGTERM")
    await bot.ended
  })
})
