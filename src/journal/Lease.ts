/**
 * One writer per journal. The lease is SQLite's own write lock on a small file beside the journal, so the operating system frees it when
 * the process dies. The holder is written into the same file, readable while it is locked.
 */
import { type BigIntStats, closeSync, openSync, realpathSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import { messageOf, utc } from "../domain/Text.ts"
import * as Reserve from "./Reserve.ts"

/** Another process is running this journal. Two writers could fund one slot twice, so the second one stops. */
export class JournalInUse extends Schema.TaggedError<JournalInUse>()("JournalInUse", {
  journal: Schema.String,
  pid: Schema.Int,
  since: Schema.Int
}) {
  override get message(): string {
    const since = utc(this.since)
    return `The journal ${this.journal} is in use by process ${this.pid} since ${since}. Stop that bot first, or use another journal.`
  }
}

export class LeaseUnavailable extends Schema.TaggedError<LeaseUnavailable>()("LeaseUnavailable", {
  journal: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    const why = messageOf(this.cause)
    return `Cannot lock the journal ${this.journal}: ${why}. Check that its directory exists and is writable.`
  }
}

/** Returns the reason why this process may no longer write and pay, or `undefined` if it may. Checked before every payment. */
export const LeaseLost = Context.Reference<Effect.Effect<string | undefined>>("limitbot/journal/LeaseLost", {
  defaultValue: () => Effect.undefined
})

export interface LeaseOptions {
  readonly journal: string
  readonly pid: number
  /** Frees room for a start on a full disk, where the bot must still track and cancel its orders. */
  readonly reserve?: Reserve.Reserve
}

const isBusy = (cause: unknown): boolean =>
  // 5 is SQLITE_BUSY; extended codes keep it in the low byte.
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" && (cause.errcode & 0xff) === 5

export interface Holder {
  readonly pid: number
  /** Epoch milliseconds. */
  readonly since: number
}

/** Reads the holder. A lease that was created on a full disk contains none. */
const readHolder = (database: DatabaseSync): Holder => {
  const queryResult = Result.try(() => database.prepare("SELECT pid, since FROM holder WHERE id = 1").get())
  const row = Result.getOrUndefined(queryResult)
  return { pid: Number(row?.["pid"] ?? 0), since: Number(row?.["since"] ?? 0) }
}

const writeHolder = (database: DatabaseSync, pid: number, since: number): void => {
  database.exec("CREATE TABLE IF NOT EXISTS holder (id INTEGER PRIMARY KEY CHECK (id = 1), pid INTEGER, since INTEGER)")
  database.exec("BEGIN IMMEDIATE")
  database.prepare("INSERT OR REPLACE INTO holder VALUES (1, ?, ?)").run(pid, since)
  database.exec("COMMIT")
}

const lock = (database: DatabaseSync): void => {
  if (database.isTransaction) database.exec("ROLLBACK")
  database.exec("BEGIN IMMEDIATE")
}

const take = (database: DatabaseSync, pid: number, since: number): void => {
  if (database.isTransaction) database.exec("ROLLBACK")
  writeHolder(database, pid, since)
  // If another process gets the lock between the two transactions, that process is the holder.
  lock(database)
}

/** Locks without using disk space. Overwrites the previous holder if the file system needs no space for that. */
const takeWithoutRoom = (database: DatabaseSync, pid: number, since: number): void => {
  if (database.isTransaction) database.exec("ROLLBACK")
  database.exec("PRAGMA journal_mode = MEMORY")
  Result.try(() => writeHolder(database, pid, since))
  lock(database)
}

/** Returns the file that a path leads to. Two bots could otherwise lock different files, one of them beside a link. */
export const fileOf = (journal: string): string =>
  Result.getOrElse(
    Result.orElse(
      Result.try(() => realpathSync(journal)),
      () => Result.try(() => join(realpathSync(dirname(journal)), basename(journal)))
    ),
    () => journal
  )

/** Refuses a named pipe (opening one blocks without limit) and a second hard link (its path would have another lock). */
const create = (journal: string): void => {
  const stats = statSync(journal, { throwIfNoEntry: false })
  if (stats?.isFile() === false) throw new Error("it is not a plain file")
  if (stats !== undefined && stats.nlink > 1)
    throw new Error("it has a second name (a hard link), under which another bot could run on it; remove one")
  closeSync(openSync(journal, "a", 0o600))
}

const fileAt = (path: string): BigIntStats | undefined =>
  Result.getOrUndefined(Result.try(() => statSync(path, { bigint: true })))

const isSame = (now: BigIntStats | undefined, held: BigIntStats | undefined): boolean =>
  now !== undefined && now.ino === held?.ino && now.dev === held.dev

/**
 * Notices that a file was removed or replaced while the bot runs. The next bot would lock another file, and records in a removed or
 * replaced journal are lost at the next start.
 */
const watchOver = (journal: string) => {
  const lock = `${journal}.lease`
  const log = `${journal}-wal`
  const [heldLock, heldJournal] = [fileAt(lock), fileAt(journal)]
  /** The write-ahead log appears with the first record. */
  let heldLog: BigIntStats | undefined
  const what = (path: string) => `${path} was removed or replaced while the bot ran:`
  return (): string | undefined => {
    if (!isSame(fileAt(lock), heldLock))
      return `${what(lock)} another bot may work on this journal. Stop both, and start one.`
    if (!isSame(fileAt(journal), heldJournal))
      return `${what(journal)} all that the bot records now is lost when it ends. Stop it, put the journal back, and start again.`
    heldLog ??= fileAt(log)
    if (heldLog !== undefined && !isSame(fileAt(log), heldLog))
      return `${what(log)} recent records are lost if the bot is killed. Stop it normally, and start again.`
    return undefined
  }
}

export const layer = ({
  journal: name,
  pid,
  reserve = Reserve.none
}: LeaseOptions): Layer.Layer<never, JournalInUse | LeaseUnavailable> =>
  Layer.effect(
    LeaseLost,
    Effect.gen(function* () {
      const journal = fileOf(name)
      const unavailable = (cause: unknown) => new LeaseUnavailable({ journal, cause })
      const database = yield* Effect.acquireRelease(
        Effect.try({ try: () => new DatabaseSync(`${journal}.lease`, { timeout: 0 }), catch: unavailable }),
        (database) => Effect.sync(() => database.close())
      )
      const since = yield* Clock.currentTimeMillis
      const by = (way: typeof take) => Effect.try({ try: () => way(database, pid, since), catch: (cause) => cause })
      yield* by(take).pipe(
        Effect.catchIf(Reserve.isWanted, () => Effect.andThen(reserve.release, by(take))),
        Effect.catchIf(Reserve.isWanted, () => by(takeWithoutRoom)),
        Effect.mapError((cause) =>
          isBusy(cause) ? new JournalInUse({ journal, ...readHolder(database) }) : unavailable(cause)
        )
      )
      // A new journal begins as an empty file, so its identity is known from the beginning.
      yield* Effect.try({ try: () => create(journal), catch: unavailable })
      return Effect.sync(watchOver(journal))
    })
  )

/** Returns the process that runs the journal, if there is one. The check takes a free lease for an instant and creates no file. */
export const holder = (journal: string): Effect.Effect<Holder | undefined> =>
  Effect.acquireUseRelease(
    Effect.try(() => {
      const file = pathToFileURL(`${fileOf(journal)}.lease`)
      file.searchParams.set("mode", "rw")
      return new DatabaseSync(file, { timeout: 0 })
    }),
    (database) =>
      Effect.try({ try: () => database.exec("BEGIN IMMEDIATE"), catch: (cause) => cause }).pipe(
        Effect.as(undefined),
        Effect.catchIf(isBusy, () => Effect.sync(() => readHolder(database)))
      ),
    (database) => Effect.sync(() => database.close())
  ).pipe(Effect.orElseSucceed(() => undefined))
