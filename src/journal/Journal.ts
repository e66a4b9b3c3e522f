/**
 * The journal: an append-only list of what we did and saw, and the bot's only memory. `append` returns when
 * the events are on disk, so "journal first" is simply: append, then act.
 *
 * Invariants: sequence numbers have no gap; an event is never changed (the database refuses); a body that does not decode
 * stops the start instead of being skipped, because a skipped event is lost money.
 */
import { Array, Clock, Context, Effect, Layer, Option, Result, Schema, Semaphore, Stream } from "effect"
import { Migrator } from "effect/sql"
import { type BotEvent, type Recorded, StoredEvent } from "../domain/BotEvent.ts"
import { messageOf } from "../domain/Text.ts"
import * as EventText from "./EventText.ts"
import { hashOf, type Link } from "./Hash.ts"
import * as Head from "./Head.ts"
import * as Reserve from "./Reserve.ts"
import { type Disk, OwnerChanged, type Rows, type Which } from "./Rows.ts"
import * as SqliteRows from "./SqliteRows.ts"
import { firstThere } from "./schema/archive.ts"
import { JournalNewer, migrations, refuseNewer } from "./schema/migrations.ts"
import * as OldSwaps from "./schema/oldSwaps.ts"
import type { Snapshots } from "./snapshots/Snapshots.ts"

