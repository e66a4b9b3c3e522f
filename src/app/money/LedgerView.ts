/** Reads the state of a journal, the events from which the books are made, and the newest prices. */
import { Effect, Stream } from "effect"
import type { Recorded, Tag } from "../../domain/BotEvent.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { mid } from "../../domain/Market.ts"
import { Journal } from "../../journal/Journal.ts"
import { PriceStore } from "../../journal/PriceStore.ts"
import { type Mark, markBy } from "../../ledger/Profit.ts"
import type * as Trades from "../../ledger/Trades.ts"
import * as Progress from "../../process/Progress.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { pricesIn } from "../../views/Prices.ts"
import * as AccountBooks from "../../views/profit/AccountBooks.ts"
import type { LiveProfit } from "../../views/profit/LiveProfit.ts"
import * as StoredBooks from "../../views/profit/StoredBooks.ts"
import { type JournalView, withJournal } from "../journal/JournalView.ts"

export interface LedgerView extends JournalView {
  readonly books: AccountBooks.AccountBooks
  readonly trading: Trades.TradingRecord
  readonly decimals: (symbol: string) => number | undefined
  readonly mark: Mark
  readonly markedAt: LiveProfit["markedAt"]
}

export const withLedger = <A, E, R>(look: (view: LedgerView) => Effect.Effect<A, E, R>) =>
  withJournal(
    Effect.fnUntraced(function* (view) {
      const decimals = (symbol: string) => view.assets.get(symbol)?.decimals
      const books = yield* booksOf(view)
      const record = AccountBooks.ofStrategies(books, decimals)
      const lastPrices = yield* newestPrices(record.lastPrices, view)
      const trading = { ...record, lastPrices }
      const markedAt = new Map<string, number>()
      return yield* look({
        ...view,
        books,
        trading,
        decimals,
        mark: markBy(lastPrices, decimals, markedAt),
        markedAt
      })
    })
  )

/** Returns the books up to the state of the view. Continues from the stored books, unless these are newer than the view. */
export const booksOf = Effect.fnUntraced(function* (
  view: JournalView,
  stored: Effect.Effect<AccountBooks.AccountBooks, never, Journal> = StoredBooks.stored
) {
  const storedBooks = yield* stored
  const books = storedBooks.sequence <= view.state.sequence ? storedBooks : AccountBooks.make()
  yield* readAlong(view, AccountBooks.tags, (page) => AccountBooks.see(books, page), books.sequence)
  return books
})

/** Passes events to `see`, up to the state of the view: a running bot may have written more since. */
export const readAlong = Effect.fnUntraced(function* (
  { state }: JournalView,
  tags: ReadonlyArray<Tag>,
  see: (page: ReadonlyArray<Recorded>) => void,
  after = 0
) {
  const journal = yield* Journal
  const { sequence: last } = state
  const progress = yield* Progress.make("journal")
  yield* journal.events({ after, tags }).pipe(
    Stream.takeWhile(({ sequence }) => sequence <= last),
    Stream.runForEachArray((page) =>
      Effect.sync(() => {
        see(page)
        progress.update(page.at(-1)?.sequence ?? 0, last, `event ${page.at(-1)?.sequence ?? 0} of ${last}`)
      })
    )
  )
}, Effect.scoped)

/** Returns the running bot's prices, so that all surfaces agree; without a bot, those of the newest stored minutes. */
export const newestPrices = Effect.fn("newestPrices")(function* (
  known: Trades.TradingRecord["lastPrices"],
  { journal, now }: Pick<JournalView, "journal" | "now">
) {
  const status = yield* RunningBot.statusOf(journal, 2_000)
  const botPrices = pricesIn(status?.prices ?? [])
  const store = yield* PriceStore
  const newest = yield* Effect.forEach(known, ([market, price]) => {
    const botPrice = botPrices.get(market)
    if (botPrice !== undefined) return Effect.succeed([market, { price: mid(botPrice), at: botPrice.at }] as const)
    return Effect.map(store.newest(market), (last) =>
      last === undefined || last.openedAt < price.at
        ? ([market, price] as const)
        : ([
            market,
            { price: Decimal.fromNumber(last.close), at: Math.min(now, last.openedAt + minuteMillis) }
          ] as const)
    )
  })
  return new Map(newest)
})
