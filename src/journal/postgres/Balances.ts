/**
 * What the balances of a fleet's account were when they were last compared, for whoever owns it next: a difference that one owner found
 * is not forgotten by another. Like the journal it is the owner's alone: whoever had the account before writes nothing.
 */
import { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { BalanceStore, decodeSnapshot } from "../HistoryStore.ts"
import { broken } from "../Journal.ts"
import { OwnerChanged } from "../Rows.ts"
import { storableText } from "./Appends.ts"

export const of = (sql: SqlClient.SqlClient, account: string, epoch: number): BalanceStore["Service"] =>
  BalanceStore.of({
    last: sql<{ body: string }>`SELECT body FROM balances WHERE account = ${account}`.pipe(
      Effect.map(([row]) => (row === undefined ? undefined : Option.getOrUndefined(decodeSnapshot(row.body)))),
      Effect.mapError(broken("Cannot read the last balances"))
    ),
    save: Effect.fn("Balances.save")(
      function* (snapshot) {
        const written = yield* sql`
        INSERT INTO balances (account, body)
        SELECT name, ${storableText(JSON.stringify(snapshot))} FROM accounts WHERE name = ${account} AND epoch = ${epoch}
        ON CONFLICT (account) DO UPDATE SET body = excluded.body
        RETURNING account`
        if (written.length === 0) return yield* new OwnerChanged({ account, epoch })
      },
      Effect.mapError(broken("Cannot store the balances"))
    )
  })
