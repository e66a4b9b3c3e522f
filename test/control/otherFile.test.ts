/** Commands to a running bot about one strategy file, while the file of another strategy is rejected. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { nowhere, runHere, workspace } from "../world/processes/program.ts"
import { type RunningBot, startBot, until } from "../world/processes/runningBot.ts"

const ladderText = `name: ladder
market: BTC/USDC
kind: ladder
limits: { budget: { quote: 1000 }, maxPriceDeviation: 90% }
ladder: { side: buy, from: 50000, to: 40000, rungs: 2, total: { quote: 1000 } }
`
const mistake = ladderText.replace("rungs: 2", "rungs: many")
const greedy = ladderText.replaceAll("quote: 1000", "quote: 60000000")

interface Written {
  readonly file: string
  readonly text: string
  readonly hash: string
  readonly isRunning: boolean
}

let bot: RunningBot
const ladder = join(workspace(nowhere, { "ladder.yaml": ladderText }), "ladder.yaml")
const note = `Not applied: ${ladder}; limitbot status shows why`
const limitbot = (...args: ReadonlyArray<string>) => runHere([...args, "--config", join(bot.folder, "config.yaml")])
const grid = async () => {
  const files = (await bot.look("/api/v1/files")) as ReadonlyArray<Written>
  return files.find(({ file }) => file.endsWith("grid.yaml")) ?? assert.fail("no grid.yaml")
}
const apply = async (from: string, to: string) => {
  const { file, hash, text } = await grid()
  const { body, status } = await bot.command("/api/v1/apply", { file, hash, text: text.replace(from, to) })
  return { status, message: (JSON.parse(body) as { readonly message: string }).message }
}

beforeAll(async () => {
  bot = await startBot("", undefined, {}, [ladder])
  await until("the bot has polled", async () => (await grid()).isRunning)
})

describe("while the file of another strategy is rejected", () => {
  it("an edit is applied, and its answer names the other file", async () => {
    writeFileSync(ladder, mistake)
    const { file, text } = await grid()
    const edit = { files: [{ file, text: text.replace("levels: 21", "levels: 21, fundNearest: 1") }] }
    assert.deepStrictEqual(JSON.parse((await bot.command("/api/v1/check", edit)).body), { problems: [] })
    assert.strictEqual((await bot.command("/api/v1/plan", edit)).status, 200)
    const { message, status } = await apply("levels: 21", "levels: 21, fundNearest: 1")
    assert.deepStrictEqual([status, message], [200, `${(await grid()).file} is saved and applied. ${note}`])
    assert.isTrue((await grid()).isRunning)
  })

  it("an edit that is rejected names only its own finding", async () => {
    const { message } = await apply("quote: 6000", "quote: 60000000")
    assert.match(message, /grid\.yaml is saved but not applied: grid: over-commit/)
    assert.notInclude(message, "ladder.yaml")
    assert.isFalse((await grid()).isRunning)
    await apply("quote: 60000000", "quote: 6000")
    assert.isTrue((await grid()).isRunning)
  })

  it("an order by hand is placed and cancelled, and both answers name the other file", async () => {
    const body = JSON.stringify({ side: "buy", market: "BTC/USDC", amount: "0.01", price: "50000" })
    const length = { "content-type": "application/json", "content-length": String(body.length) }
    const headers = { authorization: `Bearer ${bot.token}`, "idempotency-key": "a key of mine", ...length }
    const placed = await bot.ask("/api/v1/order", { method: "POST", headers, body })
    assert.strictEqual(placed.status, 200, placed.body)
    assert.include(placed.body, note)
    const { order } = JSON.parse(placed.body) as { readonly order: string }
    const cancelled = await bot.command("/api/v1/order/cancel", { order })
    assert.strictEqual(cancelled.status, 200, cancelled.body)
    assert.include(cancelled.body, note)
  })

  it("a strategy is closed, and the answer names the other file", async () => {
    writeFileSync(ladder, greedy)
    const { code, stderr, stdout } = await limitbot("close", "grid", "--yes")
    assert.strictEqual(code, 0, stderr)
    assert.include(stdout, `grid is closed: its orders are withdrawn, then what it holds is sold. ${note}`)
    assert.match(readFileSync(join(bot.folder, "grid.yaml"), "utf8"), /^until: \S+\nonEnd: sell$/m)
  })

  it("a strategy is closed while the other file cannot be read at all", async () => {
    writeFileSync(ladder, mistake)
    const answer = await bot.command("/api/v1/close", { strategy: "grid" })
    assert.strictEqual(answer.status, 200, answer.body)
    assert.include(answer.body, note)
  })
})
