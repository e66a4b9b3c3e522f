/** Which databases a runner takes: upgraded ones, of a server that ends sessions, reached without a pooler, and of no other engine. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as RunnerClass from "effect/cluster/Runner"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as RunnerStorage from "effect/cluster/RunnerStorage"
import { SqlClient } from "effect/sql"
import * as Cluster from "../../src/app/cluster/Cluster.ts"
import * as Postgres from "../../src/journal/postgres/Postgres.ts"
import { Registry } from "../../src/journal/postgres/Registry.ts"
import * as PostgresServer from "../postgres.ts"

const server = await PostgresServer.start()
if (server === undefined) it.skip("a fleet's database: this machine has no Postgres server", () => undefined)
const url = server?.url ?? Redacted.make("")

const proxies: Array<Server> = []
afterAll(() => proxies.forEach((proxy) => void proxy.close()))

/** Answers what follows a connection's start, without a password. */
const welcome = Buffer.concat([
  Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0]),
  Buffer.from("S\0\0\0\x16server_version\x0015\0", "latin1"),
  Buffer.from([0x4b, 0, 0, 0, 12, 0, 0, 0, 1, 0, 0, 0, 1]),
  Buffer.from([0x5a, 0, 0, 0, 5, 0x49])
])
const isIdle = (bytes: Buffer): boolean => bytes.subarray(-6).equals(welcome.subarray(-6))

/** A pooler in transaction mode: its clients take turns on one session, from one transaction to the next. */
const startPooler = async (): Promise<Redacted.Redacted> => {
  const { host, hostname, port } = new URL(Redacted.value(url))
  const session = connect(Number(port), hostname)
  const waiting: Array<{ readonly client: Socket; readonly bytes: Buffer }> = []
  let present: Socket | undefined
  let isReady = false
  const next = () => {
    const first = waiting.findIndex(({ client }) => present === undefined || client === present)
    const [turn] = first < 0 || !isReady ? [] : waiting.splice(first, 1)
    if (turn === undefined) return
    present = turn.client
    session.write(turn.bytes)
    next()
  }
  session.on("data", (bytes: Buffer) => {
    if (isReady) present?.write(bytes)
    const ends = isIdle(bytes)
    isReady ||= ends
    if (ends) present = undefined
    next()
  })
  const proxy = createServer((client) => {
    let isKnown = false
    client.on("data", (bytes: Buffer) => {
      if (isKnown) waiting.push({ client, bytes })
      else if (!session.bytesWritten) session.write(bytes)
      if (!isKnown) client.write(welcome)
      isKnown = true
      next()
    })
    client.on("error", () => undefined)
  })
  session.on("error", () => undefined)
  proxies.push(proxy)
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  return Redacted.make(Redacted.value(url).replace(host, `127.0.0.1:${(proxy.address() as AddressInfo).port}`))
}

const database = Layer.provideMerge(Registry.layer, Postgres.layer(url))
const runnerOf = (name: string, groups: ReadonlyArray<string>) =>
  new RunnerClass.Runner({ address: RunnerAddress.make(name, 0), groups, weight: 1 })

/** A database as the version before left it. */
const asBefore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(
    [
      "limitbot_runners",
      "limitbot_locks",
      "limitbot_messages",
      "limitbot_replies",
      "limitbot_migrations",
      "limitbot_runner_migrations"
    ],
    (table) => sql`DROP TABLE ${sql(table)}`
  )
  yield* sql`DELETE FROM effect_sql_migrations WHERE migration_id >= 9`
  yield* sql`CREATE TABLE fleet_runners (name TEXT PRIMARY KEY, seen_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp())`
  yield* sql`CREATE TABLE fleet_words (id BIGINT, account TEXT, said_by TEXT, word TEXT, at TIMESTAMPTZ, answer TEXT, answered_at TIMESTAMPTZ)`
})
const opened = Effect.scoped(
  Effect.provide(
    Effect.flatMap(Registry, ({ all }) => all),
    Layer.fresh(database)
  )
)

