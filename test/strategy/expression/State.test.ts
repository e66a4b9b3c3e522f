/** States of rules: series that follow from their own last value, against the plainest way to compute them. */
import { assert, describe, it } from "@effect/vitest"
import { constantTerm, type Term } from "../../../src/strategy/expression/Term.ts"
import type { CandleColumns } from "../../../src/strategy/Indicators.ts"
import { recursive } from "../../../src/strategy/kinds/rules/StateSection.ts"
import { price, problemsOf, random, strategyOf, viewAt } from "../support.ts"

const closes = (seed: number, bars: number): CandleColumns => {
  const next = random(seed)
  const close = Float64Array.from({ length: bars }, () => 90 + Math.round(next() * 20))
  return { open: close, high: close.map((x) => x + 1), low: close.map((x) => x - 1), close, volume: close }
}

const file = (state: string, when: string) => `name: test
market: BTC/USDC
kind: rules
limits: { budget: { quote: 1000 } }
rules:
  timeframe: 1h
  state:
${state}
  orders:
    in: { when: "${when}", side: buy, price: mid, size: { quote: 100 } }
`

/** In which candles the rule would fire. */
const firing = (text: string, columns: CandleColumns): ReadonlyArray<boolean> => {
  const strategy = strategyOf(text)
  return Array.from({ length: columns.close.length }, (_, index) => {
    const view = { ...viewAt(strategy, price("100")), candles: new Map([["1h", { columns, closed: index + 1 }]]) }
    return strategy.decide(view, null).desired.length > 0
  })
}

const latch = `    trend: { initial: 0, next: "if close > 107 then 1 else if close < 93 then 0 else trend[1]", over: 20 }`

