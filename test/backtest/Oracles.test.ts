/** Fills that independent engines found on real data, bar by bar. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Backtest from "../../src/backtest/Backtest.ts"
import * as Candles from "../../src/backtest/Candles.ts"
import { noCosts } from "../../src/backtest/FillModel.ts"
import * as FillRows from "../../src/backtest/FillRows.ts"
import { touching } from "../../src/backtest/FillRules.ts"
import * as Kernel from "../../src/backtest/Kernel.ts"
import type { Conditions } from "../../src/backtest/Run.ts"
import * as TimeAxis from "../../src/backtest/TimeAxis.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import type { Market, Price, Side } from "../../src/domain/Market.ts"
import type { DesiredSlot, Leg } from "../../src/strategy/Decision.ts"
import * as StrategyFile from "../../src/strategy/StrategyFile.ts"
import * as sharedData from "./sharedData.ts"

const market: Market = {
  name: "BASE/QUOTE",
  base: { symbol: "BASE", id: "base", decimals: 18 },
  quote: { symbol: "QUOTE", id: "quote", decimals: 12 }
}

const slot = (name: string, first: Leg, ...rest: ReadonlyArray<Leg>): DesiredSlot => ({
  slot: name,
  legs: [first, ...rest],
  cycle: true,
  why: { code: "test", text: "" }
})

const holding = (desired: ReadonlyArray<DesiredSlot>): Conditions => ({
  market,
  decide: () => ({ desired, absent: [], memory: null, reasons: [], until: { onFill: false } }),
  initialMemory: null,
  rules: touching,
  budget: { base: 10n ** 30n, quote: 10n ** 30n },
  maxOpenOrders: 1000
})

const priceOf = (value: number): Price => Decimal.fromNumber(value, 15)

const amountOf = (value: number, decimals: number) =>
  Decimal.multiply(Decimal.fromNumber(value), Decimal.make(10n ** BigInt(decimals))).digits

interface LadderSummary {
  readonly config: string
  readonly qty: number
  readonly levels: ReadonlyArray<number>
  readonly fills: number
  readonly cashflow_at_limit_prices_fee_10bp: number
  readonly net_base: number
}

const ladders: ReadonlyArray<readonly [name: string, summary: string, file: string]> = [
  ["btc-perp", "btc-perp", "btc-perp-1m-20211231-20220201.csv.gz"],
  ["solusdt", "sol", "binance-solusdt-1m-20240801-20240803.csv.gz"],
  ["coinbase-btcusd", "coinbase-btcusd", "coinbase-btcusd-1m-lean.csv.gz"]
]

describe.skipIf(!sharedData.isPresent)("oracles of the flipping ladder", () => {
  const summaries: Record<string, ReadonlyArray<LadderSummary>> = sharedData.isPresent
    ? JSON.parse(sharedData.text("oracle-ladder-summary.json"))
    : {}
  for (const [name, key, file] of ladders) {
    it(`${name}: the same order in the same bar, and the same cash`, () => {
      const candles = sharedData.candles(file)
      const rows = sharedData.text(`oracle-ladder-${name}.csv.gz`).trim().split("\n").slice(1)
      const summary = summaries[key] ?? []
      assert.isAbove(summary.length, 0)
      for (const { config, qty, levels, cashflow_at_limit_prices_fee_10bp: cash, net_base: netBase } of summary) {
        const quantity = amountOf(qty, 18)
        const first = candles.close[0] ?? 0
        const desired = levels.slice(0, -1).map((level, cell) => {
          const buy: Leg = { side: "BUY", price: Decimal.fromNumber(level), quantity }
          const sell: Leg = { side: "SELL", price: Decimal.fromNumber(levels[cell + 1] ?? 0), quantity }
          return level < first ? slot(`${cell}`, buy, sell) : slot(`${cell}`, sell, buy)
        })
        const conditions = holding(desired)
        const outcome = Kernel.simulate(conditions, candles, Kernel.buildIndices(candles, "at"))
        const { fills, table, slotNames } = outcome
        let fees = 0n
        const found = Array.from({ length: fills.count }, (_, index) => {
          const row = table.rows[fills.orders[index] ?? -1]
          if (row === undefined) return ""
          fees += (row.side === "BUY" ? row.input : row.output) / 1000n
          const bar = fills.bars[index] ?? 0
          const time = TimeAxis.openTime(candles.time, bar)
          return [config, bar, time, row.side.toLowerCase(), slotNames[row.slot], Decimal.toNumber(row.price)].join(",")
        })
        const expected = rows
          .filter((row) => row.startsWith(`${config},`))
          .map((row) => {
            const [config, bar, time, side, level, price] = row.split(",")
            return [config, bar, time, side, level, Number(price)].join(",")
          })
        assert.deepStrictEqual(found.sort(), expected.sort(), config)
        const earned = outcome.quote - conditions.budget.quote - fees
        assert.closeTo(Number(earned) / 1e12, cash, 1e-4, config)
        assert.closeTo(Number(outcome.base - conditions.budget.base) / 1e18, netBase, 1e-9, config)
      }
    })
  }
})

interface GridOracle {
  readonly orders: ReadonlyArray<readonly [Side, string, string, number, number, string, number | string, string]>
  readonly summary: Readonly<Record<string, string>>
}

const grids = ["simple_grid_arithmetic", "simple_grid_geometric", "hedged_grid_arithmetic", "hedged_grid_geometric"]

/**
 * That engine's grids as slots. Hedged ones pair neighbouring levels for ever. Simple ones have a policy of their own for
 * what follows a fill: here each slot has the orders that it came to fill, so that they test when orders fill.
 */
