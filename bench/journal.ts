/**
 * A long journal: what a bot's start and every command that looks at history take of processor and memory. The program
 * writes it in a few minutes (`LIMITBOT_EVENTS=1000000`; fewer by default), or it is a kept one (`LIMITBOT_JOURNAL=FILE`, which
 * is copied first). Budgets are for the default number of events.
 */
import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { BotEvent } from "../src/domain/BotEvent.ts"
import * as Head from "../src/journal/Head.ts"
import { Journal } from "../src/journal/Journal.ts"
import * as Reserve from "../src/journal/Reserve.ts"
import * as Sqlite from "../src/journal/Sqlite.ts"
import { begin, orderOf, recordedAt } from "../test/world/journalRows.ts"
import { type Budget, costs, type Way } from "./measure.ts"
import { built, empty, leanest, mostMemory, wholeProcess } from "./program.ts"
import type { Bench } from "./sections.ts"

const usualEvents = 100_000

const config = `venue: { url: "http://127.0.0.1:1", verifier: intents.native, apiKey: { file: none.key } }
account: { key: { file: none.key } }
assets:
  BTC:  { id: "nep141:btc.omft.native",  decimals: 8 }
  USDC: { id: "nep141:usdc.omft.native", decimals: 6 }
journal: journal.sqlite
`

const write = (filename: string, rows: number) =>
  Effect.gen(function* () {
    const { append } = yield* Journal
    let batch: Array<BotEvent> = [...begin]
    for (let [number, written] = [1, 0]; written < rows; number += 1) {
      batch.push(...orderOf(number))
      if (batch.length < 200) continue
      yield* TestClock.setTime(recordedAt(number))
      yield* append(batch)
      written += batch.length
      batch = []
    }
  }).pipe(
    Effect.provide([
      Journal.layerWith(Reserve.none, Head.beside(filename)).pipe(Layer.provide(Sqlite.layer({ filename }))),
      TestClock.layer()
    ]),
    Effect.scoped,
    Effect.runPromise
  )

/** What a bot does before it looks at the venue: open the journal for writing and have its memory. */
const opening = `
import { Effect, Layer } from "effect"
const [, root, filename] = process.argv
const from = (file) => import(root + "/src/" + file)
const [{ Bookkeeper }, { Journal }, Sqlite] = [
  await from("engine/state/Bookkeeper.ts"), await from("journal/Journal.ts"), await from("journal/Sqlite.ts")
]
const layer = Bookkeeper.layer.pipe(Layer.provide(Journal.layer), Layer.provide(Sqlite.layer({ filename })))
await Effect.runPromise(Effect.provide(Effect.map(Bookkeeper, ({ state }) => state.sequence), layer))
`

interface Files {
  readonly root: string
  readonly folder: string
  readonly kept: string
}

/** With what says outside it how far it had come. */
const copied = (journal: string, copy: string): void => {
  for (const part of ["", ".head"])
    if (existsSync(`${journal}${part}`)) copyFileSync(`${journal}${part}`, `${copy}${part}`)
}

const parts = ["", "-wal", "-shm"]

/** From the tree's sources. Without a snapshot it opens a fresh copy of the journal each time. */
const start = ({ root, folder, kept }: Files, name: string, hasSnapshot: boolean): Way => {
  const copy = join(folder, hasSnapshot ? "with.sqlite" : "without.sqlite")
  const open = () =>
    spawnSync(process.execPath, ["--input-type=module", "-e", opening, root, copy], { cwd: root, encoding: "utf8" })
  return {
    name,
    run: () => {
      if (!hasSnapshot || !existsSync(copy)) {
        for (const part of parts) rmSync(`${copy}${part}`, { force: true })
        copied(kept, copy)
        if (hasSnapshot) open()
      }
      const { status, stderr } = open()
      if (status !== 0) throw new Error(stderr)
      return ""
    }
  }
}

type Asked = readonly [words: ReadonlyArray<string>, time: Budget, memory: Budget]

const commands: ReadonlyArray<Asked> = [
  [["orders", "--json"], { atMost: 8 }, { atMost: 2.4 }],
  [["status", "--json"], { atMost: 12 }, { atMost: 3.2 }],
  [["events", "--limit", "50"], { atMost: 14 }, { atMost: 3 }],
  [["money", "--json"], { atMost: 12, goal: 4 }, { atMost: 3 }],
  [["profit", "--json"], { atMost: 26, goal: 4 }, { atMost: 5 }],
  [["fills", "--json"], { atMost: 22, goal: 4 }, { atMost: 4.5 }],
  [["export", "--format", "csv", "--out", "books"], { atMost: 25, goal: 4 }, { atMost: 5 }],
  [["journal", "verify"], { atMost: 26 }, { atMost: 4.8 }]
]

const prepared = async (folder: string): Promise<{ readonly kept: string; readonly what: string }> => {
  const kept = join(folder, "kept.sqlite")
  const given = process.env["LIMITBOT_JOURNAL"]
  const events = Number(process.env["LIMITBOT_EVENTS"] ?? usualEvents)
  if (given === undefined) await write(kept, events)
  else copied(given, kept)
  const database = new DatabaseSync(kept)
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  const row = database.prepare("SELECT count(*) AS events FROM journal").get()
  database.close()
  return { kept, what: `${row?.["events"]} events, ${(statSync(kept).size / 2 ** 20).toFixed(0)} MB` }
}

export const journal = async ({ show, root, folder: above }: Bench): Promise<void> => {
  const folder = mkdtempSync(join(above, "journal-"))
  const limitbot = built(root, above)
  const { kept, what } = await prepared(folder)
  const isUsual = process.env["LIMITBOT_JOURNAL"] === undefined && process.env["LIMITBOT_EVENTS"] === undefined
  const within = (budget: Budget) => (isUsual ? { budget } : {})
  const files = { root, folder, kept }
  const cold = start(files, "a bot's start without a snapshot (the first after an upgrade)", false)
  const warm = start(files, "a bot's start from a snapshot", true)
  show(await costs(what, empty, cold, { samples: 2, ...within({ atMost: 85, goal: 12 }) }))
  show(await costs(what, empty, warm, { samples: 3, ...within({ atMost: 30 }) }))
  const home = join(folder, "home")
  mkdirSync(home)
  writeFileSync(join(home, "config.yaml"), config)
  writeFileSync(join(home, "none.key"), "none\n", { mode: 0o600 })
  copied(kept, join(home, "journal.sqlite"))
  // The built program is another one than its sources: it takes a snapshot of its own.
  wholeProcess("compact", [limitbot, "journal", "compact", "--config", join(home, "config.yaml")]).run()
  const books = join(home, "books")
  /** Books are written into an empty folder only. */
  const anew = ({ name, run }: Way): Way => ({
    name,
    run: () => {
      rmSync(books, { recursive: true, force: true })
      return run()
    }
  })
  for (const [words, time, memory] of commands) {
    const args = [limitbot, ...words, "--config", join(home, "config.yaml")].map((word) =>
      word === "books" ? books : word
    )
    const name = `\`${words.join(" ")}\``
    const [timed, weighed] = [wholeProcess(name, args), mostMemory(`${name}, most memory`, args)].map(anew)
    if (timed === undefined || weighed === undefined) continue
    show(await costs(what, empty, timed, { samples: 3, ...within(time) }))
    show(await costs(what, leanest, weighed, { samples: 1, unit: "MB", ...within(memory) }))
  }
}
