/** A bar that reaches a stop and a target: nobody knows which came first, so the side of fewer fills takes the worse. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Candles from "../../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as TimeAxis from "../../../../src/candles/TimeAxis.ts"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import { noCosts } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import { rows } from "../../../../src/lab/backtest/results/FillRows.ts"
import * as StrategyFile from "../../../../src/strategy/StrategyFile.ts"
import { runOneMarket } from "../../../world/oneMarket.ts"

type Bar = readonly [open: number, high: number, low: number, close: number]

const flat: Bar = [100, 100.2, 99.8, 100]

const candlesOf = (bars: ReadonlyArray<Bar>): Candles.Candles => {
  const column = (index: number) => Candles.columnOf(bars.map((bar) => bar[index] ?? 0))
  return {
    bars: bars.length,
    time: TimeAxis.regular(bars.length, 1_600_000_020_000, 60_000),
    open: column(0),
    high: column(1),
    low: column(2),
    close: column(3),
    volume: Candles.columnOf(bars.map(() => 1e6)),
    priceScale: bars.flat().every(Number.isInteger) ? 0 : 2
  }
}

const assets = [
  { symbol: "BASE", id: "base", decimals: 8 },
  { symbol: "QUOTE", id: "quote", decimals: 6 }
]

const parsed = (kind: string, section: string, bounds: string, code?: string) => {
  const limits = `limits: { ${bounds}, maxPriceDeviation: 50% }`
  const text = `name: stops\nmarket: BASE/QUOTE\nkind: ${code === undefined ? kind : `./${kind}.ts`}\n${limits}\n${kind}: ${section}\n`
  const whole = code === undefined ? text : StrategyFile.withCode(text, code)
  return Result.getOrThrow(StrategyFile.parse(whole, "stops.yaml", { assets, ticks: new Map() }))
}

const run = (
  kind: string,
  section: string,
  bars: ReadonlyArray<Bar>,
  mode: "optimistic" | "pessimistic",
  code?: string
) => {
  const strategy = parsed(kind, section, "budget: { base: 10, quote: 10000 }", code)
  const candles = candlesOf(bars)
  const indices = CrossingIndex.linearIndices(candles)
  const side = runOneMarket(strategy, candles, indices, mode, { costs: noCosts, changes: {} })
  return [...rows(side.outcome, candles)].map(
    ({ bar, side: each, price }) => `${bar} ${each} ${Decimal.toNumber(price).toFixed(2)}`
  )
}

/** An entry by bar 4, and in bar 8 both the stop at about 95 and the target at about 105. */
const both = (entry: Bar): ReadonlyArray<Bar> => [
  ...[flat, flat, flat, flat],
  entry,
  ...[flat, flat, flat],
  [100, 106, 94, 100],
  ...[flat, flat, flat, flat, flat]
]

const dip: Bar = [100, 100.2, 98.5, 100]

const kinds = {
  "a bracket of fixed prices": [
    "bracket",
    "{ side: buy, size: { base: 1 }, entry: 99, takeProfit: 105, stop: 95, reach: 1% }",
    dip
  ],
  "a bracket that follows": [
    "bracket",
    "{ side: buy, size: { base: 1 }, entry: 1%, takeProfit: 5%, stop: 4%, reach: 1% }",
    dip
  ],
  "a bracket that sells first": [
    "bracket",
    "{ side: sell, size: { base: 1 }, entry: 101, takeProfit: 95, stop: 105, reach: 1% }",
    [100, 101.5, 99.8, 100]
  ],
  "a stop that trails": [
    "bracket",
    "{ side: buy, size: { base: 1 }, entry: 99, takeProfit: 105, stop: 90, trail: 4%, reach: 1% }",
    dip
  ],
  "a stop of a rule": [
    "rules",
    "{ orders: { one: { when: mid > 1, side: buy, price: 99, size: { base: 1 }, times: 1, then: { price: 105, stop: 95, reach: 1% } } } }",
    dip
  ],
  "a stop of deals": [
    "deals",
    "{ size: { base: 1 }, reach: 0.2%, safety: { orders: 1, size: { base: 1 }, distance: 10% }, takeProfit: 5%, stop: 4%, times: 1 }",
    flat
  ],
  "the end of a grid": [
    "grid",
    "{ levels: [97, 105], size: { base: 1 }, stop: 95, reach: 1% }",
    [100, 100.2, 96.5, 100]
  ]
} as const satisfies Record<string, readonly [kind: string, section: string, entry: Bar]>

