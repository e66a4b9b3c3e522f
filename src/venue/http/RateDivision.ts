/**
 * Divides the rate of one credential between runners, by pure functions. Each runner gets its demand while the sum is allowed; beyond that,
 * a larger demand gives no larger share. Each has a floor, so a quiet runner can begin at once. Shares are fractions, so a lesson, which
 * halves the whole rate, applies to all of them. A renewal takes only what no other runner holds. So the shares never exceed the whole, in
 * any order of renewals: a runner whose share shrinks releases it first.
 */
import { halved, type Rates } from "./RateShare.ts"

export interface Holding {
  readonly share: number
  /** Share between the end of its lease and its removal: enough to follow its orders. */
  readonly careful: number
  /** Requests per second. */
  readonly demand: number
  readonly isLeased: boolean
}

export type LearntRate = Readonly<Record<"rate" | "lessons", number>>

export interface RateTold {
  readonly demand: number
  readonly accepted: number
  readonly refusedAfterLessons: number | undefined
}

export interface RateRenewal extends LearntRate {
  readonly share: number
  readonly careful: number
  readonly isWaiting: boolean
}

/** Requests per second that a runner always has, if the rate allows as many. */
const floorRate = 1
const slight = 0.01

export const renew = (
  learnt: LearntRate,
  others: ReadonlyArray<Holding>,
  told: RateTold,
  settings: Pick<Rates, "increase" | "max" | "min">
): RateRenewal => {
  const { lessons, rate } = taught(learnt, told, settings)
  const leased = others.filter(({ isLeased }) => isLeased)
  const silent = sum(others.filter(({ isLeased }) => !isLeased).map(({ careful }) => careful))
  const shareable = Math.max(0, rate * (1 - silent))
  const [due = 0] = divide(shareable, [told.demand, ...leased.map(({ demand }) => demand)])
  const free = Math.max(0, 1 - silent - sum(leased.map(({ share }) => share)))
  const share = Math.min(due / rate, free)
  const careful = Math.min(share, floorOf(shareable, leased.length + 1) / rate)
  return { rate, lessons, share, careful, isWaiting: due / rate - share > slight }
}

/** In the order of the demands. The unused rate is divided evenly. */
export const divide = (rate: number, demands: ReadonlyArray<number>): ReadonlyArray<number> => {
  const floor = floorOf(rate, demands.length)
  const claims = demands.map((demand) => Math.max(floor, demand))
  const level = levelOf(rate, claims)
  const grants = claims.map((want) => Math.min(want, level))
  const spare = Math.max(0, rate - sum(grants)) / demands.length
  return grants.map((each) => each + spare)
}

const floorOf = (rate: number, runners: number): number => Math.min(floorRate, rate / runners)

const levelOf = (rate: number, wanted: ReadonlyArray<number>): number => {
  let [left, waiting] = [rate, wanted.length]
  for (const want of wanted.toSorted((one, other) => one - other)) {
    if (want * waiting >= left) return left / waiting
    left -= want
    waiting -= 1
  }
  return Number.POSITIVE_INFINITY
}

/** A refusal is a new lesson only if the runner knew the last one. Otherwise it sent the requests before it heard of that lesson. */
const taught = (
  { lessons, rate }: LearntRate,
  { accepted, refusedAfterLessons }: RateTold,
  settings: Pick<Rates, "increase" | "max" | "min">
): LearntRate => {
  // As if each request had raised the rate by itself.
  const raised = Math.min(settings.max, Math.sqrt(rate * rate + 2 * settings.increase * accepted))
  return refusedAfterLessons === lessons
    ? { lessons: lessons + 1, rate: halved(raised, settings) }
    : { lessons, rate: raised }
}

const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((total, amount) => total + amount, 0)
