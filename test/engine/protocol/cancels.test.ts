/** Which cancels are due, how often they are sent, and what their answers mean. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import type { Order } from "../../../src/domain/Order.ts"
import { EngineSettings } from "../../../src/engine/EngineSettings.ts"
import { leaving } from "../../../src/engine/protocol/CancelCalls.ts"
import { Venue } from "../../../src/venue/Venue.ts"
import { OutcomeUnknown, Rejected, VenueError } from "../../../src/venue/VenueError.ts"
import { about, order, remembering, startedAnew, until } from "../firstOrder.ts"

const pulled: BotEvent = { _tag: "CancelRequested", ...about, why: { code: "test", text: "pulled" } }
const givenUp: BotEvent = { _tag: "Abandoned", ...about, reason: "test" }

type Says = Partial<Order> | "refuses" | "is silent"

const answerOf = (operation: string, says: Says) => {
  if (says === "refuses")
    return Effect.fail(new VenueError({ reason: new Rejected({ operation, code: "no", text: "not now" }) }))
  if (says === "is silent")
    return Effect.fail(new VenueError({ reason: new OutcomeUnknown({ operation, text: "lost" }) }))
  return Effect.succeed({ value: { ...order, ...says } })
}

/** A venue that answers as it is told, and is asked for every cancel that is due. */
const world = Effect.fnUntraced(function* (events: ReadonlyArray<BotEvent>) {
  const says: { cancel: Says; read: Says } = { cancel: "is silent", read: "is silent" }
  const asked: Array<string> = []
  const note = (what: string, answer: () => ReturnType<typeof answerOf>) =>
    Effect.andThen(
      Effect.sync(() => asked.push(what)),
      Effect.suspend(answer)
    )
  const venue = {
    cancelOrder: (id: string) => note(`cancel ${id}`, () => answerOf("cancel", says.cancel)),
    getOrder: (id: string) => note(`read ${id}`, () => answerOf("read", says.read))
  }
  const { books, context } = yield* remembering(venue, events)
  const { record, state, tries } = books
  const means = yield* Effect.provideContext(Effect.all({ venue: Venue, settings: EngineSettings }), context)
  const leavingAt = (now: number, isUnrecorded: boolean, isKilled: boolean) =>
    leaving({ ...means, books }, state.placements.values(), { now, isUnrecorded, isKilled, underWay: new Set() })
  const due = Effect.map(Clock.currentTimeMillis, (now) => leavingAt(now, false, state.killed !== undefined))
  /** What is to leave although nothing can be recorded. */
  const left = (isKilled = false) => leavingAt(0, true, isKilled)
  const hurry = Effect.map(Clock.currentTimeMillis, tries.hurry)
  /** Sends what is due after so long, and says what the venue was asked. */
  const sentAfter = Effect.fnUntraced(function* (millis: number) {
    yield* TestClock.adjust(millis)
    const before = asked.length
    for (const { cancel } of yield* due) yield* cancel
    return asked.slice(before)
  })
  const placement = () => state.placements.get("p1")
  return { sentAfter, hurry, left, placement, record, revive: tries.revive, says }
})

describe("a cancel", () => {
  it.effect("of an order is repeated less and less often until the venue reports the end", () =>
    Effect.gen(function* () {
      const { sentAfter, placement, says } = yield* world([...until("StatusSeen"), pulled])
      assert.deepStrictEqual(yield* sentAfter(0), ["cancel order-1"])
      assert.deepStrictEqual(yield* sentAfter(999), [])
      assert.deepStrictEqual(yield* sentAfter(1), ["cancel order-1"])
      assert.deepStrictEqual(yield* sentAfter(1_999), [])
      says.cancel = { fillStatus: "PENDING_CANCEL" }
      assert.deepStrictEqual(yield* sentAfter(1), ["cancel order-1"])
      says.cancel = { fillStatus: "CANCELED", refund: { status: "COMPLETED" }, payoutIsFinal: true }
      assert.deepStrictEqual(yield* sentAfter(4_000), ["cancel order-1"])
      assert.strictEqual(placement()?.state, "closing")
      assert.strictEqual(placement()?.refund, "none", "only a read shows that the money came back")
      assert.deepStrictEqual(yield* sentAfter(3_600_000), [])
    })
  )

  it.effect("that is refused is repeated less and less often, and the kill switch does not hurry it", () =>
    Effect.gen(function* () {
      const { sentAfter, hurry, placement, record, says } = yield* world([...until("StatusSeen"), pulled])
      says.cancel = "refuses"
      says.read = {}
      assert.deepStrictEqual(yield* sentAfter(0), ["cancel order-1", "read order-1"])
      for (const pause of [1_000, 2_000, 4_000]) yield* sentAfter(pause)
      yield* record({ _tag: "KillSwitch", on: true, reason: "test" })
      yield* hurry
      assert.deepStrictEqual(yield* sentAfter(7_999), [])
      says.read = { fillStatus: "CANCELED" }
      assert.deepStrictEqual(yield* sentAfter(1), ["cancel order-1", "read order-1"])
      assert.strictEqual(placement()?.state, "closing")
      assert.deepStrictEqual(yield* sentAfter(3_600_000), [])
    })
  )

  it.effect("without an answer is repeated within five seconds under the kill switch, and at once when hurried", () =>
    Effect.gen(function* () {
      const { sentAfter, hurry, record } = yield* world([...until("StatusSeen"), pulled])
      for (const pause of [0, 1_000, 2_000, 4_000, 8_000]) assert.lengthOf(yield* sentAfter(pause), 1)
      yield* record({ _tag: "KillSwitch", on: true, reason: "test" })
      assert.deepStrictEqual(yield* sentAfter(4_999), [])
      assert.lengthOf(yield* sentAfter(1), 1)
      yield* TestClock.adjust(1)
      yield* hurry
      assert.lengthOf(yield* sentAfter(0), 1)
    })
  )

  it.effect("is not due for an order without money, unless an earlier process may have paid it", () =>
    Effect.gen(function* () {
      const unpaid = yield* world([...until("Bound"), pulled])
      assert.deepStrictEqual(yield* unpaid.sentAfter(0), [])
      const doubted = yield* world([...until("Bound"), pulled, ...startedAnew])
      assert.deepStrictEqual(yield* doubted.sentAfter(0), ["cancel order-1"])
    })
  )
})

