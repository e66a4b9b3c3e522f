/** Conditions on the prices and candles of markets that the strategy does not trade. */
import { assert, describe, it } from "@effect/vitest"
import { holds } from "../../../src/strategy/Decision.ts"
import * as JoinedCandles from "../../../src/strategy/expression/series/JoinedCandles.ts"
import type { CandleColumns } from "../../../src/strategy/Indicators.ts"
import type { ClosedCandles, View } from "../../../src/strategy/View.ts"
import { between, price, problemsOf, random, strategyOf } from "../support.ts"

const hour = 3_600_000

const file = (when: string, more = ""): string => `name: s
market: ETH/USDC
kind: rules
limits: { budget: { quote: 1000 } }
rules:
  timeframe: 1h
  orders:
    buy:
      when: ${when}
      side: buy
      price: mid
      size: { quote: 100 }${more}
`

/** Candles whose closes are these, the first of which opened at that hour. */
const candles = (closes: ReadonlyArray<number>, firstHour = 0): ClosedCandles => {
  const column = Float64Array.from(closes)
  const columns: CandleColumns = {
    open: column,
    high: column,
    low: column,
    close: column,
    volume: column,
    startMillis: firstHour * hour
  }
  return { columns, closed: closes.length }
}

interface Market {
  readonly mid?: number
  readonly candles?: ClosedCandles
}

const seen = (text: string, mid: number, others: Readonly<Record<string, Market>>, own?: ClosedCandles) => {
  const strategy = strategyOf(text)
  const at = (value: number) => ({ bid: price(`${value}`), ask: price(`${value}`), at: 0 })
  const of = (market: string) => (market === "ETH/USDC" ? own : others[market]?.candles)
  const view: View = {
    now: 0,
    market: strategy.market,
    price: at(mid),
    elsewhere: new Map(
      Object.entries(others).flatMap(([name, { mid }]) => (mid === undefined ? [] : [[name, at(mid)] as const]))
    ),
    slots: new Map(),
    ...{
      candles:
        JoinedCandles.make(strategy)((market) => {
          const there = of(market)
          return there === undefined ? undefined : new Map([["1h", there]])
        }) ?? new Map()
    }
  }
  return { strategy, view, decision: strategy.decide(view, null) }
}

const fires = (...given: Parameters<typeof seen>): boolean => seen(...given).decision.desired.length > 0
const whyNot = (...given: Parameters<typeof seen>): string => seen(...given).decision.absent[0]?.why.text ?? ""

