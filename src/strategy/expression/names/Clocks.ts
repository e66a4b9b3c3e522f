/** What the clock says (UTC): hour and minute of the day, day of the week (1 is Monday) and of the month. */
import { DateTime } from "effect"
import { dayMillis, hourMillis, minuteMillis } from "../../../domain/Durations.ts"
import type { Range } from "../Never.ts"

interface Clock {
  /** How long the answer stays the same, counted from midnight. */
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
    { everyMillis: dayMillis, range: [1, 31], value: (now) => DateTime.getPartUtc(DateTime.makeUnsafe(now), "day") }
  ]
])
