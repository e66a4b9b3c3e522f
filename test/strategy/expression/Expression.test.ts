import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { bottomless, type Depth } from "../../../src/domain/Book.ts"
import type { Signals } from "../../../src/domain/Signal.ts"
import { compileAny } from "../../../src/strategy/expression/Compiler.ts"
import { parse } from "../../../src/strategy/expression/Grammar.ts"
import { noNeeds, type Scope } from "../../../src/strategy/expression/Scope.ts"
import { columnOf } from "../../../src/strategy/expression/Term.ts"
import type { CandleColumns } from "../../../src/strategy/Indicators.ts"
import { marketNamed } from "../../../src/strategy/Markets.ts"
import { type Problem, type Report, sourceText } from "../../../src/strategy/Problem.ts"
import type { ClosedCandles, OwnState } from "../../../src/strategy/View.ts"
import { integerBetween, markets, pick, price, random } from "../support.ts"

const [base, , , quote] = markets.assets
const market = { name: "BTC/USDC", base: base ?? assert.fail(), quote: quote ?? assert.fail() }

const columns: CandleColumns = {
  open: Float64Array.from({ length: 300 }, (_, i) => 99 + i),
  high: Float64Array.from({ length: 300 }, (_, i) => 102 + i),
  low: Float64Array.from({ length: 300 }, (_, i) => 98 + i),
  close: Float64Array.from({ length: 300 }, (_, i) => 100 + i),
  volume: Float64Array.from({ length: 300 }, () => 2)
}

const compiled = (text: string, budget?: Scope["budget"]) => {
  const warnings: Array<Problem> = []
  const to: Report = { source: sourceText("x", text), problems: [], warnings }
  const scope: Scope = {
    market,
    marketNamed: marketNamed(markets),
    budget,
    timeframe: "1h",
    names: new Map(),
    needs: noNeeds(),
    to
  }
  const node = { type: "scalar", text, isQuoted: false, start: 0, end: text.length } as const
  return { term: compileAny(node, "condition", scope), scope, problems: to.problems, warnings }
}

const hour = 3_600_000
// 20 November 2023 was a Monday.
const now = Date.UTC(2023, 10, 20, 9, 41)

const trading: OwnState = {
  openOrders: 3,
  freeBase: 50_000_000n,
  freeQuote: 1_234_500_000n,
  position: 50_000_000n,
  realisedProfit: -2_500_000n,
  averageEntry: price("240.5"),
  lastFill: { price: price("255"), at: now - 2 * hour },
  lastPlacedAt: now - hour / 2
}
const idle: OwnState = { openOrders: 0, freeBase: 0n, freeQuote: 0n, position: 0n, realisedProfit: 0n }

const evaluated = (
  text: string,
  {
    closed = 200,
    own,
    depth,
    signals,
    budget,
    position = 0.5,
    candles = new Map([
      ["1h", { columns, closed }],
      ["4h", { columns, closed: closed / 4 }],
      ["1w", { columns, closed: 20 }]
    ])
  }: {
    closed?: number
    own?: OwnState | undefined
    depth?: Depth
    signals?: Signals
    budget?: Scope["budget"]
    position?: number
    candles?: ReadonlyMap<string, ClosedCandles>
  } = {}
) => {
  const { term, problems, warnings } = compiled(text, budget)
  const found = {
    isCold: false,
    isUndefined: false,
    dividesByZero: new Set<string>(),
    lacking: new Set<string>(),
    crossings: [] as Array<{ market: string; price: number }>,
    times: [] as Array<number>,
    consulted: { candleMillis: 0, clockMillis: 0, depth: false, signals: false }
  }
  const value = term?.value({
    mid: 250,
    bid: 249,
    ask: 251,
    elsewhere: new Map(),
    now,
    candles,
    entry: 0,
    position,
    own,
    depth,
    signals,
    elapsed: 0,
    found
  })
  return { value, found, problems, warnings, type: term?.type }
}

