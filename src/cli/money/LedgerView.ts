/** The journal read for accounts: its state, and what it says about trading, in one pass. */
import { Effect } from "effect"
import type { Recorded } from "../../domain/BotEvent.ts"
import { type Mark, markBy } from "../../ledger/Profit.ts"
import * as Trades from "../../ledger/Trades.ts"
import * as ConfigFile from "../files/ConfigFile.ts"
import { type JournalView, withJournal } from "../journal/JournalView.ts"

export interface LedgerView extends JournalView {
  readonly trading: Trades.TradingRecord
  /** Decimals of a configured asset. */
  readonly decimals: (symbol: string) => number | undefined
  readonly mark: Mark
  /** When the prices that value open positions were seen: the oldest of them. */
  readonly markedAt: number | undefined
}

/** `also` gets every event on the way. */
export const withLedger = <A, E, R>(
  configFile: string,
  look: (view: LedgerView) => Effect.Effect<A, E, R>,
  also: (entry: Recorded) => void = () => {}
) =>
  Effect.gen(function* () {
    const { markets } = yield* ConfigFile.loadSettings(configFile)
    const places = new Map(markets.assets.map(({ symbol, decimals }) => [symbol, decimals]))
    const decimals = (symbol: string) => places.get(symbol)
    const fold = Trades.make(decimals)
    return yield* withJournal(
      configFile,
      (view) => {
        const trading = fold.result()
        const seen = [...trading.lastPrices.values()].map(({ at }) => at)
        return look({
          ...view,
          trading,
          decimals,
          mark: markBy(trading.lastPrices, decimals),
          markedAt: seen.length === 0 ? undefined : Math.min(...seen)
        })
      },
      {
        until: Number.POSITIVE_INFINITY,
        seen: (entry) => {
          fold.see(entry)
          also(entry)
        }
      }
    )
  })
