/**
 * The journal: an append-only list of what the bot did and saw, and its only memory. `append` returns when the events are on disk, so an
 * action that follows `append` is always recorded.
 *
 * Sequence numbers have no gap. An event is never changed, because the database refuses. A body that does not decode stops the start,
 * because a skipped event is lost money.
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
import { firstThere, isContinued } from "./schema/archive.ts"
import { JournalNewer, migrations, refuseNewer, refuseOldSwaps } from "./schema/migrations.ts"
import type { Snapshots } from "./snapshots/Snapshots.ts"

/** The journal cannot be read or written. The bot must send nothing more: stop it, and restart it after the repair. */
export class JournalError extends Schema.TaggedError<JournalError>()("JournalError", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

export const broken = (message: string) => (cause: unknown) =>
  new JournalError({ message: `${message}: ${messageOf(cause)}`, cause })

/** True if the error means that another process owns the account. This process must then stop all work. */
export const isOfAnother = ({ cause }: JournalError): boolean => cause instanceof OwnerChanged

export class Journal extends Context.Service<
  Journal,
  {
    /** Appends all events or none; durable on return. The first one may be preceded by the loss that the journal's files revealed. */
    append(events: ReadonlyArray<BotEvent>): Effect.Effect<ReadonlyArray<Recorded>, JournalError>
    events(which?: Which): Stream.Stream<Recorded, JournalError>
    /** Newest first, read page by page. A question about the last events therefore costs no more in a long journal. */
    readonly newestFirst: Stream.Stream<Recorded, JournalError>
    readonly snapshots: Snapshots
    readonly disk: Disk
  }
>()("limitbot/journal/Journal") {
  static readonly layer = Journal.layerWith(Reserve.none)

  /** Adds a reserve for the time when the disk is full, and an outside head that records the journal's progress. */
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

  static readonly layerReadOnly = Layer.effect(
    Journal,
    Effect.suspend(() => Effect.andThen(refused, inSqlite(Reserve.none, Head.none)))
  )
}

const otherArchive =
  "The .archive file beside the journal is not its older part. Put back the two files that belong together (limitbot journal restore); for a new journal, move the .archive file away as well"

const refused = Effect.gen(function* () {
  const isWhole = yield* Effect.mapError(isContinued, broken("Cannot read the journal"))
  if (!isWhole) return yield* new JournalError({ message: otherArchive, cause: "archive" })
  yield* Effect.mapError(refuseOldSwaps, broken("Cannot read the journal"))
})

/** The loss that the outside head shows. It is recorded with the next event, because that event moves the head and hides the loss. */
const cutBy = Effect.fnUntraced(function* (outside: Head.Head) {
  const mistake = yield* Effect.mapError(Head.mistakeBy(outside), broken("Cannot read the journal"))
  if (mistake?.newest === 0) return yield* new JournalError({ message: emptied(mistake.text), cause: "empty" })
  return mistake && ({ _tag: "JournalCut", text: mistake.text } as const)
})

const emptied = (text: string): string =>
  `The journal is empty: ${text}. A bot that starts from it would pay again for open orders. Restore it (limitbot journal restore), or move it away with its -wal, -shm, .head and .archive files and rebuild it (limitbot journal recover)`

const unarchived = (first: number): string =>
  `Events 1 to ${first - 1} of the journal were archived, but the .archive file beside it is missing: put it back`

const inSqlite = Effect.fnUntraced(function* (reserve: Reserve.Reserve, outside: Head.Head) {
  const first = yield* Effect.mapError(firstThere, broken("Cannot read the journal"))
  if (first > 1) return yield* new JournalError({ message: unarchived(first), cause: "archive" })
  const rows = yield* SqliteRows.make(reserve)
  return yield* over(rows, { cut: yield* cutBy(outside), keep: outside.keep })
})

const EventJson = Schema.fromJsonString(StoredEvent)
const encode = Schema.encodeEffect(EventJson)

const pageSize = 1_000

/** Decodes all rows in one effect, because an effect for each of a million rows would cost more than reading them. */
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

type Outside = Pick<Head.Head, "keep"> & { readonly cut: BotEvent | undefined }

export const over = Effect.fnUntraced(function* (rows: Rows, outside: Outside = { ...Head.none, cut: undefined }) {
  const reading = Effect.mapError(broken("Cannot read the journal"))
  let last = yield* reading(rows.newest)
  let { cut } = outside
  let head: string | undefined
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

const pageOf = (events: ReadonlyArray<Recorded>) => {
  const last = events.length < pageSize ? undefined : events.at(-1)
  return [events, Option.map(Option.fromUndefinedOr(last), ({ sequence }) => sequence)] as const
}

/** Passes each page of rows to `see`. Yields between two pages, so that the bot's fibers run first. */
export const eachPage = <A, E, R>(rows: Stream.Stream<A, E, R>, see: (page: ReadonlyArray<A>) => void) =>
  Stream.runForEachArray(rows, (page) =>
    Effect.andThen(
      Effect.sync(() => see(page)),
      Effect.yieldNow
    )
  )
