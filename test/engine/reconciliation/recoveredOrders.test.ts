/** Orders that a new journal took over from the venue are orders like any others: their money counts once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as Ledger from "../../../src/domain/Ledger.ts"
import * as Recovery from "../../../src/engine/reconciliation/Recovery.ts"
import * as Tally from "../../../src/engine/state/Tally.ts"
import { orderPages } from "../../../src/engine/tracking/OrderReads.ts"
import { marketsByName } from "../../../src/Layers.ts"
import { Venue } from "../../../src/venue/Venue.ts"
import { assets, inVirtualTime, ladder, openOrders, resting, until } from "../../world/bot/botWorld.ts"

/** A budget that its three rungs use up. */
const tight = ladder(3).replace("quote: 6000", "quote: 3000")

describe("recovered orders", () => {
  it.effect("count once, and leave room in the budget for another order", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process: lost } = yield* resting({ strategies: [tight] }, 3)
        const [gone, ...stay] = openOrders(lost)
        yield* lost.stop
        yield* world.cancel(gone?.order.id ?? "")
        yield* Effect.sleep(30_000)

        const rebuilt = yield* world.run({ strategies: [], ownJournal: true })
        const markets = marketsByName({ assets, ticks: new Map() })
        const recover = Effect.gen(function* () {
          const pages = yield* Stream.runCollect(orderPages(yield* Venue))
          const orders = pages.flatMap((page) => page.orders)
          const { found } = Recovery.recover(orders, [], markets)
          for (const each of found) {
            const slot = stay.find(({ order }) => order.id === each.order.id)?.slot ?? ""
            yield* Recovery.takeIn({ ...each, strategy: "ladder", slot })
          }
        })
        yield* Effect.provideContext(recover, rebuilt.context)
        const earlier = (yield* rebuilt.events).map(({ event }) => event)
        yield* rebuilt.stop

        const bot = yield* world.run({ strategies: [tight], ownJournal: true, earlier })
        yield* until(() => openOrders(bot).length === 3, 60_000, "the third rung rests again")
        assert.strictEqual(Tally.of(bot.state, "ladder", 0).own.reserved.get("USDC"), undefined)
        assert.isTrue(Ledger.freeOf(bot.state.ledger, "ladder", "USDC") >= 0n)
      })
    )
  )
})
