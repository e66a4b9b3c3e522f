/** Two bots on one account, each with its own journal, that by chance want the very same orders at the very same time. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inVirtualTime, isCancel, ladder, make, openOrders, until } from "./botWorld.ts"

describe("two bots on one account", () => {
  it.effect("neither cancels, adopts or funds an order of the other", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const first = yield* world.run({ strategies: [ladder(5)] })
        const second = yield* world.run({ strategies: [ladder(5)], ownJournal: true })
        yield* until(() => openOrders(first).length === 5 && openOrders(second).length === 5, 60_000, "ten rest")
        const seconds = ({ state }: typeof first) =>
          [...state.placements.values()].map(({ deadline }) => Math.trunc(deadline / 1000))
        assert.isTrue(
          seconds(first).some((second_) => seconds(second).includes(second_)),
          "deadlines meet in the same second"
        )
        yield* Effect.sleep(30_000)
        assert.isEmpty(world.network.sent.filter(isCancel))
        const ids = [...openOrders(first), ...openOrders(second)].map(({ order }) => order?.id)
        assert.strictEqual(new Set(ids).size, 10)
        assert.isEmpty([...first.state.placements.values()].flatMap(({ orphans }) => [...orphans]))
      })
    )
  )
})
