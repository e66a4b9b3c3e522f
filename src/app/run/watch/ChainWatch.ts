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
  const note = ({ sequence: number, text }: Chain.ChainBroken) => books.record({ _tag: "JournalBroken", number, text })
  const reading = Sqlite.layer({ filename: journal, readOnly: true })
  yield* Chain.verifyTail.pipe(Effect.asVoid, Effect.catchTag("ChainBroken", note), Effect.provide(reading))
  const whole = Chain.verify().pipe(Effect.asVoid, Effect.catchTag("ChainBroken", note), Effect.provide(reading))
  return Effect.suspend(() => (books.state.broken === undefined ? whole : Effect.void))
})
