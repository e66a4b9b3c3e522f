/** The bot at the command line while it runs: how it starts, what it says, and how it leaves. */
import { randomBytes } from "node:crypto"
import { readdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import bs58 from "bs58"
import { isLong } from "../long.ts"
import {
  assertSays,
  configText,
  control,
  gridText,
  newFolder,
  nowhere,
  ordersAt,
  run,
  runHere,
  start,
  startHere,
  startSandbox,
  startStill,
  workspace
} from "../world/processes/program.ts"
import { recordingProxy } from "../world/processes/recordingProxy.ts"

const runGrid = ["run", "grid.yaml", "--config", "config.yaml"]
const last = (text: string): string => text.trimEnd().split("\n").at(-1) ?? ""

/** A temporary directory in which a program is to leave nothing behind. */
const temporaryFiles = () => {
  const folder = newFolder()
  const isClean = () => assert.deepStrictEqual(readdirSync(folder), [])
  return { temporary: { environment: { TMPDIR: folder } }, isClean }
}

describe.concurrent("limitbot run", () => {
  it.skipIf(!isLong)(
    "locks its journal, answers other commands, leaves its orders open, and cancels them on demand",
    async () => {
      const sandbox = await startStill()
      const cwd = workspace(sandbox, {
        "elsewhere.yaml": configText({ ...sandbox, url: nowhere.url }),
        "other.key": `ed25519:${bs58.encode(randomBytes(32))}\n`,
        "other.yaml": configText(sandbox).replace("account.key", "other.key"),
        // Another symbol for the same asset would count the budget twice.
        "renamed.yaml": configText(sandbox).replace("BTC:", "XBT:"),
        "xbt-grid.yaml": gridText.replace("BTC/", "XBT/"),
        "swapped.yaml": configText(sandbox).replace(
          /"nep141:btc\.omft\.(\w+)", +decimals: 8/,
          '"nep141:eth.omft.$1", decimals: 18'
        )
      })
      const bot = startHere([...runGrid, "--log-level", "all"], { cwd })
      await bot.says("the order is open", 20)

      const second = await run(runGrid, { cwd })
      assertSays(second, 1, new RegExp(`journal\\.sqlite is in use by process ${bot.pid} since \\d{4}-`))
      const status = await runHere(["status", "--config", "config.yaml"], { cwd })
      assert.include(status.stdout, `running as process ${bot.pid} for`)
      const rows = status.stdout.split("\n").filter((line) => line.startsWith("grid/cell-"))
      assert.lengthOf(rows, 20)
      for (const row of rows) assert.match(row, /^grid\/cell-\d\d +(BUY|SELL) +\d+00 +0\.005 +BTC /)
      const explained = await runHere(["explain", "grid/nowhere", "--config", "config.yaml"], { cwd })
      assertSays(explained, 1, /No slot grid\/nowhere\. Slots: grid\/cell-00, /)

      bot.signal("SIGINT")
      const left = await bot.ended
      assert.strictEqual(left.code, 0)
      assert.match(left.stdout, /orders stay open[^.]*safe unattended until\n\d{4}-\d\d-\d\d [\d:]+ UTC,/)
      assertSays(await runHere(["run", "grid.yaml", "--config", "elsewhere.yaml"], { cwd }), 1, /belongs to the venue /)
      assertSays(await runHere(["run", "grid.yaml", "--config", "other.yaml"], { cwd }), 1, /belongs to the account /)
      const renamed = await runHere(["run", "xbt-grid.yaml", "--config", "renamed.yaml"], { cwd })
      assertSays(
        renamed,
        1,
        /has money or orders of BTC, which is nep141:btc\.omft\.\w+, but the configuration says that this is XBT/
      )
      const swapped = await runHere(["run", "grid.yaml", "--config", "swapped.yaml"], { cwd })
      assertSays(swapped, 1, /has money or orders of BTC, .* says that it is nep141:eth\.omft\.\w+/)

      const closed = await runHere([...runGrid, "--cancel-on-exit", "--for", "1s", "--json"], { cwd })
      assert.strictEqual(closed.code, 0)
      const events: ReadonlyArray<Record<string, unknown>> = closed.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      assert.isTrue(events.every(({ event }) => typeof event === "string"))
      const { event, openOrders, residual, money, fills, ...others } = events.at(-1) ?? {}
      assert.deepStrictEqual(
        [event, openOrders, residual, others],
        ["summary", 0, { BTC: "0", USDC: "0" }, { notCounted: [] }]
      )
      assert.strictEqual(fills, 0)
      assert.isTrue(Array.isArray(money))
      assert.strictEqual(events.at(-2)?.["event"], "BotStopped")
      const resting = (await ordersAt(sandbox)).filter(({ status, held }) => status === "OPEN" || held.length > 0)
      assert.deepStrictEqual(resting, [])
    }
  )

  it.skipIf(!isLong)("leaves at once on a second Ctrl-C, and lists what is still open", async () => {
    const sandbox = await startSandbox()
    const venue = await recordingProxy(sandbox.url)
    const cwd = workspace({ ...sandbox, url: venue.url })
    const bot = start([...runGrid, "--cancel-on-exit"], { cwd })
    await bot.says("the order is open")
    // Otherwise it may have withdrawn everything before the second.
    await venue.close()
    bot.signal("SIGINT")
    await bot.says("stopping: cancels its orders")
    // The same key press, as npm hands it on, is no second one; who goes on pressing means it.
    const pressing = setInterval(() => bot.signal("SIGINT"), 200)
    const ended = await bot.ended
    clearInterval(pressing)
    // A press while it exits ends it by the signal, which is 130 to a shell.
    assertSays(
      { ...ended, code: ended.code ?? 130 },
      130,
      /^limitbot: interrupted; still open: .*\d+ orders?\b.*The journal is intact/m
    )
  })

  it.skipIf(!isLong)("keeps trying while the venue does not answer, says so, and continues once it does", async () => {
    const gone = await recordingProxy(nowhere.url)
    await gone.close()
    const cwd = workspace({ ...(await startSandbox({ seed: 77 })), url: gone.url })
    const bot = startHere(runGrid, { cwd })
    await bot.says("the venue does not answer")
    await startSandbox({ seed: 77, port: gone.port })
    await bot.says("the venue answers again after")
    bot.signal("SIGTERM")
    const { code, stderr } = await bot.ended
    assert.strictEqual(code, 0)
    // Where logins need a salt, its outage is told as well: once, however often it was asked for.
    const unsalted = /^timestamp=\S+ level=WARN \S+ message="\S+ does not report the salt of \S+"\n/
    assert.strictEqual(stderr.replace(unsalted, ""), "")
  })

  it("refuses wrong decimals before it sends anything", async () => {
    const sandbox = await startSandbox()
    const cwd = workspace(sandbox, { "config.yaml": configText(sandbox).replace("decimals: 8", "decimals: 10") })
    assertSays(
      await runHere(runGrid, { cwd }),
      1,
      /BTC is configured with 10 decimals, but .*Correct assets\.BTC\.decimals/
    )
    assert.deepStrictEqual(await ordersAt(sandbox), [])
  })

  it("stops if the venue does not know its key", async () => {
    const sandbox = await startSandbox()
    const cwd = workspace(sandbox, { "api.key": "no-such-key\n", "partner.key": "no.such.token\n" })
    assertSays(await runHere(runGrid, { cwd }), 1, /does not accept our credential.*Check venue\.(apiKey|partnerJwt)/)
  })

  it.skipIf(!isLong)("trades on paper only with --dry-run", async () => {
    const sandbox = await startStill()
    const proxy = await recordingProxy(sandbox.url)
    const cwd = workspace({ ...sandbox, url: proxy.url })
    const { temporary, isClean } = temporaryFiles()
    const bot = start([...runGrid, "--dry-run", "--poll", "0.2s"], { cwd, ...temporary })
    await bot.says("the order is open", 20)
    await control(sandbox, "prices", { "BTC/USDC": 59_850 })
    await bot.says("FILL ", 2)
    bot.signal("SIGINT")
    const { code, stdout, stderr } = await bot.ended
    isClean()
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(stdout, /^DRY RUN: nothing is created or signed, fills are simulated\n/)
    assert.match(last(stdout), /^DRY RUN: /)
    assert.notInclude(stdout, "orders stay open")
    assert.deepStrictEqual([...proxy.requests].sort(), ["GET /v0/tokens", "POST /v0/quote"])
    assert.deepStrictEqual(await ordersAt(sandbox), [])
    await proxy.close()
  })
})

describe.concurrent("limitbot demo", () => {
  it.skipIf(!isLong)("shows slots, orders, fills, payouts and money, and its books agree", async () => {
    const bot = startHere(["demo", "--speed", "600"], { cwd: newFolder() })
    for (const what of [
      "the order is open",
      "FILL ",
      "paid out ",
      /\nSLOT .*\n.*demo-grid\/cell-/,
      /\nMONEY +BTC +USDC\nfree /
    ]) {
      await bot.says(what)
    }
    bot.signal("SIGINT")
    const { code, stdout, stderr } = await bot.ended
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(stdout, /\d+ fills?, 0 unsettled orders, unexplained 0 BTC, 0 USDC\.\n.*books agree to the unit/)
  })

  it.skipIf(!isLong)("ends with 0 on SIGTERM, and its last line is the summary", async () => {
    const { temporary, isClean } = temporaryFiles()
    const bot = start(["demo", "--json"], { cwd: newFolder(), ...temporary })
    await bot.says('"DepositSeen"')
    bot.signal("SIGTERM")
    const { code, stdout } = await bot.ended
    isClean()
    const { event, openOrders, residual, booksAgree } = JSON.parse(last(stdout))
    assert.deepStrictEqual(
      [code, event, openOrders, residual, booksAgree],
      [0, "summary", 0, { BTC: "0", USDC: "0" }, true]
    )
  })
})

describe("limitbot sandbox", () => {
  it("--json prints one line once it is ready, and nothing else", async () => {
    const sandbox = startHere(["sandbox", "--port", "0", "--seed", "9", "--json"])
    await sandbox.says("\n")
    const connection = JSON.parse(sandbox.stdout())
    const fields = ["account", "apiKey", "ledger", "partnerJwt", "quoteKey", "url", "verifier"]
    assert.deepStrictEqual(Object.keys(connection).sort(), fields)
    assert.deepStrictEqual(Object.keys(connection.account).sort(), ["key", "signerId"])
    assert.strictEqual((await fetch(`${connection.url}/openapi.json`)).status, 200)
    sandbox.signal("SIGTERM")
    const { code, stdout, stderr } = await sandbox.ended
    assert.deepStrictEqual([code, stderr, stdout.split("\n").length], [0, "", 2])
  })
})
