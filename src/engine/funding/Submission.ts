/**
 * Sends a signed payload, for orders and swaps alike: the journaled bytes, again and again until they have expired.
 * Their nonce can execute only once. Sending goes on after an acknowledgement, at longer pauses, until the deposit is
 * seen: if the venue lost an acknowledged payload, the repetition executes it. Only a payload that was refused for its salt is
 * not: it is sent once more, and then waits until it has expired.
 *
 * The bytes ask the gate before each sending, and once more when it is their turn on the network: a locked journal or a slow
 * turn may have kept them since the last look.
 */
import { Clock, Effect } from "effect"
import { elapsedMillis } from "../../domain/Durations.ts"
import { fateOf, isStale, type Payload, type PaymentRefusal } from "../../domain/Payload.ts"
import { present } from "../../domain/Present.ts"
import type { Venue } from "../../venue/Venue.ts"
import type { VenueError } from "../../venue/VenueError.ts"
import { refusalOf } from "./Refusal.ts"

export interface SubmissionPace {
  /** First pause before a repetition; doubles up to `retryMaxMillis`. */
  readonly retryMinMillis: number
  readonly retryMaxMillis: number
  /** How long a deposit may take to show. */
  readonly visibilityMillis: number
}

/** Whether the bytes are due to be sent (again) now, by the clock that `lastSentAt` was read from. */
const isDue = (payload: Payload, now: number, pace: SubmissionPace) => {
  const { acknowledged, attempts, lastSentAt } = payload
  if (isStale(payload) && fateOf(payload) === "refused") return false
  const pause =
    attempts === 0 ? 0 : Math.min(pace.retryMaxMillis, pace.retryMinMillis * 2 ** Math.min(attempts - 1, 20))
  return elapsedMillis(lastSentAt, now) >= (acknowledged ? Math.max(pause, pace.visibilityMillis) : pause)
}

interface Traced {
  readonly correlationId?: string
}

/** How each step is recorded; the first is recorded before anything leaves the process. */
export interface SubmissionRecords<E, R> {
  sent(attempt: number): Effect.Effect<void, E, R>
  /** That attempt did not leave the process. */
  held(attempt: number, reason: string): Effect.Effect<void, E, R>
  acknowledged(answer: { readonly intentHash: string } & Traced): Effect.Effect<void, E, R>
  refused(answer: PaymentRefusal & Traced): Effect.Effect<void, E, R>
}

export const submit = Effect.fnUntraced(function* <E, R>(
  venue: Pick<Venue["Service"], "submitIntent">,
  payload: Payload,
  pace: SubmissionPace,
  venueNow: number,
  gate: Effect.Effect<string | undefined>,
  records: SubmissionRecords<E, R>
) {
  if (venueNow >= payload.validUntil || !isDue(payload, yield* Clock.currentTimeMillis, pace)) return
  if ((yield* gate) !== undefined) return
  const attempt = payload.attempts + 1
  yield* records.sent(attempt)
  const { intentHash, signed: body, validUntil } = payload
  let held: string | undefined
  const hold = Effect.tap(gate, (reason) =>
    Effect.sync(() => {
      held = reason
    })
  )
  const answer = yield* Effect.result(venue.submitIntent({ body, intentHash, validUntil, hold }))
  if (answer._tag === "Success") {
    return yield* records.acknowledged({ intentHash, ...present({ correlationId: answer.success.correlationId }) })
  }
  if (held !== undefined) return yield* records.held(attempt, held)
  const error: VenueError = answer.failure
  const { certain, ...refusal } = yield* refusalOf(error)
  // An unclear answer says nothing; the next attempt will.
  if (certain) yield* records.refused({ ...refusal, ...present({ correlationId: error.reason.correlationId }) })
})