/** A bracket of fixed prices in code. */
const ownBracket = `import type { Own } from "limitbot/strategy"
const keys = { size: { is: "size" } } as const
export default {
  about: "a bracket",
  keys,
  decide: (view, { size }, memory) => {
    const { bought, done } = view.slot("position")
    if (done.legs > 1) return { orders: [], memory, until: {} }
    const left = memory ?? (bought > 0 && view.mid <= 95 ? view.mid : null)
    const entry = { side: "buy", price: 99, size } as const
    if (left === null) {
      const legs = [entry, { side: "sell", price: 105 }] as const
      return { orders: [{ slot: "position", legs, why: "in at 99" }], stops: { below: 95 }, memory: null, until: { below: 95 } }
    }
    const legs = [entry, { side: "sell", price: left * 0.99, mayLose: true }] as const
    return { orders: [{ slot: "position", legs, why: "out" }], memory: left, until: {} }
  }
} satisfies Own<typeof keys, number | null>
`

/** Bar 7 reaches the first target and closes below it; the price falls from bar 9 on. */
const spike: ReadonlyArray<Bar> = [
  ...[flat, flat, flat, flat, dip, flat, flat],
  [100, 103, 100.3, 100.6],
  [100.5, 100.6, 100.3, 100.4],
  [100, 100, 97.9, 98.2],
  [98, 98, 93, 93],
  [93, 93, 93, 93]
]

describe("a bar in which the first target fills, and that closes below it", () => {
  const targets = "[{ at: 2%, part: 50% }, { at: 9%, part: 50% }]"
  const exit = "price: [{ at: entry * 1.02, part: 50% }, { at: entry * 1.09, part: 50% }]"
  const following = (keys: string) =>
    `{ side: buy, size: { base: 2 }, entry: 1%, takeProfit: ${targets}, stop: 4%, reach: 1%, ${keys} }`
  for (const [name, kind, section] of [
    ["a bracket", "bracket", following("breakevenAt: 2%")],
    ["a bracket that trails", "bracket", following("trail: 2%, trailFrom: 2%")],
    [
      "a rule",
      "rules",
      `{ orders: { one: { when: mid > 1, side: buy, price: 99, size: { base: 2 }, times: 1, then: { ${exit}, stop: 95, breakevenAt: entry * 1.02, reach: 1% } } } }`
    ],
    [
      "deals",
      "deals",
      `{ size: { base: 2 }, reach: 0.2%, takeProfit: ${targets}, stop: 4%, breakevenAt: 2%, times: 1 }`
    ]
  ] as const)
    it(`moves the stop of the rest of ${name}`, () => {
      for (const mode of ["optimistic", "pessimistic"] as const) {
        const [target, rest, ...others] = run(kind, section, spike, mode).filter((each) => each.includes("SELL"))
        assert.match(target ?? "", /^7 SELL 10[0-2]/)
        assert.match(rest ?? "", /(9|10) SELL 9[789]/, mode)
        assert.lengthOf(others, 0)
      }
    })
})

