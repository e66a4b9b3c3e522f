/** Carries out operator commands from any source: records them as events and wakes the engine, which obeys in its next turn. */
import { Clock, Effect, Result } from "effect"
import type { BotEvent } from "../domain/BotEvent.ts"
import { hasNoBudget } from "../domain/Placement.ts"
import { present } from "../domain/Present.ts"
import { countText } from "../domain/Text.ts"
import * as Problems from "../engine/funding/Problems.ts"
import * as OperatorPause from "../engine/holds/OperatorPause.ts"
import { Bookkeeper } from "../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../engine/state/BotState.ts"
import type { Placement } from "../engine/state/Placement.ts"
import { slotKey } from "../engine/state/SlotFold.ts"
import { leftPositions } from "../engine/state/strategies/LeftPosition.ts"
import { refuse, Unknown } from "./api/ControlApi.ts"
import { type CommandName, operatorWords } from "./api/OperatorCommands.ts"
import type { OrderAnswer } from "./api/Order.ts"
import type { Bot } from "./Bot.ts"

export type Commanded = Pick<
  Bot["Service"],
  "strategies" | "wake" | "withdrawPlacements" | "setKillSwitch" | "releaseKillSwitch" | "reload"
>

/** The name of the machine's owner in the journal. */
export const theOperator = "the operator"

export const byWhom = (name: string): string => `by ${name}`

const pausing =
  (action: "pause" | "drain") =>
  (state: BotState, strategy: string, why: string, by: string): ReadonlyArray<BotEvent> =>
    OperatorPause.pause(state, strategy, action, why, by)

const events = { pause: pausing("pause"), resume: OperatorPause.resume, drain: pausing("drain") } as const

export const obey = Effect.fn("Operator.obey", { root: true })(function* (
  bot: Commanded,
  by: string,
  name: CommandName,
  target?: string,
  why?: string
) {
  yield* Effect.annotateCurrentSpan(present({ command: name, target }))
  const sentence = yield* doneOf(bot, by, name, target, why)
  yield* note(by, name, target, why)
  return sentence
})

/** Records the operator's answer, unless the venue has settled the question in the meantime. */
export const noteAnswer = Effect.fnUntraced(function* (answer: Problems.OperatorAnswer, books: Bookkeeper["Service"]) {
  const now = yield* Clock.currentTimeMillis
  yield* books.recordFrom((state) => {
    const verdict = Problems.resolve(state, answer, now)
    return Result.isSuccess(verdict) ? verdict.success : []
  })
})

export const resolve = Effect.fn("Operator.resolve", { root: true })(function* (
  { wake }: Pick<Commanded, "wake">,
  by: string,
  answer: Problems.OperatorAnswer,
  why?: string
) {
  const books = yield* Bookkeeper
  const now = yield* Clock.currentTimeMillis
  const { placement, word } = answer
  yield* Effect.annotateCurrentSpan({ placement, word })
  const verdict = Problems.resolve(books.state, answer, now)
  if (Result.isFailure(verdict)) return yield* refuse(verdict.failure)
  yield* Effect.orDie(noteAnswer(answer, books)) // A journal that cannot be written stops the bot.
  yield* note(by, `resolve --${word}`, placement, why)
  yield* wake
  return `${placement}: recorded as ${operatorWords[word].taken}`
})

export const note = Effect.fn("Operator.note")(function* (by: string, command: string, target?: string, why?: string) {
  const books = yield* Bookkeeper
  const recording = books.record({ _tag: "Commanded", by, command, ...present({ target, why }) })
  yield* Effect.orDie(recording) // A journal that cannot be written stops the bot.
})

/** Records who gave a command about an order by hand, and lets the engine obey at once. */
export const ordered = Effect.fn("Operator.ordered")(function* <E>(
  { wake }: Pick<Commanded, "wake">,
  by: string,
  command: string,
  answering: Effect.Effect<OrderAnswer, E>
) {
  const answer = yield* answering
  yield* note(by, command, answer.order)
  yield* wake
  return answer
})

const doneOf = Effect.fnUntraced(function* (
  bot: Commanded,
  by: string,
  name: CommandName,
  target: string | undefined,
  said: string | undefined
) {
  const books = yield* Bookkeeper
  const why = said ?? byWhom(by)
  const running = bot.strategies().map((strategy) => strategy.name)

  const record = Effect.fnUntraced(function* (what: keyof typeof events, strategies: ReadonlyArray<string>) {
    const isKnown = target === undefined || running.includes(target) || books.state.strategies.has(target)
    if (!isKnown)
      return yield* new Unknown({ message: `No strategy is named ${target}. Running: ${running.join(", ")}` })
    const recorded = books.recordFrom((state) => strategies.flatMap((each) => events[what](state, each, why, by)))
    yield* Effect.orDie(recorded) // A journal that cannot be written stops the bot.
    yield* bot.wake
  })

  const withdraw = Effect.fnUntraced(function* (orders: ReadonlyArray<Placement>) {
    yield* bot.withdrawPlacements(
      orders.map(({ id }) => id),
      { code: "operator", text: why }
    )
    return `${countText(orders.length, "order")} being cancelled`
  })
  const open = () => unfinished(books.state)

  switch (name) {
    case "pause":
    case "resume": {
      const names = target === undefined ? running : [target]
      const leaves = name === "resume" && leftPositions(books.state).some(({ strategy }) => strategy === target)
      yield* record(name, names)
      const done = name === "pause" ? "paused: no new orders; open orders stay" : "may place orders again"
      return leaves ? `${target} leaves its position to the account` : `${names.join(", ")} ${done}`
    }
    case "drain": {
      yield* record(name, [target ?? ""])
      return `${target} paused; ${yield* withdraw(open().filter(({ strategy }) => strategy === target))}`
    }
    case "cancel": {
      const slotOrders = open().filter(({ slot, strategy }) => slotKey(strategy, slot) === target)
      if (slotOrders.length === 0) return yield* new Unknown({ message: `No order is open in a slot ${target}` })
      yield* withdraw(slotOrders)
      return `The order of ${target} is being cancelled; its strategy may place it again`
    }
    case "cancel-all": {
      const names = new Set([...running, ...open().map(({ strategy }) => strategy)])
      yield* record(
        "drain",
        [...names].filter((each) => !hasNoBudget(each))
      )
      return `All strategies paused; ${yield* withdraw(open())}. Resume each when you want it to trade`
    }
    case "kill": {
      yield* bot.setKillSwitch(why)
      yield* bot.wake
      return "Kill switch on: all payments stopped, all orders are being cancelled"
    }
    case "release": {
      yield* bot.releaseKillSwitch
      yield* bot.wake
      return "Kill switch off: the bot trades again"
    }
    case "reload": {
      const { objection } = yield* bot.reload()
      yield* bot.wake
      if (objection !== "") return yield* refuse(`The strategy files were read and do not run: ${objection}`)
      return "The strategy files were read; see the events for what changed"
    }
  }
})
