/** The prices that a bot sees are stored minute by minute, whatever happens to its strategy files meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { minuteMillis, secondMillis } from "../../../src/domain/Durations.ts"
import type { TwoSidedPrice } from "../../../src/domain/Market.ts"
import * as MarketWatch from "../../../src/engine/markets/MarketWatch.ts"
import { type Minute, PriceStore } from "../../../src/journal/PriceStore.ts"
import { ladder, parse, start } from "../../world/bot/botWorld.ts"
import { watchGround } from "../../world/bot/watchGround.ts"

const rule = (period: number) =>
  parse(`name: rule
market: BTC/USDC
kind: rules
limits: { budget: { quote: 6000 } }
rules:
  timeframe: 1m
  orders:
    dip: { when: "close < ema(close, ${period})", side: buy, price: mid * (1 - 1%), size: { quote: 100 } }
`)

/** Every fifth second has a new price, and every edit falls into the middle of a minute. */
const watched = (edit: (index: number) => ReadonlyArray<ReturnType<typeof parse>>, kills: ReadonlyArray<number> = []) =>
  Effect.gen(function* () {
    const prices = new Map<string, TwoSidedPrice>()
    const minutes: Array<Minute> = []
    const store = PriceStore.of({
      ...PriceStore.empty,
      append: (_market, minute) =>
        Effect.sync(() => {
          if (minutes.at(-1)?.openedAt === minute.openedAt) minutes.pop()
          minutes.push(minute)
        }),
      since: (_market, from) => Effect.succeed(minutes.filter(({ openedAt }) => openedAt >= from)),
      newest: () => Effect.succeed(minutes.at(-1))
    })
    yield* TestClock.setTime(start)
    yield* Effect.gen(function* () {
      let watch = yield* MarketWatch.make
      yield* watch.watchMarketsOf(edit(0))
      for (let index = 0; index <= 60; index += 1) {
        const at = start + index * 5 * secondMillis
        yield* TestClock.setTime(at)
        const price = Decimal.make(60_000n + BigInt(index))
        prices.set("BTC/USDC", { bid: price, ask: price, at })
        if (kills.includes(index)) {
          watch = yield* MarketWatch.make
          yield* watch.watchMarketsOf(edit(index))
        }
        yield* watch.look(edit(index))
        if (index % 6 === 3) yield* watch.watchMarketsOf(edit(index))
      }
    }).pipe(Effect.provide(watchGround(prices, store)))
    // The last look began a fifth minute.
    return minutes.slice(0, -1)
  })

/** From the second minute on: the first one is seen only from the first look. */
const whole = [1, 2, 3, 4].map((minute) => ({
  openedAt: start + minute * minuteMillis,
  open: 60_000 + minute * 12,
  high: 60_000 + minute * 12 + 11,
  low: 60_000 + minute * 12,
  close: 60_000 + minute * 12 + 11
}))

describe("a watched market", () => {
  it.effect("keeps its prices through an edit of the file", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* watched((index) => [parse(ladder(3 + index))]), whole)
    })
  )

  it.effect("keeps every minute and extreme it has seen through a kill", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* watched(() => [parse(ladder(3))], [17, 18, 30, 41, 47, 55]), whole)
    })
  )

  it.effect("keeps its prices if an edit needs other candles, or none", () =>
    Effect.gen(function* () {
      const edited = (index: number) => (index % 2 === 0 ? [rule(5 + index)] : [parse(ladder(3))])
      assert.deepStrictEqual(yield* watched(edited), whole)
    })
  )
})
