/** `limitbot fleet`: runs and shows many accounts on many machines, whose journals are in one Postgres database. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as AccountFolders from "../../fleet/accounts/AccountFolders.ts"
import * as AccountList from "../../fleet/accounts/AccountList.ts"
import * as FleetPage from "../../fleet/accounts/FleetPage.ts"
import * as Runner from "../../fleet/accounts/Runner.ts"
import * as Answer from "../../process/Answer.ts"
import { requestedOrAfter, Stop } from "../../process/Stop.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as flags from "../flags.ts"
import { database, inDatabase, urlOf } from "./whichBot.ts"

const running = Command.make(
  "run",
  {
    accounts: flags.file("apply", "Write the accounts of this folder first, as fleet --apply FOLDER --yes does"),
    folder: flags.fileFlag("secrets", "A folder of this machine, with one folder of referenced files for each account"),
    port: flags.count("port", "Serve health and metrics of this runner on this port of this machine", 0, 65_535),
    database,
    forMillis: flags.forDuration
  },
  Effect.fn(function* ({ accounts, database, folder, forMillis, port }) {
    const stop = requestedOrAfter(forMillis).pipe(Effect.provideService(Stop, yield* Stop))
    const applied = Effect.gen(function* () {
      const changes = accounts === undefined ? [] : yield* AccountFolders.apply(accounts, true)
      for (const line of AccountFolders.linesOf(changes)) yield* Console.log(line)
    })
    yield* inDatabase(database, Effect.andThen(applied, Runner.run({ folder, port, stop, say: Console.log })))
  }, Effect.scoped)
).pipe(flags.help("Run this runner's share of the fleet's accounts until stopped"))

const dashboard = Command.make(
  "dashboard",
  {
    file: flags.optionalFileArgument(
      "file",
      "A file with `dashboard` (where it listens) and `bots` (others to show); default: none"
    ),
    database,
    forMillis: flags.forDuration
  },
  ({ database, ...asked }) => FleetPage.serve({ ...asked, database: urlOf(database) })
).pipe(flags.help("Serve one page and one API over all accounts of the fleet, and over standalone bots"))

const removed = Effect.fnUntraced(function* (account: string) {
  if (!(yield* AccountList.has(account))) return yield* wrongUsage(`the fleet has no account ${account}`)
  if (!(yield* AccountList.remove(account)))
    return yield* wrongUsage(
      `${account} stays: only an account that is killed, and whose runner has since reported no orders, is removed (limitbot kill --account ${account})`
    )
  yield* Console.log(`${account} is removed; its journal stays in the database.`)
})

export const command = Command.make(
  "fleet",
  {
    apply: flags.file(
      "apply",
      "Write the accounts of this folder, one folder with config.yaml and strategies for each"
    ),
    yes: flags.toggle("yes", "With --apply: write the changes; without it they are only listed"),
    remove: flags.text(
      "remove",
      "Take this account out of the fleet, if it is killed and has no orders; its journal stays"
    ),
    database,
    csv: flags.csv,
    json: flags.json
  },
  Effect.fn(function* ({ apply, database, remove, yes, ...form }) {
    if (apply !== undefined && remove !== undefined) return yield* wrongUsage("--apply and --remove exclude each other")
    if (remove !== undefined) return yield* inDatabase(database, removed(remove))
    if (apply === undefined) return yield* Answer.print(inDatabase(database, AccountList.listAccounts), form)
    yield* Answer.print(inDatabase(database, AccountFolders.applied(apply, yes)), form)
  })
).pipe(
  flags.help("Show every account of a fleet, worst first: its state, runner, orders and problems", {
    "limitbot fleet": "Every account of the database",
    "limitbot fleet --apply accounts": "List the changes by a folder of accounts; with --yes write them",
    "limitbot kill --all-accounts": "Stop all of them; pause and resume take --account and --all-accounts as well"
  }),
  Command.withSubcommands([running, dashboard])
)
