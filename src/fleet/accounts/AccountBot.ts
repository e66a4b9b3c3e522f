/**
 * One account of a fleet in this process: the engine on the account's journal in the database, steered by the account's row. If another
 * process takes the account over, the journal refuses the next record, so this bot ends before it sends anything that needs one.
 */
import { createHash } from "node:crypto"
import { Clock, Effect, FileSystem, Layer, Option, Path, Schema } from "effect"
import type { AccountAnswer, AccountWord } from "../../app/cluster/AccountWord.ts"
import * as VenueOrders from "../../app/containment/VenueOrders.ts"
import * as Reconciling from "../../app/reconcile/Reconciling.ts"
import { supervised } from "../../app/run/watch/Supervision.ts"
import * as StartChecks from "../../app/start/StartChecks.ts"
import { refuse } from "../../control/api/ControlApi.ts"
import * as Operator from "../../control/Operator.ts"
import { bySymbol } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import * as Engine from "../../engine/Engine.ts"
import { EngineSettings } from "../../engine/EngineSettings.ts"
import * as OperatorPause from "../../engine/holds/OperatorPause.ts"
import type * as Background from "../../engine/reconciliation/Background.ts"
import * as Baseline from "../../engine/reconciliation/Baseline.ts"
import * as StartUp from "../../engine/StartUp.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { unfinished } from "../../engine/state/BotState.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as FleetAllowed from "../../files/FleetAllowed.ts"
import { HistoryStore } from "../../journal/HistoryStore.ts"
import {
  type AccountReport,
  type OwnedAccount,
  Registry,
  type StoredAccount,
  type WantedState
} from "../../journal/postgres/Registry.ts"
import * as Layers from "../../Layers.ts"
import * as Progress from "../../process/Progress.ts"
import { render } from "../../strategy/Problem.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import { sourcesCode, version } from "../../version.ts"
import { moneyView } from "../../views/Money.ts"
import { problemsOf } from "../../views/Problems.ts"
import { standingsView } from "../../views/Profit.ts"
import * as LiveProfit from "../../views/profit/LiveProfit.ts"
import { reconciliationView } from "../../views/Reconciliation.ts"
import { ownedIn, profitIn } from "../server/FleetView.ts"
import * as DailyCurve from "./DailyCurve.ts"

/** The first comparison after a start comes within this time. It finds orders that another owner left or a restored journal lacks. */
const firstMillis = 600_000

/** Turns follow from the account's name and the clock, so they stay under any owner, and many accounts spread evenly. */
export const turnsOf = (account: string, everyMillis: number): Background.Turns => ({
  first: waitOf(account, Math.min(everyMillis, firstMillis)),
  next: waitOf(account, everyMillis)
})

const waitOf = (account: string, spanMillis: number) => {
  const moment = createHash("sha256").update(account).digest().readUIntBE(0, 6) % spanMillis
  return Effect.map(Clock.currentTimeMillis, (now) => spanMillis - ((now - moment + spanMillis) % spanMillis))
}

export class AccountUnfit extends Schema.TaggedError<AccountUnfit>()("AccountUnfit", { message: Schema.String }) {}

export const loaded = Effect.fn("AccountBot.loaded")(function* (
  folder: string,
  row: Pick<StoredAccount, "config" | "name" | "strategies" | "told" | "toldSecondsAgo">
) {
  yield* Effect.fromResult(FleetAllowed.verify(row, yield* FleetAllowed.load(folder)))
  const { config: text, name, strategies: files } = row
  const [fileSystem, path] = [yield* FileSystem.FileSystem, yield* Path.Path]
  const own = path.join(folder, name)
  yield* fileSystem.makeDirectory(own, { recursive: true, mode: 0o700 })
  const file = path.join(own, "config.yaml")
  yield* fileSystem.writeFileString(file, text, { mode: 0o600 })
  const config = yield* ConfigFile.load(file)
  const strategies = yield* Effect.forEach(files, ({ file, text }) =>
    Effect.mapError(Effect.fromResult(StrategyFile.parse(text, file, config.markets)), (problems) =>
      unfit({ message: problems.map((each) => render(each, text)).join("\n") })
    )
  )
  const withCurves = DailyCurve.after(row, yield* Clock.currentTimeMillis)
  return { config, strategies, account: yield* Layers.accountOf(config), withCurves }
}, Effect.mapError(unfit))

function unfit(error: { readonly message: string }): AccountUnfit {
  return new AccountUnfit({ message: error.message })
}

export type LoadedAccount = Effect.Success<ReturnType<typeof loaded>>

export type AccountBot = Effect.Success<ReturnType<typeof make>>

