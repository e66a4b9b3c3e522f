/** `from`, `when`, `until` and `onEnd`: when a strategy of any kind begins and ends. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Decision, Memory } from "../../../src/strategy/Decision.ts"
import { isAfterStop } from "../../../src/strategy/kinds/StopExit.ts"
import { endingText } from "../../../src/strategy/modifiers/Period.ts"
import * as StrategyFile from "../../../src/strategy/StrategyFile.ts"
import { type SlotProgress, untouchedSlot } from "../../../src/strategy/View.ts"
import { checkBounds } from "../bounds.ts"
import { completed, decideAt, price, problemsOf, strategyOf, viewAt } from "../support.ts"

const head = (kind: string, keys = "") => `name: s
market: BTC/USDC
kind: ${kind}
limits: { budget: { base: 1, quote: 60000 } }
${keys}
`
const grid = "grid: { levels: [50000, 55000, 60000, 65000], size: { base: 0.1 } }\n"
const twap = "twap: { side: buy, total: { base: 0.8 }, over: 4h, slices: 4, limit: 70000 }\n"
const kinds: Readonly<Record<string, string>> = {
  grid,
  twap,
  dca: "dca: { every: 6h, size: { quote: 50 }, times: 4 }\n",
  "market-making": "market-making: { levels: 2, spread: 1%, size: 0.1, requote: 0.3% }\n",
  bracket: "bracket: { side: buy, size: { base: 0.1 }, entry: 1%, takeProfit: 5%, stop: 3% }\n",
  rebalance: "rebalance: { target: 50%, band: 2% }\n",
  deals: "deals: { size: { quote: 100 }, takeProfit: 2%, stop: 5% }\n",
  rules: "rules: { orders: { dip: { when: mid < 55000, side: buy, price: mid, size: { quote: 100 } } } }\n"
}

const day = 86_400_000
const start = Date.UTC(2027, 0, 1)
const at = (days: number) => start + days * day
const slots = ({ desired }: Decision) => desired.map(({ slot }) => slot)
const prices = ({ desired }: Decision) => desired.map(({ legs }) => Decimal.format(legs[0].price))
const leg = (side: "BUY" | "SELL", quantity: bigint) => ({ side, quantity })
const whys = ({ absent }: Decision) => [...new Set(absent.map(({ why }) => why.text))]

describe("a strategy with a beginning", () => {
  it.each(Object.keys(kinds))("places nothing before `from`, and says when it begins: %s", (kind) => {
    const strategy = strategyOf(`${head(kind, "from: 2027-01-02")}${kinds[kind]}`)
    const early = decideAt(strategy, price("54000"), undefined, undefined, at(0))
    assert.isEmpty(early.desired)
    assert.deepStrictEqual(whys(early), ["begins at 2027-01-02T00:00:00.000Z"])
    assert.strictEqual(early.until.time, at(1))
    assert.deepStrictEqual(early.memory, strategy.initialMemory)
    const plain = strategyOf(`${head(kind)}${kinds[kind]}`)
    const begun = decideAt(strategy, price("54000"), early.memory, undefined, at(1))
    assert.deepStrictEqual(
      begun.desired.map(({ slot, legs }) => ({ slot, legs })),
      decideAt(plain, price("54000"), undefined, undefined, at(1)).desired.map(({ slot, legs }) => ({ slot, legs }))
    )
  })

  it("begins once its condition is true, and continues when it is no longer true", () => {
    const strategy = strategyOf(`${head("grid", "when: mid < 58000")}${grid}`)
    const waits = decideAt(strategy, price("59000"))
    assert.isEmpty(waits.desired)
    assert.deepStrictEqual(whys(waits), ["begins when mid < 58000"])
    assert.closeTo(Decimal.toNumber(waits.until.priceBelow ?? Decimal.zero), 58_000, 1)
    const begun = decideAt(strategy, price("57000"), waits.memory)
    assert.lengthOf(begun.desired, 3)
    assert.lengthOf(decideAt(strategy, price("62000"), begun.memory).desired, 3)
  })

  it("measures the times of its kind from its beginning", () => {
    const strategy = strategyOf(`${head("twap", "from: 2027-01-02")}${twap}`)
    const early = decideAt(strategy, price("54000"), undefined, undefined, at(0))
    const begun = decideAt(strategy, price("54000"), early.memory, undefined, at(1))
    assert.deepStrictEqual(slots(begun), ["slice-00"])
    assert.strictEqual(begun.until.time, at(1) + 3_600_000)
  })

  it("shows the comparisons that it waits for", () => {
    const strategy = strategyOf(`${head("grid", "when: mid < 58000")}${grid}`)
    const inputs = strategy.inputs?.(viewAt(strategy, price("59000")), strategy.initialMemory)
    assert.deepStrictEqual(inputs?.get("cell-00"), [
      {
        text: "mid < 58000",
        values: "59000",
        holds: false,
        decides: true,
        distance: "mid is 59000, true below 58000"
      }
    ])
  })

  it("needs the candles that its condition reads, in the section's timeframe", () => {
    const strategy = strategyOf(
      `${head("deals", "when: rsi(close, 14) < 30")}deals: { size: { quote: 100 }, takeProfit: 2%, timeframe: 4h }\n`
    )
    assert.isAbove(strategy.candles?.get("4h") ?? 0, 13)
  })
})

describe("a beginning that an edit adds to a strategy with a position", () => {
  const later = "when: mid > 90000\nfrom: 2027-01-02"
  const edited = (kind: string, section: string, keys: string) => strategyOf(`${head(kind, keys)}${section}`)

  it("keeps the exits of the position and places nothing else", () => {
    const held = new Map([["cell-00", { ...completed(1, 10_000_000n), bought: 10_000_000n }]])
    const running = decideAt(edited("grid", grid, ""), price("56000"), undefined, undefined, at(0))
    for (const [keys, text] of [
      ["from: 2027-01-02", "begins at 2027-01-02T00:00:00.000Z"],
      ["when: mid > 90000", "begins when mid > 90000"]
    ] as const) {
      const waits = decideAt(edited("grid", grid, keys), price("56000"), running.memory, held, at(0))
      assert.deepStrictEqual(slots(waits), ["cell-00"])
      assert.deepStrictEqual(whys(waits), [text])
      assert.isTrue(waits.until.onFill)
    }
  })

  it("keeps its stop, and exits there before the beginning", () => {
    const stopOnly =
      "rules: { orders: { dip: { when: mid < 55000, side: buy, price: mid, size: { base: 0.1 }, then: { stop: 50000 } } } }\n"
    const running = decideAt(edited("rules", stopOnly, ""), price("54000"), undefined, undefined, at(0))
    const held = new Map([["dip", { ...completed(1, 10_000_000n), bought: 10_000_000n }]])
    const strategy = edited("rules", stopOnly, later)
    const waits = decideAt(strategy, price("53000"), running.memory, held, at(0))
    assert.isEmpty(waits.desired)
    assert.closeTo(Decimal.toNumber(waits.until.priceBelow ?? Decimal.zero), 50_000, 1)
    const stopped = decideAt(strategy, price("49000"), waits.memory, held, at(0))
    assert.deepStrictEqual(
      stopped.desired.map(({ legs }) => legs.map(({ side }) => side)),
      [["BUY", "SELL"]]
    )
    const sold = new Map([["dip", { ...completed(2), bought: 10_000_000n, sold: 10_000_000n }]])
    const done = decideAt(strategy, price("54000"), stopped.memory, sold, at(0))
    assert.isEmpty(done.desired)
    assert.strictEqual(done.until.time, at(1))
  })

  it("keeps the stop of its equity", () => {
    const equity = "equity: { stop: 8% }\n"
    const own = { position: 10_000_000n, averageEntry: price("56000"), realisedProfit: 0n, openOrders: 0 }
    const held = new Map([["cell-00", { ...completed(1, 10_000_000n), bought: 10_000_000n }]])
    const strategy = edited("grid", grid, equity)
    const viewOf = (mid: string) => ({
      ...viewAt(strategy, price(mid), held, at(0)),
      own: { ...own, freeBase: 10_000_000n, freeQuote: 0n }
    })
    const running = strategy.decide(
      { ...viewOf("56000"), slots: new Map(), own: { ...own, position: 0n, freeBase: 0n, freeQuote: 0n } },
      strategy.initialMemory
    )
    const waiting = edited("grid", grid, equity + later)
    const waits = waiting.decide(viewOf("56000"), running.memory)
    assert.deepStrictEqual(slots(waits), ["cell-00"])
    assert.deepStrictEqual(slots(waiting.decide(viewOf("40000"), waits.memory)), ["exit"])
  })

  it("begins no deal before the beginning, also when its exit leaves a leftover", () => {
    const section = "deals: { size: { base: 0.1 }, takeProfit: 2%, reach: 0.1% }\n"
    const running = decideAt(edited("deals", section, ""), price("54000"), undefined, undefined, at(0))
    const bought = [
      "base",
      { ...completed(1, 10_000_000n), bought: 10_000_000n, paid: 5_405_400_000n, lastLeg: leg("BUY", 10_000_000n) }
    ] as const
    const strategy = edited("deals", section, "from: 2027-01-05")
    const waits = decideAt(strategy, price("54000"), running.memory, new Map([bought]), at(0))
    assert.deepStrictEqual(slots(waits), ["exit"])
    const exited = { ...completed(1, 5_500_000_000n), sold: 9_990_000n, lastLeg: leg("SELL", 9_990_000n) }
    const sold = new Map<string, SlotProgress>([bought, ["exit", exited]])
    const over = decideAt(strategy, price("55100"), waits.memory, sold, at(1))
    const idle = decideAt(strategy, price("55100"), over.memory, sold, at(2))
    assert.deepStrictEqual(whys(idle), ["begins at 2027-01-05T00:00:00.000Z"])
    const begun = decideAt(strategy, price("50000"), idle.memory, sold, at(4))
    assert.deepStrictEqual(prices(begun), ["50050"])
  })

  it.each(["", ", expireAfter: 1h"])("fires no rule before the beginning, beside a rule that holds%s", (expiry) => {
    const rule = (when: string, keys: string) => `{ when: ${when}, side: buy, price: mid, size: { base: 0.1 }${keys} }`
    const section = `rules:
  orders:
    dip: ${rule("mid < 55000", ", then: { price: 70000 }")}
    deep: ${rule("mid < 52000", `, times: 1${expiry}`)}
`
    const running = decideAt(edited("rules", section, ""), price("54000"), undefined, undefined, at(0))
    const held = new Map([["dip", { ...completed(1, 10_000_000n), bought: 10_000_000n }]])
    const strategy = edited("rules", section, "from: 2027-01-05")
    const waits = decideAt(strategy, price("51000"), running.memory, held, at(0))
    assert.deepStrictEqual(slots(waits), ["dip"])
    const later = decideAt(strategy, price("51000"), waits.memory, held, at(1))
    const begun = decideAt(strategy, price("50000"), later.memory, held, at(4))
    assert.deepStrictEqual(slots(begun), ["dip", "deep"])
    assert.strictEqual(prices(begun)[1], "50000")
  })

  it("begins no cell of a grid at a price of the time before the beginning", () => {
    const ofQuote = (keys: string) => strategyOf(`${head("grid", keys)}${grid}`.replace("base: 1, ", ""))
    const past = { held: 10_000_000n, cost: 5_000_000_000n, lastOrder: { side: "BUY", price: price("50000") } } as const
    const held = new Map([["cell-00", { ...completed(1, 10_000_000n), bought: 10_000_000n, past }]])
    const running = decideAt(ofQuote(""), price("56000"), undefined, undefined, at(0))
    const strategy = ofQuote("from: 2027-01-05")
    for (const each of [strategy, ofQuote("from: 2027-01-05")]) {
      const waits = decideAt(strategy, price("56000"), running.memory, held, at(0))
      const high = decideAt(each, price("64000"), waits.memory, held, at(1))
      assert.deepStrictEqual(slots(high), ["cell-00"])
      assert.isUndefined(high.until.priceAbove)
      assert.deepStrictEqual(slots(decideAt(each, price("52000"), high.memory, held, at(4))), ["cell-00"])
      assert.lengthOf(slots(decideAt(each, price("64000"), high.memory, held, at(4))), 3)
    }
    const moved = (keys: string) => strategyOf(`${head("grid", keys)}${grid}`.replace("55000", "54000"))
    const waits = decideAt(moved("from: 2027-01-05"), price("60000"), running.memory, held, at(0))
    const begun = decideAt(moved("from: 2027-01-05"), price("51000"), waits.memory, held, at(4))
    const entries = begun.desired.filter(({ legs: [{ side }] }) => side === "BUY")
    assert.isTrue(entries.every(({ legs: [{ price: at }] }) => Decimal.isLess(at, price("51000"))))
  })

  it("begins no period of a rebalance before the beginning", () => {
    const section = "rebalance: { target: 50%, band: 2%, every: 7d }\n"
    const running = decideAt(edited("rebalance", section, ""), price("60000"), undefined, undefined, at(-7))
    const held = new Map([["buy", { ...completed(1, 10_000_000n), bought: 10_000_000n, paid: 6_000_000_000n }]])
    const strategy = edited("rebalance", section, "from: 2027-01-05")
    const waits = decideAt(strategy, price("40000"), running.memory, held, at(3))
    assert.isEmpty(waits.desired)
    const begun = decideAt(strategy, price("90000"), waits.memory, held, at(4) + 1)
    assert.deepStrictEqual(slots(begun), ["sell"])
  })

  it("takes a leftover of the last order for no position", () => {
    const stopOnly =
      "rules: { orders: { dip: { when: mid < 55000, side: buy, price: mid, size: { base: 0.1 }, then: { stop: 50000 } } } }\n"
    const running = decideAt(edited("rules", stopOnly, ""), price("54000"), undefined, undefined, at(0))
    const left = { ...completed(2), bought: 10_000_000n, sold: 9_990_000n, lastLeg: leg("SELL", 9_990_000n) }
    const waits = decideAt(edited("rules", stopOnly, later), price("54000"), running.memory, new Map([["dip", left]]))
    assert.isEmpty(waits.desired)
    assert.isFalse(waits.until.onFill)
  })
})

describe("a plan that is older than a beginning which an edit adds", () => {
  const edited = (kind: string, keys: string, section = kinds[kind]) => strategyOf(`${head(kind, keys)}${section}`)
  const begin = (kind: string, slots?: Parameters<typeof decideAt>[3], section = kinds[kind]) => {
    const running = decideAt(edited(kind, "", section), price("54000"), undefined, undefined, at(0))
    const strategy = edited(kind, "from: 2027-01-05", section)
    const waits = decideAt(strategy, price("54000"), running.memory, slots, at(0))
    return { running, waits, begun: decideAt(strategy, price("51000"), waits.memory, slots, at(4)) }
  }

  it.each(Object.keys(kinds))("is planned at the prices of the beginning: %s", (kind) => {
    const { begun, waits } = begin(kind)
    assert.isEmpty(waits.desired)
    const fresh = decideAt(edited(kind, ""), price("51000"), undefined, undefined, at(4))
    assert.deepStrictEqual(new Set(prices(begun)), new Set(prices(fresh)))
  })

  it("counts an unfilled order for nothing", () => {
    const once =
      "bracket: { side: buy, size: { base: 0.1 }, entry: 1%, takeProfit: [{ at: 5%, part: 50% }, { at: 8%, part: 50% }], stop: 3% }\n"
    assert.deepStrictEqual(prices(begin("bracket", undefined, once).begun), ["50490", "50490"])
  })

  it("keeps its price where it has begun to fill", () => {
    const parts =
      "bracket: { side: buy, size: { base: 0.1 }, entry: 1%, takeProfit: [{ at: 5%, part: 50% }, { at: 8%, part: 50% }], stop: 3% }\n"
    const held = new Map([["position-1", { ...untouchedSlot, filledInLeg: 1_000_000n, bought: 1_000_000n }]])
    assert.deepStrictEqual(prices(begin("bracket", held, parts).begun), ["53460"])
  })

  it("has its whole time again, for the rest of a twap", () => {
    const bought = { ...completed(1), bought: 20_000_000n, paid: 10_800_000_000n }
    const past = {
      held: 20_000_000n,
      cost: 10_800_000_000n,
      lastOrder: { side: "BUY", price: price("54000") }
    } as const
    const { begun } = begin("twap", new Map([["slice-00", { ...bought, past }]]))
    assert.strictEqual(begun.until.time, at(4) + 3_600_000)
    assert.isFalse(begun.absent.some(({ why }) => why.code === "time-over"))
  })

  it("begins a deal without a pause", () => {
    const paused = "deals: { size: { quote: 100 }, takeProfit: 2%, cooldown: 7d, times: 1 }\n"
    assert.lengthOf(begin("deals", undefined, paused).begun.desired, 1)
  })
})

describe("a strategy with an end", () => {
  const held = new Map([["cell-00", { ...completed(1, 10_000_000n), bought: 10_000_000n }]])
  const open = new Map([
    ...held,
    ["cell-01", { ...untouchedSlot, live: { side: "BUY", price: price("55000"), quantity: 10_000_000n } as const }]
  ])
  const ending = (onEnd: string) => strategyOf(`${head("grid", `until: 2027-01-02\nonEnd: ${onEnd}`)}${grid}`)

  it.each(Object.keys(kinds))("cancels every order at `until`: %s", (kind) => {
    const strategy = strategyOf(`${head(kind, "until: 2027-01-02")}${kinds[kind]}`)
    const before = decideAt(strategy, price("54000"), undefined, undefined, at(0))
    assert.isAtMost(before.until.time ?? Number.POSITIVE_INFINITY, at(1))
    const after = decideAt(strategy, price("54000"), before.memory, undefined, at(1))
    assert.isEmpty(after.desired)
    assert.deepStrictEqual(whys(after), ["ended at 2027-01-02T00:00:00.000Z"])
  })

  it("with `onEnd: leave` keeps its open orders and the exits of its position, and places nothing else", () => {
    const strategy = ending("leave")
    const before = decideAt(strategy, price("56000"), undefined, undefined, at(0))
    const after = decideAt(strategy, price("56000"), before.memory, open, at(1))
    assert.deepStrictEqual(slots(after), ["cell-00", "cell-01"])
    const filled = new Map([...held, ["cell-01", completed(2, 1n)]])
    assert.deepStrictEqual(slots(decideAt(strategy, price("61000"), after.memory, filled, at(2))), ["cell-00"])
  })

  it("with `onEnd: sell` sells its position, and follows the market until that is done", () => {
    const strategy = ending("sell")
    const before = decideAt(strategy, price("56000"), undefined, undefined, at(0))
    const after = decideAt(strategy, price("56000"), before.memory, open, at(1))
    assert.deepStrictEqual(
      after.desired.map(({ slot, legs }) => [slot, legs[0].side, Decimal.format(legs[0].price), legs[0].quantity]),
      [["exit", "SELL", "55720", 10_000_000n]]
    )
    const lower = decideAt(strategy, price("54000"), after.memory, open, at(1) + 60_000)
    assert.strictEqual(Decimal.format(lower.desired[0]?.legs[0].price ?? Decimal.zero), "53730")
    const sold = new Map([...open, ["exit", { ...completed(1, 1n), sold: 10_000_000n }]])
    assert.isEmpty(decideAt(strategy, price("54000"), lower.memory, sold, at(2)).desired)
  })

  it("with `onEnd: sell` sells nothing that an order which is being cancelled may still sell", () => {
    const live = { side: "SELL", price: Decimal.make(61_000n), quantity: 4_000_000n } as const
    const selling = new Map([["cell-00", { ...completed(1, 10_000_000n), bought: 10_000_000n, live }]])
    const { desired } = decideAt(ending("sell"), price("56000"), undefined, selling, at(1))
    assert.deepStrictEqual(desired[0]?.legs[0].quantity, 6_000_000n)
  })

  it.each([
    ["{ sell: { price: 61000 } }", "61000", undefined],
    ["{ sell: { by: swap } }", "55720", "swap"],
    ["{ sell: { price: 50000, by: swap } }", "50000", "swap"]
  ])("sells on the terms of the file: %s", (onEnd, worst, by) => {
    const strategy = ending(onEnd)
    const { desired, until } = decideAt(strategy, price("56000"), undefined, open, at(1))
    const [leg] = desired[0]?.legs ?? []
    assert.deepStrictEqual([leg && Decimal.format(leg.price), leg?.by], [worst, by])
    assert.strictEqual(until.priceBelow === undefined, onEnd.includes("price"))
  })

  it("gets its end written into the file in place of another, and nothing else changes", () => {
    const text = `${head("grid", "until: 2027-01-02\nonEnd:\n  sell:\n    by: swap")}${grid}`
    const closed = endingText(text, at(0), { price: "61000" })
    assert.strictEqual(
      closed,
      `name: s
market: BTC/USDC
until: 2027-01-01T00:00:00.000Z
onEnd: { sell: { price: 61000 } }
kind: grid
limits: { budget: { base: 1, quote: 60000 } }
${grid}`
    )
    assert.strictEqual(endingText(closed, at(0), { price: "61000" }), closed)
    assert.include(endingText(text, at(0), {}), "onEnd: sell\n")
    assert.include(endingText(text, at(0), { by: "swap" }), "onEnd: { sell: { by: swap } }\n")
  })

  const plain = `${head("grid")}${grid}`
  const nested = "until: 2027-01-02\nonEnd:\n\n# how\n  sell:\n# by what\n    by: swap\n# about the grid"
  it.each([
    ["with line ends of Windows", `${head("grid", nested)}${grid}`.replaceAll("\n", "\r\n")],
    ["with quoted keys", `${head("grid", `"until": 2027-01-02\n'onEnd': sell`)}${grid}`.replace("kind:", '"kind":')],
    ["with empty lines and comments in its end", `${head("grid", nested)}${grid}`],
    ["with a space before the colon", `${head("grid", "until : 2027-01-02\nonEnd : sell # all")}${grid}`],
    ["whose kind stands on the next line", plain.replace("kind: grid", "kind:\n  grid")],
    ["whose last line is its kind", `${plain.replace("kind: grid\n", "")}kind: grid`],
    ["that is indented", plain.replace(/^(?=.)/gm, "  ")],
    [
      "in braces",
      `{ name: s, market: BTC/USDC, until: 2027-01-02, kind: grid,
      limits: { budget: { base: 1, quote: 60000 } }, ${grid.trim()} }`
    ],
    ["after a mark of a document", `---\n${plain.replace("kind:", '"kind":')}`],
    ["with a beginning that is to come", `${head("grid", "from: 2030-01-01\nuntil: 2031-01-01")}${grid}`]
  ])("is written into a file %s", (_, text) => {
    assert.strictEqual(strategyOf(text).name, "s")
    const closed = endingText(text, at(0), { by: "swap" })
    assert.strictEqual(strategyOf(closed).endsAt, at(0))
    assert.include(closed, "onEnd: { sell: { by: swap } }")
    assert.notMatch(closed, /(?<!\r)\n[\s\S]*\r\n|2027-01-02/)
    for (const comment of text.match(/# about.*/g) ?? []) assert.include(closed, comment)
  })

  it("is no end of other keys that have its name", () => {
    const own = "rules: { orders: { until: { when: mid < 55000, side: buy, price: mid, size: { quote: 100 } } } }\n"
    const block = own.replace(/[{}]/g, "").replace("rules:", "rules:\n").replace("orders:", " orders:\n    ")
    assert.include(endingText(`${head("rules")}${own}`, at(0), {}), own)
    assert.include(endingText(`${head("rules")}${block}`, at(0), {}), block)
  })

  it("plans the sale of a position that is too small for an order, so that its refusal is reported", () => {
    const strategy = strategyOf(
      `${head("grid", "until: 2027-01-02\nonEnd: sell").replace("limits: {", "limits: { minOrder: 10,")}${grid}`
    )
    const held = (amount: bigint) => new Map([["cell-00", { ...completed(1, amount), bought: amount }]])
    const plan = (amount: bigint) => slots(decideAt(strategy, price("56000"), undefined, held(amount), at(1)))
    assert.deepStrictEqual(plan(10_000n), ["exit"])
    assert.deepStrictEqual(plan(0n), [])
  })

  it("with `onEnd: sell` says that it buys nothing back of what it sold first", () => {
    const sale = "bracket: { side: sell, size: { base: 0.1 }, entry: 1%, takeProfit: 5%, stop: 3% }\n"
    const strategy = strategyOf(`${head("bracket", "until: 2027-01-02\nonEnd: sell")}${sale}`)
    const before = decideAt(strategy, price("56000"), undefined, undefined, at(0))
    const [slot = ""] = slots(before)
    const short = new Map([[slot, { ...completed(1, 10_000_000n), sold: 10_000_000n }]])
    const after = decideAt(strategy, price("56000"), before.memory, short, at(1))
    assert.isEmpty(after.desired)
    const text = "ended at 2027-01-02T00:00:00.000Z, short 0.1 BTC: it buys nothing back"
    assert.deepStrictEqual([whys(after), after.reasons.map((why) => why.text)], [[text], [text]])
  })

  it("with `onEnd: sell` says how much it sells while its orders are still to be cancelled", () => {
    const live = { side: "SELL", price: price("60000"), quantity: 10_000_000n } as const
    const cell = { ...completed(1, 10_000_000n), bought: 10_000_000n, live }
    const after = decideAt(ending("sell"), price("56000"), undefined, new Map([["cell-00", cell]]), at(1))
    assert.isEmpty(after.desired)
    assert.strictEqual(after.reasons[0]?.text, "ended at 2027-01-02T00:00:00.000Z, then sells 0.1 BTC")
  })

  it("waits at a price of its own without the alarms of an exit after a stop", () => {
    const codeOf = (onEnd: string) => decideAt(ending(onEnd), price("56000"), undefined, open, at(1)).desired
    assert.deepStrictEqual(codeOf("sell").map(isAfterStop), [true])
    assert.deepStrictEqual(codeOf("{ sell: { price: 61000 } }").map(isAfterStop), [false])
  })

  it("exits nothing with `leave` if it never began, though its stop is reached", () => {
    const guarded = grid.replace("} }", "}, stop: 49000, takeProfit: 67000 }")
    const keys = ["when: mid > 90000", "from: 2027-01-01T12:00Z", ""]
    for (const key of keys) {
      const strategy = strategyOf(`${head("grid", `${key}\nuntil: 2027-01-02\nonEnd: leave`)}${guarded}`)
      for (const reached of ["48000", "70000"]) {
        const over = decideAt(strategy, price(reached), undefined, undefined, at(1))
        assert.isEmpty(over.desired, `${key} ${reached}`)
        assert.isEmpty(decideAt(strategy, price(reached), over.memory, undefined, at(2)).desired)
      }
    }
  })

  it("stays begun when its end is put off", () => {
    const until = (day: string) =>
      strategyOf(`${head("grid", `when: mid < 58000\nuntil: ${day}\nonEnd: leave`)}${grid}`)
    const begun = decideAt(until("2027-01-02"), price("57000"), undefined, undefined, at(0))
    const over = decideAt(until("2027-01-02"), price("59000"), begun.memory, open, at(1))
    assert.lengthOf(decideAt(until("2027-01-09"), price("59000"), over.memory, open, at(2)).desired, 3)
  })
})

