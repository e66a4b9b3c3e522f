/** What was said to accounts is kept as long as it waits, and for a day once it was answered. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Hearing from "../../src/app/fleet/Hearing.ts"
import { Journals } from "../../src/journal/postgres/Journals.ts"
import * as Postgres from "../../src/journal/postgres/Postgres.ts"
import { Registry } from "../../src/journal/postgres/Registry.ts"
import { Words } from "../../src/journal/postgres/Words.ts"
import * as PostgresServer from "../postgres.ts"

const server = await PostgresServer.start()
if (server === undefined) it.skip("words to accounts: this machine has no Postgres server", () => undefined)

const left = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ word: string }>`SELECT word FROM fleet_words ORDER BY id`
  return rows.map(({ word }) => word)
})

describe.skipIf(server === undefined)("words to accounts", () => {
  it.live("answered more than a day ago are deleted; open ones stay at any age", () =>
    Effect.gen(function* () {
      const [registry, sql, words] = [yield* Registry, yield* SqlClient.SqlClient, yield* Words]
      yield* registry.apply({ name: "anna", class: "", config: "", strategies: [] })
      for (const word of ["answered long ago", "answered of late", "said long ago, answered of late", "waits"]) {
        const id = (yield* words.say("anna", "operator", word)) ?? 0
        if (word !== "waits") yield* words.answer(id, "done")
      }
      yield* sql`UPDATE fleet_words SET at = clock_timestamp() - interval '3 days' WHERE word <> 'answered of late'`
      yield* sql`
        UPDATE fleet_words SET answered_at = clock_timestamp() - interval '25 hours' WHERE word = 'answered long ago'`
      assert.lengthOf(yield* left, 4)
      yield* Effect.forkScoped(Hearing.listen("a runner", () => undefined))
      for (let looks = 0; looks < 100 && (yield* left).length > 3; looks += 1) yield* Effect.sleep(50)
      assert.deepStrictEqual(yield* left, ["answered of late", "said long ago, answered of late", "waits"])
    }).pipe(
      Effect.provide(
        Layer.mergeAll(Registry.layer, Words.layer).pipe(
          Layer.provideMerge(Journals.layer),
          Layer.provideMerge(Postgres.layer(server?.url ?? Redacted.make("")))
        )
      )
    )
  )
})
