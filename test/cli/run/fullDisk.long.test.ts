/** A disk that something else has filled to the last byte, what the bot's reserve set free included: nothing can be written. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import {
  type Ended,
  ordersAt,
  type Program,
  runHere,
  start,
  startHere,
  startStill,
  workspace
} from "../../world/processes/program.ts"
import { recordingProxy } from "../../world/processes/recordingProxy.ts"

/** No file may grow beyond its first kilobyte, as on a full disk. Without the signal that tells it, the write fails. */
const withoutRoom = {
  through: ["bash", "-c", 'ulimit -f 1; exec "$@"', "bash"],
  environment: { NODE_OPTIONS: "--import=data:text/javascript,process.on('SIGXFSZ',()=>{})" }
}

/** Every write to this device says that there is no room. */
const intoFullLog = { through: ["bash", "-c", 'exec "$@" > /dev/full', "bash"] }

const ladder = `name: ladder
market: BTC/USDC
kind: ladder
limits: { budget: { quote: 6000 }, maxPriceDeviation: 90% }
ladder: { side: buy, from: 40000, to: 50000, rungs: 2, total: { quote: 3000 } }
`

const assertFailed = ({ code, stderr }: Ended, what: RegExp) => {
  assert.match(stderr, what)
  assert.strictEqual(code, 1, stderr)
}

const args = ["run", "ladder.yaml", "--config", "config.yaml", "--json"]

describe("a bot that restarts on a full disk", () => {
  it.concurrent("cancels its orders, also under the kill switch", async () => {
    const connection = await startStill()
    const cwd = workspace(connection, { "ladder.yaml": ladder })
    const statuses = async () => (await ordersAt(connection)).map(({ status }) => status)
    const bot = startHere(args, { cwd })
    await bot.says("DepositSeen", 2)
    bot.signal("SIGTERM")
    await bot.ended

    const again = await start(args, { cwd, ...withoutRoom }).ended
    assertFailed(again, /Cannot write the journal: .*2 of its orders may be open.*limitbot kill.*start again/)
    assert.deepStrictEqual(await statuses(), ["OPEN", "OPEN"])
    writeFileSync(join(cwd, "journal.sqlite.kill"), "")
    const withdrawn = await start(args, { cwd, ...withoutRoom }).ended
    assertFailed(withdrawn, /Cannot write the journal: .*kill switch is on: every order was cancelled.*start again/)
    assert.deepStrictEqual(await statuses(), ["CANCELED", "CANCELED"])

    const freed = startHere(args, { cwd })
    await freed.says("Settled", 2)
    freed.signal("SIGTERM")
    const summary: unknown = JSON.parse((await freed.ended).stdout.trim().split("\n").at(-1) ?? "")
    assert.deepInclude(summary, { openOrders: 0, residual: { USDC: "0" } })
  })

  it.concurrent("reports an error if its log is on that disk", async () => {
    const connection = await startStill()
    const cwd = workspace(connection, { "ladder.yaml": ladder })
    const bot = start(args, { cwd, ...intoFullLog })
    let hasEnded = false
    bot.ended.then(() => (hasEnded = true))
    const isFunded = async () => (await ordersAt(connection)).filter(({ status }) => status === "OPEN").length === 2
    while (!hasEnded && !(await isFunded())) await setTimeout(50)
    assert.isFalse(hasEnded)
    bot.signal("SIGTERM")
    assertFailed(await bot.ended, /the output could not be written: ENOSPC/)

    assertFailed(await start(["init", "--schema", "config"], intoFullLog).ended, /ENOSPC/)
  })

  it.concurrent("locks the journal after kill -9, so that another bot is refused", async () => {
    const connection = await startStill()
    const proxy = await recordingProxy(connection.url)
    const cwd = workspace({ ...connection, url: proxy.url }, { "ladder.yaml": ladder })
    const kill9 = async (program: Program) => {
      process.kill(program.pid, "SIGKILL")
      await program.ended
    }
    const bot = start(args, { cwd })
    await bot.says("DepositSeen", 2)
    await kill9(bot)
    writeFileSync(join(cwd, "journal.sqlite.kill"), "")

    proxy.hold("/cancel")
    const withdrawing = start(args, { cwd, ...withoutRoom })
    const hasEnded = withdrawing.ended.then(() => true)
    const isAsked = () => [...proxy.requests].some((request) => request.endsWith("/cancel"))
    while (!isAsked() && (await Promise.race([hasEnded, setTimeout(20)])) !== true);
    assertFailed(await runHere(args, { cwd }), /is in use by process/)
    await kill9(withdrawing)
    proxy.hold()
    assertFailed(await start(args, { cwd, ...withoutRoom }).ended, /every order was cancelled/)
    assert.isTrue((await ordersAt(connection)).every(({ status }) => status === "CANCELED"))
    await proxy.close()
  })
})
