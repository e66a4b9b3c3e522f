/**
 * How requests to the venue went since the process started: who makes them counts, and what shows the bot reads. It is of the process, as the
 * rate of a credential is, so the accounts of a fleet's runner count together.
 */
import { Context } from "effect"

export interface Requests {
  readonly operation: string
  /** `ok`, or why not: the reason of the error. */
  readonly outcome: string
  count: number
  /** From sending to the last byte. */
  tookMillis: number
}

export interface RequestTotals {
  readonly requests: ReadonlyMap<string, Requests>
  /** How long requests waited for their turn in our own budget, by operation. */
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
      const known = requests.get(key) ?? { operation, outcome, count: 0, tookMillis: 0 }
      known.count += 1
      known.tookMillis += tookMillis
      requests.set(key, known)
    },
    waited: (operation, millis) => {
      waitedMillis.set(operation, (waitedMillis.get(operation) ?? 0) + millis)
    }
  }
}

export const RequestTally = Context.Reference<RequestTotals>("limitbot/domain/RequestTally", { defaultValue: make })
