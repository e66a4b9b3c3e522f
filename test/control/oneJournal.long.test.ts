/**
 * One journal, all surfaces: what the API, `status`, `profit`, `stuck`, `plan`, the screen, the chat and the page say of one
 * bot, whose market stands still while they are asked, is equal, figure by figure. Without Chromium the page is skipped.
 */
import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { chromium, type Page } from "playwright-core"
import { limitbot } from "../builtProgram.ts"
import { browserPath } from "../surroundings.ts"
import { writeDoubtful } from "../world/bot/doubtful.ts"
import { control, newFolder, runHere } from "../world/processes/program.ts"
import { type RunningBot, startBot, until } from "../world/processes/runningBot.ts"
import { ctrlC, hasTerminals, open } from "../world/processes/terminal.ts"

interface Standing {
  readonly asset: string
  readonly total: string
  readonly gridProfit: string
  readonly inventory: string
  readonly fees: string
  readonly earnedToday: string
  readonly rounds: number
  readonly capital: string
  readonly share: number
  readonly equity: string
  readonly exposure: number
  readonly curve: ReadonlyArray<number>
}
interface ApiProfit {
  readonly standings: ReadonlyArray<Standing>
  readonly strategies: ReadonlyArray<{ readonly worth: string; readonly held: string; readonly earned: string }>
  readonly series: { readonly worth: ReadonlyArray<number>; readonly held: ReadonlyArray<number> }
}
interface ApiSlot {
  readonly slot: string
  readonly state: string
  readonly earned: string | null
  readonly inventory: string | null
}
interface ApiProblem {
  readonly severity: string
  readonly kind: string
  readonly text: string
}
interface ApiStatus {
  readonly prices: ReadonlyArray<{ readonly mid: string }>
  readonly problems: ReadonlyArray<ApiProblem>
  readonly fills: number
  readonly openOrders: number
}

/** Down through four cells, up through them, and down through one: each price, and the fills since the start. */
const path = [
  [60_020, 0],
  [59_640, 4],
  [60_170, 8],
  [59_960, 9]
] as const

/** What the chat is told, and what is asked there. */
const answers: Array<string> = []
const questions = ["/status", "/profit"]
let asked = 0
const chat = createServer((request, response) => {
  let body = ""
  request.setEncoding("utf8").on("data", (part: string) => {
    body += part
  })
  request.on("end", () => {
    // Notices go to another chat.
    const { chat_id: to, text }: { chat_id?: number; text?: string } = body === "" ? {} : JSON.parse(body)
    if (to === 42 && text !== undefined) answers.push(text)
    if (request.url?.endsWith("/getUpdates") !== true) return void response.end("{}")
    const offset: number = JSON.parse(body).offset
    const result = questions.slice(offset, Math.min(asked, offset + 1)).map((text) => ({
      update_id: offset,
      message: { message_id: 1, date: Math.floor(Date.now() / 1000), chat: { id: 42, type: "private" }, text }
    }))
    setTimeout(() => response.end(JSON.stringify({ ok: true, result })), 100)
  })
})

let bot: RunningBot
let profit: ApiProfit
let slots: ReadonlyArray<ApiSlot>
let status: ApiStatus

const ofProgram = async (...args: ReadonlyArray<string>): Promise<string> => {
  const { code, stdout, stderr } = await runHere([...args, "--config", join(bot.folder, "config.yaml")])
  assert.strictEqual(code, 0, stderr)
  return stdout
}
const jsonOf = async (...args: ReadonlyArray<string>) => JSON.parse(await ofProgram(...args, "--json"))
const readProfit = async () => (await bot.look("/api/v1/profit")) as ApiProfit
const standing = ({ standings }: ApiProfit = profit): Standing =>
  standings.find(({ asset }) => asset === "USDC") ?? assert.fail("no standing")

