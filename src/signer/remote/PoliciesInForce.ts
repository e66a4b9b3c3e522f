/**
 * Which policies hold now. A policy holds from the moment at which the signer first sees it, and the ones before it hold beside it until
 * their own lock has passed since then: a payment has to please all of them. So whatever a new policy forbids is forbidden at once, and
 * whatever it allows beyond the others is allowed only after the lock, with nobody having to judge which change loosens what. Each
 * arrival is in the signer's record, so a restart changes nothing, and an older policy does not come back.
 */
import type { Policy } from "./Policy.ts"

export interface Arrival {
  readonly version: number
  readonly policy: Policy
  /** How long this policy goes on holding beside one that comes after it. */
  readonly lockMillis: number
  readonly at: number
}

interface PolicyInForce extends Arrival {
  /** From then on it no longer holds; the newest holds until another comes. */
  readonly until: number | undefined
}

/** In the order in which they came. One that comes while an older one still holds makes that one hold for its lock again. */
const inForceOf = (arrivals: ReadonlyArray<Arrival>): ReadonlyArray<PolicyInForce> =>
  arrivals.map((arrival, index) => {
    let until: number | undefined
    for (const { at } of arrivals.slice(index + 1))
      if (until === undefined || at < until) until = Math.max(until ?? 0, at + arrival.lockMillis)
    return { ...arrival, until }
  })

export const holdingAt = (arrivals: ReadonlyArray<Arrival>, now: number): ReadonlyArray<PolicyInForce> =>
  inForceOf(arrivals).filter(({ until }) => until === undefined || now < until)
