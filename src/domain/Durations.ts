/** Lengths of time in milliseconds, and how they count while the clock is set. A day is 24 hours of UTC, which has no summer time. */
import { Clock, Duration, Effect, Exit, Schema, SchemaGetter } from "effect"

export const secondMillis = 1_000
export const minuteMillis = 60_000
export const hourMillis = 3_600_000
export const dayMillis = 86_400_000

export const unitMillis = { s: secondMillis, m: minuteMillis, h: hourMillis, d: dayMillis } as const

export const DurationText = Schema.String.check(
  Schema.isPattern(/^(?=.*[1-9])\d{1,6}(\.\d{1,3})?[smhd]$/, { message: "a duration such as 30s, 5m, 6h or 7d" })
).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((text: string) => {
      const unit = text.endsWith("s") ? "s" : text.endsWith("m") ? "m" : text.endsWith("h") ? "h" : "d"
      return Math.round(Number(text.slice(0, -1)) * unitMillis[unit])
    }),
    encode: SchemaGetter.transform((millis: number) => `${Duration.toSeconds(millis)}s`)
  })
)

export const utcDay = (at: number): number => Math.floor(at / dayMillis)

/** Time since `from` by the wall clock. If the clock went back, the time is unknown and counts as long ago. */
export const elapsedMillis = (from: number, now: number): number => (now < from ? Number.POSITIVE_INFINITY : now - from)

const restarts = new WeakMap<object, Map<number, number>>()

/** Begin of a wait, or the first look at it after the wall clock was set back. `wait` identifies it in this process. */
export const beginOf = (wait: object, from: number, now: number): number => {
  const begin = restarts.get(wait)?.get(from) ?? from
  // Within a turn, a wait may begin after `now` was read.
  if (begin > now + minuteMillis) restarts.set(wait, new Map(restarts.get(wait)).set(from, now))
  return Math.min(begin, now)
}

/** Clock for waiting. It does not move when the wall clock is set, so no such change delays a cancel or gives up a payment. */
export const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

/**
 * Returns `ask` with each answer, also a failure, cached for `maxAgeMillis` after it came. Callers at one time share
 * an answer. The age counts by the monotonic clock: after the wall clock is set back, `Effect.cachedWithTTL` returns an
 * old answer until the old time is reached.
 */
export const cacheFor = Effect.fnUntraced(function* <A, E, R>(ask: Effect.Effect<A, E, R>, maxAgeMillis: number) {
  let answeredAt: number | undefined
  const noting = Effect.onExit(ask, (exit) =>
    Exit.hasInterrupts(exit)
      ? Effect.void
      : Effect.map(monotonicMillis, (now) => {
          answeredAt = now
        })
  )
  let answer = yield* Effect.cached(noting)
  return Effect.gen(function* () {
    const now = yield* monotonicMillis
    // The number of a large monotonic time is off by a fraction of a millisecond.
    if (answeredAt !== undefined && Math.round(now - answeredAt) >= maxAgeMillis) {
      answeredAt = undefined
      answer = yield* Effect.cached(noting)
    }
    return yield* answer
  })
})
