import { assert, describe, it } from "@effect/vitest"
import { type Candles, columnOf } from "../../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as TimeAxis from "../../../../src/candles/TimeAxis.ts"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import type { Conditions } from "../../../../src/lab/backtest/kernel/Conditions.ts"
import { touching } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import { type FillRules, isImmediate } from "../../../../src/lab/backtest/kernel/FillRules.ts"
import * as Kernel from "../../../../src/lab/backtest/kernel/Kernel.ts"
import type { Outcome } from "../../../../src/lab/backtest/kernel/Outcome.ts"
import type { Decide } from "../../../../src/strategy/Strategy.ts"
import { isLong } from "../../../long.ts"
import { naive } from "../NaiveKernel.ts"
import {
  anyRules,
  immediateRules,
  pick,
  random,
  randomCandles,
  randomConditions,
  randomLimits
} from "../RandomStrategies.ts"

const readable = ({ fills, table, slotNames }: Outcome) =>
  Array.from({ length: fills.count }, (_, index) => {
    const row = table.rows[fills.orders[index] ?? -1]
    return row === undefined
      ? undefined
      : {
          bar: fills.bars[index],
          slot: slotNames[row.slot],
          side: row.side,
          price: Decimal.format(row.price),
          input: row.input,
          output: row.output
        }
  })

const comparable = (outcome: Outcome) => ({
  fills: readable(outcome),
  base: outcome.base,
  quote: outcome.quote,
  fees: outcome.fees,
  counts: outcome.counts,
  openOrders: outcome.openOrders,
  deniedBy: outcome.deniedBy,
  stops: outcome.stops.map(({ from, until, limit }) => ({ from, ...(until === undefined ? {} : { until }), limit }))
})

const compare = (seed: number, conditions: Conditions, candles: Candles) => {
  const linear = Kernel.simulate(conditions, candles, CrossingIndex.linearIndices(candles))
  const indexed = Kernel.simulate(conditions, candles, CrossingIndex.buildIndices(candles))
  const { drawdown, ...expected } = naive(conditions, candles)
  assert.deepStrictEqual(comparable(linear), expected, `seed ${seed}: linear kernel against the plain loop`)
  assert.deepStrictEqual(comparable(indexed), comparable(linear), `seed ${seed}: index against linear`)
  assert.strictEqual(indexed.maxDrawdown, linear.maxDrawdown, `seed ${seed}: drawdown with index`)
  assert.closeTo(linear.maxDrawdown, drawdown, 1e-9, `seed ${seed}: drawdown`)
  return expected
}

/** At 100, but for bars that go down to 97; volume ends before the candles do. */
const flatCandles = (shape: { dips: ReadonlyArray<number>; bars: number; barsWithVolume: number }): Candles => {
  const column = (valueAt: (bar: number) => number) =>
    columnOf(Array.from({ length: shape.bars }, (_, bar) => valueAt(bar)))
  return {
    bars: shape.bars,
    time: TimeAxis.regular(shape.bars, 1_600_000_020_000, 60_000),
    open: column(() => 100),
    high: column(() => 100),
    low: column((bar) => (shape.dips.includes(bar) ? 97 : 100)),
    close: column(() => 100),
    volume: column((bar) => (bar < shape.barsWithVolume ? 10 : 0)),
    priceScale: 2
  }
}

const campaign = (seeds: number, rulesOf: (next: () => number) => FillRules) => {
  const seen = { fills: 0, cancelled: 0, deniedFunds: 0, deniedMinimum: 0, decisions: 0 }
  for (let seed = 1; seed <= seeds; seed++) {
    const next = random(seed)
    const rules = rulesOf(next)
    const { fills, counts } = compare(
      seed,
      randomConditions(seed, rules),
      randomCandles(next, 50 + Math.floor(next() * 300))
    )
    seen.fills += fills.length
    seen.cancelled += counts.cancelled
    seen.deniedFunds += counts.deniedFunds
    seen.deniedMinimum += counts.deniedMinimum
    seen.decisions += counts.decisions
  }
  for (const [what, count] of Object.entries(seen)) assert.isAbove(count, seeds, `the campaign exercised ${what}`)
}

