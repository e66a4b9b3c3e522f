/** A running bot reports a journal that `journal verify` refuses. */
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { verifyJournal } from "../../../src/app/run/watch/Supervision.ts"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"

const stopped: BotEvent = { _tag: "BotStopped", reason: "test" }

/** What a start says of a journal of so many events of which one was changed: after its end was verified, and after the rest was. */
const started = (events: number, changed: number | undefined) =>
  Effect.gen(function* () {
    const filename = join(mkdtempSync(join(tmpdir(), "limitbot-watch-")), "journal.sqlite")
    const books = Layer.provideMerge(Bookkeeper.layer, Journal.layer).pipe(Layer.provide(Sqlite.layer({ filename })))
    yield* Effect.provide(
      Bookkeeper.use(({ record }) => record(...Array.from({ length: events }, () => stopped))),
      books
    )
    if (changed !== undefined) {
      const database = new DatabaseSync(filename)
      database.exec("DROP TRIGGER journal_is_append_only_update")
      database.exec(`UPDATE journal SET body = replace(body, 'test', 'best') WHERE sequence = ${changed}`)
      database.close()
    }
    return yield* Effect.provide(
      Effect.gen(function* () {
        const { state } = yield* Bookkeeper
        const rest = yield* verifyJournal(filename)
        const atOnce = state.broken
        yield* rest
        return [atOnce, state.broken] as const
      }),
      books
    )
  })

describe("a journal that changes behind the bot's back", () => {
  it.effect("is reported before the bot acts, if its end has changed", () =>
    Effect.gen(function* () {
      const [atOnce, later] = yield* started(1_500, 1_400)
      assert.match(atOnce ?? "", /was changed/)
      assert.strictEqual(later, atOnce)
    })
  )

  it.effect("is reported while the bot runs, if an earlier event has changed", () =>
    Effect.gen(function* () {
      const [atOnce, later] = yield* started(1_500, 400)
      assert.isUndefined(atOnce)
      assert.match(later ?? "", /was changed/)
    })
  )

  it.effect("is not reported if it is unchanged", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* started(1_500, undefined), [undefined, undefined])
    })
  )
})
