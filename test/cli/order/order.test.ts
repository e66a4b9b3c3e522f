/** Orders by hand from the command line: one command, one order, followed to its end, by a running bot or without one. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { isLong } from "../../long.ts"
import {
  assertSays,
  type Connection,
  configText,
  control,
  nowhere,
  ordersAt,
  runHere,
  startHere,
  startStill,
  workspace
} from "../../world/processes/program.ts"
import { startBot, until } from "../../world/processes/runningBot.ts"

const config = ["--config", "config.yaml"]
const openAt = async (sandbox: Connection) => (await ordersAt(sandbox)).filter(({ status }) => status === "OPEN")
const buy = ["order", "buy", "0.01", "BTC", "at", "59000"]

interface Row {
  readonly order: string
  readonly terms: string
  readonly state: string
  readonly why: string
}
const listIn = async (cwd: string): Promise<ReadonlyArray<Row>> =>
  JSON.parse((await runHere(["order", "list", "--json", ...config], { cwd })).stdout)

describe.concurrent("limitbot order without a bot", () => {
  it.skipIf(!isLong)("places one order, follows it until it has filled, and decides the same in a replay", async () => {
    const sandbox = await startStill()
    const cwd = workspace(sandbox)
    const dry = await runHere([...buy, "--dry", ...config], { cwd })
    assert.match(dry.stdout, /\+ buy-[0-9a-f]{8} +BUY +0\.01 BTC +at +59000 +locks +590 USDC/)
    assert.isFalse(existsSync(join(cwd, "journal.sqlite.by-hand-btc-usdc.yaml")))
    assertSays(await runHere([...buy, ...config], { cwd }), 2, /Not interactive: add --yes/)
    const order = startHere([...buy, "--yes", ...config], { cwd })
    await order.says("the order is open")
    assert.lengthOf(await openAt(sandbox), 1)
    await control(sandbox, "prices", { "BTC/USDC": 58_900 })
    const { code, stdout } = await order.ended
    assert.strictEqual(code, 0)
    assert.match(stdout, /buy-[0-9a-f]{8}: filled: it is done/)
    assert.deepStrictEqual(
      (await listIn(cwd)).map(({ state, terms }) => [state, terms]),
      [["filled", "BUY 0.01 BTC at 59000 USDC"]]
    )
    assert.lengthOf(await ordersAt(sandbox), 1)
    const replayed = await runHere(["replay", "--json", ...config], { cwd })
    assert.strictEqual(replayed.code, 0, replayed.stderr)
    const { decisions, differences } = JSON.parse(replayed.stdout)
    assert.deepStrictEqual([decisions > 0, differences], [true, []], replayed.stdout)
    // What was bought by hand is sold by hand, without more of the account's money.
    const sale = await runHere(["order", "sell", "0.0099997", "BTC", "at", "61000", "--dry", ...config], { cwd })
    assert.match(sale.stdout, /by-hand-btc-usdc +BTC +0\.0099997 .* 0$/m)
    const file = join(cwd, "journal.sqlite.by-hand-btc-usdc.yaml")
    writeFileSync(file, readFileSync(file, "utf8").replace("kind: rules", "kind: rules\nuntil: 2020-01-01"))
    assertSays(await runHere([...buy, "--dry", ...config], { cwd }), 1, /was closed\. Remove until and onEnd/)
  })

  it.skipIf(!isLong)(
    "the same key continues an interrupted order, a change leaves one open, and a cancel none",
    async () => {
      const sandbox = await startStill()
      const cwd = workspace(sandbox)
      const keyed = [...buy, "--yes", "--key", "my-first-order", ...config]
      const order = startHere(keyed, { cwd })
      await order.says("the order is open")
      order.signal("SIGINT")
      const left = await order.ended
      assert.match(left.stdout, /buy-[0-9a-f]{8}: open: [\s\S]*To cancel it: limitbot order cancel buy-/)
      const again = startHere(keyed, { cwd })
      await again.says("was placed before; nothing was placed again")
      await again.says("started (live)")
      again.signal("SIGINT")
      await again.ended
      assert.lengthOf(await ordersAt(sandbox), 1)
      const other = await runHere(["order", "buy", "0.02", ...keyed.slice(3)], { cwd })
      assertSays(
        other,
        1,
        /This key has placed another order \(buy-[0-9a-f]{8}: BUY 0\.01 BTC at 59000 USDC\)\. Nothing was placed/
      )

      const [{ order: id } = { order: "" }] = await listIn(cwd)
      const moved = startHere(["order", "change", id, "--price", "58999", "--yes", ...config], { cwd })
      await moved.says("the order is open")
      moved.signal("SIGINT")
      await moved.ended
      assert.lengthOf(await openAt(sandbox), 1)
      assert.deepInclude((await listIn(cwd))[0], { state: "open", terms: "BUY 0.01 BTC at 58999 USDC" })

      const cancelled = await runHere(["order", "cancel", id, ...config], { cwd })
      assert.strictEqual(cancelled.code, 0, cancelled.stderr)
      assert.match(cancelled.stdout, /cancelled: nothing of it is open/)
      assert.lengthOf(await openAt(sandbox), 0)
      assertSays(await runHere(["order", "cancel", id, ...config], { cwd }), 1, /is cancelled already/)
      assertSays(
        await runHere(keyed, { cwd }),
        1,
        /\(buy-[0-9a-f]{8}\) is cancelled\. Nothing was placed; use another key/
      )
      assert.deepStrictEqual(await listIn(cwd), [])
    }
  )

  it.skipIf(!isLong)("follows an order that another terminal sent to it, also after its own has filled", async () => {
    const sandbox = await startStill()
    const cwd = workspace(sandbox, { "config.yaml": `${configText(sandbox)}dashboard: { port: 0 }\n` })
    const first = startHere([...buy, "--yes", ...config], { cwd })
    await first.says("follows it and all other orders by hand")
    await first.says("the order is open")
    const words = ["order", "buy", "0.02", "BTC", "at", "58500", "--stop", "57000", "--yes", ...config]
    const second = await runHere(words, { cwd })
    assert.match(second.stdout, /: open: /, second.stderr)
    const states = async () => (await listIn(cwd)).map(({ state }) => state).join()
    await control(sandbox, "prices", { "BTC/USDC": 58_900 })
    await until("the first order has filled", async () => (await states()) === "filled,open", states)
    await control(sandbox, "prices", { "BTC/USDC": 58_400 })
    await until("the second order has filled", async () => (await openAt(sandbox)).length === 0)
    await control(sandbox, "prices", { "BTC/USDC": 56_900 })
    const { code, stderr } = await first.ended
    assert.strictEqual(code, 0, stderr)
    assert.strictEqual(await states(), "filled,filled")
    assert.lengthOf(await openAt(sandbox), 0)
  })

  it.skipIf(!isLong)("ends when its order is cancelled in another terminal", async () => {
    const sandbox = await startStill()
    const cwd = workspace(sandbox, { "config.yaml": `${configText(sandbox)}dashboard: { port: 0 }\n` })
    const order = startHere([...buy, "--yes", ...config], { cwd })
    await order.says("the order is open")
    const [row] = await listIn(cwd)
    const cancelled = await runHere(["order", "cancel", row?.order ?? "", ...config], { cwd })
    assert.match(cancelled.stdout, /cancelled: nothing of it is open/, cancelled.stderr)
    const { code, stdout } = await order.ended
    assert.strictEqual(code, 0)
    assert.match(stdout, /buy-[0-9a-f]{8}: cancelled: nothing of it is open/)
  })

  it.skipIf(!isLong)("is refused if other orders by hand need its money, also on another market", async () => {
    const sandbox = await startStill()
    const cwd = workspace(sandbox)
    const words = ["order", "buy", "16", "BTC", "at", "59000", "--when", "mid < 1", "--yes", ...config]
    const waiting = startHere(words, { cwd })
    await waiting.says("started (live)")
    waiting.signal("SIGINT")
    await waiting.ended
    const inverse = ["order", "sell", "900000", "USDC/BTC", "at", "0.0000169", "--yes", ...config]
    const both = /Not placed: over-commit[\s\S]*by-hand-btc-usdc, by-hand-usdc-btc need/
    assertSays(await runHere(inverse, { cwd }), 1, both)
    assert.isFalse(existsSync(join(cwd, "journal.sqlite.by-hand-usdc-btc.yaml")))
  })

  it("leaves no line in its file if the bot of the command cannot start", async () => {
    const sandbox = await startStill()
    const cwd = workspace(sandbox, { "journal.sqlite.by-hand-btc-eth.yaml": "name: by-hand-btc-eth\n" })
    assertSays(await runHere([...buy, "--yes", ...config], { cwd }), 1, /Not placed: [\s\S]*by-hand-btc-eth\.yaml/)
    assert.isFalse(existsSync(join(cwd, "journal.sqlite.by-hand-btc-usdc.yaml")))
    assert.deepStrictEqual(await ordersAt(sandbox), [])
  })

  it.skipIf(!isLong)("an order with two targets is one order: listed once, and ended by one cancel", async () => {
    const sandbox = await startStill()
    const cwd = workspace(sandbox)
    const split = [...buy, "--take-profit", "2%:50%,5%:50%", "--stop", "57000", ...config]
    const { stdout } = await runHere([...split, "--dry"], { cwd })
    assert.match(stdout, /\+ buy-[0-9a-f]{8}-1 +BUY +0\.005 BTC +at +59000 +locks +295 USDC/)
    assert.match(stdout, /\+ buy-[0-9a-f]{8}-2 +BUY +0\.005 BTC +at +59000 +locks +295 USDC/)
    const order = startHere([...split, "--yes"], { cwd })
    await until("the entries of both targets are open", async () => (await openAt(sandbox)).length === 2)
    await control(sandbox, "prices", { "BTC/USDC": 58_900 })
    const areExits = async () => (await ordersAt(sandbox)).length === 4 && (await openAt(sandbox)).length === 2
    await until("the exits of both targets are open", areExits)
    await control(sandbox, "prices", { "BTC/USDC": 60_300 })
    const isAtSecond = async () => {
      const [row] = await listIn(cwd)
      return row?.state === "open" && /^target 2: /.test(row.why)
    }
    await until("it stands at the second target, which the bot has seen open", isAtSecond)
    order.signal("SIGINT")
    await order.ended
    const [row, ...others] = await listIn(cwd)
    assert.deepStrictEqual([row?.state, others], ["open", []])
    assert.match(row?.terms ?? "", /^BUY 0\.01 BTC at 59000 USDC, then take-profit: 50% at \+2%, 50% at \+5%, stop/)
    const cancelled = await runHere(["order", "cancel", row?.order ?? "", ...config], { cwd })
    assert.match(cancelled.stdout, /cancelled: nothing of it is open/)
    assert.lengthOf(await openAt(sandbox), 0)
  })

  it("invalid words are refused with the word, the reason and a suggestion, and nothing is written", async () => {
    const sandbox = await startStill()
    const cwd = workspace(sandbox)
    const says = async (expected: number, what: RegExp, ...words: ReadonlyArray<string>) =>
      assertSays(await runHere(["order", ...words, "--yes", ...config], { cwd }), expected, what)
    await says(2, /"for": write limitbot order buy 0\.01 BTC at 59000/, "buy", "0.01", "BTC", "for", "59000")
    await says(2, /price.*write 59000: no separators/s, "buy", "0.01", "BTC", "at", "59,000")
    await says(2, /price: a price above zero .*; a trade at the market is a swap/, "buy", "0.01", "BTC", "at", "market")
    await says(2, /a key of 8 to 200 characters/, "buy", "0.01", "BTC", "at", "59000", "--key", "mine")
    await says(2, /amount/, "buy", "0", "BTC", "at", "59000")
    await says(1, /market BTX: not configured; did you mean "BTC/, "buy", "0.01", "BTX", "at", "59000")
    await says(1, /market BTX\/USDC: .*did you mean "BTC\/USDC"/, "buy", "0.01", "BTX/USDC", "at", "59000")
    await says(
      1,
      /the stop must be below the entry price 59000/,
      "buy",
      "0.01",
      "BTC",
      "at",
      "59000",
      "--stop",
      "60000"
    )
    const splitInto = (targets: string, ...more: ReadonlyArray<string>) =>
      ["buy", "0.01", "BTC", "at", "59000", "--take-profit", targets, ...more] as const
    await says(2, /takeProfit: .*, each with its part, such as 2%:50%,5%:50%$/m, ...splitInto("2%,5%:50%"))
    await says(1, /add up to 90%, not to 100%/, ...splitInto("2%:50%,5%:40%"))
    await says(1, /at most 10 targets/, ...splitInto(Array(11).fill("2%:9%").join(",")))
    await says(1, /the exit must be above the entry price 59000/, ...splitInto("58000:50%,62000:50%"))
    await says(1, /breakevenAt must be above the entry price 59000/, ...splitInto("5%", "--breakeven", "58000"))
    const least = configText(sandbox).replace("venue:\n", "venue:\n  minOrderUsd: 10\n")
    const small = ["order", ...splitInto("2%:99%,5%:1%"), "--yes", ...config]
    assertSays(
      await runHere(small, { cwd: workspace(sandbox, { "config.yaml": least }) }),
      1,
      /below-minimum[\s\S]*the smallest \(buy-[0-9a-f]{8}-2\) of 5\.\d+ USD/
    )
    await says(1, /rsj/, "buy", "0.01", "BTC", "at", "59000", "--when", "rsj(close, 14) < 30")
    await says(1, /amount 0\.000000001: BTC has 8 decimals/, "buy", "0.000000001", "BTC", "at", "59000")
    await says(1, /3 equal parts; take 0\.00999999/, "buy", "0.01", "BTC", "at", "59000", "--in-parts", "3")
    await says(1, /expire soon: write a duration/, "buy", "0.01", "BTC", "at", "59000", "--expire", "soon")
    await says(1, /fills-at-once|crossing/, "buy", "0.01", "BTC", "at", "61000")
    await says(1, /over-commit[\s\S]*the largest order that fits is 16\.9\d+/, "buy", "1000", "BTC", "at", "59000")
    await says(1, /There is no order buy-00000000 by hand; there are none/, "change", "buy-00000000", "--price", "1")
    assert.isFalse(existsSync(join(cwd, "journal.sqlite.by-hand-btc-usdc.yaml")))
    assert.deepStrictEqual(await ordersAt(sandbox), [])
  })
})

describe("limitbot order list", () => {
  it("keeps the place of each column of its CSV; new ones stand at the end", async () => {
    const { stdout } = await runHere(["order", "list", "--csv", ...config], { cwd: workspace(nowhere) })
    assert.strictEqual(stdout.trim(), "order,terms,filled,state,why,exit")
  })
})

describe.concurrent("limitbot order of all", () => {
  it.skipIf(!isLong)("has the size of what is free, less a thousandth, and the same key places it once", async () => {
    const sandbox = await startStill()
    const cwd = workspace(sandbox)
    const all = ["order", "sell", "all", "BTC", "at", "70000", ...config]
    assert.match((await runHere([...all, "--dry"], { cwd })).stdout, /SELL +19\.98\d* BTC +at +70000/)
    const keyed = [...all, "--yes", "--key", "all-of-it"]
    const order = startHere(keyed, { cwd })
    await order.says("the order is open")
    order.signal("SIGINT")
    await order.ended
    const again = startHere(keyed, { cwd })
    await again.says("started (live)")
    again.signal("SIGINT")
    assert.match((await again.ended).stdout, /was placed before; nothing was placed again/)
    const [{ terms } = { terms: "" }] = await listIn(cwd)
    assert.match(terms, /^SELL 19\.98\d* BTC at 70000 USDC$/)
    assert.lengthOf(await openAt(sandbox), 1)
  })
})

describe("limitbot order with a running bot", () => {
  it.skipIf(!isLong)(
    "the bot takes, moves and cancels the order beside its own, under pause and kill switch",
    async () => {
      const bot = await startBot()
      const { folder: cwd, sandbox } = bot
      const own = async () => (await listIn(cwd)).map(({ state, terms }) => [state, terms])
      await until("the grid is open", async () => (await openAt(sandbox)).length === 20)
      const placed = await runHere([...buy, "--take-profit", "5%", "--stop", "57000", "--yes", ...config], {
        cwd
      })
      assert.strictEqual(placed.code, 0, placed.stderr)
      assert.match(placed.stdout, /^(buy-[0-9a-f]{8}): open: [\s\S]*/m)
      assert.lengthOf(await openAt(sandbox), 21)
      const [{ order: id } = { order: "" }] = await listIn(cwd)

      const changed = await runHere(["order", "change", id, "--price", "58500", "--yes", ...config], { cwd })
      assert.strictEqual(changed.code, 0, changed.stderr)
      await until("it has moved", async () => (await own())[0]?.[0] === "open")
      assert.match((await own())[0]?.[1] ?? "", /BUY 0\.01 BTC at 58500 USDC, then take-profit: \+5%, stop: 57000/)
      assert.lengthOf(await openAt(sandbox), 21)

      const headers = { authorization: `Bearer ${bot.token}`, "content-type": "application/json" }
      const payload = { side: "sell", market: "BTC/USDC", amount: "0.01", price: "62000" }
      const post = (body: unknown, key: string) =>
        bot.ask("/api/v1/order", {
          method: "POST",
          headers: { ...headers, "idempotency-key": key },
          body: JSON.stringify(body)
        })
      assert.strictEqual((await bot.command("/api/v1/order", payload)).status, 400)
      const twice = await Promise.all([post(payload, "key-number-1"), post(payload, "key-number-1")])
      assert.deepStrictEqual(
        twice.map(({ status }) => status),
        [200, 200]
      )
      assert.strictEqual((await post({ ...payload, price: "63000" }, "key-number-1")).status, 409)
      await until("the sale is open", async () => (await openAt(sandbox)).length === 22)
      assert.lengthOf(await listIn(cwd), 2)

      const listed = (await bot.look("/api/v1/order")) as ReadonlyArray<
        Row & { readonly exit?: string; readonly hasEnded: boolean }
      >
      const asRows = listed.map(({ exit = null, hasEnded: _, ...row }) => ({ ...row, exit }))
      assert.deepStrictEqual(asRows, await listIn(cwd))

      assert.strictEqual((await bot.command("/api/v1/pause", {})).status, 200)
      const held = await runHere([...buy, "--yes", ...config], { cwd })
      assert.match(held.stdout, /waits: .*paused/)
      assert.lengthOf(await openAt(sandbox), 22)
      bot.program.signal("SIGTERM")
      await bot.program.ended
      assertSays(
        await runHere([...buy, "--yes", ...config], { cwd }),
        1,
        /No bot runs, and "grid" .*Start the bot with its files/
      )
      await bot.again()
      const grid = join(cwd, "grid.yaml")
      writeFileSync(grid, readFileSync(grid, "utf8").replace("levels: 21", "levels: many"))
      const cancelled = await runHere(["order", "cancel", id, ...config], { cwd })
      assert.match(cancelled.stdout, /cancelled: nothing of it is open/)
      assert.lengthOf(await openAt(sandbox), 21)

      assert.strictEqual((await bot.command("/api/v1/kill", { confirm: "kill" })).status, 200)
      assertSays(await runHere([...buy, "--yes", ...config], { cwd }), 1, /the kill switch is on/)
      await until("nothing is open", async () => (await openAt(sandbox)).length === 0)
      assert.include(readFileSync(join(cwd, "journal.sqlite.by-hand-btc-usdc.yaml"), "utf8"), `# cancelled: ${id}`)
    }
  )
})
