/**
 * `limitbot fleet`: many accounts on many machines, with their journals in one Postgres database. `run` is a runner; the others say what
 * the accounts are to do and show what they do.
 */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as AccountFolders from "../../fleet/accounts/AccountFolders.ts"
import * as FleetPage from "../../fleet/accounts/FleetPage.ts"
import * as Runner from "../../fleet/accounts/Runner.ts"
import { requestedOrAfter, Stop } from "../../process/Stop.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { applying, removing, status, wishing } from "./accounts.ts"
import { database, inDatabase, urlOf } from "./whichBot.ts"

const running = Command.make(
  "run",
  {
    accounts: flags
      .fileFlag("apply")
      .pipe(Flag.withDescription("Write the accounts of this folder first, as fleet apply --yes does"), Flag.optional),
    folder: flags
      .fileFlag("secrets")
      .pipe(
        Flag.withDescription("A folder of this machine: what configurations refer to lies in one for each account")
      ),
    port: flags.count("port", "Serve health and metrics of this runner on this port of this machine", 0, 65_535),
    database,
    forMillis: flags.forDuration
  },
  Effect.fn(function* ({ accounts, database, folder, forMillis, port }) {
    const stop = requestedOrAfter(forMillis).pipe(Effect.provideService(Stop, yield* Stop))
    const applied = Option.match(accounts, {
      onNone: () => Effect.void,
      onSome: (applied) =>
        Effect.flatMap(AccountFolders.apply(applied, true), (changes) =>
          Effect.forEach(AccountFolders.linesOf(changes), (line) => Console.log(line), { discard: true })
        )
    })
    yield* inDatabase(
      database,
      Effect.andThen(applied, Runner.run({ folder, port: Option.getOrUndefined(port), stop, say: Console.log }))
    )
  }, Effect.scoped)
).pipe(help("Run accounts of the fleet, as many as are this runner's share, until stopped"))

const dashboard = Command.make(
  "dashboard",
  {
    file: flags
      .fileArgument("file")
      .pipe(
        Argument.withDescription(
          "A file with `dashboard` (where it listens) and `bots` (others to show); default: none"
        ),
        Argument.optional
      ),
    database,
    forMillis: flags.forDuration
  },
  ({ database, ...asked }) => FleetPage.serve({ ...asked, database: urlOf(database) })
).pipe(help("Serve one page and one API over all accounts of the fleet, and over bots of their own"))

export const command = Command.make("fleet").pipe(
  Command.withDescription("Run many accounts on many machines, with their journals in one Postgres database"),
  Command.withSubcommands([
    running,
    applying,
    status,
    dashboard,
    wishing("pause", "paused", "Place nothing new in these accounts; what rests stays"),
    wishing("resume", "to trade", "Let accounts trade again, killed ones too"),
    wishing("kill", "killed", "Stop all funding of these accounts and withdraw their orders"),
    removing
  ])
)
