/** What an operator says to a running bot: `pause`, `resume`, `drain`, `cancel`, `cancel-all`, `reload`. */
import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import * as AccountWords from "../../app/journal/AccountWords.ts"
import { callOf } from "../../app/process/OperatorCalls.ts"
import * as RunningBot from "../../app/process/RunningBot.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as Admission from "../../app/run/Admission.ts"
import { type CommandName, commandOf } from "../../control/api/OperatorCommands.ts"
import { theOperator } from "../../control/Operator.ts"
import { present } from "../../domain/Present.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
import { allow } from "../plan/allow.ts"

const why = flags.text("why", "Why, for the journal")

const tell = Effect.fnUntraced(function* (
  given: WhichBot.Given,
  name: CommandName,
  target?: string,
  why: Option.Option<string> = Option.none()
) {
  const bot = yield* WhichBot.named(given)
  if (typeof bot !== "string") {
    const said = present({ target, why: Option.getOrUndefined(why) })
    const answer = yield* AccountWords.say(bot, theOperator, { _tag: "Command", name, ...said })
    return yield* Console.log(answer._tag === "Done" ? `${answer.message}.` : name)
  }
  const { journal } = yield* ConfigFile.loadSettings(bot)
  const { message } = yield* RunningBot.ask(journal, callOf(name, target, Option.getOrUndefined(why)))
  yield* Console.log(`${message}.`)
})

const described = (name: CommandName) => Command.withDescription(commandOf(name).does)

const ofStrategies = (name: "pause" | "resume") =>
  Command.make(
    name,
    {
      strategy: Argument.String("strategy").pipe(
        Argument.withDescription("A running strategy; all of them when left out"),
        Argument.optional
      ),
      why,
      bot: WhichBot.flags
    },
    ({ bot, strategy, why }) => tell(bot, name, Option.getOrUndefined(strategy), why)
  ).pipe(described(name))

const ofOne = (name: "drain" | "cancel", target: string, what: string) =>
  Command.make(
    name,
    { target: Argument.String(target).pipe(Argument.withDescription(what)), why, bot: WhichBot.flags },
    ({ bot, target, why }) => tell(bot, name, target, why)
  ).pipe(described(name))

export const pause = ofStrategies("pause")
export const resume = ofStrategies("resume")
export const drain = ofOne("drain", "strategy", "A running strategy")
export const cancel = ofOne("cancel", "strategy/slot", "A slot as `status` shows it")

export const cancelAll = Command.make(
  "cancel-all",
  { yes: flags.toggle("yes", "Do it; nothing is asked"), why, bot: WhichBot.flags },
  Effect.fn(function* ({ bot, why, yes }) {
    if (!yes) {
      return yield* new WrongUsage({
        message: "cancel-all pauses every strategy and withdraws every order. Add --yes to do it."
      })
    }
    yield* tell(bot, "cancel-all", undefined, why)
  })
).pipe(described("cancel-all"))

export const reload = Command.make(
  "reload",
  { allow, config: flags.config },
  Effect.fn(function* ({ allow, config }) {
    if (allow.length === 0) return yield* tell(WhichBot.ofConfig(config), "reload")
    const { journal } = yield* ConfigFile.loadSettings(config)
    yield* Admission.allowNext(journal, allow)
    yield* Console.log(`Allowed for the next edit: ${allow.join(", ")}. A running bot takes it up within a second.`)
    yield* Effect.ignore(tell(WhichBot.ofConfig(config), "reload"))
  })
).pipe(described("reload"))
