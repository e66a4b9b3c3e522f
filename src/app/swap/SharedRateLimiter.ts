/**
 * Shares the rate limit of the history endpoints among all processes on one journal with one partner. Turns are booked atomically, in one
 * statement of the database beside the journal. A 429 for one process makes all of them wait.
 */
import { createHash } from "node:crypto"
import { Clock, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { HistoryRateLimiter, type HistoryTurns } from "../../venue/http/HistoryRateLimiter.ts"
import { VenueConfig } from "../../venue/VenueConfig.ts"

/** A booking further ahead comes from a clock that was wrong, and is ignored. */
const maxAheadMillis = 600_000

/** `limit` names the rate limit; the table calls it lane. If the database cannot be written, the service enforces the rate with 429. */
const turnsIn = (sql: SqlClient.SqlClient, limit: string): HistoryTurns => ({
  clock: Clock.currentTimeMillis,
  book: (now, spacingMillis, maxWaitMillis) =>
    sql<{ next_at: number }>`
      INSERT INTO request_lanes (lane, next_at) VALUES (${limit}, ${now + spacingMillis})
      ON CONFLICT (lane) DO UPDATE
        SET next_at = CASE WHEN next_at > ${now + maxAheadMillis} THEN ${now} ELSE max(next_at, ${now}) END + ${spacingMillis}
        WHERE next_at <= ${now + maxWaitMillis} OR next_at > ${now + maxAheadMillis}
      RETURNING next_at`.pipe(
      Effect.flatMap(([turn]) =>
        turn !== undefined
          ? Effect.succeed(turn.next_at - spacingMillis)
          : Effect.map(
              sql<{ next_at: number }>`SELECT next_at FROM request_lanes WHERE lane = ${limit}`,
              // A turn that was freed between both statements is not booked either.
              ([next]) => Math.max(next?.next_at ?? 0, now + maxWaitMillis + 1)
            )
      ),
      Effect.orElseSucceed(() => now)
    ),
  postpone: (until, booked) =>
    Effect.ignore(sql`
      INSERT INTO request_lanes (lane, next_at) VALUES (${limit}, ${until})
      ON CONFLICT (lane) DO UPDATE
        SET next_at = CASE WHEN next_at = ${booked ?? null} THEN ${until} ELSE max(next_at, ${until}) END`)
})

export const layer = Layer.effect(
  HistoryRateLimiter,
  Effect.gen(function* () {
    const { analyticsUrl, partnerJwt, url } = yield* VenueConfig
    const limit = limitOf(analyticsUrl ?? url, partnerJwt === undefined ? "" : Redacted.value(partnerJwt))
    return HistoryRateLimiter.over(turnsIn(yield* SqlClient.SqlClient, limit))
  })
)

/** The partner id is in the token; the token itself is not stored. */
const limitOf = (url: string, jwt: string): string =>
  `history ${url} ${createHash("sha256").update(partnerOf(jwt)).digest("hex").slice(0, 16)}`

/** Tokens of one partner change over time, but their id stays. An unreadable token is used as a whole. */
const partnerOf = (jwt: string): string => {
  const claims = Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString("utf8")
  return /"(?:sub|partner_?id)"\s*:\s*"([^"]+)"/i.exec(claims)?.[1] ?? jwt
}
