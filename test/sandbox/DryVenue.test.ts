/** The venue of a dry run: real prices, imagined orders and swaps, and nothing that leaves the process but quotes that are dry. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as DryVenue from "../../src/sandbox/DryVenue.ts"
import { type CreateSwap, Venue } from "../../src/venue/Venue.ts"
import { bodyText, json, scripted, testAccount } from "../world/service/scriptedVenue.ts"

const assets = [
  { symbol: "BTC", id: "base", decimals: 8 },
  { symbol: "USDC", id: "quote", decimals: 6 }
]
/** 0.01 BTC at 60,000. */
const order = {
  side: "SELL",
  baseAsset: "base",
  quoteAsset: "quote",
  quantity: 1_000_000n,
  price: Decimal.make(60_000n),
  deadline: 1_000_000
} as const
const swap: CreateSwap = { ...order, inputAmount: 1_000_000n, outputAmount: 600_000_000n }

/** Every quote pays so much; runs against a dry venue and says what was asked of the real one. */
const dry = <A, E>(amountOut: bigint, use: (venue: Venue["Service"]) => Effect.Effect<A, E>) =>
  Effect.suspend(() => {
    const { layer, sent } = scripted((request) => {
      const asked = JSON.parse(bodyText(request))
      const quote = { amountIn: asked.amount, amountInFormatted: "0.01", amountOut: String(amountOut) }
      return json({ quoteRequest: asked, quote: { ...quote, amountOutFormatted: "600" } })
    })
    const account = { signerId: testAccount, depositType: "INTENTS" as const }
    return Venue.use(use).pipe(
      Effect.provide(Layer.provide(DryVenue.layer({ assets, account }), layer)),
      Effect.map((result) => ({ result, asked: sent.map((request): boolean => JSON.parse(bodyText(request)).dry) }))
    )
  })

const pay = (venue: Venue["Service"], depositAddress: string) =>
  venue.submitIntent({ body: depositAddress, intentHash: "hash", validUntil: 1 })

describe("the venue of a dry run", () => {
  it.effect("fills an order when the venue would execute it at its limit, and not before", () =>
    Effect.gen(function* () {
      const quoting = { originAsset: "base", destinationAsset: "quote", amount: 1_000_000n }
      const through = (amountOut: bigint) =>
        dry(amountOut, (venue) =>
          Effect.gen(function* () {
            const { value } = yield* venue.createOrder(order)
            yield* pay(venue, value.depositAddress)
            yield* venue.dryQuote(quoting)
            return (yield* venue.getOrder(value.id)).value.fillStatus
          })
        )
      assert.strictEqual((yield* through(599_999_999n)).result, "OPEN")
      assert.deepStrictEqual(yield* through(600_000_000n), { result: "FILLED", asked: [true] })
    })
  )

  it.effect("ends an order at its deadline and returns its money, like the real one", () =>
    Effect.gen(function* () {
      const { result } = yield* dry(600_000_000n, (venue) =>
        Effect.gen(function* () {
          const [funded, unfunded, swapped] = [
            (yield* venue.createOrder(order)).value,
            (yield* venue.createOrder(order)).value,
            (yield* venue.createSwap(swap)).value
          ]
          yield* pay(venue, funded.depositAddress)
          yield* TestClock.adjust(order.deadline)
          yield* venue.dryQuote({ originAsset: "base", destinationAsset: "quote", amount: 1_000_000n })
          yield* pay(venue, unfunded.depositAddress)
          assert.deepStrictEqual((yield* venue.listOrders({})).value.orders, [])
          assert.include((yield* Effect.flip(venue.cancelOrder(funded.id))).message, "it is EXPIRED")
          return [
            (yield* venue.getOrder(funded.id)).value,
            (yield* venue.getOrder(unfunded.id)).value,
            (yield* venue.getSwap(swapped.id)).value
          ]
        })
      )
      assert.deepStrictEqual(
        result.map(({ depositedAmount, fillStatus, fills, payoutIsFinal, refund }) => [
          ...[fillStatus, payoutIsFinal, fills.length, depositedAmount],
          refund?.status
        ]),
        [
          ["EXPIRED", true, 0, 1_000_000n, "COMPLETED"],
          ["EXPIRED", true, 0, 1_000_000n, "COMPLETED"],
          ["EXPIRED", true, 0, 0n, undefined]
        ]
      )
    })
  )

  it.effect("pays nothing if the gate has closed meanwhile, like the real one", () =>
    Effect.gen(function* () {
      const { result } = yield* dry(600_000_000n, (venue) =>
        Effect.gen(function* () {
          const { id, depositAddress: body } = (yield* venue.createOrder(order)).value
          const hold = Effect.succeed("the kill switch is on")
          const held = yield* Effect.flip(venue.submitIntent({ body, intentHash: "hash", validUntil: 1, hold }))
          return [held.message, (yield* venue.getOrder(id)).value.fillStatus]
        })
      )
      assert.match(result[0] ?? "", /the kill switch is on/)
      assert.strictEqual(result[1], "AWAITING_DEPOSIT")
    })
  )

  it.effect("makes a swap at the current price as soon as it is paid, and requests no real one", () =>
    Effect.gen(function* () {
      const { result, asked } = yield* dry(601_000_000n, (venue) =>
        Effect.gen(function* () {
          const { value } = yield* venue.createSwap(swap)
          const before = (yield* venue.getSwap(value.id)).value
          yield* pay(venue, value.depositAddress)
          return [before, (yield* venue.getSwap(value.id)).value] as const
        })
      )
      assert.deepStrictEqual(asked, [true])
      const [before, after] = result
      assert.deepStrictEqual(
        [before.fillStatus, before.depositedAmount, before.outputAmount],
        ["AWAITING_DEPOSIT", 0n, 601_000_000n]
      )
      assert.deepStrictEqual([after.fillStatus, after.payoutIsFinal], ["FILLED", true])
      assert.deepStrictEqual(
        after.fills.map(({ amountIn, amountOut }) => [amountIn, amountOut]),
        [[1_000_000n, 601_000_000n]]
      )
    })
  )

  it.effect("refuses a swap that would return 0.4 % less than allowed", () =>
    Effect.gen(function* () {
      const { result } = yield* dry(597_600_000n, (venue) => Effect.flip(venue.createSwap(swap)))
      assert.include(result.message, "worse-price: the swap would bring 0.4 % less than allowed")
    })
  )
})
