/**
 * Records whether the venue answers and accepts our credential. The first failed read is reported at once: the next may take equally long.
 * A failed read of one order does not interrupt the others. A refused credential does not end the bot at once: a gateway that
 * restarts may refuse one request.
 */
import { Clock, Effect } from "effect"
import { monotonicMillis } from "../../domain/Durations.ts"
import type { JournalError } from "../../journal/Journal.ts"
import type { OutcomeUnknown, VenueError } from "../../venue/VenueError.ts"
import { EngineInputs } from "../EngineSettings.ts"
import { Bookkeeper } from "../state/Bookkeeper.ts"
import { unfinished } from "../state/BotState.ts"

/** A credential that was good counts as bad when every turn fails for this time. */
const refusedMillis = 3_000

export type Contact = Effect.Success<typeof make>

export const make = Effect.gen(function* () {
  /** While everything is cancelled, no refusal ends the bot. */
  const { withdraw } = yield* EngineInputs
  const books = yield* Bookkeeper
  let turnBeganAt = 0
  let isAccepted = false
  let refusedSince: number | undefined

  const turnBegins = (at: number): void => {
    turnBeganAt = at
  }

  /** Parallel reads that fail report it once: the known state is checked when the event is written. */
  const recordDown = (reason: string) =>
    books.recordFrom(({ venueDownSince }) =>
      venueDownSince === undefined ? [{ _tag: "VenueDown", reason, since: turnBeganAt }] : []
    )

  const recordUp = Effect.gen(function* () {
    if (books.state.venueDownSince === undefined) return false
    const now = yield* Clock.currentTimeMillis
    yield* books.recordFrom(({ venueDownSince: since }) =>
      since === undefined ? [] : [{ _tag: "VenueUp", downMillis: Math.max(0, now - since) }]
    )
    return true
  })

  const unanswered = (reason: OutcomeUnknown) =>
    reason.status === undefined ? recordDown(reason.message) : later(reason)

  const isolated = (step: Effect.Effect<unknown, VenueError | JournalError>) =>
    Effect.catchReasons(step, "VenueError", { Rejected: later, RetryLater: later, OutcomeUnknown: unanswered })

  const turnEnded = (problem: string | undefined): void => {
    refusedSince = undefined
    isAccepted ||= problem === undefined
  }

  /**
   * Handles a turn that ended because the credential is refused. If the venue accepted it before, or orders depend on it, the refusal is
   * believed after some seconds; otherwise at the second turn.
   */
  const turnRefused = Effect.fnUntraced(function* (error: VenueError) {
    const now = yield* monotonicMillis
    const isFirst = refusedSince === undefined
    refusedSince ??= now
    const isNeeded = isAccepted || unfinished(books.state).length > 0
    const isBelieved = isNeeded ? now - refusedSince >= refusedMillis : !isFirst
    if (isBelieved && (yield* withdraw) === undefined) return yield* error
    yield* recordDown(error.reason.message)
    return error.reason.message
  })

  return { recordDown, isolated, recordUp, turnBegins, turnEnded, turnRefused }
})

const later = (reason: { readonly message: string }) => Effect.logDebug(reason.message)
