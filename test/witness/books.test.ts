/**
 * The real program against the independent service: the market moves, orders fill in slices, answers are lost, the bot is killed
 * and started again, and everything that rests is cancelled. Then the books of both are the same to the unit.
 */
import { appendFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import bs58 from "bs58"
import { accountOf } from "../../tools/conformance/signing.ts"
import { isLong } from "../long.ts"
import { configure, kill9, newFolder, pause, start } from "../world/processes/processes.ts"
import { runHere } from "../world/processes/program.ts"
import { settle } from "../world/processes/settle.ts"
import { type Asset, base, formatted, purse, quote } from "./service/Books.ts"
import { startWitness, type Twist, type Weather } from "./service/Witness.ts"

const key = `ed25519:${bs58.encode(Buffer.alloc(32, 13))}`
const { signerId } = accountOf(key)
const purseOfBot = purse("CONFIDENTIAL_INTENTS", signerId)
const capital = { base: 100_000_000n, quote: 50_000_000_000n }
/** In smallest units, as the strategy file below says. */
const budget = { base: 15_000_000n, quote: 9_000_000_000n }

/** Every few requests of a kind something is lost, until it clears up; what is executed is executed. */
const someWeather = (isClear: () => boolean): Weather => {
  const counts = new Map<string, number>()
  const every = (count: number, step: number, first: number) => count % step === first
  return (method, path) => {
    if (isClear()) return undefined
    const room = `${method} ${path.replace(/o_\w+/, "{id}")}`
    const count = (counts.get(room) ?? 0) + 1
    counts.set(room, count)
    if (room === "POST /v0/orders") return every(count, 7, 3) ? "unanswered" : every(count, 11, 5) ? 500 : undefined
    if (room === "POST /v0/generate-intent")
      return every(count, 8, 3) ? "unheard" : every(count, 8, 6) ? 429 : undefined
    if (room === "POST /v0/orders/{id}/cancel")
      return every(count, 5, 1) ? "unanswered" : every(count, 5, 3) ? 503 : undefined
    if (room === "GET /v0/orders/{id}") return every(count, 17, 0) ? 500 : undefined
    if (room !== "POST /v0/submit-intent") return undefined
    return every(count, 6, 2) ? "unanswered" : every(count, 6, 4) ? 503 : every(count, 9, 0) ? "unheard" : undefined
  }
}

const printed = async (...args: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await runHere([...args, "--json"])
  assert.strictEqual(code, 0, `${args[0]}: ${stderr}`)
  return JSON.parse(stdout)
}

/** A start asks for them. */
const tokens = [
  { symbol: "BTC", ...base },
  { symbol: "USDC", ...quote }
].map(({ decimals, id, symbol }) => ({ assetId: id, decimals, blockchain: "near", symbol }))
const listingTokens: Twist = ({ path }, reply) => (path === "/v0/tokens" ? { status: 200, body: tokens } : reply)

describe("the bot at an independent service", () => {
  it.skipIf(!isLong)("survives kills, and ends with the books of the service to the unit", async () => {
    let isClear = false
    const { service, stop, url, quoteKey } = await startWitness({
      twist: listingTokens,
      weather: someWeather(() => isClear)
    })
    const { apiKey, books, partnerJwt } = service
    const { orders } = service.orders
    books.move("mint", purseOfBot, base, capital.base)
    books.move("mint", purseOfBot, quote, capital.quote)
    const folder = newFolder()
    const config = configure(
      folder,
      { url, apiKey, partnerJwt, account: { key, signerId }, ledger: "native", like: "document" },
      {
        venue: `  partnerJwt: { file: partner.jwt }\n  quoteKey: "${quoteKey}"`,
        account: "  depositType: CONFIDENTIAL_INTENTS"
      }
    )
    appendFileSync(config, "prices: { within: 3%, after: 1s }\n")
    const strategy = join(folder, "grid.yaml")
    writeFileSync(
      strategy,
      `name: grid
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.15, quote: 9000 } }
grid: { lower: 57700, upper: 58900, levels: 13, size: { base: 0.005 } }
`
    )
    const run = ["run", strategy, "--config", config, "--poll", "0.3s", "--json", "--allow", "fee-floor"]
    let bot = start(run)
    // On a busy machine the market would have moved before anything rests.
    await bot.line(() => orders.all.filter(({ status }) => status === "OPEN").length > 5)
    for (const [step, mid] of ["58050", "58480", "57900", "58700", "58320", "58610", "58100", "58400"].entries()) {
      await pause(900)
      books.setMid(mid)
      if (step !== 4) continue
      await kill9(bot)
      bot = start(run)
    }
    await kill9(bot)
    isClear = true
    const isPaid = async (orderId: string) =>
      orders.all.some(({ id, payments }) => id === orderId && payments.length > 0)
    await settle(config, strategy, join(folder, "journal.sqlite"), isPaid)
    await pause(700)
    books.settle()

    // One that nobody ever paid holds nothing, and may be left.
    const paid = orders.all.filter(({ payments }) => payments.length > 0)
    const states = new Set(paid.map(({ status }) => status))
    assert.deepStrictEqual([...states].sort(), ["CANCELED", "FILLED"])
    assert.deepStrictEqual(
      orders.all.filter(({ payments }) => payments.length > 1),
      [],
      "nothing is paid twice"
    )
    const [money, fills, found] = await Promise.all([
      printed("money", "--config", config),
      printed("fills", "--config", config),
      printed("reconcile", "--config", config)
    ])
    const said = (asset: string, place: string): number =>
      money.places.find((entry: { asset: string; place: string }) => entry.asset === asset && entry.place === place)
        ?.amount
    const feesOf = (asset: Asset) =>
      orders.all
        .flatMap(({ legs }) => legs.filter((leg) => leg.asset === asset))
        .reduce((total, leg) => total + leg.fee, 0n)
    for (const [name, asset, had, allotted] of [
      ["BTC", base, capital.base, budget.base],
      ["USDC", quote, capital.quote, budget.quote]
    ] as const) {
      const gained = books.held(purseOfBot, asset) - had
      assert.strictEqual(Number(said(name, "wallet")), Number(formatted(allotted + gained, asset)), name)
      assert.strictEqual(Number(said(name, "fees")), Number(formatted(feesOf(asset), asset)), `fees in ${name}`)
      assert.strictEqual(money.unexplained[name], "0")
    }
    const filled = orders.all.flatMap((order) => order.fills.map(({ id }) => `${order.id} ${id}`))
    assert.isAbove(filled.length, 10)
    assert.deepStrictEqual(
      fills.map(({ fillId, orderId }: { fillId: string; orderId: string }) => `${orderId} ${fillId}`).sort(),
      filled.sort()
    )
    assert.strictEqual(found.contradiction, 0, JSON.stringify(found))
    assert.deepStrictEqual(found.missing, [])
    await stop()
  })
})
