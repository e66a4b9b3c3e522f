/** `limitbot kill`: the operator's kill switch, obeyed by a running bot within a second; `--off` ends it. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { callOf } from "../../control/api/ControlApi.ts"
import { commandOf } from "../../control/api/OperatorCommands.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as KillFile from "../../process/KillFile.ts"
import * as RunningBot from "../../process/RunningBot.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "../fleet/whichBot.ts"

/** The file alone decides; a bot that can be reached checks it at once. */
const soon = <A, E, R>(told: Effect.Effect<A, E, R>) => Effect.isSuccess(Effect.timeout(told, "2 seconds"))

export const command = Command.make(
  "kill",
  {
    reason: flags.optionalArgument("reason", "Reason, for the journal"),
    off: flags.toggle("off", "Switch the kill switch off again: the bot trades"),
    allAccounts: WhichBot.allAccounts,
    bot: WhichBot.flags
  },
  Effect.fn(function* ({ off, reason: given, ...addressed }) {
    const reason = given ?? `switched ${off ? "off" : "on"} by the operator`
    if (WhichBot.isOfFleet(addressed)) return yield* WhichBot.wish(off ? "release" : "kill", addressed, reason)
    const { config } = addressed.bot
    if (off) {
      const { journal } = yield* ConfigFile.loadSettings(config)
      yield* KillFile.release(journal)
      const isTold = yield* soon(RunningBot.ask(journal, callOf("release", undefined, reason)))
      const note = isTold || given === undefined ? "" : " No bot answered, so the journal does not get the reason."
      return yield* Console.log(`Kill switch off: a running bot trades again.${note}`)
    }
    const journal = yield* ConfigFile.journalOf(config)
    yield* KillFile.set(journal, reason)
    yield* soon(RunningBot.ask(journal, callOf("kill", undefined, reason)))
    yield* Console.log(
      "Kill switch on: a running bot stops payments, cancels its orders and gets the money back; if none runs, its next start does. See `limitbot status`. `limitbot kill --off` ends it."
    )
  })
).pipe(
  flags.help(commandOf("kill").does, {
    'limitbot kill "the price looks wrong"': "Stop everything, also while no bot runs",
    "limitbot kill --off": "Trade again"
  })
)
