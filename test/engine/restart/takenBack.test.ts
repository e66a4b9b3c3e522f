/** Which order of this journal that the journal does not know is taken back by a slot, which is told, and which is another bot's. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Random } from "effect"
import { TestClock } from "effect/testing"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Order } from "../../../src/domain/Order.ts"
import { EngineInputs } from "../../../src/engine/EngineSettings.ts"
import { ForgottenOrders } from "../../../src/engine/restart/ForgottenOrders.ts"
import * as Fingerprint from "../../../src/engine/tracking/Fingerprint.ts"
import type { DesiredOrder } from "../../../src/strategy/Decision.ts"
import { parse } from "../../world/bot/botWorld.ts"
import { order, remembering } from "../firstOrder.ts"

const mark = 7
const minute = 60_000
const lifetimeMillis = 3_600_000
const strategy = parse(`name: grid
market: BTC/USDC
kind: grid
limits: { budget: { quote: 6000 } }
grid: { lower: 59000, upper: 61000, levels: 11, size: { base: 0.002 } }
`)
const { market } = strategy
const euro = { ...market, name: "BTC/EURC", quote: { symbol: "EURC", id: "nep141:eurc", decimals: 6 } }
const started = (boot: string): BotEvent => ({
  _tag: "BotStarted",
  pid: 1,
  boot,
  mark,
  version: "0",
  mode: "live",
  account: "me",
  venue: "http://127.0.0.1:1"
})
const stopped: BotEvent = { _tag: "BotStopped", reason: "test" }
const wish: DesiredOrder = {
  slot: "cell-01",
  side: "BUY",
  price: Decimal.make(60_000n),
  quantity: order.quantity,
  leg: 0,
  why: { code: "test", text: "test" }
}

interface Case {
  /** What the venue shows otherwise than the slot wants it. */
  readonly shown?: Partial<Order>
  readonly wanted?: Partial<DesiredOrder>
  /** Quote of the strategy. */
  readonly budget?: bigint
  /** How long before the last event it was made. */
  readonly ageMillis?: number
  /** The order has the mark of another journal. */
  readonly isStrange?: boolean
  readonly isTorn?: boolean
}

/** The first look after a start of a bot of which the venue has one order that its journal does not know. */
const firstLook = ({
  ageMillis = 0,
  budget = order.depositedAmount,
  isStrange = false,
  isTorn = false,
  shown = {},
  wanted = {}
}: Case) =>
  Effect.gen(function* () {
    yield* TestClock.adjust(10 * minute)
    const deadline = yield* Fingerprint.draw(5 * lifetimeMillis, lifetimeMillis, new Set(), isStrange ? mark + 1 : mark)
    const assets = {
      baseAsset: market.base.id,
      quoteAsset: market.quote.id,
      createdAt: (yield* Clock.currentTimeMillis) - ageMillis
    }
    const found = { ...order, ...assets, deadline, ...shown }
    const lists = () => Effect.succeed({ value: { orders: [found], odd: [] } })
    const venue = { listOrders: lists, getOrder: () => Effect.succeed({ value: found }) }
    const { books, context } = yield* remembering(venue, [
      stopped,
      started("a"),
      started(isTorn ? "b" : "a"),
      {
        _tag: "StrategyLoaded",
        strategy: strategy.name,
        ...{ file: "f", kind: "grid", market: market.name, hash: "1" }
      },
      { _tag: "BudgetAllotted", strategy: strategy.name, asset: market.quote.symbol, amount: budget }
    ])
    const markets = new Map([euro, market].map((each) => [each.name, each]))
    const none = { payAgain: new Set<string>(), admit: Effect.succeed(() => true), listen: Effect.void }
    const inputs = { strategies: [], markets, withdraw: Effect.undefined, ...none }
    const forgotten = yield* ForgottenOrders.make.pipe(
      Effect.provideService(EngineInputs, inputs),
      Effect.provideContext(context)
    )
    const desired = { ...wish, ...wanted }
    assert.isFalse(forgotten.admits(strategy, desired), "nothing begins before the venue was asked")
    const mayBegin = yield* forgotten.look()
    const [placement] = books.state.placements.values()
    const told = [...books.state.integrity.forgotten.values()]
    return { admits: () => forgotten.admits(strategy, desired), forgotten, mayBegin, placement, told }
  }).pipe(Random.withSeed("mark"))

