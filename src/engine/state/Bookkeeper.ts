/**
 * The one writer of the bot's memory: events go to the journal first, then into the folded state, then to whoever watches.
 * Reading the state therefore never shows anything that is not on disk.
 */
import { Context, Effect, Layer, PubSub, Schema } from "effect"
import type { BotEvent, Recorded } from "../../domain/BotEvent.ts"
import { Journal, type JournalError } from "../../journal/Journal.ts"
import * as BotState from "./BotState.ts"

/** Events read at a time when the journal is folded at start. */
const pageSize = 5_000

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

      const record = Effect.fn("Bookkeeper.record")(function* (...events: ReadonlyArray<BotEvent>) {
        const recorded = yield* journal.append(events)
        for (const entry of recorded) BotState.apply(state, entry)
        yield* PubSub.publishAll(changes, recorded)
        // On disk but not folded would be worse than a late interruption.
      }, Effect.uninterruptible)

      return Bookkeeper.of({ state, record, changes })
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
  let more = true
  while (more) {
    const page = yield* journal.read(state.sequence, pageSize)
    const past = page.filter(({ at }) => at <= until)
    for (const entry of past) {
      yield* Effect.try({
        try: () => BotState.apply(state, entry),
        catch: (cause) => new JournalInconsistent({ sequence: entry.sequence, cause })
      })
      seen(entry)
    }
    more = page.length === pageSize && past.length === page.length
  }
  return state
})

/** The state that the journal tells. */
export const replay = Effect.suspend(() => replayUntil(Number.POSITIVE_INFINITY, () => {}))
