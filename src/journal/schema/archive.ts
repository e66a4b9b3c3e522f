/**
 * The older part of a journal in a file of its own, `JOURNAL.archive`. Readers of the journal see both as one table: a temporary view takes
 * the name `journal`, so events keep their numbers, their chain and their proofs. Only writes and questions about the newest event use
 * `main.journal`. After a crash, an event may be in both files; it counts once.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const fileOf = (journal: string): string => `${journal}.archive`

const view = `
  CREATE TEMP VIEW journal AS
    SELECT * FROM archive.journal
    UNION ALL
    SELECT * FROM main.journal WHERE sequence > (SELECT max(sequence) FROM archive.journal)`

const uriOf = (file: string): string => `file:${encodeURI(file).replaceAll("?", "%3f").replaceAll("#", "%23")}?mode=ro`

export const joined = (file: string): string =>
  `ATTACH DATABASE '${uriOf(file).replaceAll("'", "''")}' AS archive; ${view}`

const isJoined = SqlClient.SqlClient.use((sql) => sql`SELECT 1 FROM temp.sqlite_master WHERE name = 'journal'`).pipe(
  Effect.map((views) => views.length > 0)
)

/** Runs a step without the joined view. A copy of the whole journal would otherwise use the view. */
export const unjoined = Effect.fnUntraced(function* <A, E, R>(step: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* isJoined)) return yield* step
  yield* sql`DROP VIEW temp.journal`
  return yield* Effect.ensuring(step, Effect.orDie(sql.unsafe(view)))
})

/** Returns the first event that is present. Earlier events are in an archive that is missing. */
export const firstThere = SqlClient.SqlClient.use(
  (sql) => sql<{ readonly sequence: number }>`SELECT sequence FROM journal ORDER BY sequence LIMIT 1`
).pipe(Effect.map(([row]) => row?.sequence ?? 1))

/**
 * Returns false if the archive is not the older part of this journal: the journal is a new one or ends earlier, so the view
 * would hide its events, or events between the two files are missing. Returns true without an archive.
 */
export const isContinued = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* isJoined)) return true
  const tables = yield* sql`SELECT 1 FROM main.sqlite_master WHERE name = 'journal'`
  if (tables.length === 0) return false
  const [row] = yield* sql<{ readonly continued: number | null }>`
    SELECT (SELECT max(sequence) FROM archive.journal) BETWEEN (SELECT min(sequence) - 1 FROM main.journal)
      AND (SELECT max(sequence) FROM main.journal) AS continued`
  return row?.continued === 1
})

/** Returns the last event before `time` that can be archived, and its hash. The newest event always stays in the journal. */
export const lastBefore = Effect.fnUntraced(function* (time: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly sequence: number; readonly hash: string }>`
    SELECT sequence, hash FROM main.journal
    WHERE sequence < coalesce((SELECT min(sequence) FROM main.journal WHERE at >= ${time}), (SELECT max(sequence) FROM main.journal))
    ORDER BY sequence DESC LIMIT 1`
  return row
})

export const write = Effect.fnUntraced(function* (file: string, last: number) {
  const sql = yield* SqlClient.SqlClient
  const parts = yield* sql<{ readonly sql: string }>`
    SELECT sql FROM main.sqlite_master WHERE tbl_name = 'journal' AND sql IS NOT NULL ORDER BY type = 'table' DESC`
  yield* sql`ATTACH DATABASE ${file} AS next`
  yield* sql`PRAGMA next.synchronous = FULL`
  const make = Effect.forEach(parts, (part) =>
    sql.unsafe(part.sql.replace(/^CREATE (TABLE|INDEX|TRIGGER) /, "CREATE $1 next."))
  )
  yield* unjoined(make)
  yield* sql`INSERT INTO next.journal SELECT * FROM journal WHERE sequence <= ${last} ORDER BY sequence`
  yield* sql`DETACH DATABASE next`
})

/** Removes the events up to `last` from the journal, all or none, and frees the disk space. The archive must already be durable. */
export const cut = Effect.fnUntraced(function* (last: number) {
  const sql = yield* SqlClient.SqlClient
  const [trigger] = yield* sql<{ readonly name: string; readonly sql: string }>`
    SELECT name, sql FROM main.sqlite_master WHERE type = 'trigger' AND name = 'journal_is_append_only_delete'`
  if (trigger === undefined) return
  const removed = sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`DROP TRIGGER main.journal_is_append_only_delete`
      yield* sql`DELETE FROM main.journal WHERE sequence <= ${last}`
      yield* sql.unsafe(trigger.sql)
    })
  )
  yield* unjoined(Effect.andThen(removed, sql`VACUUM main`))
  yield* sql`PRAGMA main.wal_checkpoint(TRUNCATE)`
})
