/**
 * I7: nothing is funded at a price far from the market's true one, whatever a bot was told of it. And money is planned, signed and first sent only on a price that was asked for lately. The judge saw the questions leave,
 * so a clock that is wrong, a process that slept and an answer that never came all count by the world's own time.
 */
import type { Of } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Departure, RequestFate } from "../../../src/rehearsal/world/Network.ts"
import type { Court } from "./Judge.ts"

/** The files' own limit of 30 seconds, and what the small steps of a clock hide of it. */
export const oldestMillis = 35_000

/** Questions that may get the present price for an answer. */
const answering: ReadonlySet<RequestFate> = new Set(["delivered", "requestLate", "answerLate", "twice", "stale"])

/** An order may give away as much as the limits of the files, and what the market moves in between. */
const mostGivenAway = 0.1
/** An order that waits for a better price stands at a level that the market may have left behind. */
const mostDistant = 0.2

/** The true price of a market now; none where the strategies may be far from it. */
export type Truth = (market: string) => number | undefined

export const make = ({ now, violated }: Court, truth: Truth = () => undefined) => {
  const askedAt = new Map<string, number>()
  return {
    /** Money is signed away for this. */
    paid: (planned: Pick<Of<"Planned">, "market" | "mid" | "placement" | "price" | "side" | "why">): void => {
      const { market, mid: seen, placement, price, side, why } = planned
      const mid = truth(market)
      const off = mid === undefined ? 0 : Decimal.toNumber(price) / mid - 1
      const givenAway = side === "SELL" ? -off : off
      if (givenAway > mostGivenAway || -givenAway > mostDistant)
        violated(
          "I7",
          `${placement} was signed at ${Math.round(off * 100)} % from the true price: ${side} ${market} at ${Decimal.format(price)} (${why.code}), the bot saw ${seen === undefined ? "no price" : Decimal.format(seen)}, the market is at ${mid}`
        )
    },
    departed: (bot: string, { body, fate, method, path }: Departure): void => {
      if (method !== "POST" || path !== "/v0/quote" || !answering.has(fate)) return
      if (JSON.parse(body).dry === true) askedAt.set(bot, now())
    },
    /** `what` happened then, and needed a price. */
    needed: (bot: string, what: string, at = now()): void => {
      const age = at - (askedAt.get(bot) ?? Number.NEGATIVE_INFINITY)
      if (age > oldestMillis) violated("I7", `${what}: no price was asked for in the last ${age / 1000} s`)
    }
  }
}
