/**
 * Turns at a service with a fixed rate, booked in the database beside the journal, so that all processes that share it share
 * the rate as well. Booking is one statement, therefore atomic between processes.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A booking further ahead than this comes from a clock that was wrong, and is not waited for. */
const mostAheadMillis = 600_000

export interface TurnRequest {
  /** Names the rate limit; the table calls it lane. */
  readonly limit: string
  readonly now: number
  readonly spacingMillis: number
  readonly maxWaitMillis: number
}

export const make = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Returns the time of our turn. Returns `undefined`, and books nothing, if that is too far ahead. */
  book: ({ limit, maxWaitMillis, now, spacingMillis }: TurnRequest) =>
    sql<{ next_at: number }>`
      INSERT INTO request_lanes (lane, next_at) VALUES (${limit}, ${now + spacingMillis})
      ON CONFLICT (lane) DO UPDATE
        SET next_at = CASE WHEN next_at > ${now + mostAheadMillis} THEN ${now} ELSE max(next_at, ${now}) END + ${spacingMillis}
        WHERE next_at <= ${now + maxWaitMillis} OR next_at > ${now + mostAheadMillis}
      RETURNING next_at`.pipe(Effect.map(([row]) => (row === undefined ? undefined : row.next_at - spacingMillis))),
  /** No turn starts earlier. Replaces the last booking of the caller. */
  postpone: ({
    booked,
    limit,
    until
  }: {
    readonly limit: string
    readonly until: number
    readonly booked?: number | undefined
  }) =>
    sql`
      INSERT INTO request_lanes (lane, next_at) VALUES (${limit}, ${until})
      ON CONFLICT (lane) DO UPDATE
        SET next_at = CASE WHEN next_at = ${booked ?? null} THEN ${until} ELSE max(next_at, ${until}) END`
}))
