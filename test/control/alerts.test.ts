/** Price alerts of the configuration and of `limitbot alert`, with a running bot on a sandbox. */
import { appendFileSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { assertSays, control, runHere } from "../world/processes/program.ts"
import { type RunningBot, startBot, until } from "../world/processes/runningBot.ts"

let bot: RunningBot
const messages: Array<string> = []
const receiver = createServer((request, response) => {
  request.setEncoding("utf8").on("data", (part: string) => messages.push(part))
  request.on("end", () => response.end())
})
const limitbot = (...args: ReadonlyArray<string>) => runHere([...args, "--config", join(bot.folder, "config.yaml")])
const reached = async (): Promise<ReadonlyArray<string>> =>
  (await limitbot("events", "--json", "--search", "AlertReached")).stdout
    .trim()
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line).alert]))

beforeAll(async () => {
  const port = await new Promise<number>((done) =>
    receiver.listen(0, "127.0.0.1", () => {
      const address = receiver.address()
      done(typeof address === "object" && address !== null ? address.port : 0)
    })
  )
  bot = await startBot(
    `alerts: [BTC/USDC above 61000]\nnotify: [{ to: webhook, url: "http://127.0.0.1:${port}/hook" }]\n`
  )
})
afterAll(() => receiver.close())

describe("price alerts", () => {
  it("are added and listed with the distance from their price, whether a strategy uses the market or not", async () => {
    const added = await limitbot("alert", "BTC/USDC", "below", "59000")
    assert.deepStrictEqual([added.code, added.stderr], [0, ""])
    assert.match(added.stdout, /^BTC\/USDC below 59000: reported once/)
    assert.strictEqual((await limitbot("alert", "USDC/BTC", "above", "0.00001")).code, 0)
    await until("the alert of the other market is reached", async () =>
      (await reached()).includes("USDC/BTC above 0.00001")
    )
    let stdout = ""
    // On a busy machine the bot may need longer for its prices than the list waits.
    const isListed = async () => {
      stdout = (await limitbot("alert", "list")).stdout
      return !stdout.includes("no price")
    }
    await until("the list has prices", isListed, async () => stdout)
    assert.match(stdout, /BTC\/USDC above 61000 +configuration +waits, 1\.6\d % from 600\d\d/)
    assert.match(stdout, /BTC\/USDC below 59000 .* waits, -1\.[67]\d % from 600\d\d/)
    assert.match(stdout, /USDC\/BTC above 0.00001 .* reached /)
  })

  it("are reported once, to the journal and to the receivers of messages", async () => {
    await control(bot.sandbox, "prices", { "BTC/USDC": 61_500 })
    await until("it is reached", async () => (await reached()).includes("BTC/USDC above 61000"))
    await until("the receiver has it", async () =>
      messages.join("").includes("ALERT BTC/USDC above 61000: the price is 61")
    )
    await control(bot.sandbox, "prices", { "BTC/USDC": 60_500 })
    await control(bot.sandbox, "prices", { "BTC/USDC": 61_500 })
    await control(bot.sandbox, "prices", { "BTC/USDC": 58_500 })
    await until("the other one is reached", async () => (await reached()).includes("BTC/USDC below 59000"))
    assert.lengthOf(await reached(), 3)
  })

  it("count again once they are added again, and not once they are removed", async () => {
    assert.strictEqual((await limitbot("alert", "BTC/USDC", "below", "59000")).code, 0)
    await until("it is reached again", async () => (await reached()).length === 4)
    const removed = await limitbot("alert", "remove", "BTC/USDC", "below", "59000")
    assert.deepStrictEqual([removed.code, removed.stdout], [0, "BTC/USDC below 59000: removed.\n"])
    assert.notInclude(readFileSync(`${bot.journal}.alerts`, "utf8"), "below")
    assertSays(
      await limitbot("alert", "remove", "BTC/USDC", "below", "59000"),
      2,
      /BTC\/USDC below 59000 was not added by this command/
    )
    assertSays(
      await limitbot("alert", "remove", "BTC/USDC", "above", "61000"),
      2,
      /limitbot alert list shows where each alert is from/
    )
  })

  it("whose asset is not in the configuration are kept, listed with the reason, and may be removed", async () => {
    appendFileSync(`${bot.journal}.alerts`, "2026-01-02T03:04:05.000Z DOGE/USDC above 1\n")
    assert.strictEqual((await limitbot("alert", "BTC/USDC", "below", "1")).code, 0)
    assert.match(
      (await limitbot("alert", "list")).stdout,
      /DOGE\/USDC above 1 +2026-01-02T03:04:05\S+ +not watched: no asset "DOGE" in the configuration/
    )
    assert.strictEqual((await limitbot("alert", "remove", "DOGE/USDC", "above", "1")).code, 0)
    assert.notInclude((await limitbot("alert", "list")).stdout, "DOGE")
  })

  it("with a mistake are refused with the reason", async () => {
    assertSays(await limitbot("alert", "BTC/USDC", "above", "70,000"), 2, /expected a price above zero, found "70,000"/)
    assertSays(await limitbot("alert", "BTC/USDD", "above", "70000"), 2, /no asset "USDD" in the configuration; .*USDC/)
  })
})
