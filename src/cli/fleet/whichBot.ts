/**
 * The flags that name the bot of a command: `--config FILE`, or `--account NAME` of a fleet. Commands that read a bot or send to it accept
 * both.
 */
import { Config, Effect, Option } from "effect"
import * as WhichBot from "../../app/journal/WhichBot.ts"
import * as KeyFile from "../../files/secrets/KeyFile.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as common from "../flags.ts"

const variable = "LIMITBOT_DATABASE_URL"

/** The address usually contains a password, so it never is on the command line. */
export const database = common.file(
  "database-file",
  `A file of mode 0600 with the address of the fleet's database, postgres://…; default: the variable ${variable}`
)

export const urlOf = Effect.fnUntraced(function* (file: Option.Option<string>) {
  if (Option.isSome(file)) return yield* KeyFile.readKey(file.value)
  const url = yield* Config.option(Config.Redacted(variable))
  if (Option.isSome(url)) return url.value
  return yield* new WrongUsage({ message: `Which database? Set --database-file FILE or ${variable}` })
})

export const inDatabase = <A, E, R>(file: Option.Option<string>, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(urlOf(file), (url) => Effect.provide(effect, WhichBot.fleetDatabase(url)))

export const flags = {
  config: common.config,
  account: common.text("account", "An account of a fleet, instead of the bot of a configuration"),
  database
}

export interface Given {
  readonly config: string
  readonly account: Option.Option<string>
  readonly database: Option.Option<string>
}

export const botOf = Effect.fnUntraced(function* ({ account, config, database }: Given) {
  if (Option.isNone(account) && Option.isNone(database)) return config
  if (Option.isNone(account)) return yield* new WrongUsage({ message: "--database-file goes with --account NAME" })
  if (config !== common.defaultConfig)
    return yield* new WrongUsage({
      message: "Use either --config or --account: an account's configuration is in its fleet"
    })
  return { account: account.value, database: yield* urlOf(database) } satisfies WhichBot.AccountOfFleet
})

export const withBot =
  <Input extends { readonly bot: Given }, A, E, R>(
    run: (asked: Omit<Input, "bot"> & { readonly bot: WhichBot.WhichBot }) => Effect.Effect<A, E, R>
  ) =>
  ({ bot: given, ...asked }: Input) =>
    Effect.flatMap(botOf(given), (bot) => run({ ...asked, bot }))
