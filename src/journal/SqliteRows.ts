/** The rows of a bot's journal in its SQLite file. A write waits about a minute while a backup or a reader's transaction locks the file. */
import { type Array, Effect, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { Tag } from "../domain/BotEvent.ts"
import { diskFullText } from "../domain/Text.ts"
import { genesis, type Link } from "./Hash.ts"
import * as Reserve from "./Reserve.ts"
import type { NewRow, Rows } from "./Rows.ts"
import * as Snapshots from "./snapshots/Snapshots.ts"

const whileLocked = {
  schedule: Schedule.spaced("100 millis"),
  times: 60,
  while: ({ reason }: SqlError.SqlError) => reason._tag === "LockTimeoutError"
} as const

const isDiskFull = ({ reason: { cause } }: SqlError.SqlError): boolean => Reserve.isWanted(cause)

export const make = Effect.fnUntraced(function* (reserve: Reserve.Reserve) {
  const sql = yield* SqlClient.SqlClient
  let problem = yield* reserve.restore

  const makeRoom = Effect.gen(function* () {
    problem = diskFullText
    const hasRoom = yield* reserve.release
    // The write-ahead log uses the same room, so it is emptied sooner.
    if (hasRoom) yield* sql`PRAGMA wal_autocheckpoint = 64`
  })
  // One statement writes all rows or none.
  const write = (rows: Array.NonEmptyReadonlyArray<NewRow>) => {
    const insert = Effect.retry(sql`INSERT INTO main.journal ${sql.insert(rows)}`, whileLocked)
    return Effect.asVoid(Effect.catchIf(insert, isDiskFull, () => Effect.andThen(makeRoom, insert)))
  }

  const recover = Effect.gen(function* () {
    if (problem === undefined) return
    problem = yield* reserve.restore
    if (problem === undefined) yield* Effect.ignore(sql`PRAGMA wal_autocheckpoint = 1000`)
  })

  return {
    newest: Effect.map(
      sql<{ sequence: number | null }>`SELECT max(sequence) AS sequence FROM main.journal`,
      ([newest]) => newest?.sequence ?? 0
    ),
    newestHash: Effect.map(
      sql<{ hash: string }>`SELECT hash FROM main.journal ORDER BY sequence DESC LIMIT 1`,
      ([row]) => row?.hash ?? genesis
    ),
    write,
    after: (sequence, { strategy, tags }, most) => sql<Link>`
      SELECT sequence, at, body FROM journal
      WHERE sequence > ${sequence} AND ${ofTags(sql, tags)}
        AND ${strategy === undefined ? sql`1 = 1` : sql`strategy = ${strategy}`}
      ORDER BY sequence LIMIT ${most}`,
    before: (sequence, most) => sql<Link>`
      SELECT sequence, at, body FROM journal WHERE sequence < ${sequence} ORDER BY sequence DESC LIMIT ${most}`,
    snapshots: Snapshots.make(snapshotTable(sql)),
    disk: { problem: () => problem, recover }
  } satisfies Rows
})

const snapshotTable = (sql: SqlClient.SqlClient): Snapshots.SnapshotTable => ({
  find: (fold) =>
    Effect.map(
      sql<Snapshots.Stored & { readonly chained: string }>`
        SELECT fold, sequence, hash, seal, body,
          (SELECT journal.hash FROM journal WHERE journal.sequence = snapshots.sequence) AS chained
        FROM snapshots WHERE fold = ${fold}`,
      ([row]) => (row?.chained === null ? undefined : row)
    ),
  hashOf: (sequence) =>
    Effect.map(sql<{ hash: string }>`SELECT hash FROM journal WHERE sequence = ${sequence}`, ([row]) => row?.hash),
  put: ({ body, fold, hash, seal, sequence }) =>
    sql`INSERT OR REPLACE INTO snapshots ${sql.insert({ fold, sequence, hash, seal, body })}`,
  forget: (prefix) => sql`DELETE FROM snapshots WHERE substr(fold, 1, ${prefix.length}) = ${prefix}`
})

/** Uses the index only for one tag. For several tags the index has no common order, and every page would sort all remaining rows. */
const ofTags = (sql: SqlClient.SqlClient, tags: ReadonlyArray<Tag> | undefined) => {
  if (tags === undefined) return sql`1 = 1`
  return tags.length === 1 ? sql`event = ${tags[0] ?? ""}` : sql`+event IN ${sql.in(tags)}`
}
