/** Candles of several files of one market, one after the other, as one series. */
import { Array as Arr, Order, Result } from "effect"
import { iso } from "../domain/Text.ts"
import { type Candles, type Column, column } from "./Candles.ts"
import * as TimeAxis from "./TimeAxis.ts"

export interface FilePart {
  readonly file: string
  readonly candles: Candles
}

const startOf = ({ candles: { time } }: FilePart): number => TimeAxis.openTime(time, 0)

/** Joins consecutive files of one market. Fails if two files have candles of different lengths, or overlap. */
export const joined = (parts: Arr.NonEmptyReadonlyArray<FilePart>): Result.Result<Candles, string> => {
  const [first, ...others] = Arr.sortWith(parts, startOf, Order.Number)
  const { stepMillis } = first.candles.time
  let before: FilePart = first
  for (const part of others) {
    const { bars, time } = before.candles
    const end = TimeAxis.closeTime(time, bars - 1)
    if (part.candles.time.stepMillis !== stepMillis)
      return Result.fail(
        `${part.file} has candles of ${part.candles.time.stepMillis / 1000} s, and ${first.file} of ${stepMillis / 1000} s; choose files of one length`
      )
    if (startOf(part) < end)
      return Result.fail(
        `${part.file} begins at ${iso(startOf(part))}, before ${before.file} ends; give each time once`
      )
    before = part
  }
  const all = [first, ...others].map(({ candles }) => candles)
  const bars = all.reduce((sum, candles) => sum + candles.bars, 0)
  const whole = (columnOf: (candles: Candles) => Float64Array): Column => {
    const joinedColumn = column(columnOf(first.candles).length === 0 ? 0 : bars)
    let at = 0
    for (const candles of all) {
      joinedColumn.set(columnOf(candles), at)
      at += candles.bars
    }
    return joinedColumn
  }
  const times = whole(({ bars, time }) => Float64Array.from({ length: bars }, (_, bar) => TimeAxis.openTime(time, bar)))
  return Result.succeed({
    bars,
    time: TimeAxis.make(times, stepMillis),
    open: whole(({ open }) => open),
    high: whole(({ high }) => high),
    low: whole(({ low }) => low),
    close: whole(({ close }) => close),
    volume: whole(({ volume }) => volume),
    priceScale: Math.max(...all.map(({ priceScale }) => priceScale))
  })
}
