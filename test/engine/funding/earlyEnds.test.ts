/** A venue that says of living orders that they are over, and refunded, must not be paid again and again. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { unfinished } from "../../../src/engine/state/BotState.ts"
import { inVirtualTime, ladder, make, openOrders, resting, until } from "../botWorld.ts"

interface Attributes {
  [name: string]: unknown
}

const isAttributes = (value: unknown): value is Attributes => typeof value === "object" && value !== null

/** Every funded order of an answer, as if it had ended so. */
const ended = (status: string) => (_request: unknown, body: unknown) => {
  const data = isAttributes(body) ? body["data"] : undefined
  for (const order of Array.isArray(data) ? data : [data]) {
    const attributes = isAttributes(order) ? order["attributes"] : undefined
    if (!isAttributes(attributes) || attributes["fillStatus"] !== "OPEN") continue
    Object.assign(attributes, {
      fillStatus: status,
      payoutStatus: "COMPLETED",
      isPayoutStatusFinal: true,
      payouts: { withdrawal: null, allWithdrawals: [], refund: { status: "COMPLETED", txHash: "word" } }
    })
  }
  return body
}

describe("orders that end before their time", () => {
  for (const status of ["CANCELED", "EXPIRED"]) {
    it.effect(`${status} by a word were paid again and again; after those in the market their strategy waits`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const world = yield* make
          world.network.reply = ended(status)
          const bot = yield* world.run({ strategies: [ladder(4)] })
          const signed = Effect.map(bot.events, (events) =>
            events.filter(({ event }) => event._tag === "FundingSigned")
          )
          yield* until(
            () => bot.state.strategies.get("ladder")?.paused?.limit === "early-ends",
            600_000,
            "it is paused"
          )
          const { length } = yield* signed
          assert.isAtMost(length, 4 + 2)
          yield* Effect.sleep("10 minutes")
          assert.lengthOf(yield* signed, length)

          world.network.reply = (_request, body) => body
          const books = Context.get(bot.context, Bookkeeper)
          yield* books.record({ _tag: "Resumed", strategy: "ladder", reason: "looked at" })
          yield* until(() => openOrders(bot).length === 4, 600_000, "all slots trade again")
        })
      )
    )
  }

  it.effect("those of a cancel of ours count for nothing", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting({ strategies: [ladder(4)] }, 4)
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* until(() => unfinished(process.state).length === 0, 300_000, "all are back")
        world.setWithdraw(undefined)
        yield* until(() => openOrders(process).length === 4, 300_000, "all rest again")
        assert.isUndefined(process.state.strategies.get("ladder")?.endedEarly)
      })
    )
  )
})
