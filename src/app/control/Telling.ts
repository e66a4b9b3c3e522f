/** What an operator says on the command line: to a bot of its own at once, to an account of a fleet through its owner. */
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

/** Says it, and prints what was answered. */
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
