/**
 * What every network attempt passes before it is sent, and reports to afterwards. `RateBudget` learns a rate for most of
 * the interface; `HistoryLane` keeps the fixed one of the history endpoints.
 */
import { type Effect, Schema } from "effect"

/** Nothing was sent: the turn would come too late. */
export class Crowded extends Schema.TaggedError<Crowded>()("Crowded", { afterMillis: Schema.Int }) {
  override get message(): string {
    return `Our own request budget allows this only in ${this.afterMillis} ms`
  }
}

export interface Turnstile {
  enter(maxWaitMillis: number): Effect.Effect<void, Crowded>
  /** The venue took the request. */
  readonly accepted: Effect.Effect<void>
  /** The venue said that it was too much. */
  throttled(pauseMillis: number): Effect.Effect<void>
}
