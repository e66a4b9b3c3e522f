/** Indicators for strategies in code, computed once for each column of candles. They equal the indicators of expressions. */
import * as Indicators from "../Indicators.ts"
import type { ClosedCandles } from "../View.ts"
import { OwnCodeFailed } from "./OwnCodeFailed.ts"
import type { indicatorNames } from "./Prelude.ts"

type Column = (candles: Indicators.CandleColumns, length: number) => Indicators.IndicatorValues

const columns: Readonly<Record<(typeof indicatorNames)[number], Column>> = {
  sma: ({ close }, length) => Indicators.sma(close, length),
  ema: ({ close }, length) => Indicators.ema(close, length),
  rsi: ({ close }, length) => Indicators.rsi(close, length),
  atr: Indicators.atr
}

const isName = (name: string): name is keyof typeof columns => Object.hasOwn(columns, name)

const maxLength = 5_000
const maxColumns = 64

const computed = new WeakMap<Indicators.CandleColumns, Map<string, Indicators.IndicatorValues>>()

interface Request {
  readonly name: string
  readonly length: number
  /** 0 is the last closed candle. */
  readonly back: number
}

/** `NaN` with too few candles, and for a candle that has not closed. */
export const indicatorOf = (candles: ClosedCandles | undefined, { back, length, name }: Request): number => {
  if (!isName(name) || !Number.isInteger(length) || length < 1 || length > maxLength)
    throw new OwnCodeFailed(`${name}(${length}): the length has to be a whole number from 1 to ${maxLength}`)
  if (candles === undefined || !(back >= 0)) return Number.NaN
  const byName = computed.get(candles.columns) ?? new Map<string, Indicators.IndicatorValues>()
  computed.set(candles.columns, byName)
  const key = `${name} ${length}`
  const column = byName.get(key)
  if (column === undefined && byName.size >= maxColumns)
    throw new OwnCodeFailed(`it asks for more than ${maxColumns} indicators of one timeframe`)
  const values = column ?? columns[name](candles.columns, length)
  byName.set(key, values)
  return values[candles.closed - 1 - back] ?? Number.NaN
}
