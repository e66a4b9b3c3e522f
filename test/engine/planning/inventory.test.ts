/**
 * A maker at a venue that cancels slowly: what is being withdrawn may still fill, and counts until it is gone. Judged by the
 * fills in the journal, at every moment.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Reserve from "../../../src/journal/Reserve.ts"
import { firstOf, isLong } from "../../long.ts"
import { inVirtualTime, makeWith } from "../../world/bot/botWorld.ts"

const minute = 60_000
const maker = (more: string) => `name: maker
market: BTC/USDC
kind: market-making
limits: { budget: { base: 0.03, quote: 3000 } }
market-making: { levels: 3, step: 0.02%, size: 0.003, maxInventory: 0.006, ${more} }
`
const most = 600_000n
const minutes = isLong ? 15 : 5

describe("maxInventory", () => {
  it.effect.each(
    firstOf(1, ["spread: 0.06%, requote: 0.03%, sizeSkew: 60%", "spread: 0.04%, requote: 0.05%, skew: 0.01%"])
  )("counts orders that are being cancelled and may still fill: %s", (more) =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* makeWith(() => Reserve.none, {
          cancelMillis: [3 * minute, 5 * minute],
          fillWhileCancellingShare: 1
        })
        const bot = yield* world.run({ strategies: [maker(more)] })
        yield* Effect.sleep(minutes * minute)
        let [inventory, fills, denied] = [0n, 0, 0]
        for (const { event } of yield* bot.events) {
          if (event._tag === "Denied" && event.limit === "leaving-orders") denied++
          if (event._tag !== "FillSeen") continue
          const bought = event.side === "BUY" ? event.amountOut : -event.amountIn
          fills++
          inventory += bought
          const now = `${inventory} after ${fills} fills`
          assert.isTrue(inventory <= most && -inventory <= most, now)
        }
        assert.isAbove(fills, minutes)
        assert.isAbove(denied, 0)
      })
    )
  )
})
