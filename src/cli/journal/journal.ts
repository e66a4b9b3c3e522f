/** `limitbot journal …`: check it, make it smaller, copy it while the bot runs, take over a copy. */
import { Effect, FileSystem, Layer, Option, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { SqlClient } from "effect/sql"
import { isThere } from "../../app/journal/JournalView.ts"
import * as Answer from "../../app/process/Answer.ts"
import { Process } from "../../app/process/Process.ts"
import * as Progress from "../../app/process/Progress.ts"
import * as Bookkeeper from "../../engine/state/Bookkeeper.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as Chain from "../../journal/Chain.ts"
import * as Head from "../../journal/Head.ts"
import { Journal } from "../../journal/Journal.ts"
import * as Lease from "../../journal/Lease.ts"
import * as Reserve from "../../journal/Reserve.ts"
import * as Sqlite from "../../journal/Sqlite.ts"
import * as StoredProfit from "../../views/profit/StoredProfit.ts"
import * as FileName from "../FileName.ts"
import * as flags from "../flags.ts"

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

const verify = Command.make(
  "verify",
  {
    config: flags.config,
    head: flags.text("head", "A hash that this journal had: says whether it still goes back to it"),
    json: flags.json
  },
  Effect.fn(function* ({ config, head }) {
    const journal = yield* existing(config)
    const { events, head: newest } = yield* Effect.provide(verified(Option.getOrUndefined(head)), reading(journal))
    const mistake = yield* Effect.provide(Head.mistakeBy(Head.beside(Lease.fileOf(journal))), reading(journal))
    if (mistake !== undefined) return yield* new Chain.ChainBroken({ sequence: mistake.newest + 1, text: mistake.text })
    return told({ journal, events, head: newest }, `${journal}: ${events} events, none changed. Head ${newest}`)
  }, Answer.print)
).pipe(Command.withDescription("Check that no event was changed, removed or put in between"))

const sizeOf = Effect.fnUntraced(function* (file: string) {
  const fileSystem = yield* FileSystem.FileSystem
  return Number((yield* fileSystem.stat(file)).size)
})

const compact = Command.make(
  "compact",
  { config: flags.config, json: flags.json },
  Effect.fn(
    function* ({ config }) {
      const journal = yield* existing(config)
      const before = yield* sizeOf(journal)
      const { events, head } = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const present = yield* verified(undefined)
        yield* Bookkeeper.renewSnapshot
        yield* StoredProfit.renewSnapshot
        yield* sql`VACUUM`
        yield* sql`PRAGMA wal_checkpoint(TRUNCATE)`
        return yield* verified(present.head)
      }).pipe(Effect.provide(yield* writing(journal)))
      const after = yield* sizeOf(journal)
      const text = `${journal}: ${before} bytes before, ${after} after; ${events} events, all kept. Head ${head}`
      return told({ journal, events, head, bytesBefore: before, bytesAfter: after }, text)
    },
    Answer.print,
    Effect.scoped
  )
).pipe(
  Command.withDescription(
    "Give back unused space of the file, and keep what its events come to for a fast start; events and chain stay. The bot must not run"
  )
)

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

const backup = Command.make(
  "backup",
  {
    out: FileName.argument("file").pipe(Argument.withDescription("The copy; must not exist yet")),
    config: flags.config,
    move: flags.toggle("move", "The bot goes on elsewhere: this journal is closed for good. The bot must not run"),
    json: flags.json
  },
  Effect.fn(
    function* ({ out, config, move }) {
      const journal = yield* existing(config)
      if (move) {
        // Closed before it is copied, so there is no moment in which both could continue.
        const close = Effect.flatMap(Journal, ({ append }) => append([{ _tag: "JournalMoved", to: out }]))
        yield* Effect.andThen(close, copyTo(out)).pipe(Effect.provide(yield* writing(journal)))
      } else yield* Effect.provide(copyTo(out), reading(journal))
      const { events, head } = yield* Effect.provide(verified(undefined), reading(out))
      const next = move ? ` This journal is closed; take the copy up with: limitbot journal restore ${out}` : ""
      return told({ file: out, events, head, moved: move }, `${out}: ${events} events. Head ${head}.${next}`)
    },
    Answer.print,
    Effect.scoped
  )
).pipe(Command.withDescription("Copy the journal, even while the bot runs; --move hands it over to another machine"))

const restore = Command.make(
  "restore",
  {
    from: FileName.argument("file").pipe(Argument.withDescription("A copy that `journal backup` made")),
    config: flags.config,
    json: flags.json
  },
  Effect.fn(
    function* ({ from, config }) {
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
    },
    Answer.print,
    Effect.scoped
  )
).pipe(Command.withDescription("Take up a copy as the journal of this configuration, after verifying it"))

export const command = Command.make("journal").pipe(
  Command.withDescription("Verify, compact, back up and restore the journal"),
  Command.withSubcommands([verify, compact, backup, restore])
)
