/**
 * Appends to the journals of many accounts in one database. Appends that wait while another is written go together in one statement, so
 * that they share the cost of a commit.
 *
 * The statement is the fence. It writes the rows of an append on three conditions: the account still has the appender's epoch, its journal
 * ends with the row that the appender knows as the last, and the server is that of the claim. The epoch alone is not enough. On a standby
 * without the newest claims, or in a restored copy, an earlier owner would be the owner again and not know the payments of the later one.
 * The statement can be sent again after a broken connection: rows that are already written are recognized by the hash of the last one.
 */
import { Array, Deferred, Effect, Queue, Record, Schedule } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type NewRow, OwnerChanged } from "../Rows.ts"

export interface Append {
  readonly account: string
  readonly epoch: number
  readonly database: string
  readonly rows: Array.NonEmptyReadonlyArray<NewRow>
  readonly previous: string
}

type Failure = SqlError.SqlError | OwnerChanged

export type Appends = Effect.Success<ReturnType<typeof make>>

interface Waiting extends Append {
  readonly done: Deferred.Deferred<void, Failure>
}

/** Maximum number of appends in one statement. With more, all of them wait for the slowest. */
const maxTogether = 64
const maxWaiting = 4_096

/** Each append is tried again for half a minute while the database is unreachable. Its caller waits. */
const whileAway = {
  schedule: Schedule.spaced("250 millis"),
  times: 120,
  while: (error: Failure) => error._tag === "SqlError" && error.isRetryable
} as const

export const make = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const queue = yield* Queue.bounded<Waiting>(maxWaiting)

  const settle = (append: Append) =>
    Effect.flatMap(
      sql<{ epoch: number; head: string }>`SELECT epoch, head FROM accounts WHERE name = ${append.account}`,
      ([owned]) => {
        const isWritten = owned?.epoch === append.epoch && owned.head === Array.lastNonEmpty(append.rows).hash
        return isWritten ? Effect.void : Effect.fail(new OwnerChanged(append))
      }
    )

  const finish = (waiting: ReadonlyArray<Waiting>, written: ReadonlySet<string>) =>
    Effect.forEach(
      waiting,
      (append) => Deferred.complete(append.done, written.has(append.account) ? Effect.void : settle(append)),
      { discard: true }
    )

  const writeTogether = (waiting: ReadonlyArray<Waiting>): Effect.Effect<void> =>
    Effect.matchEffect(insert(sql, waiting), {
      onSuccess: (written) => finish(waiting, written),
      onFailure: (error) => {
        const [only, ...others] = waiting
        if (only === undefined) return Effect.void
        // An append that the database refuses must not keep the others from being written.
        return others.length === 0 || error.isRetryable
          ? Effect.forEach(waiting, ({ done }) => Deferred.fail(done, error), { discard: true })
          : Effect.forEach(waiting, (append) => writeTogether([append]), { discard: true })
      }
    })

  yield* Effect.forkScoped(
    Effect.forever(
      Effect.flatMap(Queue.takeBetween(queue, 1, maxTogether), (taken) =>
        Effect.forEach(apart(taken), writeTogether, { discard: true })
      )
    )
  )

  const write = Effect.fn("Appends.write")(function* (append: Append) {
    const done = yield* Deferred.make<void, Failure>()
    yield* Queue.offer(queue, { ...append, done })
    yield* Deferred.await(done)
  }, Effect.retry(whileAway))

  return { write }
})

/** Splits appends so that a statement contains an account only once: a stale and the present owner may wait in one process. */
const apart = (taken: ReadonlyArray<Waiting>): ReadonlyArray<ReadonlyArray<Waiting>> => {
  const rounds: Array<Array<Waiting>> = []
  const turns = new Map<string, number>()
  for (const append of taken) {
    const turn = turns.get(append.account) ?? 0
    turns.set(append.account, turn + 1)
    const round = rounds[turn]
    if (round === undefined) rounds.push([append])
    else round.push(append)
  }
  return rounds
}

/**
 * Identifies the server since its start, the database since its creation and the table since it was filled. A standby that takes over, a
 * restored backup and an imported dump have another identity.
 */
export const incarnation = (sql: SqlClient.SqlClient) => sql`concat_ws('/',
  extract(epoch FROM pg_postmaster_start_time()), (SELECT oid FROM pg_database WHERE datname = current_database()),
  'journal'::regclass::oid, pg_relation_filenode('journal'))`

const insert = (sql: SqlClient.SqlClient, appends: ReadonlyArray<Append>) => {
  const claims = appends.map(({ account, database, epoch, previous, rows }) => ({
    account,
    epoch,
    database,
    before: Array.headNonEmpty(rows).sequence - 1,
    previous,
    newest: Array.lastNonEmpty(rows).sequence,
    head: Array.lastNonEmpty(rows).hash
  }))
  const rows = appends.flatMap(({ account, epoch, rows }) => rows.map((row) => ({ account, epoch, ...storable(row) })))
  const statement = sql<{ name: string }>`
    WITH owned AS (
      UPDATE accounts SET newest = claim.newest, head = claim.head
      FROM json_to_recordset(${JSON.stringify(claims)}::json)
        AS claim (account TEXT, epoch INTEGER, database TEXT, before BIGINT, previous TEXT, newest BIGINT, head TEXT)
      WHERE accounts.name = claim.account AND accounts.epoch = claim.epoch AND accounts.newest = claim.before
        AND accounts.head = claim.previous AND claim.database = ${incarnation(sql)}
      RETURNING accounts.name
    ), written AS (
      INSERT INTO journal (
        account, sequence, epoch, at, event, strategy, slot, placement, order_id, correlation_id, body, hash
      )
      SELECT account, sequence, epoch, at, event, strategy, slot, placement, order_id, correlation_id, body, hash
      FROM json_to_recordset(${JSON.stringify(rows)}::json) AS added (
        account TEXT, sequence BIGINT, epoch INTEGER, at BIGINT, event TEXT, strategy TEXT, slot TEXT, placement TEXT,
        order_id TEXT, correlation_id TEXT, body TEXT, hash TEXT
      )
      JOIN owned ON owned.name = added.account
    )
    SELECT name FROM owned`
  return Effect.map(statement, (written): ReadonlySet<string> => new Set(written.map(({ name }) => name)))
}

/** Replaces characters that Postgres cannot store. The body is JSON, which already escapes them. */
export const storableText = (text: string): string => text.toWellFormed().replaceAll("\0", "\ufffd")

const storable = ({ body, ...row }: NewRow) => ({
  ...Record.map(row, (value) => (typeof value === "string" ? storableText(value) : value)),
  body
})
