/**
 * Functions that look back over closed candles. Each looks back over the number of candles in the file, so a bot that has just started sees
 * the same as a long backtest.
 */
import { present } from "../../../domain/Present.ts"
import type { CandleColumns, IndicatorValues } from "../../Indicators.ts"
import { columnOf, frameOf, type Series, seriesTerm, type Term, type ValueType, volumesIn } from "../Term.ts"

export const shifted = (term: Term & { readonly series: Series }, back: number): Term => {
  const { series, range } = term
  const column = (candles: CandleColumns): IndicatorValues => {
    const values = columnOf(series, candles)
    return values.map((_, index) => (index < back ? Number.NaN : (values[index - back] ?? Number.NaN)))
  }
  const past = { ...frameOf(series), warmUp: series.warmUp + back, key: `${series.key}[${back}]`, column }
  return { ...seriesTerm(past, term.type), ...present({ range }) }
}

type LookBack = (since: number, count: number, index: number, candles: CandleColumns) => number

const windows = (
  name: string,
  condition: Series,
  length: number,
  look: LookBack,
  type: ValueType,
  other: Series = condition
): Term => {
  const column = (candles: CandleColumns): IndicatorValues => {
    const truth = columnOf(condition, candles)
    let [last, undefinedUntil, count] = [Number.NEGATIVE_INFINITY, 0, 0]
    return truth.map((value, index) => {
      if (Number.isNaN(value)) undefinedUntil = index + length
      if (value > 0) last = index
      count += value > 0 ? 1 : 0
      const leaves = truth[index - length] ?? 0
      if (leaves > 0) count -= 1
      if (index < undefinedUntil || index + 1 < length) return Number.NaN
      const since = index - last
      return look(since < length ? since : Number.POSITIVE_INFINITY, count, index, candles)
    })
  }
  const warmUp = Math.max(condition.warmUp, other.warmUp) + length - 1
  const key = `${name}(${condition.key}, ${other.key}, ${length})`
  const others = [...(condition.others ?? []), ...(other.others ?? [])]
  const frame = { ...frameOf(condition), ...(others.length === 0 ? {} : { others }), ...volumesIn([condition, other]) }
  return seriesTerm({ ...frame, warmUp, key, column }, type)
}

export const count = (condition: Series, length: number): Term => ({
  ...windows("count", condition, length, (_, held) => held, "number"),
  range: [0, length]
})

export const barsSince = (condition: Series, length: number): Term =>
  windows("barssince", condition, length, (since) => since, "number")

export const valueWhen = (condition: Series, value: Series, length: number, type: ValueType): Term => {
  const look: LookBack = (since, _, index, candles) =>
    Number.isFinite(since) ? (columnOf(value, candles)[index - since] ?? Number.NaN) : Number.NaN
  return windows("valuewhen", condition, length, look, type, value)
}
