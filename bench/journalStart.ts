/**
 * A journal of a million events: how long it takes until a bot, or a command, can go on from it, and how much memory, from a
 * snapshot of the fold and without one.
 *
 *     npx node bench/journalStart.ts 1000000
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { BotEvent } from "../src/domain/BotEvent.ts"
import { Bookkeeper } from "../src/engine/state/Bookkeeper.ts"
import { Journal } from "../src/journal/Journal.ts"
import * as Sqlite from "../src/journal/Sqlite.ts"
import { begin, orderOf } from "./journalRows.ts"
import { machine } from "./measure.ts"
import { built, tellMemory } from "./program.ts"

const say = (text: string): void => void process.stdout.write(`${text}\n`)

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
      yield* append(batch)
      yield* TestClock.adjust("10 minutes")
      written += batch.length
      batch = []
    }
  }).pipe(
    Effect.provide([Journal.layer.pipe(Layer.provide(Sqlite.layer({ filename }))), TestClock.layer()]),
    Effect.scoped,
    Effect.runPromise
  )

/** What a bot does before it looks at the venue: open the journal for writing and have its memory. */
const open = (filename: string) =>
  Effect.map(Bookkeeper, ({ state }) => state.sequence).pipe(
    Effect.provide(Bookkeeper.layer.pipe(Layer.provide(Journal.layer), Layer.provide(Sqlite.layer({ filename })))),
    Effect.runPromise
  )

/** Runs in a process of its own; says milliseconds and megabytes. */
const measured = (what: string, args: ReadonlyArray<string>, cwd: string): void => {
  const begun = process.hrtime.bigint()
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--import", tellMemory, ...args], {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 30
  })
  const millis = Number(process.hrtime.bigint() - begun) / 1e6
  const inside = /^(\d+) ms/.exec(stdout)?.[1]
  const memory = Number(/\d+$/.exec(stderr)?.[0] ?? Number.NaN) / 1024
  const failed = status === 0 ? "" : `FAILED: ${stderr.slice(0, 300)}`
  say(`| ${what} | ${inside ?? millis.toFixed(0)} ms | ${memory.toFixed(0)} MB | ${failed}`)
}

const [argument = "1000000", filename] = process.argv.slice(2)
if (argument === "open" && filename !== undefined) {
  const begun = performance.now()
  await open(filename)
  say(`${(performance.now() - begun).toFixed(0)} ms`)
} else {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-journal-start-"))
  const journal = join(folder, "journal.sqlite")
  writeFileSync(join(folder, "config.yaml"), config)
  writeFileSync(join(folder, "none.key"), "none\n", { mode: 0o600 })
  await write(journal, Number(argument))
  new DatabaseSync(journal).exec("PRAGMA wal_checkpoint(TRUNCATE)")
  const limitbot = built(folder)
  say(machine())
  say(`| journal of ${argument} events, ${(statSync(journal).size / 2 ** 20).toFixed(0)} MB | time | most memory |`)
  say("|---|---|---|")
  measured(
    "a bot's start without a snapshot (the first after an upgrade)",
    [import.meta.filename, "open", journal],
    folder
  )
  measured("a bot's start from a snapshot", [import.meta.filename, "open", journal], folder)
  // The built program is another one than its sources: it takes a snapshot of its own.
  measured("whole `journal compact`", [limitbot, "journal", "compact", "--config", "config.yaml"], folder)
  const commands = [
    ["orders", "--json"],
    ["status", "--json"],
    ["events", "--limit", "50"],
    ["money", "--json"],
    ["profit", "--json"],
    ["fills", "--json"],
    ["export", "--format", "csv", "--out", "books"]
  ]
  for (const command of commands)
    measured(`whole \`${command.join(" ")}\``, [limitbot, ...command, "--config", "config.yaml"], folder)
  measured("whole `journal verify`", [limitbot, "journal", "verify", "--config", "config.yaml"], folder)
  rmSync(folder, { recursive: true })
}
