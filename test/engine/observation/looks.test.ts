/** What a look makes of what it is shown: failures of reads, and orders that no answer told of. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import type { Order } from "../../../src/domain/Order.ts"
import * as Observation from "../../../src/engine/observation/Observation.ts"
import { adopt } from "../../../src/engine/tracking/OrderTracker.ts"
import { OutcomeUnknown, Rejected, RetryLater, VenueError } from "../../../src/venue/VenueError.ts"
import { about, market, order, placementAfter, remembering, startedAnew, until } from "../firstOrder.ts"

const markets = new Map([[market.name, market]])
const operation = "read order"
const unpaid = { depositedAmount: 0n, fillStatus: "AWAITING_DEPOSIT" }

interface Shown {
  readonly listed?: ReadonlyArray<Order>
  readonly read?: VenueError["reason"]
}

/** One look at a venue that lists these orders and fails to show any by itself. */
const look = Effect.fnUntraced(function* (events: ReadonlyArray<BotEvent>, { listed = [], read }: Shown) {
  const reason = read ?? new Rejected({ operation, code: "not-found", text: "none", status: 404 })
  const venue = {
    listOrders: () => Effect.succeed({ value: { orders: listed, odd: [] } }),
    getOrder: () => Effect.fail(new VenueError({ reason }))
  }
  const { books, context } = yield* remembering(venue, events)
  const observation = yield* Effect.provideContext(Observation.make, context)
  const before = books.state.sequence
  const problem = yield* observation.look(markets, new Map())
  const after = books.state.sequence
  return { problem, recorded: after - before, placement: books.state.placements.get("p1") }
})

describe("an order that cannot be read", () => {
  const away = [
    ["no answer", new OutcomeUnknown({ operation, text: "no answer" })],
    ["a request to wait", new RetryLater({ operation, afterMillis: 1_000, text: "busy", status: 503 })]
  ] as const
  it.effect.each(away)("is not an event because of %s: the venue is away", ([, read]) =>
    Effect.gen(function* () {
      const { problem, recorded } = yield* look(until("StatusSeen"), { read })
      assert.isDefined(problem)
      assert.strictEqual(recorded, 0)
    })
  )

  it.effect("because of an odd answer is reported, and the venue counts as present", () =>
    Effect.gen(function* () {
      const read = new OutcomeUnknown({ operation, text: "quantity is a list", status: 200 })
      const { placement, problem, recorded } = yield* look(until("StatusSeen"), { read })
      assert.isUndefined(problem)
      assert.strictEqual(recorded, 1)
      assert.include(placement?.unreadable?.why ?? "", "quantity is a list")
    })
  )
})

describe("an order with the terms and the deadline of a placement", () => {
  it.effect("is bound to it if its create has no answer, and counts its money if it has some", () =>
    Effect.gen(function* () {
      const created = yield* look(until("CreateSent"), { listed: [{ ...order, ...unpaid }] })
      assert.strictEqual(created.placement?.state, "created")
      const paid = yield* look(until("CreateSent"), { listed: [order] })
      assert.strictEqual(paid.placement?.order?.id, order.id)
      assert.isUndefined(paid.placement?.contradiction)
    })
  )

  it.effect("is foreign before anything is created, unless it is paid or the create may be forgotten", () =>
    Effect.gen(function* () {
      const planned = yield* look(until("Planned"), { listed: [{ ...order, ...unpaid }] })
      assert.deepStrictEqual([planned.placement?.state, planned.recorded], ["planned", 0])
      const paid = yield* look(until("Planned"), { listed: [order] })
      assert.deepStrictEqual([paid.placement?.order?.id, paid.placement?.mayBePaid], [order.id, true])
      const forgotten = yield* look([...until("Planned"), ...startedAnew], { listed: [order] })
      assert.strictEqual(forgotten.placement?.order?.id, order.id)
    })
  )

  it.effect("is neither bound nor adopted if the venue leaves out a term", () =>
    Effect.gen(function* () {
      const silent: Order = { ...order, unsaid: ["quantity"] }
      assert.deepStrictEqual(adopt(placementAfter("Bound"), silent), [])
      assert.lengthOf(adopt(placementAfter("Bound"), order), 1)
      assert.isUndefined((yield* look(until("CreateSent"), { listed: [silent] })).placement?.order)
    })
  )

  it.effect("is a spare one beside its own, reported once, unless the money is in it", () =>
    Effect.gen(function* () {
      const twin = { ...order, ...unpaid, id: "twin" }
      const spare = yield* look(until("Bound"), { listed: [twin] })
      assert.deepStrictEqual([...(spare.placement?.spares ?? [])], [["twin", false]])
      const known: BotEvent = { _tag: "OrphanSeen", ...about, orderId: "twin" }
      assert.strictEqual((yield* look([...until("Bound"), known], { listed: [twin] })).recorded, 0)
      const paid = yield* look(until("Bound"), { listed: [{ ...order, id: "twin" }] })
      assert.strictEqual(paid.placement?.order?.id, "twin")
      const late = yield* look(until("StatusSeen"), { listed: [{ ...order, id: "twin" }] })
      assert.strictEqual(late.placement?.order?.id, order.id)
    })
  )
})