describe("an order that the journal does not know", () => {
  it.effect("is taken back by the slot that desires exactly this order", () =>
    Effect.gen(function* () {
      const { admits, mayBegin, placement, told } = yield* firstLook({})
      assert.deepStrictEqual([placement?.slot, placement?.order?.id], ["cell-01", "order-1"])
      assert.isEmpty(told)
      assert.isTrue(mayBegin && admits())
    })
  )

  const others: ReadonlyArray<readonly [string, Case]> = [
    ["of another base", { shown: { baseAsset: "other" } }],
    ["of another quote asset", { shown: { quoteAsset: euro.quote.id } }],
    ["of the other side", { shown: { side: "SELL" } }],
    ["of another quantity", { shown: { quantity: order.quantity + 1n } }],
    ["for which its strategy lacks one unit", { budget: order.depositedAmount - 1n }],
    ["at another price", { shown: { price: Decimal.make(60_001n) } }],
    ["instead of a desired swap", { wanted: { by: "swap" } }]
  ]
  it.effect.each(others)("%s is reported, and nothing starts", ([, asked]) =>
    Effect.gen(function* () {
      const { admits, mayBegin, placement, told } = yield* firstLook(asked)
      assert.isUndefined(placement)
      assert.deepStrictEqual(
        told.map(({ orderId }) => orderId),
        ["order-1"]
      )
      assert.isFalse(mayBegin || admits())
    })
  )

  it.effect("is reported with its market and its amounts", () =>
    Effect.gen(function* () {
      const [known] = (yield* firstLook({ shown: { quoteAsset: euro.quote.id } })).told
      assert.deepInclude(known, { market: "BTC/EURC", asset: "EURC", amount: order.inputAmount })
      const [other] = (yield* firstLook({ shown: { quantity: 1n } })).told
      assert.deepInclude(other, { market: "BTC/USDC", asset: "USDC", deposited: order.depositedAmount, status: "OPEN" })
      const [strange] = (yield* firstLook({ shown: { baseAsset: "other", originAsset: "mine" } })).told
      assert.deepInclude(strange, { market: `other/${market.quote.id}`, asset: "mine" })
    })
  )

  const notOurs: ReadonlyArray<readonly [string, Case]> = [
    ["has another journal's mark", { isStrange: true }],
    ["is much older than the last event", { ageMillis: 2 * minute }],
    ["does not say what it is", { shown: { unsaid: ["quantity"] } }]
  ]
  it.effect.each(notOurs)("is left alone if it %s", ([, asked]) =>
    Effect.gen(function* () {
      const { admits, placement, told } = yield* firstLook(asked)
      assert.isUndefined(placement)
      assert.isEmpty(told)
      assert.isTrue(admits())
    })
  )

  it.effect("may still be missing in the list: if events may be missing, nothing starts for ten seconds", () =>
    Effect.gen(function* () {
      const { admits, forgotten } = yield* firstLook({ isTorn: true, isStrange: true })
      assert.isFalse(admits())
      yield* TestClock.adjust(9_999)
      assert.isFalse(yield* forgotten.look())
      yield* TestClock.adjust(1)
      assert.isTrue(yield* forgotten.look())
      assert.isTrue(admits())
    })
  )

  it.effect("is removed again once the venue has ended it without money", () =>
    Effect.gen(function* () {
      const ended = { quantity: 1n, fillStatus: "EXPIRED", depositedAmount: 0n }
      const { admits, forgotten, told } = yield* firstLook({ shown: ended })
      assert.lengthOf(told, 1)
      assert.isFalse(yield* forgotten.look(), "asked a moment ago")
      yield* TestClock.adjust(minute)
      assert.isFalse(admits())
      assert.isTrue(yield* forgotten.look())
      assert.isTrue(admits())
      const paid = yield* firstLook({ shown: { ...ended, depositedAmount: 1n } })
      yield* TestClock.adjust(minute)
      yield* paid.forgotten.look()
      assert.isFalse(paid.admits())
    })
  )
})
