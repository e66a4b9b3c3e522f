/**
 * A queue in which accounts take turns: the first request of an account waits for at most one request of each other account. The requests
 * of one account keep their order. Shared requests, such as prices and the list of orders, get every second turn, because every account
 * waits for them.
 */
import { Context } from "effect"

/** The account that makes the requests. Unset for shared requests, and in a bot that has one account. */
export const RateAsker = Context.Reference<string | undefined>("limitbot/venue/http/RateAsker", {
  defaultValue: () => undefined
})

type Asker = string | undefined

export class FairLine<A> {
  private readonly byAsker = new Map<Asker, Array<A>>()
  private wasForAll = false

  get isEmpty(): boolean {
    return this.byAsker.size === 0
  }

  join(asker: Asker, waiting: A): void {
    const own = this.byAsker.get(asker)
    if (own === undefined) this.byAsker.set(asker, [waiting])
    else own.push(waiting)
  }

  next(): A | undefined {
    const asker = this.whoseTurn()
    const own = this.byAsker.get(asker)
    const turn = own?.shift()
    this.wasForAll = asker === undefined
    // An account that had its turn goes behind all that wait.
    this.byAsker.delete(asker)
    if (own !== undefined && own.length > 0) this.byAsker.set(asker, own)
    return turn
  }

  leave(asker: Asker, waiting: A): void {
    const own = this.byAsker.get(asker)
    const place = own?.indexOf(waiting) ?? -1
    if (own === undefined || place < 0) return
    own.splice(place, 1)
    if (own.length === 0) this.byAsker.delete(asker)
  }

  private whoseTurn(): Asker {
    if (!this.wasForAll && this.byAsker.has(undefined)) return undefined
    for (const asker of this.byAsker.keys()) if (asker !== undefined) return asker
    return undefined
  }
}
