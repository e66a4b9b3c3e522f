/**
 * Keeps the partner's past transactions and the last compared balances for the next poll. The history is slow, so it is read only once: a
 * pass reads from the newest transaction down to a horizon. Rows and cursor are written together after every page, so an interrupted pass
 * resumes, and a row that is read twice is stored once.
 */
import { Clock, Context, Effect, Layer, Option, Schema, Stream } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { broken, type JournalError } from "./Journal.ts"
import { migrations } from "./schema/migrations.ts"

export interface StoredTransaction {
  readonly depositAddress: string
  readonly depositMemo: string | undefined
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly status: string
  readonly body: string
}

/** A pass in progress: rows from `top` down to `horizon`, read as far as the cursor. */
export interface Pass {
  /** Time of the first row of the pass; `undefined` before its first page. */
  readonly top: number | undefined
  readonly horizon: number
  readonly cursor: { readonly address: string; readonly memo: string | undefined } | undefined
}

export interface SyncProgress {
  /** A finished pass has read everything from this time and older. */
  readonly completeTo: number | undefined
  readonly pass: Pass | undefined
}

export class HistoryStore extends Context.Service<
  HistoryStore,
  {
    readonly progress: Effect.Effect<SyncProgress, JournalError>
    save(rows: ReadonlyArray<StoredTransaction>, progress: SyncProgress): Effect.Effect<void, JournalError>
    /** Returns the time of the oldest row since `since` whose status can still change. */
    oldestOpen(since: number, finalStatuses: ReadonlyArray<string>): Effect.Effect<number | undefined, JournalError>
    /** Newest first. */
    readonly all: Effect.Effect<ReadonlyArray<StoredTransaction>, JournalError>
    /** Like `all`, page by page. */
    readonly rows: Stream.Stream<StoredTransaction, JournalError>
    find(depositAddress: string, depositMemo?: string): Effect.Effect<StoredTransaction | undefined, JournalError>
  }
>()("limitbot/journal/HistoryStore") {
  static readonly layer = Layer.effectContext(
    Effect.gen(function* () {
      yield* Migrator.make({})({ loader: migrations }).pipe(Effect.mapError(broken("Cannot prepare the history")))
      const sql = yield* SqlClient.SqlClient
      return Context.make(HistoryStore, make(sql)).pipe(Context.add(BalanceStore, balancesIn(sql)))
    })
  )

  /** Stores nothing, for a bot that does not read the partner's history. */
  static readonly empty = HistoryStore.of({
    progress: Effect.succeed({ completeTo: undefined, pass: undefined }),
    save: () => Effect.void,
    oldestOpen: () => Effect.undefined,
    all: Effect.succeed([]),
    rows: Stream.empty,
    find: () => Effect.undefined
  })
}

const Snapshot = Schema.fromJsonString(Schema.Record(Schema.String, Schema.String))
export type Snapshot = Readonly<Record<string, string>>
const decodeSnapshot = Schema.decodeUnknownOption(Snapshot)
export const snapshotIn = (row: { readonly body: string } | undefined): Snapshot | undefined =>
  Option.getOrUndefined(decodeSnapshot(row?.body))

export class BalanceStore extends Context.Service<
  BalanceStore,
  {
    readonly last: Effect.Effect<Snapshot | undefined, JournalError>
    save(snapshot: Snapshot): Effect.Effect<void, JournalError>
  }
>()("limitbot/journal/BalanceStore") {}

const columns = `deposit_address AS "depositAddress", deposit_memo AS memo, created_at AS "createdAt", status, body`

type Row = Omit<StoredTransaction, "depositMemo"> & { readonly memo: string }

interface SyncRow {
  readonly complete_to: number | null
  readonly pass_top: number | null
  readonly pass_horizon: number | null
  readonly cursor_address: string | null
  readonly cursor_memo: string | null
}

const pageSize = 1_000

/** Each page continues after the last row that was read, so rows that are added meanwhile do not shift the others. */
const beforeAll = { createdAt: Number.MAX_SAFE_INTEGER, depositAddress: "", memo: "" }

/** The memo is part of the key and therefore never null in the table: a missing memo is the empty text. */
const memoKey = (memo: string | undefined): string => memo ?? ""
const memoOf = (key: string): string | undefined => (key === "" ? undefined : key)

const toStored = ({ memo, ...row }: Row): StoredTransaction => ({ ...row, depositMemo: memoOf(memo) })