/** Runs the account's bot until `stopped` completes. The current turn then ends, and the orders stay open. */
export const make = Effect.fn("AccountBot.make")(function* (
  { account: venueAccount, config, strategies, withCurves }: LoadedAccount,
  wanted: OwnedAccount,
  pid: number,
  stopped: Effect.Effect<void>
) {
  const books = yield* Bookkeeper
  const { pollMaxMillis } = yield* EngineSettings
  const assets = bySymbol(config.markets.assets)
  let row = wanted
  const withdraw = Effect.sync((): Reason | undefined =>
    row.wanted === "killed" ? { code: "kill-switch", text: row.why } : undefined
  )
  const run: StartUp.BotRun = {
    pid,
    version,
    sources: sourcesCode(),
    mode: "live",
    account: venueAccount.signerId,
    venue: config.venue.url,
    assets: Layers.idsBySymbol(config.markets)
  }
  const isKilled = wanted.wanted === "killed"
  yield* StartChecks.pass({ config, account: venueAccount, state: books.state, isKilled })
  yield* StartUp.recordOrWithdraw(run, strategies, withdraw)
  const engine = yield* Engine.make({
    strategies,
    markets: Layers.marketsByName(config.markets),
    withdraw,
    // Its runner pushes a changed row to this bot and wakes it, so it need not look often.
    quietLookMillis: 2_000
  })

  const steer = Effect.fn("AccountBot.steer")(function* (account: OwnedAccount) {
    row = account
    const why = account.why === "" ? "by the operator of the fleet" : account.why
    // A pause by the operator's command stays through every new start; it ends only by a command.
    if (account.wanted === "paused")
      yield* books.recordFrom((state) =>
        strategies.flatMap(({ name }) => OperatorPause.pause(state, name, "pause", why))
      )
    yield* engine.wake
  })
  yield* steer(wanted)
  const { signerId } = venueAccount
  const hear = yield* hearing({ config, signerId, engine, strategies, account: wanted.name })
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof hear>>>()
  const turns = turnsOf(wanted.name, config.reconcileEvery)
  // The history belongs to the partner and has one reader for all accounts, so a fleet does not read it yet.
  const comparing = Reconciling.comparing({ config, signerId }, turns, false)
  yield* Effect.forkScoped(supervised("the reconciliation", comparing))

  const earned = yield* LiveProfit.subscribe(assets)
  const accountReport = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const picture = yield* Effect.option(earned(engine.prices))
    const standings = Option.isNone(picture) ? [] : standingsView(picture.value, assets).standings
    const { state } = books
    const pulse = { turnedAt: engine.turnedAt, pollMaxMillis, leaving: () => undefined }
    const problems = problemsOf(state, assets, { now, pulse, stuckAfter: config.stuckAfter })
    return {
      openOrders: unfinished(state).length,
      fills: state.fills,
      events: state.sequence,
      problems: problems.map(({ kind, severity, text }) => ({ severity, kind, text })),
      money: ownedIn(moneyView(state, assets).rows).map((sum) => ({ ...sum, id: assets.get(sum.asset)?.id ?? "" })),
      profit: withCurves(standings.map(profitIn), now)
    } satisfies Omit<AccountReport, "failing">
  })
  const runs = Effect.andThen(
    engine.runUntil(stopped),
    books.record({ _tag: "BotStopped", reason: "stopped by its runner; orders stay open" })
  )
  return {
    runs,
    steer,
    told: accountReport,
    events: () => books.state.sequence,
    hear: (by: string, word: AccountWord) => Effect.provideContext(hear(by, word), context)
  }
})

/** Provides the account's own journal and venue, and the services that accounts share. It does not read the partner's history. */
export const layer = (name: string, { account, config }: LoadedAccount, shared: Layers.Shared) =>
  Layer.merge(Layers.ofFleet(name, config, account, shared), Layer.succeed(HistoryStore, HistoryStore.empty))

interface Hearing {
  readonly config: ConfigFile.BotConfig
  readonly signerId: string
  readonly engine: Engine.Engine
  readonly strategies: ReadonlyArray<Strategy>
  readonly account: string
}

const noHistory = "a fleet does not read the partner's history yet: use limitbot history"

/** Handles commands to the account. Its row holds the kill switch and the target state; all other commands go into its journal. */
const hearing = Effect.fnUntraced(function* ({ config, engine, account, signerId, strategies }: Hearing) {
  const [books, registry] = [yield* Bookkeeper, yield* Registry]
  const wish = (wanted: WantedState, why: string) =>
    Effect.asVoid(Effect.mapError(registry.wish(wanted, why, [account]), refuse))
  const bot: Operator.Commanded = {
    strategies: () => strategies,
    wake: engine.wake,
    withdrawPlacements: engine.withdrawPlacements,
    setKillSwitch: (why) => wish("killed", why),
    releaseKillSwitch: wish("running", ""),
    reload: () => Effect.fail(refuse("The files of an account are in its fleet: limitbot fleet --apply FOLDER"))
  }

  const reconciled = (acceptBalances: boolean) =>
    Reconciling.gather(config, signerId, {
      acceptBalances,
      book: (capital) => books.recordFrom(Baseline.unrecorded(capital)),
      noHistory
    }).pipe(
      Effect.provideService(Progress.IsWatched, false),
      Effect.scoped,
      Effect.map((found): AccountAnswer => ({ _tag: "Reconciled", found: reconciliationView(found) }))
    )

  const listed = Effect.suspend(() => VenueOrders.listed(config, signerId, books.state)).pipe(
    Effect.map((found): AccountAnswer => ({ _tag: "Listed", ...found }))
  )

  const answered = Effect.fnUntraced(function* (by: string, word: AccountWord) {
    if (word._tag === "Reconcile") return yield* reconciled(word.acceptBalances === true)
    if (word._tag === "ListOrders") return yield* listed
    if (word._tag === "Resolve") {
      const { _tag, ...answer } = word
      return done(yield* Operator.resolve(bot, by, answer, word.text))
    }
    const { name, target, why } = word
    // Reads the row again, because this process may not have seen the latest target state yet.
    if (name === "resume" && (yield* registry.one(account))?.wanted === "paused")
      return yield* refuse(`The whole account is paused: limitbot resume --account ${account}`)
    return done(yield* Operator.obey(bot, by, name, target, why))
  })

  /** An error becomes the answer to this command and has no further effect. */
  return (by: string, word: AccountWord) =>
    answered(by, word).pipe(
      Effect.catchDefect((defect) => Effect.fail(refuse(defect))),
      Effect.catch(({ message }) => Effect.succeed<AccountAnswer>({ _tag: "Refused", message })),
      Effect.provideService(Bookkeeper, books)
    )
})

const done = (message: string): AccountAnswer => ({ _tag: "Done", message })
