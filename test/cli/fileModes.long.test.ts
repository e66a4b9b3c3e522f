/** Whatever the program makes is for its user alone, however generous the umask is; a journal of before becomes so. */
import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { start, startStill, workspace } from "../world/processes/program.ts"

const config = ["--config", "config.yaml"]

/** With a umask that takes nothing away. */
const openly = { through: ["sh", "-c", 'umask 000; exec "$@"', "sh"] }

/** What others could read, write or enter. */
const openTo = (folder: string, ours: ReadonlySet<string>): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => !ours.has(name) && (statSync(join(folder, name)).mode & 0o077) !== 0
  )

describe("written files", () => {
  it("can be read by their owner alone", async () => {
    const sandbox = await startStill()
    const cwd = workspace(sandbox)
    mkdirSync(join(cwd, "made"))
    const ours = new Set([...readdirSync(cwd), "made"])
    const first = start(["run", "grid.yaml", ...config], { cwd, ...openly })
    await first.says("the order is open")
    first.signal("SIGTERM")
    assert.strictEqual((await first.ended).code, 0)
    for (const words of [
      ["journal", "backup", "made/copy.sqlite"],
      ["export", "--format", "csv", "--out", "made/books"],
      ["orders", "p1", "--offline", "--out", "made/evidence.json"],
      ["data", "generate", "made/candles.csv", "--bars", "100"]
    ]) {
      const made = await start(words[0] === "data" ? words : [...words, ...config], { cwd, ...openly }).ended
      assert.strictEqual(made.code, 0, `${words[0]}: ${made.stderr}`)
    }
    const made = readdirSync(cwd, { recursive: true, encoding: "utf8" })
    assert.includeMembers(made, ["journal.sqlite", "journal.sqlite.lease", "journal.sqlite.reserve", "made/books"])
    assert.deepStrictEqual(openTo(cwd, ours), [])

    chmodSync(join(cwd, "journal.sqlite"), 0o644)
    const bot = start(["run", "grid.yaml", ...config, "--json"], { cwd })
    await bot.says('"BotStarted"')
    assert.include(readdirSync(cwd), "journal.sqlite-wal")
    assert.deepStrictEqual(openTo(cwd, ours), [])
    bot.signal("SIGTERM")
    await bot.ended
  })
})
