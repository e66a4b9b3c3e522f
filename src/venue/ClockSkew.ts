/**
 * Estimates the milliseconds by which our clock is ahead of the venue's. Each answer bounds the difference by the times of request and
 * answer. The median of the latest answers removes odd or cached ones. Times in bodies are exact and come from the venue. A proxy may write
 * headers, so they count only if no body of the last minute had a time, and not while they stand still.
 */
import { DateTime, Option } from "effect"

const maxSamples = 7
const bodyMillis = 60_000
const standsStillMillis = 3_000

export interface Sample {
  /** By our wall clock. */
  readonly receivedAt: number
  /** By the monotonic clock. */
  readonly tookMillis: number
  readonly venueTime: number | undefined
  readonly date: string | undefined
}

const timeOf = (date: string | undefined): number | undefined => {
  const header = date === undefined ? undefined : Option.getOrUndefined(DateTime.make(date))
  return header === undefined ? undefined : DateTime.toEpochMillis(header)
}

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
  let lastHeader: { readonly date: string; readonly since: number } | undefined

  const noteHeader = (sample: Sample, date: string): void => {
    const from = timeOf(date)
    if (from === undefined) return
    if (lastHeader?.date !== date) lastHeader = { date, since: sample.receivedAt }
    if (sample.receivedAt - lastHeader.since > standsStillMillis) byHeaders = []
    else byHeaders = [...byHeaders, skewOf(sample, from, from + 1000)].slice(-maxSamples)
  }

  return {
    note: (sample: Sample): void => {
      const { date, receivedAt, venueTime } = sample
      newestAt = receivedAt
      if (date !== undefined) noteHeader(sample, date)
      if (venueTime === undefined) return
      bodyAt = receivedAt
      byBodies = [...byBodies, skewOf(sample, venueTime, venueTime)].slice(-maxSamples)
    },
    millis: (): number | undefined => {
      // If the clock was set since then, the age of that answer is unknown.
      const isRecent = Math.abs(newestAt - bodyAt) <= bodyMillis
      return isRecent ? median(byBodies) : (median(byHeaders) ?? median(byBodies))
    }
  } as const
}
