/**
 * How far our clock is ahead of the venue's, in milliseconds, judged by the venue's answers. Each answer bounds the
 * difference by the times of question and answer. The median of the latest answers keeps an odd or cached one from
 * counting.
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

/** What an answer told. */
interface Mark {
  readonly skewMillis: number
}

/** The bounds of the difference. */
const boundsOf = ({ date, receivedAt, tookMillis, venueTime }: Sample): readonly [number, number] | undefined => {
  const header = date === undefined ? undefined : Option.getOrUndefined(DateTime.make(date))
  const from = venueTime ?? (header === undefined ? undefined : DateTime.toEpochMillis(header))
  if (from === undefined) return undefined
  const until = venueTime ?? from + 1000
  return [receivedAt - tookMillis - until, receivedAt - from]
}

export const make = () => {
  let seen: ReadonlyArray<Mark> = []
  return {
    /** `instead`: what the header of the same answer told, which is less exact and may be that of a proxy. */
    note: (sample: Sample, instead?: Mark): Mark | undefined => {
      const bounds = boundsOf(sample)
      if (bounds === undefined) return undefined
      const [least, most] = bounds
      const mark = { skewMillis: Math.round(least > 0 ? least : most < 0 ? most : 0) }
      seen = [...seen.filter((each) => each !== instead), mark].slice(-kept)
      return mark
    },
    /** Undefined until an answer tells a time. */
    millis: (): number | undefined =>
      seen.map(({ skewMillis }) => skewMillis).toSorted((a, b) => a - b)[Math.trunc(seen.length / 2)]
  } as const
}
