/** A running bot compares its records by itself: a stranger's order is named once, never touched, and gone when it is gone. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Background from "../../../src/engine/reconciliation/Background.ts"
import { HistoryStore } from "../../../src/journal/HistoryStore.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { History } from "../../../src/venue/History.ts"
import { assets, inVirtualTime, isCancel, ladder, make, openOrders, until } from "../botWorld.ts"

/** Without a partner and without private money neither is asked. */
const unasked = Layer.mergeAll(
  Layer.mock(History)({}),
  Layer.mock(HistoryStore)({}),
  Sqlite.layer({ filename: ":memory:" })
)

describe("reconciliation in the background", () => {
  it.effect("names the orders of another bot once, and says when all agrees again", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const first = yield* world.run({ strategies: [ladder(3)] })
        yield* until(() => openOrders(first).length === 3, 60_000, "three rest")
        const own = new Set([world.signerId])
        const watched = { own, hasHistory: false, markets: { assets, ticks: new Map() }, isPrivate: new Set<string>() }
        const look = yield* Background.make(watched).pipe(Effect.provideContext(first.context))
        const found = look.pipe(Effect.provideContext(first.context), Effect.provide(unasked))
        const told = Effect.map(first.events, (events) =>
          events.flatMap(({ event }) => (event._tag === "Reconciled" ? [event] : []))
        )
        assert.deepStrictEqual((yield* found).foreign, [])
        assert.deepStrictEqual(yield* told, [], "nothing to tell")

        const second = yield* world.run({ strategies: [ladder(2, "other")], ownJournal: true })
        yield* until(() => openOrders(second).length === 2, 60_000, "two more rest")
        const strangers = openOrders(second).map(({ order }) => order?.id ?? "")
        const seen = yield* found
        assert.sameMembers(
          seen.foreign.map(({ subject }) => subject),
          strangers
        )
        assert.deepStrictEqual(seen.contradictions, [])
        yield* found
        assert.strictEqual((yield* told).length, 1, "said once")
        assert.isEmpty(world.network.sent.filter(isCancel))
        assert.strictEqual(openOrders(first).length, 3)

        // Orders that end while nobody looks are still no strangers, and the others are gone once they are paid back.
        yield* second.stop
        world.network.reply = (_request, body) => ({
          ...Object(body),
          ...(Array.isArray(Object(body).data) ? { data: [] } : {})
        })
        yield* found
        const [last] = (yield* told).slice(-1)
        assert.deepStrictEqual([last?.foreign, last?.contradictions], [[], []])
        yield* first.stop
      })
    )
  )
})
