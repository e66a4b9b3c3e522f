/**
 * Isolates exceptions. An exception is a mistake of this program and stops only its own step. A step is the plan of a strategy, the work on
 * an order, one report of the venue, or at worst a turn. Everything else continues, cancels above all. Each exception is reported once; the
 * step is tried again whenever it is due.
 *
 * Only computations may fail like this. A journal that cannot be written, or that does not fit the state in memory, is a failure
 * (`JournalError`) and stops the bot.
 */
import { Effect } from "effect"
import { messageOf } from "../domain/Text.ts"
import type { JournalError } from "../journal/Journal.ts"
import { Bookkeeper } from "./state/Bookkeeper.ts"
import * as PlacementNotes from "./state/process/PlacementNotes.ts"

export const isolate = Effect.fnUntraced(function* (doing: string) {
  const books = yield* Bookkeeper
  const defectNotes = PlacementNotes.make<true>(books.state)
  return <E, R>(about: string, step: Effect.Effect<unknown, E, R>): Effect.Effect<void, E | JournalError, R> =>
    Effect.catchDefect(Effect.asVoid(step), (mistake) => {
      if (defectNotes.get(about) !== undefined) return Effect.void
      defectNotes.set(about, true)
      const placement = books.state.placements.get(about)
      const which = placement === undefined ? about : `${about} of ${placement.strategy}/${placement.slot}`
      return books.record({ _tag: "LoopFailed", what: `${doing} ${which}`, reason: messageOf(mistake) })
    })
})
