/**
 * I7: money is planned, signed and first sent only on a price that was asked for lately. The judge saw the questions leave,
 * so a clock that is wrong, a process that slept and an answer that never came all count by the world's own time.
 */
import type { Departure, RequestFate } from "../../../src/rehearsal/Network.ts"
import type { Court } from "./Judge.ts"

/** The files' own limit of 30 seconds, and what the small steps of a clock hide of it. */
export const oldestMillis = 35_000

/** Questions that may get the present price for an answer. */
const answering: ReadonlySet<RequestFate> = new Set(["delivered", "requestLate", "answerLate", "twice", "stale"])

export const make = ({ now, violated }: Court) => {
  const askedAt = new Map<string, number>()
  return {
    departed: (bot: string, { body, fate, method, path }: Departure): void => {
      if (method !== "POST" || path !== "/v0/quote" || !answering.has(fate)) return
      if (JSON.parse(body).dry === true) askedAt.set(bot, now())
    },
    /** `what` happens now, and needs a price. */
    needed: (bot: string, what: string): void => {
      const age = now() - (askedAt.get(bot) ?? Number.NEGATIVE_INFINITY)
      if (age > oldestMillis) violated("I7", `${what}: no price was asked for in the last ${age / 1000} s`)
    }
  }
}
