/**
 * `limitbot fleet`: many accounts on many machines, with their journals in one Postgres database. `run` is a runner; the others say what
 * the accounts are to do and show what they do.
 */
import { Console, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as DashboardPage from "../../app/control/DashboardPage.ts"
import * as AccountFolders from "../../app/fleet/AccountFolders.ts"
import * as FleetView from "../../app/fleet/FleetView.ts"
import * as Runner from "../../app/fleet/Runner.ts"
import * as Wishes from "../../app/fleet/Wishes.ts"
import { fleetDatabase } from "../../app/journal/WhichBot.ts"
import * as Answer from "../../app/process/Answer.ts"
import * as Stop from "../../app/process/Stop.ts"
import { requestedOrAfter } from "../../app/process/Stop.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as FleetServer from "../../control/FleetServer.ts"
import { counted } from "../../domain/Words.ts"
import * as FleetFile from "../../files/FleetFile.ts"
import { type FleetAccount, Registry, type WantedState } from "../../journal/postgres/Registry.ts"
import * as Table from "../../report/text/Table.ts"
import { type BotLine, lineOf, worstFirst } from "../../views/Fleet.ts"
import * as FileName from "../FileName.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { database, urlOf } from "./whichBot.ts"

const inDatabase = <A, E, R>(file: Option.Option<string>, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(urlOf(file), (url) => Effect.provide(effect, fleetDatabase(url)))

const said = ({ account, change, files }: AccountFolders.AccountChange): string =>
  `${account}: ${change} (${files.join(", ")})`

const isFresh = ({ change }: AccountFolders.AccountChange): boolean => change !== "same"

const running = Command.make(
  "run",
  {
    accounts: FileName.flag("apply").pipe(
      Flag.withDescription("Write the accounts of this folder first, as fleet apply --yes does"),
      Flag.optional
    ),
    folder: FileName.flag("secrets").pipe(
      Flag.withDescription("A folder of this machine: what configurations refer to lies in one for each account")
    ),
    database,
    forMillis: flags.forDuration
  },
  Effect.fn(function* ({ accounts, database, folder, forMillis }) {
    const { requested } = yield* Stop.Stop
    const stop = Option.match(forMillis, {
      onNone: () => requested,
      onSome: (millis) => Effect.raceFirst(requested, Effect.sleep(millis))
    })
    const applied = Option.match(accounts, {
      onNone: () => Effect.succeed([]),
      onSome: (applied) => AccountFolders.apply(applied, true)
    })
    const told = Effect.flatMap(applied, (changes) =>
      Effect.forEach(changes.filter(isFresh), (change) => Console.log(said(change)))
    )
    yield* inDatabase(database, Effect.andThen(told, Runner.run({ folder, stop, say: Console.log })))
  }, Effect.scoped)
).pipe(help("Run accounts of the fleet, as many as are this runner's share, until stopped"))

const applying = Command.make(
  "apply",
  {
    folder: FileName.argument("folder").pipe(
      Argument.withDescription("A folder with one for each account: config.yaml and its strategies")
    ),
    yes: flags.toggle("yes", "Write it; without, it is only said what would change"),
    database,
    json: flags.json
  },
  Effect.fn(function* ({ database, folder, yes }) {
    const changes = yield* inDatabase(database, AccountFolders.apply(folder, yes))
    const fresh = changes.filter(isFresh)
    return {
      data: () => ({ isWritten: yes, changes }),
      lines: () => [
        ...fresh.map(said),
        fresh.length === 0
          ? "Nothing differs."
          : yes
            ? `${counted(fresh.length, "account")} written; runners take it up within seconds.`
            : `${counted(fresh.length, "account")} would be written: add --yes.`
      ]
    }
  }, Answer.print)
).pipe(help("Write the accounts of a folder into the fleet, after saying what would change"))

const problemsIn = ({ problems }: BotLine): string => problems.map(({ kind, text }) => `${kind}: ${text}`).join("; ")

const columns = Table.of<FleetAccount>([
  { key: "account", title: "ACCOUNT", value: ({ name }) => name },
  { key: "class", value: (account) => account.class },
  { key: "wanted", title: "WANTED", value: ({ wanted }) => wanted },
  { key: "why", value: ({ why }) => why },
  { key: "runner", title: "RUNNER", value: ({ isOwned, owner }) => (isOwned ? owner : "none") },
  { key: "openOrders", title: "ORDERS", value: ({ told }) => told?.openOrders },
  { key: "fills", title: "FILLS", value: ({ told }) => told?.fills },
  { key: "events", value: ({ told }) => told?.events },
  { key: "revision", value: ({ revision }) => revision },
  { key: "toldSecondsAgo", value: ({ toldSecondsAgo }) => toldSecondsAgo },
  { key: "problems", title: "PROBLEMS", value: (account) => account.told && problemsIn(lineOf(account)) }
])

const status = Command.make(
  "status",
  { database, csv: flags.csv, json: flags.json },
  Effect.fn(function* ({ database }) {
    const accounts = yield* inDatabase(
      database,
      Effect.flatMap(Registry, ({ all }) => all)
    )
    const byName = new Map(accounts.map((account) => [account.name, account]))
    const sorted = worstFirst(accounts.map(lineOf)).flatMap(({ name }) => byName.get(name) ?? [])
    return Answer.ofList(columns, sorted, "The fleet has no accounts: limitbot fleet apply FOLDER")
  }, Answer.print)
).pipe(help("Show every account, worst first: what it is to do, who runs it, its orders and problems"))

const wishing = (name: string, wanted: WantedState, done: string, about: string) =>
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
      const changed = yield* inDatabase(database, Wishes.say(wanted, reason, accounts))
      if (changed < accounts.length)
        return yield* new WrongUsage({ message: `${changed} of these accounts are in the fleet, and ${done}` })
      yield* Console.log(`${counted(changed, "account")} ${changed === 1 ? "is" : "are"} ${done} within seconds.`)
    })
  ).pipe(help(about))

