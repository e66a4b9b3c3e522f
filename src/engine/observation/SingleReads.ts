/**
 * Reads orders one by one, because ended orders leave the list and the list may lag. A failed read concerns only its order. The venue
 * counts as away only if no read got an answer.
 */
import { Array as Arr, Clock, Effect, Result } from "effect"
import { elapsedMillis } from "../../domain/Durations.ts"
import type { JournalError } from "../../journal/Journal.ts"
import { Venue } from "../../venue/Venue.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import { EngineSettings } from "../EngineSettings.ts"
import * as Outlasting from "../Outlasting.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { perEvent } from "../state/BotState.ts"
import type { Placement } from "../state/Placement.ts"
import { isEndUnbelieved } from "../tracking/EarlyEnd.ts"
import { readOrder } from "../tracking/OrderReads.ts"
import type { OneLook, Reports } from "./Reports.ts"

/** One poll reads at most this number of placements that are dead or given up, because no list shows them. */
const maxDead = 10

export const make = Effect.fnUntraced(function* ({ noteMissing, noteOdd, take }: Reports) {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  const { concurrency, retryMaxMillis } = yield* EngineSettings
  const reads = yield* Outlasting.make<VenueError | JournalError>(concurrency)

  const isDue = (placement: Placement, now: number): boolean => {
    if (!isEndUnbelieved(placement)) return true
    // An end that is not believed is read rarely: if the order lives on, the list shows it.
    if (elapsedMillis(books.tries.of(placement.id).endReadAt, now) < retryMaxMillis) return false
    books.tries.note(placement.id, { endReadAt: now })
    return true
  }

  const readEach = Effect.fnUntraced(function* (
    placements: ReadonlyArray<Placement>,
    listed: ReadonlySet<string>,
    look: OneLook
  ) {
    const now = yield* Clock.currentTimeMillis
    const missing = placements.flatMap((placement) => {
      const { by, id, order } = placement
      return order === undefined || listed.has(order.id) || !isDue(placement, now) ? [] : [{ by, id, order }]
    })
    const orderIds: Array<string> = []
    const failures: Array<{ readonly id: string; readonly failure: VenueError }> = []
    const readOne = Effect.fnUntraced(function* ({ by, id, order }: (typeof missing)[number]) {
      const answer = yield* Effect.flatMap(Effect.result(readOrder(venue, by, order)), unlessFatal)
      if (answer._tag === "Success") {
        orderIds.push(answer.success.value.id)
        return yield* take(answer.success, look, id)
      }
      // A known order that the venue denies stays exposure until the venue reports something else.
      if (answer.failure.reason._tag !== "Rejected") failures.push({ id: order.id, failure: answer.failure })
      yield* noteMissing(id, answer.failure)
    })
    yield* reads.all(missing.map((each) => [each.id, readOne(each)]))
    const [unread, odd] = Arr.partition(failures, ({ failure, id }) =>
      isAway(failure) ? Result.succeed(failure.message) : Result.fail({ why: failure.message, id })
    )
    yield* Effect.forEach(odd, noteOdd, { discard: true })
    return { shown: orderIds, problem: unread.length === missing.length ? unread[0] : undefined }
  })

  /**
   * Placements that are `dead` or `given up` and due for another read. The books have no money in them, but a deposit or payout that
   * appears nevertheless is booked, also while nothing else is read.
   */
  const unpaid = (now: number): ReadonlyArray<Placement> =>
    unpaidOrders(books.state)
      .filter(({ changedAt, id, state }) => {
        // Money rarely comes from a placement that was given up long ago.
        const pause = state === "dead" ? 0 : elapsedMillis(changedAt, now) / 10
        const waited = elapsedMillis(books.tries.of(id).unpaidReadAt, now)
        return waited >= Math.max(retryMaxMillis, pause)
      })
      .slice(0, maxDead)

  return { read: readEach, unpaid }
})

const unpaidOrders = perEvent(({ placements }) =>
  [...placements.values()].filter(
    ({ order, state }) => order !== undefined && (state === "dead" || state === "given up")
  )
)

/** Turns a failure into a result, except for a refused credential and a journal that cannot be written. */
export const unlessFatal = <A, E extends VenueError | JournalError>(result: Result.Result<A, E>) => {
  const isFatal = (error: E) => error._tag === "JournalError" || error.reason._tag === "Unauthorized"
  return Result.isFailure(result) && isFatal(result.failure) ? Effect.fail(result.failure) : Effect.succeed(result)
}

/** True if a read failed because of the venue. Any other failure concerns one answer and shows that the venue is up. */
const isAway = ({ reason }: VenueError): boolean =>
  reason._tag === "RetryLater" || (reason._tag === "OutcomeUnknown" && reason.status === undefined)