describe.skipIf(server === undefined)("a fleet's database", () => {
  it.live("of the version before is upgraded once its runners have ended and its commands are answered", () =>
    Effect.gen(function* () {
      const [registry, sql] = [yield* Registry, yield* SqlClient.SqlClient]
      yield* registry.apply({ name: "anna", class: "", config: "", strategies: [] })
      yield* asBefore
      yield* sql`UPDATE fleet_accounts SET owner = 'old-1'`
      // It still runs, however long this machine takes to look.
      yield* sql`INSERT INTO fleet_runners (name, seen_at) VALUES ('old-1', clock_timestamp() + interval '1 hour')`
      yield* sql`INSERT INTO fleet_words (id, account, said_by, word) VALUES (1, 'anna', 'operator', '{}')`
      assert.match(
        (yield* Effect.flip(opened)).message,
        /the runner old-1 of an earlier version still runs: stop every runner/
      )
      yield* sql`UPDATE fleet_runners SET seen_at = clock_timestamp() - interval '9 seconds'`
      assert.match((yield* Effect.flip(opened)).message, /a command to anna waits for a runner of the earlier version/)
      yield* sql`UPDATE fleet_words SET answer = '{}'`
      assert.deepStrictEqual(
        (yield* opened).map(({ isOwned, name, owner }) => [name, owner, isOwned]),
        [["anna", undefined, false]]
      )
      const tables = yield* sql<{
        name: string
      }>`SELECT tablename AS name FROM pg_tables WHERE tablename LIKE 'fleet_%'`
      assert.notIncludeMembers(
        tables.map(({ name }) => name),
        ["fleet_runners", "fleet_words"]
      )
      // A runner of that version that begins now, or goes on, asks for tables that are gone.
      assert.strictEqual((yield* Effect.flip(sql`INSERT INTO fleet_runners (name) VALUES ('old-1')`))._tag, "SqlError")
    }).pipe(Effect.provide(database), Effect.scoped)
  )

  it.live("of the version before keeps its prices, unless accounts use one symbol for different assets", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const started = Effect.fnUntraced(function* (account: string, gold: string) {
        const assets = { BTC: "btc", USDC: "usdc", GOLD: gold }
        const body = JSON.stringify({ _tag: "BotStarted", venue: "https://venue.invalid", assets })
        yield* sql`INSERT INTO accounts (name) VALUES (${account})`
        yield* sql`
          INSERT INTO journal (account, sequence, epoch, at, event, body, hash)
          VALUES (${account}, 1, 1, 0, 'BotStarted', ${body}, '')`
      })
      yield* started("dora", "xaut")
      yield* started("emil", "paxg")
      yield* sql`
        INSERT INTO price_minutes (venue, market, opened_at, open, high, low, close)
        SELECT venue, market, 0, 1, 1, 1, 1
        FROM (VALUES ('https://venue.invalid'), ('https://other.invalid')) AS venues (venue),
          (VALUES ('BTC/USDC'), ('GOLD/USDC')) AS markets (market)`
      yield* sql`DELETE FROM effect_sql_migrations WHERE migration_id = 10`
      yield* opened
      const rows = yield* sql<{ venue: string; market: string }>`SELECT venue, market FROM price_minutes`
      assert.sameMembers(
        rows.map(({ market, venue }) => `${venue} ${market}`),
        [
          "https://venue.invalid btc usdc",
          "https://venue.invalid GOLD/USDC",
          "https://other.invalid BTC/USDC",
          "https://other.invalid GOLD/USDC"
        ]
      )
    }).pipe(Effect.provide(database), Effect.scoped)
  )

  it.live("rejects this runner while runners of another engine are active", () =>
    Effect.gen(function* () {
      const storage = yield* RunnerStorage.makeMemory
      const register = yield* Cluster.registering(storage)
      yield* storage.register(runnerOf("other", ["default", "effect 4.0.9"]), true)
      const refused = yield* Effect.flip(register(runnerOf("this", Cluster.groups), true))
      assert.match(
        refused.message,
        /other has another engine \(effect 4\.0\.9\) than this one \(effect \d+\.\d+\.\d+\): stop every runner/
      )
      assert.lengthOf(yield* storage.getRunners, 1)
      yield* storage.unregister(RunnerAddress.make("other", 0))
      yield* register(runnerOf("this", Cluster.groups), true)
      yield* register(runnerOf("third", Cluster.groups), true)
      assert.lengthOf(yield* storage.getRunners, 2)
    }).pipe(Effect.provide(database), Effect.scoped)
  )

  it.live("gives an account that is written again after its removal a new revision, so it is read again", () =>
    Effect.gen(function* () {
      const registry = yield* Registry
      const ben = { name: "ben", class: "", config: "one", strategies: [] }
      yield* registry.apply(ben)
      yield* registry.apply({ ...ben, config: "two" })
      assert.deepStrictEqual(yield* registry.wish("killed", "", ["ben", "nobody"]), ["ben"])
      assert.isTrue(yield* registry.remove("ben"))
      yield* registry.apply({ ...ben, config: "three" })
      assert.deepInclude(yield* registry.one("ben"), { revision: 3, config: "three", wanted: "running" })
    }).pipe(Effect.provide(database), Effect.scoped)
  )

  it.live("behind a pooler in transaction mode accepts no runner", () =>
    Effect.gen(function* () {
      const pooled = Postgres.layer(yield* Effect.promise(startPooler))
      const refused = yield* Effect.flip(Effect.provide(Cluster.registering(yield* RunnerStorage.makeMemory), pooled))
      assert.match(refused.message, /needs sessions: set the server's own address/)
    }).pipe(Effect.scoped)
  )
})
