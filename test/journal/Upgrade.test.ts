/** A journal of any earlier version, with money in doubt in it, is brought forward by the next start and tells the same story. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Migrator } from "effect/sql"
import { totals } from "../../src/domain/Ledger.ts"
import { replay } from "../../src/engine/state/Bookkeeper.ts"
import { unfinished } from "../../src/engine/state/BotState.ts"
import * as Chain from "../../src/journal/Chain.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import { migrations } from "../../src/journal/schema/migrations.ts"
import { writeDoubtful } from "../cli/journal/doubtful.ts"

const newFile = () => join(mkdtempSync(join(tmpdir(), "limitbot-upgrade-")), "journal.sqlite")

/** An empty journal as the version wrote it that had so many migrations. */
const ofVersion = (filename: string, count: number) =>
  Migrator.make({})({ loader: Effect.map(migrations, (all) => all.slice(0, count)) }).pipe(
    Effect.provide(Sqlite.layer({ filename }))
  )

/** The rows of one journal into an older one, as far as that has columns for them. */
const copyRows = (from: string, to: string): void => {
  const [source, target] = [new DatabaseSync(from), new DatabaseSync(to)]
  const columns = target
    .prepare("PRAGMA table_info(journal)")
    .all()
    .map(({ name }) => String(name))
  const insert = target.prepare(`INSERT INTO journal (${columns}) VALUES (${columns.map(() => "?")})`)
  for (const row of source.prepare("SELECT * FROM journal ORDER BY sequence").all()) {
    insert.run(...columns.map((name) => row[name] ?? null))
  }
  source.close()
  target.close()
}

const told = Effect.gen(function* () {
  const state = yield* replay
  return {
    sequence: state.sequence,
    places: totals(state.ledger).map(({ amount, asset, place }) => [asset, place, amount]),
    open: unfinished(state).map(({ id, state }) => [id, state])
  }
})

describe("a journal of an earlier version", () => {
  it.effect("is brought forward, tells the same, goes on, and its chain is whole", () =>
    Effect.gen(function* () {
      const present = newFile()
      yield* Effect.promise(() => writeDoubtful(present, 2))
      const reading = (filename: string) => Layer.provide(Journal.layer, Sqlite.layer({ filename }))
      const expected = yield* Effect.provide(told, reading(present))
      assert.deepStrictEqual(expected.open, [
        ["p1", "in doubt"],
        ["p2", "in doubt"]
      ])
      const versions = (yield* migrations).length
      for (let version = 1; version <= versions; version += 1) {
        const old = newFile()
        yield* ofVersion(old, version)
        copyRows(present, old)
        const found = yield* Effect.provide(
          Effect.gen(function* () {
            const found = yield* told
            const journal = yield* Journal
            yield* journal.append([{ _tag: "BotStopped", reason: "went on" }])
            return found
          }),
          reading(old)
        )
        assert.deepStrictEqual(found, expected, `version ${version}`)
        const { events } = yield* Effect.provide(Chain.verify(), Sqlite.layer({ filename: old, readOnly: true }))
        assert.strictEqual(events, expected.sequence + 1)
      }
    })
  )
})
