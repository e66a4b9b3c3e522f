/** Values open positions at the running bot's prices, so that all surfaces agree; without a bot, at the newest stored minute. */
import { Effect } from "effect"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { mid } from "../../domain/Market.ts"
import { PriceStore } from "../../journal/PriceStore.ts"
import type { TradingRecord } from "../../ledger/Trades.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import { pricesIn } from "../../views/Prices.ts"

type Prices = TradingRecord["lastPrices"]

const patienceMillis = 2_000

/** Empty if no bot answers. */
const seenByBot = Effect.fnUntraced(
  function* (journal: string) {
    const { prices } = yield* RunningBot.ask(journal, (api) => api.look.status(), "viewer", patienceMillis)
    return new Map([...pricesIn(prices)].map(([market, price]) => [market, { price: mid(price), at: price.at }]))
  },
  Effect.orElseSucceed((): Prices => new Map())
)

export const newestPrices = Effect.fn("newestPrices")(function* (
  known: Prices,
  { journal, now }: { readonly journal: string; readonly now: number }
) {
  const botPrices = yield* seenByBot(journal)
  const unseen = new Map([...known].filter(([market]) => !botPrices.has(market)))
  const stored = yield* storedPrices(unseen, now)
  return new Map([...known].map(([market, price]) => [market, botPrices.get(market) ?? stored.get(market) ?? price]))
})

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
