/** Commands to accounts are kept while they wait, and for a day after their answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { sayToAll } from "../../src/app/cluster/Account.ts"
import { Journals } from "../../src/journal/postgres/Journals.ts"
import * as Postgres from "../../src/journal/postgres/Postgres.ts"
import { Registry } from "../../src/journal/postgres/Registry.ts"
import * as PostgresServer from "../postgres.ts"

const server = await PostgresServer.start()
if (server === undefined) it.skip("commands to accounts: this machine has no Postgres server", () => undefined)

const left = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const messages = yield* sql<{ why: string }>`
    SELECT payload::json -> 'word' ->> 'why' AS why FROM limitbot_messages ORDER BY rowid`
  const replies = yield* sql`SELECT id FROM limitbot_replies`
  return [messages.map(({ why }) => why), replies.length] as const
})

describe.skipIf(server === undefined)("commands to accounts", () => {
  it.live("answered more than a day ago are deleted with their answers; open ones stay at any age", () =>
    Effect.gen(function* () {
      const [registry, sql] = [yield* Registry, yield* SqlClient.SqlClient]
      yield* registry.apply({ name: "anna", class: "", config: "", strategies: [] })
      for (const why of ["answered long ago", "answered of late", "waits"])
        yield* sayToAll("operator", { _tag: "Command", name: "pause", why }, ["anna"])
      // As the engine does it when an owner answers.
      yield* sql`INSERT INTO limitbot_replies (id, kind, request_id, payload)
        SELECT id, 0, id, '{}' FROM limitbot_messages WHERE payload NOT LIKE '%waits%'`
      yield* sql`UPDATE limitbot_messages SET processed = EXISTS (SELECT 1 FROM limitbot_replies WHERE request_id = limitbot_messages.id),
        last_read = now() - CASE WHEN payload LIKE '%answered of late%' THEN interval '23 hours' ELSE interval '25 hours' END`
      assert.deepStrictEqual(yield* left, [["answered long ago", "answered of late", "waits"], 2])
      yield* registry.forgetWords
      assert.deepStrictEqual(yield* left, [["answered of late", "waits"], 1])
      assert.deepStrictEqual(
        (yield* registry.waitingFor("anna")).map(({ by, word }) => [by, JSON.parse(word).why]),
        [["operator", "waits"]]
      )
    }).pipe(
      Effect.provide(
        Registry.layer.pipe(
          Layer.provideMerge(Journals.layer),
          Layer.provideMerge(Postgres.layer(server?.url ?? Redacted.make("")))
        )
      )
    )
  )
})
