/**
 * Every network attempt passes a rate limiter first and reports back to it afterwards. `RateBudget` learns a rate for
 * most of the interface; `HistoryRateLimiter` keeps the fixed rate of the history endpoints.
 */
import { type Effect, Schema } from "effect"

export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", { afterMillis: Schema.Int }) {
  override get message(): string {
    return `Our own request budget allows this only in ${this.afterMillis} ms`
  }
}

export interface RateLimiter {
  enter(maxWaitMillis: number): Effect.Effect<void, RateLimited>
  readonly accepted: Effect.Effect<void>
  throttled(pauseMillis: number): Effect.Effect<void>
}
