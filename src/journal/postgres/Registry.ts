/**
 * The accounts of a fleet, as rows of the database that has their journals: configuration and strategy files, the state that operators
 * want, and the last runner. The cluster's locks decide which runner may begin; its table `limitbot_runners` shows which ones are alive.
 * All times are the database's own, so no runner's clock matters. If two runners believe that they own an account, that costs time and
 * never money: the journal has one owner (`Journals.claim`).
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { broken } from "../Journal.ts"
import { ProfitReport } from "../ProfitReport.ts"
import { storableText } from "./Appends.ts"
import { prepare } from "./tables.ts"

/** A runner counts as dead after this time without a sign of life. */
export const deadAfterSeconds = 8

export const wishes = ["running", "paused", "killed"] as const
export type WantedState = (typeof wishes)[number]

const Files = Schema.fromJsonString(Schema.Array(Schema.Struct({ file: Schema.String, text: Schema.String })))
const decodeFiles = Schema.decodeUnknownEffect(Files)
const encodeFiles = Schema.encodeSync(Files)

const AccountReport = Schema.fromJsonString(
  Schema.Struct({
    /** Reason why the bot does not run; `null` if it runs. The figures then date from its last run. */
    failing: Schema.NullOr(Schema.String),
    openOrders: Schema.Int,
    fills: Schema.Int,
    events: Schema.Int,
    problems: Schema.Array(
      Schema.Struct({ severity: Schema.Literals(["alarm", "warn"]), kind: Schema.String, text: Schema.String })
    ),
    /** All money that belongs to the account, in any place, in units of each asset. */
    money: Schema.Array(Schema.Struct({ asset: Schema.String, id: Schema.String, amount: Schema.String })),
    /** A runner of an earlier version reports none. */
    profit: Schema.optionalKey(Schema.Array(ProfitReport))
  })
)
export type AccountReport = typeof AccountReport.Type
const decodeTold = Schema.decodeUnknownOption(AccountReport)
const encodeTold = Schema.encodeSync(AccountReport)

export interface OwnedAccount {
  readonly name: string
  readonly revision: number
  readonly wanted: WantedState
  readonly why: string
}

export interface AccountFiles {
  readonly name: string
  /** Folder whose strategies it shares; empty if none. */
  readonly class: string
  readonly config: string
  readonly strategies: typeof Files.Type
}

export interface FleetAccount extends OwnedAccount, Pick<AccountFiles, "class"> {
  readonly owner: string | undefined
  readonly isOwned: boolean
  readonly told: AccountReport | undefined
  readonly toldSecondsAgo: number | undefined
}

export interface StoredAccount extends FleetAccount, AccountFiles {}

export interface WaitingWord {
  readonly by: string
  readonly word: string
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.mapError(prepare, broken("Cannot prepare the fleet's tables"))
  return { ...ofRunners(sql), ...ofPeople(sql) }
})

export class Registry extends Context.Service<Registry>()("limitbot/journal/postgres/Registry", { make }) {
  static readonly layer = Layer.effect(this, make)
}

const unusable = broken("The fleet's database cannot be used")
const columns = (sql: SqlClient.SqlClient) => sql.literal("name, revision, wanted, why")

const ofRunners = (sql: SqlClient.SqlClient) => {
  const rows = Effect.mapError(sql<OwnedAccount>`SELECT ${columns(sql)} FROM fleet_accounts ORDER BY name`, unusable)

  const own = Effect.fn("Registry.own")(function* (runner: string, name: string) {
    yield* sql`UPDATE fleet_accounts SET owner = ${runner} WHERE name = ${name}`
  }, Effect.mapError(unusable))

  const tell = Effect.fn("Registry.tell")(function* (
    runner: string,
    name: string,
    told: Omit<AccountReport, "failing">
  ) {
    yield* sql`
      UPDATE fleet_accounts SET told = ${storableText(encodeTold({ ...told, failing: null }))}, told_at = clock_timestamp()
      WHERE name = ${name} AND owner = ${runner}`
  }, Effect.mapError(unusable))

  const tellFailing = Effect.fn("Registry.tellFailing")(function* (runner: string, name: string, why: string) {
    const never = encodeTold({ failing: why, openOrders: 0, fills: 0, events: 0, problems: [], money: [] })
    const failing = JSON.stringify({ failing: storableText(why) })
    yield* sql`
      UPDATE fleet_accounts SET told = (coalesce(told, ${storableText(never)})::jsonb || ${failing}::jsonb)::text
      WHERE name = ${name} AND owner = ${runner}`
  }, Effect.mapError(unusable))

  const forgetWords = Effect.asVoid(sql`
    WITH old AS (
      DELETE FROM limitbot_messages WHERE processed AND last_read < now() - interval '1 day' RETURNING id
    )
    DELETE FROM limitbot_replies USING old WHERE request_id = old.id`).pipe(Effect.mapError(unusable))

  return { rows, own, tell, tellFailing, forgetWords }
}

