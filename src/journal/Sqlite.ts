/**
 * SQLite for Effect's `SqlClient` by Node's own `node:sqlite`, so no native package has to be installed. One connection, write-ahead log,
 * `synchronous=FULL`: a statement that returned survives a crash and a power cut. The driver is synchronous, so a commit blocks the event
 * loop for 0.1 to 0.3 ms, which is enough for the journal of one bot.
 */
import { chmodSync, realpathSync, statSync } from "node:fs"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { Effect, Layer, Result, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import { messageOf } from "../domain/Text.ts"
import * as Reserve from "./Reserve.ts"
import { fileOf as archiveOf, joined } from "./schema/archive.ts"

export interface SqliteOptions {
  readonly filename: string
  readonly readOnly?: boolean
}

const failure = (cause: unknown, message: string): SqlError.SqlError => {
  // Effect classifies by the numeric code, which node:sqlite calls `errcode`.
  if (cause instanceof Error && "errcode" in cause) Object.assign(cause, { errno: cause.errcode })
  return new SqlError.SqlError({ reason: SqlError.classifySqliteError(cause, { message, operation: "execute" }) })
}

const attempt = <A>(evaluate: () => A): Effect.Effect<A, SqlError.SqlError> =>
  Effect.try({ try: evaluate, catch: (cause) => failure(cause, messageOf(cause)) })

/** Journals of older versions may be readable for others on this machine. Only the file's owner can change the mode. */
const onlyMine = 0o600

/** Keeps the index of the write-ahead log in memory, because this process alone uses the file. */
const alone = "PRAGMA locking_mode = EXCLUSIVE"

const withArchive = (database: DatabaseSync, filename: string): DatabaseSync => {
  const archive = Result.getOrElse(
    Result.try(() => archiveOf(realpathSync(filename))),
    () => ""
  )
  if (statSync(archive, { throwIfNoEntry: false }) !== undefined) database.exec(joined(archive))
  return database
}

const open = ({ filename, readOnly = false }: SqliteOptions, first = ""): DatabaseSync => {
  const stats = filename === ":memory:" ? undefined : statSync(filename, { throwIfNoEntry: false })
  // Opening a named pipe would wait without limit and ignore signals.
  if (stats?.isFile() === false) throw new Error("it is not a plain file")
  // SQLite creates a new write-ahead log and index with the mode of the file itself.
  if (!readOnly && stats !== undefined)
    for (const part of ["", "-wal", "-shm"]) Result.try(() => chmodSync(filename + part, onlyMine))
  const database = new DatabaseSync(filename, { readOnly })
  database.exec(`PRAGMA busy_timeout = 1000; ${first}`)
  if (readOnly) return withArchive(database, filename)
  const prepared = Result.try(() =>
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON")
  )
  if (Result.isSuccess(prepared)) return withArchive(database, filename)
  database.close()
  // A full disk may have no room for the index, but the journal must be readable to cancel orders there.
  if (first === "" && Reserve.isWanted(prepared.failure)) return open({ filename }, alone)
  throw prepared.failure
}

const makeConnection = (database: DatabaseSync): SqlConnection.Connection => {
  const prepared = new Map<string, StatementSync>()

  const prepare = (sql: string): StatementSync => {
    const cachedStatement = prepared.get(sql)
    if (cachedStatement !== undefined) return cachedStatement
    const statement = database.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }

  const run = (statement: StatementSync, params: ReadonlyArray<unknown>, arrays: boolean): ReadonlyArray<unknown> => {
    const values = params as ReadonlyArray<SQLInputValue>
    statement.setReturnArrays(arrays)
    if (statement.columns().length > 0) return statement.all(...values)
    // Without big integers `run` throws after executing once the last row id passes 2^53.
    statement.setReadBigInts(true)
    statement.run(...values)
    return []
  }

  const execute = (sql: string, params: ReadonlyArray<unknown>, arrays = false) =>
    attempt(() => run(prepare(sql), params, arrays))
  const values = (sql: string, params: ReadonlyArray<unknown>) =>
    execute(sql, params, true) as Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>, SqlError.SqlError>

  return {
    execute: (sql, params, transformRows) =>
      Effect.map(execute(sql, params), (rows) =>
        transformRows === undefined ? rows : transformRows(rows as ReadonlyArray<object>)
      ),
    executeRaw: execute,
    executeStream: (sql, params) => Stream.fromIterableEffect(execute(sql, params)),
    executeValues: values,
    executeValuesUnprepared: values,
    executeUnprepared: (sql, params) => execute(sql, params)
  }
}

export const layer = (options: SqliteOptions): Layer.Layer<SqlClient.SqlClient, SqlError.SqlError> =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const database = yield* Effect.acquireRelease(
        Effect.try({
          try: () => open(options),
          catch: (cause) => failure(cause, `Cannot open the database ${options.filename}: ${messageOf(cause)}`)
        }),
        (database) => Effect.sync(() => database.close())
      )
      const connection = makeConnection(database)
      const semaphore = yield* Semaphore.make(1)
      return yield* SqlClient.make({
        ...SqlClient.makeSqliteAcquirers({
          connection: Effect.succeed(connection),
          semaphore,
          isTransaction: () => database.isTransaction
        }),
        compiler: Statement.makeCompilerSqlite(),
        driver: "node:sqlite",
        beginTransaction: "BEGIN IMMEDIATE",
        prepareTransactionControls: true,
        releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
        spanAttributes: [["db.system.name", "sqlite"]]
      })
    })
  ).pipe(Layer.provide(Reactivity.layer))
