/** Handles the operator's commands over HTTP. Each answer is one sentence about the result. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { present } from "../../domain/Present.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { TokenHolder } from "../api/Access.ts"
import { ControlApi, type Refused, refuse } from "../api/ControlApi.ts"
import type { CommandName } from "../api/OperatorCommands.ts"
import type { OrderAnswer } from "../api/Order.ts"
import { Bot } from "../Bot.ts"
import { byWhom, note, obey, ordered, resolve } from "../Operator.ts"

const done = (message: string) => ({ message })

/** Each command is recorded with the name of its token's holder. */
const recording = (bot: Bot["Service"], books: Bookkeeper["Service"]) => {
  const bySpeaker = <A, E>(run: (by: string) => Effect.Effect<A, E, Bookkeeper>) =>
    Effect.provideService(
      Effect.flatMap(TokenHolder, ({ name }) => run(name)),
      Bookkeeper,
      books
    )
  const execute = (name: CommandName, target?: string, why?: string) =>
    bySpeaker((by) => Effect.map(obey(bot, by, name, target, why), done))
  const noted = (command: string, target: string) => bySpeaker((by) => note(by, command, target))
  const orderCommand = (command: string, answering: Effect.Effect<OrderAnswer, Refused>, isDry = false) =>
    bySpeaker((by) => (isDry ? answering : ordered(bot, by, command, answering)))
  return { orderCommand, execute, bySpeaker, noted } as const
}

export const layer = HttpApiBuilder.group(
  ControlApi,
  "command",
  Effect.fnUntraced(function* (handlers) {
    const bot = yield* Bot
    const books = yield* Bookkeeper
    const { orderCommand, execute, bySpeaker, noted } = recording(bot, books)

    const phones = Effect.suspend(() =>
      bot.phones === undefined
        ? refuse("Push is not set up: add a receiver `push` to `notify` in the configuration")
        : Effect.succeed(bot.phones)
    )

    return handlers.handleAll({
      pause: ({ payload: { strategy, why } }) => execute("pause", strategy, why),
      resume: ({ payload: { strategy, why } }) => execute("resume", strategy, why),
      drain: ({ payload: { strategy, why } }) => execute("drain", strategy, why),
      cancel: ({ payload: { slot, why } }) => execute("cancel", slot, why),
      cancelAll: ({ payload: { why } }) => execute("cancel-all", undefined, why),
      kill: ({ payload: { why } }) => execute("kill", undefined, why),
      release: ({ payload: { why } }) => execute("release", undefined, why),
      reload: () => execute("reload"),
      resolve: ({ payload: { placement, received, word, why } }) =>
        bySpeaker((by) => {
          const answer = { placement, word, text: why ?? byWhom(by), ...present({ received }) }
          return Effect.map(resolve(bot, by, answer, why), done)
        }),
      signal: ({ params: { name }, payload: { value, ...more } }) =>
        bySpeaker((by) => Effect.map(bot.signals.take(by, { name, value: Number(value), ...more }), done)),
      subscribe: Effect.fnUntraced(function* ({ payload }) {
        const holder = yield* TokenHolder
        const isNew = yield* (yield* phones).subscribe(holder, payload)
        if (isNew) yield* noted("subscribe", new URL(payload.endpoint).host)
        return done(isNew ? "This browser now gets notices" : "This browser already gets notices")
      }),
      unsubscribe: Effect.fnUntraced(function* ({ payload: { endpoint } }) {
        const holder = yield* TokenHolder
        const was = yield* (yield* phones).unsubscribe(holder, endpoint)
        if (was) yield* noted("unsubscribe", new URL(endpoint).host)
        return done(was ? "This browser no longer gets notices" : "This browser did not get notices")
      }),
      reconcile: () => bot.services.reconcile,
      swapQuote: ({ payload }) => bot.swaps.quote(payload),
      swap: Effect.fnUntraced(function* ({ payload: { quote } }) {
        const swap = yield* bot.swaps.take(quote)
        yield* noted("swap", swap)
        yield* bot.wake
        return { ...done(`Swap ${swap} is made`), swap }
      }),
      order: ({ headers, payload }) =>
        orderCommand("order", bot.services.orders.place(payload, headers["idempotency-key"]), payload.dry),
      orderChange: ({ payload }) => orderCommand("order change", bot.services.orders.change(payload), payload.dry),
      orderCancel: ({ payload: { order } }) => orderCommand("order cancel", bot.services.orders.cancel(order)),
      check: ({ payload: { files } }) => Effect.map(bot.services.check(files), (problems) => ({ problems })),
      backtestWith: ({ payload: { file, text } }) => bot.services.backtest(file, text),
      planWith: ({ payload: { files } }) => bot.services.plan(files),
      close: Effect.fnUntraced(function* ({ payload }) {
        const answer = yield* bot.services.close(payload)
        if (payload.dry === true) return answer
        yield* noted("close", payload.strategy)
        const { note, objection } = yield* bot.reload(answer.file)
        yield* bot.wake
        if (objection === "") return { ...answer, message: `${answer.message}${note}` }
        const then = `Once the bot applies it, ${answer.message}`
        return yield* refuse(`${answer.file} is saved and waits for this: ${objection}. ${then}`)
      }),
      apply: Effect.fnUntraced(function* ({ payload: { file, hash, text } }) {
        yield* bot.services.apply({ file, text }, hash)
        yield* noted("apply", file)
        const { note, objection } = yield* bot.reload(file)
        yield* bot.wake
        return done(`${file} is saved ${objection === "" ? `and applied${note}` : `but not applied: ${objection}`}`)
      })
    })
  })
)
