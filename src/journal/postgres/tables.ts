/**
 * The tables of a fleet's database: the journals of many accounts, each a separate chain, and the owner of each account. The row of an
 * account is the fence: its epoch grows with every claim, and it shows the end of the account's journal. A migration that shipped is never
 * edited. The database itself refuses to change or delete an event.
 */
import { Effect, Layer } from "effect"
import { Migrator, SqlClient } from "effect/sql"
import { genesis } from "../Hash.ts"

const createJournals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE accounts (
      name TEXT PRIMARY KEY,
      epoch INTEGER NOT NULL DEFAULT 0,
      newest BIGINT NOT NULL DEFAULT 0,
      head TEXT NOT NULL DEFAULT ${sql.literal(`'${genesis}'`)}
    )`
  yield* sql`
    CREATE TABLE journal (
      account TEXT NOT NULL REFERENCES accounts (name),
      sequence BIGINT NOT NULL,
      epoch INTEGER NOT NULL,
      at BIGINT NOT NULL,
      event TEXT NOT NULL,
      strategy TEXT,
      slot TEXT,
      placement TEXT,
      order_id TEXT,
      correlation_id TEXT,
      body TEXT NOT NULL,
      hash TEXT NOT NULL,
      PRIMARY KEY (account, sequence)
    )`
  yield* sql`CREATE INDEX journal_event ON journal (account, event, sequence)`
  yield* sql`
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the journal is append-only'; END $$`
  yield* sql`
    CREATE TRIGGER journal_is_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON journal
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`
  yield* sql`
    CREATE TABLE snapshots (
      account TEXT NOT NULL REFERENCES accounts (name),
      fold TEXT NOT NULL,
      sequence BIGINT NOT NULL,
      hash TEXT NOT NULL,
      seal TEXT NOT NULL,
      body BYTEA NOT NULL,
      PRIMARY KEY (account, fold)
    )`
})

/** Target states and runners of the accounts. These tables are not needed to find the owner or place of any money. */
const createFleet = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE fleet_runners (name TEXT PRIMARY KEY, seen_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp())`
  yield* sql`
    CREATE TABLE fleet_accounts (
      name TEXT PRIMARY KEY,
      revision INTEGER NOT NULL DEFAULT 1,
      config TEXT NOT NULL,
      files TEXT NOT NULL,
      wanted TEXT NOT NULL DEFAULT 'running' CHECK (wanted IN ('running', 'paused', 'killed')),
      why TEXT NOT NULL DEFAULT '',
      owner TEXT,
      owned_since TIMESTAMPTZ,
      told TEXT,
      told_at TIMESTAMPTZ
    )`
  yield* sql`CREATE INDEX fleet_owner ON fleet_accounts (owner)`
  yield* sql`
    CREATE TABLE fleet_revisions (
      account TEXT NOT NULL,
      revision INTEGER NOT NULL,
      at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
      config TEXT NOT NULL,
      files TEXT NOT NULL
    )`
})

const createPrices = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE price_minutes (
      venue TEXT NOT NULL,
      market TEXT NOT NULL,
      opened_at BIGINT NOT NULL,
      open FLOAT8 NOT NULL,
      high FLOAT8 NOT NULL,
      low FLOAT8 NOT NULL,
      close FLOAT8 NOT NULL,
      PRIMARY KEY (venue, market, opened_at)
    )`
  yield* sql`
    CREATE TABLE seen_candles (
      venue TEXT NOT NULL,
      market TEXT NOT NULL,
      timeframe TEXT NOT NULL,
      opened_at BIGINT NOT NULL,
      open FLOAT8 NOT NULL,
      high FLOAT8 NOT NULL,
      low FLOAT8 NOT NULL,
      close FLOAT8 NOT NULL,
      volume FLOAT8 NOT NULL,
      seen_at BIGINT NOT NULL,
      PRIMARY KEY (venue, market, timeframe, opened_at)
    )`
})

const createWords = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE fleet_words (
      id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      account TEXT NOT NULL,
      said_by TEXT NOT NULL,
      word TEXT NOT NULL,
      at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
      answer TEXT
    )`
  yield* sql`ALTER TABLE fleet_accounts ADD COLUMN class TEXT NOT NULL DEFAULT ''`
  yield* sql`CREATE INDEX fleet_words_waiting ON fleet_words (account) WHERE answer IS NULL`
})

const createAnswerTimes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE fleet_words ADD COLUMN answered_at TIMESTAMPTZ`
  yield* sql`UPDATE fleet_words SET answered_at = clock_timestamp() WHERE answer IS NOT NULL`
})

