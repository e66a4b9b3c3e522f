/**
 * Verifies the journal that a bot continues: its end before the bot acts on it, the rest while it runs. After a change nothing is paid.
 * Orders are still followed and cancelled, because the operator needs that while investigating.
 */
import { Effect } from "effect"
import { Bookkeeper } from "../../../engine/state/Bookkeeper.ts"
import * as Chain from "../../../journal/Chain.ts"
import * as Sqlite from "../../../journal/Sqlite.ts"

export const begin = Effect.fn("ChainWatch.begin")(function* (journal: string) {
  const books = yield* Bookkeeper
  const note = ({ sequence: number, text }: Chain.ChainBroken) => books.record({ _tag: "JournalBroken", number, text })
  const reading = Sqlite.layer({ filename: journal, readOnly: true })
  yield* Chain.verifyTail.pipe(Effect.asVoid, Effect.catchTag("ChainBroken", note), Effect.provide(reading))
  const whole = Chain.verify().pipe(Effect.asVoid, Effect.catchTag("ChainBroken", note), Effect.provide(reading))
  return Effect.suspend(() => (books.state.broken === undefined ? whole : Effect.void))
})
