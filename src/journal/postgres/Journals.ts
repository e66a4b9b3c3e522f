/**
 * The journals of a fleet's accounts in one Postgres database. A process that wants to write an account claims it, which ends every earlier
 * claim: the database counts the claims, and an append with an older number writes nothing. So a frozen process that continues later stops
 * at its next record, before it sends anything that needs one. Other code decides which process claims which account.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Asset } from "../../domain/Amount.ts"
import type { Tag } from "../../domain/BotEvent.ts"
import type { Links } from "../Chain.ts"
import { genesis, type Link } from "../Hash.ts"
import { BalanceStore, snapshotIn } from "../HistoryStore.ts"
import { broken, Journal, over } from "../Journal.ts"
import { PriceStore } from "../PriceStore.ts"
import { OwnerChanged, type Rows, roomy, type Which } from "../Rows.ts"
import * as Snapshots from "../snapshots/Snapshots.ts"
import * as Appends from "./Appends.ts"
import * as Prices from "./Prices.ts"
import { prepare } from "./tables.ts"

const make = Effect.gen(function* () {
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
    const rows = rowsOf(sql, account, { epoch, database }, appends)
    const journal = yield* over({ ...rows, disk: { ...roomy, database } })
    return { journal, balances: balancesOf(sql, account, epoch) }
  })

  const reading = (account: string) =>
    over(readOnly(rowsOf(sql, account, { epoch: 0, database: "" }, appends), account))

  /** Returns the hash of the newest event from the account's row. It reveals that the end of the chain is missing. */
  const head = (account: string) => Effect.mapError(headOf(sql, account), broken(`Cannot read the account ${account}`))

  const stores = new Map<string, PriceStore["Service"]>()
  const prices = (venue: string, assets: ReadonlyArray<Asset>) => {
    const store = stores.get(venue) ?? Prices.of(sql, venue)
    stores.set(venue, store)
    return Prices.inAssets(store, assets)
  }
  return { claim, reading, links: (account: string) => linksOf(sql, account), head, prices }
})

export class Journals extends Context.Service<Journals>()("limitbot/journal/postgres/Journals", { make }) {
  static readonly layer = Layer.effect(this, make)
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

export const pricesOf = (venue: string, assets: ReadonlyArray<Asset>) =>
  Layer.effect(
    PriceStore,
    Effect.map(Journals, ({ prices }) => prices(venue, assets))
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

/** Keeps the last compared balances for the account's next owner. Like the journal, only the present owner may write them. */
const balancesOf = (sql: SqlClient.SqlClient, account: string, epoch: number) =>
  BalanceStore.of({
    last: sql<{ body: string }>`SELECT body FROM balances WHERE account = ${account}`.pipe(
      Effect.map(([row]) => snapshotIn(row)),
      Effect.mapError(broken("Cannot read the last balances"))
    ),
    save: Effect.fn("Balances.save")(
      function* (snapshot) {
        const written = yield* sql`
        INSERT INTO balances (account, body)
        SELECT name, ${Appends.storableText(JSON.stringify(snapshot))} FROM accounts
        WHERE name = ${account} AND epoch = ${epoch}
        ON CONFLICT (account) DO UPDATE SET body = excluded.body
        RETURNING account`
        if (written.length === 0) return yield* new OwnerChanged({ account, epoch })
      },
      Effect.mapError(broken("Cannot store the balances"))
    )
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