describe("the memory of one's own code in a strategy with a period", () => {
  const ownWith = (memory: string, keys: string) => {
    const code = `export default { about: "a test", keys: {}, decide: (view, settings, memory) => ({ orders: [], memory: ${memory}, until: {} }) }`
    return strategyOf(StrategyFile.withCode(`${head("./mine.ts", keys)}mine: {}\n`, code))
  }

  it.each([
    ["a number", "(memory ?? 0) + 1", "a 3"],
    ["a text", "(memory ?? '') + 'x'", 'a "xxx"'],
    ["a list", "[...(memory ?? []), 1]", "a [1,1,1]"],
    ["its keys", "{ ['k' + Object.keys(memory ?? {}).length]: 1, ...memory }", 'a {"k2":1,"k1":1,"k0":1}']
  ])("is its own alone, also after a restart and at the end: %s", (_, memory, last) => {
    const journaled = (memory: Memory): Memory => JSON.parse(JSON.stringify(memory))
    const seen = ownWith(
      `((m) => { if (view.now > ${at(2)}) throw new Error("a " + JSON.stringify(m)); return m })(${memory})`,
      "when: mid < 60000\nuntil: 2027-02-01\nonEnd: sell"
    )
    const first = decideAt(seen, price("55000"), undefined, undefined, at(0))
    const second = decideAt(seen, price("55000"), journaled(first.memory), undefined, at(1))
    assert.throws(() => decideAt(seen, price("55000"), second.memory, undefined, at(3)), last)
    assert.throws(() => decideAt(seen, price("55000"), journaled(second.memory), undefined, at(3)), last)
  })
})

