/**
 * Stores minute candles of the mid prices that the bot saw itself, and whole candles with volumes from a source. They are not events,
 * because losing one loses no money. They have their own tables beside the journal. A minute that is stored again replaces the earlier one.
 * The first version of a candle stays, because decisions used it.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { broken } from "./Journal.ts"

/** Prices of one minute, as doubles; for indicators only. */
export interface Minute {
  /** Epoch milliseconds of its start. */
  readonly openedAt: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

/** A closed candle with its volume in units of base. */
export interface TradedCandle extends Minute {
  readonly volume: number
}

export interface SeenCandle extends TradedCandle {
  readonly timeframe: string
  readonly seenAt: number
}

const unusable = broken("Cannot read or write the stored prices")
const noCandles: ReadonlyMap<number, TradedCandle> = new Map()

const withoutSource = {
  /** Returns the closed candles that the market's source reports, by start time. */
  told: (_market: string, _timeframe: string): ReadonlyMap<number, TradedCandle> => noCandles,
  /** True once the market's source answers again after a failed read, until `since` has returned its minutes. */
  isSourceBack: (_market: string): boolean => false
}

const make = SqlClient.SqlClient.useSync((sql) => {
  const append = Effect.fn("PriceStore.append")(function* (market: string, minute: Minute) {
    const { openedAt, open, high, low, close } = minute
    yield* sql`
      INSERT OR REPLACE INTO price_minutes ${sql.insert({ market, opened_at: openedAt, open, high, low, close })}`
  }, Effect.mapError(unusable))

  /** Returns minutes that began at `from` or later, oldest first. */
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

  const keep = Effect.fn("PriceStore.keep")(function* (market: string, candles: ReadonlyArray<SeenCandle>) {
    for (const { openedAt, seenAt, ...candle } of candles)
      yield* sql`
        INSERT OR IGNORE INTO seen_candles
        ${sql.insert({ market, ...candle, opened_at: openedAt, seen_at: seenAt })}`
  }, Effect.mapError(unusable))

  const readCandles = Effect.fn("PriceStore.kept")(function* (market: string, from: number) {
    // A journal that is only read may be of an older version.
    const tables = yield* sql`SELECT name FROM sqlite_master WHERE name = 'seen_candles'`
    if (tables.length === 0) return []
    return yield* sql<SeenCandle>`
      SELECT timeframe, opened_at AS "openedAt", open, high, low, close, volume, seen_at AS "seenAt"
      FROM seen_candles WHERE market = ${market} AND opened_at >= ${from} ORDER BY opened_at`
  }, Effect.mapError(unusable))

  return { append, since, newest, keep, kept: readCandles, ...withoutSource }
})

export class PriceStore extends Context.Service<PriceStore>()("limitbot/journal/PriceStore", { make }) {
  static readonly layer = Layer.effect(this, make)

  static readonly empty = PriceStore.of({
    append: () => Effect.void,
    since: () => Effect.succeed([]),
    newest: () => Effect.succeed(undefined),
    keep: () => Effect.void,
    kept: () => Effect.succeed([]),
    ...withoutSource
  })
}

export const minutesOf = Effect.fn("PriceStore.minutesOf")(function* (markets: Iterable<string>) {
  const store = yield* PriceStore
  const minutes = new Map<string, ReadonlyArray<Minute>>()
  for (const market of markets) minutes.set(market, yield* store.since(market, 0))
  return minutes
})

export const keptOf = Effect.fn("PriceStore.keptOf")(function* (markets: Iterable<string>) {
  const store = yield* PriceStore
  const candles = new Map<string, ReadonlyArray<SeenCandle>>()
  for (const market of markets) candles.set(market, yield* store.kept(market, 0))
  return candles
})
