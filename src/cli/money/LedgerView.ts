/** The journal read for accounts: its state, and what it says of trading, in one pass. */
import { Effect } from "effect"
import * as Entries from "../../ledger/Entries.ts"
import { type Mark, markBy } from "../../ledger/Profit.ts"
import * as Trades from "../../ledger/Trades.ts"
import * as ConfigFile from "../files/ConfigFile.ts"
import { type JournalView, withJournal } from "../journal/JournalView.ts"

export interface LedgerView extends JournalView {
  readonly trading: Trades.TradingRecord
  readonly bookings: ReadonlyArray<Entries.Booking>
  /** Decimals of a configured asset. */
  readonly decimals: (symbol: string) => number | undefined
  readonly mark: Mark
  /** When the oldest of the prices was seen that open positions are valued at. */
  readonly markedAt: number | undefined
}

export const withLedger = <A, E, R>(configFile: string, look: (view: LedgerView) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { markets } = yield* ConfigFile.loadSettings(configFile)
    const places = new Map(markets.assets.map(({ symbol, decimals }) => [symbol, decimals]))
    const decimals = (symbol: string) => places.get(symbol)
    const fold = Trades.make(decimals)
    const entries = Entries.make()
    return yield* withJournal(
      configFile,
      (view) => {
        const trading = fold.result()
        const seen = [...trading.lastPrices.values()].map(({ at }) => at)
        return look({
          ...view,
          trading,
          bookings: entries.result(),
          decimals,
          mark: markBy(trading.lastPrices, decimals),
          markedAt: seen.length === 0 ? undefined : Math.min(...seen)
        })
      },
      {
        until: Number.POSITIVE_INFINITY,
        seen: (entry) => {
          fold.see(entry)
          entries.see(entry)
        }
      }
    )
  })
