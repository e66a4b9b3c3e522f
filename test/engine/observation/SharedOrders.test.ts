/** One read of the list for all accounts of a credential: each sees its own, as if it had read the list itself after it asked. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import type { Order } from "../../../src/domain/Order.ts"
import * as SharedOrders from "../../../src/engine/observation/SharedOrders.ts"
import { Rejected, VenueError } from "../../../src/venue/VenueError.ts"
import { inVirtualTime } from "../../world/bot/botWorld.ts"
import { reports } from "../tracking/orderLife.ts"

const [shown] = reports({ side: "SELL", fills: [], rest: 1n, withdrawFee: 0n, refundFee: 0n })

const order = (id: string, party: string, createdAt: number): Order => ({
  ...(shown ?? assert.fail("no order")),
  id,
  recipient: party,
  refundTo: party,
  createdAt
})

/** A list that grows; each page takes 20 ms, and shows what is there when it is asked for. */
const venueOf = (orders: Array<Order>) => {
  const seen = { pages: 0, reads: 0, fails: false }
  const listOrders = ({ cursor = "0" }: { readonly cursor?: string }) =>
    Effect.gen(function* () {
      seen.pages += 1
      if (cursor === "0") seen.reads += 1
      const from = Number(cursor)
      const shown = orders.toReversed().slice(from, from + 50)
      if (seen.fails)
        return yield* new VenueError({ reason: new Rejected({ operation: "list orders", code: "no", text: "no" }) })
      yield* Effect.sleep(20)
      const isLast = from + 50 >= orders.length
      return { value: { orders: shown, ...(isLast ? {} : { nextCursor: String(from + 50) }) } }
    })
  return { seen, listOrders }
}

const unfinished = { unfinishedOnly: true } as const
const idsOf = ({ value }: { readonly value: { readonly orders: ReadonlyArray<Order> } }) =>
  value.orders.map(({ id }) => id)

describe("the order list of a credential", () => {
  it.effect("is read once for all accounts of a fleet", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const orders = Array.from({ length: 200 }, (_, index) =>
          order(`order-${index}`, `account-${index % 20}`, index)
        )
        const venue = venueOf(orders)
        const { listOf } = yield* SharedOrders.make(venue)
        const lists = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, index) => `account-${index}`),
          (signerId) => listOf({ signerId }, venue.listOrders)(unfinished),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          lists.map(idsOf),
          Array.from({ length: 20 }, (_, index) =>
            Array.from({ length: 10 }, (_, turn) => `order-${index + turn * 20}`).toReversed()
          )
        )
        assert.deepStrictEqual([venue.seen.reads, venue.seen.pages], [1, 4])
        assert.isUndefined(lists[0]?.value.nextCursor)
      })
    )
  )

  it.effect("shows the orders at the time of the request, also to callers during the read", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const orders = Array.from({ length: 120 }, (_, index) => order(`old-${index}`, "other", index))
        const venue = venueOf(orders)
        const { listOf } = yield* SharedOrders.make(venue)
        const list = listOf({ signerId: "own" }, venue.listOrders)
        const first = yield* Effect.forkChild(list(unfinished))
        yield* Effect.sleep(50)
        orders.push(order("new", "own", 1_000))
        const second = yield* list(unfinished)
        assert.deepStrictEqual([idsOf(yield* Fiber.join(first)), idsOf(second)], [[], ["new"]])
        // What nobody can tell whose it is, everybody looks at.
        orders.push({ ...order("unsaid", "", 2_000), unsaid: ["refundTo"] })
        assert.deepStrictEqual(idsOf(yield* list(unfinished)), ["unsaid", "new"])
      })
    )
  )

  it.effect("is read as fast for many callers as for one, and a failure reaches only the callers who asked", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const venue = venueOf(Array.from({ length: 500 }, (_, index) => order(`order-${index}`, "own", index)))
        const { listOf } = yield* SharedOrders.make(venue)
        const list = listOf({ signerId: "own" }, venue.listOrders)
        const asking = yield* Effect.forkChild(
          Effect.forEach(
            Array.from({ length: 50 }, () => Effect.forever(list(unfinished))),
            (each) => each,
            { concurrency: "unbounded", discard: true }
          )
        )
        const from = yield* Clock.currentTimeMillis
        yield* Effect.sleep(60_000)
        const seconds = ((yield* Clock.currentTimeMillis) - from) / 1_000
        assert.isAtMost(venue.seen.pages / seconds, 10)
        assert.isAtLeast(venue.seen.pages / seconds, 8)
        yield* Fiber.interrupt(asking)
        venue.seen.fails = true
        assert.strictEqual((yield* Effect.flip(list(unfinished))).reason._tag, "Rejected")
        venue.seen.fails = false
        assert.lengthOf((yield* list(unfinished)).value.orders, 500)
        // Other questions are the account's own.
        const { pages } = venue.seen
        yield* list({ ...unfinished, statuses: ["OPEN"] })
        assert.strictEqual(venue.seen.pages, pages + 1)
      })
    )
  )
})
