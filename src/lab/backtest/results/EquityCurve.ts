/** Equity along a run, by its fills and other fees. Values are doubles, for display; balances are exact elsewhere. */
import { type Candles, closeAt } from "../../../candles/Candles.ts"
import { closeTime, firstBarFrom } from "../../../candles/TimeAxis.ts"
import type { Conditions } from "../kernel/Conditions.ts"
import type { Outcome } from "../kernel/Outcome.ts"

interface Holdings {
  base: number
  quote: number
}

/** Follows the holdings of a run from bar to bar (ascending). Returns one object, which changes. */
export const holdings = (
  { charges, fills, table }: Pick<Outcome, "charges" | "fills" | "table">,
  { market, budget }: Pick<Conditions, "market" | "budget">
): ((bar: number) => Readonly<Holdings>) => {
  const position: Holdings = {
    base: Number(budget.base) / 10 ** market.base.decimals,
    quote: Number(budget.quote) / 10 ** market.quote.decimals
  }
  let [next, charge] = [0, 0]
  return (bar) => {
    for (; next < fills.count && (fills.bars[next] ?? 0) <= bar; next++) {
      const order = fills.orders[next] ?? 0
      position.base += table.baseChange[order] ?? 0
      position.quote += table.quoteChange[order] ?? 0
    }
    for (; charge < charges.bars.length && (charges.bars[charge] ?? 0) <= bar; charge++) {
      position.base -= charges.base[charge] ?? 0
      position.quote -= charges.quote[charge] ?? 0
    }
    return position
  }
}

/** Closes at some bars (ascending), stored together. Reading a few thousand scattered closes takes longer than a run. */
export type Samples = Readonly<ReturnType<typeof samples>>

export const samples = (candles: Candles, bars: ReadonlyArray<number>) => ({
  bars: Int32Array.from(bars),
  closes: Float64Array.from(bars, (bar) => closeAt(candles, bar))
})

export const equityAt = (
  outcome: Outcome,
  conditions: Pick<Conditions, "market" | "budget">,
  { bars, closes }: Samples
): Readonly<Record<"equity" | "hold", Float64Array>> => {
  const heldAt = holdings(outcome, conditions)
  const start = { ...heldAt(-1) }
  const [equity, hold] = [new Float64Array(bars.length), new Float64Array(bars.length)]
  for (let sample = 0; sample < bars.length; sample++) {
    const { base, quote } = heldAt(bars[sample] ?? 0)
    const close = closes[sample] ?? 0
    equity[sample] = quote + base * close
    hold[sample] = start.quote + start.base * close
  }
  return { equity, hold }
}

/** Adds the profit over the untouched budget to the value at the start. So returns measure the strategy, and not its market. */
export const madeOf = (points: ReadonlyArray<Readonly<Record<"equity" | "hold", number>>>): ReadonlyArray<number> => {
  const start = points[0]?.hold ?? 0
  // The first bar may have traded already, and its cost is a part of the return.
  return points.map(({ equity, hold }, index) => (index === 0 ? start : start + (equity - hold)))
}

/** Growth of buy and hold since the first close, in equal parts of several markets. */
export const growth = (parts: ReadonlyArray<{ readonly candles: Candles }>, bars: ReadonlyArray<number>) =>
  bars.map(
    (bar) => parts.reduce((sum, { candles }) => sum + closeAt(candles, bar) / closeAt(candles, 0), 0) / parts.length
  )

export const periodEnds = (candles: Candles, periodMillis: number): ReadonlyArray<number> => {
  const { time, bars } = candles
  const ends: Array<number> = []
  for (let bar = 0; bar < bars; bar = (ends.at(-1) ?? bar) + 1) {
    const end = Math.ceil(closeTime(time, bar) / periodMillis) * periodMillis
    ends.push(Math.max(bar, firstBarFrom(time, end - time.stepMillis + 1) - 1))
  }
  return ends
}

export const sampleBars = (candles: Candles, periodMillis: number): ReadonlyArray<number> => [
  0,
  ...periodEnds(candles, periodMillis).filter((bar) => bar > 0)
]

export const spread = (candles: Candles, count: number): ReadonlyArray<number> => {
  const points = Math.min(count, candles.bars)
  return Array.from({ length: points }, (_, index) => Math.floor(((index + 1) * candles.bars) / points) - 1)
}
