/** The workload that engines are compared on: a ladder that flips, twenty orders one per cent apart, on synthetic minutes. */

import type { Candles } from "../../src/candles/Candles.ts"
import * as Generate from "../../src/candles/Generate.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import type { Conditions } from "../../src/lab/backtest/kernel/Conditions.ts"
import { touching } from "../../src/lab/backtest/kernel/FillPresets.ts"
import type { Outcome } from "../../src/lab/backtest/kernel/Outcome.ts"
import type { DesiredSlot, Leg } from "../../src/strategy/Decision.ts"

export const years = (count: number): Candles =>
  Generate.generate({ ...Generate.defaults, bars: count * Generate.minutesPerYear })

/** Levels around the first close, on cents. */
export const levelsOf = (candles: Candles, cells: number, step: number): ReadonlyArray<number> => {
  const first = candles.close[0] ?? 0
  return Array.from({ length: cells + 1 }, (_, k) => Math.round(first * (1 + step) ** (k - cells / 2) * 100) / 100)
}

const quantity = 1_000_000n

/** Those of a grid around the first price. */
export const slotsOf = (levels: ReadonlyArray<number>, first: number): ReadonlyArray<DesiredSlot> =>
  levels.slice(0, -1).map((level, cell) => {
    const buy: Leg = { side: "BUY", price: Decimal.fromNumber(level), quantity }
    const sell: Leg = { side: "SELL", price: Decimal.fromNumber(levels[cell + 1] ?? 0), quantity }
    const legs = level < first ? ([buy, sell] as const) : ([sell, buy] as const)
    return { slot: `${cell}`, legs, cycle: true, why: { code: "ladder", text: "" } }
  })

export const conditions = (candles: Candles, levels: ReadonlyArray<number>): Conditions => {
  const slots = slotsOf(levels, candles.close[0] ?? 0)
  return {
    market: {
      name: "BTC/USDC",
      base: { symbol: "BTC", id: "btc", decimals: 8 },
      quote: { symbol: "USDC", id: "usdc", decimals: 6 }
    },
    decide: () => ({ desired: slots, absent: [], memory: null, reasons: [], until: { onFill: false } }),
    initialMemory: null,
    rules: touching,
    budget: { base: 10n ** 16n, quote: 10n ** 16n },
    maxOpenOrders: 1_000_000
  }
}

/** FNV-1a over (bar, side, level) of every fill: the identity of a run. */
export class FillHash {
  private hash = 2_166_136_261
  count = 0
  add(bar: number, buys: boolean, level: number): void {
    this.count++
    for (const part of [bar, buys ? 1 : 0, level]) this.hash = Math.imul(this.hash ^ part, 16_777_619)
  }
  text(): string {
    return `${this.count} fills ${(this.hash >>> 0).toString(16)}`
  }
}

export const hashOf = ({ fills, table }: Outcome): string => {
  const hash = new FillHash()
  // Within a bar by cell, so that the order inside a bar does not matter.
  for (let from = 0; from < fills.count; ) {
    let to = from
    const bar = fills.bars[from] ?? 0
    while (to < fills.count && fills.bars[to] === bar) to++
    const rows = Array.from(fills.orders.subarray(from, to), (order) => table.rows[order])
    for (const row of rows.toSorted((a, b) => (a?.slot ?? 0) - (b?.slot ?? 0)))
      if (row !== undefined) hash.add(bar, row.side === "BUY", row.slot)
    from = to
  }
  return hash.text()
}

/** The same ladder as a loop over bars and orders on typed arrays, in doubles. */
export const plainLoop = (
  { low, high, close, bars }: Candles,
  levels: ReadonlyArray<number>,
  onFill: (bar: number, buys: boolean, cell: number) => void
): number => {
  const cells = levels.length - 1
  const buyAt = Float64Array.from(levels.slice(0, -1))
  const sellAt = Float64Array.from(levels.slice(1))
  const buys = Uint8Array.from(buyAt, (level) => (level < (close[0] ?? 0) ? 1 : 0))
  let base = 1e8
  let quote = 1e10
  let peak = 0
  let drawdown = 0
  for (let bar = 1; bar < bars; bar++) {
    const lowest = low[bar] ?? 0
    const highest = high[bar] ?? 0
    for (let cell = 0; cell < cells; cell++) {
      if (buys[cell] === 1) {
        if (lowest > (buyAt[cell] ?? 0)) continue
        buys[cell] = 0
        base += 0.01
        quote -= 0.01 * (buyAt[cell] ?? 0)
        onFill(bar, true, cell)
      } else if (highest >= (sellAt[cell] ?? 0)) {
        buys[cell] = 1
        base -= 0.01
        quote += 0.01 * (sellAt[cell] ?? 0)
        onFill(bar, false, cell)
      }
    }
    const equity = quote + base * (close[bar] ?? 0)
    if (equity > peak) peak = equity
    else if (peak - equity > drawdown * peak) drawdown = (peak - equity) / peak
  }
  return drawdown
}
