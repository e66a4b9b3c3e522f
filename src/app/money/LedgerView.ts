/** The journal read for accounts: its state, and the events that accounts are made of. */
import { Effect, Stream } from "effect"
import type { Recorded, Tag } from "../../domain/BotEvent.ts"
import { Journal } from "../../journal/Journal.ts"
import { type Mark, markBy } from "../../ledger/Profit.ts"
import * as Trades from "../../ledger/Trades.ts"
import { oldest } from "../../views/profit/LiveProfit.ts"
import { type JournalView, withJournal } from "../journal/JournalView.ts"
import * as Progress from "../process/Progress.ts"
import { newestPrices } from "./NewestPrices.ts"

export interface LedgerView extends JournalView {
  readonly trading: Trades.TradingRecord
  /** Decimals of a configured asset. */
  readonly decimals: (symbol: string) => number | undefined
  readonly mark: Mark
  /** When the prices that value open positions were seen: the oldest of them. */
  readonly markedAt: number | undefined
}

export const withLedger = <A, E, R>(configFile: string, look: (view: LedgerView) => Effect.Effect<A, E, R>) =>
  withJournal(
    configFile,
    Effect.fnUntraced(function* (view) {
      const decimals = (symbol: string) => view.assets.get(symbol)?.decimals
      const fold = Trades.make(decimals)
      yield* readAlong(view, Trades.tags, fold.see)
      const record = fold.result()
      const lastPrices = yield* newestPrices(record.lastPrices, view)
      const trading = { ...record, lastPrices }
      return yield* look({
        ...view,
        trading,
        decimals,
        mark: markBy(lastPrices, decimals),
        markedAt: oldest(lastPrices)
      })
    })
  )

/** Gives all events of these kinds that are in the state of the view: a running bot may have written more since. */
export const readAlong = Effect.fnUntraced(function* (
  { state }: JournalView,
  tags: ReadonlyArray<Tag>,
  see: (entry: Recorded) => void
) {
  const journal = yield* Journal
  const { sequence: last } = state
  const progress = yield* Progress.make("journal")
  yield* journal.events({ tags }).pipe(
    Stream.takeWhile(({ sequence }) => sequence <= last),
    Stream.runForEachArray((page) =>
      Effect.sync(() => {
        page.forEach(see)
        progress.update(page.at(-1)?.sequence ?? 0, last, `event ${page.at(-1)?.sequence ?? 0} of ${last}`)
      })
    )
  )
}, Effect.scoped)
