/**
 * Reads orders one by one: ended ones leave the list, and the list may lag. A failed read concerns only its order. The venue counts as away
 * only if no read got an answer.
 */
import { Array as Arr, Clock, Effect, Result } from "effect"
import { elapsedMillis } from "../../domain/Durations.ts"
import { present } from "../../domain/Present.ts"
import type { JournalError } from "../../journal/Journal.ts"
import { Venue } from "../../venue/Venue.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import { EngineSettings } from "../EngineSettings.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { perEvent } from "../state/BotState.ts"
import type { Placement } from "../state/Placement.ts"
import { isEndUnbelieved } from "../tracking/EarlyEnd.ts"
import { readOrder } from "../tracking/OrderReads.ts"
import type { OneLook, OrderReport, Reports } from "./Reports.ts"

/** Placements whose payment counts as not made, or that were given up, are in no list. One poll reads at most this number of them. */
const maxDead = 10

export const make = Effect.fnUntraced(function* ({ noteMissing, noteOdd, take }: Reports) {
  const venue = yield* Venue
  const books = yield* Bookkeeper
  const { concurrency, retryMaxMillis } = yield* EngineSettings

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
    const answers = yield* Effect.forEach(
      missing,
      ({ by, id, order }) =>
        readOrder(venue, by, order).pipe(
          Effect.map(({ correlationId, value }): OrderReport => ({ order: value, placement: id, correlationId })),
          Effect.result,
          Effect.flatMap(unlessFatal),
          Effect.tap((answer) =>
            answer._tag === "Success" ? take(answer.success, look) : noteMissing(id, answer.failure)
          )
        ),
      { concurrency }
    )
    const orderIds = answers.flatMap((answer) => (answer._tag === "Success" ? [answer.success.order.id] : []))
    // An order that we know and the venue denies stays exposure until the venue says something else.
    const failures = answers.flatMap((answer, index) => {
      if (answer._tag === "Success" || answer.failure.reason._tag === "Rejected") return []
      return [{ id: missing[index]?.order.id, failure: answer.failure }]
    })
    const [unread, odd] = Arr.partition(failures, ({ failure, id }) =>
      isAway(failure) ? Result.succeed(failure.message) : Result.fail({ why: failure.message, ...present({ id }) })
    )
    yield* Effect.forEach(odd, noteOdd, { discard: true })
    return { shown: orderIds, problem: unread.length === missing.length ? unread[0] : undefined }
  })

  /**
   * Placements that are `dead` or `given up` and due for another read: the books have no money of theirs. A deposit or payout that shows
   * all the same is booked, also while nothing else is read.
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

/** True if a read failed because of the venue. Any other failure concerns one answer, and shows that the venue is up. */
const isAway = ({ reason }: VenueError): boolean =>
  reason._tag === "RetryLater" || (reason._tag === "OutcomeUnknown" && reason.status === undefined)
