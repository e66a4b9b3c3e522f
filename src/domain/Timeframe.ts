/**
 * Timeframes of candles, as text ("30s", "15m", "4h", "1d", "1w") and in milliseconds. A candle begins at a multiple of its timeframe,
 * counted from 1970 in UTC; weeks begin on Monday.
 */
import { dayMillis, unitMillis } from "./Durations.ts"

const weekMillis = 7 * dayMillis
const millisOf = new Map<string, number>(Object.entries({ ...unitMillis, w: weekMillis }))

const millisByTimeframe = new Map<string, number>()

export const timeframeMillis = (timeframe: string): number | undefined => {
  const before = millisByTimeframe.get(timeframe)
  if (before !== undefined) return before
  const [, count, unit] = /^([1-9]\d{0,3})([smhdw])$/.exec(timeframe) ?? []
  if (unit === undefined) return undefined
  const millis = Number(count) * (millisOf.get(unit) ?? 0)
  millisByTimeframe.set(timeframe, millis)
  return millis
}

export const timeframeOf = (millis: number): string => {
  const [unit, size] = [...millisOf].sort(([, a], [, b]) => b - a).find(([, size]) => millis % size === 0) ?? [
    "s",
    1_000
  ]
  return `${millis / size}${unit}`
}

/** 1970 began on a Thursday. */
const firstMonday = 4 * dayMillis

export const frameEnd = (at: number, millis: number): number => frameStart(at, millis) + millis

export const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))

/** Length at which a candle closes whenever a candle of one of these lengths closes. Zero means none. */
export const commonMillis = (a: number, b: number): number => {
  const common = divisor(a, b)
  const hasWeeks = (millis: number) => millis > 0 && millis % weekMillis === 0
  // Frames other than weeks are counted from 1970, so they close with weeks only if they divide the time before its first Monday.
  return hasWeeks(common) || !(hasWeeks(a) || hasWeeks(b)) ? common : divisor(common, firstMonday)
}

export const frameStart = (at: number, millis: number): number => {
  const origin = millis % weekMillis === 0 ? firstMonday : 0
  return origin + Math.floor((at - origin) / millis) * millis
}
