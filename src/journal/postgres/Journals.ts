/**
 * The journals of a fleet's accounts in one Postgres database. A process that wants to write an account claims it, which ends every earlier
 * claim: the database counts the claims, and an append with an older number writes nothing. So a frozen process that continues later stops
 * at its next record, before it sends anything that needs one. Other code decides which process claims which account.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Tag } from "../../domain/BotEvent.ts"
import type { Links } from "../Chain.ts"
import { genesis, type Link } from "../Hash.ts"
import { BalanceStore } from "../HistoryStore.ts"
import { broken, Journal, type JournalError, over } from "../Journal.ts"
import { PriceStore } from "../PriceStore.ts"
import { OwnerChanged, type Rows, roomy, type Which } from "../Rows.ts"
import * as Snapshots from "../snapshots/Snapshots.ts"
import * as Appends from "./Appends.ts"
import * as Balances from "./Balances.ts"
import * as Prices from "./Prices.ts"
import { prepare } from "./tables.ts"

interface Claimed {
  readonly journal: Journal["Service"]
  readonly balances: BalanceStore["Service"]
}

export class Journals extends Context.Service<
  Journals,
  {
    claim(account: string): Effect.Effect<Claimed, JournalError>
    reading(account: string): Effect.Effect<Journal["Service"], JournalError>
    links(account: string): Links
    /** Returns the hash of the newest event from the account's row. It reveals that the end of the chain is missing. */
    head(account: string): Effect.Effect<string, JournalError>
    prices(venue: string): PriceStore["Service"]
  }
>()("limitbot/journal/postgres/Journals") {
  static readonly layer = Layer.effect(
    Journals,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* Effect.mapError(prepare, broken("Cannot prepare the journals"))
      const appends = yield* Appends.make(sql)

      const claim = Effect.fn("Journals.claim")(function* (account: string) {
        const claimed = yield* sql<{ epoch: number; database: string }>`
          INSERT INTO accounts (name, epoch) VALUES (${account}, 1)
          ON CONFLICT (name) DO UPDATE SET epoch = accounts.epoch + 1
          RETURNING epoch, ${Appends.incarnation(sql)} AS database`.pipe(
          Effect.mapError(broken(`Cannot claim the account ${account}`))
        )
        const [{ database, epoch } = { epoch: 0, database: "" }] = claimed
        const journal = yield* over({
          ...rowsOf(sql, account, { epoch, database }, appends),
          disk: { ...roomy, database }
        })
        return { journal, balances: Balances.of(sql, account, epoch) }
      })

      const reading = (account: string) =>
        over(readOnly(rowsOf(sql, account, { epoch: 0, database: "" }, appends), account))

      const stores = new Map<string, PriceStore["Service"]>()
      const prices = (venue: string) => {
        const store = stores.get(venue) ?? Prices.of(sql, venue)
        stores.set(venue, store)
        return store
      }
      return Journals.of({
        claim,
        reading,
        links: (account) => linksOf(sql, account),
        head: (account) => Effect.mapError(headOf(sql, account), broken(`Cannot read the account ${account}`)),
        prices
      })
    })
  )
}

export const layerOf = (account: string) =>
  Layer.effectContext(
    Effect.map(
      Journals.use(({ claim }) => claim(account)),
      ({ balances, journal }) => Context.make(Journal, journal).pipe(Context.add(BalanceStore, balances))
    )
  )

export const readingOf = (account: string) =>
  Layer.effect(
    Journal,
    Effect.flatMap(Journals, ({ reading }) => reading(account))
  )

export const pricesOf = (venue: string) =>
  Layer.effect(
    PriceStore,
    Effect.map(Journals, ({ prices }) => prices(venue))
  )

const headOf = (sql: SqlClient.SqlClient, account: string) =>
  Effect.map(sql<{ head: string }>`SELECT head FROM accounts WHERE name = ${account}`, ([row]) => row?.head ?? genesis)

