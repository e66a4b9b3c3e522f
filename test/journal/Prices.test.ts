/**
 * What is seen of prices is kept alike in a journal's file and in a fleet's database, where the accounts of a venue share
 * it by asset.
 */
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
const asset = (symbol: string, id: string) => ({ symbol, id, decimals: 6 })
const assets = [asset("BTC", "btc"), asset("USDC", "usdc")]
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
            return [prices("venue", assets), prices("venue", assets)] as const
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

describe.skipIf(server === undefined)("prices in Postgres", () => {
  it.live("belong to an asset: accounts share them by its id, not by its symbol", () =>
    Effect.gen(function* () {
      const layer = Layer.provide(Journals.layer, Postgres.layer(server?.url ?? assert.fail("no server")))
      const { prices } = Context.get(yield* built(layer), Journals)
      const usdc = asset("USDC", "usdc")
      const anna = prices("venue", [asset("GOLD", "xaut"), usdc])
      const ben = prices("venue", [asset("GOLD", "paxg"), usdc])
      const carl = prices("venue", [asset("XAU", "xaut"), usdc])
      yield* anna.append("GOLD/USDC", minute(0, 1.1))
      yield* anna.keep("GOLD/USDC", [candle(0, 7)])
      assert.deepStrictEqual([yield* ben.since("GOLD/USDC", 0), yield* ben.kept("GOLD/USDC", 0)], [[], []])
      assert.isUndefined(yield* ben.newest("GOLD/USDC"))
      assert.deepStrictEqual(yield* carl.newest("XAU/USDC"), minute(0, 1.1))
      yield* ben.append("GOLD/USDC", minute(0, 1.9))
      assert.deepStrictEqual(yield* anna.since("GOLD/USDC", 0), [minute(0, 1.1)])
      assert.deepStrictEqual(yield* carl.kept("XAU/USDC", 0), [candle(0, 7)])
    })
  )
})
