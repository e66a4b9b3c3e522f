import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Alignment from "../../../../src/candles/Alignment.ts"
import type { Candles } from "../../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import { type Market, mid } from "../../../../src/domain/Market.ts"
import type { Conditions } from "../../../../src/lab/backtest/kernel/Conditions.ts"
import type { FillRules } from "../../../../src/lab/backtest/kernel/FillRules.ts"
import * as Kernel from "../../../../src/lab/backtest/kernel/Kernel.ts"
import type { DesiredSlot } from "../../../../src/strategy/Decision.ts"
import type { Decide, Limits } from "../../../../src/strategy/Strategy.ts"
import { priceIn } from "../../../../src/strategy/View.ts"
import { naiveSeveral } from "../NaiveKernel.ts"
import {
  anyRules,
  immediateRules,
  market,
  pick,
  price,
  random,
  randomCandles,
  randomConditions,
  randomLegs,
  randomLimits
} from "../RandomStrategies.ts"

const others: ReadonlyArray<Market> = [
  { ...market, name: "OTHER/QUOTE", base: { symbol: "OTHER", id: "other", decimals: 9 } },
  { ...market, name: "THIRD/QUOTE", base: { symbol: "THIRD", id: "third", decimals: 8 } }
]

/** Slots in every market, which change with any of the prices, by progress, and as time goes by. */
const randomDecide = (seed: number, markets: ReadonlyArray<Market>): Decide => {
  const shape = random(seed)
  const slotCount = pick(shape, 2, 5, 12)
  const onFill = shape() < 0.5
  const steps = markets.map(() => pick(shape, 0, 0.5, 1, 3))
  const everyMillis = pick(shape, 0, 0, 700_000)
  return (view) => {
    const prices = markets.map(({ name }) => {
      const found = priceIn(view, name)
      return found === undefined ? Number.NaN : Decimal.toNumber(mid(found))
    })
    const regimes = prices.map((now, index) => (steps[index] === 0 ? 0 : Math.floor(now / (steps[index] ?? 1))))
    const filled = [...view.slots.values()].reduce((sum, { completedLegs }) => sum + (completedLegs % 3), 0)
    const next = random(regimes.reduce((sum, regime) => sum * 31 + regime, seed) + (onFill ? filled : 0))
    const desired: Array<DesiredSlot> = []
    for (let index = 0; index < slotCount; index++) {
      const at = index % markets.length
      const of = markets[at]
      const legs = randomLegs(next, steps[at] === 0 ? 100 : (prices[at] ?? 0))
      const slot = { slot: `slot-${index}`, legs, cycle: next() < 0.7, why: { code: "random", text: "" } }
      if (next() < 0.9) desired.push(at === 0 || of === undefined ? slot : { ...slot, market: of })
    }
    const bounds = prices.map((now, index) => {
      const step = steps[index] ?? 0
      return step === 0 ? {} : { priceBelow: price(now - step * 0.7, 3), priceAbove: price(now + step * 0.6, 3) }
    })
    const elsewhere = markets.slice(1).map(({ name }, index) => ({ market: name, ...bounds[index + 1] }))
    const time = everyMillis === 0 ? {} : { time: view.now + everyMillis }
    return { desired, absent: [], memory: null, reasons: [], until: { onFill, ...bounds[0], elsewhere, ...time } }
  }
}

/** Each with gaps of its own, all over about the same time. */
const randomSeries = (next: () => number, markets: ReadonlyArray<Market>): ReadonlyArray<Candles> => {
  const bars = 40 + Math.floor(next() * 150)
  const aligned = Alignment.align(
    markets.map(({ name }) => ({ market: name, candles: randomCandles(next, bars + Math.floor(next() * 10)) }))
  )
  return Result.getOrThrow(aligned).candles
}

type Made = Omit<Kernel.InMarket, "indices">

type Limiting = (next: () => number, conditions: Conditions) => Limits | undefined

const made = (
  seed: number,
  rulesOf: (next: () => number) => FillRules,
  limitsOf: Limiting
): readonly [Made, ...ReadonlyArray<Made>] => {
  const next = random(seed)
  const rules = rulesOf(next)
  const markets = [market, ...others.slice(0, pick(next, 1, 2))]
  const series = randomSeries(next, markets)
  const common = randomConditions(seed, rules)
  const decide = randomDecide(seed, markets)
  const limits = limitsOf(next, common)
  const [first, ...rest] = series.map((candles, index): Made => {
    const budget = index === 0 ? common.budget : { base: common.budget.base, quote: 0n }
    return {
      candles,
      conditions: { ...common, market: markets[index] ?? market, decide, budget, ...(limits && { limits }) }
    }
  })
  return first === undefined ? assert.fail() : [first, ...rest]
}

const indexed = ({ conditions, candles }: Made, build: typeof CrossingIndex.linearIndices): Kernel.InMarket => ({
  conditions,
  candles,
  indices: build(candles)
})