const createBalances = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE balances (account TEXT PRIMARY KEY REFERENCES accounts (name), body TEXT NOT NULL)`
})

const createRates = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE fleet_rates (
      credential TEXT PRIMARY KEY,
      version BIGINT NOT NULL DEFAULT 0,
      rate FLOAT8 NOT NULL,
      lessons BIGINT NOT NULL DEFAULT 0
    )`
  yield* sql`
    CREATE TABLE fleet_rate_shares (
      credential TEXT NOT NULL REFERENCES fleet_rates (credential),
      runner TEXT NOT NULL,
      share FLOAT8 NOT NULL,
      careful FLOAT8 NOT NULL,
      demand FLOAT8 NOT NULL,
      leased_until TIMESTAMPTZ NOT NULL,
      PRIMARY KEY (credential, runner)
    )`
})

/** Replaces our own tables by those of the cluster engine. Refuses while an old runner lives or a command waits, so no command is lost. */
const placeByCluster = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`LOCK TABLE fleet_runners, fleet_words IN ACCESS EXCLUSIVE MODE`
  const [runner] = yield* sql<{ name: string }>`
    SELECT name FROM fleet_runners WHERE seen_at > clock_timestamp() - interval '8 seconds' LIMIT 1`
  if (runner !== undefined)
    return yield* Effect.fail(`the runner ${runner.name} of an earlier version still runs: stop every runner first`)
  const [word] = yield* sql<{ name: string }>`
    SELECT name FROM fleet_accounts JOIN fleet_words ON account = name WHERE answer IS NULL LIMIT 1`
  if (word !== undefined)
    return yield* Effect.fail(
      `a command to ${word.name} waits for a runner of the earlier version: let one answer it first`
    )
  yield* sql`DROP TABLE fleet_runners, fleet_words`
  yield* sql`UPDATE fleet_accounts SET owner = NULL`
  const engines = yield* Effect.promise(() =>
    Promise.all([import("effect/cluster/SqlRunnerStorage"), import("effect/cluster/SqlMessageStorage")])
  )
  yield* Effect.forEach(engines, ({ layerMigrations }) => Layer.build(layerMigrations({ prefix: clusterPrefix })))
}).pipe(Effect.scoped)

/**
 * Names stored prices by asset ids instead of symbols (`Prices.inAssets`). The starts in the journals show which asset
 * a symbol was. If accounts of a venue used it for several assets, or several symbols for its asset, its rows keep the
 * old name, which no account reads.
 */
const namePricesByIds = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    WITH used AS (
      SELECT DISTINCT body::json ->> 'venue' AS venue, asset.key AS symbol, asset.value AS id
      FROM accounts JOIN journal ON account = name AND event = 'BotStarted'
      CROSS JOIN LATERAL json_each_text(body::json -> 'assets') AS asset
    ), clear AS (
      SELECT venue, symbol, id FROM used WHERE NOT EXISTS (
        SELECT 1 FROM used AS other
        WHERE other.venue = used.venue AND (other.symbol = used.symbol) <> (other.id = used.id)
      )
    )
    UPDATE price_minutes AS price SET market = base.id || ' ' || quote.id
    FROM clear AS base JOIN clear AS quote ON quote.venue = base.venue
    WHERE price.venue = base.venue AND price.market = base.symbol || '/' || quote.symbol`
})

export const clusterPrefix = "limitbot"

const migrations = Migrator.fromRecord({
  "0001_create_journals": createJournals,
  "0002_create_fleet": createFleet,
  "0003_create_prices": createPrices,
  "0005_create_words": createWords,
  "0006_create_rates": createRates,
  "0007_create_answer_times": createAnswerTimes,
  "0008_create_balances": createBalances,
  "0009_place_by_cluster": placeByCluster,
  "0010_name_prices_by_ids": namePricesByIds
})

export const prepare = Migrator.make({})({ loader: migrations }).pipe(
  Effect.mapError((error) => (error._tag === "MigrationError" ? (error.cause ?? error) : error))
)
