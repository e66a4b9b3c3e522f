/**
 * The clock of expressions (UTC): hour and minute of the day, day of the week (1 is Monday) and of the month. A value that follows only
 * from closed candles uses the time at which each candle ends; a live run evaluates the rules right after that.
 */
import { DateTime } from "effect"
import { dayMillis, hourMillis, minuteMillis } from "../../../domain/Durations.ts"
import { timeframeMillis } from "../../../domain/Timeframe.ts"
import type { CandleColumns, IndicatorValues } from "../../Indicators.ts"
import type { Range } from "../Never.ts"
import { seriesTerm, type Term } from "../Term.ts"

interface Clock {
  /** Milliseconds, counted from midnight, for which the value stays the same. */
  readonly everyMillis: number
  readonly range: Range
  readonly value: (now: number) => number
}

export const clocks: ReadonlyMap<string, Clock> = new Map([
  ["hour", { everyMillis: hourMillis, range: [0, 23], value: (now) => Math.floor(now / hourMillis) % 24 }],
  ["minute", { everyMillis: minuteMillis, range: [0, 59], value: (now) => Math.floor(now / minuteMillis) % 60 }],
  // 1 January 1970 was a Thursday.
  ["weekday", { everyMillis: dayMillis, range: [1, 7], value: (now) => ((Math.floor(now / dayMillis) + 3) % 7) + 1 }],
  [
    "monthday",
    {
      everyMillis: dayMillis,
      range: [1, 31],
      value: (now) => (Number.isNaN(now) ? now : DateTime.getPartUtc(DateTime.makeUnsafe(now), "day"))
    }
  ]
])

/** The clock now. The values of slower clocks change only when those of faster clocks do. */
export const clockTerm = ({ everyMillis, range, value }: Clock): Term => ({
  type: "number",
  isLiteral: false,
  dependence: "none",
  range,
  value: ({ now, found: { consulted } }) => {
    if (consulted.clockMillis === 0 || everyMillis < consulted.clockMillis) consulted.clockMillis = everyMillis
    return value(now)
  }
})

/** The clock at the end of each candle; `NaN` if the time of the first candle is unknown. */
export const clockOfCandles = (name: string, { range, value }: Clock, timeframe: string): Term => {
  const millis = timeframeMillis(timeframe) ?? Number.NaN
  const column = ({ close, startMillis = Number.NaN }: CandleColumns): IndicatorValues =>
    close.map((_, index) => value(startMillis + (index + 1) * millis))
  return { ...seriesTerm({ timeframe, warmUp: 1, key: name, column }, "number"), range }
}
