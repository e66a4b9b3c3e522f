/** The only writer of the bot's memory. Events go to the journal first, so the state never shows anything that is not on disk. */
import { deserialize, serialize } from "node:v8"
import { Clock, Context, Effect, Layer, PubSub, Schema, Semaphore, Stream } from "effect"
import type { BotEvent, Recorded } from "../../domain/BotEvent.ts"
import { messageOf } from "../../domain/Text.ts"
import { broken, isOfAnother, Journal, type JournalError } from "../../journal/Journal.ts"
import * as BotState from "./BotState.ts"
import type { Placement } from "./Placement.ts"
import * as Tries from "./process/Tries.ts"

export class JournalInconsistent extends Schema.TaggedError<JournalInconsistent>()("JournalInconsistent", {
  sequence: Schema.Int,
  cause: Schema.Defect()
}) {
  override get message(): string {
    const why = messageOf(this.cause)
    return `Event ${this.sequence} of the journal contradicts earlier events: ${why}. Keep the file and start with another journal.`
  }
}

export class Bookkeeper extends Context.Service<
  Bookkeeper,
  {
    /** Folded in place, so read it again after every `record`. */
    readonly state: BotState.BotState
    readonly tries: Tries.TriesMemory
    /** Dies if an event is impossible. */ record(...events: ReadonlyArray<BotEvent>): Effect.Effect<void, JournalError>
    /** Like `record`, for events that follow from the state: no other fiber records between the read and the write. */
    recordFrom(events: (state: BotState.BotState) => ReadonlyArray<BotEvent>): Effect.Effect<void, JournalError>
    /** Like `record`, but records nothing if an event no longer fits, because another fiber has changed the placement. */
    recordIfFits(...events: ReadonlyArray<BotEvent>): Effect.Effect<void, JournalError>
    /** Events as they are recorded. A slow reader loses the oldest; the journal has them all. */
    readonly changes: PubSub.PubSub<Recorded>
    /** True once the journal has refused a record because another process owns the account. This process must then stop acting. */
    readonly isOfAnother: () => boolean
    /** The server that keeps the journal; `undefined` for a file. */
    readonly database: string | undefined
    readonly lookAtDisk: Effect.Effect<void, JournalError>
  }
>()("limitbot/engine/state/Bookkeeper") {
  static readonly layer = Bookkeeper.layerWith({ snapshotEvery: 10_000 })

  static layerWith({ snapshotEvery }: { readonly snapshotEvery: number }) {
    return Layer.effect(
      Bookkeeper,
      Effect.suspend(() => make(snapshotEvery))
    )
  }
}

/** Records this process's view of its lock if it changed. An earlier process recorded its own view. */
export const noteLease = Effect.fnUntraced(function* (
  { record, state }: Pick<Bookkeeper["Service"], "record" | "state">,
  lost: string | undefined
) {
  if (lost === state.leaseLost) return
  yield* record(lost === undefined ? { _tag: "LeaseRegained" } : { _tag: "LeaseLost", reason: lost })
})

/** Computes the events from the placement's latest state: a cancel may have been answered since the caller read it. */
export const change = (
  { recordFrom }: Pick<Bookkeeper["Service"], "recordFrom">,
  id: string,
  events: (placement: Placement) => ReadonlyArray<BotEvent>
): Effect.Effect<void, JournalError> =>
  recordFrom(({ placements }) => {
    const placement = placements.get(id)
    return placement === undefined ? [] : events(placement)
  })

export const foldName = "state"

/** Uses Node's structured clone, which keeps maps and whole numbers of any size. */
export const snapshotOf = (state: BotState.BotState) => ({ sequence: state.sequence, body: serialize(state) })

