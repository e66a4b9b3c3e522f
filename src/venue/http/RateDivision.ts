/**
 * How runners divide the rate of one credential: by what each asks for, as long as all of it is allowed; beyond that nobody gets more because it
 * asks for more. Each has a floor, so a quiet one can begin at once. Everything here is pure. Shares are parts of one, so that a
 * lesson, which halves the whole, is a lesson for all of them.
 *
 * A runner only takes what no other holds, by its own renewal. Therefore the shares never come to more than the whole, at no moment and in
 * whatever order runners renew: one that is to have less gives it up first.
 */
import { halved, type Rates } from "./RateShare.ts"

/** What another runner may count on. */
export interface Holding {
  readonly share: number
  /** What is left of it once its lease is over and before it is forgotten: enough to see what becomes of its orders. */
  readonly careful: number
  /** Requests per second. */
  readonly demand: number
  readonly isLeased: boolean
}

/** What all runners have learnt of a credential. */
export interface LearntRate {
  readonly rate: number
  /** How often it was halved. */
  readonly lessons: number
}

/** What a runner has seen since it told last. */
export interface RateTold {
  readonly demand: number
  readonly accepted: number
  /** How many lessons were known when it was refused. */
  readonly refusedAfterLessons: number | undefined
}

export interface RateRenewal extends LearntRate {
  readonly share: number
  readonly careful: number
  /** Others still hold some of what is due to it. */
  readonly isWaiting: boolean
}

/** Requests per second that a runner has whatever others ask for, where that many are allowed. */
const floorRate = 1
/** Shares that differ by less are the same. */
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

/** The shares of a rate, in the order of the demands. What nobody asks for is divided evenly. */
export const divide = (rate: number, demands: ReadonlyArray<number>): ReadonlyArray<number> => {
  const floor = floorOf(rate, demands.length)
  const wanted = demands.map((demand) => Math.max(floor, demand))
  const level = levelOf(rate, wanted)
  const given = wanted.map((want) => Math.min(want, level))
  const spare = Math.max(0, rate - sum(given)) / demands.length
  return given.map((each) => each + spare)
}

const floorOf = (rate: number, runners: number): number => Math.min(floorRate, rate / runners)

/** Nobody gets more than this, and whoever wants less gets all of it. */
const levelOf = (rate: number, wanted: ReadonlyArray<number>): number => {
  let [left, waiting] = [rate, wanted.length]
  for (const want of wanted.toSorted((one, other) => one - other)) {
    if (want * waiting >= left) return left / waiting
    left -= want
    waiting -= 1
  }
  return Number.POSITIVE_INFINITY
}

/** What others were refused since then was sent before they heard of the lesson. */
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
