/** Refusals: those that the interface demands, and those that it leaves to the service. A 5xx is neither. */

import { at, that, usual } from "./Seen.ts"
import type { Answer } from "./World.ts"

export const isRefused = ({ status }: Answer): boolean => status >= 400 && status < 500

export const mustBeRefused = (answer: Answer): string => {
  that(isRefused(answer), `it is answered ${answer.status}`)
  return `${answer.status}`
}

export const mayBeRefused = (answer: Answer): string => {
  usual(answer.status >= 300, `it is answered ${answer.status}`)
  return mustBeRefused(answer)
}

/** The body of the endpoints of deposits, statuses and signed intents. */
export const mustSayWhy = (answer: Answer): string => {
  const message = at(answer.body, "message")
  that(typeof message === "string", "the body has no message")
  return String(message).slice(0, 120)
}
