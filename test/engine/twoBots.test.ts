/** Two bots on one account, each with its own journal, that by chance want the very same orders at the very same time. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inVirtualTime, isCancel, ladder, make, openOrders, until } from "../world/bot/botWorld.ts"

describe("two bots on one account", () => {
  it.effect("neither cancel, adopt nor fund each other's orders", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const first = yield* world.run({ strategies: [ladder(5)] })
        const second = yield* world.run({ strategies: [ladder(5)], ownJournal: true })
        yield* until(() => openOrders(first).length === 5 && openOrders(second).length === 5, 60_000, "ten rest")
        yield* Effect.sleep(30_000)
        assert.isEmpty(world.network.sent.filter(isCancel))
        const ids = [...openOrders(first), ...openOrders(second)].map(({ order }) => order?.id)
        assert.strictEqual(new Set(ids).size, 10)
        assert.isEmpty([...first.state.placements.values()].flatMap(({ spares }) => [...spares]))
      })
    )
  )

  it.effect("do not do so at a venue that drops milliseconds either, when creates get lost", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let creates = 0
        world.network.bend = ({ method, url }) => {
          if (method !== "POST" || !url.endsWith("/v0/orders")) return undefined
          creates += 1
          return creates % 2 === 0 && creates < 12 ? "fails" : undefined
        }
        world.network.reply = (_request, body) =>
          JSON.parse(JSON.stringify(body).replace(/("deadline":"[^"]*)\.\d+Z/g, "$1.000Z"))
        const first = yield* world.run({ strategies: [ladder(5)] })
        const second = yield* world.run({ strategies: [ladder(5)], ownJournal: true })
        yield* until(() => openOrders(first).length === 5 && openOrders(second).length === 5, 300_000, "ten rest")
        const ids = [...openOrders(first), ...openOrders(second)].map(({ order }) => order?.id)
        assert.strictEqual(new Set(ids).size, 10)
        assert.isEmpty(world.network.sent.filter(isCancel))
        for (const { events } of [first, second]) {
          const attempts = new Map<string, Array<number>>()
          for (const { event } of yield* events)
            if (event._tag === "CreateSent")
              attempts.set(event.placement, [...(attempts.get(event.placement) ?? []), event.attempt])
          for (const counted of attempts.values())
            assert.deepStrictEqual(
              counted,
              counted.map((_, index) => index + 1)
            )
        }
      })
    )
  )
})
