/** Timeframes of candles, as text ("15m", "4h", "1d") and in milliseconds. */
import * as Read from "./Fields.ts"

const unitMillis: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** `undefined` for anything that is not a whole number of minutes, hours or days. */
export const timeframeMillis = (timeframe: string): number | undefined => {
  const [, count, unit] = /^([1-9]\d{0,3})([mhd])$/.exec(timeframe) ?? []
  return unit === undefined ? undefined : Number(count) * (unitMillis[unit] ?? 0)
}

export const timeframe: Read.Reader<string> = Read.scalar(
  "a timeframe such as 15m, 4h or 1d",
  (text) => (timeframeMillis(text) === undefined ? undefined : text),
  undefined,
  { type: "string", pattern: "^[1-9]\\d{0,3}[mhd]$" }
)
