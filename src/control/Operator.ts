/**
 * What the commands of an operator do, whoever says them: events are recorded from the state at that instant, orders are withdrawn,
 * and the engine obeys in its next turn, which begins at once.
 */
import { Effect } from "effect"
import type { BotEvent } from "../domain/BotEvent.ts"
import { hasNoBudget } from "../domain/Placement.ts"
import { counted } from "../domain/Words.ts"
import * as OperatorPause from "../engine/holds/OperatorPause.ts"
import { Bookkeeper } from "../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../engine/state/BotState.ts"
import { slotKey } from "../engine/state/SlotFold.ts"
import { Unknown } from "./api/ControlApi.ts"
import type { CommandName } from "./api/OperatorCommands.ts"
import type { Bot } from "./Bot.ts"

/** What of the bot they need. */
export type Commanded = Pick<
  Bot["Service"],
  "strategies" | "wake" | "withdrawPlacements" | "setKillSwitch" | "releaseKillSwitch" | "reload"
>

export const byOperator = "by the operator"

const pausing =
  (action: "pause" | "drain") =>
  (state: BotState, strategy: string, why: string): ReadonlyArray<BotEvent> =>
    OperatorPause.pause(state, strategy, action, why)

/** What is recorded of each strategy. */
const events = {
  pause: pausing("pause"),
  resume: OperatorPause.resume,
  drain: pausing("drain"),
  "cancel-all": pausing("drain")
} as const

/** Does it, and says what was done in one sentence. */
export const obey = Effect.fn("Operator.obey")(function* (
  bot: Commanded,
  name: CommandName,
  target: string | undefined,
  why = byOperator
) {
  const books = yield* Bookkeeper
  const running = bot.strategies().map((strategy) => strategy.name)

  /** All running strategies, or the named one. */
  const named = Effect.suspend(() => {
    if (target === undefined) return Effect.succeed(running)
    if (running.includes(target) || books.state.strategies.has(target)) return Effect.succeed([target])
    return Effect.fail(new Unknown({ message: `There is no strategy ${target}. There are: ${running.join(", ")}` }))
  })

  const record = (command: keyof typeof events, strategies: ReadonlyArray<string>) =>
    books
      .recordFrom((state) => strategies.flatMap((strategy) => events[command](state, strategy, why)))
      .pipe(
        Effect.orDie, // A journal that cannot be written stops the bot.
        Effect.andThen(bot.wake)
      )

  const withdraw = Effect.fnUntraced(function* (isMeant: (strategy: string, slot: string) => boolean) {
    const orders = unfinished(books.state).filter(({ slot, strategy }) => isMeant(strategy, slotKey(strategy, slot)))
    if (name === "cancel" && orders.length === 0)
      return yield* new Unknown({ message: `No order is open in a slot ${target}` })
    const ids = orders.map(({ id }) => id)
    yield* bot.withdrawPlacements(ids, { code: "operator", text: why })
    return counted(orders.length, "order")
  })

  switch (name) {
    case "pause":
    case "resume": {
      const names = yield* named
      yield* record(name, names)
      const done = name === "pause" ? "paused: nothing new is placed, what rests stays" : "may place orders again"
      return `${names.join(", ")} ${done}`
    }
    case "drain": {
      const names = yield* named
      yield* record(name, names)
      return `${target} paused; ${yield* withdraw((strategy) => names.includes(strategy))} withdrawn`
    }
    case "cancel": {
      yield* withdraw((_, slot) => slot === target)
      return `The order of ${target} is withdrawn; the slot is placed anew if its strategy still wants it`
    }
    case "cancel-all": {
      const names = new Set([...running, ...unfinished(books.state).map(({ strategy }) => strategy)])
      yield* record(
        name,
        [...names].filter((strategy) => !hasNoBudget(strategy))
      )
      const count = yield* withdraw((strategy) => names.has(strategy))
      return `All strategies paused; ${count} withdrawn. Resume each when you want it to trade`
    }
    case "kill": {
      yield* bot.setKillSwitch(why)
      yield* bot.wake
      return "Kill switch on: nothing more is signed, all orders are withdrawn"
    }
    case "release": {
      yield* bot.releaseKillSwitch
      yield* bot.wake
      return "Kill switch off: the bot trades again"
    }
    case "reload": {
      const objection = yield* bot.reload
      yield* bot.wake
      return objection === ""
        ? "The strategy files were read; see the events for what changed"
        : `The strategy files were read and do not run: ${objection}`
    }
  }
})