describe("a bar that reaches a stop and a target", () => {
  for (const [name, [kind, section, entry]] of Object.entries(kinds))
    it(`${name} exits at the stop under pessimistic fills, at the target under optimistic ones`, () => {
      const [, stopped] = run(kind, section, both(entry), "pessimistic")
      const [, gained] = run(kind, section, both(entry), "optimistic")
      const isSale = !section.includes("side: sell")
      const [bar, side, price] = (stopped ?? "").split(" ")
      assert.deepStrictEqual([bar, side], ["8", isSale ? "SELL" : "BUY"])
      assert.closeTo(Number(price), isSale ? 95 : 105, 1.2)
      assert.match(gained ?? "", isSale ? /^8 SELL 10[3-5]/ : /^8 BUY 95/)
    })

  it.each([
    ["as it holds", both(dip)],
    ["in the bar of its entry", [flat, flat, flat, flat, [100, 106, 94, 100], flat, flat, flat, flat]],
    ["never", [flat, flat, flat, flat, dip, flat, [100, 106, 99.5, 100], flat, flat, flat]],
    ["at a close", [flat, flat, flat, flat, dip, flat, [100, 100.2, 94, 94.5], [94.5, 94.6, 94.4, 94.5], flat, flat]]
  ] as const)("makes code exit like an equivalent file: its stop is reached %s", (_, bars) => {
    const [kind, section] = kinds["a bracket of fixed prices"]
    for (const mode of ["pessimistic", "optimistic"] as const) {
      const byFile = run(kind, section, bars, mode)
      assert.isNotEmpty(byFile)
      assert.deepStrictEqual(run("mine", "{ size: { base: 1 } }", bars, mode, ownBracket), byFile, mode)
    }
  })

  it("makes an entry within the bar exit at the stop of the same bar", () => {
    const [, section] = kinds["a bracket of fixed prices"]
    const bars: ReadonlyArray<Bar> = [flat, flat, flat, [100, 106, 94, 100], flat, flat]
    assert.deepStrictEqual(run("bracket", section, bars, "pessimistic"), ["3 BUY 99.00", "3 SELL 94.91"])
  })

  it.each([
    ["at its limit", "entry: 99, takeProfit: 105, stop: 95", "1 BUY 99.00"],
    ["at the open if that is better than its limit", "entry: 102, takeProfit: 105, stop: 95", "1 BUY 100.10"]
  ])("fills a pending entry %s, which exits at the stop of the same bar", (_, prices, entry) => {
    const section = `{ side: buy, size: { base: 1 }, ${prices}, reach: 1% }`
    assert.deepStrictEqual(run("bracket", section, [flat, [100, 106, 94, 100], flat, flat], "pessimistic"), [
      entry,
      "1 SELL 94.91"
    ])
  })

  it("with a gap over the stop makes the order exit at the open", () => {
    const [, section] = kinds["a bracket of fixed prices"]
    const bars: ReadonlyArray<Bar> = [...both(dip).slice(0, 8), [93, 106, 92, 100], flat, flat]
    const [, left] = run("bracket", section, bars, "pessimistic")
    assert.strictEqual(left, "8 SELL 92.91")
  })

  it("fills an order placed at the stop only from the next bar on", () => {
    const section = "{ side: buy, size: { base: 1 }, entry: 1%, takeProfit: 5%, stop: 4%, reach: 1%, times: 3 }"
    const bars: ReadonlyArray<Bar> = [...both(dip).slice(0, 8), [100, 106, 80, 100], flat, flat]
    const fills = run("bracket", section, bars, "pessimistic").filter((fill) => fill.startsWith("8 "))
    assert.lengthOf(fills, 1)
  })

  const followed = "{ side: buy, size: { base: 1 }, entry: 0.1%, takeProfit: 3%, stop: 1%, times: 100 }"

  it.each([0.5, 1])("and is one of many (stop %d%%) makes each entry exit at its stop in its bar", (stop) => {
    const bars = Array.from({ length: 60 }, (): Bar => [100, 104, 98, 100])
    const section = followed.replace("stop: 1%", `stop: ${stop}%`)
    const fills = run("bracket", section, bars, "pessimistic").map((fill) => fill.split(" "))
    assert.isAbove(fills.length, 60)
    for (const [index, [bar, side, price]] of fills.entries()) {
      if (side === "BUY") continue
      assert.strictEqual(bar, fills[index - 1]?.[0])
      assert.isBelow(Number(price), Number(fills[index - 1]?.[2]) - stop)
    }
    const gained = run("bracket", section, bars, "optimistic").map((fill) => Number(fill.split(" ")[2]))
    for (let exit = 1; exit < gained.length; exit += 2) assert.isAbove(gained[exit] ?? 0, (gained[exit - 1] ?? 0) + 2.9)
  })

  it("makes a sale that is bought back within the bar exit at the stop that it then has", () => {
    const code = `import type { Own } from "limitbot/strategy"
const keys = { size: { is: "size" } } as const
export default {
  about: "sells, buys back, and exits at 95",
  keys,
  decide: (view, { size }, memory) => {
    const isBack = view.slot("turn").bought > 0
    const isOut = memory === true || (isBack && view.mid <= 95)
    const turn = { slot: "turn", legs: [{ side: "sell", price: 101, size }, { side: "buy", price: 99.9 }], why: "turns" } as const
    const out = { slot: "out", legs: [{ side: "sell", price: 90, size, mayLose: true }], why: "out" } as const
    const stops = { below: isBack ? 95 : 98 }
    return { orders: isOut ? [turn, out] : [turn], stops: isOut ? {} : stops, memory: isOut, until: { below: stops.below } }
  }
} satisfies Own<typeof keys, boolean>
`
    const bars: ReadonlyArray<Bar> = [flat, flat, [100, 101.5, 99.95, 100], [100, 100.2, 94, 99], flat, flat]
    assert.deepStrictEqual(run("mine", "{ size: { base: 1 } }", bars, "pessimistic", code), [
      "2 SELL 101.00",
      "3 BUY 98.10",
      "3 SELL 94.91"
    ])
  })

  it("decides the entry after an exit at the stop only at its close", () => {
    const bars: ReadonlyArray<Bar> = [
      flat,
      flat,
      flat,
      [100, 104, 98, 103],
      ...Array.from({ length: 3 }, (): Bar => [103, 103.1, 102, 103])
    ]
    const fills = run("bracket", followed, bars, "pessimistic").map((fill) => fill.slice(0, -3))
    assert.deepStrictEqual(fills, ["2 BUY 99", "3 SELL 98", "5 BUY 102"])
  })
})

