/** Price alerts of a running bot, in virtual time, with prices of the test's choice. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, FileSystem, Layer, PubSub } from "effect"
import { TestClock } from "effect/testing"
import * as Alerting from "../../../src/app/control/Alerting.ts"
import type { BotEvent, Recorded } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { TwoSidedPrice } from "../../../src/domain/Market.ts"
import { iso } from "../../../src/domain/Text.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import * as Tries from "../../../src/engine/state/process/Tries.ts"
import * as PriceAlerts from "../../../src/files/PriceAlerts.ts"
import { type Doubt, OrderBook } from "../../../src/orderbook/OrderBook.ts"
import { sourceText } from "../../../src/strategy/Problem.ts"
import { assets, market } from "../../world/bitcoin.ts"

const text = "BTC/USDC above 61000"
const reason = "the venue refuses its quotes"
const markets = { assets, ticks: new Map() }
const alert = PriceAlerts.alertOf(text, 0, markets, { source: sourceText("alert", text), problems: [] })

/** A bot that watches one alert of its configuration and the alerts of `file`. No strategy uses the market; `venue.mid` is its price. */
const watching = Effect.fnUntraced(function* (file: string) {
  yield* TestClock.setTime(1_000_000)
  const venue: { mid: bigint | undefined } = { mid: undefined }
  const events: Array<BotEvent> = []
  const state = BotState.make()
  const changes = yield* PubSub.unbounded<Recorded>()
  const record = (...added: ReadonlyArray<BotEvent>) =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      for (const event of added) {
        events.push(event)
        BotState.apply(state, { sequence: events.length, at, event })
      }
    })
  const books = Bookkeeper.of({
    state,
    tries: Tries.make(state),
    changes,
    record,
    recordFrom: () => Effect.void,
    recordIfFits: record,
    lookAtDisk: Effect.void,
    database: undefined,
    isOfAnother: () => false
  })
  const prices = new Map<string, TwoSidedPrice>()
  const doubts = new Map<string, Doubt>()
  const look = Effect.map(Clock.currentTimeMillis, (at) => {
    const price = venue.mid === undefined ? undefined : Decimal.make(venue.mid)
    if (price === undefined) doubts.set(market.name, { reason })
    else {
      doubts.delete(market.name)
      prices.set(market.name, { bid: price, ask: price, at })
    }
  })
  const book = Layer.mock(OrderBook)({
    look: () => look,
    prices,
    doubts,
    remember: () => undefined,
    book: () => undefined,
    depth: () => undefined
  })
  const settings = { alerts: alert === undefined ? [] : [alert], journal: "journal.sqlite", markets }
  const watch = Alerting.watch(settings, () => []).pipe(
    Effect.provide(Layer.merge(book, FileSystem.layerNoop({ readFileString: () => Effect.succeed(file) }))),
    Effect.provideService(Bookkeeper, books)
  )
  yield* Effect.forkScoped(watch, { startImmediately: true })
  return { events, venue }
})

describe("price alerts of a running bot", () => {
  it.effect("report once per outage that the market of an alert has no price", () =>
    Effect.gen(function* () {
      const { events, venue } = yield* watching("")
      yield* TestClock.adjust("50 seconds")
      assert.isEmpty(events)
      yield* TestClock.adjust("15 seconds")
      const outage: BotEvent = { _tag: "AlertUnpriced", market: market.name, reason }
      assert.deepStrictEqual(events, [outage])
      yield* TestClock.adjust("5 minutes")
      assert.lengthOf(events, 1)
      venue.mid = 60_000n
      yield* TestClock.adjust("5 seconds")
      venue.mid = undefined
      yield* TestClock.adjust("3 minutes")
      assert.deepStrictEqual(events, [outage, outage])
    }).pipe(Effect.scoped)
  )

  it.effect("are reached once if the configuration and the file have the same one", () =>
    Effect.gen(function* () {
      const { events, venue } = yield* watching(`${iso(5)} ${text}\n`)
      venue.mid = 61_500n
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["AlertReached"]
      )
    }).pipe(Effect.scoped)
  )
})
