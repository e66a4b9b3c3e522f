/** A backtest sees each signal from its time on, asks when one comes or grows too old, and finds what asking at every bar finds. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as CrossingIndex from "../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../src/candles/Generate.ts"
import * as TimeAxis from "../../../src/candles/TimeAxis.ts"
import { historyOf, type SignalHistory } from "../../../src/domain/Signal.ts"
import { noCosts } from "../../../src/lab/backtest/kernel/FillPresets.ts"
import type { BandSide } from "../../../src/lab/backtest/results/BandSide.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import * as StrategyFile from "../../../src/strategy/StrategyFile.ts"
import { isLong } from "../../long.ts"
import { runOneMarket } from "../../world/oneMarket.ts"
import { pick, random } from "./RandomStrategies.ts"

const assets = ["BTC", "USDC"].map((symbol) => ({ symbol, id: symbol, decimals: symbol === "BTC" ? 8 : 6 }))
const candles = Generate.generate({ ...Generate.defaults, bars: 6_000 })
const indices = CrossingIndex.buildIndices(candles)
const started = TimeAxis.openTime(candles.time, 0)
const minute = 60_000

const [first, ...others] = [
  'signal("a", 45m) > 0.5',
  'mid < mid * signal("b", 3h)',
  'signal("a", 10m) > signal("b", 2h) - 0.4'
] as const
const condition = (next: () => number): string => pick(next, first, ...others)
const strategyOf = (next: () => number): Strategy => {
  const text = `name: s
market: BTC/USDC
kind: rules
limits: { budget: { base: 1, quote: 100000 } }
rules:
  timeframe: 5m
  orders:
    buy:
      when: '${condition(next)}'
      side: buy
      price: mid * (1 - 0.05%)
      size: { quote: 200 }
      times: 40
      cancelWhen: '${condition(next)}'
      then: { price: entry * (1 + 0.3%), stop: entry * (1 - 1%), when: '${condition(next)}' }
`
  return Result.getOrThrow(StrategyFile.parse(text, "s.yaml", { assets, ticks: new Map() }))
}

/** The same by code of one's own: buys while one signal is up, and leaves when the other is. */
const ownOf = (next: () => number): Strategy => {
  const code = `export default {
  about: "follows signals",
  keys: {},
  signals: () => ({ a: ${pick(next, 600_000, 2_700_000)}, b: 10_800_000 }),
  decide: (view, _, memory) => {
    const [a, b] = [view.signal("a"), view.signal("b")]
    const bought = view.slot("one").done.legs % 2 === 1
    const price = (a?.value ?? 0) > 0.5 ? Math.floor(view.mid / 100) * 100 : 0
    const orders = price > 0 && (b?.value ?? 0) < 1
      ? [{ slot: "one", legs: [{ side: "buy", price, size: { unit: "quote", amount: 200 } }, { side: "sell", price: price * 1.003 }], cycle: true, why: "a is " + a.value }]
      : []
    return { orders, memory: bought, until: { below: Math.floor(view.mid / 100) * 100, above: Math.floor(view.mid / 100) * 100 + 100 } }
  }
}`
  const text = "name: s\nmarket: BTC/USDC\nkind: ./own.ts\nlimits: { budget: { base: 1, quote: 100000 } }\nown: {}\n"
  return Result.getOrThrow(
    StrategyFile.parse(StrategyFile.withCode(text, code), "s.yaml", { assets, ticks: new Map() })
  )
}

const sentBy = (next: () => number) =>
  ["a", "b"].flatMap((name) =>
    Array.from({ length: 120 }, () => ({
      name,
      value: pick(next, 0, 0.4, 0.8, 1.2),
      at: started + Math.floor(next() * candles.bars * minute)
    }))
  )

const run = (strategy: Strategy, signals: SignalHistory): BandSide =>
  runOneMarket(strategy, candles, indices, "optimistic", { costs: noCosts, changes: {}, signals })

const fillsOf = ({ outcome: { fills } }: BandSide, until = Number.POSITIVE_INFINITY) =>
  Array.from({ length: fills.count }, (_, fill) => [fills.bars[fill], fills.orders[fill]]).filter(
    ([bar]) => started + Number(bar) * minute < until
  )

describe("signals in a backtest", () => {
  it.each([
    ["expressions", strategyOf, isLong ? 40 : 10],
    ["a strategy in code", ownOf, isLong ? 10 : 1]
  ] as const)("fill as for a strategy that decides at every bar: %s", (_, made, seeds) => {
    let filled = 0
    for (let seed = 1; seed <= seeds; seed++) {
      const next = random(seed)
      const strategy = made(next)
      const signals = historyOf(sentBy(next))
      const { stands: _, ...asked } = strategy
      const always: Strategy = {
        ...asked,
        decide: (view, memory) => ({ ...strategy.decide(view, memory), until: { onFill: true, time: view.now + 1 } })
      }
      const [fast, slow] = [run(strategy, signals), run(always, signals)]
      assert.deepStrictEqual(fillsOf(fast), fillsOf(slow), `seed ${seed}`)
      assert.isBelow(fast.outcome.counts.decisions, slow.outcome.counts.decisions)
      filled += fast.fills
    }
    assert.isAbove(filled, 10 * seeds)
  })

  it("are not visible before their time", () => {
    for (let seed = 1; seed <= 3; seed++) {
      const next = random(seed)
      const strategy = strategyOf(next)
      const sent = sentBy(next)
      const cut = started + 2_000 * minute
      const known = historyOf(sent.filter(({ at }) => at < cut))
      assert.deepStrictEqual(
        fillsOf(run(strategy, historyOf(sent)), cut),
        fillsOf(run(strategy, known), cut),
        `${seed}`
      )
    }
  })
})
