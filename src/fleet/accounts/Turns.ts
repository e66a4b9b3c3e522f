/**
 * When an account of a fleet has its turn to be compared. The turn follows from its name and the clock alone: turns of many accounts are
 * spread evenly, and an account keeps its own whoever owns it, so it is compared as often as a bot of its own however often owners change.
 */
import { createHash } from "node:crypto"
import { Clock, Effect } from "effect"
import type * as Background from "../../engine/reconciliation/Background.ts"

/**
 * First comparison after a start happens within this time. It finds orders that another owner left or that a restored journal lacks. The
 * delay spreads the load if all accounts start at once.
 */
const firstMillis = 600_000

export const of = (account: string, everyMillis: number): Background.Turns => ({
  first: waitOf(account, Math.min(everyMillis, firstMillis)),
  next: waitOf(account, everyMillis)
})

const waitOf = (account: string, spanMillis: number) => {
  const moment = createHash("sha256").update(account).digest().readUIntBE(0, 6) % spanMillis
  return Effect.map(Clock.currentTimeMillis, (now) => spanMillis - ((now - moment + spanMillis) % spanMillis))
}
