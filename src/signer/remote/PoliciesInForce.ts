/**
 * Computes the policies in force. A policy holds from the time at which the signer first sees it. Earlier policies hold beside it until
 * their own lock has passed since then, and a payment has to satisfy all of them. So a new policy forbids at once, and allows more only
 * after the lock. Each arrival is in the signer's record, so a restart changes nothing, and an older policy does not come back.
 */
import type { Policy } from "./Policy.ts"

export interface Arrival {
  readonly version: number
  readonly policy: Policy
  /** Time for which this policy stays in force beside its successor. */
  readonly lockMillis: number
  readonly at: number
}

interface PolicyInForce extends Arrival {
  /** `undefined` for the newest policy. */
  readonly until: number | undefined
}

/** In the order of arrival. If a policy arrives while an older one is in force, the older one's lock starts again. */
const inForceOf = (arrivals: ReadonlyArray<Arrival>): ReadonlyArray<PolicyInForce> =>
  arrivals.map((arrival, index) => {
    let until: number | undefined
    for (const { at } of arrivals.slice(index + 1))
      if (until === undefined || at < until) until = Math.max(until ?? 0, at + arrival.lockMillis)
    return { ...arrival, until }
  })

export const holdingAt = (arrivals: ReadonlyArray<Arrival>, now: number): ReadonlyArray<PolicyInForce> =>
  inForceOf(arrivals).filter(({ until }) => until === undefined || now < until)
