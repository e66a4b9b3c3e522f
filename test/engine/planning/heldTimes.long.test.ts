/** Times that pass while something keeps every new order of a strategy back: they are not made up for in one minute. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { minuteMillis } from "../../../src/domain/Durations.ts"
import * as OperatorPause from "../../../src/engine/holds/OperatorPause.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { firstOf } from "../../long.ts"
import { inVirtualTime, make, type Running, start } from "../../world/bot/botWorld.ts"

const file = (section: string, limits = "") => `name: buyer
market: BTC/USDC
limits: { budget: { quote: 2000 }, maxPriceDeviation: 5%${limits} }
${section}
`
const dca = "kind: dca\ndca: { every: 1m, size: { quote: 20 }, times: 60, reach: 1% }"
const twap = "kind: twap\ntwap: { side: buy, total: { quote: 600 }, over: 30m, slices: 30, limit: 90000, reach: 1% }"

const buys = ["dca", dca, 20] as const
const slices = ["twap", twap, 30] as const

type World = Effect.Success<typeof make>

const say = ({ context }: Running, events: ReadonlyArray<BotEvent>) =>
  Context.get(context, Bookkeeper).record(...events)

/** From the fifth minute to the fifteenth. */
const holds: Readonly<
  Record<
    string,
    {
      readonly limits?: string
      readonly set: (world: World, bot: Running, on: boolean) => Effect.Effect<unknown, unknown>
    }
  >
> = {
  "quiet hours": { limits: ", quietHours: 00:05-00:15", set: () => Effect.void },
  "a pause of the operator": {
    set: (_, bot, on) =>
      say(
        bot,
        on ? OperatorPause.pause(bot.state, "buyer", "pause", "test") : OperatorPause.resume(bot.state, "buyer", "test")
      )
  },
  "a loss limit": {
    set: (_, bot, on) =>
      say(bot, [
        on
          ? { _tag: "Paused", strategy: "buyer", limit: "drawdown", action: "pause", reason: "it lost too much" }
          : { _tag: "Resumed", strategy: "buyer", reason: "somebody looked" }
      ])
  },
  "the kill switch": {
    set: (world, bot, on) => {
      world.setWithdraw(on ? { code: "kill-switch", text: "test" } : undefined)
      return say(bot, [{ _tag: "KillSwitch", on, reason: "test" }])
    }
  }
}

const planned = (bot: Running) =>
  Effect.map(bot.events, (events) =>
    events.flatMap(({ at, event }) => (event._tag === "Planned" ? [Math.floor((at - start) / minuteMillis)] : []))
  )

describe("times that pass during a hold", () => {
  for (const [what, { limits, set }] of firstOf(3, Object.entries(holds)))
    for (const [kind, section, total] of what === "quiet hours" ? firstOf(1, [slices, buys]) : [buys])
      it.effect(`${what}: a ${kind} continues at its own pace afterwards`, () =>
        inVirtualTime(
          Effect.gen(function* () {
            const world = yield* make
            const bot = yield* world.run({ strategies: [file(section, limits)], pace: { pollMinMillis: 5_000 } })
            yield* Effect.sleep(5 * minuteMillis - 1_000)
            yield* set(world, bot, true)
            yield* Effect.sleep(10 * minuteMillis + 2_000)
            yield* set(world, bot, false)
            yield* Effect.sleep(15 * minuteMillis - 10_000)
            const minutes = yield* planned(bot)
            assert.isEmpty(minutes.filter((minute) => minute >= 5 && minute < 15))
            const counts = [...Map.groupBy(minutes, (minute) => minute).values()].map(({ length }) => length)
            const perMinute = Math.max(...counts)
            assert.isAtMost(perMinute, kind === "dca" ? 1 : 3)
            assert.closeTo(minutes.length, total, 1)
          })
        )
      )
})
