/** A service of systemd ends with 78 where another start would end alike, and its unit does not restart it then. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../../long.ts"
import { newFolder, runHere, startStill, workspace } from "../../world/processes/program.ts"

const deploy = resolve(import.meta.dirname, "../../../deploy")
/** As systemd sets it for the process that it starts. */
const asService = { SYSTEMD_EXEC_PID: String(process.pid) }

describe("exit codes", () => {
  it("include 78, after which no unit is restarted", () => {
    const units = readdirSync(deploy).filter((name) => name.endsWith(".service"))
    assert.isAtLeast(units.length, 2)
    for (const unit of units)
      assert.match(readFileSync(join(deploy, unit), "utf8"), /^RestartPreventExitStatus=(?:.* )?78$/m, unit)
  })

  it("are 78 for wrong files in services of bot and signer, and 1 elsewhere", async () => {
    const sandbox = await startStill()
    const cwd = workspace(sandbox, { "signer.yaml": "account: nobody", "wrong.yaml": "kind: nothing" })
    const commands = [
      ["run", "grid.yaml", "--config", "none.yaml"],
      ["run", "wrong.yaml", "--config", "config.yaml"],
      ["signer", "--socket", join(newFolder(), "s.sock"), "--config", "signer.yaml"]
    ]
    for (const words of commands) {
      const ended = await runHere(words, { cwd, environment: asService })
      assert.strictEqual(ended.code, 78, `${words.join(" ")}: ${ended.stderr}`)
      assert.strictEqual((await runHere(words, { cwd })).code, 1)
      assert.strictEqual((await runHere(words, { cwd, environment: { SYSTEMD_EXEC_PID: "1" } })).code, 1)
    }
  })

  it("of a service are 78 for a journal that is damaged, emptied or no database", async () => {
    const sandbox = await startStill()
    const cwd = workspace(sandbox)
    const bot = ["run", "grid.yaml", "--config", "config.yaml", "--for", "1s"]
    const run = () => runHere(bot, { cwd, environment: asService })
    assert.strictEqual((await run()).code, 0)
    const name = readdirSync(cwd).find((each) => each.endsWith(".sqlite")) ?? assert.fail("no journal")
    const whole = readFileSync(join(cwd, name))
    const damages = { "no database": Buffer.from("hello"), empty: Buffer.alloc(0), cut: whole.subarray(0, 9_000) }
    for (const [about, bytes] of Object.entries(damages)) {
      writeFileSync(join(cwd, name), bytes)
      const ended = await run()
      assert.strictEqual(ended.code, 78, `${about}: ${ended.stderr}`)
    }
  })

  it.skipIf(!isLong)(
    "of a service are 78 for a refused key, 1 for an unknown slot, and 0 at the end of --for",
    async () => {
      const sandbox = await startStill()
      const cwd = workspace(sandbox)
      const bot = ["run", "grid.yaml", "--config", "config.yaml", "--for", "2s"]
      const run = () => runHere(bot, { cwd, environment: asService })
      const well = await run()
      assert.strictEqual(well.code, 0, well.stderr)
      writeFileSync(join(cwd, "api.key"), "another-key-of-somebody")
      const refused = await runHere(["run", "grid.yaml", "--config", "config.yaml"], { cwd, environment: asService })
      assert.match(refused.stderr, /does not accept our credential/)
      assert.strictEqual(refused.code, 78)
      const unknown = await runHere(["explain", "grid/none", "--config", "config.yaml"], {
        cwd,
        environment: asService
      })
      assert.strictEqual(unknown.code, 1)
    }
  )
})
