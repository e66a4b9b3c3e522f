/** What a strategy is done with for good waits for nothing, and every surface says so. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { unfinished } from "../../src/engine/state/BotState.ts"
import * as Reserve from "../../src/journal/Reserve.ts"
import { slotsOf } from "../../src/views/Slots.ts"
import { assets, inVirtualTime, ladder, make, makeWith, until } from "../world/bot/botWorld.ts"

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

  it.effect("name the stop that follows the price now, not that of the exit's placement", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* makeWith(() => Reserve.none, { speed: 0 })
        const to = (price: number) => world.tell("/sandbox/prices", { prices: { "BTC/USDC": price } })
        yield* to(60_000)
        const bot = yield* world.run({
          strategies: [
            `name: trail
market: BTC/USDC
kind: bracket
limits: { budget: { quote: 1000 } }
bracket: { side: buy, size: { quote: 500 }, entry: 60100, takeProfit: 66000, stop: 58000, trail: 2% }
`
          ]
        })
        const exit = () =>
          slotsOf(bot.state, bySymbol, new Map()).find(({ side, state }) => side === "SELL" && state === "open")
        yield* until(() => exit() !== undefined, 240_000, "the exit is open")
        yield* to(63_000)
        yield* until(() => exit()?.why.includes("stop 61740") === true, 60_000, "the stop has followed")
      })
    )
  )
})
