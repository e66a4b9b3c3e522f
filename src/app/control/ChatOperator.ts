/** What a running bot does and answers when an operator writes in a chat: the same events and files as any command. */
import { Clock, Effect, FileSystem } from "effect"
import type { Obedient } from "../../control/notify/TelegramCommands.ts"
import type { BotEvent } from "../../domain/BotEvent.ts"
import { counted } from "../../domain/Words.ts"
import * as OperatorPause from "../../engine/holds/OperatorPause.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import type { StepTerms } from "../../engine/tracking/Overdue.ts"
import type * as Money from "../../report/text/Money.ts"
import { linesOf, problemsOf } from "../../views/Problems.ts"
import type { Pulse } from "../../views/Pulse.ts"
import * as KillFile from "../process/KillFile.ts"

export interface ChatBot extends Pulse {
  readonly journal: string
  readonly assets: Money.Assets
  readonly strategies: () => ReadonlyArray<{ readonly name: string }>
  readonly wake: Effect.Effect<unknown>
  readonly stuckAfter: StepTerms
}

const why = "said in the chat"

export const make = Effect.fn("ChatOperator.make")(function* (bot: ChatBot) {
  const books = yield* Bookkeeper
  const fileSystem = yield* FileSystem.FileSystem
  const clock = yield* Clock.Clock

  const record = (events: (state: BotState, name: string) => ReadonlyArray<BotEvent>, done: string) =>
    Effect.fnUntraced(function* (strategy: string | undefined) {
      const names = bot.strategies().map(({ name }) => name)
      const chosen = names.filter((name) => strategy === undefined || name === strategy)
      if (chosen.length === 0) return `There is no strategy ${strategy}. There are: ${names.join(", ")}`
      yield* Effect.orDie(books.recordFrom((state) => chosen.flatMap((name) => events(state, name))))
      yield* bot.wake
      return `${chosen.join(", ")} ${done}`
    })

  const status = (): string => {
    const { state } = books
    const now = clock.currentTimeMillisUnsafe()
    const problems = linesOf(problemsOf(state, bot.assets, { now, pulse: bot, stuckAfter: bot.stuckAfter }))
    return [
      `${state.run?.mode ?? ""}, ${counted(state.fills, "fill")}, ${counted(unfinished(state).length, "open order")}`,
      ...(problems.length === 0 ? ["Nothing is wrong."] : problems.map(({ text }) => `! ${text}`))
    ].join("\n")
  }

  const kill = (reason: string) =>
    KillFile.set(bot.journal, reason).pipe(
      Effect.provideService(FileSystem.FileSystem, fileSystem),
      Effect.andThen(bot.wake),
      Effect.as("Kill switch on: nothing more is signed, all orders are withdrawn. `limitbot release` ends it."),
      Effect.catch(({ message }) => Effect.succeed(`THE KILL SWITCH COULD NOT BE SET: ${message}`))
    )

  return {
    status,
    pause: record(
      (state, name) => OperatorPause.pause(state, name, "pause", why),
      "paused: nothing new is placed, what rests stays"
    ),
    resume: record((state, name) => OperatorPause.resume(state, name, why), "may place orders again"),
    kill
  } satisfies Omit<Obedient, "profit">
})
