/**
 * A person at the dashboard of a running bot, in a real browser: sees fills and orders, pauses, resumes, edits and applies a
 * file, cancels all, kills, loses the bot and is told so; without an error on the console and without a barrier that axe
 * finds. Skipped, visibly, where no Chromium is installed.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type Browser, chromium, type Page } from "playwright-core"
import * as BotState from "../../src/engine/state/BotState.ts"
import { defaultTerms } from "../../src/engine/tracking/Overdue.ts"
import { problemsOf } from "../../src/views/Problems.ts"
import { isLong } from "../long.ts"
import { browserPath } from "../surroundings.ts"
import { writeDoubtful } from "../world/bot/doubtful.ts"
import { everyTrouble } from "../world/bot/troubles.ts"
import { runHere } from "../world/processes/program.ts"
import { allowing, type RunningBot, startBot, until } from "../world/processes/runningBot.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

let bot: RunningBot
let browser: Browser
let page: Page
const said: Array<string> = []

const text = (selector: string): Promise<string> => page.locator(selector).innerText()
const shows = async (selector: string, what: RegExp) => {
  let last = ""
  await until(`${selector} shows ${what}`, async () => {
    last = await text(selector)
    return what.test(last)
  }).catch((error) => assert.fail(`${error.message}; it shows: ${last.slice(0, 600)}`))
}

interface Violation {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly html: string }>
}

/** A price at which an order to buy stays open. */
const belowMarket = async (): Promise<string> => {
  const { prices = [] }: { prices?: ReadonlyArray<{ mid: string }> } = JSON.parse(
    (await bot.ask("/api/v1/status", { headers: { authorization: `Bearer ${bot.token}` } })).body
  )
  return (Number(prices[0]?.mid) * 0.98).toFixed(0)
}

