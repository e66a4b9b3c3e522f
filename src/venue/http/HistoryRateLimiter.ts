/**
 * The fixed rate of the history endpoints: one request per five seconds for one partner, whoever asks. Turns are booked
 * ahead, so many callers of this process take turns in order. Another process with the same partner is noticed by its
 * effect, a 429: it is waited for as long as was asked, and from then on this limiter leaves room for it.
 */
import { Clock, Context, Effect, Layer, Random } from "effect"
import { RateLimited, type RateLimiter } from "./RateLimiter.ts"

/** Half a second more than required, as requests do not all take equally long to arrive. */
export const spacingMillis = 5500
const mostSpacingMillis = 8 * spacingMillis
/** A success gives back this share of the room that was left for others. */
const confidence = 0.05
const periodMillis = 5000
/** Shorter than any wait that is asked for in words: the client's own guess where nothing was asked. */
const guessedPauseMillis = 1000
const jitterMillis = 500

/** How long to give way after a 429: as long as was asked, else a period, and not all at the same time. */
export const givingWay = (pauseMillis: number) =>
  Effect.map(
    Random.next,
    (share) => (pauseMillis > guessedPauseMillis ? pauseMillis : periodMillis) + Math.ceil(share * jitterMillis)
  )

/** How far apart this process asks: twice as far after a 429, and step by step back while nobody else shows. */
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
      // When exactly there is room was just said; only who has booked a turn since may come later.
      nextAt = waiting > 0 ? Math.max(nextAt, until) : until
    })

    return HistoryRateLimiter.of({ enter, accepted: spacing.accepted, throttled })
  })
}
