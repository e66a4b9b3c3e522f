/** An operator and a running bot: commands over the API and from the command line do what they say and nothing else. */
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { isLong } from "../long.ts"
import { writeDoubtful } from "../world/bot/doubtful.ts"
import { assertSays, runHere, startHere } from "../world/processes/program.ts"
import { type RunningBot, startBot, until } from "../world/processes/runningBot.ts"

interface Order {
  readonly slot: string
  readonly placement: string
  readonly state: string
}
interface Status {
  readonly turnedAt: number
  readonly killSwitch: string | null
  readonly openOrders: number
  readonly problems: ReadonlyArray<{
    readonly kind: string
    readonly command: string | null
    readonly resolve: {
      readonly placement: string
      readonly words: ReadonlyArray<string>
      readonly evidence: string
    } | null
  }>
  readonly strategies: ReadonlyArray<{
    readonly paused: { readonly by: string; readonly action: string; readonly reason: string } | null
  }>
}

let bot: RunningBot
const status = async () => (await bot.look("/api/v1/status")) as Status
const orders = async () => ((await bot.look("/api/v1/orders")) as { orders: ReadonlyArray<Order> }).orders
const open = async () => (await orders()).filter(({ state }) => state === "open")
const allOpen = () =>
  until(
    "the twenty orders are open",
    async () => (await open()).length === 20,
    async () => ({ status: await status(), orders: await orders(), log: await log("") })
  )
const configured = (...args: ReadonlyArray<string>) => [...args, "--config", join(bot.folder, "config.yaml")]
const limitbot = (...args: ReadonlyArray<string>) => runHere(configured(...args))
const log = async (search: string) =>
  ((await bot.look(`/api/v1/log?search=${search}`)) as { events: ReadonlyArray<{ text: string; tag: string }> }).events

beforeAll(async () => {
  bot = await startBot("", (journal) => writeDoubtful(journal, 2))
  await allOpen()
})

