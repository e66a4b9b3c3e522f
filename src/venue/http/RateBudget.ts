/**
 * How often the venue may be asked. The limits are not public, so the answers teach them: additive increase while
 * requests are accepted, multiplicative decrease on a 429. Turns go by priority: calls that move or save money never
 * wait behind polling. A pause that the venue asks for holds everything but urgent calls, which still keep to the
 * rate.
 */
import { Clock, Context, Deferred, Effect, Layer, Queue } from "effect"
import { RateLimited, type RateLimiter } from "./RateLimiter.ts"

/** Cancel and funding; orders; prices and everything else. */
const priorities = ["urgent", "normal", "background"] as const
export type Priority = (typeof priorities)[number]

interface Rates {
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

export class RateBudget extends Context.Service<
  RateBudget,
  {
    limiter(priority: Priority): RateLimiter
    /** The number of requests per second that we believe is allowed. */
    readonly rate: Effect.Effect<number>
  }
>()("limitbot/venue/http/RateBudget") {
  static readonly layer = Layer.effect(
    RateBudget,
    Effect.gen(function* () {
      const bucket = makeBucket(yield* RateSettings, yield* monotonicMillis)
      const queues: Record<Priority, Array<Deferred.Deferred<void>>> = { urgent: [], normal: [], background: [] }
      const bell = yield* Queue.sliding<void>(1)
      const firstWaiting = (among: ReadonlyArray<Priority> = priorities) =>
        among.find((priority) => queues[priority].length > 0)

      /** Gives the next turn to the oldest request of the highest priority, or waits until it may go or one arrives. */
      const serve = Effect.gen(function* () {
        const next = firstWaiting()
        if (next === undefined) return yield* Queue.take(bell)
        const wait = bucket.waitMillis(next, yield* monotonicMillis)
        if (wait > 0) return yield* Effect.timeoutOption(Queue.take(bell), wait)
        const turn = queues[next].shift()
        if (turn === undefined) return
        bucket.spend()
        yield* Deferred.succeed(turn, undefined)
      })

      yield* Effect.forkScoped(Effect.forever(serve))

      const waitInLine = Effect.fnUntraced(function* (priority: Priority, maxWaitMillis: number) {
        const turn = yield* Deferred.make<void>()
        queues[priority].push(turn)
        yield* Queue.offer(bell, undefined)
        const leave = Effect.sync(() => {
          queues[priority] = queues[priority].filter((waiting) => waiting !== turn)
        })
        const orElse = () => new RateLimited({ afterMillis: Math.ceil(1000 / bucket.rate()) })
        yield* Deferred.await(turn).pipe(
          Effect.timeoutOrElse({ duration: maxWaitMillis, orElse }),
          Effect.onError(() => leave)
        )
      })

      const enter = Effect.fnUntraced(function* (priority: Priority, maxWaitMillis: number) {
        const before = priorities.slice(0, priorities.indexOf(priority) + 1)
        const wait = bucket.waitMillis(priority, yield* monotonicMillis)
        if (wait <= 0 && firstWaiting(before) === undefined) return bucket.spend()
        if (wait > maxWaitMillis) return yield* new RateLimited({ afterMillis: Math.ceil(wait) })
        return yield* waitInLine(priority, maxWaitMillis)
      })

      const limiter = (priority: Priority): RateLimiter => ({
        enter: (maxWaitMillis) => enter(priority, maxWaitMillis),
        accepted: Effect.sync(bucket.accepted),
        throttled: (pauseMillis) => Effect.map(monotonicMillis, (now) => bucket.throttled(now, pauseMillis))
      })

      return RateBudget.of({ limiter, rate: Effect.sync(bucket.rate) })
    })
  )
}

/** Waiting must not depend on a wall clock: setting it back would hold up everything, even cancels. */
const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

/** A token bucket with one second's worth of tokens, whose rate follows the venue's answers. */
const makeBucket = (settings: Rates, startedAt: number) => {
  let rate = settings.initial
  let tokens = rate
  let filledAt = startedAt
  let pausedUntil = startedAt
  let taughtAt = Number.NEGATIVE_INFINITY

  const fill = (now: number) => {
    tokens = Math.min(Math.max(1, rate), tokens + (Math.max(0, now - filledAt) / 1000) * rate)
    filledAt = now
  }

  return {
    rate: () => rate,
    spend: () => {
      tokens -= 1
    },
    /** Zero when a request of this priority may go now. */
    waitMillis: (priority: Priority, now: number): number => {
      fill(now)
      // A sum of fractions that should be one may be slightly less.
      const forToken = tokens > 1 - 1e-9 ? 0 : Math.ceil(((1 - tokens) / rate) * 1000)
      return priority === "urgent" ? forToken : Math.max(forToken, pausedUntil - now)
    },
    accepted: () => {
      rate = Math.min(settings.max, rate + settings.increase / rate)
    },
    throttled: (now: number, pauseMillis: number) => {
      pausedUntil = Math.max(pausedUntil, now + pauseMillis)
      if (now - taughtAt < settings.lessonMillis) return
      taughtAt = now
      rate = Math.max(settings.min, rate / 2)
      tokens = Math.min(tokens, 0)
    }
  }
}