describe("the cancel of a spare order", () => {
  it.effect("is sent until the venue confirms it, and not once more", () =>
    Effect.gen(function* () {
      const { sentAfter, placement, says } = yield* world([...until("Bound"), givenUp])
      says.read = { fillStatus: "AWAITING_DEPOSIT", depositedAmount: 0n }
      assert.deepStrictEqual(yield* sentAfter(0), ["cancel order-1", "read order-1"])
      assert.deepStrictEqual(yield* sentAfter(999), [])
      assert.deepStrictEqual(yield* sentAfter(1), ["cancel order-1", "read order-1"])
      says.cancel = { fillStatus: "PENDING_CANCEL", depositedAmount: 0n }
      assert.deepStrictEqual(yield* sentAfter(2_000), ["cancel order-1"])
      assert.deepStrictEqual([...(placement()?.spares ?? [])], [["order-1", true]])
      assert.deepStrictEqual(yield* sentAfter(60_000), [])
    })
  )

  it.effect("that finds money in it makes it ours", () =>
    Effect.gen(function* () {
      const { sentAfter, placement, says } = yield* world([
        ...until("CreateSent"),
        { _tag: "OrphanSeen", ...about, orderId: "order-1" }
      ])
      says.cancel = { fillStatus: "PENDING_CANCEL" }
      assert.deepStrictEqual(yield* sentAfter(0), ["cancel order-1"])
      assert.strictEqual(placement()?.order?.id, "order-1")
      assert.deepStrictEqual(yield* sentAfter(60_000), [])
    })
  )
})

describe("the cancel of a second order that has money in it", () => {
  it.effect("leaves the placement's own order in the books", () =>
    Effect.gen(function* () {
      const { sentAfter, placement, says } = yield* world([
        ...until("StatusSeen"),
        { _tag: "OrphanSeen", ...about, orderId: "order-2" }
      ])
      says.cancel = { id: "order-2", fillStatus: "PENDING_CANCEL" }
      assert.deepStrictEqual(yield* sentAfter(0), ["cancel order-2"])
      assert.strictEqual(placement()?.order?.id, "order-1")
    })
  )
})

describe("the cancel of an order that the operator has forgotten", () => {
  it.effect("is sent only under the kill switch, until the order is over", () =>
    Effect.gen(function* () {
      const { sentAfter, placement, record, says } = yield* world([
        ...until("StatusSeen"),
        { _tag: "Resolved", ...about, word: "forget", text: "test" }
      ])
      assert.isUndefined(placement())
      assert.deepStrictEqual(yield* sentAfter(0), [])
      yield* record({ _tag: "KillSwitch", on: true, reason: "test" })
      says.cancel = { fillStatus: "PENDING_CANCEL" }
      assert.deepStrictEqual(yield* sentAfter(0), ["cancel order-1"])
      assert.deepStrictEqual(yield* sentAfter(999), [])
      says.cancel = { fillStatus: "CANCELED" }
      assert.deepStrictEqual(yield* sentAfter(1), ["cancel order-1"])
      assert.deepStrictEqual(yield* sentAfter(60_000), [])
    })
  )
})

describe("a cancel that cannot be recorded", () => {
  it.effect("is sent all the same until the order is over, by the answer or by the order itself", () =>
    Effect.gen(function* () {
      const { left, revive, says } = yield* world(until("StatusSeen"))
      const withdraw = Effect.suspend(() => Effect.forEach(left(), ({ cancel }) => cancel))
      says.read = { fillStatus: "CANCELED" }
      yield* withdraw
      assert.lengthOf(left(), 1, "nobody has answered")
      says.cancel = "refuses"
      yield* withdraw
      assert.lengthOf(left(), 0)
      revive("p1")
      assert.lengthOf(left(), 1)
      says.cancel = { fillStatus: "OPEN" }
      yield* withdraw
      assert.lengthOf(left(), 1)
      says.cancel = { fillStatus: "CANCELED" }
      yield* withdraw
      assert.lengthOf(left(), 0)
    })
  )

  it.effect("is sent for all orders under the kill switch, including those missing from the journal", () =>
    Effect.gen(function* () {
      const forgotten: BotEvent = {
        _tag: "JournalBehind",
        orderId: "order-9",
        depositAddress: "address-9",
        market: "BTC/USDC",
        asset: "USDC",
        amount: 1n,
        deposited: 1n,
        status: "OPEN"
      }
      const { left, says } = yield* world([...until("StatusSeen"), forgotten])
      const named = (isKilled: boolean) => left(isKilled).map(({ orderId }) => orderId)
      assert.deepStrictEqual([named(false), named(true)], [["order-1"], ["order-1", "order-9"]])
      says.cancel = { fillStatus: "CANCELED" }
      for (const { cancel } of left(true)) yield* cancel
      assert.deepStrictEqual(named(true), [])
    })
  )
})