const rowsOf = (
  sql: SqlClient.SqlClient,
  account: string,
  claim: Pick<Appends.Append, "database" | "epoch">,
  appends: Appends.Appends
): Rows => ({
  newest: Effect.map(
    sql<{ newest: number }>`SELECT newest::float8 AS newest FROM accounts WHERE name = ${account}`,
    ([row]) => row?.newest ?? 0
  ),
  newestHash: headOf(sql, account),
  write: (rows, previous) => appends.write({ account, ...claim, rows, previous }),
  after: (sequence, which, most) => sql<Link>`
    SELECT sequence::float8 AS sequence, at::float8 AS at, body FROM journal
    WHERE account = ${account} AND sequence > ${sequence}::float8::bigint
      AND ${ofTags(sql, which.tags)} AND ${ofStrategy(sql, which)}
    ORDER BY journal.sequence LIMIT ${most}`,
  before: (sequence, most) => sql<Link>`
    SELECT sequence::float8 AS sequence, at::float8 AS at, body FROM journal
    WHERE account = ${account} AND sequence < ${sequence}::float8::bigint
    ORDER BY journal.sequence DESC LIMIT ${most}`,
  snapshots: Snapshots.make(snapshotTable(sql, account)),
  disk: roomy
})

const readOnly = (rows: Rows, account: string): Rows => ({
  ...rows,
  write: () => Effect.fail(new OwnerChanged({ account, epoch: 0 })),
  snapshots: { ...rows.snapshots, keep: () => Effect.succeed(false), forget: () => Effect.void }
})

const linksOf = (sql: SqlClient.SqlClient, account: string): Links => ({
  newest: Effect.map(
    sql<{ newest: number | null }>`SELECT max(sequence)::float8 AS newest FROM journal WHERE account = ${account}`,
    ([row]) => row?.newest ?? 0
  ),
  after: (sequence, most) => sql<Link & { readonly hash: string }>`
    SELECT sequence::float8 AS sequence, at::float8 AS at, body, hash FROM journal
    WHERE account = ${account} AND sequence > ${sequence}::float8::bigint ORDER BY journal.sequence LIMIT ${most}`
})

const ofTags = (sql: SqlClient.SqlClient, tags: ReadonlyArray<Tag> | undefined) =>
  tags === undefined ? sql`1 = 1` : sql.in("event", tags)

const ofStrategy = (sql: SqlClient.SqlClient, { strategy }: Pick<Which, "strategy">) =>
  strategy === undefined ? sql`1 = 1` : sql`strategy = ${Appends.storableText(strategy)}`

const snapshotTable = (sql: SqlClient.SqlClient, account: string): Snapshots.SnapshotTable => ({
  find: (fold) =>
    Effect.map(
      sql<Snapshots.Stored & { readonly chained: string }>`
        SELECT fold, snapshots.sequence::float8 AS sequence, snapshots.hash, seal, snapshots.body, journal.hash AS chained
        FROM snapshots JOIN journal USING (account, sequence) WHERE account = ${account} AND fold = ${fold}`,
      ([row]) => row
    ),
  hashOf: (sequence) =>
    Effect.map(
      sql<{ hash: string }>`
        SELECT hash FROM journal WHERE account = ${account} AND sequence = ${sequence}::float8::bigint`,
      ([row]) => row?.hash
    ),
  put: ({ body, fold, hash, seal, sequence }) => sql`
    INSERT INTO snapshots (account, fold, sequence, hash, seal, body)
    VALUES (${account}, ${fold}, ${sequence}::float8::bigint, ${hash}, ${seal}, ${body}::bytea)
    ON CONFLICT (account, fold) DO UPDATE SET
      sequence = excluded.sequence, hash = excluded.hash, seal = excluded.seal, body = excluded.body`,
  forget: (prefix) => sql`DELETE FROM snapshots WHERE account = ${account} AND starts_with(fold, ${prefix})`
})
