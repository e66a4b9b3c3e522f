/**
 * The table in which the oldest versions kept swaps by hand, one row per step. Its rows were taken over into the journal,
 * where everything else is, and the table is only kept.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { genesis, hashOf, type Link } from "../Hash.ts"

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

interface Step {
  readonly swap: string
  readonly step: number
  readonly at: number
  readonly body: string
}

/** Appends every swap that the journal does not have, as events with their own times. */
export const takeSwapsOver = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const steps = yield* sql<Step>`
    SELECT swap, step, at, body FROM swap_journal
    WHERE swap NOT IN (SELECT json_extract(body, '$.swap') FROM journal WHERE event = 'SwapStep')
    ORDER BY length(swap), swap, step`
  const [newest] = yield* sql<Link & { readonly hash: string }>`
    SELECT sequence, at, body, hash FROM journal ORDER BY sequence DESC LIMIT 1`
  let [sequence, at, hash] = [newest?.sequence ?? 0, newest?.at ?? 0, newest?.hash ?? genesis]
  for (const step of steps) {
    const body = JSON.stringify({ _tag: "SwapStep", ...step, event: JSON.parse(step.body), body: undefined })
    sequence += 1
    at = Math.max(at, step.at)
    hash = hashOf(hash, { sequence, at, body })
    yield* sql`INSERT INTO journal ${sql.insert({ sequence, at, event: "SwapStep", body, hash })}`
  }
})