describe("a state", () => {
  it("keeps its last value until its expression gives another, over as many candles as the file says", () => {
    const columns = closes(1, 200)
    const expected = Array.from({ length: 200 }, (_, last) => {
      if (last < 19) return false
      let trend = 0
      for (let bar = last - 19; bar <= last; bar++) {
        const close = columns.close[bar] ?? 0
        trend = close > 107 ? 1 : close < 93 ? 0 : trend
      }
      return trend > 0
    })
    assert.deepStrictEqual(firing(file(latch, "trend > 0"), columns), expected)
    assert.isTrue(expected.includes(true) && expected.slice(19).includes(false))
    assert.deepStrictEqual(strategyOf(file(latch, "trend > 0")).candles, new Map([["1h", 21]]))
  })

  it.each([1, 2, 3, 4, 5])("has the same value after any longer history (seed %s)", (seed) => {
    const columns = closes(seed, 300)
    const next = random(seed + 50)
    const previous: Term = { type: "price", isLiteral: false, dependence: "none", value: (at) => at.previous?.[0] ?? 0 }
    const [weight, over] = [next(), 5 + Math.floor(next() * 40)]
    const term: Term = {
      ...previous,
      value: (at) => {
        const candle = at.candles?.get("1h")
        const close = candle?.columns.close[candle.closed - 1] ?? Number.NaN
        return close > 105 ? close : previous.value(at) * weight + close * (1 - weight)
      }
    }
    const [made] = recursive({
      timeframe: "1h",
      key: "test",
      warmUp: 1,
      members: [{ initial: constantTerm(0, "price", true), next: term }],
      over
    })
    if (made === undefined) return assert.fail()
    const whole = made.column(columns)
    const from = 37
    const cut = Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values.slice(from)]))
    const later = made.column({ ...columns, ...cut })
    assert.deepStrictEqual(later.slice(over - 1), whole.slice(from + over - 1))
    assert.isTrue(whole.slice(0, over - 1).every(Number.isNaN))
  })

  it("may be a price, begin with one, and use states and names before it", () => {
    const text = file(
      `    peak: { initial: close, next: "max(close, peak[1])", over: 10 }
    fall: { initial: 0%, next: "1 - close / peak", over: 5 }`,
      "fall > 10%"
    ).replace("  orders:", "  let: { isDeep: fall > 10% }\n  orders:")
    const columns = closes(3, 60)
    const expected = Array.from({ length: 60 }, (_, last) => {
      if (last < 13) return false
      const peak = Math.max(...columns.close.slice(last - 9, last + 1))
      return 1 - (columns.close[last] ?? 0) / peak > 0.1
    })
    assert.deepStrictEqual(firing(text, columns), expected)
  })

  it("sees states that follow it, and their last values", () => {
    const text = (lines: ReadonlyArray<string>) => file(lines.map((line) => `    ${line}`).join("\n"), "fall > isDeep")
    const fall = `fall: { initial: 0%, next: "if peak > peak[1] then 0% else 1 - close / peak", over: 5 }`
    const peak = `peak: { initial: close, next: "max(close, peak[1])", over: 10 }`
    const withLet = (state: string) => state.replace("  state:", "  let: { isDeep: peak / peak * 10% }\n  state:")
    const columns = closes(3, 60)
    const before = firing(withLet(text([peak, fall])), columns)
    assert.isTrue(before.includes(true))
    assert.deepStrictEqual(firing(withLet(text([fall, peak])), columns), before)
  })

  it.each([1, 2, 3])("may need another's last value, which needs its own (seed %s)", (seed) => {
    // Ends of what the price did since it turned: each begins anew from the other.
    const states = [
      `    top: { initial: close, next: "if close < bottom[1] then close else max(close, top[1])", over: 12 }`,
      `    bottom: { initial: close, next: "if close > top[1] then close else min(close, bottom[1])", over: 12 }`,
      `    turns: { initial: 0, next: "if top < top[1] then turns[1] + 1 else turns[1]", over: 2 }`
    ]
    const columns = closes(seed, 90)
    const tops = Array.from({ length: 90 }, (_, last) => {
      if (last < 11) return Number.NaN
      let [top, bottom] = [columns.close[last - 11] ?? 0, columns.close[last - 11] ?? 0]
      for (let bar = last - 11; bar <= last; bar++) {
        const close = columns.close[bar] ?? 0
        const before = { top, bottom }
        top = close < before.bottom ? close : Math.max(close, before.top)
        bottom = close > before.top ? close : Math.min(close, before.bottom)
      }
      return top
    })
    const expected = tops.map((_, last) => {
      if (last < 13) return false
      let turns = 0
      for (let bar = last - 1; bar <= last; bar++) if ((tops[bar] ?? 0) < (tops[bar - 1] ?? 0)) turns += 1
      return turns > 0
    })
    const text = (rows: ReadonlyArray<string>) => file(rows.join("\n"), "turns > 0")
    assert.deepStrictEqual(firing(text(states), columns), expected)
    assert.deepStrictEqual(firing(text(states.toReversed()), columns), expected)
    assert.isTrue(expected.includes(true) && expected.slice(13).includes(false))
    // What a bot sees that began later.
    const from = 31
    const cut = Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values.slice(from)]))
    const later = firing(text(states), { ...columns, ...cut })
    assert.deepStrictEqual(later.slice(13), expected.slice(from + 13))
  })

  it.each([
    ["  low: { initial: 0, next: high + 1 }", "the value of high in this candle is not known yet"],
    ["  low: { initial: 0, next: 'high[2] + 1' }", "only the last value of high is known here"],
    ["  low: { initial: 0, next: 'high[1] + 1', over: 7 }", "so they have the same timeframe and over"],
    ["  low: { initial: 0, next: 'if high[1] > 1 then 1 BTC else 2 BTC' }", "expected a price"]
  ])("of two that need each other %s is refused with its line", (low, message) => {
    const problems = problemsOf(file(`    high: { initial: 0, next: "max(close, low[1])" }\n  ${low}`, "mid > 1"))
    assert.include(problems.map((problem) => problem.message).join("; "), message)
  })

  it("in a circle through another name is refused with its line", () => {
    const circle = `    high: { initial: 0, next: "max(close, low[1])" }
    low: { initial: 0, next: "if isUp > 0 then high[1] else 1" }
    alone: { initial: 0, next: "alone[1] + 1" }`
    const text = file(circle, "low > 1 and alone > 2").replace("  state:", "  let: { isUp: high / low }\n  state:")
    const problems = problemsOf(text).map(({ line, column, message }) => `${line}:${column} ${message}`)
    assert.deepStrictEqual(problems, [
      '7:10 "isUp" and "high", "low" need each other, so none of them can be computed first'
    ])
  })

  it("knows the clock at the end of each candle, and volume", () => {
    const startMillis = Date.UTC(2026, 0, 1, 5)
    const columns = { ...closes(4, 60), startMillis }
    const sum = `    day: { initial: 0 BTC, next: "if hour == 0 then volume else day[1] + volume", over: 26 }`
    const expected = Array.from({ length: 60 }, (_, last) => {
      if (last < 25) return false
      let day = 0
      for (let bar = last - 25; bar <= last; bar++)
        day = (bar + 6) % 24 === 0 ? (columns.volume[bar] ?? 0) : day + (columns.volume[bar] ?? 0)
      return day > 1_200
    })
    const text = file(sum, "day > 1200 BTC")
    assert.deepStrictEqual(firing(text, columns), expected)
    assert.isTrue(expected.includes(true))
    assert.match(strategyOf(text).notLive?.message ?? "", /reports no volume/)
    assert.isFalse(firing(text, closes(4, 60)).includes(true), "candles of no known time")
  })

  it.each([
    [`    trend: { initial: 0, next: trend + 1 }`, "the value of trend in this candle is not known yet"],
    [`    trend: { initial: 0, next: "trend[2] + 1" }`, "a state knows only its last value"],
    [`    trend: { initial: 0, next: "if mid > close then 1 else 0" }`, "a state can use only closed candles"],
    [`    trend: { initial: 0, next: "if close(4h) > close then 1 else 0" }`, "a state can use only closed candles"],
    [`    trend: { initial: 0, next: "openOrders + trend[1]" }`, "a state can use only closed candles"],
    [`    trend: { initial: 0, next: "close > open" }`, "a state is a number, a price or an amount"],
    [`    trend: { initial: 5%, next: "max(close, trend[1])" }`, "expected a price, found a ratio"],
    [`    close: { initial: 0, next: 1 }`, "means something already"],
    [`    trend: { next: 1 }`, 'missing key "initial"']
  ])("with %s is refused with its place", (state, message) => {
    const problems = problemsOf(file(state, "mid > 1"))
    assert.include(problems.map((problem) => problem.message).join("; "), message)
    assert.isTrue(
      problems.every(({ line }) => line === 8),
      JSON.stringify(problems)
    )
  })
})
