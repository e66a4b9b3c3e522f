/**
 * What an earlier process had begun and not yet signed for, as far as the journal knows, after a start at which events can be
 * missing (see `JournalTail`). It may have signed and paid after all, and the venue chooses a new nonce for each payload, so
 * signing again could pay twice. So nothing is created or signed for it. It is watched for as long as a request of the dead
 * process may have been under way, and its deposit may take to show: a deposit makes it an order like any other. Then it is given
 * up, its order is cancelled like any spare one, and money that reaches a cancelled order comes back.
 */
import { Clock, Effect } from "effect"
import { elapsedMillis } from "../../domain/Durations.ts"
import { Venue } from "../../venue/Venue.ts"
import { EngineSettings } from "../EngineSettings.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import type { Placement } from "../state/Placement.ts"
import { readOrder } from "../tracking/OrderReads.ts"
import { observe } from "../tracking/OrderTracker.ts"
import { isDoubted } from "./JournalTail.ts"

/** Statuses in which money may be on its way although none shows. */
const waitsForMoney: ReadonlySet<string> = new Set(["KNOWN_DEPOSIT_TX", "PROCESSING"])

export const make = Effect.gen(function* () {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  const settings = yield* EngineSettings

  /** One look; fails only when the bot must stop or cannot reach the venue. */
  const follow = Effect.fn("Quarantine.follow")(function* ({ by, id, order, slot, strategy }: Placement) {
    const now = yield* Clock.currentTimeMillis
    if (elapsedMillis(books.state.runStartedAt, now) < settings.quarantineMillis) return
    if (order !== undefined) {
      const read = yield* readOrder(venue, by, order)
      yield* books.recordFrom(({ placements }) => {
        const current = placements.get(id)
        return current === undefined ? [] : observe(current, read.value, read.correlationId)
      })
      if (waitsForMoney.has(read.value.fillStatus)) return
    }
    yield* books.recordFrom(({ placements }) => {
      const current = placements.get(id)
      const reason =
        "an earlier process began it, and whether that process paid is not in the journal; no deposit showed"
      return current !== undefined && isDoubted(current)
        ? [{ _tag: "Abandoned", strategy, slot, placement: id, reason }]
        : []
    })
  })

  return { follow }
})
