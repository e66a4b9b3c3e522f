/** Carries a command of the operator to a bot on this machine, or to the owner of an account of a fleet. */
import { Console, Effect } from "effect"
import { callOf } from "../../control/api/OperatorCalls.ts"
import type { CommandName } from "../../control/api/OperatorCommands.ts"
import { theOperator } from "../../control/Operator.ts"
import { present } from "../../domain/Present.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import * as AccountWords from "../journal/AccountWords.ts"
import type { WhichBot } from "../journal/WhichBot.ts"

interface Said {
  readonly target?: string | undefined
  readonly why?: string | undefined
}

export const tell = Effect.fn("Telling.tell")(function* (bot: WhichBot, name: CommandName, { target, why }: Said = {}) {
  if (typeof bot !== "string") {
    const word = { _tag: "Command", name, ...present({ target, why }) } as const
    const answer = yield* AccountWords.say(bot, theOperator, word)
    return yield* Console.log(answer._tag === "Done" ? `${answer.message}.` : name)
  }
  const { journal } = yield* ConfigFile.loadSettings(bot)
  const { message } = yield* RunningBot.ask(journal, callOf(name, target, why))
  yield* Console.log(`${message}.`)
})
