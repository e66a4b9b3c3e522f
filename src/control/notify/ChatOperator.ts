/** Carries out and answers the commands of `OperatorCommands` that an operator may send in a chat. */
import { Clock, Effect } from "effect"
import { counted } from "../../domain/Words.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { unfinished } from "../../engine/state/BotState.ts"
import type { StepTerms } from "../../engine/tracking/Overdue.ts"
import type * as Money from "../../report/text/Money.ts"
import * as ExplanationText from "../../views/ExplanationText.ts"
import { linesOf, problemsOf } from "../../views/Problems.ts"
import type { Pulse } from "../../views/Pulse.ts"
import type { CommandName } from "../api/OperatorCommands.ts"
import type { BotServices } from "../Bot.ts"
import { type Commanded, obey } from "../Operator.ts"
import type { ChatCommands } from "./TelegramCommands.ts"

export interface ChatBot extends Pulse, Commanded {
  readonly services: Pick<BotServices, "explain" | "plan">
  readonly assets: Money.Assets
  readonly stuckAfter: StepTerms
}

const maxLines = 20

export const make = Effect.fn("ChatOperator.make")(function* (bot: ChatBot) {
  const books = yield* Bookkeeper
  const clock = yield* Clock.Clock

  const status = (): string => {
    const { state } = books
    const now = clock.currentTimeMillisUnsafe()
    const problems = linesOf(problemsOf(state, bot.assets, { now, pulse: bot, stuckAfter: bot.stuckAfter }))
    return [
      `${state.run?.mode ?? ""}, ${counted(state.fills, "fill")}, ${counted(unfinished(state).length, "open order")}`,
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
        `would keep ${keep}, place ${create}, cancel ${cancel} and defer ${defer} orders`,
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
          ? all.flatMap((each) => ExplanationText.lines(each, false)).join("\n")
          : all
              .slice(0, maxLines)
              .map(({ because, slot, verdict }) => `${slot} ${verdict}: ${because[0] ?? ""}`)
              .join("\n")
      ),
      Effect.catch(({ message }) => Effect.succeed(message))
    )

  return { status, plan, explain, obey: replyTo } satisfies Omit<ChatCommands, "profit">
})
