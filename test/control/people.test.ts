/** People with names: what each role may do to a running bot, whose name the journal has, and that a revoked token opens nothing. */
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { commandNames, commandOf } from "../../src/control/api/OperatorCommands.ts"
import { isLong } from "../long.ts"
import { runHere } from "../world/processes/program.ts"
import { type RunningBot, startBot, until } from "../world/processes/runningBot.ts"

let bot: RunningBot
const limitbot = (...args: ReadonlyArray<string>) => runHere([...args, "--config", join(bot.folder, "config.yaml")])
const list = () => `${bot.journal}.people`

/** Lists somebody while the bot runs. */
const hired = async (name: string, role: string): Promise<string> => {
  const out = join(bot.folder, `${name}.token`)
  const added = await limitbot("people", name, "--role", role, "--out", out)
  assert.strictEqual(added.code, 0, added.stderr)
  assert.strictEqual(statSync(out).mode & 0o777, 0o600)
  const token = readFileSync(out, "utf8").trim()
  for (const shown of [added.stdout, added.stderr, readFileSync(list(), "utf8")]) assert.notInclude(shown, token)
  return token
}

const say = async (token: string, path: string, payload?: unknown) => {
  const authorization = `Bearer ${token}`
  if (payload === undefined) return bot.ask(path, { headers: { authorization } })
  const body = JSON.stringify(payload)
  const headers = {
    authorization,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body))
  }
  return bot.ask(path, { method: "POST", headers, body })
}

/** A body that fits the contract of each command. */
const bodies: Readonly<Record<string, unknown>> = {
  pause: {},
  resume: {},
  drain: { strategy: "nobody" },
  cancel: { slot: "nobody/slot" },
  "cancel-all": { confirm: "cancel all" },
  kill: { confirm: "kill" },
  release: {},
  reload: {},
  resolve: { placement: "p0", word: "paid" },
  reconcile: {},
  check: { files: [] },
  plan: { files: [] },
  backtest: { file: "grid.yaml", text: "" },
  apply: { file: "grid.yaml", text: "", hash: "x" },
  "swap/quote": { amount: "0.001", from: "BTC", to: "USDC" },
  swap: { quote: "none", confirm: "swap" }
}
/** Beside those of `OperatorCommands`. */
const tradersToo = ["reconcile", "check", "plan", "backtest"]

const mayTrade = (path: string): boolean => {
  const name = commandNames.find((each) => each === path)
  return name === undefined ? tradersToo.includes(path) : commandOf(name).role === "trader"
}

const logged = async (search: string) =>
  ((await bot.look(`/api/v1/log?search=${encodeURIComponent(search)}`)) as { events: ReadonlyArray<{ text: string }> })
    .events

beforeAll(async () => {
  bot = await startBot()
})

