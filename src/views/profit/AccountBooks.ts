/** Folds an account's journal: trades, also manual swaps, and the money at each day's end. The lists in `grown` are stored in parts. */
import type { Recorded } from "../../domain/BotEvent.ts"
import { movingTags } from "../../domain/Ledger.ts"
import * as MoneyOverTime from "../../ledger/MoneyOverTime.ts"
import * as Trades from "../../ledger/Trades.ts"
import * as ByHand from "../../ledger/tables/ByHand.ts"

export interface AccountBooks {
  sequence: number
  readonly trading: Trades.TradesBooks
  readonly overTime: MoneyOverTime.DayBooks
}

export const make = (): AccountBooks => ({
  sequence: 0,
  trading: Trades.emptyBooks(),
  overTime: MoneyOverTime.emptyBooks()
})

export const { tags } = Trades

const moving: ReadonlySet<string> = new Set(movingTags)

export const see = (books: AccountBooks, entries: ReadonlyArray<Recorded>): void => {
  const trades = Trades.make(() => undefined, books.trading, true)
  for (const entry of entries) {
    trades.see(entry)
    if (moving.has(entry.event._tag)) MoneyOverTime.see(books.overTime, entry)
    books.sequence = entry.sequence
  }
}

export const ofAccount = (
  { trading }: AccountBooks,
  decimals: (symbol: string) => number | undefined
): Trades.TradingRecord => ByHand.directed(Trades.recordOf(trading, decimals))

export const ofStrategies = (
  { trading }: Pick<AccountBooks, "trading">,
  decimals: (symbol: string) => number | undefined
): Trades.TradingRecord => Trades.withoutByHand(Trades.recordOf(trading, decimals))

export const grown = ["trades", "losses", "fees", "rounds", "lives"] as const satisfies ReadonlyArray<
  keyof Trades.Grown
>
