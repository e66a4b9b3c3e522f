import {
  appendFileSync,
  copyFileSync,
  linkSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join, relative } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Equal, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { BotEvent } from "../../src/domain/BotEvent.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as Lease from "../../src/journal/Lease.ts"
import { Journals, layerOf } from "../../src/journal/postgres/Journals.ts"
import * as Postgres from "../../src/journal/postgres/Postgres.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import * as PostgresServer from "../postgres.ts"
import { MemoryJournals } from "../world/bot/MemoryJournals.ts"

const newFile = () => join(mkdtempSync(join(tmpdir(), "limitbot-journal-")), "journal.sqlite")

/** Where journals are kept. */
interface Place {
  readonly name: string
  /** A journal that nobody has written. */
  readonly fresh: () => string
  /** Opens it anew. */
  readonly at: (journal: string) => Layer.Layer<Journal, unknown>
  /** What any tool of the database can do. */
  readonly execute?: (journal: string, statement: string) => Effect.Effect<void, unknown>
  readonly undecodable?: (journal: string) => string
}

const sqlite: Place = {
  name: "in SQLite",
  fresh: newFile,
  at: (filename) => Layer.provide(Journal.layer, Sqlite.layer({ filename })),
  execute: (filename, statement) =>
    Effect.try(() => {
      const database = new DatabaseSync(filename)
      try {
        database.exec(statement)
      } finally {
        database.close()
      }
    }),
  undecodable: () => `INSERT INTO journal (sequence, at, event, body) VALUES (1, 0, 'X', '{"_tag":"X"}')`
}

let accounts = 0
const freshAccount = () => {
  accounts += 1
  return `account-${accounts}`
}

const twin = new MemoryJournals()
const memory: Place = {
  name: "in the twin of Postgres in memory",
  fresh: freshAccount,
  at: (account) => Layer.effect(Journal, twin.claim(account))
}

const server = await PostgresServer.start()

const postgresAt = ({ url }: PostgresServer.Database): Place => {
  const client = Postgres.layer(url)
  return {
    name: "in Postgres",
    fresh: freshAccount,
    at: (account) => layerOf(account).pipe(Layer.provide(Journals.layer), Layer.provide(client)),
    execute: (_, statement) =>
      Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.asVoid(sql.unsafe(statement))),
        client
      ),
    undecodable: (account) => `
      INSERT INTO journal (account, sequence, epoch, at, event, body, hash)
      VALUES ('${account}', 1, 1, 0, 'X', '{"_tag":"X"}', 'x')`
  }
}

const places = [sqlite, memory, ...(server === undefined ? [] : [postgresAt(server)])]
if (server === undefined) it.skip("Journal in Postgres: this machine has no Postgres server", () => undefined)

const stopped = (reason: string): BotEvent => ({ _tag: "BotStopped", reason })

