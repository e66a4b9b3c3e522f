/**
 * One page and one API over many bots: accounts of a fleet, some by strategies that they share, and a bot of its own that registers by its
 * address. Filter, totals, problems by kind, the kill switch by role, metrics with bounded labels; and a person at the page in a browser.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type Browser, chromium, type Page } from "playwright-core"
import type { BotDetail, FleetOverview } from "../../src/fleet/server/FleetView.ts"
import { isLong } from "../long.ts"
import * as PostgresServer from "../postgres.ts"
import { browserPath } from "../surroundings.ts"
import { type Program, start } from "../world/processes/program.ts"
import { type RunningBot, startBot, until } from "../world/processes/runningBot.ts"
import { type Ground, gridText, haveOrders, make } from "./ground.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
/** Where pictures of the page go, for a person who looks at them. */
const pictures = process.env["LIMITBOT_PICTURES"]

const server = await PostgresServer.start()
if (server === undefined) it.skip("the page of a fleet: this machine has no Postgres server", () => undefined)

let ground: Ground
let bot: RunningBot
let programs: ReadonlyArray<Program> = []
let [url, operator, viewer] = ["", "", ""]

const get = async <A>(path: string, token = operator): Promise<A> => {
  const response = await fetch(`${url}/api/v1/${path}`, { headers: { authorization: `Bearer ${token}` } })
  if (response.status !== 200) assert.fail(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as A
}
const post = async (path: string, payload: unknown, token = operator) => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const response = await fetch(`${url}/api/v1/${path}`, { method: "POST", headers, body: JSON.stringify(payload) })
  return { status: response.status, ...((await response.json()) as { readonly message: string }) }
}
const isState = (wanted: string, names: ReadonlyArray<string>) => async () => {
  const { listed } = await get<FleetOverview>("fleet")
  return names.every((name) => listed.some((line) => line.name === name && line.state === wanted))
}

/** Two accounts of a class share a grid, each by its own budget; the third has one of its own. */
const shared = gridText(59_000)
  .replace(/budget: \{[^}]*\}/, "budget: own")
  .replace("size: { base: 0.002 }", "size: { base: 20% of base }")
const makeClass = ({ folder }: Ground) => {
  for (const [index, base] of [0.01, 0.02].entries()) {
    const [from, to] = [join(folder, "accounts", `account-${index}`), join(folder, "accounts/gold", `account-${index}`)]
    mkdirSync(to, { recursive: true })
    writeFileSync(join(to, "config.yaml"), readFileSync(join(from, "config.yaml"), "utf8"))
    writeFileSync(join(to, "budgets.yaml"), `grid: { base: ${base}, quote: 600 }\n`)
    rmSync(from, { recursive: true })
  }
  mkdirSync(join(folder, "accounts/gold/strategies"))
  writeFileSync(join(folder, "accounts/gold/strategies/grid.yaml"), shared)
}

