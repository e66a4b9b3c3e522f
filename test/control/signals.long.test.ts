/** Signals sent to a running bot: who may, what is taken, what strategies make of it, and that the journal tells and replays it. */
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { runHere, startHere } from "../world/processes/program.ts"
import { type RunningBot, startBot, until } from "../world/processes/runningBot.ts"

let bot: RunningBot
const limitbot = (...args: ReadonlyArray<string>) => runHere([...args, "--config", join(bot.folder, "config.yaml")])

const strategy = `name: grid
market: BTC/USDC
kind: rules
limits: { budget: { quote: 1000 }, maxPriceDeviation: 90% }
rules:
  timeframe: 1m
  orders:
    dip: { when: 'signal("trend", 2h) > 0.5 and signal("go", 1d) == 1', side: buy, price: mid * (1 - 20%), size: { quote: 100 }, cancelWhen: 'signal("trend", 2h) < 0' }
`

const status = async () =>
  (await bot.look("/api/v1/status")) as {
    readonly openOrders: number
    readonly signals: ReadonlyArray<{ name: string; value: number | null; since: number | null; until: number | null }>
  }
const post = (name: string, payload: unknown) => bot.command(`/api/v1/signals/${name}`, payload)
const recorded = async () =>
  (await limitbot("events", "--json", "--search", "SignalReceived")).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { name: string; value: number; by: string; note?: string })

const sendAs = (token: string, path: string, method: string, body?: string) =>
  bot.ask(path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) })
    },
    ...(body === undefined ? {} : { body })
  })

beforeAll(async () => {
  bot = await startBot("signals: { file: signals.csv }\n", async (journal) => {
    writeFileSync(join(journal, "..", "grid.yaml"), strategy)
  })
})

describe("signals to a running bot", () => {
  it("from a missing file are reported as such", async () => {
    await until("it was looked for", async () =>
      (await limitbot("events")).stdout.includes("signals.csv failed and was restarted: the file does not exist yet")
    )
    writeFileSync(join(bot.folder, "signals.csv"), "time,name,value\n")
  })

  it("that are missing stop placement, and explain names them", async () => {
    await until("the strategy was asked", async () =>
      (await limitbot("explain", "grid/dip")).stdout.includes('a fresh signal "trend" (none within 2h)')
    )
    assert.deepStrictEqual(
      (await status()).signals.map(({ name, value }) => [name, value]),
      [
        ["trend", null],
        ["go", null]
      ]
    )
    assert.strictEqual((await status()).openOrders, 0)
  })

  it("arrive by file, command and API; the order opens when all are there, and one value cancels it", async () => {
    appendFileSync(join(bot.folder, "signals.csv"), `${new Date().toISOString()},trend,0.7\n`)
    await until("the file was taken up", async () => (await status()).signals[0]?.value === 0.7)
    const sent = await limitbot("signal", "go", "true", "--note", "by hand")
    assert.deepStrictEqual([sent.code, sent.stdout], [0, "go is 1.\n"], sent.stderr)
    await until("the order is open", async () => (await status()).openOrders === 1)
    const explained = (await limitbot("explain", "grid/dip")).stdout
    assert.include(explained, "a new value of a signal")
    assert.strictEqual((await post("trend", { value: -1, note: "over" })).status, 200)
    await until("the order has left", async () => (await status()).openOrders === 0)
    assert.deepStrictEqual(await recorded(), [
      { ...(await recorded())[0], name: "trend", value: 0.7, by: `the file ${join(bot.folder, "signals.csv")}` },
      { ...(await recorded())[1], name: "go", value: 1, by: "the operator", note: "by hand" },
      { ...(await recorded())[2], name: "trend", value: -1, by: "the operator", note: "over" }
    ])
    assert.include((await limitbot("status")).stdout, "Signal trend: -1 (since ")
  })

  it("have a role of their own that opens nothing else; viewers cannot send them", async () => {
    const out = join(bot.folder, "chart.token")
    assert.strictEqual((await limitbot("people", "chart", "--role", "signaller", "--out", out)).code, 0)
    const token = readFileSync(out, "utf8").trim()
    const body = JSON.stringify({ value: false })
    assert.strictEqual((await sendAs(token, "/api/v1/signals/go", "POST", body)).status, 200)
    assert.strictEqual((await recorded()).at(-1)?.by, "chart")
    for (const path of ["/api/v1/status", "/api/v1/events", "/api/v1/money"])
      assert.strictEqual((await sendAs(token, path, "GET")).status, 403, path)
    assert.strictEqual((await sendAs(token, "/metrics", "GET")).status, 401)
    for (const path of ["pause", "kill", "release", "swap"])
      assert.strictEqual((await sendAs(token, `/api/v1/${path}`, "POST", "{}")).status, 403, path)
    const agents = startHere(["mcp", "--port", "0", "--config", join(bot.folder, "config.yaml")])
    await agents.says(/mcp http:\S+/)
    const address = /mcp (http:\S+)/.exec(agents.stdout())?.[1] ?? ""
    const json = { "content-type": "application/json" }
    const statusAs = async (who: string) =>
      (await fetch(address, { method: "POST", headers: { ...json, authorization: `Bearer ${who}` }, body: "{}" }))
        .status
    assert.strictEqual(await statusAs(token), 403)
    assert.notInclude([401, 403], await statusAs(bot.viewerToken))
    agents.signal("SIGTERM")
    assert.strictEqual((await agents.ended).code, 0)
    assert.strictEqual((await sendAs(bot.viewerToken, "/api/v1/signals/go", "POST", body)).status, 403)
  })

  it("that are impossible are refused with what to do, and change nothing", async () => {
    const before = (await recorded()).length
    const old = await post("trend", { value: 1, at: 1_000 })
    assert.deepStrictEqual(
      [old.status, JSON.parse(old.body).message],
      [409, "trend: a value with a later time is already stored"]
    )
    const ahead = await post("trend", { value: 1, at: Date.now() + 3_600_000 })
    assert.match(JSON.parse(ahead.body).message, /more than a minute ahead of this machine/)
    const unknown = await post("trned", { value: 1 })
    assert.deepStrictEqual(
      [unknown.status, JSON.parse(unknown.body).message],
      [404, "No running strategy uses a signal trned. Signals in use: trend, go"]
    )
    for (const [name, payload] of [
      ["trend", { value: "0.5" }],
      ["trend", {}],
      ["trend", { value: null }],
      ["a%20b", { value: 1 }]
    ] as const)
      assert.strictEqual((await post(name, payload)).status, 400, JSON.stringify(payload))
    const wrong = await limitbot("signal", "trend", "much")
    assert.deepStrictEqual([wrong.code === 0, wrong.stderr.includes('"much" is not a number')], [false, true])
    assert.strictEqual((await recorded()).length, before)
  })

  it("in a flood are limited to one a second, and the last one counts", async () => {
    const before = (await recorded()).length
    const begun = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, value) => post("trend", { value: 1 + value / 100 }))
    )
    // A busy machine takes several seconds to read them.
    const seconds = Math.floor((performance.now() - begun) / 1_000)
    assert.isTrue(answers.every(({ status }) => status === 200))
    const taken = (await recorded()).length - before
    assert.isAtMost(taken, 1 + seconds)
    assert.lengthOf(
      answers.filter(({ body }) => body.includes("replaces this one")),
      40 - taken
    )
  })

  it("survive a restart, and the journal replays every decision", async () => {
    const known = (await status()).signals
    bot.program.signal("SIGTERM")
    await bot.program.ended
    await bot.again()
    assert.deepStrictEqual((await status()).signals, known)
    const { stdout } = await limitbot("replay")
    assert.match(stdout, /identical/)
    assert.notMatch(stdout, /[1-9]\d* differ/)
    const tested = await limitbot("backtest", join(bot.folder, "grid.yaml"), "--data", `journal:${bot.journal}`)
    assert.include(tested.stderr, "add its values with --signals FILE")
  })
})

