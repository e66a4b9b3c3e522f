/** What the head beside a journal says of a file that was put back, cut or replaced. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Stream } from "effect"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import * as Head from "../../src/journal/Head.ts"
import { Journal } from "../../src/journal/Journal.ts"
import * as Reserve from "../../src/journal/Reserve.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"

const stopped: BotEvent = { _tag: "BotStopped", reason: "test" }

/** Opens the journal, adds events, closes it; gives what it then says of itself. */
const written = (filename: string, events: number) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    for (let event = 0; event < events; event += 1) yield* journal.append([stopped])
    const all = yield* Stream.runCollect(journal.events())
    return all.flatMap(({ event }) => (event._tag === "JournalCut" ? [event.text] : []))
  }).pipe(
    Effect.provide(Layer.provide(Journal.layerWith(Reserve.none, Head.beside(filename)), Sqlite.layer({ filename }))),
    Effect.result
  )

interface Case {
  readonly what: string
  readonly change: (journal: string) => void
  /** What is told. */
  readonly told: RegExp | undefined
}

const copyOf = (journal: string): string => `${journal}.copy`

const cases: ReadonlyArray<Case> = [
  { what: "untouched", change: () => undefined, told: undefined },
  {
    what: "put back from a copy of an orderly stopped bot",
    change: (journal) => copyFileSync(copyOf(journal), journal),
    told: /it has 3 events, but the bot wrote 7/
  },
  {
    what: "put back with the head of that time",
    change: (journal) => {
      copyFileSync(copyOf(journal), journal)
      copyFileSync(`${copyOf(journal)}.head`, `${journal}.head`)
    },
    told: undefined
  },
  {
    what: "without its head",
    change: (journal) => rmSync(`${journal}.head`),
    told: /no head file confirms that its 7 events/
  },
  {
    what: "with a damaged head",
    change: (journal) => writeFileSync(`${journal}.head`, "0000"),
    told: /no head file confirms that its 7 events/
  },
  {
    what: "with the head of another one",
    change: (journal) => writeFileSync(`${journal}.head`, `0000000000000003 ${"a".repeat(64)}\n`),
    told: /its event 3 differs from the one that the bot wrote/
  },
  {
    what: "gone",
    change: (journal) => rmSync(journal),
    told: /The journal is empty: it has 0 events, but the bot wrote 7\./
  }
]

describe("a journal with a head beside it", () => {
  for (const { change, told, what } of cases)
    it.effect(`${what}: ${told === undefined ? "nothing is reported" : "it is reported once, at the next start"}`, () =>
      Effect.gen(function* () {
        const journal = join(mkdtempSync(join(tmpdir(), "limitbot-head-")), "journal.sqlite")
        yield* written(journal, 3)
        copyFileSync(journal, copyOf(journal))
        copyFileSync(`${journal}.head`, `${copyOf(journal)}.head`)
        yield* written(journal, 4)
        change(journal)
        for (const start of [1, 2]) {
          const said = yield* written(journal, 1)
          const texts = Result.match(said, { onSuccess: (cuts) => cuts, onFailure: ({ message }) => [message] })
          assert.strictEqual(texts.length, told === undefined ? 0 : 1, `start ${start}: ${texts.join()}`)
          if (told !== undefined) assert.match(texts.join(), told)
        }
      })
    )
})