describe.skipIf(server === undefined)("the page of a fleet", () => {
  beforeAll(async () => {
    if (server === undefined) return
    ground = await make(server, 3, { strategyOf: (index) => (index < 2 ? undefined : gridText(59_000)) })
    makeClass(ground)
    bot = await startBot("")
    const { folder } = ground
    writeFileSync(join(folder, "bot.token"), `${bot.token}\n`, { mode: 0o600 })
    writeFileSync(
      join(folder, "page.yaml"),
      `dashboard: { port: 0 }\nbots:\n  alone: { url: "${bot.url}", token: { file: bot.token } }\n  gone: { url: "http://127.0.0.1:9", token: { file: bot.token } }\n`
    )
  })
  afterAll(async () => {
    for (const program of programs) program.signal("SIGTERM")
    await Promise.all(programs.map(({ ended }) => ended))
  })

  it("applies strategies that accounts share, each with its own numbers", async () => {
    const { stderr, stdout } = await ground.limitbot("fleet", "--apply", "accounts", "--yes")
    assert.match(stdout, /account-0: new \(config.yaml, grid.yaml\)/, stderr)
    programs = [ground.runner()]
    await ground.until("all have orders", haveOrders)
    for (const [name, size] of [
      ["account-0", "0.002"],
      ["account-1", "0.004"],
      ["account-2", "0.002"]
    ] as const) {
      const { stdout } = await ground.limitbot("orders", "--account", name, "--json")
      const orders: ReadonlyArray<{ readonly quantity: string }> = JSON.parse(stdout)
      assert.isTrue(
        orders.some(({ quantity }) => quantity === size),
        stdout
      )
    }
  })

  it("shows accounts and standalone bots, worst first, with exact totals and problems by kind", async () => {
    const page = start(["fleet", "dashboard", "page.yaml", "--database-file", ground.url], { cwd: ground.folder })
    programs = [...programs, page]
    await page.says("Dashboard: ")
    url = /Dashboard: (\S+)/.exec(page.stdout())?.[1] ?? ""
    const tokenIn = (file: string) => readFileSync(join(ground.folder, file), "utf8").trim()
    ;[operator, viewer] = [tokenIn("page.yaml.token"), tokenIn("page.yaml.viewer-token")]
    await until("all are there", isState("running", ["account-0", "account-1", "account-2", "alone"]))
    const fleet = await get<FleetOverview>("fleet", viewer)
    assert.strictEqual(fleet.role, "viewer")
    assert.deepStrictEqual([fleet.bots, fleet.matching, fleet.listed.length], [5, 5, 5])
    assert.isAtLeast(fleet.troubled, 1)
    assert.strictEqual(fleet.listed[0]?.name, "gone")
    assert.isTrue(fleet.problems.some(({ bots, kind }) => kind === "unreachable" && bots === 1))
    assert.deepStrictEqual(fleet.classes.find((each) => each.class === "gold")?.bots, 2)
    // Fills move money between assets, and fees off; what three budgets brought in is still nearly there.
    const base = fleet.totals.find(({ asset, id }) => asset === "BTC" && id !== "")
    assert.closeTo(Number(base?.amount), 0.04, 0.02)
    for (const [filter, count] of [
      ["search=account-2", 1],
      ["class=gold", 2],
      ["state=unreachable", 1],
      ["problem=unreachable", 1],
      ["search=nothing", 0]
    ] as const)
      assert.strictEqual((await get<FleetOverview>(`fleet?${filter}`)).matching, count, filter)
    await until("an account and a bot report equity and exposure", async () => {
      const { listed } = await get<FleetOverview>("fleet", viewer)
      const isComplete = ({ equity, exposure = null }: FleetOverview["listed"][number]["profit"][number]) =>
        Number(equity) > 0 && exposure !== null && exposure >= 0 && exposure <= 1
      return ["account-0", "alone"].every((name) =>
        listed.some((line) => line.name === name && line.profit.some(isComplete))
      )
    })
    const one = await get<BotDetail>("bots/account-1", viewer)
    assert.isAbove(one.orders.length, 0)
    assert.isAbove((await get<BotDetail>("bots/alone", viewer)).money.length, 0)
  })

  it("accepts commands by role, for named bots or for all with a confirmation", async () => {
    assert.strictEqual((await post("kill", { bots: "all", confirm: "kill" }, viewer)).status, 403)
    assert.strictEqual((await post("kill", { bots: ["account-0"] })).status, 400)
    assert.strictEqual((await post("pause", {})).status, 400)
    assert.strictEqual((await post("pause", { bots: ["nobody"] })).status, 404)
    assert.match((await post("pause", { bots: ["account-2", "alone"], why: "to look" })).message, /^2 bots paused/)
    await until("both are paused", isState("paused", ["account-2", "alone"]))
    assert.match((await post("resume", { bots: ["account-2", "alone"] })).message, /^2 bots may place/)
    await until("both run", isState("running", ["account-2", "alone"]))
    assert.match((await post("kill", { bots: ["account-1"], confirm: "kill" })).message, /^1 bot killed/)
    await until("it is killed", isState("killed", ["account-1"]))
    // A resume does not end the kill switch.
    assert.match((await post("resume", { bots: ["account-1"] })).message, /^0 bots/)
    assert.match((await post("release", { bots: ["account-1"] })).message, /^1 bot released/)
    await until("it runs", isState("running", ["account-1"]))
    assert.strictEqual((await post("bots/account-0/resolve", { placement: "pl-none", word: "paid" })).status, 409)
  })

  it("has metrics by class instead of by name, and describes its API", async () => {
    const metrics = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${viewer}` } })).text()
    assert.match(metrics, /^limitbot_fleet_bots\{class="gold",state="running"\} 2$/m)
    assert.match(metrics, /^limitbot_fleet_problems\{class="none",kind="unreachable",severity="alarm"\} 1$/m)
    assert.match(metrics, /^limitbot_fleet_money\{class="gold",asset="BTC"\} 0\.\d+$/m)
    assert.notMatch(metrics, /account-\d|alone/)
    assert.strictEqual((await fetch(`${url}/metrics`)).status, 401)
    assert.strictEqual((await fetch(`${url}/health/ready`)).status, 200)
    const { paths } = (await (await fetch(`${url}/api/v1/openapi.json`)).json()) as { readonly paths: object }
    assert.includeMembers(Object.keys(paths), ["/api/v1/fleet", "/api/v1/bots/{name}", "/api/v1/kill"])
  })

  describe.skipIf(browserPath === undefined || !isLong)("in a browser", () => {
    let browser: Browser
    let page: Page
    const said: Array<string> = []
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] })
      page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: "dark" })
      page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) said.push(message.text())
      })
      page.on("pageerror", (error) => said.push(error.message))
    })
    afterAll(() => browser?.close())

    const picture = async (name: string) => {
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
    }
    const barriers = async (): Promise<ReadonlyArray<string>> => {
      const session = await page.context().newCDPSession(page)
      await session.send("Runtime.evaluate", { expression: `${axe};0` })
      const expression = "axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id }) => id)))"
      const { result } = await session.send("Runtime.evaluate", { expression, awaitPromise: true })
      return JSON.parse(String(result.value))
    }

    /** A panel may scroll within the page. */
    const scrollsSideways = "document.getElementById('bots').scrollWidth > document.getElementById('bots').clientWidth"

    it("lists, filters, and shows one bot", async () => {
      const rows = page.locator("#bots tbody tr:not(.notes)")
      await page.goto(`${url}/#token=${operator}`)
      await page.locator("#bots .spark").first().waitFor()
      await picture("fleet-1280-dark")
      assert.match(await page.locator("#bots thead").innerText(), /Return\s+30 days\s+Equity\s+Exposure/)
      assert.match(await page.locator("#bots tbody").innerText(), /\d\.\d\d %[\s\S]+\d\.\d\d\s+\d+ %/)
      assert.isFalse(await page.evaluate(scrollsSideways))
      await page.getByRole("button", { name: /^unreachable 1/i }).click()
      await until("only one is left", async () => (await rows.count()) === 1)
      await page.getByRole("button", { name: /^unreachable 1/i }).click()
      await page.locator("#search").fill("account-1")
      await until("only it is left", async () => (await rows.count()) === 1)
      await page.getByRole("button", { name: "account-1" }).click()
      await page.locator("#dialog table").first().waitFor()
      await picture("one-1280-dark")
      assert.deepStrictEqual(await barriers(), [])
      await page.getByRole("button", { name: "Close" }).click()
      await page.locator("#search").fill("")
    })

    it("kills all only after a typed word, and confirms it", async () => {
      await page.getByRole("button", { name: "Kill all" }).click()
      const go = page.locator("#dialog").getByRole("button", { name: "Kill all bots" })
      assert.isTrue(await go.isDisabled())
      await page.getByLabel("Type kill").fill("kill")
      await picture("kill-1280-dark")
      await go.click()
      await until("who was not told is named", async () =>
        /NOT CONFIRMED.*gone/.test(await page.locator(".toast").innerText())
      )
      await until("accounts and bots are killed", isState("killed", ["account-0", "account-1", "account-2", "alone"]))
      await until("the page says so", async () => /killed\s+\d/i.test(await page.locator("#figures").innerText()))
    })

    it("has no accessibility problem that axe finds, dark, light and on a phone, and a clean console", async () => {
      assert.deepStrictEqual(await barriers(), [])
      await page.emulateMedia({ colorScheme: "light" })
      await picture("fleet-1280-light")
      assert.deepStrictEqual(await barriers(), [])
      await page.setViewportSize({ width: 390, height: 844 })
      await page.waitForTimeout(300)
      await picture("fleet-390-light")
      assert.deepStrictEqual(await barriers(), [])
      assert.isFalse(await page.evaluate("document.documentElement.scrollWidth > innerWidth"))
      assert.isFalse(await page.evaluate(scrollsSideways))
      await page.getByRole("button", { name: "account-1" }).click()
      await page.locator("#dialog table").first().waitFor()
      await picture("one-390-light")
      assert.deepStrictEqual(said, [])
    })
  })
})
