/** Tables of the venue's history, request turns and balances. Unlike the journal, they can be deleted and read again. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const createHistory = Effect.gen(function* () {
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