/** The journal cannot be read or written. Nothing may be sent any more: stop, and start again when it is mended. */
export class JournalError extends Schema.TaggedError<JournalError>()("JournalError", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

/** What could not be done, and why. */
export const broken = (message: string) => (cause: unknown) =>
  new JournalError({ message: `${message}: ${messageOf(cause)}`, cause })

/** Whether it is so because another process owns the account: then nothing at all may be done any more. */
export const isOfAnother = ({ cause }: JournalError): boolean => cause instanceof OwnerChanged

export class Journal extends Context.Service<
  Journal,
  {
    /** All or nothing, durable on return. The first may bring what a look at the files told. */
    append(events: ReadonlyArray<BotEvent>): Effect.Effect<ReadonlyArray<Recorded>, JournalError>
    /** Oldest first, read page by page as they are asked for. */
    events(which?: Which): Stream.Stream<Recorded, JournalError>
    /** Newest first, read in the same way: what only the last events can answer costs no more in a long journal. */
    readonly newestFirst: Stream.Stream<Recorded, JournalError>
    /** What folds had come to: a start reads only what follows. */
    readonly snapshots: Snapshots
    readonly disk: Disk
  }
>()("limitbot/journal/Journal") {
  /** A journal in SQLite to write: creates or migrates the tables. */
  static readonly layer = Journal.layerWith(Reserve.none)

  /** The same with room for the time when the disk is full, and with what says outside it how far it had come. */
  static layerWith(reserve: Reserve.Reserve, outside: Head.Head = Head.none) {
    return Layer.effect(
      Journal,
      Effect.gen(function* () {
        yield* refused
        yield* Effect.mapError(refuseNewer, broken("Cannot write the journal"))
        yield* Migrator.make({})({ loader: migrations }).pipe(Effect.mapError(broken("Cannot prepare the journal")))
        return yield* inSqlite(reserve, outside)
      })
    )
  }

  /** A journal that somebody else may be writing, for reading only. */
  static readonly layerReadOnly = Layer.effect(
    Journal,
    Effect.suspend(() => Effect.andThen(refused, inSqlite(Reserve.none, Head.none)))
  )
}

const refused = Effect.mapError(OldSwaps.refuse, broken("Cannot read the journal"))

/**
 * What the head outside tells of a journal that was put back from a copy. It is recorded with the next event, whoever writes it: that
 * one moves the head, and nobody would know any more.
 */
const cutBy = Effect.fnUntraced(function* (outside: Head.Head) {
  const mistake = yield* Effect.mapError(Head.mistakeBy(outside), broken("Cannot read the journal"))
  if (mistake?.newest === 0) return yield* new JournalError({ message: emptied(mistake.text), cause: "empty" })
  return mistake && ({ _tag: "JournalCut", text: mistake.text } as const)
})

const emptied = (text: string): string =>
  `The journal is empty: ${text}. A bot that began anew would pay again for what already rests. Put it back (limitbot journal restore), or move what is left of it away with its -wal, -shm and .head files and rebuild it (limitbot recover)`

const unarchived = (first: number): string =>
  `Events 1 to ${first - 1} of the journal were archived, and the file beside it that ends in .archive is not there: put it back`

const inSqlite = Effect.fnUntraced(function* (reserve: Reserve.Reserve, outside: Head.Head) {
  const first = yield* Effect.mapError(firstThere, broken("Cannot read the journal"))
  if (first > 1) return yield* new JournalError({ message: unarchived(first), cause: "archive" })
  const rows = yield* SqliteRows.make(reserve)
  return yield* over(rows, { cut: yield* cutBy(outside), keep: outside.keep })
})

const EventJson = Schema.fromJsonString(StoredEvent)
const encode = Schema.encodeEffect(EventJson)

/** Rows read at a time: some are decisions with many slots. */
const pageSize = 1_000

/** In one step: an effect for each of a million rows would cost more than reading them. */
const decodeRows = Effect.fnUntraced(function* (rows: ReadonlyArray<Link>) {
  const events: Array<Recorded> = []
  for (const { at, body, sequence } of rows) {
    const decoded = EventText.decode(body)
    if (Result.isFailure(decoded)) {
      const kind = EventText.unknownKind(body)
      const cause = kind === undefined ? decoded.failure : new JournalNewer({ what: `it is of the kind ${kind}` })
      return yield* Effect.fail(broken(`Event ${sequence} of the journal does not decode`)(cause))
    }
    events.push({ sequence, at, event: decoded.success })
  }
  return events
})

const columns = (event: BotEvent) => ({
  strategy: "strategy" in event ? event.strategy : null,
  slot: "slot" in event ? event.slot : null,
  placement: "placement" in event ? event.placement : null,
  order_id: "orderId" in event ? event.orderId : null,
  correlation_id: "correlationId" in event ? (event.correlationId ?? null) : null
})

interface Outside extends Pick<Head.Head, "keep"> {
  /** Goes before the first event that is appended. */
  readonly cut: BotEvent | undefined
}

/** A journal whose rows are kept there. */
export const over = Effect.fnUntraced(function* (rows: Rows, outside: Outside = { ...Head.none, cut: undefined }) {
  const reading = Effect.mapError(broken("Cannot read the journal"))
  let last = yield* reading(rows.newest)
  let { cut } = outside
  /** Hash of the newest event, once something was written. */
  let head: string | undefined
  /** Sequence numbers are given under it: two fibers may append at the same time. */
  const writing = yield* Semaphore.make(1)

  const append = Effect.fn("Journal.append")(
    function* (added: ReadonlyArray<BotEvent>) {
      if (!Array.isReadonlyArrayNonEmpty(added)) return []
      const events = cut === undefined ? added : Array.prepend(added, cut)
      const at = yield* Clock.currentTimeMillis
      const recorded = Array.map(events, (event, index): Recorded => ({ sequence: last + 1 + index, at, event }))
      const previous = head ?? (yield* rows.newestHash)
      let hash = previous
      const written = yield* Effect.forEach(recorded, ({ sequence, event }) =>
        Effect.map(encode(event), (body) => {
          hash = hashOf(hash, { sequence, at, body })
          return { sequence, at, event: event._tag, ...columns(event), body, hash }
        })
      )
      yield* rows.write(written, previous)
      last += events.length
      head = hash
      cut = undefined
      yield* outside.keep({ sequence: last, hash })
      return recorded
    },
    Effect.mapError(broken("Cannot write the journal")),
    writing.withPermit
  )

  const page = Effect.fn("Journal.page")(function* (after: number, which: Which) {
    return pageOf(yield* decodeRows(yield* rows.after(after, which, pageSize)))
  }, reading)
  const events = ({ after = 0, ...which }: Which = {}) => Stream.paginate(after, (last) => page(last, which))

  const pageBefore = Effect.fn("Journal.pageBefore")(function* (before: number) {
    return pageOf(yield* decodeRows(yield* rows.before(before, pageSize)))
  }, reading)
  const newestFirst = Stream.paginate(Number.MAX_SAFE_INTEGER, pageBefore)

  return Journal.of({ append, events, newestFirst, snapshots: rows.snapshots, disk: rows.disk })
})

/** Events, and where the next page begins if there is one. */
const pageOf = (events: ReadonlyArray<Recorded>) => {
  const last = events.length < pageSize ? undefined : events.at(-1)
  return [events, Option.map(Option.fromUndefinedOr(last), ({ sequence }) => sequence)] as const
}

/** Gives each page of events to `see`. The bot goes first: its fibers run between two pages. */
export const eachPage = <E, R>(
  events: Stream.Stream<Recorded, E, R>,
  see: (page: ReadonlyArray<Recorded>) => void
): Effect.Effect<void, E, R> =>
  Stream.runForEachArray(events, (page) =>
    Effect.andThen(
      Effect.sync(() => see(page)),
      Effect.yieldNow
    )
  )