describe("people with roles", () => {
  it("viewers read, traders also steer, and only operators release money", async () => {
    const [viewer, trader, operator] = [
      await hired("vera", "viewer"),
      await hired("tom", "trader"),
      await hired("olga", "operator")
    ]
    for (const [token, role] of [
      [viewer, "viewer"],
      [trader, "trader"],
      [operator, "operator"]
    ] as const) {
      const status = await say(token, "/api/v1/status")
      assert.strictEqual(JSON.parse(status.body).role, role)
      assert.strictEqual((await say(token, "/metrics")).status, 200)
    }
    for (const [path, body] of Object.entries(bodies)) {
      const asViewer = await say(viewer, `/api/v1/${path}`, body)
      assert.strictEqual(asViewer.status, 403, path)
      assert.match(
        JSON.parse(asViewer.body).message,
        /A viewer's token may not do this; it needs the (trader|operator)'s/
      )
      const asTrader = await say(trader, `/api/v1/${path}`, body)
      assert.strictEqual(asTrader.status === 403, !mayTrade(path), `${path} ${asTrader.status} ${asTrader.body}`)
    }
    assert.strictEqual((await say(operator, "/api/v1/release", {})).status, 200)
    assert.strictEqual((await say(operator, "/api/v1/resume", {})).status, 200)
  })

  it("are named in the journal with their commands", async () => {
    assert.isNotEmpty(await logged("tom: kill"))
    assert.isNotEmpty(await logged("olga: release"))
    assert.isEmpty(await logged("vera"))
    assert.strictEqual((await bot.command("/api/v1/pause", { why: "to look" })).status, 200)
    assert.isNotEmpty(await logged("the operator: pause (to look)"))
    const events = await limitbot("events", "--json", "--search", "Commanded")
    const by = events.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly by: string; readonly command: string })
      .flatMap(({ by, command }) => (command === "kill" ? [by] : []))
    assert.deepStrictEqual(by, ["tom"])
  })

  it.skipIf(!isLong)("lose access at once when revoked, open streams included", async () => {
    const token = await hired("nina", "viewer")
    const stream = bot.raw(
      `GET /api/v1/events HTTP/1.1\r\nHost: ${new URL(bot.url).host}\r\nAuthorization: Bearer ${token}\r\n\r\n`
    )
    assert.strictEqual((await limitbot("people", "--revoke", "nina")).code, 0)
    const refused = await say(token, "/api/v1/status")
    assert.strictEqual(refused.status, 401)
    assert.match(await stream, /200 OK[\s\S]*\r\n0\r\n/)
    const listed = JSON.parse((await limitbot("people", "--json")).stdout)
    assert.deepStrictEqual(
      listed.map(({ name, role }: { name: string; role: string }) => [name, role]),
      [
        ["vera", "viewer"],
        ["tom", "trader"],
        ["olga", "operator"]
      ]
    )
  })

  it("are named in their pauses, with the reason if there is one", async () => {
    const token = await hired("anna", "trader")
    assert.strictEqual((await say(token, "/api/v1/resume", {})).status, 200)
    assert.strictEqual((await say(token, "/api/v1/pause", { strategy: "grid", why: "lunch" })).status, 200)
    assert.isNotEmpty(await logged("PAUSED by anna: lunch"))
    const { problems } = (await bot.look("/api/v1/status")) as { problems: ReadonlyArray<{ text: string }> }
    assert.include(
      problems.map(({ text }) => text),
      "Paused by anna: lunch"
    )
    assert.strictEqual((await say(token, "/api/v1/resume", {})).status, 200)
    assert.strictEqual((await say(token, "/api/v1/drain", { strategy: "grid" })).status, 200)
    const drains = await logged("PAUSED, orders cancelled,")
    assert.isTrue(drains.some(({ text }) => text.endsWith("by anna")))
  })

  it("cannot send an unknown field: the request is refused and nothing is done", async () => {
    const token = await hired("karl", "operator")
    for (const [path, body] of Object.entries({ ...bodies, "signals/trend": { value: 1 } })) {
      const { status, body: said } = await say(token, `/api/v1/${path}`, { ...Object(body), reason: "x" })
      assert.strictEqual(status, 400, `${path} ${said}`)
      assert.match(JSON.parse(said).message, /reason/)
    }
    assert.isEmpty(await logged("karl:"))
  })

  it("cannot send code, not even as operators", async () => {
    const head = "name: grid\nmarket: BTC/USDC\nlimits: { budget: { quote: 100 } }\n"
    const code = `export default { about: "x", keys: {}, decide: () => ({ orders: [], until: {} }) }`
    for (const text of [
      `${head}kind: ./mine.ts\nmine: {}\ncode: ${JSON.stringify(code)}\n`,
      `{ name: grid, market: BTC/USDC, "kind": "./mine.ts", "code": ${JSON.stringify(code)}, limits: { budget: { quote: 100 } }, mine: {} }`,
      `${head}kind: ../../../../secret.js\nsecret: {}\n`
    ]) {
      const files = [{ file: join(bot.folder, "grid.yaml"), text }]
      for (const answer of [
        await bot.command("/api/v1/check", { files }),
        await bot.command("/api/v1/plan", { files }),
        await bot.command("/api/v1/backtest", files[0]),
        await bot.command("/api/v1/apply", { ...files[0], hash: "x" })
      ]) {
        assert.strictEqual(answer.status, 409, answer.body)
        assert.match(answer.body, /code can only be changed on the bot's machine/)
      }
    }
  })

  it("are refused if their entry is invalid, with what to do", async () => {
    const out = join(bot.folder, "again.token")
    for (const [name, says] of [
      ["tom", /tom is listed already/],
      ["a b", /"a b" cannot be a name/],
      ["", /cannot be a name/]
    ] as const) {
      const { code, stderr } = await limitbot("people", name, "--role", "viewer", "--out", out)
      assert.notStrictEqual(code, 0)
      assert.match(stderr, says)
      assert.isFalse(existsSync(out), "no token is left of what failed")
    }
    assert.match(
      (await limitbot("people", "--revoke", "nobody")).stderr,
      /nobody is not listed. There are: vera, tom, olga/
    )
    writeFileSync(out, "mine")
    assert.match((await limitbot("people", "zoe", "--role", "viewer", "--out", out)).stderr, /cannot be written/)
    assert.notInclude((await limitbot("people")).stdout, "zoe", "nobody is listed without a token")
  })

  it("are all refused if others can write the list, but the operator and the bot continue", async () => {
    const token = await hired("ulla", "operator")
    for (const spoilt of [() => chmodSync(list(), 0o664), () => writeFileSync(list(), "[{]")]) {
      const [sound, mode] = [readFileSync(list(), "utf8"), statSync(list()).mode]
      spoilt()
      const refused = await say(token, "/api/v1/status")
      assert.strictEqual(refused.status, 401)
      assert.match(refused.body, /\.people .*Until it is fixed/)
      assert.strictEqual((await bot.command("/api/v1/pause", {})).status, 200)
      writeFileSync(list(), sound)
      chmodSync(list(), mode)
      await until("it is mended", async () => (await say(token, "/api/v1/status")).status === 200)
    }
  })
})
