/** Orders of which the venue says that they are over, or that there are none: what is lawful is no alarm, and the rest is told. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Problems from "../../../src/engine/funding/Problems.ts"
import { unfinished } from "../../../src/engine/state/BotState.ts"
import { inVirtualTime, ladder, make, openOrders, resting, until } from "../../world/bot/botWorld.ts"

const minute = 60_000
const isOrderOf =
  (ids: ReadonlySet<string>) =>
  ({ method, url }: { readonly method: string; readonly url: string }): boolean =>
    method === "GET" && [...ids].some((id) => url.endsWith(`/v0/orders/${id}`))

describe("orders that are missing at the venue", () => {
  it.effect("do not freeze their slot if they end unpaid while the bot is away", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const asked = { strategies: [ladder(2)], pace: { orderLifetimeMillis: 10 * minute } }
        // The answers to the creates never arrive.
        world.network.reply = (request, body) =>
          request.method === "POST" && request.url.endsWith("/v0/orders") ? "cut off" : body
        const first = yield* world.run(asked)
        yield* until(() => unfinished(first.state).length === 2, minute, "two creates are under way")
        yield* Effect.sleep(500)
        yield* first.stop
        yield* Effect.sleep(15 * minute)
        world.network.reply = (_request, body) => body
        const second = yield* world.run(asked)
        yield* until(() => openOrders(second).length === 2, 3 * minute, "both slots trade again")
        assert.deepStrictEqual(Problems.problemsOf(second.state, 0), [])
        const tags = (yield* second.events).map(({ event }) => event._tag)
        assert.notInclude(tags, "Contradiction")
        assert.strictEqual(tags.filter((tag) => tag === "FundingSigned").length, 2)
      })
    )
  )

  it.effect("are reported if our money is in them", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting({ strategies: [ladder(3)] }, 3)
        const denied = new Set(openOrders(process).flatMap(({ order }) => (order ? [order.id] : [])))
        const notFound = { errors: [{ status: "404", code: "order-not-found", title: "Not found" }] }
        world.network.bend = (request) => (isOrderOf(denied)(request) ? { status: 404, body: notFound } : undefined)
        world.network.reply = (request, body) =>
          request.method === "GET" && request.url.endsWith("/v0/orders") ? { data: [] } : body
        const missing = () => openOrders(process).filter((placement) => placement.missing !== undefined)
        const waited = yield* until(() => missing().length === 3, 5 * minute, "all three are told")
        assert.isAtLeast(waited, minute)
        const problems = Problems.problemsOf(process.state, 0)
        assert.deepStrictEqual(
          problems.map(({ kind }) => kind),
          ["stuck", "stuck", "stuck"]
        )
        assert.match(
          problems[0]?.evidence ?? "",
          /does not find our funded order .* \(order-not-found: .*check that venue\.apiKey made it/
        )
        yield* Effect.sleep(5 * minute)
        // It is said once, and they stay exposure.
        const tags = (yield* process.events).map(({ event }) => event._tag)
        assert.strictEqual(tags.filter((tag) => tag === "OrderMissing").length, 3)
        assert.strictEqual(openOrders(process).length, 3)

        world.network.bend = () => undefined
        world.network.reply = (_request, body) => body
        yield* until(() => missing().length === 0, 5 * minute, "they show again")
        assert.deepStrictEqual(Problems.problemsOf(process.state, 0), [])
      })
    )
  )
})
