/** A backtest over the API: of the file on disk, or of the text in an editor, over the prices that the bot recorded. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Journal } from "../../src/journal/Journal.ts"
import { PriceStore } from "../../src/journal/PriceStore.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import { isLong } from "../long.ts"
import { type RunningBot, startBot, until } from "../world/processes/runningBot.ts"

/** Ten hours of minutes before now, up and down. */
const recordPrices = (filename: string) => {
  const stores = PriceStore.layer.pipe(Layer.provideMerge(Journal.layer), Layer.provide(Sqlite.layer({ filename })))
  const first = Math.floor(Date.now() / 60_000) * 60_000 - 600 * 60_000
  const record = Effect.gen(function* () {
    const store = yield* PriceStore
    for (let minute = 0; minute < 600; minute++) {
      const price = 60_000 + 500 * Math.sin(minute / 30)
      const bar = { open: price, high: price + 30, low: price - 30, close: price }
      yield* store.append("BTC/USDC", { openedAt: first + minute * 60_000, ...bar })
    }
  })
  return Effect.runPromise(record.pipe(Effect.provide(stores)))
}

/** Number of processes that backtest this file now, as Linux lists them. */
const backtestsOf = (file: string): number =>
  readdirSync("/proc").filter((name) => {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0")
      return words.includes("backtest") && words.includes(file)
    } catch {
      return false
    }
  }).length

let bot: RunningBot
beforeAll(async () => {
  bot = await startBot("", recordPrices)
})

describe("a backtest over the API", () => {
  it.skipIf(!isLong)("runs the editor's text, returns its curve, and writes and saves nothing", async () => {
    const file = join(bot.folder, "grid.yaml")
    const text = readFileSync(file, "utf8")
    const ofFile = (await bot.look(`/api/v1/backtest?file=${encodeURIComponent(file)}`)) as Record<string, unknown>
    const same = JSON.parse((await bot.command("/api/v1/backtest", { file, text })).body)
    assert.strictEqual(same.hash, ofFile["hash"])
    const edited = { file, text: text.replace("levels: 21", "levels: 41") }
    const answer = await bot.command("/api/v1/backtest", edited)
    assert.strictEqual(answer.status, 200, answer.body)
    const { curve, fills, hash, saved } = JSON.parse(answer.body)
    assert.notStrictEqual(hash, same.hash)
    assert.isAbove(fills, same.fills)
    assert.isAbove(curve.time.length, 10)
    assert.isUndefined(saved)
    assert.strictEqual(readFileSync(file, "utf8"), text)
  })

  it.skipIf(!isLong || !existsSync("/proc/self/cmdline"))("waits until an earlier one has ended", async () => {
    const file = join(bot.folder, "grid.yaml")
    const answers: Array<unknown> = []
    const ask = async () => answers.push(await bot.look(`/api/v1/backtest?file=${encodeURIComponent(file)}`))
    const asking = Promise.all([ask(), ask(), ask()])
    let maxCount = 0
    await until("all have answered", async () => {
      maxCount = Math.max(maxCount, backtestsOf(file))
      return answers.length === 3
    })
    await asking
    assert.strictEqual(maxCount, 1)
  })

  it("refuses mistakes with line and column, and files that are not the bot's", async () => {
    const file = join(bot.folder, "grid.yaml")
    const text = readFileSync(file, "utf8").replace("levels: 21", "levls: 21")
    const wrong = await bot.command("/api/v1/backtest", { file, text })
    assert.strictEqual(wrong.status, 409)
    assert.match(JSON.parse(wrong.body).message, /grid\.yaml:5:\d+.*levls.*levels/s)
    const other = await bot.command("/api/v1/backtest", { file: "/etc/passwd", text })
    assert.match(other.body, /is not a strategy file of this bot/)
  })
})
