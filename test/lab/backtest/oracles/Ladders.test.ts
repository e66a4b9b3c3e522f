/** Fills of a flipping ladder that an independent engine found on real data, bar by bar. */

import { assert, describe, it } from "@effect/vitest"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import * as Kernel from "../../../../src/lab/backtest/kernel/Kernel.ts"
import type { Outcome } from "../../../../src/lab/backtest/kernel/Outcome.ts"
import * as FillRows from "../../../../src/lab/backtest/results/FillRows.ts"
import type { Leg } from "../../../../src/strategy/Decision.ts"
import * as sharedData from "../sharedData.ts"
import { baseOf, conditionsOf, inBase, inQuote, slotOf } from "./oracle.ts"

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

describe.skipIf(!sharedData.isPresent)("backtests compared with an oracle of the flipping ladder", () => {
  const summaries: Record<string, ReadonlyArray<LadderSummary>> = sharedData.isPresent
    ? JSON.parse(sharedData.text("oracle-ladder-summary.json"))
    : {}
  for (const [name, key, file] of ladders) {
    it(`${name}: the same orders fill in the same bars, and the cash is the same`, () => {
      const candles = sharedData.candles(file)
      const rows = sharedData.text(`oracle-ladder-${name}.csv.gz`).trim().split("\n").slice(1)
      const summary = summaries[key] ?? []
      assert.isAbove(summary.length, 0)
      for (const { config, qty, levels, cashflow_at_limit_prices_fee_10bp: cash, net_base: netBase } of summary) {
        const quantity = baseOf(qty)
        const first = candles.close[0] ?? 0
        const desired = levels.slice(0, -1).map((level, cell) => {
          const buy: Leg = { side: "BUY", price: Decimal.fromNumber(level), quantity }
          const sell: Leg = { side: "SELL", price: Decimal.fromNumber(levels[cell + 1] ?? 0), quantity }
          return slotOf(`${cell}`, level < first ? [buy, sell] : [sell, buy], true)
        })
        const conditions = conditionsOf(() => ({
          desired,
          absent: [],
          memory: null,
          reasons: [],
          until: { onFill: false }
        }))
        const indices = CrossingIndex.buildIndices(candles)
        const linesOf = (outcome: Outcome) =>
          [...FillRows.rows(outcome, candles)]
            .map(({ bar, openTime, side, slotName, price }) =>
              [config, bar, openTime, side.toLowerCase(), slotName, Decimal.toNumber(price)].join(",")
            )
            .sort()
        const expected = (column: number) =>
          rows
            .filter((row) => row.startsWith(`${config},`))
            .map((row) => {
              const fields = row.split(",")
              return [...fields.slice(0, 5), Number(fields[column])].join(",")
            })
            .sort()
        const outcome = Kernel.simulate(conditions, candles, indices)
        assert.deepStrictEqual(linesOf(outcome), expected(5), config)
        const rules = { ...conditions.rules, price: "open" } as const
        const atOpen = Kernel.simulate({ ...conditions, rules }, candles, indices)
        assert.deepStrictEqual(linesOf(atOpen), expected(6), `${config}: price open`)
        const fills = [...FillRows.rows(outcome, candles)]
        const fees = fills.reduce((sum, { side, input, output }) => sum + (side === "BUY" ? input : output) / 1000n, 0n)
        assert.closeTo(inQuote(outcome.quote - conditions.budget.quote - fees), cash, 1e-4, config)
        assert.closeTo(inBase(outcome.base - conditions.budget.base), netBase, 1e-9, config)
      }
    })
  }
})
