/** A journal that was removed or replaced under the running bot: nothing new is begun, it is told once, and the kill switch works. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { unfinished } from "../../src/engine/state/BotState.ts"
import { LeaseLost } from "../../src/journal/Lease.ts"
import { inVirtualTime, isCancel, ladder, make, openOrders, until } from "../world/bot/botWorld.ts"

describe("a removed journal", () => {
  it.effect("stops trading and raises an alarm", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let lost: string | undefined = "journal.sqlite was removed."
        const bot = yield* world.run({
          strategies: [ladder(4)],
          beside: Layer.succeed(
            LeaseLost,
            Effect.sync(() => lost)
          )
        })
        yield* Effect.sleep(30_000)
        assert.isEmpty(world.network.sent.filter(({ method, path }) => method === "POST" && path.endsWith("/orders")))
        const told = Effect.map(bot.events, (events) => events.filter(({ event }) => event._tag === "LeaseLost").length)
        assert.strictEqual(yield* told, 1)

        lost = undefined
        yield* until(() => openOrders(bot).length === 4, 60_000, "four orders rest")
        assert.isUndefined(bot.state.leaseLost, "it is the same file again, and the alarm goes on")
        lost = "journal.sqlite was removed."
        yield* Effect.sleep(20_000)
        assert.strictEqual(yield* told, 2, "it is gone again, and nobody is told")
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* until(() => world.network.sent.filter(isCancel).length === 4, 1_000, "their cancels")
        yield* until(() => unfinished(bot.state).length === 0, 60_000, "all the money is back")
      })
    )
  )
})