/** As people read it. */
const cents = (text: string): string => {
  const [sign, units] = text.startsWith("-") ? ["-", text.slice(1)] : ["", text]
  const shown = Number(units).toFixed(2)
  return `${Number(shown) === 0 ? "" : sign}${shown}`
}
/** Signs and thousands as they come: 1,234.50, −3.20, +4.00. */
const plain = (text: string): string => cents(text.replaceAll(",", "").replace("−", "-").replace(/^\+/, ""))

/** The figures of a line such as "total +1.46 (+0.02 %)   grid profit +1.46   …". */
const figuresIn = (line: string) =>
  Object.fromEntries(
    [...line.matchAll(/(total|grid profit|inventory|fees|earned today|capital) ([-+−]?[\d,]+(?:\.\d+)?)/g)].map(
      ([, name, figure]) => [name, plain(figure ?? "")]
    )
  )
const figuresOf = ({ capital, earnedToday, fees, gridProfit, inventory, total }: Standing) => ({
  total: cents(total),
  "grid profit": cents(gridProfit),
  inventory: cents(inventory),
  fees: cents(fees),
  "earned today": cents(earnedToday),
  capital: cents(capital)
})

/**
 * What a surface said is what the API said. The day's figure alone is that of the next day where midnight has passed since the
 * API was asked.
 */
const assertStands = async (earnedToday: string, holds: (expected: Standing) => void): Promise<void> => {
  const said = standing()
  const isOfThatDay = plain(earnedToday) === cents(said.earnedToday)
  holds(isOfThatDay ? said : { ...said, earnedToday: standing(await readProfit()).earnedToday })
}

const assertFigures = (found: Readonly<Record<string, string>>): Promise<void> =>
  assertStands(found["earned today"] ?? "", (expected) => assert.deepStrictEqual(found, figuresOf(expected)))

beforeAll(async () => {
  const url = await new Promise<string>((done) =>
    chat.listen(0, "127.0.0.1", () => done(`http://127.0.0.1:${(chat.address() as AddressInfo).port}`))
  )
  const folder = newFolder()
  const key = join(folder, "telegram.key")
  writeFileSync(key, "1:token\n", { mode: 0o600 })
  const notify = `notify: [{ to: telegram, url: "${url}", secret: { file: ${key} }, chat: "1", commands: ["42"] }]\n`
  bot = await startBot(notify, (journal) => writeDoubtful(journal, 1))
  for (const [price, fills] of path) {
    await control(bot.sandbox, "prices", { "BTC/USDC": price })
    await until(`all orders rest at ${price}`, async () => {
      status = (await bot.look("/api/v1/status")) as ApiStatus
      slots = ((await bot.look("/api/v1/slots")) as { slots: ReadonlyArray<ApiSlot> }).slots
      const isSeen = status.prices.some(({ mid }) => Math.abs(Number(mid) - price) < 1)
      return isSeen && status.fills === fills && slots.filter(({ state }) => state === "open").length === 20
    })
  }
  profit = await readProfit()
})
afterAll(() => {
  chat.closeAllConnections()
  chat.close()
})

