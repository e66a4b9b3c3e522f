/**
 * How far our clock is ahead of the venue's, in milliseconds, judged by the venue's answers. Each answer bounds the
 * difference by the times of question and answer. The median of the latest answers keeps an odd or cached one from
 * counting. What bodies say is exact and the venue's own; headers, which a proxy may write, count only where no body of the
 * last minute told a time, and not while they stand still.
 */
import { DateTime, Option } from "effect"

const kept = 7
/** For so long a body outweighs headers. */
const bodyMillis = 60_000
/** A header in whole seconds that says the same for longer than this has stopped. */
const standsStillMillis = 3_000

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

const timeOf = (date: string | undefined): number | undefined => {
  const header = date === undefined ? undefined : Option.getOrUndefined(DateTime.make(date))
  return header === undefined ? undefined : DateTime.toEpochMillis(header)
}

/** The difference that is nearest to none, where the venue's time was between these two. */
const skewOf = ({ receivedAt, tookMillis }: Sample, from: number, until: number): number => {
  const [least, most] = [receivedAt - tookMillis - until, receivedAt - from]
  return Math.round(least > 0 ? least : most < 0 ? most : 0)
}

const median = (values: ReadonlyArray<number>): number | undefined =>
  values.toSorted((a, b) => a - b)[Math.trunc(values.length / 2)]

export const make = () => {
  let byBodies: ReadonlyArray<number> = []
  let byHeaders: ReadonlyArray<number> = []
  let bodyAt = Number.NEGATIVE_INFINITY
  let newestAt = Number.NEGATIVE_INFINITY
  /** What the header says, and since when by our clock. */
  let shown: { readonly date: string; readonly since: number } | undefined

  const noteHeader = (sample: Sample, date: string): void => {
    const from = timeOf(date)
    if (from === undefined) return
    if (shown?.date !== date) shown = { date, since: sample.receivedAt }
    if (sample.receivedAt - shown.since > standsStillMillis) byHeaders = []
    else byHeaders = [...byHeaders, skewOf(sample, from, from + 1000)].slice(-kept)
  }

  return {
    note: (sample: Sample): void => {
      const { date, receivedAt, venueTime } = sample
      newestAt = receivedAt
      if (date !== undefined) noteHeader(sample, date)
      if (venueTime === undefined) return
      bodyAt = receivedAt
      byBodies = [...byBodies, skewOf(sample, venueTime, venueTime)].slice(-kept)
    },
    /** Undefined until an answer tells a time. */
    millis: (): number | undefined => {
      // A clock that was set since says nothing of how long ago that was.
      const isRecent = Math.abs(newestAt - bodyAt) <= bodyMillis
      return isRecent ? median(byBodies) : (median(byHeaders) ?? median(byBodies))
    }
  } as const
}
