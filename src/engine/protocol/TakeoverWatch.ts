/**
 * Watches placements that an earlier process had started without a recorded signature, after a start at which events can be missing (see
 * `JournalIntegrity`). That process may have signed and paid. The venue chooses a new nonce for each payload, so signing again could pay
 * twice, and nothing is created or signed for them. The watch lasts as long as a request of the dead process may have been under way and
 * its deposit may take to show. A placement with a deposit then continues. Without one it is given up and its order is cancelled as spare;
 * money that reaches a cancelled order comes back.
 */
import { Clock, Effect, Stream } from "effect"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { elapsedMillis } from "../../domain/Durations.ts"
import type { Market } from "../../domain/Market.ts"
import { Venue } from "../../venue/Venue.ts"
import { EngineSettings } from "../EngineSettings.ts"
import { Bookkeeper, change } from "../state/Bookkeeper.ts"
import { mayBePaidEarlier } from "../state/orders/JournalIntegrity.ts"
import type { Placement } from "../state/Placement.ts"
import { orderPages, readOrder } from "../tracking/OrderReads.ts"
import { isFromOurCreate } from "../tracking/OrderTracker.ts"
import { meaning } from "./Sightings.ts"
import { concluded, isOnItsWay } from "./Silence.ts"

export const make = Effect.gen(function* () {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings

  /** Reads its own order and all others with its fingerprint: the money may be in a spare order, which may have ended. */
  const ordersOf = Effect.fnUntraced(function* (placement: Placement, market: Market | undefined) {
    const { by, order, plannedAt } = placement
    const own = order === undefined ? [] : [(yield* readOrder(venue, by, order)).value]
    if (by === "swap" || market === undefined) return own
    const pages = yield* Stream.runCollect(orderPages(venue, { since: plannedAt }))
    const twins = pages.flatMap(({ orders }) => orders).filter((each) => isFromOurCreate(placement, market, each))
    return [...own, ...twins.filter(({ id }) => id !== order?.id)]
  })

  const recordOf = ({ id }: Placement, events: (placement: Placement) => ReadonlyArray<BotEvent>) =>
    change(books, id, (placement) => (mayBePaidEarlier(placement) ? events(placement) : []))

  /** Polls once, after the waiting time. Fails only if the bot must stop or cannot reach the venue. */
  const checkTakenOver = Effect.fn("TakeoverWatch.checkTakenOver")(function* (
    placement: Placement,
    market: Market | undefined
  ) {
    const now = yield* Clock.currentTimeMillis
    const runMillis = elapsedMillis(books.state.runStartedAt, now)
    const orders = yield* ordersOf(placement, market)
    // An order that was refunded and never showed a deposit needs no tracking.
    const fundedOrder = orders.find(({ depositedAmount }) => depositedAmount > 0n)
    if (fundedOrder !== undefined) {
      const learn = recordOf(placement, (known) =>
        meaning(known, { order: fundedOrder, via: "look" }, { market, expected: settings.account })
      )
      // The first report binds the placement to the order; the second records the facts of the order.
      return yield* Effect.andThen(learn, learn)
    }
    if (orders.some(isOnItsWay)) return
    yield* recordOf(placement, (known) => concluded(known, { runMillis }, settings))
  })

  return { checkTakenOver }
})
