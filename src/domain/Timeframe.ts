/**
 * Timeframes of candles, as text ("30s", "15m", "4h", "1d", "1w") and in milliseconds. A candle begins at a multiple of its
 * timeframe, counted from 1970 in UTC; weeks begin on Monday.
 */

const unitMillis: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000
}

/** `undefined` for anything that is not a number and one of s, m, h, d, w. */
export const timeframeMillis = (timeframe: string): number | undefined => {
  const [, count, unit] = /^([1-9]\d{0,3})([smhdw])$/.exec(timeframe) ?? []
  return unit === undefined ? undefined : Number(count) * (unitMillis[unit] ?? 0)
}

const weekMillis = 604_800_000
/** 1970 began on a Thursday. */
const firstMonday = 4 * 86_400_000

/** When the candle of this length that contains the moment began. */
export const frameStart = (at: number, millis: number): number => {
  const origin = millis % weekMillis === 0 ? firstMonday : 0
  return origin + Math.floor((at - origin) / millis) * millis
}
