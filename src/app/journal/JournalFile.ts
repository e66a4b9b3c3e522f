/** A journal as a file: checked, made smaller, copied while the bot runs, taken over from a copy. */
import { Effect, FileSystem, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as Bookkeeper from "../../engine/state/Bookkeeper.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Chain from "../../journal/Chain.ts"
import * as Head from "../../journal/Head.ts"
import { Journal } from "../../journal/Journal.ts"
import * as Lease from "../../journal/Lease.ts"
import * as Reserve from "../../journal/Reserve.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import * as StoredBooks from "../../views/profit/StoredBooks.ts"
import * as StoredProfit from "../../views/profit/StoredProfit.ts"
import { Process } from "../process/Process.ts"
import * as Progress from "../process/Progress.ts"
import { isThere } from "./JournalView.ts"

/** The requested copy cannot be made or taken over. */
export class CopyRefused extends Schema.TaggedError<CopyRefused>()("CopyRefused", { message: Schema.String }) {}

const reading = (filename: string) => Sqlite.layer({ filename, readOnly: true })

/** For the only writer: refused while a bot runs. */
const writing = Effect.fnUntraced(function* (name: string) {
  const { pid } = yield* Process
  const journal = Lease.fileOf(name)
  return Journal.layerWith(Reserve.none, Head.beside(journal)).pipe(
    Layer.provideMerge(Sqlite.layer({ filename: journal })),
    Layer.provide(Lease.layer({ journal, pid }))
  )
})

const journalOf = Effect.fnUntraced(function* (config: string) {
  const { journal } = yield* ConfigFile.loadSettings(config)
  const exists = yield* isThere(journal)
  return { journal, exists }
})

const existing = Effect.fnUntraced(function* (config: string) {
  const { journal, exists } = yield* journalOf(config)
  if (!exists) return yield* new CopyRefused({ message: `There is no journal at ${journal} yet.` })
  return journal
})

const verified = Effect.fnUntraced(function* (expected: string | undefined) {
  const progress = yield* Progress.make("verify")
  const shown = (events: number, of: number) => progress.update(events, of, `event ${events} of ${of}`)
  return yield* Chain.verify(expected, shown)
}, Effect.scoped)

const told = (facts: Readonly<Record<string, unknown>>, text: string) => ({ data: () => facts, lines: () => [text] })

interface Named {
  /** The configuration that names the journal. */
  readonly config: string
}

export const verify = Effect.fn("JournalFile.verify")(function* ({
  config,
  head
}: Named & { readonly head: Option.Option<string> }) {
  const journal = yield* existing(config)
  const { events, head: newest } = yield* Effect.provide(verified(Option.getOrUndefined(head)), reading(journal))
  const mistake = yield* Effect.provide(Head.mistakeBy(Head.beside(Lease.fileOf(journal))), reading(journal))
  if (mistake !== undefined) return yield* new Chain.ChainBroken({ sequence: mistake.newest + 1, text: mistake.text })
  return told({ journal, events, head: newest }, `${journal}: ${events} events, none changed. Head ${newest}`)
})

const sizeOf = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  return Number((yield* fileSystem.stat(file)).size)
})

export const compact = Effect.fn("JournalFile.compact")(function* ({ config }: Named) {
  const journal = yield* existing(config)
  const before = yield* sizeOf(journal)
  const { events, head } = yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const present = yield* verified(undefined)
    yield* Bookkeeper.renewSnapshot
    yield* StoredProfit.renewSnapshot
    yield* StoredBooks.renewSnapshot
    yield* sql`VACUUM`
    yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
    return yield* verified(present.head)
  }).pipe(Effect.provide(yield* writing(journal)))
  const after = yield* sizeOf(journal)
  const text = `${journal}: ${before} bytes before, ${after} after; ${events} events, all kept. Head ${head}`
  return told({ journal, events, head, bytesBefore: before, bytesAfter: after }, text)
}, Effect.scoped)

/** A complete copy, even while the bot writes; only its owner can read the file. */
const copyTo = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  const sql = yield* SqlClient.SqlClient
  yield* fileSystem
    .writeFile(file, new Uint8Array(), { flag: "wx", mode: 0o600 })
    .pipe(
      Effect.mapError(() => new CopyRefused({ message: `Cannot create ${file}: it exists, or its folder does not.` }))
    )
  yield* sql`VACUUM INTO ${file}`
})

export const backup = Effect.fn("JournalFile.backup")(function* ({
  out,
  config,
  move
}: Named & { readonly out: string; readonly move: boolean }) {
  const journal = yield* existing(config)
  if (move) {
    // Closed before it is copied, so there is no moment in which both could continue.
    const close = Effect.flatMap(Journal, ({ append }) => append([{ _tag: "JournalMoved", to: out }]))
    yield* Effect.andThen(close, copyTo(out)).pipe(Effect.provide(yield* writing(journal)))
  } else yield* Effect.provide(copyTo(out), reading(journal))
  const { events, head } = yield* Effect.provide(verified(undefined), reading(out))
  const next = move ? ` This journal is closed; take the copy up with: limitbot journal restore ${out}` : ""
  return told({ file: out, events, head, moved: move }, `${out}: ${events} events. Head ${head}.${next}`)
}, Effect.scoped)

export const restore = Effect.fn("JournalFile.restore")(function* ({
  from,
  config
}: Named & { readonly from: string }) {
  const { journal, exists } = yield* journalOf(config)
  if (exists) {
    const message = `${journal} exists. Move it away first (with its -wal, -shm and .head files), so that nothing is lost.`
    return yield* new CopyRefused({ message })
  }
  const { events, head } = yield* Effect.provide(verified(undefined), reading(from))
  yield* Effect.provide(copyTo(journal), reading(from))
  yield* Head.beside(Lease.fileOf(journal)).keep({ sequence: events, hash: head })
  const state = yield* Effect.flatMap(Journal, ({ append }) =>
    Effect.andThen(append([{ _tag: "JournalRestored", events, head }]), Bookkeeper.replay)
  ).pipe(Effect.provide(yield* writing(journal)))
  const text = `${journal}: restored from ${from}, ${events} events, ${state.placements.size} placements that are not settled. Start the bot: it asks the venue what happened since.`
  return told({ journal, events, head }, text)
}, Effect.scoped)