describe("expressions", () => {
  it("compute each column once", () => {
    const columnFor = (text: string) => columnOf(compiled(text).term?.series ?? assert.fail(), columns)
    assert.strictEqual(columnFor("rsi(close, 14)"), columnFor("rsi( close,14 )"))
    assert.notStrictEqual(columnFor("rsi(close, 14)"), columnFor("rsi(close, 15)"))
  })

  it.each([
    ["1 + 2 * 3 - 4 / 2", 5],
    ["-(1 - 3) * 2", 4],
    ["1 - 2 - 3", -4],
    ["10 * 25bps", 0.025],
    ["mid * (1 - 2%)", 245],
    ["close", 299],
    ["close(4h)", 149],
    ["close(1w)", 119],
    ["close - open", 1],
    ["sma(if close > open then close else open, 3)", 298],
    ["sma(close, 3)", 298],
    ["highest(high, 10) - lowest(low, 10)", 13],
    ["change(close, 1)", 299 / 298 - 1],
    ["max(close, open) / 299", 1],
    ["clamp(close, 0, 200)", 200],
    ["abs(close - high)", 2],
    ["sqrt(close + 101)", 20],
    ["log(exp(3))", 3],
    ["exp(close - high + 2)", 1],
    ["wma(close, 3)", (297 + 2 * 298 + 3 * 299) / 6],
    ["linreg(close, 3)", 299],
    ["round(mid, 100)", 300],
    ["hour", 9],
    ["minute", 41],
    ["weekday", 1],
    ["monthday", 20],
    ["position", 0.5]
  ])("evaluate %s to %s", (text, expected) => {
    const { value, problems } = evaluated(text)
    assert.deepStrictEqual(problems, [])
    assert.closeTo(value ?? Number.NaN, expected, 1e-9)
  })

  it.each([
    ["mid > 200 and not (mid > 300)", 1],
    ["1 < 2 or 2 < 1 and 2 < 1", 1],
    ["crossover(close, 298.5)", 1],
    ["crossover(close, 297.5)", 0],
    ["crossunder(close, sma(close, 3))", 0],
    ["volume > 1.5 BTC", 1],
    ["hour >= 9 and hour < 17 and weekday <= 5", 1],
    ["rsi(close, 14) > 99", 1],
    ["close / close[1] > 100.3% and close / close[1] < 100.4%", 1],
    ["mid / close < 84%", 1],
    ["close == 299 and close != 300 and close <= 299 and close >= 299", 1]
  ])("evaluate the condition %s to %s", (text, expected) => {
    const { value, problems, type } = evaluated(text)
    assert.deepStrictEqual([value, problems, type], [expected, [], "boolean"])
  })

  it.each([
    ["mid < close * 0.9", [299 * 0.9]],
    ["mid - 10 > 2 * mid - 300", [290]],
    ["mid / 2 < 100 or 400 < mid", [200, 400]],
    ["1 / (mid / close) > 1.3", [299 / 1.3]],
    ["close > 100", []]
  ])("change %s at the prices %s", (text, expected) => {
    const { crossings } = evaluated(text).found
    // What is not a straight line has an end of its box on the other side too.
    const near = crossings.filter(({ price }) => expected.some((at) => Math.abs(price / at - 1) < 1e-6))
    assert.strictEqual(near.length, expected.length)
    for (const [index, { price }] of near.entries()) assert.closeTo(price, expected[index] ?? 0, 1e-6)
  })

  it("have the exposure: the base at the present price as a share of the equity", () => {
    const budget = { base: 100_000_000n, quote: 1_000_000_000n }
    const own = { ...trading, realisedProfit: 0n }
    // A whole BTC of the budget beside 1,000 USDC; then half of one more, bought at 240.5.
    const none = evaluated("exposure", { own, budget, position: 0 })
    assert.deepStrictEqual([none.type, none.value], ["ratio", 250 / 1_250])
    assert.closeTo(evaluated("exposure", { own, budget }).value ?? 0, 375 / (1_250 + 0.5 * 9.5), 1e-12)
    // At 1,000 it is half of everything, and there the comparison changes.
    const [above] = evaluated("exposure > 50%", { own, budget, position: 0 }).found.crossings.map(({ price }) => price)
    assert.closeTo(above ?? 0, 1_000, 1e-3)
    assert.isTrue(evaluated("exposure > 50%").found.lacking.has("exposure"))
  })

  it("find nothing about the present at the prices and times at which they look for a change", () => {
    const budget = { base: 0n, quote: 50_000_000n }
    const bought = { ...trading, realisedProfit: 0n, averageEntry: price("240.5") }
    // Far below, the equity is negative and the exposure has no value.
    const exposed = evaluated("exposure > 50%", { own: bought, budget })
    assert.deepStrictEqual([exposed.value, exposed.found.isUndefined], [1, false])
    for (const text of [
      "mid / (if mid > 400 then 0 else 1) > 5",
      "mid > 5 / (if mid > 400 then 0 else 1)",
      "since(placement) > 5h / (if since(fill) > 150m then 0 else 1)",
      "(if mid / (if mid > 400 then 0 else 1) > 100 then 1 else 2) * mid > 5"
    ]) {
      const { found } = evaluated(text, { own: trading })
      assert.deepStrictEqual([found.isCold, found.dividesByZero.size], [false, 0], text)
    }
  })

  it.each([
    ["mid > (if mid > 260 then 270 else 240)", 240],
    ["mid > 1 * (if mid < 260 then 245 else 300)", 245],
    ["mid > -(if mid < 400 then -245 else -300)", 245],
    ["exposure < 1% * (if mid < 1100 then 50 else 100)", 1_000]
  ])("note for %s a price between the present one and %d, where its answer changes", (text, at) => {
    const { found } = evaluated(text, { own: idle, budget: { base: 100_000_000n, quote: 1_000_000_000n }, position: 0 })
    const between = found.crossings.filter(
      ({ price }) => Math.abs(price - 250) + Math.abs(price - at) < Math.abs(250 - at) + 1
    )
    assert.isNotEmpty(between)
    assert.isTrue(between.every(({ price }) => Math.abs(price - 250) > 1))
  })

  it("know when a comparison of times changes whose other side has a question of time", () => {
    const { found } = evaluated("since(placement) > (if since(fill) > 170m then 5h else 1h)", { own: trading })
    assert.include(found.times, now + hour / 2)
    assert.include(found.times, now + (5 * hour) / 6)
  })

  it("are cold until their history is long enough, and say how long", () => {
    const text = "ema(close, 20) > sma(rsi(close, 4), 5) * 1 * close / close"
    assert.include(JSON.stringify(compiled(text).problems), "fit together")
    const good = "ema(close, 20) > 5 and sma(rsi(close, 4), 5) > 5"
    const { scope } = compiled(good)
    const needed = scope.needs.candles.get("1h") ?? 0
    assert.strictEqual(needed, 61)
    assert.isTrue(evaluated(good, { closed: needed - 2 }).found.isCold)
    assert.isFalse(evaluated(good, { closed: needed }).found.isCold)
    assert.isTrue(evaluated("crossover(close, sma(close, 5))", { closed: 5 }).found.isCold)
    assert.isFalse(evaluated("crossover(close, sma(close, 5))", { closed: 6 }).found.isCold)
  })

  it.each([
    ["close <", "8: expected a number, a name or a bracket, found its end"],
    ["(close > 1", "11: expected an operator, a closing bracket or the end, found its end"],
    ["close > 1 x", '9: unknown unit "x"'],
    ["close > mid x", "13: expected an operator"],
    ["close = 1", "7: expected an operator"],
    ["1 < close < 2", "11: expected an operator"],
    ["close > 1 && mid > 2", "11: expected an operator"],
    ["clsoe > 1", '1: unknown name "clsoe"'],
    ["rsl(close, 14) < 30", '1: unknown function "rsl"'],
    ["rsi(close) < 30", "1: rsi takes 2 arguments, found 1"],
    ["rsi < 30", "1: rsi needs arguments"],
    ["rsi(14, 5) < 30", "5: expected a series of candles"],
    ["rsi(close, close) < 30", "12: expected a whole number"],
    ["sma(close, 0) > 1", "12: expected a whole number from 1 to 5000"],
    ["sma(close, 2.5) > 1", "12: expected a whole number"],
    ["sma(close, 9999) > 1", "12: expected a whole number"],
    ["sma(mid, 5) > 1", "5: expected a series of candles"],
    ["close(7) > 1", "1: close takes a timeframe"],
    ["close(4x) > 1", "1: close takes a timeframe"],
    ["atr(14, 3) > 1", "9: expected a timeframe such as 4h"],
    ["close + 5% > 1", "1: these do not fit together: a price + a ratio"],
    ["close * close > 1", "1: these do not fit together: a price * a price"],
    ["rsi(close, 14) > close", "1: these do not fit together: a number > a price"],
    ["close > 5 USDC", "1: these do not fit together: a price > an amount of USDC"],
    ["volume > 5 USDC", "1: these do not fit together: an amount of BTC > an amount of USDC"],
    ["close > 5 DOGE", '9: unknown unit "DOGE"'],
    ["close and mid > 1", "1: and joins conditions, found a price"],
    ["mid > 1 or 5", "12: or joins conditions, found a number"],
    ["not close", "5: expected a condition, found a price"],
    ["-(mid > 1)", "3: expected a number, found a condition"],
    ["(mid > 1) > 2", "2: these do not fit together"],
    ["mid * mid / mid > 1", "1: these do not fit together"],
    ["1 / (mid / close - 1) > 1", "1: in a condition, it is unknown where this turns as mid moves"],
    ["max(mid, close) > 1", "1: in a condition, it is unknown where this turns as mid moves"],
    ["since(mid) > 1h", "1: since takes fill or placement"],
    ["since(fill, fill) > 1h", "1: since takes fill or placement"],
    ["since(start) > 1h", "1: since takes fill or placement, such as"],
    ["depth(mid) < 1%", "1: depth takes an amount of base, written out"],
    ["depth(100 USDC) < 1%", "1: depth takes an amount of base, written out"],
    ["depth(1 BTC) < mid", "1: these do not fit together: a ratio < a price"],
    ["fill > 1", '1: unknown name "fill"'],
    ["1h / since(fill) > 1", "1: in a condition, it is unknown where this turns as since moves"],
    ["since(fill) / 1h * (mid / close) > 1", "1: in a condition, it is unknown where this turns as since moves"],
    ["since(fill) / 1h * 1% > mid / close", "1: in a condition, it is unknown where this turns as since moves"],
    ["averageEntry > 5 USDC", "1: these do not fit together: a price > an amount of USDC"],
    ["freeQuote > freeBase", "1: these do not fit together: an amount of USDC > an amount of BTC"],
    ["avgEntry > 1", '1: unknown name "avgEntry"'],
    ["bid > 1", "1: bid is allowed only in a price"],
    ["max(close, 5%) > 1", "12: expected a price, found a ratio"],
    ["clamp(close, 1, 5%) > 1", "17: expected a price, found a ratio"],
    ["crossover(mid, close)", "11: expected a series of candles"],
    ["crossover(close, max(mid, open))", "18: in a condition, it is unknown where this turns as mid moves"],
    ["__proto__ > 1", "1: expected a number, a name or a bracket"],
    ["constructor > 1", '1: unknown name "constructor"'],
    ["toString(close) > 1", '1: unknown function "toString"'],
    [`${"(".repeat(60)}1${")".repeat(60)} > 1`, "41: nesting deeper than 40 levels"],
    [`${"1 + ".repeat(250)}1 > 1`, "1: the expression has more than 200 operators"],
    [`mid > 1${" ".repeat(2_000)}`, "1: the expression is longer than 2000 characters"]
  ])("like %s are wrong at %s", (text, expected) => {
    const said = compiled(text).problems.map(({ column, message }) => `${column}: ${message}`)
    assert.isTrue(said.length === 1 && said[0]?.startsWith(expected), said.join("\n"))
  })

  it.each([
    ["openOrders * 2", 6, "number"],
    ["averageEntry * 2", 481, "price"],
    ["freeBase + 1 BTC", 1.5, "amount of BTC"],
    ["freeQuote / 1 USDC", 1234.5, "number"],
    ["realisedProfit", -2.5, "amount of USDC"],
    ["last - mid", 5, "price"],
    ["since(fill) / 1m", 120, "number"],
    ["since(placement)", hour / 2, "duration"],
    ["since(fill) > 90m and realisedProfit < 0 USDC", 1, "boolean"]
  ])("see their own trading: %s is %s", (text, value, type) => {
    const found = evaluated(text, { own: trading })
    assert.deepStrictEqual(found.problems, [])
    assert.closeTo(found.value ?? Number.NaN, value, 1e-9)
    assert.strictEqual(found.type, type)
  })

  it.each([
    ["since(fill) > 3h", hour],
    ["3h <= since(fill)", hour],
    ["since(fill) / 1h * 2 + 1 > 9", 2 * hour],
    ["since(fill) - since(placement) > 1h", undefined],
    ["since(fill) > 1h", undefined]
  ])("know when %s changes", (text, later) => {
    const { found } = evaluated(text, { own: trading })
    const expected = later === undefined ? [] : [-1, 0, 1, 2].map((near) => now + later + near)
    assert.deepStrictEqual(found.times, expected)
    assert.deepStrictEqual(found.crossings, [])
  })

  it("are false for undefined values, and infinite since events that have not happened", () => {
    for (const text of ["mid > averageEntry", "mid <= averageEntry * 2", "averageEntry != 5"]) {
      const { value, found } = evaluated(text, { own: idle })
      assert.deepStrictEqual([value, found.isCold], [0, false], text)
    }
    assert.strictEqual(evaluated("since(fill) > 9999d", { own: idle }).value, 1)
    assert.strictEqual(evaluated("last == mid", { own: idle }).value, 1)
  })

  it("know the cost of an order at a quoted size, and name sizes without a quote", () => {
    const depth = [{ quantity: 100_000_000n, bid: price("99"), ask: price("101"), at: 0 }]
    assert.strictEqual(evaluated("depth(1 BTC)", { depth }).value, 0.01)
    assert.strictEqual(evaluated("depth(0.5 BTC) < 2%", { depth }).value, 1)
    assert.deepStrictEqual([...evaluated("depth(2 BTC) < 2%", { depth }).found.lacking], ["depth(2 BTC)"])
    assert.deepStrictEqual(
      [...compiled("depth(2 BTC) < 1% or depth(0.1) < 1%").scope.needs.depth],
      [200_000_000n, 10_000_000n]
    )
    assert.strictEqual(
      evaluated("depth(9 BTC)", { depth: bottomless({ bid: price("60000"), ask: price("60000"), at: 0 }) }).value,
      0
    )
  })

  it("say what a view lacks", () => {
    const { found } = evaluated("openOrders < 3 and since(fill) > 1h")
    assert.deepStrictEqual([...found.lacking], ["openOrders", "since(fill)"])
  })

  it("return a problem instead of an exception, for any text", () => {
    const parts = [
      "close",
      "mid",
      "rsi(",
      "(",
      ")",
      ",",
      "14",
      "0.5%",
      " and ",
      " or ",
      "not ",
      "<",
      ">=",
      "+",
      "-",
      "*",
      "/",
      "6h",
      " ",
      "é",
      "\u0000",
      "1e9",
      "."
    ] as const
    for (let seed = 1; seed <= 600; seed++) {
      const next = random(seed)
      const text = Array.from({ length: integerBetween(next, 1, 25) }, () => pick(next, parts)).join("")
      const { problems, term } = compiled(text)
      assert.isTrue(term !== undefined || problems.length > 0, text)
    }
  })

  it("accept the deepest and longest allowed text", () => {
    assert.isTrue(Result.isSuccess(parse(`${"(".repeat(40)}1${")".repeat(40)}`)))
    assert.isTrue(Result.isSuccess(parse(`${"1 + ".repeat(200)}1`)))
    assert.isTrue(Result.isSuccess(parse(`${"(a or ".repeat(40)}a${")".repeat(40)}`)))
  })
})