/** Run in the page over the debugger, where its content policy does not reach. */
const barriers = async (): Promise<ReadonlyArray<string>> => {
  const session = await page.context().newCDPSession(page)
  await session.send("Runtime.evaluate", { expression: `${axe};0` })
  const { result } = await session.send("Runtime.evaluate", {
    expression: "axe.run().then(({ violations }) => JSON.stringify(violations))",
    awaitPromise: true
  })
  const violations: ReadonlyArray<Violation> = JSON.parse(String(result.value))
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 3)
        .map(({ html }) => html.slice(0, 120))
        .join(" | ")}`
  )
}

describe.skipIf(browserPath === undefined)("the dashboard in a browser", () => {
  beforeAll(async () => {
    // A minute here is an hour of the market, which may have moved to where an edit would be refused.
    const anyMarket = allowing("fills-at-once", "crossing", "unconfirmed-price")
    bot = await startBot("", (journal) => writeDoubtful(journal, 1), { speed: 300 }, anyMarket)
    browser = await chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] })
    page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: "dark" })
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") said.push(message.text())
    })
    page.on("pageerror", (error) => said.push(error.message))
    page.on("request", (request) => {
      if (!request.url().startsWith(bot.url)) said.push(`asks elsewhere: ${request.url()}`)
    })
  })
  afterAll(() => browser?.close())

  it("asks for a token, then shows profit against holding, strategies, orders and prices with their age", async () => {
    await page.goto(bot.url)
    await page.getByLabel("Token").fill(bot.token)
    await page.getByRole("button", { name: "Open" }).click()
    await shows("#slots", /cell-\d+/)
    await shows("#s-slots", /\d+ open/i)
    await shows("#t-chart", /grid BTC\/USDC/)
    await shows("#ticker", /\d\d,\d{3}/)
    await shows(
      "#standings",
      /profit since \d+ \w+\s+[+−]\d[\d.,]+ USDC\s+[▲▼] [\d.]+ % (ahead of|behind) holding the same budget, [\d.,]+/i
    )
    await shows(
      "#profit-figures",
      /grid profit\s+\+\d[\s\S]+open profit[\s\S]+fees\s+−\d[\s\S]+today[\s\S]+equity[\s\S]+rounds\s+\d+/i
    )
    await shows(".strat.on", /grid[\s\S]+Grid · BTC\/USDC[\s\S]+against holding[\s\S]+Budget in orders/)
    await shows(".strat.on .next", /Next: (buys|sells) [\d.]+ BTC at [\d,.]+, [\d.]+ % away/)
    await shows("#money", /in orders/i)
    await shows("#book", /\d\d,\d{3}\.\d\d \| \d\d,\d{3}[\s\S]+ s old/)
    await shows("#mode", /^live$/i)
    await shows("#link", /^updated \d+ s ago$/)
  })

  it("opens with the token in the address, which it removes; without one it says where the token is", async () => {
    const context = await browser.newContext()
    const other = await context.newPage()
    await other.goto(bot.url)
    const dialog = other.locator("#dialog")
    await until("the login says where the token is", async () =>
      (await dialog.innerText()).includes(`${bot.journal}.token`)
    )
    await other.goto(`${bot.url}/#token=${bot.token}`)
    await other.locator("#slots table").waitFor()
    assert.strictEqual(other.url(), `${bot.url}/`)
    assert.isTrue(await dialog.isHidden())
    await context.close()
  })

  it.skipIf(!isLong)("has no accessibility problem that axe finds, dark, light and on a phone", async () => {
    assert.deepStrictEqual(await barriers(), [])
    await page.emulateMedia({ colorScheme: "light" })
    await page.waitForTimeout(300)
    assert.deepStrictEqual(await barriers(), [])
    await page.setViewportSize({ width: 390, height: 844 })
    await page.waitForTimeout(300)
    assert.deepStrictEqual(await barriers(), [])
    const isWiderThanScreen = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
    assert.isFalse(isWiderThanScreen)
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.emulateMedia({ colorScheme: "dark" })
  })

  it("can be installed as an app, and offers a trader only a trader's commands", async () => {
    const token = join(bot.folder, "tom.token")
    const config = ["--config", join(bot.folder, "config.yaml")]
    const hired = await runHere(["people", "tom", "--role", "trader", "--out", token, ...config])
    assert.strictEqual(hired.code, 0, hired.stderr)
    const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
    const other = await context.newPage()
    await other.goto(`${bot.url}/#token=${readFileSync(token, "utf8").trim()}`)
    await other.locator("#slots table").waitFor()
    const session = await context.newCDPSession(other)
    const { data, errors } = await session.send("Page.getAppManifest")
    assert.deepStrictEqual([errors, JSON.parse(data ?? "{}").display], [[], "standalone"])
    const { installabilityErrors } = await session.send("Page.getInstallabilityErrors")
    // A context of a test is incognito, where nothing is installed; nothing else may be in the way.
    assert.deepStrictEqual(
      installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito"),
      []
    )
    await until("the buttons are those of a trader", async () => await other.locator("#kill").isEnabled())
    assert.isTrue(await other.locator("#swap").isDisabled())
    assert.isTrue(await other.locator("#pause").isEnabled())
    const { LIMITBOT_PICTURE: picture } = process.env
    if (picture !== undefined) await other.screenshot({ path: picture })
    await context.close()
  })

  it("shows one range of its profit, exact figures under the pointer, and no bars without quoted depth", async () => {
    const ranges = page.getByRole("group", { name: "Range of the chart" })
    assert.strictEqual(await ranges.locator("[aria-pressed=true]").innerText(), "all")
    await ranges.getByRole("button", { name: "1d" }).click()
    assert.strictEqual(await ranges.locator("[aria-pressed=true]").innerText(), "1d")
    const exact = await page
      .locator("#slots tbody tr:has-text('open') td:nth-child(3) span")
      .first()
      .getAttribute("title")
    assert.match(exact ?? "", /^\d\d,\d{3}(\.\d+)?$/)
    assert.match(
      (await page.locator("#profit-figures dd span").first().getAttribute("title")) ?? "",
      /^−?[\d,]+(\.\d+)? USDC$/
    )
    assert.strictEqual(await page.locator("#book .own .bg").count(), 0)
  })

  it("shows what belongs to the selected strategy, which the address keeps, and moves between them by arrow keys", async () => {
    await page.route("**/api/v1/status", async (route) => {
      const response = await route.fetch()
      const status = await response.json()
      const [first] = status.strategies
      await route.fulfill({ response, json: { ...status, strategies: [first, { ...first, name: "second" }] } })
    })
    const second = page.getByRole("button", { name: "second", exact: true })
    await second.click()
    await shows("#t-chart", /^second BTC/)
    await shows("#slots", /No slots yet/)
    assert.match(page.url(), /#second$/)
    await page.keyboard.press("ArrowLeft")
    await shows("#t-chart", /^grid BTC/)
    await shows("#slots", /cell-\d+/)
    await page.unrouteAll({ behavior: "wait" })
    await until("one strategy is left", async () => (await second.count()) === 0)
  })

  it("names the profit in each quote asset, and adds none to another", async () => {
    await page.route("**/api/v1/profit", async (route) => {
      const response = await route.fetch()
      const profit = await response.json()
      const [first] = profit.standings
      const standings = [
        { ...first, asset: "USDT", total: "-62.6", share: -0.0104 },
        { ...first, total: "1284.603918" }
      ]
      await route.fulfill({ response, json: { ...profit, standings } })
    })
    await shows("#standings", /\+1,284\.60 USDC[\s\S]+In USDT: −62\.60 ▼ 1\.04 %/)
    assert.strictEqual(await page.locator(".hero-n span").getAttribute("title"), "1,284.603918 USDC")
    await page.unrouteAll({ behavior: "wait" })
  })

  it("draws of 10,000 slots only the rows in sight, down to the last", async () => {
    await page.route("**/api/v1/slots", async (route) => {
      const response = await route.fetch()
      const answer = await response.json()
      const [first] = answer.slots
      const slots = Array.from({ length: 10_000 }, (_, index) => ({
        ...first,
        slot: `grid/cell-${index}`,
        price: String(80_000 - index)
      }))
      await route.fulfill({ response, json: { ...answer, slots } })
    })
    await until("all are counted", async () => /10000 /.test(await text("#s-slots")))
    assert.isBelow(await page.locator("#slots tbody tr").count(), 100)
    await page.locator("#slots .tall").evaluate((table) => table.scrollTo(0, table.scrollHeight))
    await shows("#slots tbody", /cell-9999\s/)
    assert.isBelow(await page.locator("#slots tbody tr").count(), 100)
    await page.unrouteAll({ behavior: "wait" })
    await until("the strategy's own are back", async () => !/10000 /.test(await text("#s-slots")))
  })

  it("resolves an unclear payment by the operator's answer", async () => {
    await shows("#problems", /Unclear whether 100 USDC was paid/)
    await page.locator("#problems").getByRole("button", { name: "Resolve" }).click()
    await shows("#dialog", /hash-1/)
    await page.getByLabel("Why").fill("the balance never moved")
    await page.getByRole("button", { name: "It was not paid" }).click()
    await shows(".toast", /p1: recorded as not paid/)
    await until("the problem is gone", () => page.locator("#problems").isHidden())
    await page.getByRole("button", { name: "Search" }).click()
    await shows("#events", /the balance never moved/)
  })

  it("shows every problem by kind, with counts in a bar that stays visible while scrolling", async () => {
    const state = BotState.make()
    for (const [index, event] of everyTrouble.entries())
      BotState.apply(state, { sequence: index + 1, at: index, event })
    const assets = new Map([
      ["BTC", { symbol: "BTC", id: "btc", decimals: 8 }],
      ["USDC", { symbol: "USDC", id: "usdc", decimals: 6 }]
    ])
    const problems = problemsOf(state, assets, { now: 10_000_000, pulse: undefined, stuckAfter: defaultTerms })
    await page.route("**/api/v1/status", async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, json: { ...(await answer.json()), problems } })
    })
    await shows("#banner", /Kill switch: fire drill/)
    await page.getByRole("button", { name: "Show all", exact: true }).click()
    const kinds = new Set(problems.map(({ kind }) => kind))
    await until("each kind is a row", async () => (await page.locator("#problems > li").count()) === kinds.size)
    const folded = page.locator("#problems details:not([open]) > summary")
    while ((await folded.count()) > 0) await folded.first().click()
    const shown = await text("#problems")
    for (const { text: sentence } of problems) assert.include(shown, sentence)
    assert.match(shown, /^grid\/cell-1: Unclear[\s\S]+^dca: Paused by its limit/m)
    assert.notMatch(shown, /^(?:venue|journal|disk|clock|files|account|service): /m)
    assert.deepStrictEqual(await barriers(), [])
    await page.evaluate("scrollTo(0, document.body.scrollHeight)")
    const alarms = new Set(problems.filter(({ severity }) => severity === "alarm").map(({ kind }) => kind))
    assert.match(await text("#mode"), /^killed$/i)
    assert.strictEqual((await text("#trouble")).replace(/\s+/g, " "), `${alarms.size} alarms`)
    assert.isTrue(await page.evaluate("document.getElementById('mode').getBoundingClientRect().top >= 0"))
    await page.unrouteAll({ behavior: "wait" })
    await until("all is well again", () => page.locator("#problems").isHidden())
    assert.match(await text("#mode"), /^live$/i)
    await page.evaluate("scrollTo(0, 0)")
  })

  it("explains a slot, pauses and resumes", async () => {
    await page.locator("#slots .link").first().click()
    await shows("#dialog", /why this order is here/i)
    await page.locator("#dialog").getByRole("button", { name: "Close" }).click()
    await page.locator("#pause").click()
    await page.locator("#dialog").getByRole("button", { name: "Pause" }).click()
    await shows("#banner", /Paused by the operator\s+Since \d\d:\d\d, \d+ s ago\. \d+ open orders? can still fill/)
    assert.isTrue(await page.locator("#problems").isHidden(), "the banner alone says why")
    await page.locator("#banner").getByRole("button", { name: "Resume" }).click()
    await until("the banner is gone", () => page.locator("#banner").isHidden())
  })

  it("offers another price for an order by hand that is dragged on the chart, with the cost first", async () => {
    const price = await belowMarket()
    const body = JSON.stringify({ side: "buy", market: "BTC/USDC", amount: "0.001", price })
    const headers = { authorization: `Bearer ${bot.token}`, "content-type": "application/json" }
    const key = { "idempotency-key": "dragged-order", "content-length": String(body.length) }
    const placed = await bot.ask("/api/v1/order", { method: "POST", headers: { ...headers, ...key }, body })
    assert.strictEqual(placed.status, 200, placed.body)
    await page.getByRole("button", { name: "by-hand-btc-usdc", exact: true }).click()
    await shows("#by-hand", /buy-[0-9a-f]{8}[\s\S]+open/)
    const chart = page.locator("#chart")
    await chart.scrollIntoViewIfNeeded()
    const { x, y, height, width } = (await chart.boundingBox()) ?? assert.fail("no chart")
    const grip = { x: x + width - 120, y }
    await until("the label can be dragged", async () => {
      grip.y = grip.y >= y + height - 30 ? y : grip.y + 6
      await page.mouse.move(grip.x, grip.y)
      return (await chart.locator(".grip").count()) > 0
    })
    await page.mouse.down()
    await page.mouse.move(grip.x, grip.y - 40, { steps: 4 })
    await page.mouse.up()
    await shows("#dialog", /Move buy-[0-9a-f]{8} to \d+[\s\S]+refund fee/)
    await page.locator("#dialog").getByRole("button", { name: "Back" }).click()
    await page
      .locator("#by-hand")
      .getByRole("button", { name: /^Cancel buy/ })
      .click()
    await shows("#events", /by-hand/)
    await page.getByRole("button", { name: "grid", exact: true }).click()
  })

  it("plans an order by hand with two targets, a condition and two parts from its form", async () => {
    await page.locator("#order").click()
    const exits = { takeProfit: "2%:50%,5%:50%", stop: "10%", breakevenAt: "2%" }
    const words = { amount: "0.002", price: await belowMarket(), ...exits, when: "mid > 1", parts: "2" }
    for (const [name, word] of Object.entries(words)) await page.locator(`#dialog input[name="${name}"]`).fill(word)
    await page.locator("#dialog").getByRole("button", { name: "Plan" }).click()
    await shows("#dialog .note", /buy-[0-9a-f]{8}-1\s+BUY\s+0\.0005 BTC[\s\S]+buy-[0-9a-f]{8}-2\s+BUY\s+0\.0005 BTC/)
    await shows(
      "#dialog .note",
      /^buy-\w+: BUY 0\.002 BTC in 2 parts at .* when mid > 1, then .*stop: -10%, breakeven: \+2%$/m
    )
  })

  it("keeps the words of an order when its reader goes back from a plan or a refusal", async () => {
    const word = (name: string) => page.locator(`#dialog input[name="${name}"]`)
    const [back, plan] = ["Back", "Plan"].map((name) => page.locator("#dialog").getByRole("button", { name }))
    await back?.click()
    assert.strictEqual(await word("breakevenAt").inputValue(), "2%")
    await word("price").fill("market")
    await plan?.click()
    await shows("#dialog", /price: a price above zero .*a trade at the market is a swap/)
    assert.match(said.splice(0).join(), /400/)
    await back?.click()
    assert.deepStrictEqual([await word("side").inputValue(), await word("price").inputValue()], ["buy", "market"])
    await back?.click()
  })

  it("shows the plan of a close before it closes a strategy", async () => {
    await page.locator(".strat").getByRole("button", { name: "Close grid" }).click()
    await page.locator("#dialog").getByRole("button", { name: "Close grid" }).waitFor()
    await shows("#dialog .note", /\S/)
    await page.locator("#dialog").getByRole("button", { name: "Back" }).click()
  })

  it("shows the problems of an edited file, then plans and applies it", async () => {
    await page.locator("#edit").click()
    const editor = page.locator("#files textarea")
    const withLevels = async (levels: string) =>
      editor.fill((await editor.inputValue()).replace(/levels: \w+(, fundNearest: \d+)?/, `levels: ${levels}`))
    await withLevels("many")
    await shows("#files .findings", /^Line \d+, column \d+: /)
    await shows("#files .bad", /levels: many.*← /)
    await withLevels("21, fundNearest: 5")
    await shows("#files .findings", /No problems/)
    await page.getByRole("button", { name: "Plan" }).click()
    await shows("#files .findings", /\d+ (kept|cancelled|placed)/)
    await page.getByRole("button", { name: "Apply" }).click()
    await shows(".toast", /is saved and applied/)
    await page.locator("#dialog").getByRole("button", { name: "Close" }).click()
    await page.locator("#search").fill("loaded")
    await shows("#events", /loaded[\s\S]+loaded/)
    await page.locator("#search").fill("")
  })

  it("shows the quote of a swap, and makes it only for the typed word", async () => {
    await page.locator("#swap").click()
    await page.getByLabel("Amount").fill("0.001")
    await page.getByLabel("Pay with").fill("BTC")
    await page.getByLabel("Receive").fill("USDC")
    await page.getByRole("button", { name: "Quote" }).click()
    await shows("#dialog", /pay\s+0\.001 BTC/)
    const confirm = page.locator("#dialog").getByRole("button", { name: "Swap" })
    assert.isTrue(await confirm.isDisabled())
    await page.getByLabel("Type swap").fill("swap")
    await confirm.click()
    await shows(".toast", /Swap s1 is made/)
    await shows("#events", /by hand\/s1/)
  })

  it("cancels all and kills only for the typed word", async () => {
    await page.locator("#cancel-all").click()
    const confirm = page.locator("#dialog").getByRole("button", { name: "Cancel all" })
    assert.isTrue(await confirm.isDisabled())
    await page.getByLabel("Type cancel all").fill("cancel all")
    await confirm.click()
    // The positions that remain differ, so the banner alone does not name the reasons.
    await shows("#main", /Paused, orders cancelled by the operator/)
    await until("no order rests", async () => !/open/.test(await text("#s-slots")))
    await page.locator("#kill").click()
    await page.getByLabel("Type kill").fill("kill")
    await page.locator("#dialog").getByRole("button", { name: "Kill" }).click()
    await shows("#problems", /Kill switch/)
    await page.locator("#bar").getByRole("button", { name: "Release…" }).waitFor()
    await page.locator("#problems").getByRole("button", { name: "Release" }).click()
    await page.locator("#dialog").getByRole("button", { name: "Release" }).click()
    await until("the switch is off", async () => /^paused$/i.test(await text("#mode")))
  })

  it("says that the bot is lost, and recovers by itself", async () => {
    assert.deepStrictEqual(said, [])
    bot.program.signal("SIGTERM")
    await bot.program.ended
    await shows("#banner", /does not answer/)
    await shows("#mode", /^disconnected\s*\d+ s$/i)
    await shows(".strat.on .chip", /^No answer$/)
    assert.isTrue(await page.locator("#kill").isDisabled())
    const again = await bot.again()
    await shows("#banner", /^(?:All strategies are paused|Paused, orders cancelled by the operator)/)
    await shows("#mode", /^paused$/i)
    await shows("#events", /started \(live\)/)
    await shows("#main", /Paused, orders cancelled by the operator/)
    assert.isFalse(await page.locator("#kill").isDisabled())
    again.signal("SIGTERM")
    assert.strictEqual((await again.ended).code, 0)
  })
})
