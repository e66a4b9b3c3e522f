/**
 * The minutes and candles of a venue for all accounts of a fleet, so that an account has complete indicators under a new runner. Accounts
 * of one process store each of them only once. They are stored by asset ids, because two accounts may use one symbol for different assets.
 * As in a journal's file, losing some loses no money.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { Asset } from "../../domain/Amount.ts"
import { broken } from "../Journal.ts"
import { type Minute, PriceStore, type SeenCandle } from "../PriceStore.ts"

const unusable = broken("Cannot read or write the stored prices")
const maxKnown = 10_000

export const of = (sql: SqlClient.SqlClient, venue: string): PriceStore["Service"] => {
  const storedKeys = new Set<string>()
  const isKnown = (key: string): boolean => {
    if (storedKeys.has(key)) return true
    if (storedKeys.size >= maxKnown) storedKeys.clear()
    storedKeys.add(key)
    return false
  }

  const append = Effect.fn("Prices.append")(function* (market: string, { close, high, low, open, openedAt }: Minute) {
    // A minute that has not closed yet is stored repeatedly, so the key contains its prices.
    if (isKnown(`${market} ${openedAt} ${open} ${high} ${low} ${close}`)) return
    yield* sql`
      INSERT INTO price_minutes (venue, market, opened_at, open, high, low, close)
      VALUES (${venue}, ${market}, ${openedAt}::float8::bigint, ${open}, ${high}, ${low}, ${close})
      ON CONFLICT (venue, market, opened_at) DO UPDATE SET
        open = excluded.open, high = excluded.high, low = excluded.low, close = excluded.close`
  }, Effect.mapError(unusable))

  const since = Effect.fn("Prices.since")(function* (market: string, from: number) {
    return yield* sql<Minute>`
      SELECT opened_at::float8 AS "openedAt", open, high, low, close FROM price_minutes
      WHERE venue = ${venue} AND market = ${market} AND opened_at >= ${from}::float8 ORDER BY opened_at`
  }, Effect.mapError(unusable))

  const newest = Effect.fn("Prices.newest")(function* (market: string) {
    const [last] = yield* sql<Minute>`
      SELECT opened_at::float8 AS "openedAt", open, high, low, close FROM price_minutes
      WHERE venue = ${venue} AND market = ${market} ORDER BY opened_at DESC LIMIT 1`
    return last
  }, Effect.mapError(unusable))

  const keep = Effect.fn("Prices.keep")(function* (market: string, candles: ReadonlyArray<SeenCandle>) {
    for (const { close, high, low, open, openedAt, seenAt, timeframe, volume } of candles) {
      if (isKnown(`${market} ${timeframe} ${openedAt}`)) continue
      yield* sql`
        INSERT INTO seen_candles (venue, market, timeframe, opened_at, open, high, low, close, volume, seen_at)
        VALUES (${venue}, ${market}, ${timeframe}, ${openedAt}::float8::bigint, ${open}, ${high}, ${low}, ${close},
          ${volume}, ${seenAt}::float8::bigint)
        ON CONFLICT (venue, market, timeframe, opened_at) DO NOTHING`
    }
  }, Effect.mapError(unusable))

  const candlesSince = Effect.fn("Prices.kept")(function* (market: string, from: number) {
    return yield* sql<SeenCandle>`
      SELECT timeframe, opened_at::float8 AS "openedAt", open, high, low, close, volume, seen_at::float8 AS "seenAt"
      FROM seen_candles WHERE venue = ${venue} AND market = ${market} AND opened_at >= ${from}::float8
      ORDER BY opened_at`
  }, Effect.mapError(unusable))

  return { ...PriceStore.empty, append, since, newest, keep, kept: candlesSince }
}

/** Returns the store for an account with these assets. A symbol that it no longer has stays as it is. */
export const inAssets = (store: PriceStore["Service"], assets: ReadonlyArray<Asset>): PriceStore["Service"] => {
  const ids = new Map(assets.map(({ id, symbol }) => [symbol, id]))
  const keyOf = (market: string): string => {
    const symbols = market.split("/")
    return symbols.map((symbol) => ids.get(symbol) ?? symbol).join(" ")
  }
  return {
    ...store,
    append: (market, minute) => store.append(keyOf(market), minute),
    since: (market, from) => store.since(keyOf(market), from),
    newest: (market) => store.newest(keyOf(market)),
    keep: (market, candles) => store.keep(keyOf(market), candles),
    kept: (market, from) => store.kept(keyOf(market), from)
  }
}
