/**
 * The one writer of the bot's memory: events go to the journal first, then into the folded state, then to whoever watches.
 * Reading the state therefore never shows anything that is not on disk.
 */
import { Context, Effect, Layer, PubSub, Schema, Semaphore, Stream } from "effect"
import type { BotEvent, Recorded } from "../../domain/BotEvent.ts"
import { Journal, type JournalError } from "../../journal/Journal.ts"
import * as BotState from "./BotState.ts"

/** The journal tells of a history that cannot have happened. */
export class JournalInconsistent extends Schema.TaggedError<JournalInconsistent>()("JournalInconsistent", {
  sequence: Schema.Int,
  cause: Schema.Defect()
}) {
  override get message(): string {
    const why = this.cause instanceof Error ? this.cause.message : String(this.cause)
    return `Event ${this.sequence} of the journal does not fit what came before: ${why}. Keep the file and start with another journal.`
  }
}

export class Bookkeeper extends Context.Service<
  Bookkeeper,
  {
    /** The present state; folded in place, so read it afresh after every `record`. */
    readonly state: BotState.BotState
    /** Durable on return. */
    record(...events: ReadonlyArray<BotEvent>): Effect.Effect<void, JournalError>
    /** The same for events that follow from the state: nothing else is recorded between the look at it and the writing. */
    recordFrom(events: (state: BotState.BotState) => ReadonlyArray<BotEvent>): Effect.Effect<void, JournalError>
    /** The same as `record`, or nothing where one of them no longer fits: other fibers record about the same placement. */
    recordIfFits(...events: ReadonlyArray<BotEvent>): Effect.Effect<void, JournalError>
    /** Events as they are recorded; a slow reader loses the oldest, the journal has them all. */
    readonly changes: PubSub.PubSub<Recorded>
  }
>()("limitbot/engine/state/Bookkeeper") {
  static readonly layer = Layer.effect(
    Bookkeeper,
    Effect.gen(function* () {
      const journal = yield* Journal
      const state = yield* replay
      const changes = yield* PubSub.sliding<Recorded>(10_000)

      // Appending and folding are one step for everybody else: fibers record at the same time.
      const writing = yield* Semaphore.make(1)

      const recordFrom = Effect.fn("Bookkeeper.record")(
        function* (events: (state: BotState.BotState) => ReadonlyArray<BotEvent>) {
          const recorded = yield* journal.append(events(state))
          for (const entry of recorded) BotState.apply(state, entry)
          yield* PubSub.publishAll(changes, recorded)
        },
        writing.withPermit,
        // On disk but not folded would be worse than a late interruption.
        Effect.uninterruptible
      )
      const record = (...events: ReadonlyArray<BotEvent>) => recordFrom(() => events)
      const recordIfFits = (...events: ReadonlyArray<BotEvent>) =>
        recordFrom((present) => (BotState.fits(present, events) ? events : []))

      return Bookkeeper.of({ state, record, recordFrom, recordIfFits, changes })
    })
  )
}

/** The state that the journal told at a moment, read page by page; `seen` gets every event that led to it. */
export const replayUntil = Effect.fn("Bookkeeper.replayUntil")(function* (
  until: number,
  seen: (entry: Recorded) => void
) {
  const journal = yield* Journal
  const state = BotState.make()
  const fold = (page: ReadonlyArray<Recorded>) =>
    Effect.try({
      try: () => {
        for (const entry of page) {
          BotState.apply(state, entry)
          seen(entry)
        }
      },
      catch: (cause) => new JournalInconsistent({ sequence: state.sequence, cause })
    })
  yield* journal.events().pipe(
    Stream.takeWhile(({ at }) => at <= until),
    Stream.runForEachArray(fold)
  )
  return state
})

/** The state that the journal tells. */
export const replay = Effect.suspend(() => replayUntil(Number.POSITIVE_INFINITY, () => {}))