describe("expressions that look back, and choose", () => {
  // 200 candles have closed: the last close is 299, every close one above the one before.
  const examples: ReadonlyArray<readonly [text: string, value: number, type: string]> = [
    ["close[1]", 298, "price"],
    ["sma(close, 3)[2]", 296, "price"],
    ["(close - open)[5]", 1, "price"],
    ["if close > open then 2 else 3", 2, "number"],
    ["if hour >= 12 then close else open", 298, "price"],
    ["count(close > open, 10)", 10, "number"],
    ["count(close > 290, 20)", 9, "number"],
    ["barssince(close < 290, 50)", 10, "number"],
    ["barssince(crossover(close, 280), 50)", 18, "number"],
    ["valuewhen(crossover(close, 280), high, 50)", 283, "price"],
    ["count(not (close > 290) and open > 280, 50)", 9, "number"],
    ["close / close[1]", 299 / 298, "ratio"],
    ["adx(5)", 100, "number"],
    ["diPlus(5)", 25, "number"],
    ["diMinus(5)", 0, "number"],
    ["keltnerUpper(5, 2) - keltnerLower(5, 2)", 16, "price"],
    ["position * close", 0.5 * 299, "amount of USDC"],
    ["freeQuote / 100", 12.345, "amount of USDC"]
  ]
  it.each(examples)("%s", (text, value, type) => {
    const found = evaluated(text, { own: trading })
    assert.deepStrictEqual(found.problems, [])
    assert.closeTo(found.value ?? Number.NaN, value, 1e-6)
    assert.strictEqual(found.type, type)
  })

  it("say where they do not fit", () => {
    const problem = (text: string) => evaluated(text).problems.map(({ column, message }) => `${column} ${message}`)
    assert.deepStrictEqual(problem("mid[1]"), ["1 only a series of candles has a past"])
    assert.deepStrictEqual(problem("if close then 1 else 2"), ["4 expected a condition, found a price"])
    assert.deepStrictEqual(problem("count(mid > 5, 3)"), [
      "7 expected a condition on candles of one timeframe, such as close > open"
    ])
    assert.strictEqual(problem("(if mid > 5 then mid else close) > 3").length, 1)
    assert.deepStrictEqual(problem("(if mid > 5 then open else close) > 3"), [])
    assert.deepStrictEqual(problem("close / close[1] > 101% and mid / close < 1.5"), [])
  })

  it("are cold until they can look back far enough", () => {
    for (const [text, needed] of [
      ["close[3] > 0", 4],
      ["count(close > open, 7) > 0", 7],
      ["barssince(sma(close, 3) > 5, 4) < 9", 6],
      ["supertrend(3, 2) < mid", 49]
    ] as const) {
      assert.isTrue(evaluated(text, { closed: needed - 1 }).found.isCold, text)
      assert.isFalse(evaluated(text, { closed: needed }).found.isCold, text)
    }
  })

  it("place the supertrend below a rising price and above a falling one", () => {
    assert.strictEqual(evaluated("supertrend(3, 2) < close").value, 1)
    assert.closeTo(evaluated("supertrend(3, 2)").value ?? 0, 299 - 8, 1e-6)
  })
})

