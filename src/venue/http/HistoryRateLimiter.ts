/**
 * The fixed rate of the history endpoints: one request per five seconds for one partner, whoever asks. Turns are
 * booked ahead, so callers within this process take turns in order. Another process with the same partner shows by
 * its effect, a 429: this limiter waits as long as the venue asks, and leaves room for the other process from then
 * on.
 */
import { Clock, Context, Effect, Layer, Random } from "effect"
import { RateLimited, type RateLimiter } from "./RateLimiter.ts"

/** Half a second more than required, because requests take different times to arrive. */
const spacingMillis = 5500
const mostSpacingMillis = 8 * spacingMillis
const confidence = 0.05
const periodMillis = 5000
/** Shorter than any wait that the venue asks for; the client's own guess when the venue names none. */
const guessedPauseMillis = 1000
const jitterMillis = 500

/** Waits after a 429: as long as the venue asked, otherwise one period. The wait is randomised, so that callers do not return together. */
export const givingWay = (pauseMillis: number) =>
  Effect.map(
    Random.next,
    (share) => (pauseMillis > guessedPauseMillis ? pauseMillis : periodMillis) + Math.ceil(share * jitterMillis)
  )

/** The pause between this process's requests: doubled after a 429, reduced stepwise while no other process appears. */
export const makeSpacing = () => {
  let millis = spacingMillis
  return {
    millis: () => millis,
    accepted: Effect.sync(() => {
      millis = Math.max(spacingMillis, Math.round(millis * (1 - confidence)))
    }),
    throttled: Effect.sync(() => {
      millis = Math.min(mostSpacingMillis, millis * 2)
    })
  }
}

/** Turns at the history endpoints, which accept one request in five seconds from one partner. */
export class HistoryRateLimiter extends Context.Service<HistoryRateLimiter, RateLimiter>()(
  "limitbot/venue/http/HistoryRateLimiter"
) {
  static readonly layer = Layer.sync(HistoryRateLimiter, () => {
    const spacing = makeSpacing()
    let nextAt = 0
    let waiting = 0

    const enter = Effect.fnUntraced(function* (maxWaitMillis: number) {
      const now = yield* Clock.currentTimeMillis
      const at = Math.max(now, nextAt)
      if (at - now > maxWaitMillis) return yield* new RateLimited({ afterMillis: at - now })
      nextAt = at + spacing.millis()
      waiting += 1
      yield* Effect.ensuring(
        Effect.sleep(at - now),
        Effect.sync(() => {
          waiting -= 1
        })
      )
    })

    const throttled = Effect.fnUntraced(function* (pauseMillis: number) {
      yield* spacing.throttled
      const until = (yield* Clock.currentTimeMillis) + (yield* givingWay(pauseMillis))
      // The caller has just been told when there is room; only a caller that booked since then may come later.
      nextAt = waiting > 0 ? Math.max(nextAt, until) : until
    })

    return HistoryRateLimiter.of({ enter, accepted: spacing.accepted, throttled })
  })
}
