/**
 * How far our clock is ahead of the venue's, in milliseconds, from what its answers say. An answer bounds the difference by when
 * it was asked and when it came; the median of the last ones keeps one odd answer, or a cached one, from counting.
 */
import { DateTime, Option } from "effect"

const kept = 7

export interface Sample {
  /** By our wall clock. */
  readonly receivedAt: number
  /** By the monotonic clock. */
  readonly tookMillis: number
  /** From the body, exact. */
  readonly venueTime: number | undefined
  /** The `Date` header, in whole seconds. */
  readonly date: string | undefined
}

/** Between which numbers the difference is. */
const boundsOf = ({ date, receivedAt, tookMillis, venueTime }: Sample): readonly [number, number] | undefined => {
  const header = date === undefined ? undefined : Option.getOrUndefined(DateTime.make(date))
  const from = venueTime ?? (header === undefined ? undefined : DateTime.toEpochMillis(header))
  if (from === undefined) return undefined
  const until = venueTime ?? from + 1000
  return [receivedAt - tookMillis - until, receivedAt - from]
}

export const make = () => {
  let seen: ReadonlyArray<number> = []
  return {
    note: (sample: Sample): void => {
      const bounds = boundsOf(sample)
      if (bounds === undefined) return
      const [least, most] = bounds
      const skew = least > 0 ? least : most < 0 ? most : 0
      seen = [...seen, Math.round(skew)].slice(-kept)
    },
    /** Undefined before the first answer that tells a time. */
    millis: (): number | undefined => seen.toSorted((a, b) => a - b)[Math.trunc(seen.length / 2)]
  } as const
}
