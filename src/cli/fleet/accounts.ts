/** `limitbot fleet apply|status|pause|resume|kill|remove`: which accounts there are, what they are to do, and what they do. */
import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { counted } from "../../domain/Words.ts"
import * as AccountFolders from "../../fleet/accounts/AccountFolders.ts"
import * as AccountList from "../../fleet/accounts/AccountList.ts"
import * as Wishes from "../../fleet/accounts/Wishes.ts"
import * as Answer from "../../process/Answer.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { database, inDatabase } from "./whichBot.ts"

export const applying = Command.make(
  "apply",
  {
    folder: flags
      .fileArgument("folder")
      .pipe(Argument.withDescription("A folder with one for each account: config.yaml and its strategies")),
    yes: flags.toggle("yes", "Write it; without, it is only said what would change"),
    database,
    json: flags.json
  },
  Answer.printAnswerOf(({ database, folder, yes }) => inDatabase(database, AccountFolders.applied(folder, yes)))
).pipe(help("Write the accounts of a folder into the fleet, after saying what would change"))

export const status = Command.make(
  "status",
  { database, csv: flags.csv, json: flags.json },
  Answer.printAnswerOf(({ database }) => inDatabase(database, AccountList.listAccounts))
).pipe(help("Show every account, worst first: what it is to do, who runs it, its orders and problems"))

export const wishing = (name: "pause" | "resume" | "kill", done: string, about: string) =>
  Command.make(
    name,
    {
      accounts: Argument.String("account").pipe(
        Argument.withDescription("An account; with --all every one"),
        Argument.variadic()
      ),
      all: flags.toggle("all", "Every account of the fleet"),
      why: flags.text("why", "Why, for the journals"),
      database
    },
    Effect.fn(function* ({ accounts, all, database, why }) {
      if (all === accounts.length > 0) return yield* new WrongUsage({ message: "Name accounts, or give --all" })
      const reason = Option.getOrElse(why, () => "by the operator of the fleet")
      const changed = yield* inDatabase(database, Wishes.say(Wishes.wantedBy[name], reason, accounts))
      if (changed < accounts.length)
        return yield* new WrongUsage({ message: `${changed} of these accounts are in the fleet, and ${done}` })
      yield* Console.log(`${counted(changed, "account")} ${changed === 1 ? "is" : "are"} ${done} within seconds.`)
    })
  ).pipe(help(about))

export const removing = Command.make(
  "remove",
  {
    account: Argument.String("account").pipe(Argument.withDescription("One that is killed and has no orders")),
    database
  },
  Effect.fn(function* ({ account, database }) {
    const isGone = yield* inDatabase(database, AccountList.remove(account))
    if (!isGone)
      return yield* new WrongUsage({
        message: `${account} stays: only an account that is killed and has no orders is removed (limitbot fleet kill ${account})`
      })
    yield* Console.log(`${account} is removed; its journal stays in the database.`)
  })
).pipe(help("Take an account out of the fleet; its journal stays"))
