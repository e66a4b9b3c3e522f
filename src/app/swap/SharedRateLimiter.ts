/**
 * The rate limit of the history endpoints, shared by every process on one journal with one partner: turns are booked
 * in the database, and a 429 for one process makes all of them wait.
 */
import { createHash } from "node:crypto"
import { Clock, Effect, Layer, Redacted } from "effect"
import { givingWay, HistoryRateLimiter, makeSpacing } from "../../venue/http/HistoryRateLimiter.ts"
import { RateLimited } from "../../venue/http/RateLimiter.ts"
import { VenueConfig } from "../../venue/VenueConfig.ts"
import * as RequestTurns from "./RequestTurns.ts"

export const layer = Layer.effect(
  HistoryRateLimiter,
  Effect.gen(function* () {
    const { analyticsUrl, partnerJwt, url } = yield* VenueConfig
    const { book, postpone } = yield* RequestTurns.make
    const spacing = makeSpacing()
    let booked: number | undefined
    const limit = limitOf(analyticsUrl ?? url, partnerJwt === undefined ? "" : Redacted.value(partnerJwt))

    const enter = Effect.fnUntraced(function* (maxWaitMillis: number) {
      const now = yield* Clock.currentTimeMillis
      // If the database cannot be written, the service enforces the rate with 429.
      const spacingMillis = spacing.millis()
      const at = yield* book({ limit, now, spacingMillis, maxWaitMillis }).pipe(Effect.orElseSucceed(() => now))
      if (at === undefined) return yield* new RateLimited({ afterMillis: maxWaitMillis })
      booked = at + spacingMillis
      yield* Effect.sleep(Math.max(0, at - now))
    })

    const throttled = Effect.fnUntraced(function* (pauseMillis: number) {
      yield* spacing.throttled
      const until = (yield* Clock.currentTimeMillis) + (yield* givingWay(pauseMillis))
      yield* Effect.ignore(postpone({ limit, until, booked }))
    })

    return HistoryRateLimiter.of({ enter, accepted: spacing.accepted, throttled })
  })
)

/** The partner id is in the token; the token itself is not stored. */
const limitOf = (url: string, jwt: string): string =>
  `history ${url} ${createHash("sha256").update(partnerOf(jwt)).digest("hex").slice(0, 16)}`

/** Tokens of one partner change over time in everything but the id; an unreadable token stands for itself. */
const partnerOf = (jwt: string): string => {
  const claims = Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString("utf8")
  return /"(?:sub|partner_?id)"\s*:\s*"([^"]+)"/i.exec(claims)?.[1] ?? jwt
}
