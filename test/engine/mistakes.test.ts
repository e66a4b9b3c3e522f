/** An exception is a mistake of the program. It stays with the strategy or the order that it is about, is told, and stops no cancel. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Tag } from "../../src/domain/BotEvent.ts"
import type { Market } from "../../src/domain/Market.ts"
import { marketsByName } from "../../src/Layers.ts"
import type { Strategy } from "../../src/strategy/Strategy.ts"
import {
  assets,
  inVirtualTime,
  isCancel,
  ladder,
  make,
  openOrders,
  type Running,
  resting,
  until
} from "../world/bot/botWorld.ts"

const openOf = (process: Running, name: string) =>
  openOrders(process).filter(({ strategy }) => strategy === name).length

const countOf = (process: Running, tag: Tag) =>
  Effect.map(process.events, (events) => events.filter(({ event }) => event._tag === tag).length)

/** The strategy `odd` is asked at every turn, and throws while it is broken, another sentence each time. */
const breakable =
  (mistake: { readonly isMade: boolean; times: number }) =>
  (strategy: Strategy): Strategy => ({
    ...strategy,
    decide: (view, memory) => {
      const decision = strategy.decide(view, memory)
      if (strategy.name !== "odd") return decision
      mistake.times += 1
      if (mistake.isMade) throw new RangeError(`mistake ${mistake.times}`)
      return { ...decision, until: { ...decision.until, time: view.now + 1 } }
    }
  })

/** Markets of which one cannot be read at times. */
class Spoiled extends Map<string, Market> {
  isSpoiled = false
  override get(name: string) {
    if (this.isSpoiled && name === "SOL/USDC") throw new TypeError("cannot read it")
    return super.get(name)
  }
}

const killed = Effect.fnUntraced(function* (world: Effect.Success<typeof make>, orders: number) {
  world.network.sent.length = 0
  world.setWithdraw({ code: "kill-switch", text: "enough" })
  yield* until(() => world.network.sent.filter(isCancel).length === orders, 1_000, "every order has its cancel")
})

describe("a bug in the program", () => {
  it.effect("in the plan of one strategy stops neither the others nor a cancel, and is reported once", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const mistake = { isMade: true, times: 0 }
        const world = yield* make
        const process = yield* world.run({
          strategies: [ladder(2, "odd"), ladder(3, "even")],
          changed: breakable(mistake)
        })
        const failing = (name: string) => process.state.strategies.get(name)?.failing?.reason
        yield* until(() => openOf(process, "even") === 3 && mistake.times > 3, 60_000, "the other one's orders rest")
        assert.strictEqual(failing("odd"), "mistake 1")
        assert.isUndefined(failing("even"))
        assert.strictEqual(yield* countOf(process, "PlanFailed"), 1)

        mistake.isMade = false
        yield* until(() => openOf(process, "odd") === 2 && failing("odd") === undefined, 180_000, "it is planned again")
        assert.strictEqual(yield* countOf(process, "PlanMended"), 1)

        mistake.isMade = true
        yield* until(() => failing("odd") !== undefined, 120_000, "it fails again")
        yield* Effect.sleep("2 minutes")
        assert.strictEqual(openOf(process, "odd"), 2, "its orders stay as they are")
        yield* killed(world, 5)
        assert.isUndefined(process.fiber.pollUnsafe())
      })
    )
  )

  it.effect("that occurs every second time is reported once, and not as ended in between", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const mistake = {
          times: 0,
          get isMade() {
            return mistake.times % 2 === 1
          }
        }
        const world = yield* make
        const process = yield* world.run({ strategies: [ladder(2, "odd")], changed: breakable(mistake) })
        yield* until(() => mistake.times > 8, 300_000, "it was asked some times")
        assert.strictEqual(yield* countOf(process, "PlanFailed"), 1)
        assert.strictEqual(yield* countOf(process, "PlanMended"), 0)
      })
    )
  )

  it.effect("in one cancel, or in the search for cancels, stops no other cancel", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting({ strategies: [ladder(4)] }, 4)
        world.setWithdraw({
          text: "enough",
          get code(): string {
            throw new TypeError("cannot read it")
          }
        })
        yield* Effect.sleep(5_000)
        let odd: string | undefined
        world.network.bend = ({ url }) => {
          if (!url.endsWith("/cancel")) return undefined
          odd ??= url
          if (odd === url) throw new TypeError("cannot send it")
          return undefined
        }
        yield* killed(world, 4)
        yield* until(() => openOrders(process).length === 1, 10_000, "three of them are withdrawn")
        world.network.bend = () => undefined
        yield* until(() => openOrders(process).length === 0, 20_000, "and the fourth")
        assert.isUndefined(process.fiber.pollUnsafe())
      })
    )
  )

  it.effect("is no longer reported for a removed strategy", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const mistake = { isMade: true, times: 0 }
        const world = yield* make
        const first = yield* world.run({ strategies: [ladder(2, "odd")], changed: breakable(mistake) })
        const isFailing = ({ state }: Running) => state.strategies.get("odd")?.failing !== undefined
        yield* until(() => isFailing(first), 60_000, "it fails")
        yield* first.stop
        const second = yield* world.run({ strategies: [ladder(3, "even")] })
        yield* until(() => openOf(second, "even") === 3, 60_000, "the other one runs")
        assert.isFalse(isFailing(second))
      })
    )
  )

  it.effect("anywhere in a turn stops no cancel", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const mistake = { isMade: false }
        const world = yield* make
        const process = yield* world.run({
          strategies: [ladder(2, "odd"), ladder(3, "even")],
          changed: (strategy) => ({
            ...strategy,
            get market() {
              if (mistake.isMade && strategy.name === "odd") throw new TypeError("cannot read it")
              return strategy.market
            }
          })
        })
        yield* until(() => openOrders(process).length === 5, 60_000, "five orders rest")
        mistake.isMade = true
        yield* Effect.sleep("3 minutes")
        assert.isAtLeast(yield* countOf(process, "LoopFailed"), 1)
        yield* killed(world, 5)
        assert.isUndefined(process.fiber.pollUnsafe())
        assert.isAtMost(yield* countOf(process, "LoopFailed"), 2)
      })
    )
  )

  it.effect("in the work on one order stops no other order, and is reported once", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const markets = new Spoiled(marketsByName({ assets, ticks: new Map() }))
        const world = yield* make
        markets.isSpoiled = true
        const process = yield* world.run({
          strategies: [ladder(1, "odd", "SOL/USDC", [100, 100]), ladder(3, "even")],
          markets
        })
        yield* until(() => openOf(process, "even") === 3, 60_000, "the other orders rest")
        assert.strictEqual(yield* countOf(process, "LoopFailed"), 1)
        markets.isSpoiled = false
        yield* until(() => openOf(process, "odd") === 1, 60_000, "it is tried again")

        markets.isSpoiled = true
        yield* Effect.sleep("3 minutes")
        yield* killed(world, 4)
        assert.isUndefined(process.fiber.pollUnsafe())
        const told = [...(yield* process.events)].flatMap(({ event }) =>
          event._tag === "LoopFailed" ? [event.what] : []
        )
        assert.lengthOf(told, 2)
        for (const what of told) assert.match(what, /^the (work|report) on p\d+ of odd/, "no turn fails as a whole")
      })
    )
  )
})