/** The cluster engine's rows of runners have times without a zone, so all connections use UTC. */
const isAlive = (sql: SqlClient.SqlClient) =>
  sql.literal(`EXISTS (
  SELECT 1 FROM limitbot_runners
  WHERE split_part(address, ':', 1) = owner AND last_heartbeat > now() - interval '${deadAfterSeconds} seconds')`)

interface AccountRow extends OwnedAccount, Pick<AccountFiles, "class"> {
  readonly owner: string | null
  readonly told: string | null
  readonly isOwned: boolean
  readonly ago: number | null
}

const accountIn = ({ ago, owner, told, ...account }: AccountRow): FleetAccount => ({
  ...account,
  owner: owner ?? undefined,
  told: Option.getOrUndefined(decodeTold(told)),
  toldSecondsAgo: ago ?? undefined
})

const ofPeople = (sql: SqlClient.SqlClient) => {
  const shown = sql`${columns(sql)}, class, owner, told, ${isAlive(sql)} AS "isOwned",
    extract(epoch FROM clock_timestamp() - told_at)::float8 AS ago`
  const all = sql<AccountRow>`SELECT ${shown} FROM fleet_accounts ORDER BY name`.pipe(
    Effect.map((rows) => rows.map(accountIn)),
    Effect.mapError(unusable)
  )
  const one = Effect.fn("Registry.one")(function* (name: string) {
    const [row] = yield* sql<AccountRow & Pick<AccountFiles, "config"> & { files: string }>`
      SELECT ${shown}, config, files FROM fleet_accounts WHERE name = ${name}`
    if (row === undefined) return undefined
    const { files, ...stored } = row
    return { ...accountIn(stored), config: row.config, strategies: yield* decodeFiles(files) } satisfies StoredAccount
  }, Effect.mapError(unusable))

  const apply = Effect.fn("Registry.apply")(function* ({ class: group, config, name, strategies }: AccountFiles) {
    const files = encodeFiles(strategies)
    const changed = sql`
      WITH written AS (
        INSERT INTO fleet_accounts (name, class, config, files, revision)
        SELECT ${name}, ${group}, ${config}, ${files}, coalesce(max(revision), 0) + 1 FROM fleet_revisions WHERE account = ${name}
        ON CONFLICT (name) DO UPDATE SET
          class = excluded.class, config = excluded.config, files = excluded.files,
          revision = fleet_accounts.revision + 1
        RETURNING name, revision, config, files
      )
      INSERT INTO fleet_revisions (account, revision, config, files) SELECT name, revision, config, files FROM written`
    yield* Effect.asVoid(changed)
  }, Effect.mapError(unusable))

  /** Returns the names of the accounts that exist; without `names`, of all accounts. */
  const wish = Effect.fn("Registry.wish")(function* (wanted: WantedState, why: string, names: ReadonlyArray<string>) {
    const which = names.length === 0 ? sql`1 = 1` : sql.in("name", names)
    const changed = yield* sql<{ name: string }>`
      UPDATE fleet_accounts SET wanted = ${wanted}, why = ${storableText(why)} WHERE ${which} RETURNING name`
    return changed.map(({ name }) => name)
  }, Effect.mapError(unusable))

  /**
   * Removes only a killed account that never had a runner, or whose journal has recorded the kill and, by a report of its last event, has
   * no open orders. The journal stays.
   */
  const remove = Effect.fn("Registry.remove")(function* (name: string) {
    const newest = sql`(SELECT newest FROM accounts WHERE accounts.name = fleet_accounts.name)`
    const isKilled = sql`
      (SELECT body::json ->> 'on' FROM journal WHERE account = fleet_accounts.name AND event = 'KillSwitch'
       ORDER BY sequence DESC LIMIT 1) = 'true'`
    const deletions = yield* sql<{ name: string }>`
      DELETE FROM fleet_accounts WHERE name = ${name} AND wanted = 'killed' AND (${newest} IS NULL OR (${isKilled}
        AND (told::json ->> 'openOrders')::int = 0 AND (told::json ->> 'events')::bigint = ${newest}))
      RETURNING name`
    return deletions.length > 0
  }, Effect.mapError(unusable))

  const waitingFor = Effect.fn("Registry.waitingFor")(
    (name: string) => sql<WaitingWord>`
      SELECT payload::json ->> 'by' AS by, payload::json ->> 'word' AS word FROM limitbot_messages
      WHERE entity_id = ${name} AND NOT processed ORDER BY rowid`,
    Effect.mapError(unusable)
  )

  return { all, one, apply, wish, remove, waitingFor }
}
