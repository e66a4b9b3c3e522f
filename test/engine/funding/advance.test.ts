/** A step of a swap by hand without a running bot: what is over by then is left alone. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import type { Order } from "../../../src/domain/Order.ts"
import * as SwapsByHand from "../../../src/engine/SwapsByHand.ts"
import { IntentGuard } from "../../../src/signing/IntentGuard.ts"
import { about, order, remembering, until } from "../firstOrder.ts"

/** One step of what has this story, at a venue that shows its order so; how often the venue was asked, and what came of it. */
const step = Effect.fnUntraced(function* (events: ReadonlyArray<BotEvent>, shown: Partial<Order>) {
  let reads = 0
  const getOrder = () =>
    Effect.sync(() => {
      reads += 1
      return { value: { ...order, ...shown } }
    })
  const { books, context } = yield* remembering({ getOrder, clockSkewMillis: Effect.undefined }, events)
  yield* TestClock.adjust(1_800_000_000_000)
  const swaps = yield* SwapsByHand.make(Effect.undefined).pipe(
    Effect.provide(Layer.mock(IntentGuard)({})),
    Effect.provideContext(context)
  )
  yield* swaps.advance("p1")
  return { reads, placement: books.state.placements.get("p1") }
})

const money = { asset: "USDC", amount: order.inputAmount }
const doubt: BotEvent = { _tag: "FundingInDoubt", ...about, ...money, reason: "test" }
const dead: BotEvent = { _tag: "FundingDead", ...about, ...money, reason: "test" }

describe("a step of a swap", () => {
  it.effect("is the last one if it settles the swap, and nothing is read again", () =>
    Effect.gen(function* () {
      const refunded = { fillStatus: "CANCELED", refund: { status: "COMPLETED" }, payoutIsFinal: true }
      assert.deepStrictEqual(yield* step([...until("FundingSent"), doubt], refunded), {
        reads: 1,
        placement: undefined
      })
    })
  )

  it.effect("reads open placements, and not ended ones", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* step(until("DepositSeen"), {})).placement?.status, "OPEN")
      assert.strictEqual((yield* step([...until("FundingSent"), dead], {})).reads, 0)
      assert.strictEqual((yield* step(until("Settled"), {})).reads, 0)
    })
  )
})