describe("a stop in a gap", () => {
  const targets = "takeProfit: [{ at: 10%, part: 60% }, { at: 20%, part: 40% }], stop: 5%"
  const forms = [
    ["bracket", `{ side: buy, size: { base: 2 }, entry: 0.5%, ${targets} }`],
    [
      "deals",
      "{ size: { quote: 200 }, reach: 0.5%, takeProfit: [{ at: 10%, part: 30% }, { at: 15%, part: 30% }, { at: 20%, part: 40% }], stop: 5%, times: 1 }"
    ]
  ] as const
  /** The base that stays, in whole units, and the orders below the minimum. */
  const leftBy = (kind: string, section: string, price: number, mode: "optimistic" | "pessimistic") => {
    const strategy = parsed(kind, section, "budget: { quote: 10000 }, minOrder: 60")
    const fall: Bar = [price, price + 0.2, price - 0.2, price]
    const candles = candlesOf([flat, dip, flat, flat, flat, fall, fall, fall, fall])
    const changes = { costs: noCosts, changes: {} }
    const { outcome } = runOneMarket(strategy, candles, CrossingIndex.linearIndices(candles), mode, changes)
    return { base: Number(outcome.base) / 1e8, deniedMinimum: outcome.counts.deniedMinimum }
  }

  for (const [kind, section] of forms)
    for (const mode of ["pessimistic", "optimistic"] as const) {
      it(`sells a position of ${kind} worth the minimum order in smaller parts too (${mode})`, () => {
        assert.deepStrictEqual(leftBy(kind, section, 60, mode), { base: 0, deniedMinimum: 0 })
      })

      it(`keeps a position of ${kind} worth less than the minimum order (${mode})`, () => {
        const { base, deniedMinimum } = leftBy(kind, section, 29, mode)
        assert.isAbove(base, 1.9)
        assert.isAbove(deniedMinimum, 0)
      })
    }
})

describe("an exit by time, on the side of fewer fills", () => {
  const section =
    "{ timeframe: 1m, orders: { a: { when: mid > 0, side: buy, price: 100, size: { base: 1 }, times: 1, then: { price: entry * 1.5, after: 3m } } } }"
  it.each([
    ["rises", 1],
    ["falls", -1]
  ] as const)("leaves a market that %s at each bar", (_, step) => {
    const moving = Array.from({ length: 24 }, (_, index): Bar => {
      const price = 100.5 + step * (index + 1)
      return [price, price, price, price]
    })
    const bars: ReadonlyArray<Bar> = [
      [101, 101, 101, 101],
      [101, 101, 99.5, 100.5],
      [100.5, 100.5, 99.5, 100.5],
      ...moving
    ]
    const [entry, exit = ""] = run("rules", section, bars, "pessimistic")
    assert.strictEqual(entry, "2 BUY 100.00")
    assert.match(exit, /^[5-7] SELL /)
  })
})
