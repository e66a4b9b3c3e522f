/**
 * What code of one's own costs: a year of buying dips by rules, and by code that says the same, fill by fill; and the examples of
 * `strategies/code` in their machine, beside the same code in Node itself.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Candles } from "../src/candles/Candles.ts"
import * as CrossingIndex from "../src/candles/CrossingIndex.ts"
import * as Decimal from "../src/domain/Decimal.ts"
import { mid } from "../src/domain/Market.ts"
import { historyOf } from "../src/domain/Signal.ts"
import { noCosts } from "../src/lab/backtest/kernel/FillPresets.ts"
import { decisionOf } from "../src/strategy/own/OwnAnswer.ts"
import { indicatorOf } from "../src/strategy/own/OwnKind.ts"
import type { Own, OwnCandles, OwnKeys, OwnSettings } from "../src/strategy/own/OwnStrategy.ts"
import type { Decide, Strategy } from "../src/strategy/Strategy.ts"
import * as StrategyFile from "../src/strategy/StrategyFile.ts"
import type { ClosedCandles } from "../src/strategy/View.ts"
import hours from "../strategies/code/hours.ts"
import rsiLadder from "../strategies/code/rsi-ladder.ts"
import supertrend from "../strategies/code/supertrend.ts"
import trend from "../strategies/code/trend.ts"
import { strategyOf } from "../test/world/kinds.ts"
import * as ladder from "../test/world/ladder.ts"
import { runOneMarket } from "../test/world/oneMarket.ts"
import { identity, oneSide } from "./kinds.ts"
import { compare, costs, type Way } from "./measure.ts"
import type { Bench } from "./sections.ts"

const head = "market: BTC/USDC\nlimits: { budget: { quote: 100000 } }\n"

const ruled = `${head}kind: rules
rules:
  timeframe: 1h
  orders:
    dip:
      when: close < sma(close, 20) * 0.99
      side: buy
      price: mid * (1 - 0.1%)
      size: { quote: 200 }
      times: 1000
      then: { price: entry * (1 + 1%) }`

const code = `const keys = { size: { is: "size" } }
export default {
  about: "buys dips",
  keys,
  candles: () => ({ "1h": 20 }),
  decide: (view, { size }, memory) => {
    const before = memory === null ? { price: 0, legs: 0 } : memory
    const done = view.slot("dip").done.legs
    const candles = view.candles("1h")
    const until = { candle: "1h", fill: true }
    let [price, legs] = [before.price, before.legs]
    if (price === 0 || done >= legs + 2) {
      legs = done
      let sum = 0
      for (let back = 0; back < 20; back++) sum += candles.close(back)
      const isDip = candles.count >= 20 && candles.close(0) < (sum / 20) * 0.99
      price = isDip ? view.mid * (1 - 0.001) : 0
      if (price === 0) return { orders: [], memory: { price, legs }, until }
    }
    const pair = [{ side: "buy", price, size }, { side: "sell", price: price * 1.01 }]
    return { orders: [{ slot: "dip", legs: pair, after: { legs, filled: "0" }, why: "a dip" }], memory: { price, legs }, until }
  }
}`

const hourMillis = 3_600_000

/** Decides by the same code in Node itself, whose answers are read in the same way. */
const inNode =
  <K extends OwnKeys>(code: Own<K>, settings: OwnSettings<K>, strategy: Strategy): Decide =>
  (view, memory) => {
    const { market, price, signals } = view
    const timeframes = new Map(Object.entries(code.candles?.(settings) ?? {}))
    const [age] = Object.values(code.signals?.(settings) ?? {})
    const last = age === undefined ? undefined : signals?.get("trend")
    const signal = last !== undefined && view.now < last.at + (age ?? 0) ? last : undefined
    const [bid, ask, middle] = [price.bid, price.ask, mid(price)].map(Decimal.toNumber)
    const prices = { now: view.now, bid: bid ?? 0, ask: ask ?? 0, mid: middle ?? 0 }
    const names = { name: market.name, base: market.base.symbol, quote: market.quote.symbol }
    const candles = (timeframe: string) => candlesOf(view.candles?.get(timeframe))
    const questions = { market: names, position: none, slot: none, candles, signal: () => signal }
    const answer = code.decide({ ...prices, ...questions }, settings, memory)
    const decision = decisionOf(answer, { market, source: strategy.name, timeframes })
    if (age === undefined) return decision
    const ends = signal === undefined ? {} : { time: Math.min(decision.until.time ?? Infinity, signal.at + age) }
    return { ...decision, until: { ...decision.until, ...ends, signals: true } }
  }

