/** The flags that choose the bot of a command: `--config FILE`, or `--account NAME` and `--all-accounts` of a fleet. */
import { Config, Console, Effect, Layer, Option } from "effect"
import { Command } from "effect/cli"
import * as BotOfFile from "../../app/bots/BotOfFile.ts"
import { countText } from "../../domain/Text.ts"
import * as KeyFile from "../../files/secrets/KeyFile.ts"
import type { FleetCommand } from "../../fleet/server/FleetApi.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as common from "../flags.ts"

const variable = "LIMITBOT_DATABASE_URL"

const accountOfFleet = Effect.promise(() => import("../../app/bots/AccountOfFleet.ts"))

/** The address usually contains a password, so it is never on the command line. */
export const database = common.file(
  "database-file",
  `A file of mode 0600 with the address of the fleet's database, postgres://…; default: the variable ${variable}`
)

export const urlOf = Effect.fnUntraced(function* (file: string | undefined) {
  if (file !== undefined) return yield* KeyFile.readKey(file)
  const url = yield* Config.option(Config.Redacted(variable))
  if (Option.isSome(url)) return url.value
  return yield* wrongUsage(`Which database? Set --database-file FILE or ${variable}`)
})

export const inDatabase = <A, E, R>(file: string | undefined, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.all([accountOfFleet, urlOf(file)]), ([{ fleetDatabase }, url]) =>
    Effect.provide(effect, fleetDatabase(url))
  )

export const flags = {
  config: common.config,
  account: common.text("account", "An account of a fleet, instead of the bot of a configuration"),
  database
}

export interface Given {
  readonly config: string
  readonly account: string | undefined
  readonly database: string | undefined
}

interface Choice {
  readonly bot: Given
  readonly allAccounts?: boolean
}

export const layerOf = ({ bot: { account, config, database } }: Choice) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (account === undefined && database === undefined) return BotOfFile.layer(config)
      if (account === undefined) return yield* wrongUsage("--database-file goes with --account NAME")
      if (config !== common.defaultConfig)
        return yield* wrongUsage("Use either --config or --account: an account's configuration is in its fleet")
      const { layer } = yield* accountOfFleet
      return layer(account, yield* urlOf(database))
    })
  )

export const ofBot = <const Name extends string, Input extends Choice, C, E, R>(
  command: Command.Command<Name, Input, C, E, R>
) => Command.provide(command, layerOf)

export const allAccounts = common.toggle("all-accounts", "Every account of the fleet, instead of one")

export const isOfFleet = ({ allAccounts = false, bot }: Choice): boolean => allAccounts || bot.account !== undefined

/** Sets the target state of whole accounts, for every runner, also one that starts later. */
export const wish = Effect.fnUntraced(function* (command: FleetCommand, { allAccounts, bot }: Choice, why: string) {
  const accounts = bot.account === undefined ? [] : [bot.account]
  if (allAccounts === accounts.length > 0 || bot.config !== common.defaultConfig)
    return yield* wrongUsage("Use one of --account NAME, --all-accounts and --config FILE")
  const TargetStates = yield* Effect.promise(() => import("../../fleet/accounts/TargetStates.ts"))
  const changed = yield* inDatabase(bot.database, TargetStates.say(command, why, accounts))
  if (changed < accounts.length) {
    const AccountList = yield* Effect.promise(() => import("../../fleet/accounts/AccountList.ts"))
    const [account = ""] = accounts
    if (!(yield* inDatabase(bot.database, AccountList.has(account))))
      return yield* wrongUsage(`The fleet has no account ${account}`)
    const state = command === "resume" ? `killed: limitbot kill --off --account ${account}` : "not killed"
    return yield* wrongUsage(`The account ${account} is ${state}`)
  }
  const target = TargetStates.wantedBy[command]
  const future = command === "release" ? "leave the kill switch" : target === "running" ? "trade" : `be ${target}`
  yield* Console.log(`${countText(changed, "account")} will ${future} within seconds.`)
})
