/** Verifies, compacts, archives, copies and restores a journal file. A journal in a fleet's database can only be verified. */
import { dirname } from "node:path"
import { Effect, Equal, FileSystem, Layer, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { countText, messageOf } from "../../domain/Text.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import * as Bookkeeper from "../../engine/state/Bookkeeper.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Chain from "../../journal/Chain.ts"
import * as Head from "../../journal/Head.ts"
import { Journal } from "../../journal/Journal.ts"
import * as Lease from "../../journal/Lease.ts"
import { Journals } from "../../journal/postgres/Journals.ts"
import * as Reserve from "../../journal/Reserve.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import {
  fileOf as archiveOf,
  cut as cutArchived,
  lastBefore,
  unjoined,
  write as writeArchive
} from "../../journal/schema/archive.ts"
import { Process } from "../../process/Process.ts"
import * as Progress from "../../process/Progress.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as StoredBooks from "../../views/profit/StoredBooks.ts"
import * as StoredProfit from "../../views/profit/StoredProfit.ts"
import { commandFailed } from "../CommandFailed.ts"
import { ChosenBot } from "./ChosenBot.ts"
import { isThere } from "./JournalView.ts"

const reading = (filename: string) => Sqlite.layer({ filename, readOnly: true })

/** Refused while a bot runs. */
const writing = Effect.fnUntraced(function* (name: string) {
  const { pid } = yield* Process
  const journal = Lease.fileOf(name)
  return Journal.layerWith(Reserve.none, Head.beside(journal)).pipe(
    Layer.provideMerge(Sqlite.layer({ filename: journal })),
    Layer.provide(Lease.layer({ journal, pid }))
  )
})

const existing = Effect.fnUntraced(function* (config: string) {
  const { journal } = yield* ConfigFile.loadSettings(config)
  if (!(yield* isThere(journal))) return yield* commandFailed(`No journal at ${journal} yet.`)
  return journal
})

const verifying = Effect.map(
  Progress.make("verify"),
  (progress) => (events: number, of: number) => progress.update(events, of, `event ${events} of ${of}`)
)

const verified = (expected: ReadonlyArray<string>) =>
  Effect.scoped(Effect.flatMap(verifying, (shown) => Chain.verify(expected, shown)))

const factAnswer = (facts: Readonly<Record<string, unknown>>, text: string) => ({
  data: () => facts,
  lines: () => [text]
})

export const verify = Effect.fn("JournalFile.verify")(function* (expected: ReadonlyArray<string>) {
  const bot = yield* ChosenBot
  const { events, head: newest, journal } = yield* bot.verified(expected)
  return factAnswer({ journal, events, head: newest }, `${journal}: ${events} events, none changed. Head ${newest}`)
})

export const verifiedFile = Effect.fnUntraced(function* (config: string, expected: ReadonlyArray<string>) {
  const journal = yield* existing(config)
  const chain = yield* Effect.provide(verified(expected), reading(journal))
  const mistake = yield* Effect.provide(Head.mistakeBy(Head.beside(Lease.fileOf(journal))), reading(journal))
  if (mistake !== undefined) return yield* new Chain.ChainBroken({ sequence: mistake.newest + 1, text: mistake.text })
  return { journal, ...chain }
})

/** The head outside the chain is read first, because the owner of the account may be writing. */
export const verifiedAccount = Effect.fnUntraced(function* (account: string, expected: ReadonlyArray<string>) {
  const journals = yield* Journals
  const databaseHead = yield* journals.head(account)
  return yield* Chain.verifyLinks(journals.links(account), [...expected, databaseHead], yield* verifying)
}, Effect.scoped)

const sizeOf = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  return Number((yield* fileSystem.stat(file)).size)
})

