/** A copy of a journal: one that cannot be made leaves nothing behind, and a journal is closed only for a copy that has a place. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Stream } from "effect"
import * as JournalFile from "../../../src/app/journal/JournalFile.ts"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Head from "../../../src/journal/Head.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Lease from "../../../src/journal/Lease.ts"
import * as Reserve from "../../../src/journal/Reserve.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { fileOf as archiveOf } from "../../../src/journal/schema/archive.ts"
import { Process } from "../../../src/process/Process.ts"
import { nowhere, workspace } from "../../world/processes/program.ts"

const here = Layer.mergeAll(
  NodeServices.layer,
  Layer.succeed(Process, { pid: process.pid, execPath: process.execPath, script: "" })
)
const stopped: BotEvent = { _tag: "BotStopped", reason: "test" }

const make = Effect.gen(function* () {
  const folder = workspace(nowhere)
  const journal = join(folder, "journal.sqlite")
  const opened = Journal.layerWith(Reserve.none, Head.beside(journal)).pipe(
    Layer.provide(Sqlite.layer({ filename: journal }))
  )
  yield* Effect.provide(
    Journal.use(({ append }) => append([stopped])),
    opened
  )
  const readable = Layer.provide(Journal.layerReadOnly, Sqlite.layer({ filename: journal, readOnly: true }))
  const tags = Journal.use(({ events }) => Stream.runCollect(events())).pipe(
    Effect.map((all) => all.map(({ event }) => event._tag)),
    Effect.provide(readable)
  )
  const out = join(folder, "moved.sqlite")
  const move = JournalFile.backup(join(folder, "config.yaml"), out, true)
  return { journal, tags, out, move }
})

describe("a journal that is handed over", () => {
  it.live("stays open if the copy's file exists", () =>
    Effect.gen(function* () {
      const { move, out, tags } = yield* make
      writeFileSync(out, "another file")
      const refusal = yield* Effect.flip(move)
      assert.include(refusal.message, `Cannot create ${out}: it exists`)
      assert.deepStrictEqual(yield* tags, ["BotStopped"])
      assert.strictEqual(readFileSync(out, "utf8"), "another file")
    }).pipe(Effect.provide(here))
  )

  it.live("stays open, and no file is created, while its bot runs", () =>
    Effect.gen(function* () {
      const { journal, move, out, tags } = yield* make
      writeFileSync(archiveOf(journal), "archived events")
      const refusal = yield* Effect.flip(move).pipe(Effect.provide(Lease.layer({ journal, pid: process.pid })))
      assert.include(refusal.message, "is in use by process")
      assert.isFalse(existsSync(out) || existsSync(archiveOf(out)))
      rmSync(archiveOf(journal))
      assert.deepStrictEqual(yield* tags, ["BotStopped"])
    }).pipe(Effect.provide(here))
  )

  it.live("is closed if the copy then fails, and the same command makes the copy", () =>
    Effect.gen(function* () {
      const { journal, move, out, tags } = yield* make
      const fileSystem = yield* FileSystem.FileSystem
      const full = FileSystem.FileSystem.of({
        ...fileSystem,
        // SQLite copies only into an empty file.
        writeFile: (file, _, options) => fileSystem.writeFile(file, new Uint8Array(8), options)
      })
      const failure = yield* Effect.flip(Effect.provideService(move, FileSystem.FileSystem, full))
      assert.match(
        failure.message,
        /moved\.sqlite is not written: .*journal\.sqlite is already closed: repeat the command/
      )
      assert.deepStrictEqual(yield* tags, ["BotStopped", "JournalMoved"])
      assert.isFalse(existsSync(out))
      yield* move
      assert.isTrue(existsSync(out) && existsSync(journal))
    }).pipe(Effect.provide(here))
  )
})
