/** Carries out and answers the commands of `OperatorCommands` that an operator may send in a chat. */
import { Clock, Effect, Schema } from "effect"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import { countText } from "../../domain/Text.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import type { StepTerms } from "../../engine/tracking/Overdue.ts"
import type * as Money from "../../report/text/Money.ts"
import * as Explanation from "../../views/Explanation.ts"
import { linesOf, problemsOf } from "../../views/Problems.ts"
import type { Pulse } from "../../views/Pulse.ts"
import { exactly, type Refused } from "../api/ControlApi.ts"
import type { CommandName } from "../api/OperatorCommands.ts"
import { type OrderAnswer, OrderChange, OrderRequest, wordsOfOrder } from "../api/Order.ts"
import type { BotServices } from "../Bot.ts"
import { type Commanded, obey, ordered } from "../Operator.ts"
import type { ChatCommands } from "./TelegramCommands.ts"

export interface ChatBot extends Pulse, Commanded {
  readonly services: Pick<BotServices, "explain" | "orders" | "plan">
  readonly assets: Money.Assets
  readonly stuckAfter: StepTerms
}

const maxLines = 20
const orderHelp =
  "Write /order buy 0.01 BTC at 59000 take-profit 5% (or 2%:50%,5%:50%) stop 57000, /order list, /order change ID 58500 or /order cancel ID."
const decodeRequest = Schema.decodeUnknownEffect(OrderRequest)
const decodeChange = Schema.decodeUnknownEffect(OrderChange)

export const countsText = (state: BotState): string =>
  `${countText(state.fills, "fill")}, ${countText(unfinished(state).length, "unsettled order")}`

export const make = Effect.fn("ChatOperator.make")(function* (bot: ChatBot) {
  const books = yield* Bookkeeper
  const clock = yield* Clock.Clock

  const status = (): string => {
    const { state } = books
    const now = clock.currentTimeMillisUnsafe()
    const problems = linesOf(problemsOf(state, bot.assets, { now, pulse: bot, stuckAfter: bot.stuckAfter }))
    return [
      `${state.run?.mode ?? ""}, ${countsText(state)}`,
      ...(problems.length === 0 ? ["Nothing is wrong."] : problems.map(({ text }) => `! ${text}`))
    ].join("\n")
  }

  const replyTo = (by: string, name: CommandName, target: string | undefined) =>
    obey(bot, by, name, target).pipe(
      Effect.provideService(Bookkeeper, books),
      Effect.map((done) => (name === "kill" ? `${done}. \`limitbot kill --off\` turns it off.` : done)),
      Effect.catch(({ message }) =>
        Effect.succeed(name === "kill" ? `THE KILL SWITCH COULD NOT BE SET: ${message}` : message)
      )
    )

  const plan = bot.services.plan([]).pipe(
    Effect.map(({ changes, summary: { cancel, create, defer, keep } }) =>
      [
        `The bot would now keep ${countText(keep, "order")}, place ${create}, cancel ${cancel} and defer ${defer}.`,
        ...changes
          .filter(({ action }) => action !== "keep")
          .slice(0, maxLines)
          .map(
            ({ action, price, reason, side, slot, strategy }) =>
              `${action} ${strategy}/${slot}: ${side} at ${price}: ${reason.text}`
          )
      ].join("\n")
    ),
    Effect.catch(({ message }) => Effect.succeed(message))
  )

  const explain = (slot: string | undefined) =>
    bot.services.explain(slot, undefined).pipe(
      Effect.map((all) =>
        all.length === 1
          ? all.flatMap((each) => Explanation.lines(each, false)).join("\n")
          : all
              .slice(0, maxLines)
              .map(({ because, slot, verdict }) => `${slot} ${verdict}: ${because[0] ?? ""}`)
              .join("\n")
      ),
      Effect.catch(({ message }) => Effect.succeed(message))
    )

  const orders = bot.services.orders
  const answerTo = (answering: Effect.Effect<OrderAnswer, Refused>, command: string) => (by: string) =>
    ordered(bot, by, command, answering).pipe(
      Effect.map(({ message }) => message),
      Effect.catch(({ message }) => Effect.succeed(message)),
      Effect.provideService(Bookkeeper, books)
    )
  const proposalOf = ({ terms }: OrderAnswer, run: (by: string) => Effect.Effect<string>) => ({
    text: terms.join("\n"),
    run
  })

  const orderOf = Effect.fnUntraced(function* (by: string, words: ReadonlyArray<string>) {
    const [verb = "list", id = "", ...rest] = words
    if (verb === "list") {
      const rows = yield* orders.list
      const lines = rows.map(({ exit, filled, order, state, terms, why }) => {
        const progress = [filled && `${filled} filled`, exit && `exit ${exit}`].filter(Boolean).join(", ")
        return [order, terms, progress, state, why].filter((part) => part !== "").join(": ")
      })
      return { text: lines.slice(0, maxLines).join("\n") || "No orders by hand." }
    }
    if (verb === "cancel") return { text: yield* answerTo(orders.cancel(id), "order cancel")(by) }
    if (verb === "change") {
      const change = yield* decodeChange({ order: id, price: rest.at(-1) }, exactly)
      return proposalOf(yield* orders.change({ ...change, dry: true }), answerTo(orders.change(change), "order change"))
    }
    const request = yield* decodeRequest(wordsOfOrder(words), exactly)
    const key = Buffer.from(randomBytesUnsafe(12)).toString("hex")
    const draft = yield* orders.place({ ...request, dry: true }, key)
    return proposalOf(draft, answerTo(orders.place({ ...request, amount: draft.amount }, key), "order"))
  })

  const order = (by: string, words: ReadonlyArray<string>) =>
    orderOf(by, words).pipe(Effect.catch(({ message }) => Effect.succeed({ text: `${message}\n${orderHelp}` })))

  return { status, plan, explain, obey: replyTo, order } satisfies Omit<ChatCommands, "profit">
})