describe("one journal, all surfaces", () => {
  it("the page's parts add up to its total, also against holding", () => {
    const { capital, curve, equity, exposure, fees, gridProfit, inventory, total } = standing()
    const units = (text: string) => BigInt(Math.round(Number(text) * 1e6))
    assert.strictEqual(units(gridProfit) + units(inventory) - units(fees), units(total))
    const [strategy] = profit.strategies
    assert.strictEqual(units(strategy?.worth ?? "") - units(strategy?.held ?? ""), units(total))
    const end = (profit.series.worth.at(-1) ?? 0) - (profit.series.held.at(-1) ?? 0)
    // Each of the two series is rounded to the unit.
    for (const last of [end, curve.at(-1) ?? 0]) assert.approximately(last, Number(total), 2e-6)
    assert.strictEqual(units(equity), units(capital) + units(total))
    assert.isTrue(exposure > 0 && exposure < 1)
    assert.strictEqual(units(strategy?.earned ?? ""), units(gridProfit) - units(fees))
  })

  it("`status`, `profit` and `orders --stuck` agree with the API", async () => {
    const [ofStatus, ofProfit, bySlot, stuck] = await Promise.all([
      jsonOf("status"),
      jsonOf("profit"),
      jsonOf("profit", "--by", "slot"),
      jsonOf("orders", "--stuck")
    ])
    const expected = standing()
    for (const found of [ofStatus.profit.USDC, ofProfit.USDC])
      await assertStands(found.earnedToday, ({ asset: _, curve: __, equity: ___, exposure: ____, ...said }) =>
        assert.deepInclude(found, said)
      )
    assert.deepStrictEqual(
      ofStatus.problems.map(({ kind, text }: ApiProblem) => [kind, text]),
      status.problems.map(({ kind, text }) => [kind, text])
    )
    assert.strictEqual(stuck.length, status.problems.filter(({ kind }) => kind === "stuck").length)
    assert.deepStrictEqual([ofStatus.fills, ofStatus.openOrders], [status.fills, status.openOrders])
    type Group = { readonly [key in "slot" | "gridProfit" | "inventory" | "fees"]: string }
    const groups: ReadonlyArray<Group> = bySlot.USDC.groups
    for (const { earned, slot } of slots) {
      if (earned === null) continue
      const group = groups.find((each) => each.slot === slot)
      assert.approximately(Number(group?.gridProfit) - Number(group?.fees), Number(earned), 1e-9, slot)
    }
    const sum = (of: (group: Group) => string) => groups.reduce((total, group) => total + Number(of(group)), 0)
    assert.approximately(
      sum(({ gridProfit }) => gridProfit),
      Number(expected.gridProfit),
      1e-6
    )
    assert.approximately(
      sum(({ inventory }) => inventory),
      Number(expected.inventory),
      1e-6
    )
    assert.approximately(
      sum(({ fees }) => fees),
      Number(expected.fees),
      1e-6
    )
    assert.deepStrictEqual(
      ofStatus.profit.USDC.slots.map(({ slot, gridProfit }: Group) => [slot, gridProfit]),
      groups.filter(({ slot }) => !slot.endsWith("/")).map(({ slot, gridProfit }) => [slot, gridProfit])
    )
  })

  it("the API and the command line give the same plan, which changes nothing", async () => {
    const [ofApi, ofCommand] = await Promise.all([
      bot.look("/api/v1/plan"),
      jsonOf("plan", join(bot.folder, "grid.yaml"))
    ])
    const actions = (plan: unknown) =>
      [...JSON.stringify(plan).matchAll(/"action":"(\w+)"/g)].map(([, action]) => action)
    assert.isAbove(actions(ofApi).length, 10)
    assert.deepStrictEqual(actions(ofCommand), actions(ofApi))
  })

  it("the API and the command line give the same explanation and reconciliation, byte for byte", async () => {
    const moment = new Date(Date.now() - 1_000).toISOString()
    const ofApi = await bot.look(`/api/v1/explain?slot=grid&at=${moment}`)
    const ofCommand = await ofProgram("explain", "grid", "--at", moment, "--json")
    assert.strictEqual(`${JSON.stringify(ofApi)}\n`, ofCommand)
    assert.include(ofCommand, '"guard":"budget"')
    const { body } = await bot.command("/api/v1/reconcile", {})
    // A turn in between may add to the timelines.
    const told = (json: string) => json.replaceAll(/"(?:timeline|correlationIds)":\[.*?\]/g, "")
    assert.strictEqual(`${told(body)}\n`, told(await ofProgram("reconcile", "--json")))
    assert.isAbove(JSON.parse(body).agrees, 10)
  })

  it.skipIf(!hasTerminals())("the screen agrees with the API", async () => {
    const command = `${process.execPath} ${limitbot} status --watch --config config.yaml`
    const terminal = open(command, {
      cwd: bot.folder,
      columns: 240,
      rows: 60,
      environment: { PATH: process.env["PATH"] }
    })
    // While the bot is too busy to answer, the screen takes its price from the journal.
    const total = cents(standing().total).replace("-", "[-−]")
    const seen = await terminal.shows(new RegExp(`PROFIT USDC .*total \\+?${total} .*earned today .*since`))
    terminal.press(ctrlC)
    await terminal.ended
    await assertFigures(figuresIn(/PROFIT USDC .*/.exec(seen)?.[0] ?? ""))
    const [worst, ...others] = status.problems
    if (worst !== undefined) assert.include(seen, worst.text.slice(0, 60))
    for (const { kind } of others) if (kind !== worst?.kind) assert.include(seen, kind)
    for (const { earned, inventory, slot } of slots) {
      const line = seen.split("\n").find((each) => each.includes(`${slot} `)) ?? ""
      const figures = line.replaceAll(",", "").replaceAll("−", "-")
      if (earned !== null && line !== "") assert.include(figures, cents(earned), slot)
      if (inventory !== null && line !== "") assert.include(figures, cents(inventory), slot)
    }
  })

  it("the chat agrees with the API", async () => {
    asked = questions.length
    await until("both are answered", async () => answers.length >= 2)
    const [ofStatus = "", ofProfit = ""] = answers.slice(-2)
    for (const { text } of status.problems) assert.include(ofStatus, text)
    assert.include(ofStatus, `${status.fills} fills, ${status.openOrders} unsettled orders`)
    await assertFigures(figuresIn(ofProfit))
  })

  it.skipIf(browserPath === undefined)("the page agrees with the API", async () => {
    const browser = await chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] })
    try {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      await page.goto(`${bot.url}/#token=${bot.token}`)
      await page.locator(".slots-t tbody tr").first().waitFor()
      await page.locator("#profit-figures dd").first().waitFor()
      const shown = Object.fromEntries(
        await page
          .locator("#profit-figures div")
          .evaluateAll((parts) =>
            parts.map((part) => [
              part.querySelector("dt")?.textContent ?? "",
              part.querySelector("dd")?.textContent ?? ""
            ])
          )
      )
      const total = await page.locator("#standings .hero-n span").first().innerText()
      await assertStands(shown["Today"] ?? "", ({ capital, earnedToday, fees, gridProfit, inventory, total: all }) =>
        assert.deepStrictEqual(
          [total, ...["Grid profit", "Open profit", "Fees", "Today", "Equity"].map((name) => shown[name] ?? "")].map(
            plain
          ),
          [all, gridProfit, inventory, `-${fees}`, earnedToday, String(Number(capital) + Number(all))].map(cents)
        )
      )
      assert.strictEqual(shown["Rounds"] ?? "0", String(standing().rounds))
      await problemsAndSlots(page)
    } finally {
      await browser.close()
    }
  })
})

const problemsAndSlots = async (page: Page) => {
  const told = (await page.locator("#problems").textContent()) ?? ""
  for (const { text } of status.problems) assert.include(told, text)
  const rows = await page
    .locator(".slots-t tbody tr")
    .evaluateAll((all) => all.map((row) => [...row.querySelectorAll("td, th")].map((cell) => cell.textContent ?? "")))
  const titles = await page.locator(".slots-t thead th").allInnerTexts()
  const [earnedAt, openAt] = ["earned", "open"].map((name) => titles.findIndex((title) => title.toLowerCase() === name))
  for (const { earned, inventory, slot } of slots) {
    const row = rows.find(([name]) => slot.endsWith(`/${name}`)) ?? assert.fail(`${slot} is not on the page`)
    const seen = [row[earnedAt ?? -1] ?? "", row[openAt ?? -1] ?? ""].map((text) => (text === "–" ? null : plain(text)))
    assert.deepStrictEqual(
      seen,
      [earned, inventory].map((text) => (text === null ? null : cents(text))),
      slot
    )
  }
}
