import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Candles from "../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../src/candles/CrossingIndex.ts"
import * as Generate from "../../../src/candles/Generate.ts"
import * as Resample from "../../../src/candles/Resample.ts"
import * as TimeAxis from "../../../src/candles/TimeAxis.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { OrderTerms } from "../../../src/domain/Order.ts"
import * as Backtest from "../../../src/lab/backtest/Backtest.ts"
import { type Costs, noCosts, touching } from "../../../src/lab/backtest/kernel/FillPresets.ts"
import { shareOf } from "../../../src/lab/backtest/kernel/FillRules.ts"
import * as Kernel from "../../../src/lab/backtest/kernel/Kernel.ts"
import * as BacktestStatistics from "../../../src/lab/backtest/results/BacktestStatistics.ts"
import * as BandSide from "../../../src/lab/backtest/results/BandSide.ts"
import * as EquityCurve from "../../../src/lab/backtest/results/EquityCurve.ts"
import * as FillRows from "../../../src/lab/backtest/results/FillRows.ts"
import * as RoundTrips from "../../../src/lab/backtest/results/RoundTrips.ts"
import { defaultSettings } from "../../../src/sandbox/Settings.ts"
import type { Limits, Strategy } from "../../../src/strategy/Strategy.ts"
import * as StrategyFile from "../../../src/strategy/StrategyFile.ts"
import { assets } from "../../world/bitcoin.ts"
import { runOneMarket } from "../../world/oneMarket.ts"
import { random, randomCandles } from "./RandomStrategies.ts"

const grid = (levels: number, more = ""): Strategy => {
  const text = `name: g
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.5, quote: 20000 } }
grid: { lower: 35000, upper: 45000, levels: ${levels}, size: { base: 0.01 }${more} }
`
  return Result.getOrThrow(StrategyFile.parse(text, "g.yaml", { assets, ticks: new Map() }))
}

const candles = Generate.generate({ ...Generate.defaults, bars: 60_000 })
const indices = CrossingIndex.buildIndices(candles)
const options: Backtest.Options = { costs: { ...noCosts, feeBasisPoints: 10 }, changes: {} }
const strategy = grid(21)
const optimistic = runOneMarket(strategy, candles, indices, "optimistic", options)
const pessimistic = runOneMarket(strategy, candles, indices, "pessimistic", options)

