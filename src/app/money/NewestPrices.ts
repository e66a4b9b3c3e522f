/**
 * What open positions are worth now: by the price that the running bot sees, so that every surface says the same of one
 * journal; without a bot that answers, by the newest price that it stored, which is that of its last minute. A position
 * would otherwise stay valued at the price of the last decision or fill, however old.
 */
import { Effect } from "effect"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { mid } from "../../domain/Market.ts"
import { PriceStore } from "../../journal/PriceStore.ts"
import type { TradingRecord } from "../../ledger/Trades.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { pricesIn } from "../../views/Prices.ts"

type Prices = TradingRecord["lastPrices"]

/** A bot that is busy for longer is not waited for. */
const patienceMillis = 2_000

/** None, where no bot answers. */
const seenByBot = Effect.fnUntraced(
  function* (journal: string) {
    const { prices } = yield* RunningBot.ask(journal, (api) => api.look.status(), "viewer", patienceMillis)
    return new Map([...pricesIn(prices)].map(([market, price]) => [market, { price: mid(price), at: price.at }]))
  },
  Effect.orElseSucceed((): Prices => new Map())
)

/** `known` with what was seen later. */
export const newestPrices = Effect.fn("newestPrices")(function* (
  known: Prices,
  { journal, now }: { readonly journal: string; readonly now: number }
) {
  const seen = yield* seenByBot(journal)
  const unseen = new Map([...known].filter(([market]) => !seen.has(market)))
  const stored = yield* storedPrices(unseen, now)
  return new Map([...known].map(([market, price]) => [market, seen.get(market) ?? stored.get(market) ?? price]))
})

/** `known` with the stored minutes that began later. */
const storedPrices = Effect.fnUntraced(function* (known: Prices, now: number) {
  const store = yield* PriceStore
  const newest = yield* Effect.forEach(known, ([market, price]) =>
    Effect.map(store.newest(market), (last) =>
      last === undefined || last.openedAt < price.at
        ? ([market, price] as const)
        : ([
            market,
            { price: Decimal.fromNumber(last.close), at: Math.min(now, last.openedAt + minuteMillis) }
          ] as const)
    )
  )
  return new Map(newest)
})