const gridSlots = (levels: ReadonlyArray<Price>, hedged: boolean, quantity: bigint): ReadonlyArray<DesiredSlot> => {
  const leg = (side: Side, level: number): Leg => ({ side, price: levels[level] ?? Decimal.zero, quantity })
  if (hedged)
    return [
      slot("top", leg("SELL", 7), leg("BUY", 6)),
      ...[3, 2, 1, 0].map((level) => slot(`${level}`, leg("BUY", level), leg("SELL", level + 1)))
    ]
  const single = [
    slot("top", leg("SELL", 7)),
    slot("3", leg("BUY", 3), leg("SELL", 4), leg("BUY", 3), leg("SELL", 5)),
    ...[2, 1, 0].map((level) => slot(`${level}`, leg("BUY", level)))
  ]
  return single.map((slot) => ({ ...slot, cycle: false }))
}

const cents = (value: number): string => value.toFixed(2)

describe.skipIf(!sharedData.isPresent)("oracles of a published grid bot", () => {
  const oracle: Record<string, GridOracle> = sharedData.isPresent
    ? JSON.parse(sharedData.text("oracle-grid-trading-bot-sol.json"))
    : {}
  for (const name of grids) {
    it(`${name}: the same minutes and money where a gap over a level does not fill`, () => {
      const { orders, summary } = oracle[name] ?? { orders: [], summary: {} }
      const all = sharedData.candles("binance-solusdt-1m-20240801-20240803.csv.gz")
      const candles = Candles.between(all, 0, Date.UTC(2024, 7, 3))
      const [, , , startPrice, startQuantity] = orders.find(([, kind]) => kind === "MARKET") ?? []
      // It starts within the bar that closes at the start price, and fills in that bar already.
      const start = candles.close.indexOf(startPrice ?? 0) - 1
      const limits = orders.filter(([, kind]) => kind === "LIMIT")
      const ratio = (170 / 155) ** (1 / 7)
      const levels = Array.from({ length: 8 }, (_, k) =>
        priceOf(name.includes("geometric") ? 155 * ratio ** k : 155 + (15 / 7) * k)
      )
      const quantity = amountOf(limits[0]?.[4] ?? 0, 18)
      const conditions: Conditions = {
        ...holding(gridSlots(levels, name.startsWith("hedged"), quantity)),
        rules: { ...touching, touch: "within" }
      }
      const part = Candles.slice(candles, start, candles.bars)
      const outcome = Kernel.simulate(conditions, part, Kernel.linearIndices(part, "within"))
      const found: Array<string> = []
      let fees = (startQuantity ?? 0) * (startPrice ?? 0) * 0.001
      for (let index = 0; index < outcome.fills.count; index++) {
        const row = outcome.table.rows[outcome.fills.orders[index] ?? -1]
        const time = new Date(TimeAxis.openTime(part.time, outcome.fills.bars[index] ?? 0)).toISOString()
        if (row !== undefined) found.push(`${time.slice(0, 19)} ${row.side} ${cents(Decimal.toNumber(row.price))}`)
        if (row !== undefined) fees += Number(row.side === "BUY" ? row.input : row.output) / 1e15
      }
      const expected = limits.map(([side, , , price, , time]) => `${time} ${side} ${cents(price)}`)
      assert.deepStrictEqual(found.sort(), expected.sort())
      assert.strictEqual(cents(fees), summary["Total Fees"])
      const change = Number(outcome.base - conditions.budget.base) / 1e18 + (startQuantity ?? 0)
      assert.strictEqual(`${change.toFixed(4)} SOL`, summary["Final Crypto Balance"])
    })
  }

  /**
   * The hedged grids are two of our own: the cells below the middle of the range, and the one around the price at the start.
   * All but the first sale: that engine buys at the market when it starts, and a cell of ours around the price buys first.
   * The simple ones are none of ours, with any option: they buy only in the lower half and sell only in the upper half, and
   * each upper level sells once, so the second purchase at 161.43 goes to 165.71 where a cell of ours sells at 163.57 again.
   */
  for (const name of grids.filter((name) => name.startsWith("hedged"))) {
    it(`${name}: strategy files of our own fill the same`, () => {
      const { orders } = oracle[name] ?? { orders: [] }
      const all = sharedData.candles("binance-solusdt-1m-20240801-20240803.csv.gz")
      const candles = Candles.between(all, 0, Date.UTC(2024, 7, 3))
      const [, , , startPrice] = orders.find(([, kind]) => kind === "MARKET") ?? []
      const start = candles.close.indexOf(startPrice ?? 0) - 1
      const part = Candles.slice(candles, start, candles.bars)
      const limits = orders.filter(([, kind]) => kind === "LIMIT")
      const ratio = (170 / 155) ** (1 / 7)
      const level = (k: number) => (name.includes("geometric") ? 155 * ratio ** k : 155 + (15 / 7) * k).toFixed(10)
      const found = [
        [0, 1, 2, 3, 4],
        [6, 7]
      ].flatMap((levels) => {
        const text = `name: g
market: BASE/QUOTE
kind: grid
limits: { budget: { base: 100, quote: 100000 } }
grid: { levels: [${levels.map(level).join(", ")}], size: { base: ${limits[0]?.[4]} } }
`
        const markets = { assets: [market.base, market.quote], ticks: new Map() }
        const strategy = Result.getOrThrow(StrategyFile.parse(text, "g.yaml", markets))
        const options = { costs: noCosts, changes: { touch: "within" } as const }
        const side = Backtest.run(strategy, part, Kernel.linearIndices(part, "within"), "optimistic", options)
        return [...FillRows.rows(side.outcome, part)].map(
          (row) =>
            `${new Date(row.openTime).toISOString().slice(0, 19)} ${row.side} ${cents(Decimal.toNumber(row.price))}`
        )
      })
      assert.deepStrictEqual(
        found.sort(),
        limits
          .slice(1)
          .map(([side, , , price, , time]) => `${time} ${side} ${cents(price)}`)
          .sort()
      )
    })
  }
})