/** Fills of each market in their order, and all the money. */
const readable = (ran: Kernel.AllRan) => ({
  fills: ran.flatMap(({ conditions, outcome: { fills, table, slotNames } }) =>
    Array.from({ length: fills.count }, (_, index) => {
      const row = table.rows[fills.orders[index] ?? -1]
      return {
        market: conditions.market.name,
        bar: fills.bars[index],
        slot: slotNames[row?.slot ?? -1],
        side: row?.side,
        price: row === undefined ? "" : Decimal.format(row.price),
        input: row?.input,
        output: row?.output
      }
    })
  ),
  bases: ran.map(({ conditions, outcome: { base, fees } }) => ({ market: conditions.market.name, base, fees })),
  quote: ran.reduce((sum, { outcome }) => sum + outcome.quote, 0n),
  deniedBy: ran[0].outcome.deniedBy,
  stops: ran[0].outcome.stops.map(({ from, until, limit }) => ({
    from,
    ...(until === undefined ? {} : { until }),
    limit
  })),
  openOrders: ran.reduce((sum, { outcome }) => sum + outcome.openOrders, 0),
  counts: ran.reduce(
    (sum, { outcome: { counts } }) => ({
      placed: sum.placed + counts.placed,
      cancelled: sum.cancelled + counts.cancelled,
      deniedFunds: sum.deniedFunds + counts.deniedFunds,
      deniedMinimum: sum.deniedMinimum + counts.deniedMinimum,
      decisions: sum.decisions + counts.decisions
    }),
    { placed: 0, cancelled: 0, deniedFunds: 0, deniedMinimum: 0, decisions: 0 }
  )
})

const campaign = (seeds: number, rulesOf: (next: () => number) => FillRules, limitsOf: Limiting = () => undefined) => {
  let [fills, inOthers, denied] = [0, 0, 0]
  for (let seed = 1; seed <= seeds; seed++) {
    const [first, ...rest] = made(seed, rulesOf, limitsOf)
    const { drawdown, fills: expected, ...money } = naiveSeveral([first, ...rest])
    const byMarket = [first, ...rest].flatMap(({ conditions }) =>
      expected.filter((fill) => fill.market === conditions.market.name)
    )
    for (const build of [CrossingIndex.linearIndices, CrossingIndex.buildIndices]) {
      const ran = Kernel.simulateAll([indexed(first, build), ...rest.map((each) => indexed(each, build))])
      assert.deepStrictEqual(readable(ran), { fills: byMarket, ...money }, `seed ${seed}`)
      assert.closeTo(ran[0].outcome.maxDrawdown, drawdown, 1e-9, `seed ${seed}: drawdown`)
    }
    fills += expected.length
    inOthers += expected.filter((fill) => fill.market !== market.name).length
    denied += money.counts.deniedFunds
  }
  for (const [what, count] of Object.entries({ fills, inOthers, denied }))
    assert.isAbove(count, seeds, `the campaign exercised ${what}`)
}

const seeds = Number(process.env["LIMITBOT_SEEDS"] ?? 10)

describe("the kernel in several markets", () => {
  it("equals a simple loop over bars, markets and slots: whole orders", () => campaign(seeds, immediateRules), 600_000)

  it("equals a simple loop over bars, markets and slots: parts, better prices, waiting times", () =>
    campaign(seeds, anyRules))

  it("equals a simple loop over bars, markets and slots under a strategy's own limits", () =>
    campaign(seeds, anyRules, randomLimits))

  it("denies for lack of money as often as in one market: a waiting order is tried once per instant", () => {
    for (let seed = 1; seed <= 15; seed++) {
      const next = random(seed)
      const common = randomConditions(seed, (seed % 2 === 0 ? anyRules : immediateRules)(next))
      const candles = randomCandles(next, 300)
      const conditions = { ...common, ...(seed % 4 < 2 ? {} : { limits: randomLimits(next, common) }) }
      const indices = CrossingIndex.linearIndices(candles)
      const alone = Kernel.simulate(conditions, candles, indices)
      const idle = { ...conditions, market: others[0] ?? market, budget: { base: 0n, quote: 0n } }
      const [both] = Kernel.simulateAll([
        { conditions, candles, indices },
        { conditions: idle, candles, indices }
      ])
      const { table: _, ...found } = both.outcome
      const { table: __, ...expected } = alone
      assert.deepStrictEqual(found, expected, `seed ${seed}`)
    }
  })

  it("shows a strategy the open orders of all markets and the one wallet", () => {
    let [looks, spent] = [0, 0]
    for (let seed = 1; seed <= 8; seed++) {
      const [first, ...rest] = made(seed, immediateRules, () => undefined)
      const { decide, budget } = first.conditions
      const looking: Decide = (view, memory) => {
        const live = [...view.slots.values()].flatMap(({ live }) => (live === undefined ? [] : [live]))
        const { own } = view
        if (own === undefined) return assert.fail()
        assert.strictEqual(own.openOrders, live.length, `seed ${seed}`)
        assert.isTrue(own.freeQuote >= 0n && own.freeBase >= 0n, `seed ${seed}`)
        if (own.freeQuote < budget.quote) spent++
        looks++
        return decide(view, memory)
      }
      const build = CrossingIndex.linearIndices
      const asked = { ...first, conditions: { ...first.conditions, decide: looking } }
      Kernel.simulateAll([indexed(asked, build), ...rest.map((each) => indexed(each, build))])
    }
    assert.isAbove(looks, 500)
    assert.isAbove(spent, 200)
  })
})
