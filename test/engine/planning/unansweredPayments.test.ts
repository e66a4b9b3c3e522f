/** A new plan for an order whose payment is under way. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as Planning from "../../../src/engine/planning/Planning.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import { parse } from "../../world/bot/botWorld.ts"
import { about, order, remembering, until } from "../firstOrder.ts"

const why = { code: "cell", text: "" }
/** It plans the other side in the slot of the order. */
const turned: Strategy = {
  ...parse(`name: grid
market: BTC/USDC
kind: grid
limits: { budget: { quote: 6000 } }
grid: { lower: 59000, upper: 61000, levels: 11, size: { base: 0.005 } }
`),
  // As it is loaded in the journal.
  hash: "a",
  decide: () => ({
    desired: [
      {
        slot: about.slot,
        legs: [{ side: "SELL", price: Decimal.make(61_000n), quantity: order.quantity }],
        cycle: false,
        why
      }
    ],
    absent: [],
    memory: null,
    reasons: [],
    until: { onFill: false }
  })
}
const now = 1_000
const price = { bid: Decimal.make(60_050n), ask: Decimal.make(60_051n), at: now }

/** True if the plan cancels the order, of which this is recorded. */
const cancels = Effect.fnUntraced(function* (story: ReadonlyArray<BotEvent>) {
  const { books, context } = yield* remembering({}, story)
  const { plan } = yield* Effect.provideContext(
    Planning.make(() => false),
    context
  )
  yield* plan(turned, { price, now }, undefined)
  return books.state.placements.get(about.placement)?.cancel !== undefined
}, Effect.scoped)

const payment = {
  ...about,
  orderId: order.id,
  depositAddress: order.depositAddress,
  asset: "USDC",
  amount: order.inputAmount,
  validUntil: 2_000
}
const asked: BotEvent = { _tag: "PaymentAsked", ...payment, wallet: "command" }
const refused: BotEvent = {
  _tag: "FundingAnswered",
  ...about,
  code: "no",
  text: "no",
  verdict: "not-executed"
}

describe("an order that is no longer planned", () => {
  it.effect("is not cancelled while its signed payment has no answer", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* cancels(until("FundingSent")))
    })
  )

  it.effect("is cancelled before its payment is sent, and once it is acknowledged or refused", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* cancels(until("FundingSigned")))
      assert.isTrue(yield* cancels(until("FundingAcknowledged")))
      assert.isTrue(yield* cancels([...until("FundingSent"), refused]))
    })
  )

  it.effect("is cancelled while a wallet pays it", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* cancels([...until("Bound"), asked]))
    })
  )
})
