/** Looks at many resting orders: what they ask for, and that an order which left the list unseen is still found. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { inputAmount, type Market, outputAmount } from "../../../src/domain/Market.ts"
import type { Order } from "../../../src/domain/Order.ts"
import { defaults, EngineSettings } from "../../../src/engine/EngineSettings.ts"
import * as Observation from "../../../src/engine/observation/Observation.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { Venue } from "../../../src/venue/Venue.ts"

const market: Market = {
  name: "BTC/USDC",
  base: { symbol: "BTC", id: "btc", decimals: 8 },
  quote: { symbol: "USDC", id: "usdc", decimals: 6 }
}
const markets = new Map([[market.name, market]])
const count = 240
const quantity = 100_000n
const life = 7 * 86_400_000

/** Buys from 20,000 up to 44,000: the topmost is the newest. */
const priceOf = (index: number) => Decimal.make(BigInt(20_000 + index * 100))

const orderOf = (index: number): Order => ({
  id: `order-${index}`,
  side: "BUY",
  baseAsset: "btc",
  quoteAsset: "usdc",
  originAsset: "usdc",
  destinationAsset: "btc",
  quantity,
  price: priceOf(index),
  inputAmount: inputAmount(market, "BUY", quantity, priceOf(index)),
  outputAmount: outputAmount(market, "BUY", quantity, priceOf(index)),
  depositAddress: `deposit-${index}`,
  depositType: "INTENTS",
  recipient: "alice",
  recipientType: "INTENTS",
  refundTo: "alice",
  refundType: "INTENTS",
  appFeeBasisPoints: 0,
  fillStatus: "OPEN",
  depositedAmount: inputAmount(market, "BUY", quantity, priceOf(index)),
  fills: [],
  withdrawals: [],
  payoutIsFinal: false,
  estimatedWithdrawFee: 0n,
  estimatedRefundFee: 0n,
  deadline: life + index * 1000,
  createdAt: index
})

/** The story of an order that rests. */
const resting = (index: number): ReadonlyArray<BotEvent> => {
  const order = orderOf(index)
  const about = { strategy: "ladder", slot: `rung-${index}`, placement: `p${index}` }
  const { depositAddress, id: orderId } = order
  const fees = { estimatedRefundFee: 0n, estimatedWithdrawFee: 0n }
  const amount = order.inputAmount
  return [
    {
      _tag: "Planned",
      ...about,
      market: market.name,
      side: "BUY",
      price: order.price,
      quantity,
      inputAsset: "USDC",
      inputAmount: amount,
      outputAsset: "BTC",
      outputAmount: order.outputAmount,
      deadline: order.deadline,
      why: { code: "test", text: "test" }
    },
    { _tag: "CreateSent", ...about, attempt: 1 },
    { _tag: "Bound", ...about, orderId, depositAddress, via: "reply", ...fees },
    {
      _tag: "FundingSigned",
      ...about,
      orderId,
      depositAddress,
      asset: "USDC",
      amount,
      signed: Redacted.make("bytes"),
      intentHash: "hash",
      validUntil: 1
    },
    { _tag: "FundingSent", ...about, attempt: 1 },
    { _tag: "DepositSeen", ...about, asset: "USDC", total: amount, fresh: amount },
    { _tag: "StatusSeen", ...about, status: "OPEN" }
  ]
}

/** A venue that lists what is open, newest first, 50 a page, and counts what it is asked. */
const timeOf = ({ createdAt = 0 }: Order): number => createdAt

const makeVenue = () => {
  const orders = new Map(Array.from({ length: count }, (_, index) => [`order-${index}`, orderOf(index)]))
  const asked = { lists: 0, reads: 0 }
  /** Each page has so many elements that nobody can read, and none of them twice. */
  let oddPerPage = 0
  const odd = () =>
    Array.from({ length: oddPerPage }, (_, index) => ({ id: `odd-${asked.lists}-${index}`, why: "amount is a number" }))
  const unfinished = (statuses: ReadonlyArray<string> | undefined) =>
    [...orders.values()]
      .filter(({ fillStatus }) => fillStatus !== "EXPIRED" && (statuses?.includes(fillStatus) ?? true))
      .sort((a, b) => timeOf(b) - timeOf(a))
  const unused = Effect.die("not asked for in these tests")
  const layer = Layer.succeed(Venue, {
    createOrder: () => unused,
    createSwap: () => unused,
    getSwap: () => unused,
    cancelOrder: () => unused,
    generateIntent: () => unused,
    submitIntent: () => unused,
    submitDeposit: () => unused,
    dryQuote: () => unused,
    clockSkewMillis: unused,
    tokens: unused,
    balances: unused,
    publicBalances: () => unused,
    getOrder: (id) =>
      Effect.sync(() => {
        asked.reads += 1
        const value = orders.get(id)
        if (value === undefined) throw new Error(`unknown order ${id}`)
        return { value }
      }),
    listOrders: ({ cursor, statuses }) =>
      Effect.sync(() => {
        asked.lists += 1
        const behind = unfinished(statuses).filter((order) => cursor === undefined || timeOf(order) < Number(cursor))
        const page = behind.slice(0, 50)
        const last = page.at(-1)
        const next = behind.length > 50 && last !== undefined ? { nextCursor: String(last.createdAt) } : {}
        return { value: { orders: page, odd: odd(), ...next } }
      })
  })
  const expire = (index: number) => {
    const order = orderOf(index)
    orders.set(order.id, { ...order, fillStatus: "EXPIRED" })
  }
  const fill = (index: number) => {
    const order = orderOf(index)
    const fills = [{ id: "fill-1", amountIn: order.inputAmount, amountOut: order.outputAmount, at: 1 }]
    orders.set(order.id, { ...order, fillStatus: "FILLED", fills })
  }
  const spoil = (perPage: number) => {
    oddPerPage = perPage
  }
  return { layer, asked, expire, fill, spoil }
}