export const compact = Effect.fn("JournalFile.compact")(function* (config: string) {
  const journal = yield* existing(config)
  const before = yield* sizeOf(journal)
  const { events, head } = yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const present = yield* verified([])
    yield* Bookkeeper.renewSnapshot
    yield* StoredProfit.renewSnapshot
    yield* StoredBooks.renewSnapshot
    yield* unjoined(sql`VACUUM`)
    yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
    return yield* verified([present.head])
  }).pipe(Effect.provide(yield* writing(journal)))
  const after = yield* sizeOf(journal)
  const text = `${journal}: ${before} bytes before, ${after} after; ${events} events, all kept. Head ${head}`
  return factAnswer({ journal, events, head, bytesBefore: before, bytesAfter: after }, text)
}, Effect.scoped)

/** Moves events before a time (UTC) into the archive, which is verified and durable before an event leaves the journal. */
export const archive = Effect.fn("JournalFile.archive")(function* (before: string) {
  const bot = yield* ChosenBot
  const config = yield* bot.file(
    `The journal of ${bot.flag} is not a file, and its events stay in the table \`journal\` of its database. ALTER TABLE journal SET TABLESPACE moves that table to another disk`
  )
  const time = Timestamp.written(before)
  if (time === undefined)
    return yield* wrongUsage(`--before ${before} is not a date; write 2026-01-31 or 2026-01-31T12:00:00Z`)
  const journal = Lease.fileOf(yield* existing(config))
  const fileSystem = yield* FileSystem.FileSystem
  const file = archiveOf(journal)
  const fresh = `${file}.new`
  const bytesBefore = yield* sizeOf(journal)
  const done = yield* Effect.gen(function* () {
    const { head } = yield* verified([])
    const last = yield* lastBefore(time)
    if (last === undefined) return undefined
    yield* fileSystem.remove(fresh, { force: true })
    yield* fileSystem.writeFile(fresh, new Uint8Array(), { mode: 0o600 })
    yield* writeArchive(fresh, last.sequence)
    const copy = yield* Effect.provide(verified([last.hash]), reading(fresh))
    if (copy.head !== last.hash) return yield* commandFailed(`${fresh} does not end like the journal`)
    yield* Effect.scoped(Effect.flatMap(fileSystem.open(fresh), (handle) => handle.sync))
    yield* fileSystem.rename(fresh, file)
    yield* Effect.ignore(Effect.scoped(Effect.flatMap(fileSystem.open(dirname(file)), (handle) => handle.sync)))
    yield* cutArchived(last.sequence)
    return { archived: last.sequence, head }
  }).pipe(Effect.provide(yield* writing(journal)))
  if (done === undefined)
    return factAnswer({ journal, archived: 0 }, `${journal}: no event before ${before} is left to archive.`)
  const { archived, head } = done
  const { events } = yield* Effect.provide(verified([head]), reading(journal))
  const after = yield* sizeOf(journal)
  const facts = { journal, archive: file, archived, events, head, bytesBefore, bytesAfter: after }
  return factAnswer(
    facts,
    `${file}: ${countText(archived, "event")}; ${journal}: ${bytesBefore} bytes before, ${after} after. ${countText(events, "event")} together, all verified. Head ${head}`
  )
}, Effect.scoped)

/** Copies the archived events. The archive of the journal never changes; a new archive gets another name. */
const copyArchive = Effect.fnUntraced(function* (from: string, to: string) {
  const fileSystem = yield* FileSystem.FileSystem
  if (!(yield* fileSystem.exists(from))) return
  yield* fileSystem.copyFile(from, to)
  yield* fileSystem.chmod(to, 0o600)
})

/**
 * Makes a complete copy, even while the bot writes. Only its owner can read the files. `close` runs once they have a place. A copy that fails
 * leaves no file, because a bot must not start with a part of a journal.
 */
