/** Each network attempt passes a rate limiter first and reports its outcome to it: `RateBudget`, or `HistoryRateLimiter` for histories. */
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
