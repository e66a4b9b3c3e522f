/**
 * Before 22 November 2026 manual swaps were steps, first in a table and then as separate events, and there was an event for lost payments.
 * Such a journal is refused as a whole, because it cannot be read completely. The empty table is dropped.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const refusal =
  "it has swaps or payments in a format from before 22 November 2026, which this version cannot read: finish them with the version that wrote them, keep the file, and start a new journal"

export const refuse = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const tables = yield* sql`SELECT name FROM sqlite_master WHERE name IN ('journal', 'swap_journal')`
  const rows = yield* Effect.forEach(tables, ({ name }) =>
    name === "journal"
      ? sql`SELECT 1 FROM journal WHERE event IN ('SwapStep', 'PaymentLost') LIMIT 1`
      : sql`SELECT 1 FROM swap_journal LIMIT 1`
  )
  if (rows.flat().length > 0) return yield* Effect.fail(new Error(refusal))
})

export const dropTable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TABLE IF EXISTS swap_journal`
})
