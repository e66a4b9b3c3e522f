/** A venue that executes what it says it refuses, and hides the deposit, must not be paid again and again. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { inVirtualTime, ladder, make, openOrders, until } from "../botWorld.ts"

describe("payments that are refused each time", () => {
  it.effect("were signed anew for hours; after those in flight their strategy waits for a person", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let isRefusing = true
        world.network.bend = ({ url }) =>
          isRefusing && url.endsWith("/v0/submit-intent")
            ? { status: 400, body: { message: "insufficient balance or overflow" } }
            : undefined
        const bot = yield* world.run({ strategies: [ladder(2)] })
        const signed = Effect.map(bot.events, (events) => events.filter(({ event }) => event._tag === "FundingSigned"))
        yield* until(() => bot.state.strategies.get("ladder")?.paused !== undefined, 3_600_000, "it is paused")
        // Two more than slots: two are refused before the third says that it is no accident.
        const { length } = yield* signed
        assert.isAtMost(length, 2 + 2)
        assert.strictEqual(bot.state.strategies.get("ladder")?.paused?.limit, "refused-payments")
        yield* Effect.sleep("5 minutes")
        assert.lengthOf(yield* signed, length)

        isRefusing = false
        const books = Context.get(bot.context, Bookkeeper)
        yield* books.record({ _tag: "Resumed", strategy: "ladder", reason: "the account has it now" })
        yield* until(() => openOrders(bot).length === 2, 3_600_000, "all orders rest")
        assert.isUndefined(bot.state.strategies.get("ladder")?.refused)
      })
    )
  )
})
