/**
 * The rate at which we may send requests to the venue. The limits are not public, so the answers teach them: additive increase while
 * requests are accepted, multiplicative decrease on a 429. `RateShare` determines this process's share of the rate.
 *
 * Calls that move or save money never wait behind polling, except for one turn in eight, which goes to the last waiting line. Without that
 * turn, the calls of many accounts could delay prices for minutes, and nothing is placed or paid at a price that is too old. Within a line,
 * turns rotate between the waiting accounts (`FairLine`).
 *
 * A pause that the venue asks for delays requests in the same line or a later one, but never cancels and urgent calls. A pause for a cancel
 * or an urgent call delays no other line, because an account that leaves the market must see the result.
 *
 * A cancel waits only for other cancels. Cancels have a second's worth of turns of their own, and each accepted cancel gives its turn to
 * the next. So cancels go as fast as the venue accepts them, and slow down only if it refuses one.
 */
import { Context, Deferred, Effect, Layer, Queue } from "effect"
import { monotonicMillis } from "../../domain/Durations.ts"
import { FairLine, RateAsker } from "./FairLine.ts"
import { RateLimited, type RateLimiter } from "./RateLimiter.ts"
import { RateShare } from "./RateShare.ts"

/** Cancels; funding; orders; prices and everything else. */
const priorities = ["cancel", "urgent", "normal", "background"] as const
export type Priority = (typeof priorities)[number]

type Lines = Readonly<Record<Priority, FairLine<Deferred.Deferred<void>>>>

export class RateBudget extends Context.Service<
  RateBudget,
  { limiter(priority: Priority): RateLimiter; readonly rate: Effect.Effect<number> }
>()("limitbot/venue/http/RateBudget") {
  static readonly layerOfShare = Layer.effect(
    RateBudget,
    Effect.gen(function* () {
      const share = yield* RateShare
      const bucket = makeBucket(share, yield* monotonicMillis)
      const lines: Lines = {
        cancel: new FairLine(),
        urgent: new FairLine(),
        normal: new FairLine(),
        background: new FairLine()
      }
      const bell = yield* Queue.sliding<void>(1)
      const ring = Queue.offer(bell, undefined)
      const isWaiting = (priority: Priority) => !lines[priority].isEmpty
      const firstWaiting = (among: ReadonlyArray<Priority> = priorities) => among.find(isWaiting)
      let turns = 1
      const lineOf = (first: Priority, now: number): Priority => {
        const last = priorities.findLast(isWaiting) ?? first
        return first !== "cancel" && turns % turnsOfLast === 0 && bucket.waitMillis(last, now) <= 0 ? last : first
      }

      const serve = Effect.gen(function* () {
        const first = firstWaiting()
        if (first === undefined) return yield* Queue.take(bell)
        const now = yield* monotonicMillis
        const next = lineOf(first, now)
        const wait = bucket.waitMillis(next, now)
        if (wait > 0) return yield* Effect.timeoutOption(Queue.take(bell), wait)
        const turn = lines[next].next()
        if (turn === undefined) return
        bucket.spend(next)
        if (next !== "cancel") turns += 1
        yield* Deferred.succeed(turn, undefined)
      })

      yield* Effect.forkScoped(Effect.forever(serve))
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(share.grown, ring)))

      const waitInLine = Effect.fnUntraced(function* (priority: Priority, maxWaitMillis: number) {
        const turn = yield* Deferred.make<void>()
        const asker = yield* RateAsker
        lines[priority].join(asker, turn)
        yield* ring
        const orElse = () => new RateLimited({ afterMillis: bucket.turnMillis() })
        yield* Deferred.await(turn).pipe(
          Effect.timeoutOrElse({ duration: maxWaitMillis, orElse }),
          Effect.onError(() => Effect.sync(() => lines[priority].leave(asker, turn)))
        )
      })

      const enter = Effect.fnUntraced(
        function* (priority: Priority, maxWaitMillis: number) {
          share.came()
          const before = priorities.slice(0, priorities.indexOf(priority) + 1)
          const wait = bucket.waitMillis(priority, yield* monotonicMillis)
          if (wait <= 0 && firstWaiting(before) === undefined) return bucket.spend(priority)
          if (wait > maxWaitMillis) return yield* new RateLimited({ afterMillis: Math.ceil(wait) })
          return yield* waitInLine(priority, maxWaitMillis)
        },
        Effect.ensuring(Effect.sync(() => share.went()))
      )

      const limiter = (priority: Priority): RateLimiter => ({
        enter: (maxWaitMillis) => enter(priority, maxWaitMillis),
        accepted: Effect.andThen(
          Effect.sync(() => bucket.accepted(priority)),
          ring
        ),
        throttled: (pauseMillis) => Effect.map(monotonicMillis, (now) => bucket.throttled(priority, now, pauseMillis))
      })

      return RateBudget.of({ limiter, rate: Effect.map(monotonicMillis, share.rate) })
    })
  )

  static readonly layer = Layer.provide(RateBudget.layerOfShare, RateShare.layer)
}

