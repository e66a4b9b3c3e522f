/** Builds candles from the store of prices at a start or after a gap, and stores them as they close. */
import { Clock, Effect } from "effect"
import { minuteMillis } from "../../domain/Durations.ts"
import type { JournalError } from "../../journal/Journal.ts"
import { type Minute, PriceStore } from "../../journal/PriceStore.ts"
import { OrderBook } from "../../orderbook/OrderBook.ts"
import * as CandleFeed from "./CandleFeed.ts"

/** At least this span is read, so that the start of the running minute is known. */
const minSpanMillis = 5 * minuteMillis

export const make = Effect.gen(function* () {
  const store = yield* PriceStore
  const orderBook = yield* OrderBook
  const stored = new Map<string, Minute>()

  // A failed write costs no money: the bot continues with the candles in memory.
  const unstored = Effect.catch(({ message }: JournalError) => Effect.logDebug(message))

  const complete = Effect.fnUntraced(function* (market: string, feed: CandleFeed.CandleFeed) {
    const fresh = feed.complete(yield* Clock.currentTimeMillis)
    if (fresh.length > 0) yield* unstored(store.keep(market, fresh))
  })

  const feedOf = Effect.fnUntraced(function* (
    market: string,
    needs: ReadonlyMap<string, number>,
    now: number,
    running?: CandleFeed.RunningMinute
  ) {
    const feed = CandleFeed.make(needs, (timeframe) => store.told(market, timeframe))
    const minutes = yield* store.since(market, now - Math.max(feed.spanMillis, minSpanMillis))
    feed.restore(minutes, now, running)
    feed.adopt(yield* store.kept(market, now - feed.spanMillis))
    yield* complete(market, feed)
    const [own, last] = [yield* store.newest(market), minutes.at(-1)]
    // A minute from another source shows where the price was, but not that the bot saw it.
    if (last !== undefined && last.openedAt > (own?.openedAt ?? 0)) orderBook.remember(market, last.close, 0)
    else if (own !== undefined) orderBook.remember(market, own.close, Math.min(now, own.openedAt + minuteMillis))
    return feed
  })

  /** A new close alone does not justify a write. */
  const isStored = (market: string, { openedAt, high, low }: Minute): boolean => {
    const last = stored.get(market)
    return last?.openedAt === openedAt && last.high === high && last.low === low
  }

  /** Stores the running minute as well, so a process that dies loses none of it. */
  const keep = Effect.fnUntraced(function* (
    market: string,
    closed: ReadonlyArray<Minute>,
    running: CandleFeed.RunningMinute | undefined
  ) {
    const firstMinutes = running?.isFromBeginning === true && !isStored(market, running.minute) ? [running.minute] : []
    for (const minute of firstMinutes) stored.set(market, minute)
    for (const minute of [...closed, ...firstMinutes]) yield* unstored(store.append(market, minute))
  })

  return { complete, feedOf, keep }
})
