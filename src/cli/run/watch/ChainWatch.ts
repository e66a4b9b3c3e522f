/**
 * Whether the journal that a bot continues is what was written to it, as `journal verify` says: its end before anything is done
 * on its word, the rest while the bot runs. On books that were changed nothing is paid, and orders are still followed and
 * withdrawn: that is what somebody needs who comes to look.
 */
import { Effect } from "effect"
import { Bookkeeper } from "../../../engine/state/Bookkeeper.ts"
import * as Chain from "../../../journal/Chain.ts"
import * as Sqlite from "../../../journal/Sqlite.ts"

/** Verifies the end; gives what verifies the rest. */
export const begin = Effect.fn("ChainWatch.begin")(function* (journal: string) {
  const books = yield* Bookkeeper
  const told = <A, E, R>(verified: Effect.Effect<A, E | Chain.ChainBroken, R>) =>
    verified.pipe(
      Effect.asVoid,
      Effect.catchIf(isBroken, ({ sequence: event, text }) => books.record({ _tag: "JournalBroken", event, text }))
    )
  const reading = Sqlite.layer({ filename: journal, readOnly: true })
  yield* Effect.provide(told(Chain.verifyTail), reading)
  const rest = Effect.suspend(() => (books.state.broken === undefined ? told(Chain.verify()) : Effect.void))
  return Effect.provide(rest, reading)
})

const isBroken = (error: unknown): error is Chain.ChainBroken => error instanceof Chain.ChainBroken
