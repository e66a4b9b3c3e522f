/** Commands of an operator to a running bot, or to accounts of a fleet: `pause`, `resume`, `cancel` and `reload`. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as BotOfFile from "../../app/bots/BotOfFile.ts"
import { ChosenBot } from "../../app/journal/ChosenBot.ts"
import * as Admission from "../../app/run/Admission.ts"
import { type CommandName, commandOf } from "../../control/api/OperatorCommands.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import { BotUnreachable } from "../../process/RunningBot.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"
import { allow } from "../plan/allow.ts"

const one = { why: flags.text("why", "Reason, for the journal"), bot: WhichBot.flags }
const strategy = flags.optionalArgument("strategy", "A running strategy; all of them when left out")

const tell = (name: CommandName, target?: string, why?: string) =>
  Effect.flatMap(ChosenBot, (bot) => Effect.flatMap(bot.command(name, target, why), (text) => Console.log(`${text}.`)))

const byFleet = "by the operator of the fleet"

export const pause = Command.make(
  "pause",
  {
    strategy,
    cancel: flags.toggle(
      "cancel",
      "Also cancel the orders and get their money back; for all strategies only with --yes"
    ),
    yes: flags.toggle("yes", "Do it without a question"),
    allAccounts: WhichBot.allAccounts,
    ...one
  },
  Effect.fn(function* ({ strategy, cancel, yes, why: given, ...addressed }) {
    const [target, why] = [strategy, given]
    if (addressed.allAccounts && (cancel || target !== undefined))
      return yield* wrongUsage("--all-accounts pauses accounts as a whole; kill also cancels")
    if (!cancel && target === undefined && WhichBot.isOfFleet(addressed))
      return yield* WhichBot.wish("pause", addressed, why ?? byFleet)
    if (cancel && target === undefined && !yes)
      return yield* wrongUsage("pause --cancel pauses every strategy and cancels every order. Add --yes to do it.")
    const name = !cancel ? "pause" : target === undefined ? "cancel-all" : "drain"
    yield* Effect.provide(tell(name, target, why), WhichBot.layerOf(addressed))
  })
).pipe(
  flags.help("Place no new orders; open orders stay and are still tracked, or are cancelled with --cancel", {
    "limitbot pause grid": "Open orders stay",
    "limitbot pause grid --cancel": "Open orders are cancelled and refunded",
    "limitbot pause --cancel --yes": "Every strategy, and every order"
  })
)

export const resume = Command.make(
  "resume",
  { strategy, allAccounts: WhichBot.allAccounts, ...one },
  Effect.fn(function* ({ strategy, why: given, ...addressed }) {
    const [target, why] = [strategy, given]
    if (addressed.allAccounts && target !== undefined)
      return yield* wrongUsage("--all-accounts resumes accounts as a whole")
    if (target === undefined && WhichBot.isOfFleet(addressed))
      return yield* WhichBot.wish("resume", addressed, why ?? byFleet)
    yield* Effect.provide(tell("resume", target, why), WhichBot.layerOf(addressed))
  })
).pipe(flags.help(commandOf("resume").does))

export const cancel = Command.make(
  "cancel",
  { slot: flags.argument("strategy/slot", "A slot as `status` shows it"), ...one },
  ({ slot, why }) => tell("cancel", slot, why)
).pipe(WhichBot.ofBot, flags.help(commandOf("cancel").does))

export const reload = Command.make(
  "reload",
  { allow, config: flags.config },
  Effect.fn(function* ({ allow, config }) {
    const reloaded = Effect.provide(tell("reload"), BotOfFile.layer(config))
    if (allow.length === 0) return yield* reloaded
    const { journal } = yield* ConfigFile.loadSettings(config)
    yield* Admission.allowNext(journal, allow)
    yield* Console.log(`Allowed for the next edit: ${allow.join(", ")}. A running bot applies it within a second.`)
    // A bot that does not answer applies the edit by itself.
    yield* Effect.catch(reloaded, (error) =>
      error instanceof BotUnreachable && error.why === "refused" ? Effect.fail(error) : Effect.void
    )
  })
).pipe(flags.help(commandOf("reload").does))
