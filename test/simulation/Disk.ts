/** The disk of a simulated bot: it may be full, and what is written to it is seen. */
import { Effect } from "effect"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import { type Journal, JournalError } from "../../src/journal/Journal.ts"

interface Watcher {
  readonly isFull: () => boolean
  readonly refused: () => void
  /** It is on disk now. */
  readonly written: (event: BotEvent) => void
}

export const watched =
  ({ isFull, refused, written }: Watcher) =>
  (journal: Journal["Service"]): Journal["Service"] => ({
    ...journal,
    append: (rows: ReadonlyArray<BotEvent>) =>
      Effect.suspend(() => {
        if (isFull()) {
          refused()
          return Effect.fail(new JournalError({ message: "Cannot write the journal: disk full", cause: "full" }))
        }
        return Effect.tap(journal.append(rows), (recorded) =>
          Effect.sync(() => {
            for (const { event } of recorded) written(event)
          })
        )
      })
  })
