/**
 * The trades of a run (`RoundTrips`), with the time for which the position was held, and the largest moves of the price against it and for
 * it in that time (maximum adverse and favourable excursion). Excursions are those of whole bars, from the bar of the entry to that of the
 * exit.
 */
import type { Candles } from "../../../candles/Candles.ts"
import { openTime } from "../../../candles/TimeAxis.ts"
import * as Csv from "../../../domain/Csv.ts"
import type { Market } from "../../../domain/Market.ts"
import type { Outcome } from "../kernel/Outcome.ts"
import { trades } from "./RoundTrips.ts"

const blockBars = 256

const extremes = (values: ArrayLike<number>, pick: (a: number, b: number) => number) => {
  const within = (from: number, to: number): number => {
    let extreme = values[from] ?? Number.NaN
    for (let bar = from + 1; bar <= to; bar++) extreme = pick(extreme, values[bar] ?? extreme)
    return extreme
  }
  const count = Math.floor(values.length / blockBars)
  const blocks = Array.from({ length: count }, (_, block) => within(block * blockBars, (block + 1) * blockBars - 1))
  return (from: number, to: number): number => {
    const [first, last] = [Math.ceil(from / blockBars), Math.floor((to + 1) / blockBars)]
    if (first >= last) return within(from, to)
    let blockExtreme = blocks[first] ?? Number.NaN
    for (let block = first + 1; block < last; block++) blockExtreme = pick(blockExtreme, blocks[block] ?? blockExtreme)
    if (from < first * blockBars) blockExtreme = pick(blockExtreme, within(from, first * blockBars - 1))
    return last * blockBars > to ? blockExtreme : pick(blockExtreme, within(last * blockBars, to))
  }
}

export const of = (outcome: Outcome, candles: Candles) => {
  const [highest, lowest] = [extremes(candles.high, Math.max), extremes(candles.low, Math.min)]
  return trades(outcome, candles).map((trade) => {
    const { side, entryPrice, entryBar, exitBar } = trade
    const up = highest(entryBar, exitBar) / entryPrice - 1
    const down = lowest(entryBar, exitBar) / entryPrice - 1
    const [adverse, favourable] = side === "BUY" ? [down, up] : [-up, -down]
    return {
      ...trade,
      entryTime: openTime(candles.time, entryBar),
      exitTime: openTime(candles.time, exitBar),
      adverse: Math.min(0, adverse),
      favourable: Math.max(0, favourable)
    }
  })
}

const titles = [
  ...["entry_time_ms", "exit_time_ms", "held_ms", "market", "slot", "entry_slot", "side"],
  ...["base", "entry_price", "exit_price", "gained_quote", "gained", "mae", "mfe"]
]

export const csv = (
  parts: ReadonlyArray<{ readonly outcome: Outcome; readonly candles: Candles; readonly market: Market }>
): string => {
  const all = parts.flatMap(({ outcome, candles, market }) => of(outcome, candles).map((trade) => ({ trade, market })))
  const rows = all
    .toSorted((a, b) => a.trade.exitTime - b.trade.exitTime)
    .map(({ market, trade }) => {
      const { side, base, entryPrice, exitPrice, gained, entryTime, exitTime, adverse, favourable } = trade
      const numbers = [base, entryPrice, exitPrice, gained, gained / (base * entryPrice), adverse, favourable]
      const about = [entryTime, exitTime, exitTime - entryTime, market.name, trade.slotName, trade.entrySlotName, side]
      return [...about, ...numbers.map((value) => Number(value.toPrecision(10)))]
    })
  return Csv.render(titles, rows, "\n")
}