describe("signals to a strategy in code", () => {
  let own: RunningBot
  const ask = (...args: ReadonlyArray<string>) => runHere([...args, "--config", join(own.folder, "config.yaml")])
  const openOrders = async () => ((await own.look("/api/v1/status")) as { readonly openOrders: number }).openOrders

  beforeAll(async () => {
    const examples = join(import.meta.dirname, "../../strategies/code")
    own = await startBot("", async (journal) => {
      const text = readFileSync(join(examples, "trend.yaml"), "utf8").replace("fresh: 2h", "fresh: 30s\n  away: 4%")
      writeFileSync(join(journal, "..", "grid.yaml"), text)
      copyFileSync(join(examples, "trend.ts"), join(journal, "..", "trend.ts"))
    })
  })

  it("decide while they are fresh, and are explained, replayed and tested on the past", async () => {
    await until("it was asked", async () =>
      (await ask("explain", "trend/dip")).stdout.includes("nobody sent a fresh trend")
    )
    assert.strictEqual(await openOrders(), 0)
    assert.strictEqual((await own.command("/api/v1/signals/trend", { value: 0.7 })).status, 200)
    await until("its order rests", async () => (await openOrders()) === 1)
    assert.match(
      (await ask("explain", "trend/dip")).stdout,
      /the trend is 0\.7[\s\S]*the time 20[\s\S]*a new value of a signal/
    )
    await until("the signal is too old, and the order leaves", async () => (await openOrders()) === 0)
    own.program.signal("SIGTERM")
    await own.program.ended
    const { stdout } = await ask("replay")
    assert.match(stdout, /identical/)
    assert.notMatch(stdout, /[1-9]\d* differ/)
    const prices = join(own.folder, "prices.csv")
    writeFileSync(prices, generated())
    const test = (...more: ReadonlyArray<string>) =>
      runHere(["backtest", join(own.folder, "grid.yaml"), "--data", prices, ...more])
    assert.include((await test()).stderr, "grid.yaml uses the signal trend: add its values with --signals FILE")
    const file = join(own.folder, "grid.yaml")
    const swept = await runHere(["search", file, "--data", prices, "--set", "limits.budget.quote=50,100"])
    assert.include(swept.stderr, "a search cannot supply: run limitbot backtest --signals FILE")
    const sent = join(own.folder, "sent.csv")
    writeFileSync(sent, "time,name,value\n2026-01-01T00:10:00Z,trend,0.9\n")
    const tested = await test("--signals", sent, "--json")
    assert.strictEqual(tested.code, 0, tested.stderr)
  })
})

/** An hour of minutes. */
const generated = (): string =>
  ["time,open,high,low,close,volume"]
    .concat(Array.from({ length: 60 }, (_, minute) => `${1_767_225_600 + minute * 60},60000,60100,59900,60000,1`))
    .join("\n")
