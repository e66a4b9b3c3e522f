/** The journal read for accounts: its state, and what it says of trading, in one pass. */
import { Effect } from "effect"
import { type Mark, markBy } from "../../ledger/Profit.ts"
import * as Trades from "../../ledger/Trades.ts"
import { type View, withJournal } from "../journal/JournalView.ts"

export interface LedgerView extends View {
  readonly trading: Trades.Trading
  readonly mark: Mark
  /** When the oldest of the prices was seen that open positions are valued at. */
  readonly markedAt: number | undefined
}

export const withLedger = <A, E, R>(configFile: string, look: (view: LedgerView) => Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const fold = Trades.make()
    return withJournal(
      configFile,
      (view) => {
        const trading = fold.result()
        const seen = [...trading.lastPrices.values()].map(({ at }) => at)
        return look({
          ...view,
          trading,
          mark: markBy(trading.lastPrices, (symbol) => view.assets.get(symbol)?.decimals),
          markedAt: seen.length === 0 ? undefined : Math.min(...seen)
        })
      },
      { until: Number.POSITIVE_INFINITY, seen: fold.see }
    )
  })