describe("conditions on other markets", () => {
  it.each([
    [`'mid("BTC/USDC") < 60000'`, true],
    [`'mid("BTC/USDC") > 60000'`, false],
    [`"mid('BTC/USDC') < 60000"`, true],
    // The price of ETH in BTC.
    [`'mid / mid("BTC/USDC") > 0.049'`, true],
    [`'mid / mid("BTC/USDC") < mid("ETH/BTC") * (1 - 1%)'`, true],
    [`'mid < mid("ETH/BTC") * mid("BTC/USDC") * (1 - 3%)'`, true],
    [`'mid("BTC/USDC") / mid > 19 and mid > 1'`, true],
    [`'mid("ETH/USDC") == mid'`, true]
  ])("%s: %s", (when, expected) => {
    const others = { "BTC/USDC": { mid: 59_000 }, "ETH/BTC": { mid: 0.053 } }
    assert.strictEqual(fires(file(when), 3_000, others), expected)
  })

  it.each([
    [`'close("BTC/USDC") == 14'`, true],
    [`'sma(close("BTC/USDC", 1h), 3) == 13'`, true],
    [`'abs(close / close("BTC/USDC") - 8 / 14) < 0.001'`, true],
    [`'sma(close / close("BTC/USDC"), 2) / (close / close("BTC/USDC")) > 95%'`, true],
    // Candles of the same time, although one series is longer.
    [`'(close / close("BTC/USDC"))[2] == 0.5'`, true],
    [`'highest(high("BTC/USDC"), 5) == 14 and atr(1, "BTC/USDC") > 0.5 and atr(1, "BTC/USDC", 1h) < 1.5'`, true],
    [`'count(close > 0 and close("BTC/USDC") > 12, 3) == 2'`, true],
    [`'valuewhen(close("BTC/USDC") == 13, close, 3) == 7'`, true],
    [`'crossover(close("BTC/USDC"), 13.5)'`, true]
  ])("%s: %s", (when, expected) => {
    const others = { "BTC/USDC": { candles: candles([10, 11, 12, 13, 14], 4) } }
    assert.strictEqual(fires(file(when), 3_000, others, candles([0, 1, 2, 3, 4, 5, 6, 7, 8], 0)), expected)
  })

  it.each([
    [`'mid > mid("BTC/USDC")'`, "9:14", "these do not fit together: a price > a price of BTC/USDC"],
    [`'mid("BTC/DOGE") > 1'`, "9:18", 'no asset "DOGE" in the configuration'],
    [`'mid("BTC") > 1'`, "9:18", "expected a market such as BTC/USDC"],
    [`'mid(4h) > 1'`, "9:14", 'mid takes a market, such as mid("BTC/USDC")'],
    [`'close("BTC/USDC", 7) > 1'`, "9:14", "close takes a timeframe"],
    [`'atr(14, 4h, "BTC/USDC") > 1'`, "9:26", "expected a timeframe"],
    [`'"BTC/USDC" > 1'`, "9:14", "a market says where a price or candles are from"],
    [`'bid("BTC/USDC") > 1'`, "9:14", "bid is allowed only in a price"],
    [`'mid("ETH/BTC") / mid("ETH/BTC") > 1'`, "9:14", "in a condition"],
    [`'volume("BTC/USDC") > 1 ETH'`, "9:14", "these do not fit together: an amount of BTC > an amount of ETH"]
  ])("%s is wrong at %s: %s", (when, at, expected) => {
    const said = problemsOf(file(when)).map(({ line, column, message }) => `${line}:${column} ${message}`)
    assert.isTrue(said[0]?.startsWith(`${at} ${expected}`), said.join("\n"))
  })

  it("give a hint for a comparison of two markets' prices", () => {
    const [problem] = problemsOf(file(`'mid > 1.01 * mid("BTC/USDC")'`))
    assert.strictEqual(problem?.hint, "divide one by the other: … / … > 0.05")
  })

  it("hold only orders that use a market without a price or candles, and say why", () => {
    const others = `
    other: { when: mid > 1, side: buy, price: mid, size: { quote: 50 } }`
    for (const when of [`'mid("BTC/USDC") > 1'`, `'close("BTC/USDC") > 1'`, `'close / close("BTC/USDC") > 1'`]) {
      const given = [file(when, others), 3_000, {}, candles([1, 2, 3])] as const
      assert.match(whyNot(...given), /BTC\/USDC has no fresh price or no candles now/)
      const { decision, strategy, view } = seen(...given)
      assert.deepStrictEqual(
        decision.desired.map(({ slot }) => slot),
        ["other"]
      )
      if (when.includes("mid")) {
        const back = { bid: price("5"), ask: price("5"), at: 0 }
        assert.isFalse(holds(decision.until, view, false), "asked again until there is a price")
        assert.isFalse(holds(decision.until, { ...view, elsewhere: new Map([["BTC/USDC", back]]) }, false))
      }
      assert.deepStrictEqual(
        strategy.watched?.map(({ market }) => market.name),
        ["BTC/USDC"]
      )
    }
  })

  it("do not touch an open order if a market is missing", () => {
    const text = file(`'mid("BTC/USDC") > 1'`, `\n      cancelWhen: 'mid("BTC/USDC") < 1'`)
    const { strategy, view, decision } = seen(text, 3_000, { "BTC/USDC": { mid: 5 } })
    const later = strategy.decide({ ...view, elsewhere: new Map() }, decision.memory)
    assert.strictEqual(later.desired.length, 1)
  })

  it("keep a decision the same within its bounds, whichever price moves", () => {
    const next = random(5)
    const conditions = [
      `'mid / mid("BTC/USDC") < 0.05'`,
      `'mid / mid("BTC/USDC") > 0.05 or mid("SOL/USDC") < 100'`,
      `'mid("ETH/BTC") * mid("BTC/USDC") > mid * (1 + 1%)'`,
      `'mid / mid("BTC/USDC") - mid("ETH/BTC") > 0.001'`,
      `'mid("SOL/USDC") / (mid * 2) > 0.01 and mid("BTC/USDC") / mid < 21'`
    ]
    let [inside, wide] = [0, 0]
    for (let run = 0; run < 400; run++) {
      const text = file(conditions[run % conditions.length] ?? "")
      const drawn = () => ({
        mid: between(next, 2_500, 3_500),
        others: {
          "BTC/USDC": { mid: between(next, 50_000, 70_000) },
          "SOL/USDC": { mid: between(next, 50, 150) },
          "ETH/BTC": { mid: between(next, 0.04, 0.06) }
        }
      })
      const from = drawn()
      const { strategy, view, decision } = seen(text, from.mid, from.others)
      for (let move = 0; move < 20; move++) {
        const to = drawn()
        const part = next() ** 3
        const mixed = (a: number, b: number) => price((a + (b - a) * part).toFixed(9))
        const at = (value: ReturnType<typeof price>) => ({ bid: value, ask: value, at: 0 })
        const moved: View = {
          ...view,
          price: at(mixed(from.mid, to.mid)),
          elsewhere: new Map(
            (["BTC/USDC", "SOL/USDC", "ETH/BTC"] as const).map((name) => [
              name,
              at(mixed(from.others[name].mid, to.others[name].mid))
            ])
          )
        }
        if (!holds(decision.until, moved, false)) continue
        inside += 1
        if (part > 0.05) wide += 1
        assert.strictEqual(strategy.decide(moved, null).desired.length, decision.desired.length, `run ${run}: ${text}`)
      }
    }
    assert.isAbove(inside, 2_000)
    assert.isAbove(wide, 500, "bounds are wide enough to save decisions")
  })
})
