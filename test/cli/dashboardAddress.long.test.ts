/** Where the dashboard is: a terminal shows one line that opens it, whatever may be kept names the file of the token instead. */
import { existsSync, readFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { limitbot } from "../builtProgram.ts"
import { isLong } from "../long.ts"
import {
  assertSays,
  configText,
  guard,
  run,
  runHere,
  type Surroundings,
  startHere,
  startStill,
  workspace
} from "../world/processes/program.ts"
import { until } from "../world/processes/runningBot.ts"
import { ctrlC, hasTerminals, open } from "../world/processes/terminal.ts"

/** The program on a terminal of its own. */
const onTerminal: Surroundings = {
  through: [
    "sh",
    "-c",
    'stty cols 100 rows 40 2>/dev/null; exec script -qfec "stty cols 100 rows 40; $*" /dev/null',
    "sh"
  ],
  environment: { TERM: "xterm" }
}

const runGrid = ["run", "grid.yaml", "--config", "config.yaml"]
const started = async (dashboard: string) => {
  const sandbox = await startStill()
  return workspace(sandbox, { "config.yaml": `${configText(sandbox)}${dashboard}` })
}

describe.concurrent("the dashboard's address", () => {
  it.skipIf(!hasTerminals())(
    "is shown with its token on the screen, by `status`, by `dashboard` and at the end",
    async () => {
      const cwd = await started("dashboard: { port: 0 }\n")
      const command = [process.execPath, limitbot, ...runGrid].join(" ")
      const bot = open(command, { cwd, columns: 100, rows: 40, environment: { PATH: process.env["PATH"] } })
      const address = /http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}/
      const [link = ""] = address.exec(await bot.shows(address)) ?? []
      assert.strictEqual(link.split("#token=")[1], readFileSync(join(cwd, "journal.sqlite.token"), "utf8").trim())
      const status = await run(["status", "--config", "config.yaml"], { ...onTerminal, cwd })
      assert.include(status.stdout, link)
      const told = await run(["status", "--dashboard", "--config", "config.yaml"], { ...onTerminal, cwd })
      assert.include(told.stdout, link)
      bot.press(ctrlC)
      await bot.ended
      assert.match(bot.after(), /limitbot status --dashboard --config config\.yaml/)
    }
  )

  it("is in no log, pipe or journal with its token; they name the token's file instead", async () => {
    const cwd = await started("dashboard: { port: 0 }\n")
    const bot = startHere(runGrid, { cwd })
    await bot.says(/dashboard http:\/\/127\.0\.0\.1:\d+ /)
    guard(readFileSync(join(cwd, "journal.sqlite.token"), "utf8").trim())
    const where = /http:\/\/127\.0\.0\.1:\d+ {2}token in \S*journal\.sqlite\.token/
    assert.match((await runHere(["status", "--dashboard", "--config", "config.yaml"], { cwd })).stdout, where)
    assert.match((await runHere(["status", "--config", "config.yaml"], { cwd })).stdout, where)
    const { dashboard, tokenFile } = JSON.parse(
      (await runHere(["status", "--dashboard", "--config", "config.yaml", "--json"], { cwd })).stdout
    )
    assert.match(dashboard, /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.isTrue(existsSync(tokenFile))
    const refused = await (await fetch(`${dashboard}/api/v1/status`, { headers: { authorization: "Bearer x" } })).json()
    assert.include(refused.message, tokenFile)
    bot.signal("SIGTERM")
    await bot.ended
    assertSays(await runHere(["status", "--dashboard", "--config", "config.yaml"], { cwd }), 1, /No bot runs on /)
  })

  it.skipIf(!isLong)("lets `status` report the price delay; without a bot `status` omits it", async () => {
    const cwd = await started("dashboard: { port: 0 }\n")
    const bot = startHere(runGrid, { cwd })
    await bot.says(/dashboard http:\/\/127\.0\.0\.1:\d+ /)
    const status = async (...args: ReadonlyArray<string>) =>
      (await runHere(["status", "--config", "config.yaml", ...args], { cwd })).stdout
    const seen = /Price delay of BTC\/USDC: \d+\.\d s \(p50\), \d+\.\d s \(p99\)\./
    await until("status says it", async () => seen.test(await status()))
    const [market] = JSON.parse(await status("--json")).seenAfter
    assert.strictEqual(market.market, "BTC/USDC")
    assert.isTrue(market.p50Millis > 0 && market.p50Millis < market.p99Millis, JSON.stringify(market))
    bot.signal("SIGTERM")
    await bot.ended
    assert.notMatch(await status(), /Price delay/)
    assert.isNull(JSON.parse(await status("--json")).seenAfter)
  })

  it.skipIf(!isLong)("uses another port if the usual one is busy, unless the configuration names one", async () => {
    const taken = createServer()
    const take = () =>
      new Promise<boolean>((done) => {
        taken.once("error", () => done(false)).listen(8177, "127.0.0.1", () => done(true))
      })
    // A bot of another test may have it, and would give it away in the middle of this one.
    await until("the usual port is this test's", take)
    try {
      const cwd = await started("dashboard: {}\n")
      const bot = startHere(runGrid, { cwd })
      await bot.says(/dashboard http:\/\/127\.0\.0\.1:(?!8177)\d+ /)
      const named = await started("dashboard: { port: 8177 }\n")
      assertSays(
        await runHere([...runGrid, "--for", "1s"], { cwd: named }),
        1,
        /The dashboard cannot listen on 127\.0\.0\.1:8177/
      )
      const onPaper = startHere([...runGrid, "--dry-run", "--for", "1s"], { cwd: named })
      await onPaper.says(/dashboard http:\/\/127\.0\.0\.1:(?!8177)\d+ /)
      bot.signal("SIGTERM")
      await Promise.all([bot.ended, onPaper.ended])
    } finally {
      taken.close()
    }
  })
})
