/**
 * A strategy that tells at a glance that its last answer stands trades as one that is asked by the bounds of its answers, and both as
 * one that is asked at every close: rules and deals of all forms, over candles of several timeframes, which need not divide each other.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../../src/candles/Generate.ts"
import { conditionsOf } from "../../../../src/lab/backtest/Backtest.ts"
import type { Conditions } from "../../../../src/lab/backtest/kernel/Conditions.ts"
import type { FillRules } from "../../../../src/lab/backtest/kernel/FillRules.ts"
import * as Kernel from "../../../../src/lab/backtest/kernel/Kernel.ts"
import type { Outcome } from "../../../../src/lab/backtest/kernel/Outcome.ts"
import { render } from "../../../../src/strategy/Problem.ts"
import * as StrategyFile from "../../../../src/strategy/StrategyFile.ts"
import { isLong } from "../../../long.ts"
import { anyRules, immediateRules, pick, random } from "../RandomStrategies.ts"

const assets = ["BTC", "USDC"].map((symbol) => ({ symbol, id: symbol, decimals: symbol === "BTC" ? 8 : 6 }))

type Next = () => number

const conditions = [
  "rsi(close, 5) < 45",
  "mid < sma(close, 8) * (1 - 0.1%)",
  "crossover(close, sma(close, 6))",
  "crossover(close, sma(close(15m), 3))",
  "crossunder(close, last * (1 - 0.1%))",
  "mid > ema(close(15m), 4)",
  "close > open or mid < low(15m)",
  "not (mid < close[2])",
  "position < 0.05 BTC",
  "openOrders < 2",
  "mid / (close - open) > 0",
  "atr(5) > 0",
  "minute < 25 or minute >= 50",
  "since(fill) > 20m",
  "hour > 3"
]
const oneOf = (next: Next): string => conditions[Math.floor(next() * conditions.length)] ?? ""
const condition = (next: Next): string => {
  const one = oneOf(next)
  return next() < 0.5 ? one : `(${one}) ${pick(next, "and", "or")} (${oneOf(next)})`
}
const maybe = (next: Next, share: number, text: () => string): string => (next() < share ? text() : "")

const ruleText = (next: Next, name: string): string => {
  const side = pick(next, "buy", "sell")
  const better = side === "buy" ? "-" : "+"
  const exit = () => `
      then:
        price: entry * (1 ${side === "buy" ? "+" : "-"} ${pick(next, "0.2%", "0.6%")})
${maybe(next, 0.4, () => `        stop: entry * (1 ${better} ${pick(next, "0.3%", "1%")})\n`)}${maybe(next, 0.2, () => "        trail: 0.5%\n")}${maybe(
  next,
  0.2,
  () => `        when: ${condition(next)}\n`
)}${maybe(next, 0.3, () => `        after: ${pick(next, "20m", "3h")}\n`)}`
  return `
    ${name}:
      when: ${condition(next)}
      side: ${side}
      price: mid * (1 ${better} ${pick(next, "0.05%", "0.2%", "-0.1%")})
      size: { quote: ${pick(next, 100, 250)} }
      times: ${pick(next, 3, 20)}
${maybe(next, 0.5, () => `      cancelWhen: ${condition(next)}\n`)}${maybe(next, 0.5, () => `      expireAfter: ${pick(next, "15m", "2h")}\n`)}${maybe(
  next,
  0.5,
  () => `      pause: ${pick(next, "7m", "1h")}\n`
)}${maybe(next, 0.5, exit)}`
}

const fileOf = (next: Next): string => `name: rules
market: BTC/USDC
kind: rules
limits: { budget: { base: 0.5, quote: 20000 } }
rules:
  timeframe: ${pick(next, "1m", "5m", "10m", "15m")}
  orders:${Array.from({ length: 1 + Math.floor(next() * 3) }, (_, index) => ruleText(next, `rule-${index}`)).join("")}`

const dealsOf = (next: Next): string => `name: deals
market: BTC/USDC
kind: deals
limits: { budget: { base: 0.5, quote: 20000 } }
deals:
  size: { quote: 100 }
  reach: ${pick(next, "0.1%", "0.3%")}
${maybe(next, 0.8, () => `  when: ${condition(next)}\n`)}  timeframe: ${pick(next, "5m", "10m")}
  safety: { orders: 3, size: { quote: 100 }, distance: ${pick(next, "0.2%", "{ of: atr, length: 5, timeframe: 5m, factor: 2, min: 0.1%, max: 1% }")} }
  takeProfit: ${pick(next, "0.2%", "0.5%")}
${maybe(next, 0.4, () => "  trail: 0.2%\n")}${maybe(next, 0.5, () => `  stop: ${pick(next, "0.6%", "2%")}\n`)}${maybe(next, 0.5, () => "  expireAfter: 7m\n")}  cooldown: ${pick(next, "3m", "30m")}
`

const quotesOf = (next: Next): string => `name: quotes
market: BTC/USDC
kind: market-making
limits: { budget: { base: 0.5, quote: 20000 } }
market-making: { levels: 3, size: 0.01, maxInventory: 0.03, spread: ${pick(next, "0.2%", "0.4%")}, step: 0.1%, requote: 0.2%, sizeSkew: ${pick(next, "40%", "80%")} }
`

/** Rows of orders have other numbers where an order was given up and its row used again. */
const traded = ({ counts, fills, table, ...rest }: Outcome) => {
  const { decisions: _, ...orders } = counts
  const fillAt = (index: number) => {
    const { input, output, price, side, slot } = table.rows[fills.orders[index] ?? -1] ?? assert.fail()
    return { bar: fills.bars[index], input, output, price, side, slot }
  }
  return {
    orders,
    fills: Array.from({ length: fills.count }, (__, index) => fillAt(index)),
    base: rest.base,
    quote: rest.quote,
    openOrders: rest.openOrders,
    maxDrawdown: rest.maxDrawdown
  }
}

