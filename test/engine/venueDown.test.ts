/** A venue that is gone is told once a read has failed for the half minute that reads are repeated, and not long after. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { unfinished } from "../../src/engine/state/BotState.ts"
import { type Bend, inVirtualTime, ladder, make, openOrders, resting, start, until } from "../world/bot/botWorld.ts"

/** How long a read is repeated (`defaultPatience`), and a second for the last attempt to be given up. */
const toldMillis = 31_000

const cases: ReadonlyArray<readonly [string, Bend]> = [
  ["everything hangs", () => "hangs"],
  ["everything is refused by the network", () => "fails"],
  ["prices come, and no order can be read", ({ url }) => (url.includes("/orders") ? "hangs" : undefined)],
  ["orders can be read, and no price comes", ({ url }) => (url.endsWith("/v0/quote") ? "hangs" : undefined)]
]

describe("a venue that is gone", () => {
  for (const [what, bend] of cases) {
    it.effect(`is reported within seconds of the first failed read: ${what}`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const world = yield* make
          const bot = yield* world.run({ strategies: [ladder(6)] })
          yield* until(() => openOrders(bot).length === 6, 60_000, "six orders rest")
          world.network.sent.length = 0
          let askedAt: number | undefined
          world.network.bend = (request) => {
            const bent = bend(request)
            if (bent !== undefined && request.method === "GET") askedAt ??= world.network.sent.at(-1)?.at
            if (bent !== undefined && request.url.endsWith("/v0/quote")) askedAt ??= world.network.sent.at(-1)?.at
            return bent
          }
          yield* until(() => bot.state.venueDownSince !== undefined, 60_000, "somebody is told")
          const waited = (yield* Clock.currentTimeMillis) - (askedAt ?? start)
          assert.isAtMost(waited, toldMillis)
          // The outage counts from the first request without an answer, not from the report.
          assert.closeTo(bot.state.venueDownSince ?? 0, askedAt ?? start, 1_500)
          world.network.bend = () => undefined
          yield* until(() => bot.state.venueDownSince === undefined, 60_000, "it is back")
        })
      )
    )
  }

  it.effect("is reported as soon if it fails while an order is being funded", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let goneAt: number | undefined
        // The last check of an order before its funding is the first thing that gets no answer.
        world.network.bend = ({ method, url }) => {
          if (goneAt === undefined && method === "GET" && /orders\/[^?]/.test(url))
            goneAt = world.network.sent.at(-1)?.at
          return goneAt === undefined ? undefined : "hangs"
        }
        const bot = yield* world.run({ strategies: [ladder(2)] })
        yield* until(() => bot.state.venueDownSince !== undefined, 90_000, "somebody is told")
        assert.isAtMost((yield* Clock.currentTimeMillis) - (goneAt ?? start), toldMillis)
      })
    )
  )
})

describe("a credential that works", () => {
  const refused = { status: 401, body: { message: "unauthorized" } }

  it.effect("is one that the venue has accepted in this run; a bot without orders ends after two refusals", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        world.network.bend = () => refused
        const process = yield* world.run({ strategies: [ladder(2)] })
        yield* until(() => process.fiber.pollUnsafe() !== undefined, 2_000, "it ends")
        const quotes = world.network.sent.filter(({ path }) => path === "/v0/quote")
        assert.isAtLeast(quotes.length, 2)
      })
    )
  )

  it.effect("does not end the bot if one answer refuses it, but does if all refuse it", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process } = yield* resting({ strategies: [ladder(2)] }, 2)
        for (const path of [/\/orders$/, /\/quote$/]) {
          let isTold = false
          world.network.bend = ({ url }) => {
            if (isTold || !path.test(url)) return undefined
            isTold = true
            return refused
          }
          yield* Effect.sleep(20_000)
        }
        assert.isUndefined(process.fiber.pollUnsafe(), "the bot runs on")
        const downs = (yield* process.events).flatMap(({ event }) => (event._tag === "VenueDown" ? [event.reason] : []))
        assert.strictEqual(downs.length, 2)
        for (const reason of downs) assert.include(reason, "does not accept our credential")
        assert.isUndefined(process.state.venueDownSince)

        world.network.bend = () => refused
        yield* until(() => process.fiber.pollUnsafe() !== undefined, 20_000, "it ends when all answers refuse it")
      })
    )
  )

  it.effect("does not end the bot if it is refused again after an outage", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process } = yield* resting({ strategies: [ladder(2)] }, 2)
        const away = { status: 503, body: { message: "restarting" } }
        for (const _ of ["before", "after"]) {
          let isTold = false
          world.network.bend = ({ url }) => {
            if (isTold || !url.endsWith("/orders")) return away
            isTold = true
            return refused
          }
          yield* Effect.sleep(60_000)
          assert.isTrue(isTold)
        }
        assert.isUndefined(process.fiber.pollUnsafe(), "nobody refused it twice in a row")
      })
    )
  )

  it.effect("does not end the bot under the kill switch before its orders are cancelled", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process } = yield* resting({ strategies: [ladder(4)] }, 4)
        yield* Effect.sleep(20_000)
        world.network.bend = () => refused
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* Effect.sleep(60_000)
        world.network.bend = () => undefined
        yield* until(
          () => unfinished(process.state).length === 0,
          60_000,
          "everything is withdrawn once it is accepted"
        )
      })
    )
  )
})
