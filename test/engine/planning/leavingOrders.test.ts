/** What an edited file no longer wants may fill until it is gone, and nothing offers the same coins beside it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { unfinished } from "../../../src/engine/state/BotState.ts"
import { filledBase, openQuantity } from "../../../src/engine/state/Placement.ts"
import * as Reserve from "../../../src/journal/Reserve.ts"
import { inVirtualTime, ladder, makeWith, parse, type Running, until } from "../../world/bot/botWorld.ts"

const one = 3_000_000n
const file = (kind: string, section: string) => `name: s
market: BTC/USDC
kind: ${kind}
limits: { budget: { base: 0.1, quote: 8000 }, maxPriceDeviation: 90% }
${kind}: ${section}
`
const bracket = file("bracket", "{ side: buy, size: { base: 0.03 }, entry: 70000, takeProfit: 80000, stop: 100 }")
const rules = (exit: string) =>
  file(
    "rules",
    `
  orders:
    in: { when: position == 0, side: buy, price: 70000, size: { base: 0.03 }, times: 1 }
    ${exit}: { when: position > 0, side: sell, price: 80000, size: { base: position }, times: 1 }`
  )

const bought = ({ state }: Running) =>
  [...state.slots.values()].reduce((sum, slot) => sum + slot.bought - slot.sold, 0n) +
  unfinished(state).reduce((sum, each) => sum + (each.side === "BUY" ? filledBase(each) : 0n), 0n)

const sales = ({ state }: Running) => unfinished(state).filter(({ side }) => side === "SELL")

describe("an order that an edit removes", () => {
  it.effect.each([
    [
      "the kind",
      bracket,
      file(
        "deals",
        "{ size: { quote: 100 }, safety: { orders: 1, size: { quote: 150 }, distance: 20% }, takeProfit: 12% }"
      )
    ],
    ["the name of an exit", rules("out"), rules("leave")]
  ] as const)("is not offered again while its cancel is pending: %s is edited", ([_, before, after]) =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* makeWith(() => Reserve.none, { cancelMillis: [15_000, 20_000] })
        const bot = yield* world.run({ strategies: [before] })
        yield* until(() => bought(bot) === one && sales(bot)[0]?.state === "open", 240_000, "its exit rests")
        const [old] = sales(bot)
        yield* bot.inside().replace([parse(after)], "drained")
        let [isTwice, next] = [false, old]
        const isNext = () => {
          const offered = sales(bot).reduce((sum, placement) => sum + openQuantity(placement), 0n)
          if (offered > bought(bot)) isTwice = true
          next = sales(bot).find(({ id, state }) => id !== old?.id && state === "open")
          return next !== undefined
        }
        yield* until(isNext, 240_000, "the new exit rests")
        assert.notStrictEqual(next?.slot, old?.slot)
        assert.isFalse(isTwice, "more was for sale than was bought")
        const denied = (yield* bot.events).flatMap(({ event }) => (event._tag === "Denied" ? [event] : []))
        assert.deepStrictEqual(
          denied.map(({ exit, limit }) => [limit, exit]),
          [["leaving-orders", undefined]]
        )
      })
    )
  )
})

const named = (name: string, market: string, price: number) => `name: ${name}
market: ${market}
kind: rules
limits: { budget: { quote: 2000 }, maxPriceDeviation: 90% }
rules: { orders: { in: { when: mid > 0, side: buy, price: ${price}, size: { quote: 1000 } } } }
`

/** The most purchases of a market that rested or could fill at the same time. */
const mostBeside = (bot: Running, market: string) =>
  unfinished(bot.state).filter(
    ({ funding, market: name, side }) => name === market && side === "BUY" && funding !== undefined
  ).length

describe("an order of the old name after a rename", () => {
  it.effect.each([
    ["a strategy is renamed", [named("s", "BTC/USDC", 40_000)], [named("t", "BTC/USDC", 41_000)]],
    [
      "two strategies exchange their names",
      [named("s", "BTC/USDC", 40_000), ladder(2, "t", "SOL/USDC", [90, 95])],
      [ladder(2, "s", "SOL/USDC", [90, 95]), named("t", "BTC/USDC", 40_000)]
    ]
  ] as const)("is not open beside its successors: %s", ([_, before, after]) =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* makeWith(() => Reserve.none, { cancelMillis: [15_000, 20_000] })
        const bot = yield* world.run({ strategies: before })
        const open = () => unfinished(bot.state).filter(({ state }) => state === "open")
        const count = 2 * before.length - 1
        yield* until(() => open().length === count, 240_000, "the orders rest")
        const first = new Set(open().map(({ id }) => id))
        yield* bot.inside().replace(after.map(parse), "drained")
        let most = 0
        const isOver = () => {
          most = Math.max(most, mostBeside(bot, "BTC/USDC"), mostBeside(bot, "SOL/USDC") / 2)
          return open().filter(({ id }) => !first.has(id)).length === count
        }
        yield* until(isOver, 240_000, "the new orders rest")
        assert.strictEqual(most, 1)
      })
    )
  )

  it.effect("is cancelled before its successor is open if the file is renamed while no bot runs", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* makeWith(() => Reserve.none, { cancelMillis: [15_000, 20_000] })
        const others = ladder(2, "other", "SOL/USDC", [90, 95])
        const first = yield* world.run({ strategies: [named("s", "BTC/USDC", 40_000), others] })
        const opened = (bot: Running) => unfinished(bot.state).filter(({ state }) => state === "open")
        yield* until(() => opened(first).length === 3, 240_000, "the orders rest")
        yield* first.stop
        const second = yield* world.run({ strategies: [named("t", "BTC/USDC", 41_000)] })
        let most = 0
        const isOver = () => {
          most = Math.max(most, mostBeside(second, "BTC/USDC"))
          return opened(second).some(({ strategy }) => strategy === "t")
        }
        yield* until(isOver, 240_000, "the order of the new name rests")
        assert.strictEqual(most, 1)
        assert.deepStrictEqual(
          opened(second).map(({ strategy }) => strategy),
          ["other", "other", "t"],
          "orders in other markets stay"
        )
      })
    )
  )
})
