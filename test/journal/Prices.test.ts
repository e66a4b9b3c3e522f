/** What is seen of prices is kept alike in a journal's file and in a fleet's database, where all accounts of a venue share it. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Journal } from "../../src/journal/Journal.ts"
import { type Minute, PriceStore, type SeenCandle } from "../../src/journal/PriceStore.ts"
import { Journals } from "../../src/journal/postgres/Journals.ts"
import * as Postgres from "../../src/journal/postgres/Postgres.ts"
import * as Sqlite from "../../src/journal/Sqlite.ts"
import * as PostgresServer from "../postgres.ts"

const server = await PostgresServer.start()
if (server === undefined) it.skip("prices in Postgres: this machine has no Postgres server", () => undefined)

const minute = (index: number, close: number): Minute => ({
  openedAt: 1_700_000_000_000 + index * 60_000,
  open: 1,
  high: 3,
  low: 0.5,
  close
})
const candle = (index: number, volume: number): SeenCandle => ({
  ...minute(index, 2),
  timeframe: "1m",
  volume,
  seenAt: 1_700_000_000_000 + index * 60_000 + 61_000
})

const inFile = PriceStore.layer.pipe(
  Layer.provideMerge(Journal.layer),
  Layer.provide(Sqlite.layer({ filename: ":memory:" }))
)
const built = <R, E>(layer: Layer.Layer<R, E>) => Layer.build(Layer.orDie(layer))

const kinds = [
  {
    name: "in a journal's file",
    stores: Effect.map(built(inFile), (context) => {
      const store = Context.get(context, PriceStore)
      return [store, store] as const
    })
  },
  ...(server === undefined
    ? []
    : [
        {
          name: "in Postgres",
          stores: Effect.map(built(Layer.provide(Journals.layer, Postgres.layer(server.url))), (context) => {
            const { prices } = Context.get(context, Journals)
            return [prices("venue"), prices("venue")] as const
          })
        }
      ])
]

describe.each(kinds)("prices $name", ({ stores }) => {
  it.live("replaces a repeated minute, and keeps the first version of a candle", () =>
    Effect.gen(function* () {
      const [one, other] = yield* stores
      yield* one.append("BTC/USDC", minute(0, 1.1))
      yield* one.append("BTC/USDC", minute(1, 1.2))
      yield* other.append("BTC/USDC", minute(1, 1.3))
      yield* one.append("ETH/USDC", minute(5, 9))
      assert.deepStrictEqual(yield* one.since("BTC/USDC", minute(1, 0).openedAt), [minute(1, 1.3)])
      assert.deepStrictEqual(yield* other.newest("ETH/USDC"), minute(5, 9))
      assert.isUndefined(yield* one.newest("SOL/USDC"))
      yield* one.keep("BTC/USDC", [candle(0, 7), candle(1, 8)])
      yield* other.keep("BTC/USDC", [candle(1, 9)])
      assert.deepStrictEqual(yield* other.kept("BTC/USDC", 0), [candle(0, 7), candle(1, 8)])
    })
  )
})