const make = Effect.fnUntraced(function* (snapshotEvery: number) {
  const journal = yield* Journal
  const { state, snapshotAt } = yield* replayed
  // The queue takes all its memory at once: five times this capacity would add milliseconds to each start.
  const changes = yield* PubSub.sliding<Recorded>(2_048)
  let keptAt = snapshotAt
  let isLost = false

  // Fibers record at the same time, so appending and folding are one step.
  const writing = yield* Semaphore.make(1)

  const keepSnapshot = Effect.suspend(() => {
    if (state.sequence - keptAt < snapshotEvery || journal.disk.problem() !== undefined) return Effect.void
    keptAt = state.sequence
    return journal.snapshots.keep(foldName, snapshotOf(state))
  })
  yield* keepSnapshot

  /** An event that is on disk but not in memory ends the process, because only a new start reads the true state. */
  const fold = (recorded: ReadonlyArray<Recorded>) =>
    Effect.try({
      try: () => {
        for (const entry of recorded) BotState.apply(state, entry)
      },
      catch: broken(`Event ${state.sequence + 1} of the journal contradicts earlier events`)
    })

  const write = Effect.fnUntraced(function* (events: ReadonlyArray<BotEvent>) {
    if (events.length === 0) return
    const recorded = yield* Effect.tapError(journal.append(events), (error) =>
      Effect.sync(() => {
        isLost ||= isOfAnother(error)
      })
    )
    yield* fold(recorded)
    yield* PubSub.publishAll(changes, recorded)
  })

  const recordOr = Effect.fnUntraced(
    function* (
      objected: (why: string) => Effect.Effect<void>,
      events: (state: BotState.BotState) => ReadonlyArray<BotEvent>
    ) {
      const next = events(state)
      const why = BotState.objection(state, next)
      yield* why === undefined ? write(next) : objected(why)
      // A change of the disk is recorded before the caller decides what to do next.
      yield* write(diskEvents(journal.disk.problem(), state, yield* Clock.currentTimeMillis))
      yield* keepSnapshot
    },
    writing.withPermit,
    // An event on disk that is not folded would be worse than a late interruption.
    Effect.uninterruptible
  )
  const recordFrom = (events: (state: BotState.BotState) => ReadonlyArray<BotEvent>) => recordOr(impossible, events)
  const record = (...events: ReadonlyArray<BotEvent>) => recordFrom(() => events)
  const recordIfFits = (...events: ReadonlyArray<BotEvent>) =>
    recordOr(
      () => Effect.void,
      () => events
    )

  const lookAtDisk = Effect.suspend(() =>
    state.diskFull === undefined ? Effect.void : Effect.andThen(journal.disk.recover, record())
  )

  const parts = { database: journal.disk.database, state, tries: Tries.make(state), isOfAnother: () => isLost, changes }
  return Bookkeeper.of({ ...parts, lookAtDisk, record, recordFrom, recordIfFits })
})

const impossible = (why: string) => Effect.die(new Error(`not recorded, because it is impossible: ${why}`))

const diskEvents = (
  problem: string | undefined,
  { diskFull }: BotState.BotState,
  now: number
): ReadonlyArray<BotEvent> => {
  if (problem === diskFull?.reason) return []
  return problem === undefined
    ? [{ _tag: "DiskFreed", fullMillis: Math.max(0, now - (diskFull?.since ?? now)) }]
    : [{ _tag: "DiskFull", reason: problem }]
}

/** Folds page by page; the running bot's fibers go first between two pages. */
const foldInto = (
  state: BotState.BotState,
  events: Stream.Stream<Recorded, JournalError>,
  seen: (entry: Recorded) => void
) =>
  Stream.runForEachArray(events, (page) =>
    Effect.try({
      try: () => {
        for (const entry of page) {
          BotState.apply(state, entry)
          seen(entry)
        }
      },
      catch: (cause) => new JournalInconsistent({ sequence: state.sequence, cause })
    }).pipe(Effect.andThen(Effect.yieldNow))
  )

export const replayUntil = Effect.fn("Bookkeeper.replayUntil")(function* (
  until: number,
  seen: (entry: Recorded) => void
) {
  const { events } = yield* Journal
  const state = BotState.make()
  yield* foldInto(
    state,
    Stream.takeWhile(events(), ({ at }) => at <= until),
    seen
  )
  return state
})

const fromSnapshot = Effect.gen(function* () {
  const { events, snapshots } = yield* Journal
  const snapshot = yield* snapshots.newest(foldName)
  if (snapshot === undefined) return undefined
  // Only the program that wrote the bytes reads them (see `Snapshots`), so they match the input of `snapshotOf`.
  const state: BotState.BotState = deserialize(snapshot.body)
  // If the snapshot cannot be used, the whole journal is read, which reports what is wrong.
  const folded = yield* Effect.result(foldInto(state, events({ after: snapshot.sequence }), () => {}))
  return folded._tag === "Success" ? { state, snapshotAt: snapshot.sequence } : undefined
})

const replayed = Effect.gen(function* () {
  const storedState = yield* fromSnapshot
  return storedState ?? { state: yield* replayUntil(Number.POSITIVE_INFINITY, () => {}), snapshotAt: 0 }
})

export const replay = Effect.map(
  Effect.suspend(() => replayed),
  ({ state }) => state
)

export const renewSnapshot = Effect.gen(function* () {
  const { snapshots } = yield* Journal
  const state = yield* replayUntil(Number.POSITIVE_INFINITY, () => {})
  yield* snapshots.keep(foldName, snapshotOf(state))
})