const turnsOfLast = 8

/** Requests per second, even at a low rate, so that an account can leave the market. */
const minCancelRate = 1

const makeBucket = (share: RateShare["Service"], startedAt: number) => {
  let rate = share.rate(startedAt)
  let tokens = rate
  let filledAt = startedAt
  const pausedUntil = { normal: startedAt, background: startedAt }
  const cancelRateOf = (rate: number) => Math.max(minCancelRate, rate)
  let cancelTokens = cancelRateOf(rate)

  const fill = (now: number) => {
    const seconds = Math.max(0, now - filledAt) / 1000
    const before = rate
    rate = share.rate(now)
    // A larger share counts only from now on, because others used the difference until now.
    const slower = Math.min(before, rate)
    tokens = Math.min(Math.max(1, rate), tokens + seconds * slower)
    cancelTokens = Math.min(cancelRateOf(rate), cancelTokens + seconds * cancelRateOf(slower))
    filledAt = now
  }

  return {
    turnMillis: () => Math.min(longestWaitMillis, Math.ceil(1000 / rate)),
    spend: (priority: Priority) => {
      if (priority !== "cancel") {
        tokens -= 1
        return
      }
      cancelTokens -= 1
      // Cancels take tokens from other requests but make no debt, so the results of many cancels are read without delay.
      tokens = Math.max(Math.min(tokens, 0), tokens - 1)
    },
    waitMillis: (priority: Priority, now: number): number => {
      fill(now)
      if (priority === "cancel") return millisUntilToken(cancelTokens, cancelRateOf(rate))
      const forToken = millisUntilToken(tokens, rate)
      return priority === "urgent" ? forToken : Math.max(forToken, pausedUntil[priority] - now)
    },
    accepted: (priority: Priority) => {
      share.accepted()
      if (priority === "cancel") cancelTokens = Math.min(cancelRateOf(rate), cancelTokens + 1)
    },
    throttled: (priority: Priority, now: number, pauseMillis: number) => {
      const until = now + pauseMillis
      if (priority === "normal") pausedUntil.normal = Math.max(pausedUntil.normal, until)
      if (priority === "normal" || priority === "background")
        pausedUntil.background = Math.max(pausedUntil.background, until)
      if (priority === "cancel") cancelTokens = Math.min(cancelTokens, 0)
      if (share.throttled(now)) tokens = Math.min(tokens, 0)
    }
  }
}

const longestWaitMillis = 60_000

// A sum of fractions that should be one may be slightly less.
const millisUntilToken = (tokens: number, rate: number): number =>
  tokens > 1 - 1e-9 ? 0 : Math.min(longestWaitMillis, Math.ceil(((1 - tokens) / rate) * 1000))
