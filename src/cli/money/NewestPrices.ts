/**
 * What open positions are worth now: by the newest price that the bot stored, which is that of its last minute while it
 * decided nothing. Without it a position would stay valued at the price of the last decision or fill, however old.
 */
import { Effect } from "effect"
import * as Decimal from "../../domain/Decimal.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import { PriceStore } from "../../journal/PriceStore.ts"
import type { TradingRecord } from "../../ledger/Trades.ts"

/** `known` with the stored minutes that began later. A journal of an older version has no prices. */
export const newestPrices = Effect.fn("newestPrices")(function* (known: TradingRecord["lastPrices"], now: number) {
  const store = yield* PriceStore
  const newest = yield* Effect.forEach(known, ([market, price]) =>
    store.newest(market).pipe(
      Effect.orElseSucceed(() => undefined),
      Effect.map((last) =>
        last === undefined || last.openedAt < price.at
          ? ([market, price] as const)
          : ([
              market,
              { price: Decimal.fromNumber(last.close), at: Math.min(now, last.openedAt + minuteMillis) }
            ] as const)
      )
    )
  )
  return new Map(newest)
})
