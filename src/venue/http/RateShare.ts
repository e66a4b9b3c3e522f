/**
 * The share of a credential's rate that this process may use now, and its report for the others: demand, accepted and refused requests. A
 * single bot uses the whole rate, and learns it alone. Runners of a fleet divide one rate, which they learn together
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
    came(): void
    went(): void
    accepted(): void
    /** The venue refused a request as one too many. Returns false within the present lesson. */
    throttled(now: number): boolean
    readonly grown: Effect.Effect<void>
  }
>()("limitbot/venue/http/RateShare") {
  static readonly layer = Layer.effect(RateShare, Effect.map(RateSettings, whole))
}

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