const seedsOf = (count: number): number => Number(process.env["LIMITBOT_SEEDS"] ?? (isLong ? 60 : count))

/** Whatever its answers say of how long they hold. */
const atEveryClose = (conditions: Conditions): Conditions => ({
  ...conditions,
  decide: (view, memory) => {
    const decision = conditions.decide(view, memory)
    return { ...decision, until: { onFill: decision.until.onFill, barClose: "1m" } }
  }
})

/** Says how often those were asked who are asked at every close and by bounds; and of files with a glance, beyond it and less for it. */
const campaign = (fileIn: (next: Next) => string, rulesOf: (next: Next) => FillRules, seeds: number) => {
  let [fills, always, bounded, spared, asked] = [0, 0, 0, 0, 0]
  const wrong: Array<string> = []
  for (let seed = 1; seed <= seeds; seed++) {
    const next = random(seed)
    const text = fileIn(next)
    const read = StrategyFile.parse(text, "file.yaml", { assets, ticks: new Map() })
    // Some contradict themselves, which is a mistake in a file.
    if (Result.isFailure(read)) {
      wrong.push(...read.failure.map((problem) => render(problem, text)))
      continue
    }
    const candles = Generate.generate({ ...Generate.defaults, bars: 1_500, seed })
    const glancing = conditionsOf(read.success, candles, rulesOf(next))
    const { stands: _, ...asking } = glancing
    const indices = CrossingIndex.buildIndices(candles)
    const run = (each: Conditions) => Kernel.simulate(each, candles, indices)
    const [quick, slow, slowest] = [run(glancing), run(asking), run(atEveryClose(asking))]
    assert.deepStrictEqual(traded(quick), traded(slow), `seed ${seed}\n${text}`)
    assert.deepStrictEqual(traded(slow), traded(slowest), `asked at every close, seed ${seed}\n${text}`)
    fills += quick.fills.count
    always += slowest.counts.decisions
    bounded += slow.counts.decisions
    // A file that looks at the clock has no glance.
    if (glancing.stands !== undefined) spared += slow.counts.decisions - quick.counts.decisions
    if (glancing.stands !== undefined) asked += quick.counts.decisions
  }
  assert.isBelow(wrong.length, seeds / 4, wrong.join("\n"))
  assert.isAbove(fills, 2 * seeds)
  return { always, bounded, spared, asked }
}

describe("rules that decide within the bounds of their answers, and at every close", () => {
  const isSpared = (rulesOf: (next: Next) => FillRules): void => {
    const { always, asked, bounded, spared } = campaign(fileOf, rulesOf, seedsOf(10))
    // By bounds alone a rule is asked less than at every candle that its file names: a glance spares more than a third of that.
    assert.isAbove(spared, asked / 2)
    assert.isAbove(always, bounded)
  }
  it("trade alike: whole orders", () => isSpared(immediateRules), 600_000)
  it("trade alike: parts, better prices, waiting times", () => isSpared(anyRules), 600_000)
})

describe("quotes whose sizes follow the inventory", () => {
  // What moving an order costs is judged when the strategy is asked: without a fee it is nothing.
  const rulesOf = (next: Next) => ({ ...anyRules(next), refundFee: { base: 0n, quote: 0n } })
  it("trade alike within the bounds of their answers and at every close", () => {
    const { always, bounded } = campaign(quotesOf, rulesOf, seedsOf(4))
    assert.isAbove(always, bounded)
  })
})

describe("deals that decide within the bounds of their answers, and at every close", () => {
  it("trade as those that decide at every close, and no candle makes them decide during a deal", () => {
    const { always, bounded } = campaign(dealsOf, anyRules, seedsOf(6))
    assert.isAbove(always, 3 * bounded)
  })
})