describe("crossings", () => {
  const signals: Signals = new Map([["level", { value: 298.5, at: now - hour }]])

  it.each([
    ["crossover(close, averageEntry + 58)", 1],
    ["crossover(close, averageEntry + 59)", 0],
    ["crossunder(close, averageEntry + 58)", 0],
    ["crossover(close, last + 43.5)", 1],
    ['crossover(close, signal("level", 1d))', 1],
    ["crossunder(close, averageEntry + 58) or rsi(close, 14) > 70", 1]
  ])("compare the last two candles with the present level: %s is %s", (text, expected) => {
    const { value, found, problems } = evaluated(text, { own: trading, signals })
    assert.deepStrictEqual([value, found.isCold, found.lacking.size, problems], [expected, false, 0, []])
  })

  it("are false while their level does not exist, and lack a level that is not known", () => {
    const { value, found } = evaluated("crossover(close, averageEntry + 58)", { own: idle })
    assert.deepStrictEqual([value, found.isCold], [0, false])
    assert.deepStrictEqual([...evaluated("crossover(close, averageEntry)").found.lacking], ["averageEntry"])
    const without = evaluated('crossover(close, signal("level", 1d))', { signals: new Map() })
    assert.strictEqual(without.found.lacking.size, 1)
  })

  it("with a level that moves with the price turn at the price of either candle, and have a warning", () => {
    const { value, found, warnings } = evaluated("crossover(close, mid + 48.5)")
    assert.deepStrictEqual([value, found.isCold], [1, false])
    const prices = found.crossings.map(({ price }) => Math.round(price * 1e6) / 1e6)
    assert.deepStrictEqual(prices.toSorted(), [249.5, 250.5])
    assert.deepStrictEqual(
      warnings.map(({ column, message }) => `${column} ${message}`),
      ["18 mid + 48.5 may move with mid: both candles are compared with its value now"]
    )
    assert.deepStrictEqual(evaluated("crossover(close, averageEntry)", { own: trading }).warnings, [])
  })

  /** Answers after 12, 13 and 14 hours, with the candles that have closed by then. */
  const across = (text: string, hourly: ReadonlyArray<number>, fourHourly: ReadonlyArray<number>) => {
    const closing = (closes: ReadonlyArray<number>): CandleColumns => {
      const close = Float64Array.from(closes)
      return { open: close, high: close, low: close, close, volume: close, startMillis: 0 }
    }
    const [hours, fours] = [closing(hourly), closing(fourHourly)]
    return [12, 13, 14].map((closed) => {
      const candles = new Map([
        ["1h", { columns: hours, closed }],
        ["4h", { columns: fours, closed: Math.floor(closed / 4) }]
      ])
      const { value, found } = evaluated(text, { candles, own: trading })
      assert.isFalse(found.isCold)
      return value
    })
  }
  const flat = Array.from({ length: 14 }, () => 102)
  const risen = [...Array.from({ length: 12 }, () => 100), 102, 102]

  it.each([
    // The average falls below the price at the close of both.
    ["crossover(close, close(4h))", flat, [103, 103, 101], [1, 0, 0]],
    ["crossunder(close(4h), close)", flat, [103, 103, 101], [1, 0, 0]],
    ["crossover(close, close(4h) + averageEntry - averageEntry)", flat, [103, 103, 101], [1, 0, 0]],
    // The price rises above an average that has risen before.
    ["crossover(close, close(4h))", risen, [99, 99, 101], [0, 1, 0]],
    ["crossover(close, 101)", risen, [99, 99, 101], [0, 1, 0]]
  ])("read candles of two timeframes at one time: %s", (text, hourly, fourHourly, expected) => {
    assert.deepStrictEqual(across(text, hourly, fourHourly), expected)
  })
})