const toProgress = (row: SyncRow | undefined): SyncProgress => {
  const completeTo = row?.complete_to ?? undefined
  if (row === undefined || row.pass_horizon === null) return { completeTo, pass: undefined }
  const { cursor_address: address, cursor_memo, pass_horizon: horizon, pass_top } = row
  const cursor = address === null ? undefined : { address, memo: memoOf(cursor_memo ?? "") }
  return { completeTo, pass: { top: pass_top ?? undefined, horizon, cursor } }
}

const make = (sql: SqlClient.SqlClient): HistoryStore["Service"] => {
  const orReadError = Effect.mapError(broken("Cannot read the stored history"))
  const stored = sql.literal(`SELECT ${columns} FROM history_transactions`)

  const save = Effect.fn("HistoryStore.save")(
    function* (rows: ReadonlyArray<StoredTransaction>, { completeTo, pass }: SyncProgress) {
      const seen_at = yield* Clock.currentTimeMillis
      yield* Effect.forEach(
        rows,
        ({ body, createdAt, depositAddress, depositMemo, status }) => sql`
          INSERT OR REPLACE INTO history_transactions ${sql.insert({
            deposit_address: depositAddress,
            deposit_memo: memoKey(depositMemo),
            created_at: createdAt,
            status,
            seen_at,
            body
          })}`,
        { discard: true }
      )
      yield* sql`
        INSERT OR REPLACE INTO history_sync ${sql.insert({
          id: 1,
          complete_to: completeTo ?? null,
          pass_top: pass?.top ?? null,
          pass_horizon: pass?.horizon ?? null,
          cursor_address: pass?.cursor?.address ?? null,
          cursor_memo: pass?.cursor === undefined ? null : memoKey(pass.cursor.memo)
        })}`
    },
    sql.withTransaction,
    Effect.mapError(broken("Cannot store the history"))
  )

  return HistoryStore.of({
    save,
    progress: sql<SyncRow>`SELECT * FROM history_sync WHERE id = 1`.pipe(
      Effect.map(([row]) => toProgress(row)),
      orReadError
    ),
    oldestOpen: (since, finalStatuses) =>
      sql<{ oldest: number | null }>`
        SELECT min(created_at) AS oldest FROM history_transactions
        WHERE created_at >= ${since} AND NOT ${sql.in("status", finalStatuses)}`.pipe(
        Effect.map(([row]) => row?.oldest ?? undefined),
        orReadError
      ),
    all: sql<Row>`${stored} ORDER BY created_at DESC, deposit_address, deposit_memo`.pipe(
      Effect.map((rows) => rows.map(toStored)),
      orReadError
    ),
    rows: Stream.paginate(beforeAll, (last) =>
      sql<Row>`
        ${stored}
        WHERE created_at <= ${last.createdAt} AND (created_at < ${last.createdAt}
          OR (deposit_address, deposit_memo) > (${last.depositAddress}, ${last.memo}))
        ORDER BY created_at DESC, deposit_address, deposit_memo LIMIT ${pageSize}`.pipe(
        Effect.map((rows) => {
          const next = rows.length < pageSize ? undefined : rows.at(-1)
          return [rows.map(toStored), Option.fromUndefinedOr(next)] as const
        }),
        orReadError
      )
    ),
    find: (depositAddress, depositMemo) =>
      sql<Row>`${stored} WHERE deposit_address = ${depositAddress} AND deposit_memo = ${memoKey(depositMemo)}`.pipe(
        Effect.map(([row]) => (row === undefined ? undefined : toStored(row))),
        orReadError
      )
  })
}

const balancesIn = (sql: SqlClient.SqlClient): BalanceStore["Service"] =>
  BalanceStore.of({
    last: sql<{ body: string }>`SELECT body FROM balance_snapshots ORDER BY at DESC LIMIT 1`.pipe(
      Effect.map(([row]) => snapshotIn(row)),
      Effect.mapError(broken("Cannot read the last balances"))
    ),
    save: Effect.fn("BalanceStore.save")(
      function* (snapshot: Snapshot) {
        // Replaces the newest row, whatever its time: a row that a wrong clock has dated ahead would hide later ones.
        yield* sql`
          INSERT OR REPLACE INTO balance_snapshots (at, body)
          SELECT coalesce(max(at), 0), ${JSON.stringify(snapshot)} FROM balance_snapshots`
      },
      Effect.mapError(broken("Cannot store the balances"))
    )
  })