const copyTo = Effect.fnUntraced(function* <E = never, R = never>(
  from: string,
  to: string,
  close?: Effect.Effect<unknown, E, R>
) {
  const fileSystem = yield* FileSystem.FileSystem
  const sql = yield* SqlClient.SqlClient
  const [archive, archiveCopy] = [archiveOf(Lease.fileOf(from)), archiveOf(Lease.fileOf(to))]
  if (yield* fileSystem.exists(archiveCopy)) return yield* commandFailed(`${archiveCopy} exists: move it away first.`)
  yield* fileSystem
    .writeFile(to, new Uint8Array(), { flag: "wx", mode: 0o600 })
    .pipe(Effect.mapError(() => commandFailed(`Cannot create ${to}: it exists, or its folder does not.`)))
  const state = close === undefined ? "Repeat" : `${from} is already closed: repeat`
  const copy = Effect.mapError(unjoined(sql`VACUUM INTO ${to}`), (error) =>
    commandFailed(`${to} is not written: ${messageOf(error)}. ${state} the command.`)
  )
  yield* copyArchive(archive, archiveCopy).pipe(
    Effect.andThen(close ?? Effect.void),
    Effect.andThen(copy),
    Effect.onError(() =>
      Effect.forEach([to, archiveCopy], (file) => Effect.ignore(fileSystem.remove(file, { force: true })))
    )
  )
})

export const backup = Effect.fn("JournalFile.backup")(function* (config: string, out: string, move: boolean) {
  const journal = yield* existing(config)
  // Closed before it is copied, so that only one of the two can ever continue.
  const close = Journal.use(({ append }) => append([{ _tag: "JournalMoved", to: out }]))
  if (move) yield* Effect.provide(copyTo(journal, out, close), yield* writing(journal))
  else yield* Effect.provide(copyTo(journal, out), reading(journal))
  const { events, head } = yield* Effect.provide(verified([]), reading(out))
  const next = move ? ` This journal is closed; continue with the copy: limitbot journal restore ${out}` : ""
  return factAnswer({ file: out, events, head, moved: move }, `${out}: ${events} events. Head ${head}.${next}`)
}, Effect.scoped)

const firstHash = SqlClient.SqlClient.use(
  (sql) => sql`SELECT sequence, hash FROM journal ORDER BY sequence LIMIT 1`
).pipe(Effect.map(([row]) => row?.["hash"]))

/** Refuses a copy whose source runs on this machine: two bots on one account could fund one slot twice. */
const refuseWhileRunning = Effect.fnUntraced(function* (copy: string) {
  const starts = Journal.use(({ events }) => Stream.runLast(events({ tags: ["BotStarted"] })))
  const start = yield* Effect.provide(starts, Layer.provide(Journal.layerReadOnly, reading(copy)))
  const event = Option.getOrUndefined(start)?.event
  const source = event?._tag === "BotStarted" ? event.journal : undefined
  for (const file of source === undefined ? [copy] : [source, copy]) {
    const holder = yield* Lease.holder(file)
    if (holder === undefined) continue
    const own = yield* Effect.option(Effect.provide(firstHash, reading(file)))
    if (!Equal.equals(own, yield* Effect.option(Effect.provide(firstHash, reading(copy))))) continue
    const message = `A bot (process ${holder.pid}) runs with ${file}, and ${copy} is a copy of it; only one may run. Stop it first, or hand it over: limitbot journal backup FILE --move`
    return yield* commandFailed(message)
  }
})

export const restore = Effect.fn("JournalFile.restore")(function* (config: string, from: string) {
  const { journal } = yield* ConfigFile.loadSettings(config)
  if (yield* isThere(journal)) {
    const message = `${journal} exists. Move it away first (with its -wal, -shm, .head and .archive files), so that nothing is lost.`
    return yield* commandFailed(message)
  }
  yield* refuseWhileRunning(from)
  const { events, head } = yield* Effect.provide(verified([]), reading(from))
  yield* Effect.provide(copyTo(from, journal), reading(from))
  yield* Head.beside(Lease.fileOf(journal)).keep({ sequence: events, hash: head })
  const state = yield* Effect.flatMap(Journal, ({ append }) =>
    Effect.andThen(append([{ _tag: "JournalRestored", events, head }]), Bookkeeper.replay)
  ).pipe(Effect.provide(yield* writing(journal)))
  const text = `${journal}: restored from ${from}, ${countText(events, "event")}, ${countText(state.placements.size, "placement")} not settled. Start the bot: it reads the rest from the venue.`
  return factAnswer({ journal, events, head }, text)
}, Effect.scoped)
