/**
 * Every network attempt passes a rate limiter first and reports back to it afterwards. `RateBudget` learns a rate for
 * most of the interface; `HistoryRateLimiter` keeps the fixed rate of the history endpoints.
 */
import { type Effect, Schema } from "effect"

/** Nothing was sent, because the turn would come too late. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", { afterMillis: Schema.Int }) {
  override get message(): string {
    return `Our own request budget allows this only in ${this.afterMillis} ms`
  }
}

export interface RateLimiter {
  enter(maxWaitMillis: number): Effect.Effect<void, RateLimited>
  /** The venue took the request. */
  readonly accepted: Effect.Effect<void>
  /** The venue said that it was too many. */
  throttled(pauseMillis: number): Effect.Effect<void>
}