const removing = Command.make(
  "remove",
  {
    account: Argument.String("account").pipe(Argument.withDescription("One that is killed and has no orders")),
    database
  },
  Effect.fn(function* ({ account, database }) {
    const isGone = yield* inDatabase(
      database,
      Effect.flatMap(Registry, ({ remove }) => remove(account))
    )
    if (!isGone)
      return yield* new WrongUsage({
        message: `${account} stays: only an account that is killed and has no orders is removed (limitbot fleet kill ${account})`
      })
    yield* Console.log(`${account} is removed; its journal stays in the database.`)
  })
).pipe(help("Take an account out of the fleet; its journal stays"))

const dashboard = Command.make(
  "dashboard",
  {
    file: FileName.argument("file").pipe(
      Argument.withDescription("A file with `dashboard` (where it listens) and `bots` (others to show); default: none"),
      Argument.optional
    ),
    database,
    forMillis: flags.forDuration
  },
  Effect.fn(function* ({ database, file, forMillis }) {
    const beside = Option.getOrElse(file, () => "fleet")
    const { bots, options } = Option.isSome(file)
      ? yield* FleetFile.load(file.value)
      : { bots: [], options: FleetFile.usual }
    const url = yield* Effect.option(urlOf(database))
    if (bots.length === 0 && Option.isNone(url)) yield* urlOf(database)
    const serving = Effect.gen(function* () {
      const address = yield* FleetServer.serve(beside, options)
      yield* Console.log(`Dashboard: ${yield* DashboardPage.line(beside, address)}`)
      yield* requestedOrAfter(forMillis)
    })
    const fleet = Option.isSome(url)
      ? FleetView.layer(bots).pipe(Layer.provide(fleetDatabase(url.value)))
      : FleetView.layerOfBots(bots)
    yield* Effect.provide(serving, fleet)
  }, Effect.scoped)
).pipe(help("Serve one page and one API over all accounts of the fleet, and over bots of their own"))

export const command = Command.make("fleet").pipe(
  Command.withDescription("Run many accounts on many machines, with their journals in one Postgres database"),
  Command.withSubcommands([
    running,
    applying,
    status,
    dashboard,
    wishing("pause", "paused", "paused", "Place nothing new in these accounts; what rests stays"),
    wishing("resume", "running", "to trade", "Let accounts trade again, killed ones too"),
    wishing("kill", "killed", "killed", "Stop all funding of these accounts and withdraw their orders"),
    removing
  ])
)
