/**
 * How much of a credential's rate this process may use now, and what it has to report for that: what is asked for, what the venue took and
 * what it refused. A bot of its own uses the whole rate, and learns it alone. Runners of a fleet divide one rate, which they learn together
 * (`fleet/accounts/sharing/FleetRate.ts`).
 */
import { Context, Effect, Layer } from "effect"

export interface Rates {
  /** Requests per second. */
  readonly initial: number
  readonly min: number
  readonly max: number
  /** Added to the rate per second of full use. */
  readonly increase: number
  /** Several 429s within this time count as one. */
  readonly lessonMillis: number
}

export const RateSettings = Context.Reference<Rates>("limitbot/venue/http/RateSettings", {
  defaultValue: () => ({ initial: 50, min: 0.2, max: 200, increase: 0.25, lessonMillis: 1000 })
})

export class RateShare extends Context.Service<
  RateShare,
  {
    /** Requests per second, at a monotonic time. */
    rate(now: number): number
    /** A request wants its turn. */
    came(): void
    /** It has had its turn, or has given up. */
    went(): void
    /** The venue took a request. */
    accepted(): void
    /** The venue said that it was too many. False within the lesson that has begun. */
    throttled(now: number): boolean
    /** Completes when the rate has grown by what others left. */
    readonly grown: Effect.Effect<void>
  }
>()("limitbot/venue/http/RateShare") {
  /** The whole rate. */
  static readonly layer = Layer.effect(RateShare, Effect.map(RateSettings, whole))
}

/** What one 429 makes of a rate. */
export const halved = (rate: number, { min }: Pick<Rates, "min">): number => Math.max(min, rate / 2)

function whole(settings: Rates): RateShare["Service"] {
  let rate = settings.initial
  let taughtAt = Number.NEGATIVE_INFINITY
  return RateShare.of({
    rate: () => rate,
    came: () => undefined,
    went: () => undefined,
    accepted: () => {
      rate = Math.min(settings.max, rate + settings.increase / rate)
    },
    throttled: (now) => {
      if (now - taughtAt < settings.lessonMillis) return false
      taughtAt = now
      rate = halved(rate, settings)
      return true
    },
    grown: Effect.never
  })
}
