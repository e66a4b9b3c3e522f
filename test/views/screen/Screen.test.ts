/** The screen fits the terminal it is shown on, whatever its size: orders have half of it, and profit is in sight. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { BotEvent, Of } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { defaultTerms } from "../../../src/engine/tracking/Overdue.ts"
import * as Figures from "../../../src/report/text/Figures.ts"
import * as Table from "../../../src/report/text/Table.ts"
import { problemsOf } from "../../../src/views/Problems.ts"
import { picture, type ScreenInput } from "../../../src/views/screen/Picture.ts"
import { frame } from "../../../src/views/screen/Screen.ts"
import { assetsBySymbol as assets } from "../../world/bitcoin.ts"
import { assets as assetsOfDesk, type DeskOptions, desk } from "./desk.ts"

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
const withoutColours = (line: string): string => line.replace(/\u001B\[\d+m/g, "")
const orderLines = (lines: ReadonlyArray<string>) => lines.filter((line) => /^(?:SELL|BUY) /.test(line))
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

  it("lists one market by price, the highest first, and the market between sells and buys", () => {
    for (const columns of [130, 80, 60]) {
      const lines = frame(input(stateOf(...started)), { colours: false, rows: 40, columns })
      const market = lines.findIndex((line) => line.startsWith("── BTC/USDC  60,000.00 ──  bid 59,990.00"))
      const above = orderLines(lines.slice(0, market))
      const below = orderLines(lines.slice(market))
      assert.isAbove(above.length, 3)
      assert.isAbove(below.length, 3)
      assert.isTrue(above.every((line) => line.startsWith("SELL")) && below.every((line) => line.startsWith("BUY")))
      const prices = [...above, ...below].map((line) => Number(/ ([\d,]+\.\d\d) /.exec(line)?.[1]?.replace(",", "")))
      assert.deepStrictEqual(
        prices,
        prices.toSorted((a, b) => b - a)
      )
      assert.isTrue(
        lines.every((line) => !line.startsWith("SIDE") || line.endsWith("STATE")),
        "no column is cut off"
      )
    }
  })

  it("has the worst problem with its command in one line, the names of the others, and their number", () => {
    const about = { strategy: "grid", slot: "cell-39", placement: "p40" }
    const contradiction: BotEvent = { _tag: "Contradiction", ...about, what: "fills grew back", evidence: "none" }
    const down: BotEvent = { _tag: "VenueDown", reason: "nothing comes back" }
    const kill: BotEvent = { _tag: "KillSwitch", on: true, reason: "fire drill ".repeat(20) }
    const failed: BotEvent = { _tag: "PlanFailed", strategy: "grid", reason: "mistake 1" }
    const state = stateOf(...started, contradiction, down, kill, failed)
    const lines = frame(input(state), { colours: true, rows: 24, columns: 100 })
    const alarms = lines.filter((line) => line.startsWith("\u001B[33mALARM")).map(withoutColours)
    assert.strictEqual(alarms.length, 1)
    assert.match(
      alarms[0] ?? "",
      /^ALARM all: Kill switch: fire drill.*… \(limitbot kill --off\) {3}\+3: venue-down, contradiction/
    )
    assert.match(withoutColours(lines[0] ?? ""), /^ KILLED .* 4 alarms /)
    const [first] = orderLines(lines.map(withoutColours))
    assert.match(first ?? "", / grid\/cell-39 /, "the order in trouble is the first")
  })

  it("shows the market's place also if an order below it has a problem", () => {
    const about = { strategy: "grid", slot: "cell-03", placement: "p4" }
    const trouble: BotEvent = { _tag: "Contradiction", ...about, what: "fills shrank", evidence: "none" }
    const lines = frame(input(stateOf(...started, trouble)), { rows: 60, columns: 120, colours: false })
    assert.strictEqual(lines.filter((line) => line.startsWith("── BTC/USDC")).length, 1, lines.join("\n"))
  })

  it("says of empty slots why nothing is placed, not that they wait, while the bot is stopped", () => {
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
      picture(input(stateOf(decided, denied, ...events)), false).flatMap(
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
    assert.notInclude(picture(input(stateOf(...started)), false).join("\n"), "\u001B")
  })
})

const about = { strategy: "btc-grid-0", slot: "cell-01", placement: "p0" }
const troubles: ReadonlyArray<BotEvent> = [
  { _tag: "Contradiction", ...about, what: "fills shrank", evidence: "none" },
  { _tag: "VenueDown", reason: "nothing comes back" }
]
const sizes = [
  { rows: 24, columns: 80 },
  { rows: 30, columns: 100 },
  { rows: 40, columns: 120 }
]
const desks: Readonly<Record<string, DeskOptions>> = {
  "one strategy": { strategies: 1, orders: 40 },
  "three strategies": { strategies: 3, orders: 19 },
  "three strategies with problems": { strategies: 3, orders: 19, events: troubles },
  "three strategies and no order": { strategies: 3, orders: 0 },
  "ten strategies and 400 orders": { strategies: 10, orders: 400 },
  "ten strategies in three quotes with problems": {
    strategies: 10,
    orders: 400,
    quotes: ["USDC", "EURC", "USDT"],
    events: troubles
  },
  "long names": { strategies: 3, orders: 19, nameOf: (index) => `${"a-strategy-of-the-desk-".repeat(3)}${index}` }
}

for (const [name, options] of Object.entries(desks)) {
  for (const size of sizes) {
    const input = desk(options)
    const lines = frame(input, { ...size, colours: false })
    const text = lines.join("\n")

    describe(`a screen of ${name} at ${size.columns}×${size.rows}`, () => {
      it("fits, and orders have half of the rows", () => {
        assert.isAtMost(lines.length, size.rows)
        for (const line of lines) assert.isAtMost(line.length, size.columns, line)
        assert.isAtLeast(orderLines(lines).length, Math.min(options.orders, size.rows / 2), text)
      })

      it("has profit and equity of each quote in its first rows", () => {
        const figures = /^PROFIT (\w+) {2}total ([+−]?[\d,]+\.\d\d) .* equity [\d,]+\.\d\d/
        assert.deepStrictEqual(
          lines.slice(1, 1 + (options.quotes?.length ?? 1)).map((line) => figures.exec(line)?.slice(1)),
          input.profit?.standings.map(({ quote, figures: { total } }) => [
            quote,
            Figures.gain(assetsOfDesk, quote, total)
          ])
        )
      })

      it("has one line of balances without zeros, at most one of problems, one to three of events", () => {
        const [balances = "", ...others] = lines.filter((line) => line.startsWith("BALANCES"))
        assert.isEmpty(others)
        assert.notMatch(balances, / 0(?:\.0+)? [A-Z]/)
        const problems = lines.filter((line) => /^(?:ALARM|!) /.test(line))
        assert.strictEqual(problems.length, options.events === undefined ? 0 : 1)
        const events = lines.filter((line) => /^\d\d:\d\d:\d\d /.test(line))
        assert.isTrue(events.length >= 1 && events.length <= 3, text)
      })
    })
  }
}

describe("a screen", () => {
  it("shows all 19 orders of three markets at 120×40, and the nearest at 80×24", () => {
    const all = frame(desk({ strategies: 3, orders: 19 }), { rows: 40, columns: 120, colours: false })
    assert.strictEqual(orderLines(all).length, 19)
    assert.strictEqual(all.filter((line) => line.startsWith("── ")).length, 3)
    const few = frame(desk({ strategies: 3, orders: 19 }), { rows: 24, columns: 80, colours: false })
    const away = orderLines(few).map((line) => Number(/[+−]([\d.]+) %/.exec(line)?.[1]))
    assert.deepStrictEqual(
      away,
      away.toSorted((a, b) => a - b)
    )
    assert.include(few.join("\n"), `${away.length} OF 19 ORDERS`)
  })

  it("has figures of an old price in grey with its age, and of a fresh one not", () => {
    const linesAt = (priceAgeMillis: number) =>
      frame(desk({ strategies: 3, orders: 19, priceAgeMillis }), { rows: 40, columns: 120, colours: true })
    const old = linesAt(47_000)
    const grey = old.filter((line) => line.startsWith("\u001B[2m")).map(withoutColours)
    assert.strictEqual(orderLines(grey).length, 19)
    assert.match(grey[0] ?? "", /^PROFIT .* price 47 s old/)
    assert.strictEqual(grey.filter((line) => /[\d.]+, 47 s old/.test(line)).length, 3, "one for each strategy")
    const fresh = linesAt(900).filter((line) => line.startsWith("\u001B[2m"))
    assert.isEmpty(orderLines(fresh.map(withoutColours)))
  })

  it("has green buys and gains, red sells and losses, and distances without a colour", () => {
    const lines = frame(desk({ strategies: 3, orders: 19 }), { rows: 24, columns: 80, colours: true })
    const text = lines.join("\n")
    const [green, red, end] = ["\u001B[32m", "\u001B[31m", "\u001B[0m"]
    for (const part of [
      `\n${red}SELL${end} `,
      `\n${green}BUY${end} `,
      `${green}+24.97${end} USDC`,
      `${red}−12.50${end} USDC`
    ])
      assert.include(text, part)
    assert.include(text, " −0.40 % ")
  })

  it("counts the balances that do not fit, and drops none that fits", () => {
    const input = desk({ strategies: 5, orders: 20 })
    const symbols = ["USDC", "BTC", "ETH", "NEAR", "SOL", "ZEC"]
    for (let columns = 40; columns <= 200; columns += 3) {
      const lines = frame(input, { rows: 40, columns, colours: false })
      const balances = lines.find((line) => line.startsWith("BALANCES")) ?? ""
      const seen = symbols.filter((symbol) => balances.includes(` ${symbol}`))
      const hidden = Number(/ (\d) more$/.exec(balances)?.[1] ?? 0)
      assert.strictEqual(seen.length + hidden, symbols.length, balances)
      assert.isTrue(seen.includes("USDC"), "money comes first")
    }
  })

  it("tells purchases and sales in sentences, with money to the cent", () => {
    const lines = frame(desk({ strategies: 3, orders: 19 }), { rows: 40, columns: 120, colours: false })
    const text = lines.join("\n")
    assert.match(text, /^\d\d:\d\d:\d\d sol-grid-2\/cell-00 sold 8\.5 SOL at 144\.148$/m)
  })

  it("shows trades, not the payouts and refunds that follow them", () => {
    const lines = frame(desk({ strategies: 3, orders: 19 }), { rows: 40, columns: 120, colours: false })
    assert.notMatch(lines.join("\n"), /paid out|refunded/)
  })

  it("separates its parts by empty lines if three rows are left", () => {
    const input = { ...desk({ strategies: 3, orders: 19 }), detail: undefined }
    for (let rows = 20; rows <= 60; rows++) {
      const lines = frame(input, { rows, columns: 120, colours: false })
      const empty = lines.filter((line) => line === "").length
      assert.isTrue(empty === 3 || (empty === 0 && lines.length > rows - 3), `${rows} rows`)
    }
  })

  it("has the exact amount of a payment that a person has to make", () => {
    const asked: BotEvent = {
      _tag: "PaymentAsked",
      ...about,
      asset: "USDC",
      amount: 11_832_159_612n,
      orderId: "o",
      depositAddress: "a",
      wallet: "manual",
      validUntil: 1
    }
    const recent = [{ sequence: 1, at: 0, event: asked }]
    const input = { ...desk({ strategies: 1, orders: 4 }), recent }
    const lines = frame(input, { rows: 24, columns: 120, colours: false })
    assert.include(lines.join("\n"), "PLEASE PAY exactly 118.32159612 USDC to a before")
  })

  it("says that all strategies are paused, how far an order is filled, and which is nearest", () => {
    const paused: BotEvent = {
      _tag: "Paused",
      strategy: "btc-grid-0",
      limit: "operator",
      action: "pause",
      reason: "lunch"
    }
    const part: BotEvent = {
      _tag: "FillSeen",
      ...about,
      fillId: "part",
      side: "SELL",
      price: price("58856.53"),
      inputAsset: "BTC",
      amountIn: 809_400n,
      outputAsset: "USDC",
      amountOut: 47_638_000_000n,
      filledAt: 1
    }
    const options = { strategies: 1, orders: 4, events: [paused, part] }
    const text = frame(desk(options), { rows: 24, columns: 80, colours: false }).join("\n")
    assert.match(text, /^ PAUSED /)
    assert.match(text, / paused by the operator/)
    assert.match(text, /^SELL {2}btc-grid-0\/cell-01 .* open 38 %$/m)
    const cancelled: BotEvent = {
      _tag: "CancelRequested",
      strategy: "btc-grid-0",
      slot: "cell-04",
      placement: "p3",
      why: { code: "x", text: "x" }
    }
    const cancelling = desk({ strategies: 1, orders: 4, events: [cancelled] })
    const lines = frame(cancelling, { rows: 24, columns: 80, colours: false })
    assert.match(lines.find((line) => line.startsWith("btc-grid-0 ")) ?? "", / 4 {2}SELL 58,856\.53 \+0\.40 %$/)
    const unpriced = frame({ ...cancelling, prices: new Map() }, { rows: 24, columns: 80, colours: false })
    assert.match(
      unpriced.find((line) => line.startsWith("btc-grid-0 ")) ?? "",
      / 4$/,
      "no order is near without a price"
    )
  })

  it("says how a bot stops, and has the whole address of a dashboard or none", () => {
    const dashboard = `http://127.0.0.1:7070/#token=${"x".repeat(43)}`
    const footer = (columns: number, changes: Partial<ScreenInput>) =>
      frame({ ...desk({ strategies: 1, orders: 4 }), ...changes }, { rows: 24, columns, colours: false }).at(-1) ?? ""
    assert.strictEqual(footer(80, { dashboard }), dashboard)
    assert.match(footer(60, { dashboard }), /^`limitbot status --dashboard` prints the address/)
    assert.include(footer(120, { dashboard }), `dashboard ${dashboard}   Ctrl-C stops the bot`)
    assert.match(footer(120, { running: "stopping: cancels its orders" }), /^stopping: cancels its orders {3}Ctrl-C/)
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