describe("Backtest", () => {
  it("spans a band: the pessimistic side fills less", () => {
    assert.isAbove(optimistic.outcome.fills.count, 50)
    assert.isBelow(pessimistic.outcome.fills.count, optimistic.outcome.fills.count)
    const { low, high } = BandSide.band([pessimistic, optimistic])
    assert.isTrue(low.pnlQuote <= high.pnlQuote)
  })

  it("counts payouts and refunds, whose fees are all the fees if the venue takes no share of fills", () => {
    const flat = { base: 30n, quote: 20_000n }
    const moving = grid(21, ", fundNearest: 4")
    const costs: Costs = { ...noCosts, withdrawFee: flat, refundFee: flat }
    for (const mode of ["optimistic", "pessimistic"] as const) {
      const { counts, feesQuote, fills, payouts, refunds } = runOneMarket(moving, candles, indices, mode, {
        costs,
        changes: {}
      })
      assert.isAbove(refunds.count, 0)
      assert.isAtMost(refunds.count, counts.cancelled)
      assert.isAbove(payouts.count, 0)
      assert.isAtMost(payouts.count, fills)
      // Each sum is rounded down once by itself.
      assert.isTrue([0n, 1n].includes(feesQuote - payouts.feesQuote - refunds.feesQuote))
    }
  })

  it("applies app fees to oneself like those to others, and does not report them as paid to others", () => {
    const paying = (appFees: ReadonlyArray<{ readonly recipient: string; readonly fee: number }>) =>
      runOneMarket({ ...strategy, terms: { appFees } }, candles, indices, "optimistic", options)
    const [own, others] = [paying([{ recipient: "self", fee: 40 }]), paying([{ recipient: "a.near", fee: 40 }])]
    const both = paying([
      { recipient: "self", fee: 30 },
      { recipient: "a.near", fee: 10 }
    ])
    assert.isTrue(others.appFeesQuote > 0n)
    assert.strictEqual(own.appFeesQuote, 0n)
    assert.strictEqual(both.appFeesQuote, others.appFeesQuote / 4n)
    assert.strictEqual(own.pnlQuote, others.pnlQuote)
    assert.isBelow(own.fills, optimistic.fills)
  })

  it("charges app fees of the account like those of the file, unless the file sets its own", () => {
    const [fees, mine] = [{ appFees: [{ recipient: "a.near", fee: 40 }] }, { appFees: [] }]
    const run = (terms: OrderTerms, accountTerms: OrderTerms) =>
      runOneMarket({ ...strategy, terms }, candles, indices, "optimistic", { ...options, accountTerms })
    const figures = ({ appFeesQuote, fills, pnlQuote }: BandSide.BandSide) => ({ appFeesQuote, fills, pnlQuote })
    assert.deepStrictEqual(figures(run({}, fees)), figures(run(fees, {})))
    assert.isTrue(run({}, fees).appFeesQuote > 0n)
    assert.deepStrictEqual(figures(run(mine, fees)), figures(optimistic))
  })

  it("starts a return at the budget's value, before the cost of the first bar's trade", () => {
    const text = `name: d
market: BTC/USDC
kind: dca
limits: { budget: { quote: 1000 } }
dca: { every: 1d, side: buy, size: { quote: 900 }, times: 1, reach: 1% }
`
    const file = Result.getOrThrow(StrategyFile.parse(text, "d.yaml", { assets, ticks: new Map() }))
    const dear = { ...noCosts, feeBasisPoints: 200 }
    const side = runOneMarket(file, candles, indices, "optimistic", { costs: dear, changes: {} })
    assert.strictEqual(side.outcome.fills.count, 1)
    const { totalReturn } = BacktestStatistics.ofSide(side, 1)
    assert.closeTo(totalReturn, Number(side.pnlQuote) / 1e9, 1e-6)
  })

  it("counts fractions of a basis point in full", () => {
    const taking = (costs: Partial<Costs>) =>
      runOneMarket(strategy, candles, indices, "optimistic", { ...options, costs: { ...options.costs, ...costs } })
    const [whole, parts] = [taking({ appFeeBasisPoints: 20 }), taking({ appFeeBasisPoints: 20.01 })]
    assert.strictEqual(whole.fills, parts.fills)
    const taken = Number(parts.appFeesQuote) / Number(whole.appFeesQuote)
    // Fills that come later make other next orders.
    assert.closeTo(taken, 20.01 / 20, 1e-4)
    assert.strictEqual(shareOf({ ...touching, feeBasisPoints: 10.004 }, 10n ** 10n), 10_004_000n)
  })

  it("charges a swap for its size as the sandbox does, and makes none whose size breaks its limit", () => {
    const still = Candles.columnOf(Array.from({ length: 20 }, () => 40_000))
    const flat = {
      ...Generate.generate({ ...Generate.defaults, bars: 20 }),
      open: still,
      high: still,
      low: still,
      close: still
    }
    const stillIndices = CrossingIndex.linearIndices(flat)
    const impactBasisPoints = 10_000 * defaultSettings("native").impactPerMillionUsd
    const buying = (quote: number, limit: string, costs: Partial<Costs>) => {
      const text = `name: s
market: BTC/USDC
kind: rules
limits: { budget: { quote: ${quote} } }
rules:
  orders:
    all: { when: mid > 0, by: swap, side: buy, price: "${limit}", size: { quote: ${quote} }, times: 1 }
`
      const file = Result.getOrThrow(StrategyFile.parse(text, "s.yaml", { assets, ticks: new Map() }))
      return runOneMarket(file, flat, stillIndices, "optimistic", { costs: { ...noCosts, ...costs }, changes: {} })
    }
    const paid = (costs: Partial<Costs>) => {
      const { outcome } = buying(1_000_000, "mid * 1.01", costs)
      return Number(outcome.base) / 1e8
    }
    const [free, dear] = [paid({}), paid({ impactBasisPoints })]
    // The size is that of the limit, one in a hundred above what it costs.
    assert.closeTo(free / dear - 1, 0.001, 0.00002)
    assert.isAbove(buying(1_000_000, "mid * 1.0005", {}).fills, 0)
    assert.strictEqual(buying(1_000_000, "mid * 1.0005", { impactBasisPoints }).fills, 0)
    assert.isAbove(buying(100_000, "mid * 1.0005", { impactBasisPoints }).fills, 0)
  })

  it("runs as without limits while the limits hold nothing back", () => {
    for (const { mode, rules, outcome } of [optimistic, pessimistic]) {
      const { limits: _, ...conditions } = Backtest.conditionsOf(strategy, candles, rules)
      const free = Kernel.simulate(conditions, candles, indices)
      assert.deepStrictEqual(free, outcome, mode)
    }
  })

  it("names what limits hold back, and a loss too large to continue", () => {
    const limits: Limits = {
      ...strategy.limits,
      maxOrdersPerHour: 12,
      quietHours: { fromMinute: 1320, toMinute: 360 },
      maxDailyLoss: 300_000_000n,
      onLoss: "drain"
    }
    const side = runOneMarket({ ...strategy, limits }, candles, indices, "optimistic", options)
    const { deniedByLimit, stops } = BandSide.toJson(strategy, side)
    assert.sameMembers(Object.keys(deniedByLimit), ["orders-per-hour", "paused", "price-deviation", "quiet-hours"])
    const [first] = stops
    assert.match(first?.reason ?? "", /^Lost 3\d\d(\.\d+)? USDC since midnight UTC, more than 300 USDC$/)
    assert.strictEqual((first?.until ?? 0) % 86_400_000, 0)
    // What arrives at a close fills in the candle that ends there.
    const lasts =
      (openTime: number) =>
      ({ from, until = Number.POSITIVE_INFINITY }: (typeof stops)[number]) =>
        openTime >= from && TimeAxis.closeTime(candles.time, 0) - TimeAxis.openTime(candles.time, 0) + openTime < until
    for (const { openTime } of FillRows.rows(side.outcome, candles))
      assert.isFalse(stops.some(lasts(openTime)), "nothing fills while everything is withdrawn")
  })

  it("accounts for every unit: the fills add up to the balances", () => {
    for (const { outcome } of [optimistic, pessimistic]) {
      let { base, quote } = strategy.limits.budget
      for (const { side, input, output } of FillRows.rows(outcome, candles)) {
        base += side === "BUY" ? output : -input
        quote += side === "BUY" ? -input : output
      }
      assert.deepStrictEqual({ base, quote }, { base: outcome.base, quote: outcome.quote })
    }
  })

  it("writes fills as rows with the prices and amounts of the run", () => {
    const rows = [...FillRows.rows(optimistic.outcome, candles)]
    assert.strictEqual(rows.length, optimistic.outcome.fills.count)
    const [first] = rows
    if (first === undefined) return
    const [head = "", line = ""] = FillRows.csv(optimistic.parts).split("\n")
    const fields = line.split(",")
    assert.strictEqual(fields.length, head.split(",").length)
    assert.deepStrictEqual(fields.slice(0, 5), [
      `${first.bar}`,
      `${first.openTime}`,
      first.side,
      first.slotName,
      Decimal.format(first.price)
    ])
  })

  it("ends its equity curve at its balances", () => {
    const last = candles.bars - 1
    const [end] = BandSide.curve(optimistic.parts, [last])
    const close = candles.close[last] ?? 0
    const exact = Number(optimistic.outcome.quote) / 1e6 + (Number(optimistic.outcome.base) / 1e8) * close
    assert.closeTo(end?.equity ?? 0, exact, 1e-6)
    const days = EquityCurve.periodEnds(candles, 86_400_000)
    assert.strictEqual(days.length, Math.ceil(60_000 / 1440))
    assert.strictEqual(days.at(-1), last)
    assert.deepStrictEqual(days.slice(0, 2), [1439, 2879])
  })

  it("keeps the open orders on request: one per slot at a time, and each fill at the end of one", () => {
    for (const mode of ["optimistic", "pessimistic"] as const) {
      const { outcome } = runOneMarket(strategy, candles, indices, mode, { ...options, keepsOrders: true })
      const { stays, counts, openOrders } = outcome
      assert.strictEqual(stays.length, counts.placed)
      assert.strictEqual(stays.filter(({ to }) => to === candles.bars).length, openOrders)
      const freeFrom = new Map<number, number>()
      for (const { row, from, to } of stays.toSorted((a, b) => a.from - b.from)) {
        assert.isTrue(from >= (freeFrom.get(row.slot) ?? 0) && from <= to)
        freeFrom.set(row.slot, to)
      }
      const ends = new Set(stays.map(({ row, to }) => `${row.slot} ${to}`))
      if (mode === "optimistic")
        for (const { slot, bar } of FillRows.rows(outcome, candles)) assert.isTrue(ends.has(`${slot} ${bar + 1}`))
    }
    assert.strictEqual(optimistic.outcome.stays.length, 0)
  })

  it("measures exposure at every close", () => {
    const { market, limits } = strategy
    const found = BacktestStatistics.exposureOf(optimistic.parts)
    const all = Array.from({ length: candles.bars }, (_, bar) => bar)
    const curve = BandSide.curve(optimistic.parts, all)
    const heldAt = EquityCurve.holdings(optimistic.outcome, { market, budget: limits.budget })
    const inBase = curve.map(({ equity }, bar) => (heldAt(bar).base * (candles.close[bar] ?? 0)) / equity)
    const mean = inBase.reduce((sum, share) => sum + share, 0) / candles.bars
    assert.closeTo(found.meanShare, mean, 1e-9)
    assert.strictEqual(found.timeInMarket, 1)
  })

  it("gives each slot the gain of its round trips", () => {
    const trips = RoundTrips.trades(optimistic.outcome, candles)
    assert.isAbove(trips.length, 20)
    assert.isTrue(trips.every(({ gained }) => gained > 0))
    const sum = (all: Iterable<{ readonly gained: number }>) => [...all].reduce((sum, { gained }) => sum + gained, 0)
    assert.closeTo(sum(RoundTrips.bySlot(optimistic.outcome, candles).values()), sum(trips), 1e-6)
  })

  it("refuses and counts orders below the strategy's minOrder", () => {
    const limits = { ...strategy.limits, minOrder: 390_000_000n }
    const { outcome } = runOneMarket({ ...strategy, limits }, candles, indices, "optimistic", options)
    assert.isAbove(outcome.counts.deniedMinimum, 0)
    for (const { input, output, side } of FillRows.rows(outcome, candles)) {
      assert.isAtLeast(Number(side === "BUY" ? input : output), 389_000_000)
    }
  })

  it("is deterministic", () => {
    const again = runOneMarket(strategy, candles, indices, "pessimistic", options)
    assert.deepStrictEqual(BandSide.toJson(strategy, again), BandSide.toJson(strategy, pessimistic))
  })
})

describe("Resample", () => {
  it("makes longer candles that contain the shorter ones, and shares them", () => {
    for (let seed = 1; seed <= 10; seed++) {
      const series = randomCandles(random(seed), 400)
      const hours = Resample.of(series, 3_600_000)
      assert.strictEqual(Resample.of(series, 3_600_000), hours)
      const { columns } = hours
      const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0)
      assert.closeTo(sum(columns.volume), sum(series.volume), 1e-9, `seed ${seed}`)
      assert.strictEqual(Math.max(...columns.high), Math.max(...series.high), `seed ${seed}`)
      assert.strictEqual(columns.close.at(-1), series.close.at(-1), `seed ${seed}`)
      assert.strictEqual(Resample.closedAt(hours, hours.startMillis + 3_600_000 - 1), 0)
      assert.strictEqual(Resample.closedAt(hours, hours.startMillis + 3_600_000), 1)
    }
  })
})
