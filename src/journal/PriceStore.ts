/**
 * Minute candles of the mid prices that the bot saw itself. Not events: losing one loses no money, so they live beside the
 * journal in their own table, and a repeated minute replaces itself.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { broken, type JournalError } from "./Journal.ts"

/** One minute; prices are doubles, for indicators only. */
export interface Minute {
  /** Epoch milliseconds of its beginning. */
  readonly openedAt: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

export class PriceStore extends Context.Service<
  PriceStore,
  {
    append(market: string, minute: Minute): Effect.Effect<void, JournalError>
    /** Minutes that began at or after a time, oldest first. */
    since(market: string, from: number): Effect.Effect<ReadonlyArray<Minute>, JournalError>
    newest(market: string): Effect.Effect<Minute | undefined, JournalError>
  }
>()("limitbot/journal/PriceStore") {
  static readonly layer = Layer.effect(
    PriceStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const append = Effect.fn("PriceStore.append")(function* (market: string, minute: Minute) {
        const { openedAt, open, high, low, close } = minute
        yield* sql`
          INSERT OR REPLACE INTO price_minutes ${sql.insert({ market, opened_at: openedAt, open, high, low, close })}`
      }, Effect.mapError(unusable))

      const since = Effect.fn("PriceStore.since")(function* (market: string, from: number) {
        return yield* sql<Minute>`
          SELECT opened_at AS "openedAt", open, high, low, close FROM price_minutes
          WHERE market = ${market} AND opened_at >= ${from} ORDER BY opened_at`
      }, Effect.mapError(unusable))

      const newest = Effect.fn("PriceStore.newest")(function* (market: string) {
        const [last] = yield* sql<Minute>`
          SELECT opened_at AS "openedAt", open, high, low, close FROM price_minutes
          WHERE market = ${market} ORDER BY opened_at DESC LIMIT 1`
        return last
      }, Effect.mapError(unusable))

      return PriceStore.of({ append, since, newest })
    })
  )
}

/** All minutes of these markets. */
export const minutesOf = Effect.fn("PriceStore.minutesOf")(function* (markets: Iterable<string>) {
  const store = yield* PriceStore
  const minutes = new Map<string, ReadonlyArray<Minute>>()
  for (const market of markets) minutes.set(market, yield* store.since(market, 0))
  return minutes
})

const unusable = broken("Cannot read or write the stored prices")