const none = (): never => {
  throw new Error("no example asks for this")
}

const candlesOf = (candles: ClosedCandles | undefined): OwnCandles => {
  if (candles === undefined) return none()
  const { closed, columns } = candles
  const column = (values: Float64Array) => (back: number) => values[closed - 1 - back] ?? Number.NaN
  const indicator =
    (name: string) =>
    (length: number, back = 0) =>
      indicatorOf(candles, name, length, back)
  const { close, high, low, open, volume } = columns
  return {
    count: closed,
    ...{ open: column(open), high: column(high), low: column(low), close: column(close), volume: column(volume) },
    ...{ sma: indicator("sma"), ema: indicator("ema"), rsi: indicator("rsi"), atr: indicator("atr") }
  }
}

const folder = join(import.meta.dirname, "../strategies/code")

const example = <K extends OwnKeys>(name: string, code: Own<K>, settings: OwnSettings<K>, year: Candles) => {
  const [body, text] = [`${name}.yaml`, `${name}.ts`].map((file) => readFileSync(join(folder, file), "utf8"))
  const strategy = strategyOf(StrategyFile.withCode((body ?? "").replace(/^name:.*$/m, ""), text ?? ""))
  const indices = CrossingIndex.linearIndices(year)
  const begin = year.time.runTimes[0] ?? 0
  const sent = Array.from({ length: year.bars / 60 }, (_, hour) => hour)
  const trends = sent.map((hour) => ({ name: "trend", at: begin + hour * hourMillis, value: hour % 3 === 0 ? 0 : 1 }))
  const options = { costs: noCosts, changes: {}, ...(strategy.signals && { signals: historyOf(trends) }) }
  const way = (where: string, decide: Decide): Way => ({
    name: where,
    run: () => identity(runOneMarket({ ...strategy, decide }, year, indices, "optimistic", options))
  })
  return [way(`${name} in Node`, inNode(code, settings, strategy)), way("in its machine", strategy.decide)] as const
}

export const own = async ({ show }: Bench): Promise<void> => {
  const year = ladder.years(1)
  const section = `${head}kind: ./dips.ts\ndips: { size: { quote: 200 } }\n`
  const [rules, mine] = [oneSide("rules", ruled, year), oneSide("own code", StrategyFile.withCode(section, code), year)]
  show(await costs("one side, 1 year", rules, mine, { samples: 5, warmUps: 2, budget: { atMost: 12, goal: 1.5 } }))
  const size = (unit: "base" | "quote", amount: number) => ({ unit, amount })
  const night = { from: 20, to: 6, spread: 0.015, requote: 0.002, size: size("base", 0.005) }
  const steps = { timeframe: "1h", length: 14, first: 35, apart: 5, steps: 4, size: size("quote", 240), profit: 0.015 }
  const band = { timeframe: "1h", length: 10, factor: 3, size: size("quote", 900), reach: 0.001 }
  const forecast = { above: 0.5, fresh: 2 * hourMillis, away: 0.005, size: size("quote", 200) }
  const examples = [
    example("hours", hours, night, year),
    example("rsi-ladder", rsiLadder, steps, year),
    example("supertrend", supertrend, band, year),
    example("trend", trend, forecast, year)
  ]
  for (const [inNode, inMachine] of examples)
    show(await compare("one side, 1 year", inNode, inMachine, { samples: 5, budget: { atMost: 5, goal: 1.5 } }))
}
