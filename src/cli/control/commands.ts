/** Commands of an operator to a running bot: `pause`, `resume`, `drain`, `cancel`, `cancel-all`, `reload`. */
import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { tell } from "../../app/control/Telling.ts"
import * as Admission from "../../app/run/Admission.ts"
import { type CommandName, commandOf } from "../../control/api/OperatorCommands.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
import { help } from "../help.ts"
import { allow } from "../plan/allow.ts"

const described = (name: CommandName) => help(commandOf(name).does)

const addressed = { why: flags.text("why", "Why, for the journal"), bot: WhichBot.flags }

interface Given {
  readonly bot: WhichBot.Given
  readonly why: Option.Option<string>
}

const sendCommand = (name: CommandName, { bot, why }: Given, target?: string) =>
  Effect.flatMap(WhichBot.botOf(bot), (named) => tell(named, name, { target, why: Option.getOrUndefined(why) }))

const ofStrategies = (name: "pause" | "resume") =>
  Command.make(
    name,
    {
      strategy: Argument.String("strategy").pipe(
        Argument.withDescription("A running strategy; all of them when left out"),
        Argument.optional
      ),
      ...addressed
    },
    ({ strategy, ...given }) => sendCommand(name, given, Option.getOrUndefined(strategy))
  ).pipe(described(name))

const ofOne = (name: "drain" | "cancel", target: string, what: string) =>
  Command.make(
    name,
    { target: Argument.String(target).pipe(Argument.withDescription(what)), ...addressed },
    ({ target, ...given }) => sendCommand(name, given, target)
  ).pipe(described(name))

export const pause = ofStrategies("pause")
export const resume = ofStrategies("resume")
export const drain = ofOne("drain", "strategy", "A running strategy")
export const cancel = ofOne("cancel", "strategy/slot", "A slot as `status` shows it")

export const cancelAll = Command.make(
  "cancel-all",
  { yes: flags.toggle("yes", "Do it; nothing is asked"), ...addressed },
  Effect.fn(function* ({ yes, ...given }) {
    if (yes) return yield* sendCommand("cancel-all", given)
    return yield* new WrongUsage({
      message: "cancel-all pauses every strategy and withdraws every order. Add --yes to do it."
    })
  })
).pipe(described("cancel-all"))

export const reload = Command.make(
  "reload",
  { allow, config: flags.config },
  Effect.fn(function* ({ allow, config }) {
    if (allow.length === 0) return yield* tell(config, "reload")
    const { journal } = yield* ConfigFile.loadSettings(config)
    yield* Admission.allowNext(journal, allow)
    yield* Console.log(`Allowed for the next edit: ${allow.join(", ")}. A running bot takes it up within a second.`)
    yield* Effect.ignore(tell(config, "reload"))
  })
).pipe(described("reload"))
