/**
 * The fixed rate of the history endpoints: one request per five seconds for one partner, whoever asks. Turns are booked
 * ahead, so many callers of this process share the lane in order; another process with the same partner is noticed by its
 * effect, a 429, and given way to with jitter.
 */
import { Clock, Context, Effect, Layer, Random } from "effect"
import { Crowded, type Turnstile } from "./Turnstile.ts"

/** Half a second more than required, as requests do not all take equally long to arrive. */
export const spacingMillis = 5500
const periodMillis = 5000

/** How long to give way after a 429: as long as was asked, at least a period, and not all at the same time. */
export const givingWay = (pauseMillis: number) =>
  Effect.map(Random.next, (share) => Math.max(pauseMillis, periodMillis) + Math.round(share * (periodMillis / 2)))

export class HistoryLane extends Context.Service<HistoryLane, Turnstile>()("limitbot/venue/HistoryLane") {
  static readonly layer = Layer.sync(HistoryLane, () => {
    let nextAt = 0

    const enter = Effect.fnUntraced(function* (maxWaitMillis: number) {
      const now = yield* Clock.currentTimeMillis
      const at = Math.max(now, nextAt)
      if (at - now > maxWaitMillis) return yield* new Crowded({ afterMillis: at - now })
      nextAt = at + spacingMillis
      yield* Effect.sleep(at - now)
    })

    const throttled = Effect.fnUntraced(function* (pauseMillis: number) {
      const now = yield* Clock.currentTimeMillis
      nextAt = Math.max(nextAt, now + (yield* givingWay(pauseMillis)))
    })

    return HistoryLane.of({ enter, accepted: Effect.void, throttled })
  })
}