describe.each(places)("Journal $name", ({ at: journalAt, execute, fresh, undecodable }) => {
  it.effect("is read from either end, whole or by kinds of events, across pages", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const events = Array.from(
        { length: 2_500 },
        (_, index): BotEvent =>
          index % 3 === 0 ? stopped(String(index)) : { _tag: "VenueDown", reason: String(index) }
      )
      yield* journal.append(events)
      const all = yield* Stream.runCollect(journal.events())
      assert.deepStrictEqual(yield* Stream.runCollect(journal.newestFirst), all.toReversed())
      const of = (...tags: ReadonlyArray<BotEvent["_tag"]>) => Stream.runCollect(journal.events({ after: 10, tags }))
      const later = all.slice(10)
      assert.deepStrictEqual(yield* of("BotStopped", "VenueDown"), later)
      assert.deepStrictEqual(
        yield* of("BotStopped"),
        later.filter(({ event }) => event._tag === "BotStopped")
      )
      assert.deepStrictEqual(
        yield* of("VenueDown", "VenueUp"),
        later.filter(({ event }) => event._tag === "VenueDown")
      )
    }).pipe(Effect.provide(journalAt(fresh())))
  )

  it.effect("returns the appended events after a reopen, in order and without gaps", () =>
    Effect.gen(function* () {
      const filename = fresh()
      yield* Effect.provide(
        Effect.gen(function* () {
          const journal = yield* Journal
          yield* journal.append([stopped("a"), stopped("b")])
          yield* journal.append([])
          yield* journal.append([stopped("c")])
        }),
        journalAt(filename)
      )
      const events = yield* Effect.provide(
        Effect.flatMap(Journal, (journal) =>
          Effect.andThen(journal.append([stopped("d")]), Stream.runCollect(journal.events()))
        ),
        journalAt(filename)
      )
      assert.deepStrictEqual(
        events.map(({ sequence, event }) => [sequence, event._tag === "BotStopped" && event.reason]),
        [
          [1, "a"],
          [2, "b"],
          [3, "c"],
          [4, "d"]
        ]
      )
    })
  )

  it.effect("accepts many events from two fibers at the same time", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      // So many that encoding them lets the other fiber go on.
      const many = (name: string) => Array.from({ length: 2_000 }, (_, index) => stopped(`${name} ${index}`))
      yield* Effect.all([journal.append(many("a")), journal.append(many("b"))], { concurrency: 2 })
      const events = yield* Stream.runCollect(journal.events())
      assert.deepStrictEqual(
        events.map(({ sequence }) => sequence),
        Array.from({ length: 4_000 }, (_, index) => index + 1)
      )
    }).pipe(Effect.provide(journalAt(fresh())))
  )

  it.effect.prop("returns every event exactly as written", [BotEvent], ([generated]) =>
    Effect.gen(function* () {
      // Memory is any JSON, whose odd keys (`__proto__`) are not ours to keep.
      const event = generated._tag === "Decided" ? { ...generated, memory: null } : generated
      const journal = yield* Journal
      yield* journal.append([event])
      const [read] = yield* Stream.runCollect(journal.events())
      // Structural equality in which 0 and -0 are one number, as in JSON.
      assert.isTrue(Equal.equals(read?.event, event), `${String(read?.event._tag)} changed`)
    }).pipe(Effect.provide(journalAt(fresh())))
  )

  if (execute === undefined || undecodable === undefined) return

  it.effect("refuses to change or delete an event, by any connection", () =>
    Effect.gen(function* () {
      const journal = fresh()
      yield* Effect.provide(
        Effect.flatMap(Journal, ({ append }) => append([stopped("a")])),
        journalAt(journal)
      )
      for (const statement of ["UPDATE journal SET at = 0", "DELETE FROM journal"])
        assert.match(plainText(yield* Effect.flip(execute(journal, statement))), /append-only/)
    })
  )

  it.effect("stops at an event that does not decode, and names it", () =>
    Effect.gen(function* () {
      const journal = fresh()
      yield* Effect.provide(Effect.asVoid(Journal), journalAt(journal))
      yield* execute(journal, undecodable(journal))
      const error = yield* Effect.flip(
        Effect.provide(
          Effect.flatMap(Journal, ({ events }) => Stream.runCollect(events())),
          journalAt(journal)
        )
      )
      assert.match(
        String(error),
        /Event 1 of the journal does not decode: a newer limitbot wrote it \(it is of the kind X\) than this one, \d\S+ use the newer one, or a backup/
      )
    })
  )
})

/** An error and what it was caused by. */
const plainText = (error: unknown): string =>
  error instanceof Error ? `${error.message} ${plainText(error.cause)}` : String(error)