/** Ten hours later: the day ends within the candles. */
const later = (candles: Candles): Candles => {
  const opens = Float64Array.from({ length: candles.bars }, (_, bar) => TimeAxis.openTime(candles.time, bar))
  return { ...candles, time: TimeAxis.make(opens.map((time) => time + 36_000_000)) }
}

const compareLimited = (seed: number, rulesOf: (next: () => number) => FillRules, swaps: number) => {
  const next = random(seed)
  const conditions = randomConditions(seed, rulesOf(next), swaps)
  const candles = randomCandles(next, 50 + Math.floor(next() * 300))
  const limited = { ...conditions, limits: randomLimits(next, conditions) }
  return compare(seed, limited, seed % 2 === 0 ? later(candles) : candles)
}

const campaignOfLimits = (seeds: number, rulesOf: (next: () => number) => FillRules, swaps = 0) => {
  const seen = new Map<string, number>()
  const see = (what: string, count = 1) => seen.set(what, (seen.get(what) ?? 0) + count)
  for (let seed = 1; seed <= seeds; seed++) {
    const { deniedBy, stops, fills } = compareLimited(seed, rulesOf, swaps)
    see("fills", fills.length)
    for (const [limit, count] of deniedBy) see(limit, count)
    for (const { limit, until } of stops) see(until === undefined ? limit : `${limit} that ended`)
  }
  if (swaps > 0) return assert.isAbove(seen.get("swap-price") ?? 0, seeds)
  if (!isLong) return assert.isAbove(seen.get("fills") ?? 0, seeds)
  for (const limit of ["price-deviation", "quiet-hours", "notional", "orders-per-hour", "paused"])
    assert.isAbove(seen.get(limit) ?? 0, seeds / 2, limit)
  for (const stop of ["daily-loss", "daily-loss that ended", "drawdown"]) assert.isAbove(seen.get(stop) ?? 0, 0, stop)
}

const seeds = Number(process.env["LIMITBOT_SEEDS"] ?? (isLong ? 12 : 6))
/** Some limits rarely come up. */
const seedsOfLimits = Math.max(seeds, isLong ? 40 : 12)

