/** The screen fits the terminal it is shown on, whatever its size, and says first what is wrong. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import type { BotEvent, Of } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { defaultTerms } from "../../../src/engine/tracking/Overdue.ts"
import * as Table from "../../../src/report/text/Table.ts"
import { problemsOf } from "../../../src/views/Problems.ts"
import { frame, paper, type ScreenInput } from "../../../src/views/screen/Screen.ts"

const price = (text: string): Decimal.Decimal => Decimal.parse(text) ?? Decimal.zero

const planned = (index: number): Of<"Planned"> => ({
  _tag: "Planned",
  strategy: "grid",
  slot: `cell-${String(index).padStart(2, "0")}`,
  placement: `p${index + 1}`,
  market: "BTC/USDC",
  side: index < 20 ? "BUY" : "SELL",
  price: price(`${59_000 + index * 50}.25`),
  quantity: 500_000n,
  inputAsset: index < 20 ? "USDC" : "BTC",
  inputAmount: 500_000n,
  outputAsset: index < 20 ? "BTC" : "USDC",
  outputAmount: 1n,
  deadline: 1_000_000_000 + index * 1000,
  why: { code: "grid-cell", text: "buys and sells, and \u001B[31mrepaints\u0007 the terminal, ".repeat(3) }
})

const stateOf = (...events: ReadonlyArray<BotEvent>): BotState.BotState => {
  const state = BotState.make()
  for (const [index, event] of events.entries()) BotState.apply(state, { sequence: index + 1, at: index, event })
  return state
}

const started: ReadonlyArray<BotEvent> = [
  { _tag: "BotStarted", pid: 1, version: "0", mode: "live", account: "a", venue: "v" },
  { _tag: "BudgetAllotted", strategy: "grid", asset: "BTC", amount: 20_000_000n },
  { _tag: "BudgetAllotted", strategy: "grid", asset: "USDC", amount: 5_000_000_000n },
  ...Array.from({ length: 40 }, (_, index) => planned(index))
]

const assets = new Map([
  ["BTC", { symbol: "BTC", id: "btc", decimals: 8 }],
  ["USDC", { symbol: "USDC", id: "usdc", decimals: 6 }]
])

const input = (state: BotState.BotState): ScreenInput => ({
  title: "limitbot",
  detail: "account a",
  running: "running 1 s",
  warning: undefined,
  state,
  assets,
  problems: problemsOf(state, assets, { now: 60_000, pulse: undefined, stuckAfter: defaultTerms }),
  prices: new Map([["BTC/USDC", { bid: price("59990"), ask: price("60010"), at: 0 }]]),
  recent: started.slice(-8).map((event, index) => ({ sequence: index, at: index, event })),
  profit: undefined,
  now: 60_000
})

// biome-ignore lint/suspicious/noControlCharactersInRegex: the colour codes that the screen writes
const withoutColours = (line: string): string => line.replace(/^\u001B\[\d+m(.*)\u001B\[0m$/, "$1")
const Size = Schema.Struct({
  rows: Schema.Int.check(Schema.isBetween({ minimum: 10, maximum: 80 })),
  columns: Schema.Int.check(Schema.isBetween({ minimum: 20, maximum: 200 })),
  colours: Schema.Boolean
})

describe("the screen", () => {
  it.prop("stays within the terminal, and nothing in it can repaint the terminal", { size: Size }, ({ size }) => {
    const lines = frame(input(stateOf(...started)), size)
    assert.isAtMost(lines.length, size.rows)
    for (const line of lines.map(withoutColours)) {
      assert.isAtMost(line.length, size.columns)
      assert.notMatch(line, /\p{Cc}/u)
    }
  })

  it("fills an ordinary terminal: slots nearest to the price, money by place, last events", () => {
    const lines = frame(input(stateOf(...started)), { colours: false, rows: 40, columns: 120 })
    const text = lines.join("\n")
    assert.strictEqual(lines.length, 40)
    for (const part of ["grid/cell-19", "bid 59990", "60 s old", "free", "refund in flight", "unexplained"]) {
      assert.include(text, part)
    }
    assert.match(text, /… and \d+ orders further away/)
  })

  it("lists the highest price first, and the market between sells and buys, at any width", () => {
    for (const columns of [130, 80, 60]) {
      const lines = frame(input(stateOf(...started)), { colours: false, rows: 40, columns })
      const market = lines.findIndex((line) => line.startsWith("── BTC/USDC  60000 ──"))
      const sideOf = (line: string) => /^ *([\d.]+) +(SELL|BUY)/.exec(line)?.slice(1) ?? []
      const orders = lines.map(sideOf)
      const above = orders.slice(0, market).flatMap(([price, side]) => (price === undefined ? [] : [{ price, side }]))
      const below = orders.slice(market).flatMap(([price, side]) => (price === undefined ? [] : [{ price, side }]))
      assert.isAbove(above.length, 3)
      assert.isAbove(below.length, 3)
      assert.isTrue(above.every(({ side }) => side === "SELL") && below.every(({ side }) => side === "BUY"))
      const prices = [...above, ...below].map(({ price }) => Number(price))
      assert.deepStrictEqual(
        prices,
        prices.toSorted((a, b) => b - a)
      )
      assert.isAbove(lines.filter((line) => line.includes(" grid/cell-")).length, 6, "no column is cut off")
    }
  })

  it("shows trouble before anything else, in red", () => {
    const about = { strategy: "grid", slot: "cell-39", placement: "p40" }
    const contradiction: BotEvent = { _tag: "Contradiction", ...about, what: "fills grew back", evidence: "none" }
    const down: BotEvent = { _tag: "VenueDown", reason: "nothing comes back" }
    const kill: BotEvent = { _tag: "KillSwitch", on: true, reason: "fire drill" }
    const gone: BotEvent = { _tag: "LeaseLost", reason: "journal.sqlite was removed." }
    const failed: BotEvent = { _tag: "PlanFailed", strategy: "grid", reason: "mistake 1" }
    const state = stateOf(...started, contradiction, down, kill, gone, failed)
    const lines = frame(input(state), { colours: true, rows: 24, columns: 100 })
    const red = lines.filter((line) => line.startsWith("\u001B[31m")).map(withoutColours)
    assert.match(red[0] ?? "", /^ALARM all: Kill switch: fire drill \(limitbot kill --off\)/)
    assert.match(
      red[1] ?? "",
      /^ALARM venue: The venue has not answered for 60 s; resting orders stay \(nothing comes back\)/
    )
    assert.match(red[2] ?? "", /^ALARM journal: journal.sqlite was removed/)
    assert.match(red[3] ?? "", /^ALARM grid\/cell-39: No new funding: the venue contradicted itself/)
    assert.match(red[4] ?? "", /^ALARM grid: Cannot be planned \(mistake 1\)/)
    assert.match(red[5] ?? "", / grid\/cell-39 /)
  })

  it("shows the market's place also if an order below it has a problem", () => {
    const trouble: BotEvent = {
      _tag: "Contradiction",
      strategy: "grid",
      slot: "cell-03",
      placement: "p4",
      what: "fills shrank",
      evidence: "none"
    }
    const lines = frame(input(stateOf(...started, trouble)), { rows: 60, columns: 120, colours: false })
    assert.strictEqual(lines.filter((line) => line.startsWith("── BTC/USDC")).length, 1, lines.join("\n"))
  })

  it("shows payments in doubt and pauses above the table, in red", () => {
    const about = { strategy: "grid", slot: "cell-00", placement: "p1" }
    const order = { orderId: "o1", depositAddress: "a1" }
    const signed = {
      ...order,
      asset: "USDC",
      amount: 500_000n,
      signed: Redacted.make("bytes"),
      intentHash: "hash",
      validUntil: 1
    }
    const doubted: ReadonlyArray<BotEvent> = [
      { _tag: "CreateSent", ...about, attempt: 1 },
      { _tag: "Bound", ...about, ...order, via: "reply", estimatedWithdrawFee: 0n, estimatedRefundFee: 0n },
      { _tag: "FundingSigned", ...about, ...signed },
      { _tag: "FundingSent", ...about, attempt: 1 },
      { _tag: "FundingInDoubt", ...about, asset: "USDC", amount: 500_000n, reason: "nobody answered" },
      { _tag: "Paused", strategy: "grid", limit: "daily-loss", action: "pause", reason: "lost 7 USDC today" }
    ]
    const lines = frame(input(stateOf(...started, ...doubted)), { colours: true, rows: 24, columns: 100 })
    const red = lines.filter((line) => line.startsWith("\u001B[31m")).map(withoutColours)
    assert.match(red[0] ?? "", /^ALARM grid\/cell-00: Unclear whether 0.5 USDC was paid/)
    assert.match(red[1] ?? "", /^ALARM grid: Paused by its limit daily-loss: lost 7 USDC today/)
  })

  it("says why empty slots are not placed while the bot is stopped, not that they wait", () => {
    const why = { code: "x", text: "x" }
    const wanted = (slot: string) => ({ slot, side: "BUY" as const, price: price("59000"), quantity: 1n, why })
    const decided: BotEvent = {
      _tag: "Decided",
      strategy: "dips",
      bid: price("59990"),
      ask: price("60010"),
      priceAt: 0,
      desired: [wanted("first"), wanted("second")],
      absent: [{ slot: "third", why: { ...why, text: "has its own reason" } }],
      reasons: [],
      until: { onFill: false },
      memory: null
    }
    const denied: BotEvent = { _tag: "Denied", strategy: "dips", slot: "second", limit: "budget", reason: "too little" }
    const about = { strategy: "dips", slot: "first", placement: "p1" }
    const given: BotEvent = { _tag: "Abandoned", ...about, reason: "the venue refused to create it" }
    const begun: BotEvent = { ...planned(0), ...about }
    const paused: BotEvent = {
      _tag: "Paused",
      strategy: "dips",
      limit: "daily-loss",
      action: "drain",
      reason: "lost 7 USDC today"
    }
    const kill: BotEvent = { _tag: "KillSwitch", on: true, reason: "fire drill" }
    const says = (...events: ReadonlyArray<BotEvent>) =>
      frame(input(stateOf(decided, denied, ...events)), paper).flatMap(
        (line) => /^dips\/(?:first|second|third) +empty +0 +(.+)$/.exec(line)?.[1] ?? []
      )
    assert.deepStrictEqual(says(), ["waits to be placed", "budget: too little", "has its own reason"])
    const again = "failed, will be retried: the venue refused to create it"
    assert.deepStrictEqual(says(begun, given), [again, "budget: too little", "has its own reason"])
    const lost = "paused by its limit daily-loss: lost 7 USDC today"
    assert.deepStrictEqual(says(paused), [lost, lost, "has its own reason"])
    const killed = "the kill switch is on: fire drill"
    assert.deepStrictEqual(says(paused, kill), [killed, killed, "has its own reason"])
  })

  it("is plain text on paper", () => {
    assert.notInclude(frame(input(stateOf(...started)), paper).join("\n"), "\u001B")
  })
})

describe("a table", () => {
  it.prop(
    "aligns decimal points",
    {
      numbers: Schema.Array(
        Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -(10n ** 12n), maximum: 10n ** 12n }))
      )
    },
    ({ numbers }) => {
      const cells = numbers.map((digits, index) => `${Decimal.format(Decimal.make(digits, index % 7))} BTC`)
      const [, ...lines] = Table.render(
        [{ title: "AMOUNT", align: "decimal" }],
        cells.map((cell) => [cell])
      )
      const points = new Set(lines.map((line) => /(?<=\d)(?=\.|\s|$)/.exec(line)?.index))
      assert.isAtMost(points.size, 1)
    }
  )
})
