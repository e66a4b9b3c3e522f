/**
 * Counts of requests to the venue since the process started. The client counts, and displays read the counts. They belong to the process,
 * like the rate limit of a credential, so the accounts of a fleet's runner count together.
 */
import { Context } from "effect"

export interface Requests {
  readonly operation: string
  /** `ok`, or the reason of the error. */
  readonly outcome: string
  count: number
  tookMillis: number
}

export interface RequestTotals {
  readonly requests: ReadonlyMap<string, Requests>
  readonly waitedMillis: ReadonlyMap<string, number>
  readonly sent: (operation: string, outcome: string, tookMillis: number) => void
  readonly waited: (operation: string, millis: number) => void
}

const make = (): RequestTotals => {
  const requests = new Map<string, Requests>()
  const waitedMillis = new Map<string, number>()
  return {
    requests,
    waitedMillis,
    sent: (operation, outcome, tookMillis) => {
      const key = `${operation} ${outcome}`
      const tally = requests.get(key) ?? { operation, outcome, count: 0, tookMillis: 0 }
      tally.count += 1
      tally.tookMillis += tookMillis
      requests.set(key, tally)
    },
    waited: (operation, millis) => {
      waitedMillis.set(operation, (waitedMillis.get(operation) ?? 0) + millis)
    }
  }
}

export const RequestTally = Context.Reference<RequestTotals>("limitbot/domain/RequestTally", { defaultValue: make })
