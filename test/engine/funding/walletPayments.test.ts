/** Payments by a wallet: reported to the venue until it takes the report, asked again on the operator's word, and given up late. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import type { Order } from "../../../src/domain/Order.ts"
import { Wallet } from "../../../src/engine/funding/Wallet.ts"
import * as Driver from "../../../src/engine/protocol/Driver.ts"
import { IntentGuard } from "../../../src/signing/IntentGuard.ts"
import { Rejected, Unauthorized, VenueError } from "../../../src/venue/VenueError.ts"
import { about, market, order, remembering, until } from "../firstOrder.ts"

const validUntil = 1_000_000
const asked = (wallet: "manual" | "command"): BotEvent => ({
  _tag: "PaymentAsked",
  ...about,
  orderId: "order-1",
  depositAddress: "address-1",
  asset: "USDC",
  amount: order.inputAmount,
  wallet,
  validUntil
})
const money = { asset: "USDC", amount: order.inputAmount }
const made: BotEvent = { _tag: "PaymentMade", ...about, txHash: "tx", sender: "me" }
const unclear: BotEvent = { _tag: "PaymentUnclear", ...about, text: "killed" }
const doubt: BotEvent = { _tag: "FundingInDoubt", ...about, ...money, reason: "killed" }
const reported: BotEvent = { _tag: "PaymentReported", ...about, txHash: "tx" }
const pulled: BotEvent = { _tag: "CancelRequested", ...about, why: { code: "test", text: "pulled" } }
const unpaid: Partial<Order> = { depositedAmount: 0n, fillStatus: "AWAITING_DEPOSIT" }

const world = Effect.fnUntraced(function* (events: ReadonlyArray<BotEvent>) {
  const does: { shown: Partial<Order>; report: Effect.Effect<void, VenueError>; closed: string | undefined } = {
    shown: unpaid,
    report: Effect.void,
    closed: undefined
  }
  const told: Array<string> = []
  const tell = (what: string) => Effect.sync(() => void told.push(what))
  const venue = {
    getOrder: () => Effect.sync(() => ({ value: { ...order, ...does.shown } })),
    submitDeposit: ({ txHash }: { readonly txHash: string }) =>
      Effect.andThen(
        tell(`report ${txHash}`),
        Effect.suspend(() => Effect.as(does.report, { value: undefined }))
      )
  }
  const { books, context } = yield* remembering(venue, [...until("Bound"), ...events])
  const wallet = {
    kind: "command" as const,
    pay: ({ reference }: { readonly reference: string }) =>
      Effect.as(tell(`pay ${reference}`), { txHash: "tx-2", sender: undefined })
  }
  const driver = yield* Driver.make.pipe(
    Effect.provideService(Wallet, wallet),
    Effect.provide(Layer.mock(IntentGuard)({})),
    Effect.provideContext(context)
  )
  const state = () => books.state.placements.get("p1")
  /** A look after so long; what the wallet and the venue were asked meanwhile. */
  const lookAfter = Effect.fnUntraced(function* (millis: number, payAgain: ReadonlyArray<string> = []) {
    yield* TestClock.adjust(millis)
    const before = told.length
    const placement = state()
    if (placement?.state !== "funding" && placement?.state !== "in doubt") return told.slice(before)
    const gate = () => Effect.sync(() => does.closed)
    yield* driver.advance(placement, { market, gate, payAgain: new Set(payAgain) })
    return told.slice(before)
  })
  return { does, lookAfter, state }
})

