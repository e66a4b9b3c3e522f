/** `pause`, `resume` and `kill` of whole accounts of a fleet, by `--account NAME` or `--all-accounts`. */
import { Console, Effect, Option } from "effect"
import { counted } from "../../domain/Words.ts"
import type { FleetCommand } from "../../fleet/server/FleetApi.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as flags from "../flags.ts"
import * as WhichBot from "./whichBot.ts"

export const allAccounts = flags.toggle("all-accounts", "Every account of the fleet, instead of one")

interface Addressed {
  readonly bot: WhichBot.Given
  readonly allAccounts: boolean
}

export const isOfFleet = ({ allAccounts, bot }: Addressed): boolean => allAccounts || Option.isSome(bot.account)

/** Sets the target state of whole accounts. It holds for any runner, also for one that starts later. */
export const wish = Effect.fnUntraced(function* (
  command: FleetCommand,
  { allAccounts, bot }: Addressed,
  reason: string
) {
  const accounts = Option.toArray(bot.account)
  if (allAccounts === accounts.length > 0 || bot.config !== flags.defaultConfig)
    return yield* new WrongUsage({ message: "Use one of --account NAME, --all-accounts and --config FILE" })
  const Wishes = yield* Effect.promise(() => import("../../fleet/accounts/Wishes.ts"))
  const changed = yield* WhichBot.inDatabase(bot.database, Wishes.say(command, reason, accounts))
  if (changed < accounts.length) {
    const killed = command === "resume" ? ", or it is killed: limitbot kill --off" : ""
    const free = command === "release" ? ", or it is not killed" : ""
    return yield* new WrongUsage({ message: `The fleet has no account ${accounts.join()}${killed}${free}` })
  }
  const wishes = Wishes.wantedBy[command]
  const state = wishes === "running" ? "to trade" : wishes
  yield* Console.log(`${counted(changed, "account")} ${changed === 1 ? "is" : "are"} ${state} within seconds.`)
})
