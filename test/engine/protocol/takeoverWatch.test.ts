/** What an earlier process began is watched, and given up when no deposit shows: its slot must not wait for ever. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { EngineSettings } from "../../../src/engine/EngineSettings.ts"
import { checkTakenOver } from "../../../src/engine/protocol/Calls.ts"
import { Venue } from "../../../src/venue/Venue.ts"
import { about, market, order, remembering, startedAnew, until } from "../firstOrder.ts"

describe("an order that an earlier process began", () => {
  it.effect("frees its slot if the venue has ended it and shows a refund of nothing", () =>
    Effect.gen(function* () {
      const over = {
        ...order,
        fillStatus: "CANCELED",
        depositedAmount: 0n,
        refund: { status: "COMPLETED" as const, txHashes: [] },
        payoutIsFinal: true
      }
      const venue = {
        getOrder: () => Effect.succeed({ value: over }),
        listOrders: () => Effect.succeed({ value: { orders: [] } })
      }
      const { books, context } = yield* remembering(venue, [...until("Bound"), ...startedAnew])
      const settings = yield* Effect.provideContext(EngineSettings, context)
      const means = { books, settings, venue: yield* Effect.provideContext(Venue, context) }
      const placement = books.state.placements.get(about.placement)
      assert.isDefined(placement)
      yield* TestClock.adjust("1 hour")
      yield* checkTakenOver(means, placement, market)
      assert.strictEqual(books.state.placements.get(about.placement)?.state, "abandoned")
    })
  )
})
