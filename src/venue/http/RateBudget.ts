/**
 * How often the venue may be asked. The limits are not public, so the answers teach them: additive increase while
 * requests are accepted, multiplicative decrease on a 429. Turns go by priority: calls that move or save money never
 * wait behind polling, but for one turn in eight, which the last line has: of a price that is too old nothing is placed or paid, and where many
 * accounts share a budget, their calls would keep it waiting for minutes. A pause that the venue asks for holds what waits in the same line or a later one, but never cancels and
 * urgent calls; one that it asks of these holds nobody, because whoever must leave the market has to see what became of it.
 *
 * A cancel waits only for other cancels. They have a second's worth of turns of their own, and each that the venue takes
 * gives its turn to the next. So they go as fast as the venue takes them, whatever was asked for before, and slow down
 * only when the venue refuses one of them.
 */
import { Context, Deferred, Effect, Layer, Queue } from "effect"
import { monotonicMillis } from "../../domain/Durations.ts"
import { RateLimited, type RateLimiter } from "./RateLimiter.ts"

/** Cancels; funding; orders; prices and everything else. */
const priorities = ["cancel", "urgent", "normal", "background"] as const
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
      const queues: Record<Priority, Array<Deferred.Deferred<void>>> = {
        cancel: [],
        urgent: [],
        normal: [],
        background: []
      }
      const bell = yield* Queue.sliding<void>(1)
      const isWaiting = (priority: Priority) => queues[priority].length > 0
      const firstWaiting = (among: ReadonlyArray<Priority> = priorities) => among.find(isWaiting)
      let turns = 1
      /** The line whose turn it is, of the first one and the last one that wait. */
      const lineOf = (first: Priority, now: number): Priority => {
        const last = priorities.findLast(isWaiting) ?? first
        return first !== "cancel" && turns % turnsOfLast === 0 && bucket.waitMillis(last, now) <= 0 ? last : first
      }

      /** Gives the next turn to the oldest request of its line, or waits until it may go or one arrives. */
      const serve = Effect.gen(function* () {
        const first = firstWaiting()
        if (first === undefined) return yield* Queue.take(bell)
        const now = yield* monotonicMillis
        const next = lineOf(first, now)
        const wait = bucket.waitMillis(next, now)
        if (wait > 0) return yield* Effect.timeoutOption(Queue.take(bell), wait)
        const turn = queues[next].shift()
        if (turn === undefined) return
        bucket.spend(next)
        if (next !== "cancel") turns += 1
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
        if (wait <= 0 && firstWaiting(before) === undefined) return bucket.spend(priority)
        if (wait > maxWaitMillis) return yield* new RateLimited({ afterMillis: Math.ceil(wait) })
        return yield* waitInLine(priority, maxWaitMillis)
      })

      const limiter = (priority: Priority): RateLimiter => ({
        enter: (maxWaitMillis) => enter(priority, maxWaitMillis),
        accepted: Effect.andThen(
          Effect.sync(() => bucket.accepted(priority)),
          Queue.offer(bell, undefined)
        ),
        throttled: (pauseMillis) => Effect.map(monotonicMillis, (now) => bucket.throttled(priority, now, pauseMillis))
      })

      return RateBudget.of({ limiter, rate: Effect.sync(bucket.rate) })
    })
  )
}

/** One in so many turns is that of the last line. */
const turnsOfLast = 8

/** However low the rate: who has to leave the market asks once a second. */
const leastCancelRate = 1

/** A token bucket with one second's worth of tokens, whose rate follows the venue's answers; and one more for cancels. */
const makeBucket = (settings: Rates, startedAt: number) => {
  let rate = settings.initial
  let tokens = rate
  let filledAt = startedAt
  const pausedUntil = { normal: startedAt, background: startedAt }
  let taughtAt = Number.NEGATIVE_INFINITY
  const cancelRate = () => Math.max(leastCancelRate, rate)
  let cancelTokens = cancelRate()

  const fill = (now: number) => {
    const seconds = Math.max(0, now - filledAt) / 1000
    tokens = Math.min(Math.max(1, rate), tokens + seconds * rate)
    cancelTokens = Math.min(cancelRate(), cancelTokens + seconds * cancelRate())
    filledAt = now
  }

  return {
    rate: () => rate,
    spend: (priority: Priority) => {
      if (priority !== "cancel") {
        tokens -= 1
        return
      }
      cancelTokens -= 1
      // Cancels leave less for the others, but no debt: what many of them did is then read without delay.
      tokens = Math.max(Math.min(tokens, 0), tokens - 1)
    },
    /** Zero when a request of this priority may go now. */
    waitMillis: (priority: Priority, now: number): number => {
      fill(now)
      if (priority === "cancel") return millisUntilToken(cancelTokens, cancelRate())
      const forToken = millisUntilToken(tokens, rate)
      return priority === "urgent" ? forToken : Math.max(forToken, pausedUntil[priority] - now)
    },
    accepted: (priority: Priority) => {
      rate = Math.min(settings.max, rate + settings.increase / rate)
      if (priority === "cancel") cancelTokens = Math.min(cancelRate(), cancelTokens + 1)
    },
    throttled: (priority: Priority, now: number, pauseMillis: number) => {
      const until = now + pauseMillis
      if (priority === "normal") pausedUntil.normal = Math.max(pausedUntil.normal, until)
      if (priority === "normal" || priority === "background")
        pausedUntil.background = Math.max(pausedUntil.background, until)
      if (priority === "cancel") cancelTokens = Math.min(cancelTokens, 0)
      if (now - taughtAt < settings.lessonMillis) return
      taughtAt = now
      rate = Math.max(settings.min, rate / 2)
      tokens = Math.min(tokens, 0)
    }
  }
}

// A sum of fractions that should be one may be slightly less.
const millisUntilToken = (tokens: number, rate: number): number =>
  tokens > 1 - 1e-9 ? 0 : Math.ceil(((1 - tokens) / rate) * 1000)
