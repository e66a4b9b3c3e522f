/** A journal of any earlier version, with money in doubt in it, is brought forward by the next start and tells the same story. */
import { mkdtempSync, readFileSync } from "node:fs"
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
import { writeDoubtful } from "../world/bot/doubtful.ts"

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

/** An empty journal as the last version wrote it that had a table of swaps by hand. */
const withSwapTable = Effect.fnUntraced(function* (filename: string) {
  yield* ofVersion(
    filename,
    (yield* migrations).findIndex(([id]) => id > 6)
  )
  const database = new DatabaseSync(filename)
  database.exec(`
    CREATE TABLE swap_journal (
      swap TEXT NOT NULL, step INTEGER NOT NULL, at INTEGER NOT NULL, event TEXT NOT NULL, body TEXT NOT NULL,
      PRIMARY KEY (swap, step)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER swap_journal_is_append_only_delete BEFORE DELETE ON swap_journal
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
    INSERT INTO effect_sql_migrations (migration_id, name) VALUES (3, 'create_swaps'), (7, 'take_swaps_over')`)
  database.close()
})

const change = (filename: string, statement: string): void => {
  const database = new DatabaseSync(filename)
  database.exec(statement)
  database.close()
}

const step = `'{"_tag":"SwapAgreed"}'`
const oldRows: ReadonlyArray<readonly [string, string]> = [
  ["in the table", `INSERT INTO swap_journal VALUES ('s1', 1, 1, 'SwapAgreed', ${step})`],
  ["as an event", `INSERT INTO journal (sequence, at, event, body) VALUES (1, 1, 'SwapStep', ${step})`],
  ["as a lost payment", `INSERT INTO journal (sequence, at, event, body) VALUES (1, 1, 'PaymentLost', '{}')`]
]

describe("a journal of an earlier version", () => {
  it.effect.each(oldRows)("is refused and left unchanged if it has swaps from before 22 November 2026: %s", ([, row]) =>
    Effect.gen(function* () {
      const old = newFile()
      yield* withSwapTable(old)
      change(old, row)
      const before = readFileSync(old)
      for (const layer of [Journal.layer, Journal.layerReadOnly]) {
        const refused = yield* Effect.flip(
          Effect.provide(Journal, Layer.provide(layer, Sqlite.layer({ filename: old })))
        )
        assert.match(refused.message, /^Cannot read the journal: it has swaps or payments in a format from before/)
      }
      assert.deepStrictEqual(readFileSync(old), before)
    })
  )

  it.effect("loses its empty table of swaps by hand, and nothing else", () =>
    Effect.gen(function* () {
      const [present, old] = [newFile(), newFile()]
      yield* Effect.promise(() => writeDoubtful(present, 2))
      yield* withSwapTable(old)
      copyRows(present, old)
      const reading = (filename: string) => Layer.provide(Journal.layer, Sqlite.layer({ filename }))
      assert.deepStrictEqual(yield* Effect.provide(told, reading(old)), yield* Effect.provide(told, reading(present)))
      assert.throws(() => change(old, "SELECT * FROM swap_journal"), /no such table/)
    })
  )

  it.effect("is upgraded, reads the same, continues, and its chain is whole", () =>
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
