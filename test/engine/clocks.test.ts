/** Clocks that are wrong, on this machine, from the start or suddenly. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as Problems from "../../src/engine/funding/Problems.ts"
import { unfinished } from "../../src/engine/state/BotState.ts"
import { chainAccount } from "../../src/venue/VenueConfig.ts"
import { assets, inVirtualTime, isCancel, ladder, make, openOrders, resting, until } from "../world/bot/botWorld.ts"

const isSubmit = ({ path }: { readonly path: string }) => path.endsWith("/v0/submit-intent")

/** Every order in the answer has ended. */
const ended = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body).replace(/"fillStatus":"[A-Z_]+"/g, '"fillStatus":"CANCELED"'))

/** What is cancelled is open in this answer. */
const open = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body).replace(/"fillStatus":"CANCELED"/g, '"fillStatus":"OPEN"'))

describe("clocks", () => {
  it.effect("that go back an hour stop no request, nor the kill switch", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process: bot } = yield* resting({ strategies: [ladder(4)] }, 4)
        world.setClockAhead(-3_600_000)
        world.network.sent.length = 0
        yield* Effect.sleep(15_000)
        assert.isAbove(world.network.sent.length, 2)
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* until(() => world.network.sent.filter(isCancel).length >= 4, 1_500, "four cancels")
        world.setWithdraw(undefined)
        yield* until(() => openOrders(bot).length === 0, 60_000, "all are cancelled")
      })
    )
  )

  it.effect.each([40_000, 130_000, -45_000])("that are %i ms ahead let nothing be funded, die or freeze", (ahead) =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        world.setClockAhead(ahead)
        const bot = yield* world.run({ strategies: [ladder(3)] })
        yield* Effect.sleep(60_000)
        assert.isEmpty(world.network.sent.filter(isSubmit))
        assert.closeTo(bot.state.clock?.skewMillis ?? 0, ahead, 1_500)
        assert.isFalse(bot.state.clock?.ok)
        world.setClockAhead(0)
        yield* until(() => openOrders(bot).length === 3, 60_000, "it goes on when the clock is right")
        assert.isTrue(bot.state.clock?.ok)
        assert.isEmpty([...bot.state.slots.values()].filter(({ frozen }) => frozen !== undefined))
      })
    )
  )

  it.effect("that jump ahead make no order live on that is shown open for some seconds after its end", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process: bot, world } = yield* resting({ strategies: [ladder(2)] }, 2)
        world.network.bend = (request) => (request.url.endsWith("/cancel") ? { status: 503, body: {} } : undefined)
        world.setWithdraw({ code: "test", text: "test" })
        const order = () => bot.state.placements.get("p1")
        yield* until(() => order()?.cancel !== undefined, 10_000, "it is to be cancelled")
        yield* world.cancel(order()?.order?.id ?? "")
        yield* until(() => order()?.state === "closing", 60_000, "it is over")
        world.network.reply = (request, body) => (request.method === "GET" ? open(body) : body)
        yield* Effect.sleep("3 seconds")
        world.setClockAhead(3_600_000)
        yield* Effect.sleep("3 seconds")
        assert.strictEqual(order()?.state, "closing")
        assert.isUndefined(order()?.contradiction)
      })
    )
  )

  it.effect("that jump ahead while orders are funded kill no payment", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const bot = yield* world.run({ strategies: [ladder(4)] })
        yield* until(() => world.network.sent.some(isSubmit), 60_000, "the first payment")
        world.setClockAhead(200_000)
        yield* Effect.sleep(30_000)
        assert.isEmpty(
          [...bot.state.placements.values()].filter(({ state }) => state === "dead" || state === "in doubt")
        )
        world.setClockAhead(0)
        yield* until(() => openOrders(bot).length === 4, 90_000, "all rest in the end")
      })
    )
  )
})

describe("a clock that jumps a day ahead", () => {
  const dayMillis = 86_400_000

  it.effect("keeps a payment that a person is about to make", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const own = new Map(assets.map(({ id }) => [id, "bc1qours"]))
        const bot = yield* world.run({
          strategies: [ladder(2)],
          pace: { paymentVisibilityMillis: 90_000 },
          account: chainAccount(world.signerId, { recipients: own, refundTo: own })
        })
        const asked = () => unfinished(bot.state).filter(({ state }) => state === "funding").length
        yield* until(() => asked() === 2, 60_000, "two payments are asked for")
        world.network.reply = (request, body) => (request.method === "GET" ? ended(body) : body)
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* Effect.sleep(30_000)
        world.setClockAhead(dayMillis)
        yield* Effect.sleep(30_000)
        assert.strictEqual(asked(), 2, "a minute after the end of their orders they may still be on their way")
        yield* until(() => asked() === 0, 60_000, "later nobody will pay them any more")
      })
    )
  )

  it.effect("rejects the operator's answer that a payment is unpaid while it can still be executed", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        world.network.bend = ({ url }) => (url.endsWith("/v0/submit-intent") ? { status: 503, body: {} } : undefined)
        const bot = yield* world.run({ strategies: [ladder(2)] })
        yield* until(() => unfinished(bot.state).some(({ state }) => state === "funding"), 60_000, "it is sent")
        world.setClockAhead(30 * dayMillis)
        yield* until(() => bot.state.clock?.ok === false, 60_000, "the clocks are compared")
        const now = yield* Clock.currentTimeMillis
        assert.isEmpty(Problems.problemsOf(bot.state, now + 30 * dayMillis))
      })
    )
  )
})

describe("an order that leaves a list of one page", () => {
  it.effect("is read by itself at the next poll, at any distance from the price", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const bot = yield* world.run({ strategies: [ladder(12)] })
        yield* until(() => openOrders(bot).length === 12, 60_000, "twelve orders rest")
        const gone = openOrders(bot)[5]?.order?.id
        world.network.reply = (request, body) => {
          if (request.method !== "GET" || !new URL(request.url).pathname.endsWith("/orders")) return body
          const { data, ...rest } = body as { data: ReadonlyArray<{ id: string }> }
          return { ...rest, data: data.filter(({ id }) => id !== gone) }
        }
        const read = () => world.network.sent.some(({ method, path }) => method === "GET" && path.endsWith(`/${gone}`))
        yield* until(read, 15_000, "it is read")
      })
    )
  )
})
