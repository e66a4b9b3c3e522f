/**
 * The first hour with the program, as a person types it: a sandbox, a grid on it, an edit while it runs, a crash, another
 * start, a Ctrl-C through npm, and the accounts. `npm run first-hour` records it as docs/first-hour.txt.
 */
import { spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { delimiter, dirname, join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { limitbot } from "../builtProgram.ts"
import { newFolder, pause } from "../world/processes/processes.ts"
import { runHere } from "../world/processes/program.ts"
import * as terminal from "../world/processes/terminal.ts"

const root = resolve(import.meta.dirname, "../..")
const columns = 100

/** A clone as npm sees it: its `limitbot` script starts the built program. */
const cloned = (): string => {
  const folder = newFolder()
  for (const name of ["strategies", "config"]) cpSync(join(root, name), join(folder, name), { recursive: true })
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  const scripts = { limitbot: `exec "${process.execPath}" "${limitbot}"` }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "limitbot", version, private: true, scripts }))
  mkdirSync(join(folder, "bin"))
  return folder
}

const environment: NodeJS.ProcessEnv = {
  PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
  HOME: process.env["HOME"],
  npm_config_update_notifier: "false"
}

/** What was typed and seen, without what differs from machine to machine, and without the token. */
const recordOf = (folder: string) => {
  const lines: Array<string> = []
  const note = (text: string) => {
    const own = text
      .replaceAll(`${folder}/`, "")
      .replace(/journal \/\S+/g, "journal config/limitbot.sqlite")
      .replace(/#token=\S+/g, "#token=…")
    lines.push(own.trimEnd(), "")
  }
  return { lines, note }
}

describe.skipIf(!terminal.hasTerminals())("the first hour", () => {
  it("leads from a clone to a live grid: edited, killed, restarted, stopped by Ctrl-C, accounted for", async ({
    onTestFinished
  }) => {
    const folder = cloned()
    const { lines, note } = recordOf(folder)
    const type = async (args: string): Promise<string> => {
      const { stderr, stdout } = await runHere(args.split(" "), { cwd: folder })
      note(`$ limitbot ${args}\n${stdout}${stderr}`)
      return stdout + stderr
    }
    const sandbox = spawn(
      process.execPath,
      [limitbot, "sandbox", "--port", "0", "--speed", "300", "--seed", "3", "--write-config", "config/limitbot.yaml"],
      { cwd: folder, stdio: ["ignore", "pipe", "inherit"] }
    )
    onTestFinished(() => void sandbox.kill("SIGTERM"))
    note("$ limitbot sandbox --speed 300 --write-config config/limitbot.yaml &")
    await new Promise((ready) => sandbox.stdout.once("data", ready))

    const grid = join(folder, "strategies/grid.yaml")
    assert.include(await type("check strategies/grid.yaml"), "ok: btc-grid")
    assert.match(await type("plan strategies/grid.yaml"), /Plan: \d+ created/)

    const run = "npm run -s limitbot -- run strategies/grid.yaml --cancel-on-exit"
    const open = () => terminal.open(run, { cwd: folder, columns, rows: 40, environment })
    const picture = ({ screen }: terminal.Terminal, what: string) => note(`${what}\n${screen()}`)
    const first = open()
    const screen = await first.shows(/SELL.*open[\s\S]*── BTC\/USDC[\s\S]*BUY.*open/)
    for (const line of screen.split("\n")) assert.isAtMost(line.length, columns)
    picture(first, `$ ${run}`)

    const levels = Number(/levels: (\d+)/.exec(readFileSync(grid, "utf8"))?.[1])
    writeFileSync(grid, readFileSync(grid, "utf8").replace(/fundNearest: \d+/, "fundNearest: 3"))
    await first.shows(/outside the 3 nearest/)
    picture(first, "(the file is saved with fundNearest: 3)")
    writeFileSync(grid, readFileSync(grid, "utf8").replace(/levels: \d+/, "levels: many"))
    await first.shows(/The edited files are rejected, the old ones still run/)
    picture(first, "(the file is saved with levels: many)")
    writeFileSync(grid, readFileSync(grid, "utf8").replace("levels: many", `levels: ${levels}`))

    const { runningPid } = JSON.parse(await type("status --json"))
    lines.splice(-2)
    process.kill(runningPid, "SIGKILL")
    await first.ended
    note(`$ kill -9 ${runningPid}`)

    const second = open()
    await second.shows(/^ LIVE /m)
    await second.shows(/open/)
    picture(second, `$ ${run}`)
    await type("resolve")
    second.press(terminal.ctrlC)
    // npm hands the same key press on: it must not count twice.
    assert.strictEqual(await second.ended, 0, second.after())
    assert.match(second.after(), /0 unsettled orders, unexplained 0 BTC, 0 USDC/)
    note(`^C\n${second.after()}`)

    assert.match(await type("status"), /profit in USDC: {3}total .* earned today /)
    await type("fills")
    assert.match(await type("profit --by slot"), /REALISED/)
    assert.match(await type("reconcile"), /0 contradict/)
    await pause(0)
    const target = process.env["LIMITBOT_RECORD"]
    if (target !== undefined) writeFileSync(resolve(root, target), `${lines.join("\n").trimEnd()}\n`)
    assert.isTrue(existsSync(join(folder, "config/limitbot.sqlite")))
  })
})