const settings = Layer.succeed(EngineSettings, {
  ...defaults,
  account: { signerId: "alice", depositType: "INTENTS", maxAppFeeBasisPoints: 100 }
})

const services = (venue: ReturnType<typeof makeVenue>) =>
  Layer.mergeAll(
    venue.layer,
    settings,
    Bookkeeper.layer.pipe(Layer.provideMerge(Journal.layer), Layer.provide(Sqlite.layer({ filename: ":memory:" })))
  )

const priceAt = (mid: bigint) => new Map([[market.name, { bid: Decimal.make(mid), ask: Decimal.make(mid), at: 0 }]])

/** Looks ten seconds after the last one, and says what that asked for. */
const looking = (observation: Effect.Success<typeof Observation.make>, venue: ReturnType<typeof makeVenue>) =>
  Effect.fnUntraced(function* (mid: bigint) {
    const before = { ...venue.asked }
    yield* TestClock.adjust("10 seconds")
    yield* observation.look(markets, priceAt(mid))
    return { lists: venue.asked.lists - before.lists, reads: venue.asked.reads - before.reads }
  })

const stateOf = (index: number) =>
  Bookkeeper.use((books) => Effect.sync(() => books.state.placements.get(`p${index}`)?.state))

const prepared = Effect.fnUntraced(function* (venue: ReturnType<typeof makeVenue>) {
  const books = yield* Bookkeeper
  yield* books.record(...Array.from({ length: count }, (_, index) => resting(index)).flat())
  const observation = yield* Observation.make
  return looking(observation, venue)
})

describe("a poll of many open orders", () => {
  it.effect("reads all of them at first, then the newest page, those that execute, and one more page", () => {
    const venue = makeVenue()
    return Effect.gen(function* () {
      const look = yield* prepared(venue)
      assert.deepStrictEqual(yield* look(60_000n), { lists: 5, reads: 0 })
      for (let round = 0; round < 9; round += 1) assert.deepStrictEqual(yield* look(60_000n), { lists: 3, reads: 0 })
    }).pipe(Effect.provide(services(venue)))
  })

  it.effect("sees at once what happens to an order within the price's reach", () => {
    const venue = makeVenue()
    return Effect.gen(function* () {
      const look = yield* prepared(venue)
      yield* look(60_000n)
      yield* look(25_120n)
      venue.expire(51)
      const asked = yield* look(25_120n)
      assert.strictEqual(yield* stateOf(51), "closing")
      assert.isAtMost(asked.lists, 3)
      assert.isAtMost(asked.reads, 4)
    }).pipe(Effect.provide(services(venue)))
  })

  it.effect("sees at once what executes far from the price, anywhere in the list", () => {
    const venue = makeVenue()
    return Effect.gen(function* () {
      const look = yield* prepared(venue)
      yield* look(60_000n)
      venue.fill(7)
      yield* look(60_000n)
      assert.strictEqual(yield* stateOf(7), "closing")
    }).pipe(Effect.provide(services(venue)))
  })

  it.effect("finds an order that left the list far from the price within two rounds", () => {
    const venue = makeVenue()
    return Effect.gen(function* () {
      const look = yield* prepared(venue)
      yield* look(60_000n)
      venue.expire(7)
      for (let page = 0; page < 10; page += 1) yield* look(60_000n)
      assert.strictEqual(yield* stateOf(7), "closing")
    }).pipe(Effect.provide(services(venue)))
  })

  it.effect("with many unreadable entries fills neither the journal nor the memory", () => {
    const venue = makeVenue()
    return Effect.gen(function* () {
      const look = yield* prepared(venue)
      yield* look(60_000n)
      venue.spoil(1_000)
      const before = (yield* Bookkeeper).state.sequence
      while (venue.asked.lists < 20) yield* look(60_000n)
      assert.strictEqual((yield* Bookkeeper).state.sequence - before, 100)
    }).pipe(Effect.provide(services(venue)))
  })
})
