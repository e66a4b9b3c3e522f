/** Whatever is changed in a journal behind the bot's back is found, and where it begins. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Random } from "effect"
import * as Chain from "../../src/journal/Chain.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"

const newFile = () => join(mkdtempSync(join(tmpdir(), "limitbot-chain-")), "journal.sqlite")

const append = (filename: string, ...reasons: ReadonlyArray<string>) =>
  Effect.flatMap(Journal, (journal) =>
    journal.append(reasons.map((reason) => ({ _tag: "BotStopped", reason }) as const))
  ).pipe(Effect.provide(Layer.provide(Journal.layer, Sqlite.layer({ filename }))))

const verify = (filename: string, head?: string) =>
  Effect.provide(Chain.verify(head === undefined ? [] : [head]), Sqlite.layer({ filename, readOnly: true }))

/** As somebody would who opens the file with a tool and removes the guards. */
const tamper = (filename: string, ...statements: ReadonlyArray<string>) => {
  const database = new DatabaseSync(filename)
  for (const trigger of ["update", "delete"]) database.exec(`DROP TRIGGER journal_is_append_only_${trigger}`)
  for (const statement of statements) database.exec(statement)
  database.close()
}

describe("the chain of a journal", () => {
  it.effect("is whole after reopening, and its head covers every event", () =>
    Effect.gen(function* () {
      const file = newFile()
      yield* append(file, "a", "b")
      const before = yield* verify(file)
      yield* append(file, "c")
      const after = yield* verify(file, before.head)
      assert.deepStrictEqual([before.events, after.events], [2, 3])
      assert.notStrictEqual(before.head, after.head)
    })
  )

  for (const [what, statement, found] of [
    ["a changed event", `UPDATE journal SET body = replace(body, '"c"', '"x"') WHERE sequence = 3`, [3, "changed"]],
    ["a changed time", "UPDATE journal SET at = at + 1 WHERE sequence = 2", [2, "changed"]],
    ["a removed event", "DELETE FROM journal WHERE sequence = 2", [2, "missing"]],
    [
      "an inserted event",
      `INSERT INTO journal (sequence, at, event, body) VALUES (6, 1, 'BotStopped', '{}')`,
      [6, "not written by the bot"]
    ]
  ] as const) {
    it.effect(`detects ${what}`, () =>
      Effect.gen(function* () {
        const file = newFile()
        yield* append(file, "a", "b", "c", "d", "e")
        tamper(file, statement)
        const error = yield* Effect.flip(verify(file))
        assert.instanceOf(error, Chain.ChainBroken)
        if (!(error instanceof Chain.ChainBroken)) return
        assert.strictEqual(error.sequence, found[0])
        assert.include(error.message, found[1])
      })
    )
  }

  it.effect("detects one changed byte anywhere, and says in which event", () =>
    Effect.gen(function* () {
      for (const sequence of [1, 2, 3, 4]) {
        const file = newFile()
        yield* append(file, "a", "b", "c", "d")
        const place = yield* Random.nextIntBetween(1, 30)
        const changed = `substr(body, 1, ${place - 1}) || char(unicode(substr(body, ${place}, 1)) + 1) || substr(body, ${place + 1})`
        tamper(file, `UPDATE journal SET body = ${changed} WHERE sequence = ${sequence}`)
        const error = yield* Effect.flip(verify(file))
        assert.deepInclude(error, { _tag: "ChainBroken", sequence }, `byte ${place} of event ${sequence}`)
      }
    })
  )

  it.effect("detects a cut end by a head that is stored elsewhere", () =>
    Effect.gen(function* () {
      const file = newFile()
      yield* append(file, "a", "b", "c")
      const { head } = yield* verify(file)
      tamper(file, "DELETE FROM journal WHERE sequence = 3")
      assert.strictEqual((yield* verify(file)).events, 2)
      assert.include((yield* Effect.flip(verify(file, head))).message, "the end is missing")
    })
  )

  it.effect("is added to a journal of an older version when it opens, and the journal stays append-only", () =>
    Effect.gen(function* () {
      const file = newFile()
      yield* append(file, "a", "b")
      const { head } = yield* verify(file)
      const database = new DatabaseSync(file)
      database.exec("ALTER TABLE journal DROP COLUMN hash")
      database.exec("DROP TABLE snapshots")
      database.exec("DROP TABLE seen_candles")
      database.exec("DELETE FROM effect_sql_migrations WHERE migration_id >= 5")
      database.close()
      assert.include((yield* Effect.flip(verify(file))).message, "older version")
      yield* append(file, "c")
      assert.strictEqual((yield* verify(file, head)).events, 3)
      const again = new DatabaseSync(file)
      assert.throws(() => again.exec("UPDATE journal SET at = 1"), /append-only/)
      again.close()
    })
  )
})
