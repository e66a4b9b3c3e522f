/** `limitbot close`: a strategy of a running bot withdraws its orders, sells what it holds, and places nothing again. */
import { lstatSync, readFileSync, renameSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { assertSays, control, runHere } from "../world/processes/program.ts"
import { startBot, until } from "../world/processes/runningBot.ts"

interface Order {
  readonly slot: string
  readonly side: string
  readonly state: string
}

describe("limitbot close", () => {
  it("shows its plan, cancels every order, sells the position, and survives a restart", async () => {
    const bot = await startBot()
    const limitbot = (...args: ReadonlyArray<string>) => runHere([...args, "--config", join(bot.folder, "config.yaml")])
    const orders = async () => ((await bot.look("/api/v1/orders")) as { orders: ReadonlyArray<Order> }).orders
    const open = async () => (await orders()).filter(({ state }) => state === "open")
    const shows = async () => ({ orders: await orders(), log: await bot.look("/api/v1/log?search=") })
    const file = join(bot.folder, "grid.yaml")
    renameSync(file, join(bot.folder, "kept.yaml"))
    symlinkSync("kept.yaml", file)
    const before = readFileSync(file, "utf8")
    await until("twenty orders are open", async () => (await open()).length === 20, shows)
    // The market stays below the exit at 60000, so that there is a position to sell.
    await control(bot.sandbox, "prices", { "BTC/USDC": 59_850 })
    await until(
      "the exit of the fill is open",
      async () => (await open()).some(({ slot, side }) => slot === "grid/cell-09" && side === "SELL"),
      shows
    )

    assertSays(await limitbot("close", "grid"), 2, /Not interactive: add --yes to accept, or --dry/)
    assertSays(await limitbot("close", "gird", "--yes"), 1, /No strategy is named gird; did you mean "?grid/)
    const dry = await limitbot("close", "grid", "--dry")
    assert.strictEqual(dry.code, 0, dry.stderr)
    assert.match(dry.stdout, /cancel[\s\S]*period-over|ended at/)
    assert.strictEqual(readFileSync(file, "utf8"), before, "a dry close writes nothing")

    const done = await limitbot("close", "grid", "--yes")
    assert.strictEqual(done.code, 0, done.stderr)
    assert.match(done.stdout, /^grid is closed: its orders are withdrawn, then what it holds is sold/m)
    assert.match(readFileSync(file, "utf8"), /^until: \S+\nonEnd: sell$/m)
    assert.isTrue(lstatSync(file).isSymbolicLink(), "a link stays a link")
    await until(
      "the sale of the position is the only order",
      async () => {
        const left = await orders()
        return (
          left
            .filter(({ state }) => state === "open")
            .every(({ slot, side }) => slot === "grid/exit" && side === "SELL") &&
          // The sale may be over between two looks.
          JSON.stringify(await bot.look("/api/v1/log?search=exit")).includes('"grid/exit"')
        )
      },
      shows
    )
    await until("all of it is sold", async () => (await orders()).every(({ state }) => state !== "open"), shows)
    bot.program.signal("SIGTERM")
    await bot.program.ended
    const again = await bot.again()
    await until(
      "the bot has looked",
      async () => ((await bot.look("/api/v1/status")) as { turnedAt: number }).turnedAt > 0
    )
    assert.isEmpty(await open(), "nothing is placed again")
    again.signal("SIGTERM")
    await again.ended
  })

  it("of a paused strategy names the resume that its sale waits for", async () => {
    const bot = await startBot()
    const limitbot = (...args: ReadonlyArray<string>) => runHere([...args, "--config", join(bot.folder, "config.yaml")])
    const orders = async () => ((await bot.look("/api/v1/orders")) as { orders: ReadonlyArray<Order> }).orders
    const sales = async () =>
      (await limitbot("events", "--json", "--limit", "500", "--search", "Planned")).stdout
        .split("\n")
        .filter((line) => line.includes('"Planned"') && line.includes('"slot":"exit"'))
    const open = async () => (await orders()).filter(({ state }) => state === "open")
    await until("twenty orders are open", async () => (await open()).length === 20, orders)
    await control(bot.sandbox, "prices", { "BTC/USDC": 59_850 })
    await until(
      "the exit of the fill is open",
      async () => (await orders()).some(({ slot, side }) => slot === "grid/cell-09" && side === "SELL"),
      orders
    )
    assert.strictEqual((await limitbot("pause", "grid")).code, 0)
    const { code, stderr, stdout } = await limitbot("close", "grid", "--yes")
    assert.strictEqual(code, 0, stderr)
    assert.match(stdout, /withdrawn\. What it holds is sold only after `limitbot resume grid` \(paused by /)
    await until("no order is open", async () => (await open()).length === 0, orders)
    assert.isEmpty(await sales())
    assert.strictEqual((await limitbot("resume", "grid")).code, 0)
    await until("its position is for sale", async () => (await sales()).length > 0, orders)
    bot.program.signal("SIGTERM")
    await bot.program.ended
  })
})
