/** Keeps the last compared balances of a fleet's account for its next owner. Like the journal, only the present owner may write them. */
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