describe("a wallet's payment that is made", () => {
  it.effect("is reported to the venue less and less often until the venue accepts the report", () =>
    Effect.gen(function* () {
      const { does, lookAfter, state } = yield* world([asked("command"), made])
      does.report = Effect.fail(
        new VenueError({ reason: new Rejected({ operation: "submit deposit", code: "no", text: "not yet" }) })
      )
      assert.deepStrictEqual(yield* lookAfter(0), ["report tx"])
      assert.isFalse(state()?.funding?.payment?.isReported)
      assert.deepStrictEqual(yield* lookAfter(999), [])
      does.report = Effect.void
      assert.deepStrictEqual(yield* lookAfter(1_000), ["report tx"])
      assert.isTrue(state()?.funding?.payment?.isReported)
      assert.deepStrictEqual(yield* lookAfter(60_000), [])
    })
  )

  it.effect("stops the bot if the venue requires other credentials", () =>
    Effect.gen(function* () {
      const { does, lookAfter } = yield* world([asked("command"), made])
      const reason = new Unauthorized({ operation: "submit deposit", text: "no key" })
      does.report = Effect.fail(new VenueError({ reason }))
      assert.include((yield* Effect.flip(lookAfter(0))).message, "submit deposit")
    })
  )
})

describe("a payment that is not made", () => {
  it.effect("is over ten minutes after the end of its order, and not before", () =>
    Effect.gen(function* () {
      const { does, lookAfter, state } = yield* world([asked("manual")])
      does.shown = { ...unpaid, fillStatus: "EXPIRED" }
      yield* lookAfter(validUntil - 1_000)
      yield* lookAfter(998)
      yield* lookAfter(1)
      assert.strictEqual(state()?.state, "funding")
      yield* lookAfter(599_999)
      assert.strictEqual(state()?.state, "funding")
      yield* lookAfter(1)
      assert.strictEqual(state()?.state, "dead")
    })
  )

  it.effect("is awaited while its order is open; a cancel checks at once, and a deposit counts", () =>
    Effect.gen(function* () {
      const { lookAfter, state } = yield* world([asked("manual")])
      for (let look = 0; look < 3; look += 1) yield* lookAfter(validUntil)
      assert.strictEqual(state()?.state, "funding")
      const withdrawn = yield* world([asked("manual"), pulled])
      withdrawn.does.shown = {}
      yield* withdrawn.lookAfter(0)
      assert.strictEqual(withdrawn.state()?.state, "open")
    })
  )

  it.effect("is in doubt if the program reports it as paid, or if its process is gone", () =>
    Effect.gen(function* () {
      const paid = yield* world([asked("command"), made, reported])
      paid.does.shown = { ...unpaid, fillStatus: "EXPIRED" }
      for (const wait of [validUntil, 600_000]) yield* paid.lookAfter(wait)
      assert.strictEqual(paid.state()?.state, "in doubt")
      const gone = yield* world([asked("command")])
      yield* gone.lookAfter(0)
      assert.deepStrictEqual([gone.state()?.state, gone.state()?.funding?.payment?.state], ["in doubt", "unclear"])
    })
  )
})

describe("an unclear payment", () => {
  const events = [asked("command"), unclear, doubt]
  it.effect("is made once more with the operator's approval for exactly this attempt", () =>
    Effect.gen(function* () {
      const { lookAfter, state } = yield* world(events)
      assert.deepStrictEqual(yield* lookAfter(0), [])
      assert.deepStrictEqual(yield* lookAfter(0, ["p1-2"]), [])
      assert.deepStrictEqual((yield* lookAfter(0, ["p1-1"])).slice(0, 1), ["pay p1-order-1-2"])
      assert.deepStrictEqual([state()?.state, state()?.funding?.payment?.txHash], ["funding", "tx-2"])
    })
  )

  it.effect("is not made again if a transfer is known, the gate is closed, or a deposit shows", () =>
    Effect.gen(function* () {
      const { does, lookAfter, state } = yield* world(events)
      does.shown = { ...unpaid, fillStatus: "KNOWN_DEPOSIT_TX" }
      assert.deepStrictEqual(yield* lookAfter(0, ["p1-1"]), [])
      does.shown = unpaid
      does.closed = "killed"
      assert.deepStrictEqual(yield* lookAfter(0, ["p1-1"]), [])
      does.shown = {}
      does.closed = undefined
      assert.deepStrictEqual(yield* lookAfter(0, ["p1-1"]), [])
      assert.strictEqual(state()?.state, "open")
    })
  )
})
