/** The table of the journal of swaps: append-only by the database's own word, one row per step of a swap. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const createSwaps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE swap_journal (
      swap TEXT NOT NULL,
      step INTEGER NOT NULL,
      at INTEGER NOT NULL,
      event TEXT NOT NULL,
      body TEXT NOT NULL,
      PRIMARY KEY (swap, step)
    ) STRICT, WITHOUT ROWID`
  yield* sql`
    CREATE TRIGGER swap_journal_is_append_only_update BEFORE UPDATE ON swap_journal
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END`
  yield* sql`
    CREATE TRIGGER swap_journal_is_append_only_delete BEFORE DELETE ON swap_journal
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END`
})
