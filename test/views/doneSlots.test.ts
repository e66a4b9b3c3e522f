/** What a strategy is done with for good waits for nothing, and every surface says so. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { unfinished } from "../../src/engine/state/BotState.ts"
import { slotsOf } from "../../src/views/Slots.ts"
import { assets, inVirtualTime, ladder, make, until } from "../world/bot/botWorld.ts"

const bySymbol = new Map(assets.map((asset) => [asset.symbol, asset]))

describe("the slots of status", () => {
  it.effect("do not say that finished rungs wait to be placed", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const bot = yield* world.run({ strategies: [ladder(2, "ladder", "BTC/USDC", [65_000, 70_000])] })
        const isOver = () => bot.state.fills > 1 && unfinished(bot.state).length === 0
        yield* until(isOver, 240_000, "both rungs have filled")
        yield* Effect.sleep(10_000)
        const rows = slotsOf(bot.state, bySymbol, new Map())
        assert.lengthOf(rows, 2)
        for (const { state, why } of rows) {
          assert.strictEqual(state, "empty")
          assert.match(why, /^done: all its legs have filled: rung . of 2 buys/)
        }
      })
    )
  )
})