describe("Kernel", () => {
  it.skipIf(!isLong)("equals a simple loop over bars and slots, with and without index: whole orders", () =>
    campaign(seeds, immediateRules)
  )

  it("equals a simple loop over bars and slots, with and without index: parts, better prices, waiting times", () =>
    campaign(seeds, anyRules))

  it.skipIf(!isLong)("equals a simple loop under a strategy's own limits: whole orders", () =>
    campaignOfLimits(seedsOfLimits, immediateRules)
  )

  it("equals a simple loop under a strategy's own limits: parts, better prices, waiting times", () =>
    campaignOfLimits(seedsOfLimits, anyRules))

  it.skipIf(!isLong)("equals a simple loop with swap legs: executed whole, kept waiting, refunded", () => {
    const refunded = (next: () => number) => pick(next, 0, 0.3)
    campaignOfLimits(
      Math.ceil(seeds / 2),
      (next) => ({ ...immediateRules(next), refundedSwapShare: refunded(next) }),
      0.4
    )
    campaignOfLimits(Math.ceil(seeds / 2), (next) => ({ ...anyRules(next), refundedSwapShare: refunded(next) }), 0.4)
  })

  it.skipIf(!isLong).each([69, 5, 242, 362])(
    "equals a simple loop with swaps, limits and stops within bars together (seed %i)",
    (seed) => {
      const rulesOf = (next: () => number) => ({ ...anyRules(next), refundedSwapShare: pick(next, 0, 0.3) })
      assert.isAbove(compareLimited(seed, rulesOf, 0.4).counts.placed, 1)
    }
  )

  it("refunds a swap that follows a leg in the same bar once, and its slot continues", () => {
    const rulesOf = (next: () => number) => ({ ...immediateRules(next), refundedSwapShare: pick(next, 0, 0.3) })
    assert.isAbove(compareLimited(671, rulesOf, 0.4).fills.length, 1)
  })

  it("fills no order that would open after the last bar, however good its price", () => {
    const next = random(1)
    const candles = randomCandles(next, 60)
    const last = TimeAxis.closeTime(candles.time, candles.bars - 1)
    const conditions = randomConditions(1, { ...touching, price: "arrival", placeMillis: 30_000 })
    const leg = { side: "BUY", price: Decimal.make(200n), quantity: 100n } as const
    const decide: Decide = ({ now }) => ({
      desired: now < last ? [] : [{ slot: "late", legs: [leg], cycle: false, why: { code: "late", text: "" } }],
      absent: [],
      memory: null,
      reasons: [],
      until: { onFill: false, time: last }
    })
    const { fills, counts, openOrders } = compare(1, { ...conditions, decide }, candles)
    assert.deepStrictEqual([fills.length, counts.placed, openOrders], [0, 1, 1])
  })

  it("places no order with a payout's money in its bar before the strategy has decided again", () => {
    // The purchase fills in bar 2 and is paid out at the opening of bar 4, where another order is touched but finds no volume.
    const candles = flatCandles({ dips: [2, 4], bars: 8, barsWithVolume: 4 })
    const times = { placeMillis: 60_000, payoutMillis: 60_000 }
    const conditions = randomConditions(1, { ...touching, ...times, price: "arrival", volumeShare: 1 })
    const onlyBuys = { ...conditions, budget: { base: 0n, quote: 10n ** 12n }, maxOpenOrders: 10 }
    const leg = (side: "BUY" | "SELL", price: bigint) => ({ side, price: Decimal.make(price), quantity: 100n }) as const
    // 98 is touched as the bar goes on; 105 was reached when its order comes to rest.
    for (const touched of [98n, 105n]) {
      const decide: Decide = ({ slots }) => {
        const { bought, completedLegs } = slots.get("purchase") ?? { bought: 0n, completedLegs: 0 }
        const wanted = [
          { slot: "purchase", leg: leg("BUY", 99n) },
          ...(bought === 0n ? [] : [{ slot: "touched", leg: leg("BUY", touched) }]),
          ...(completedLegs > 0 ? [] : [{ slot: "waiting", leg: leg("SELL", 120n) }])
        ]
        const why = { code: "test", text: "" }
        const desired = wanted.map(({ slot, leg }) => ({ slot, legs: [leg] as const, cycle: false, why }))
        return { desired, absent: [], memory: null, reasons: [], until: { onFill: true } }
      }
      const { fills, counts } = compare(1, { ...onlyBuys, decide }, candles)
      assert.deepStrictEqual([fills.length, counts.placed, counts.cancelled], [1, 2, 0], `touched at ${touched}`)
    }
  })

  it("fills in slices as it fills whole orders if nothing separates them", () => {
    for (let seed = 1; seed <= 8; seed++) {
      const next = random(seed)
      const rules = immediateRules(next)
      const candles = randomCandles(next, 600)
      const indices = CrossingIndex.linearIndices(candles)
      const whole = Kernel.simulate(randomConditions(seed, rules), candles, indices)
      const byParts = { ...rules, volumeShare: 1e9 }
      const parts = Kernel.simulate(randomConditions(seed, byParts), { ...candles, volume: candles.high }, indices)
      assert.isTrue(isImmediate(rules) && !isImmediate(byParts))
      assert.deepStrictEqual(comparable(parts), comparable(whole), `seed ${seed}`)
    }
  })
})