describe("the bounds of a strategy with a beginning and an end", () => {
  const begins = "from: 2023-11-15\nwhen: mid < 60000\nuntil: 2023-11-17\nonEnd: "
  for (const onEnd of ["cancel", "leave", "sell"])
    it.each(Object.keys(kinds))(`hold, with onEnd: ${onEnd}: %s`, (kind) => {
      const strategy = strategyOf(`${head(kind, begins + onEnd)}${kinds[kind]}`)
      for (let seed = 1; seed <= 10; seed++) checkBounds(strategy, { low: 48_000, high: 68_000, seed })
    })
})

describe("mistakes about the beginning and the end", () => {
  const said = (keys: string) =>
    problemsOf(`${head("grid", keys)}${grid}`).map(({ line, column, message }) => `${line}:${column}: ${message}`)

  it("are reported with line and column", () => {
    assert.deepStrictEqual(said("from: 2027-01-02\nuntil: 2027-01-02"), [
      "6:8: it would end before it begins at 2027-01-02T00:00:00.000Z"
    ])
    assert.deepStrictEqual(said("onEnd: sell"), ["5:8: onEnd without until or equity does nothing"])
    assert.match(said("from: tomorrow").join("\n"), /^5:7: expected a date such as 2027-01-31/)
    assert.match(said("until: 2027-02-30").join("\n"), /^5:8: expected a date/)
    assert.match(said("until: 2027-01-02\nonEnd: stop").join("\n"), /^6:8: expected/)
    assert.match(said("when: mid + 1").join("\n"), /^5:7: expected a condition/)
  })
})