describe("commands to a running bot", () => {
  it("tokens are made with mode 0600, and the address is in status --json", async () => {
    assert.strictEqual(statSync(`${bot.journal}.token`).mode & 0o777, 0o600)
    assert.strictEqual(statSync(`${bot.journal}.viewer-token`).mode & 0o777, 0o600)
    assert.notStrictEqual(bot.token, bot.viewerToken)
    const { dashboard } = JSON.parse((await limitbot("status", "--json")).stdout)
    assert.strictEqual(dashboard, bot.url)
  })

  it("cancel one order, and its slot is placed again", async () => {
    const [chosen] = await open()
    assert.isDefined(chosen)
    assert.strictEqual((await bot.command("/api/v1/cancel", { slot: chosen?.slot })).status, 200)
    await until("another placement is open in the slot", async () =>
      (await open()).some(({ slot, placement }) => slot === chosen?.slot && placement !== chosen?.placement)
    )
    await allOpen()
  })

  it("resolve an unclear payment once, and only with an answer that can be true", async () => {
    const doubts = async () => (await status()).problems.flatMap(({ resolve }) => resolve ?? [])
    const [first] = await doubts()
    assert.deepInclude(first, { placement: "p1", words: ["paid", "not-paid", "forget"] })
    assert.match(first?.evidence ?? "", /hash-1/)
    const say = (word: string) => bot.command("/api/v1/resolve", { placement: "p1", word, why: "seen elsewhere" })
    assert.strictEqual((await say("adopt")).status, 409)
    assert.strictEqual((await say("not-paid")).status, 200)
    assert.strictEqual((await say("not-paid")).status, 409)
    assert.deepStrictEqual(
      (await doubts()).map(({ placement }) => placement),
      ["p2"]
    )
    assert.strictEqual((await log("Resolved")).length, 1)
    // From the command line it goes the same way, without a file beside the journal.
    const told = await limitbot("resolve", "p2", "--forget", "--json")
    assert.deepStrictEqual(JSON.parse(told.stdout), { resolved: "p2", word: "forget", by: "bot" })
    assert.deepStrictEqual(await doubts(), [])
    assert.strictEqual((await log("Resolved")).length, 2)
  })

  it.skipIf(!isLong)("show events and status live in another terminal", async () => {
    const followed = startHere(configured("events", "--follow", "--json", "--limit", "5"))
    const watched = startHere(configured("status", "--watch"))
    await followed.says('"event"', 5)
    await watched.says(/grid\/cell-\d+/)
    assert.strictEqual((await bot.command("/api/v1/pause", { why: "watched" })).status, 200)
    assert.strictEqual((await bot.command("/api/v1/resume", {})).status, 200)
    await followed.says('"event":"Resumed"')
    for (const each of [followed, watched]) each.signal("SIGTERM")
    const lines = (await followed.ended).stdout.trim().split("\n")
    const events = lines.map((line) => JSON.parse(line) as { sequence: number; event: string })
    const [oldest] = events
    assert.deepStrictEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, index) => (oldest?.sequence ?? 0) + index)
    )
    assert.isAtLeast(events.length, 7)
    const { stdout } = await watched.ended
    assert.match(stdout, /BTC\/USDC {2}bid \d+/)
    assert.match(stdout, /grid\/cell-\d+/)
    assert.notMatch(stdout, /does not answer|Not connected/)
  })

  it("pause and resume: open orders stay, and new ones follow, from the command line too", async () => {
    const paused = await limitbot("pause", "grid", "--why", "lunch")
    assert.strictEqual(paused.code, 0, paused.stderr)
    assert.match(paused.stdout, /^grid paused: no new orders; open orders stay\.$/m)
    assert.deepStrictEqual((await status()).strategies[0]?.paused, { by: "operator", action: "pause", reason: "lunch" })
    assert.strictEqual((await open()).length, 20)
    const { problems } = await status()
    assert.deepStrictEqual(
      problems.map(({ kind, command }) => [kind, command]),
      [["paused", "resume"]]
    )
    assert.strictEqual((await limitbot("resume")).code, 0)
    assert.isNull((await status()).strategies[0]?.paused)
  })

  it.skipIf(!isLong)("quote and make a swap by hand, to the bot's own account, once per quote", async () => {
    const asked = { amount: "0.001", from: "BTC", to: "USDC" }
    const strange = await bot.command("/api/v1/swap/quote", { ...asked, recipient: "thief", refundTo: "thief" })
    const offered = strange.status === 200 ? (JSON.parse(strange.body) as { terms: ReadonlyArray<string> }) : undefined
    assert.notInclude(offered?.terms.join() ?? "", "thief", "who has the token cannot send money away")

    const { quote, terms } = JSON.parse((await bot.command("/api/v1/swap/quote", asked)).body) as {
      readonly quote: string
      readonly terms: ReadonlyArray<string>
    }
    assert.match(
      terms.join("\n"),
      /^pay {8}0\.001 BTC[\s\S]*recipient {2}\S+[\s\S]*budgets {4}strategies also plan to use /
    )
    assert.isEmpty(await log("by-hand"), "a quote leaves nothing behind")
    const take = () => bot.command("/api/v1/swap", { quote, confirm: "swap" })
    const answers = await Promise.all([take(), take()])
    assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
    assert.include(answers.map(({ body }) => body).join(), '"swap":"s1"')

    const foreign = await limitbot("swap", "0.001", "BTC", "USDC", "--yes", "--recipient", "friend.near")
    assertSays(foreign, 2, /does not support --recipient/)
    const told = await limitbot("swap", "0.001", "BTC", "USDC", "--yes", "--json")
    assert.strictEqual(told.code, 0, told.stderr)
    const lines = told.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    assert.deepInclude(lines.at(-1), { event: "summary", swap: "s2", outcome: "paid", refundedUsd: "0.0000" })
    assert.isNumber(lines.at(-1)?.["slippagePercent"])
    for (const name of ["depositedUsd", "amountInUsd", "amountOutUsd"]) assert.isAbove(Number(lines.at(-1)?.[name]), 0)
    const steps = ["Planned", "FundingSigned", "FundingSent", "FundingAcknowledged", "SwapReported", "Settled"]
    assert.includeMembers(
      lines.map(({ event }) => event),
      steps
    )
    const listed = JSON.parse((await limitbot("swap", "--list", "--json")).stdout) as ReadonlyArray<
      Record<string, unknown>
    >
    assert.deepStrictEqual(
      listed.map(({ swap, outcome }) => [swap, outcome]),
      [
        ["s1", "paid"],
        ["s2", "paid"]
      ]
    )
    const { residual } = (await bot.look("/api/v1/money")) as { readonly residual: Readonly<Record<string, string>> }
    const again = (await bot.look("/api/v1/money")) as { readonly residual: Readonly<Record<string, string>> }
    assert.deepStrictEqual(residual, again.residual)
  })

  it.skipIf(!isLong)("cancel all orders, and none is placed until resume", async () => {
    assertSays(await limitbot("pause", "--cancel"), 2, /Add --yes/)
    const done = await limitbot("pause", "--cancel", "--yes")
    assert.strictEqual(done.code, 0, done.stderr)
    await until("no order is open", async () => (await status()).openOrders === 0)
    const { turnedAt } = await status()
    await until("two more turns", async () => (await status()).turnedAt > turnedAt + 600)
    assert.strictEqual((await status()).openOrders, 0)
    assert.strictEqual((await limitbot("resume")).code, 0)
    await allOpen()
  })

  interface Written {
    readonly file: string
    readonly text: string
    readonly hash: string
    readonly isRunning: boolean
  }
  const written = async () => ((await bot.look("/api/v1/files")) as ReadonlyArray<Written>)[0] ?? assert.fail("no file")

  it.skipIf(!isLong)("check and apply an edited file, and refuse a stale edit", async () => {
    const file = await written()
    const wrong = { file: file.file, text: file.text.replace("levels: 21", "levels: many") }
    const problems = JSON.parse((await bot.command("/api/v1/check", { files: [wrong] })).body)
    assert.match(problems.problems[0], /grid\.yaml:\d+:\d+/)
    assert.strictEqual((await bot.command("/api/v1/apply", { ...wrong, hash: file.hash })).status, 409)
    assert.strictEqual(readFileSync(file.file, "utf8"), file.text)
    const better = { file: file.file, text: file.text.replace("levels: 21", "levels: 21, fundNearest: 1") }
    const plan = JSON.parse((await bot.command("/api/v1/plan", { files: [better] })).body)
    assert.strictEqual(plan.summary.cancel, 18)
    const applied = await bot.command("/api/v1/apply", { ...better, hash: file.hash })
    assert.deepStrictEqual(
      [applied.status, JSON.parse(applied.body)],
      [200, { message: `${file.file} is saved and applied` }]
    )
    assert.isTrue((await written()).isRunning)
    await until("one purchase and one sale are open", async () => (await open()).length === 2)
    assert.strictEqual((await bot.command("/api/v1/apply", { ...better, hash: file.hash })).status, 409)
    const saved = await written()
    const greedy = { file: file.file, text: file.text.replace("quote: 6000", "quote: 60000000"), hash: saved.hash }
    assert.match((await bot.command("/api/v1/apply", greedy)).body, /is saved but not applied: grid: over-commit/)
    writeFileSync(file.file, file.text)
    await until("the file runs as it was", async () => (await written()).isRunning)
    await allOpen()
  })

  it("stream all events after a sequence number, without a gap", async () => {
    const response = await fetch(`${bot.url}/api/v1/events`, {
      headers: { authorization: `Bearer ${bot.token}`, "last-event-id": "5" }
    })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ""
    const seen = () => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
    while (seen().length < 50) text += (await reader?.read())?.value ?? ""
    await reader?.cancel()
    assert.deepStrictEqual(
      seen().slice(0, 50),
      Array.from({ length: 50 }, (_, index) => index + 6)
    )
    assert.notMatch(text, /"signed":"(?!kept)/)
  })

  it("let an agent read over MCP, and do only what it has shown, once, with the operator's token", async () => {
    const server = startHere(configured("mcp", "--operator", "--port", "0"))
    await server.says(/mcp http:\S+/)
    const url = /mcp (http:\S+)/.exec(server.stdout())?.[1] ?? ""
    let session: Record<string, string> = {}
    const post = (token: string, method: string, params: unknown) =>
      fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization: `Bearer ${token}`,
          ...session
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      })
    assert.strictEqual((await post("no-token", "ping", {})).status, 401)
    assert.strictEqual((await post(bot.viewerToken, "ping", {})).status, 403)
    const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
    const begun = await post(bot.token, "initialize", client)
    assert.strictEqual(begun.status, 200)
    session = { "mcp-session-id": begun.headers.get("mcp-session-id") ?? "", "mcp-protocol-version": "2025-06-18" }
    interface Called {
      readonly result: {
        readonly isError?: boolean
        readonly structuredContent?: Record<string, unknown>
        readonly content: ReadonlyArray<{ readonly text: string }>
      }
    }
    const call = async (name: string, args: unknown) => {
      const text = await (await post(bot.token, "tools/call", { name, arguments: args })).text()
      const { result } = JSON.parse(text.replace(/^(event|id):.*$/gm, "").replace(/^\s*data: /m, "")) as Called
      return { isError: result.isError === true, said: result.content[0]?.text ?? "" }
    }
    const { file, text } = await written()
    assert.match((await call("status", {})).said, /"openOrders"/)
    const proposed = await call("propose", { action: "drain", target: "grid", why: "the agent's idea" })
    const shown = JSON.parse(proposed.said)
    assert.strictEqual(shown.plan.withdrawn.length, 20)
    assert.isNull((await status()).strategies[0]?.paused)
    const fewer = text.replace("levels: 21", "levels: 21, fundNearest: 1")
    const edit = await call("propose", { action: "apply", target: file, text: fewer, why: "fewer" })
    assert.strictEqual(JSON.parse(edit.said).plan.summary.cancel, 18)
    assert.strictEqual(readFileSync(file, "utf8"), text)
    assert.isTrue((await call("propose", { action: "apply", target: file, text: "kind: none", why: "x" })).isError)
    assert.isTrue((await call("propose", { action: "cancel", why: "of what?" })).isError)
    assert.isTrue((await call("carry_out", { proposal: "guessed" })).isError)
    const paused = JSON.parse(
      (await call("propose", { action: "pause", target: "grid", why: "the agent's idea" })).said
    )
    assert.match((await call("carry_out", { proposal: paused.proposal })).said, /grid paused/)
    assert.strictEqual((await status()).strategies[0]?.paused?.reason, "the agent's idea")
    assert.isTrue((await call("carry_out", { proposal: paused.proposal })).isError)
    assert.strictEqual((await limitbot("resume")).code, 0)

    const exits = { takeProfit: "2%:50%,5%:50%", stop: "57000" }
    const order = { side: "buy", market: "BTC", amount: "0.01", price: "59000", ...exits }
    assert.isTrue((await call("propose", { action: "order", why: "of what?" })).isError)
    const bought = JSON.parse((await call("propose", { action: "order", order, why: "a dip" })).said)
    assert.match(bought.plan.terms.join("\n"), /-2 +BUY +0\.005 BTC +at +59000/)
    assert.deepStrictEqual(JSON.parse((await call("orders_by_hand", {})).said), [])
    assert.match(
      (await call("carry_out", { proposal: bought.proposal })).said,
      /BUY 0\.01 BTC at 59000 USDC, then take-profit: 50% at \+2%, 50% at \+5%, stop: 57000/
    )
    const [placed] = JSON.parse((await call("orders_by_hand", {})).said) as ReadonlyArray<{ readonly order: string }>
    const target = placed?.order
    const moved = JSON.parse(
      (await call("propose", { action: "order-change", target, price: "58500", why: "lower" })).said
    )
    assert.match((await call("carry_out", { proposal: moved.proposal })).said, /at 58500 USDC/)
    const ended = JSON.parse((await call("propose", { action: "order-cancel", target, why: "enough" })).said)
    assert.match(
      (await call("carry_out", { proposal: ended.proposal })).said,
      /is cancelled, and its exits with it; what has filled stays/
    )
    server.signal("SIGTERM")
    assert.strictEqual((await server.ended).code, 0)
  })

  it("kill through the API and the command line with one kill file", async () => {
    assert.strictEqual((await bot.command("/api/v1/kill", { confirm: "kill", why: "a test" })).status, 200)
    assert.isTrue(existsSync(`${bot.journal}.kill`))
    await until("it is obeyed", async () => (await status()).killSwitch === "a test")
    const ready = await bot.ask("/health/ready")
    assert.strictEqual(ready.status, 503)
    assert.strictEqual((await bot.ask("/health/live")).status, 200)
    assert.strictEqual((await limitbot("kill", "--off", "the price is right again")).code, 0)
    await until("it is released", async () => (await status()).killSwitch === null)
    const { events } = (await bot.look("/api/v1/log?search=the%20price%20is%20right%20again")) as {
      readonly events: ReadonlyArray<{ readonly text: string }>
    }
    assert.match(events[0]?.text ?? "", /release/)
  })

  it("do not wait for a client that reads the stream when the bot is stopped", async () => {
    const response = await fetch(`${bot.url}/api/v1/events`, { headers: { authorization: `Bearer ${bot.token}` } })
    assert.strictEqual(response.status, 200)
    const asked = Date.now()
    bot.program.signal("SIGTERM")
    const { code } = await bot.program.ended
    assert.strictEqual(code, 0)
    assert.isBelow(Date.now() - asked, 300_000)
    assert.isFalse(existsSync(`${bot.journal}.dashboard`))
    assertSays(await limitbot("pause"), 1, /No bot runs on/)
  })
})
