/**
 * The journal's tables. A migration that shipped is never edited; a change is a new entry. Any SQLite tool can read the events (times in
 * milliseconds, amounts as text, the event as JSON). The database itself refuses to change or delete one.
 */
import { Effect, Schema } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { version } from "../../version.ts"
import { genesis, hashOf, type Link } from "../Hash.ts"

const createJournal = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE journal (
      sequence INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      event TEXT NOT NULL,
      strategy TEXT,
      slot TEXT,
      placement TEXT,
      order_id TEXT,
      correlation_id TEXT,
      body TEXT NOT NULL
    ) STRICT`
  yield* sql`CREATE INDEX journal_placement ON journal (placement) WHERE placement IS NOT NULL`
  yield* sql`CREATE INDEX journal_event ON journal (event, sequence)`
  yield* sql`
    CREATE TRIGGER journal_is_append_only_update BEFORE UPDATE ON journal
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END`
  yield* sql`
    CREATE TRIGGER journal_is_append_only_delete BEFORE DELETE ON journal
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END`
})

const createPrices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE price_minutes (
      market TEXT NOT NULL,
      opened_at INTEGER NOT NULL,
      open REAL NOT NULL,
      high REAL NOT NULL,
      low REAL NOT NULL,
      close REAL NOT NULL,
      PRIMARY KEY (market, opened_at)
    ) STRICT, WITHOUT ROWID`
})

/** Candles of a market's source as decisions used them. The source may report them late, change them or drop them later. */
const createSeenCandles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE seen_candles (
      market TEXT NOT NULL,
      timeframe TEXT NOT NULL,
      opened_at INTEGER NOT NULL,
      open REAL NOT NULL,
      high REAL NOT NULL,
      low REAL NOT NULL,
      close REAL NOT NULL,
      volume REAL NOT NULL,
      seen_at INTEGER NOT NULL,
      PRIMARY KEY (market, timeframe, opened_at)
    ) STRICT, WITHOUT ROWID`
})

/** Tables of the venue's history, request turns and balances. Unlike the journal, they can be deleted and read again. */
const createHistory = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE history_transactions (
      deposit_address TEXT NOT NULL,
      deposit_memo TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      status TEXT NOT NULL,
      seen_at INTEGER NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (deposit_address, deposit_memo)
    ) STRICT, WITHOUT ROWID`
  yield* sql`CREATE INDEX history_transactions_time ON history_transactions (created_at)`
  yield* sql`
    CREATE TABLE history_sync (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      complete_to INTEGER,
      pass_top INTEGER,
      pass_horizon INTEGER,
      cursor_address TEXT,
      cursor_memo TEXT
    ) STRICT`
  yield* sql`
    CREATE TABLE request_lanes (
      lane TEXT PRIMARY KEY,
      next_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`
  yield* sql`
    CREATE TABLE balance_snapshots (
      at INTEGER PRIMARY KEY,
      body TEXT NOT NULL
    ) STRICT`
})

const pageSize = 5_000

const createChain = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE journal ADD COLUMN hash TEXT`
  yield* sql`DROP TRIGGER journal_is_append_only_update`
  let [last, head] = [0, genesis]
  for (let isMore = true; isMore; ) {
    const rows = yield* sql<Link>`
      SELECT sequence, at, body FROM journal WHERE sequence > ${last} ORDER BY sequence LIMIT ${pageSize}`
    for (const row of rows) {
      head = hashOf(head, row)
      last = row.sequence
      yield* sql`UPDATE journal SET hash = ${head} WHERE sequence = ${last}`
    }
    isMore = rows.length === pageSize
  }
  yield* sql`
    CREATE TRIGGER journal_is_append_only_update BEFORE UPDATE ON journal
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END`
})

/** Saved states of the journal's folds. This is a cache and may be emptied at any time. */
const createSnapshots = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE snapshots (
      fold TEXT PRIMARY KEY,
      sequence INTEGER NOT NULL,
      hash TEXT NOT NULL,
      seal TEXT NOT NULL,
      body BLOB NOT NULL
    ) STRICT`
})

const dropOldSwaps = SqlClient.SqlClient.use((sql) => Effect.asVoid(sql`DROP TABLE IF EXISTS swap_journal`))

/** Migrations 3 and 7 created and emptied the table that 8 drops. */
export const migrations = Migrator.fromRecord({
  "0001_create_journal": createJournal,
  "0002_create_prices": createPrices,
  "0004_create_history": createHistory,
  "0005_create_chain": createChain,
  "0006_create_snapshots": createSnapshots,
  "0008_drop_old_swaps": dropOldSwaps,
  "0009_create_seen_candles": createSeenCandles
})

/** Returns the migrations that the next start would run, and whether a newer program made the journal's tables. */
export const standing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly newest: number | null }>`
    SELECT max(migration_id) AS newest FROM effect_sql_migrations`
  const newest = row?.newest ?? 0
  const allMigrations = yield* migrations
  return {
    pending: allMigrations.flatMap(([id, name]) => (id > newest ? [name.replaceAll("_", " ")] : [])),
    isNewer: allMigrations.every(([id]) => id < newest)
  }
})

export class JournalNewer extends Schema.TaggedError<JournalNewer>()("JournalNewer", { what: Schema.String }) {
  override get message(): string {
    return `a newer limitbot wrote it (${this.what}) than this one, ${version}: use the newer one, or a backup from before it (limitbot journal restore)`
  }
}

export const refuseNewer = Effect.gen(function* () {
  const { isNewer } = yield* Effect.orElseSucceed(standing, () => ({ isNewer: false }))
  if (isNewer) return yield* new JournalNewer({ what: "its tables have a newer format" })
})

const oldSwaps =
  "it has swaps or payments in a format from before 22 November 2026, which this version cannot read: finish them with the version that wrote them, keep the file, and start a new journal"

/**
 * Before 22 November 2026 manual swaps were steps, first in a table and then as separate events, and there was an event for lost payments.
 * Such a journal is refused as a whole, because it cannot be read completely. The empty table is dropped.
 */
export const refuseOldSwaps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql`SELECT name FROM sqlite_master WHERE name IN ('journal', 'swap_journal')`
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    name === "journal"
      ? sql`SELECT 1 FROM journal WHERE event IN ('SwapStep', 'PaymentLost') LIMIT 1`
      : sql`SELECT 1 FROM swap_journal LIMIT 1`
  )
  if (rows.flat().length > 0) return yield* Effect.fail(new Error(oldSwaps))
})
