/** Shares and times that a seed turns into accidents. The service tells the truth, but an answer may be old, or deny what was done. */
import { Struct } from "effect"
import { dayMillis, hourMillis, minuteMillis } from "../../domain/Durations.ts"

/** Shares of the requests, together at most one. */
const noAccidents = {
  requestLost: 0,
  answerLost: 0,
  /** It reaches the service late, perhaps after the client has given up. */
  requestLate: 0,
  answerLate: 0,
  twice: 0,
  refused: 0,
  /** The request was done, but its answer reports a failure. */
  misreported: 0,
  stale: 0
}

export const accidents = Struct.keys(noAccidents)
export type Accident = keyof typeof noAccidents

export interface Trouble extends Readonly<typeof noAccidents> {
  readonly lateMillis: number
  readonly staleMillis: number
  /** About one outage in this time, each up to `outageMillis` long; zero for none. */
  readonly outageEveryMillis: number
  readonly outageMillis: number
  /** Requests per second that the service accepts. The rate varies between these two; requests above it get 429. */
  readonly requestsPerSecond: readonly [number, number]
  /** About one crash in this time; zero for none. */
  readonly crashEveryMillis: number
  /** Longest time that the process stays down after a crash. */
  readonly downMillis: number
  /** About one suspension (SIGSTOP, sleep of a laptop) in this time; zero for none. */
  readonly suspendEveryMillis: number
  readonly suspendMillis: number
}

export const calm: Trouble = {
  ...noAccidents,
  lateMillis: 0,
  staleMillis: 0,
  outageEveryMillis: 0,
  outageMillis: 0,
  requestsPerSecond: [1_000, 1_000],
  crashEveryMillis: 0,
  downMillis: 0,
  suspendEveryMillis: 0,
  suspendMillis: 0
}

const low: Trouble = {
  ...calm,
  requestLost: 0.002,
  answerLost: 0.002,
  requestLate: 0.002,
  answerLate: 0.005,
  refused: 0.002,
  lateMillis: 10_000,
  outageEveryMillis: dayMillis,
  outageMillis: 10 * minuteMillis,
  crashEveryMillis: 48 * hourMillis,
  downMillis: 10 * minuteMillis
}

const medium: Trouble = {
  ...low,
  requestLost: 0.01,
  answerLost: 0.01,
  requestLate: 0.01,
  answerLate: 0.02,
  twice: 0.005,
  refused: 0.01,
  misreported: 0.005,
  stale: 0.02,
  lateMillis: 30_000,
  staleMillis: minuteMillis,
  outageEveryMillis: 6 * hourMillis,
  outageMillis: 30 * minuteMillis,
  requestsPerSecond: [5, 50],
  crashEveryMillis: 6 * hourMillis,
  downMillis: hourMillis,
  suspendEveryMillis: 12 * hourMillis,
  suspendMillis: 20 * minuteMillis
}

const high: Trouble = {
  ...medium,
  requestLost: 0.04,
  answerLost: 0.04,
  requestLate: 0.04,
  answerLate: 0.06,
  twice: 0.02,
  refused: 0.04,
  misreported: 0.02,
  stale: 0.06,
  lateMillis: minuteMillis,
  staleMillis: 5 * minuteMillis,
  outageEveryMillis: hourMillis,
  outageMillis: 20 * minuteMillis,
  requestsPerSecond: [1, 20],
  crashEveryMillis: hourMillis,
  downMillis: 30 * minuteMillis,
  suspendEveryMillis: 3 * hourMillis,
  suspendMillis: 20 * minuteMillis
}

export const levels = { none: calm, low, medium, high } as const
export type TroubleLevel = keyof typeof levels
