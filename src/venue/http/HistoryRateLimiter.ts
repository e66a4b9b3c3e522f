/**
 * Keeps the fixed rate of the history endpoints: one request in five seconds for one partner, from any process. Turns are booked ahead, so
 * callers within this process take turns in order. A 429 shows that another process uses the same partner. Then this limiter waits as long
 * as the venue asks, and leaves room for the other process from then on.
 */
import { Context, Effect, Layer, Random } from "effect"
import { monotonicMillis } from "../../domain/Durations.ts"
import { RateLimited, type RateLimiter } from "./RateLimiter.ts"

/** Half a second more than required, because requests take different times to arrive. */
const spacingMillis = 5500
const maxSpacingMillis = 8 * spacingMillis
const confidence = 0.05
const periodMillis = 5000
/** `Reply` reports this pause if the venue names none. The venue's own pauses are longer. */
const guessedPauseMillis = 1000
const jitterMillis = 500

export interface HistoryTurns {
  /** Clock of the bookings, in whole milliseconds. Processes that share them have only the wall clock in common. */
  readonly clock: Effect.Effect<number>
  /** Returns the time of our turn. Books nothing if that is more than `maxWaitMillis` ahead. */
  book(now: number, spacingMillis: number, maxWaitMillis: number): Effect.Effect<number>
  /** No turn starts earlier than `until`. Replaces the last booking of the caller. */
  postpone(until: number, booked: number | undefined): Effect.Effect<void>
}

const turnsOfProcess = (): HistoryTurns => {
  let nextAt = 0
  return {
    clock: Effect.map(monotonicMillis, Math.round),
    book: (now, spacingMillis, maxWaitMillis) =>
      Effect.sync(() => {
        const at = Math.max(now, nextAt)
        if (at - now <= maxWaitMillis) nextAt = at + spacingMillis
        return at
      }),
    postpone: (until, booked) =>
      Effect.sync(() => {
        nextAt = nextAt === booked ? until : Math.max(nextAt, until)
      })
  }
}

/** Turns at the history endpoints, which accept one request in five seconds from one partner. */
export class HistoryRateLimiter extends Context.Service<HistoryRateLimiter, RateLimiter>()(
  "limitbot/venue/http/HistoryRateLimiter"
) {
  static readonly over = ({ book, clock, postpone }: HistoryTurns) => {
    /** The pause between this process's requests: doubled after a 429, and reduced a little by each accepted request. */
    let pauseMillis = spacingMillis
    let booked: number | undefined
    let waiting = 0
    return HistoryRateLimiter.of({
      enter: Effect.fnUntraced(function* (maxWaitMillis: number) {
        const now = yield* clock
        const spacing = pauseMillis
        const at = yield* book(now, spacing, maxWaitMillis)
        if (at - now > maxWaitMillis) return yield* new RateLimited({ afterMillis: Math.ceil(at - now) })
        booked = at + spacing
        waiting += 1
        yield* Effect.ensuring(
          Effect.sleep(Math.max(0, at - now)),
          Effect.sync(() => {
            waiting -= 1
          })
        )
      }),
      accepted: Effect.sync(() => {
        pauseMillis = Math.max(spacingMillis, Math.round(pauseMillis * (1 - confidence)))
      }),
      throttled: Effect.fnUntraced(function* (askedMillis: number) {
        pauseMillis = Math.min(maxSpacingMillis, pauseMillis * 2)
        const wait = askedMillis > guessedPauseMillis ? askedMillis : periodMillis
        // Randomised, so that callers do not return together.
        const until = (yield* clock) + wait + Math.ceil((yield* Random.next) * jitterMillis)
        // The venue has just named the next free time. It replaces our last booking, unless callers here still wait.
        yield* postpone(until, waiting > 0 ? undefined : booked)
      })
    })
  }

  static readonly layer = Layer.sync(HistoryRateLimiter, () => HistoryRateLimiter.over(turnsOfProcess()))
}
