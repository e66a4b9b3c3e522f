/** The prices that a bot sees are stored minute by minute, whatever happens to its strategy files meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { minuteMillis, secondMillis } from "../../../src/domain/Durations.ts"
import type { TwoSidedPrice } from "../../../src/domain/Market.ts"
import * as MarketWatch from "../../../src/engine/markets/MarketWatch.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
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

const memoryStore = () => {
  const minutes = new Map<number, Minute>()
  const inOrder = () => [...minutes.values()].sort((a, b) => a.openedAt - b.openedAt)
  const store = PriceStore.of({
    ...PriceStore.empty,
    append: (_market, minute) => Effect.sync(() => void minutes.set(minute.openedAt, minute)),
    since: (_market, from) => Effect.sync(() => inOrder().filter(({ openedAt }) => openedAt >= from)),
    newest: () => Effect.sync(() => inOrder().at(-1))
  })
  return { inOrder, store }
}

/** Every fifth second has a new price, and every edit falls into the middle of a minute. */
const watched = (edit: (index: number) => ReadonlyArray<ReturnType<typeof parse>>, kills: ReadonlyArray<number> = []) =>
  Effect.gen(function* () {
    const prices = new Map<string, TwoSidedPrice>()
    const { inOrder, store } = memoryStore()
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
        yield* watch.look(BotState.make(), edit(index))
        if (index % 6 === 3) yield* watch.watchMarketsOf(edit(index))
      }
    }).pipe(Effect.provide(watchGround(prices, store)))
    // The last look began a fifth minute.
    return inOrder().slice(0, -1)
  })

/** From the second minute on: the first one is seen only from the first look. */
const whole = [1, 2, 3, 4].map((minute) => ({
  openedAt: start + minute * minuteMillis,
  open: 60_000 + minute * 12,
  high: 60_000 + minute * 12 + 11,
  low: 60_000 + minute * 12,
  close: 60_000 + minute * 12 + 11
}))

/** The closed candles of one minute at each of these times, in seconds after the start; each has a new price. */
const closedAt = (...seconds: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const strategy = rule(5)
    const prices = new Map<string, TwoSidedPrice>()
    const counts: Array<number | undefined> = []
    yield* TestClock.setTime(start)
    yield* Effect.gen(function* () {
      const watch = yield* MarketWatch.make
      yield* watch.watchMarketsOf([strategy])
      for (const second of seconds) {
        const at = start + second * secondMillis
        yield* TestClock.setTime(at)
        const price = Decimal.make(60_000n)
        prices.set("BTC/USDC", { bid: price, ask: price, at })
        yield* watch.look(BotState.make(), [strategy])
        counts.push(watch.moment(strategy, at)?.candles?.get("1m")?.closed)
      }
    }).pipe(Effect.provide(watchGround(prices, memoryStore().store)))
    return counts
  })

/** Until one second after the tenth minute has begun; the first minute does not count. */
const tenMinutes = [...Array.from({ length: 20 }, (_, index) => index * 30), 601]

describe("a watched market", () => {
  it.effect.each([2, 60, 179])("keeps its candles if the clock is set back by %d s", (seconds) =>
    Effect.gen(function* () {
      const counts = yield* closedAt(...tenMinutes, 601 - seconds, 630, 661)
      assert.deepStrictEqual(counts.slice(-4), [9, 9, 9, 10])
    })
  )

  it.effect("has the stored candles up to the present if the clock is set back by more than three minutes", () =>
    Effect.gen(function* () {
      const atOnce = yield* closedAt(...tenMinutes, 361, 390, 421)
      assert.deepStrictEqual(atOnce.slice(-4), [9, 5, 5, 6])
      const inTwoSteps = yield* closedAt(...tenMinutes, 481, 361, 421)
      assert.deepStrictEqual(inTwoSteps.slice(-4), [9, 9, 5, 6])
    })
  )

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