describe("Lease", () => {
  it.effect("refuses a second bot on the same journal, and names the first", () =>
    Effect.gen(function* () {
      const journal = newFile()
      const error = yield* Effect.provide(
        Effect.flip(Effect.provide(Effect.void, Lease.layer({ journal, pid: 2 }))),
        Lease.layer({ journal, pid: 1 })
      )
      assert.strictEqual(error._tag, "JournalInUse")
      assert.include(error.message, "in use by process 1 since 1970-01-01")
    })
  )

  it.effect("is lost if the journal or the lock is removed or replaced", () =>
    Effect.gen(function* () {
      const lostAfter = (change: (journal: string) => void, prepare: (journal: string) => void = () => undefined) => {
        const journal = newFile()
        return Effect.gen(function* () {
          const lost = yield* Lease.LeaseLost
          prepare(journal)
          assert.isUndefined(yield* lost)
          change(journal)
          return yield* lost
        }).pipe(Effect.provide(Lease.layer({ journal, pid: 1 })))
      }
      const replace = (file: string) => {
        copyFileSync(file, `${file}.copy`)
        renameSync(`${file}.copy`, file)
      }
      assert.isUndefined(yield* lostAfter((journal) => appendFileSync(journal, "more")))
      const forgotten = /all that the bot records now is lost/
      assert.match((yield* lostAfter((journal) => rmSync(journal))) ?? "", forgotten)
      const withoutLog = lostAfter(
        (journal) => rmSync(`${journal}-wal`),
        (journal) => writeFileSync(`${journal}-wal`, "")
      )
      assert.match((yield* withoutLog) ?? "", /-wal was removed or replaced .* are lost if the bot is killed/)
      assert.match((yield* lostAfter(replace)) ?? "", forgotten)
      assert.match((yield* lostAfter((journal) => rmSync(`${journal}.lease`))) ?? "", /another bot may work/)
      assert.match((yield* lostAfter((journal) => replace(`${journal}.lease`))) ?? "", /another bot may work/)
    })
  )

  it.effect("holds through another path to the same journal", () =>
    Effect.gen(function* () {
      const journal = newFile()
      writeFileSync(journal, "")
      const [link, folder, second] = [`${journal}.link`, join(dirname(journal), "folder"), `${journal}.second`]
      symlinkSync(journal, link)
      symlinkSync(dirname(journal), folder)
      for (const path of [link, join(folder, basename(journal)), relative(process.cwd(), journal)]) {
        const error = yield* Effect.flip(Effect.provide(Effect.void, Lease.layer({ journal: path, pid: 2 }))).pipe(
          Effect.provide(Lease.layer({ journal, pid: 1 }))
        )
        assert.strictEqual(error._tag, "JournalInUse", path)
        assert.strictEqual((yield* Effect.provide(Lease.holder(path), Lease.layer({ journal, pid: 1 })))?.pid, 1)
      }
      linkSync(journal, second)
      const error = yield* Effect.flip(Effect.provide(Effect.void, Lease.layer({ journal: second, pid: 2 })))
      assert.match(error.message, /it has a second name \(a hard link\)/)
    })
  )

  it.effect("is free again once its holder ends", () =>
    Effect.gen(function* () {
      const journal = newFile()
      yield* Effect.provide(Effect.void, Lease.layer({ journal, pid: 1 }))
      yield* Effect.provide(Effect.void, Lease.layer({ journal, pid: 2 }))
    })
  )
})

describe("the archive beside a journal in SQLite", () => {
  const journalIn = (filename: string) => Layer.provide(Journal.layer, Sqlite.layer({ filename }))
  const record = (file: string, ...reasons: ReadonlyArray<string>) =>
    Effect.provide(
      Journal.use(({ append }) => append(reasons.map((reason) => stopped(reason)))),
      journalIn(file)
    )
  const remove = (file: string, condition: string) => {
    const database = new DatabaseSync(file)
    database.exec("PRAGMA journal_mode = DELETE; DROP TRIGGER journal_is_append_only_delete")
    database.exec(`DELETE FROM journal WHERE ${condition}`)
    database.close()
  }
  const makePair = Effect.fnUntraced(function* (archived: string, cut: string) {
    const file = newFile()
    yield* record(file, "a", "b", "c", "d")
    copyFileSync(file, `${file}.archive`)
    remove(`${file}.archive`, `NOT (${archived})`)
    remove(file, cut)
    return file
  })

  it.effect("is read with the journal that continues it, also if a crash has left events in both", () =>
    Effect.gen(function* () {
      for (const cut of ["sequence < 4", "sequence < 2", "false"]) {
        const file = yield* makePair("sequence < 4", cut)
        yield* record(file, "e")
        const events = yield* Effect.provide(
          Journal.use((journal) => Stream.runCollect(journal.events())),
          journalIn(file)
        )
        assert.deepStrictEqual(
          events.map(({ event }) => event._tag === "BotStopped" && event.reason),
          ["a", "b", "c", "d", "e"],
          cut
        )
      }
    })
  )

  it.effect("is refused beside a journal that does not continue it", () =>
    Effect.gen(function* () {
      const lost = newFile()
      yield* record(lost, "a", "b")
      remove(lost, "false")
      renameSync(lost, `${lost}.archive`)
      const pairs = [
        lost,
        yield* makePair("sequence < 2", "sequence < 3"),
        yield* makePair("sequence < 4", "sequence > 2"),
        yield* makePair("sequence < 4", "true")
      ]
      for (const file of pairs) {
        const { message } = yield* Effect.flip(record(file, "e"))
        assert.match(message, /The \.archive file beside the journal is not its older part\. .*journal restore/)
      }
    })
  )
})
