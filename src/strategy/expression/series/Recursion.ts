/**
 * Series that follow from their own last values: `next` computes a candle's value from closed candles and from the members' values in the
 * candle before. Every value is the result of the recursion over the last `over` candles, beginning with `initial`. So it does not depend
 * on how long the bot has run, and is the same live and in a backtest.
 */
import type { CandleColumns, IndicatorValues } from "../../Indicators.ts"
import type { ClosedCandles } from "../../View.ts"
import { frameOf, type Moment, nothingFound, type Series, type Term } from "../Term.ts"

export interface Recursion extends Pick<Series, "timeframe" | "volumesOf"> {
  readonly key: string
  readonly warmUp: number
  readonly members: ReadonlyArray<{ readonly initial: Term; readonly next: Term }>
  readonly over: number
}

/** The terms of a recursion read only candles, so the other fields do not matter. */
const momentOf = (timeframe: string, candle: ClosedCandles, previous: Float64Array): Moment => ({
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
  signals: undefined,
  elapsed: 0,
  previous,
  found: nothingFound()
})

const evaluate = (term: Term, moment: Moment): number => {
  moment.found.isCold = false
  const value = term.value(moment)
  return moment.found.isCold ? Number.NaN : value
}

/**
 * A window that begins one candle later equals the previous run from the first candle in which both have equal values. Only the candles
 * before that are computed again.
 */
const columnsOf = (
  { timeframe, warmUp, members, over }: Recursion,
  columns: CandleColumns
): ReadonlyArray<IndicatorValues> => {
  const bars = columns.close.length
  const candle = { columns, closed: 0 }
  const all = members.map((member) => ({
    ...member,
    run: new Float64Array(bars).fill(Number.NaN),
    result: new Float64Array(bars).fill(Number.NaN)
  }))
  const previous = new Float64Array(all.length)
  const moment = momentOf(timeframe, candle, previous)
  const first = warmUp - 1
  for (let last = first; last < bars; last++) {
    const start = Math.max(first, last - over + 1)
    for (let bar = start; bar <= last; bar++) {
      candle.closed = bar + 1
      for (const [index, { initial, run }] of all.entries())
        previous[index] = bar === start ? evaluate(initial, moment) : (run[bar - 1] ?? Number.NaN)
      let isKnown = bar < last
      for (const { next, run } of all) {
        const value = evaluate(next, moment)
        isKnown &&= value === run[bar]
        run[bar] = value
      }
      if (isKnown) bar = last - 1
    }
    if (last >= first + over - 1) for (const { result, run } of all) result[last] = run[last] ?? Number.NaN
  }
  return all.map(({ result }) => result)
}

export const recursive = (recursion: Recursion): ReadonlyArray<Series> => {
  const computed = new WeakMap<CandleColumns, ReadonlyArray<IndicatorValues>>()
  const columnsIn = (columns: CandleColumns) => {
    const memberColumns = computed.get(columns) ?? columnsOf(recursion, columns)
    computed.set(columns, memberColumns)
    return memberColumns
  }
  return recursion.members.map((_, index) => ({
    ...frameOf(recursion),
    warmUp: recursion.warmUp + recursion.over - 1,
    key: `${recursion.key}#${index}`,
    column: (columns) => columnsIn(columns)[index] ?? new Float64Array(columns.close.length).fill(Number.NaN)
  }))
}
