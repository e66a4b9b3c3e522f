/**
 * A series that follows from its own last value: `next` gives each candle's value from closed candles and from the
 * value of the candle before. Every value is what the recursion comes to over the last `over` candles, beginning with
 * `initial`. So it does not depend on how long the bot has run: live and in a backtest it is the same.
 */
import type { CandleColumns, IndicatorValues } from "../../Indicators.ts"
import type { ClosedCandles } from "../../View.ts"
import { type Moment, nothingFound, type Series, type Term } from "../Term.ts"

/** Type aside, all that a recursion is. `warmUp`: of the series that both terms look at. */
export interface Recursion {
  readonly timeframe: string
  readonly key: string
  readonly warmUp: number
  readonly initial: Term
  readonly next: Term
  readonly over: number
}

/** The terms of a recursion look at candles alone, so nothing else of the moment matters. */
const momentOf = (timeframe: string, candle: ClosedCandles): Moment & { previous: number } => ({
  mid: Number.NaN,
  bid: Number.NaN,
  ask: Number.NaN,
  elsewhere: new Map(),
  now: 0,
  candles: new Map([[timeframe, candle]]),
  entry: Number.NaN,
  position: 0,
  own: undefined,
  depth: undefined,
  elapsed: 0,
  previous: Number.NaN,
  found: nothingFound()
})

/** A step whose inputs are not all known has no value. */
const evaluate = (term: Term, moment: Moment): number => {
  moment.found.isCold = false
  const value = term.value(moment)
  return moment.found.isCold ? Number.NaN : value
}

/**
 * A window that begins one candle later repeats the run of the window before from the first candle in which both have
 * the same value, so only the candles up to there are computed again.
 */
const columnOf = ({ timeframe, warmUp, initial, next, over }: Recursion, columns: CandleColumns): IndicatorValues => {
  const bars = columns.close.length
  const candle = { columns, closed: 0 }
  const moment = momentOf(timeframe, candle)
  const run = new Float64Array(bars).fill(Number.NaN)
  const result = new Float64Array(bars).fill(Number.NaN)
  const first = warmUp - 1
  for (let last = first; last < bars; last++) {
    const start = Math.max(first, last - over + 1)
    for (let bar = start; bar <= last; bar++) {
      candle.closed = bar + 1
      moment.previous = bar === start ? evaluate(initial, moment) : (run[bar - 1] ?? Number.NaN)
      const value = evaluate(next, moment)
      const isKnown = bar < last && value === run[bar]
      run[bar] = value
      if (isKnown) bar = last - 1
    }
    if (last >= first + over - 1) result[last] = run[last] ?? Number.NaN
  }
  return result
}

export const recursive = (recursion: Recursion): Series => ({
  timeframe: recursion.timeframe,
  warmUp: recursion.warmUp + recursion.over - 1,
  key: recursion.key,
  column: (columns) => columnOf(recursion, columns)
})
