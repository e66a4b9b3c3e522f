/**
 * Offers services of a running bot beside its turns. One runs at a time, and between two pages of the journal the bot goes first. A
 * backtest is a separate process: it computes without a pause, and meanwhile no order could be cancelled. One backtest runs at a time too,
 * because it takes all of a processor; the other services do not wait for it.
 */
import { Clock, Effect, type FileSystem, type Path, Schema, type Scope, Semaphore, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { type Refused, refuse } from "../../control/api/ControlApi.ts"
import type { CloseRequest } from "../../control/api/Order.ts"
import type { Bot, BotServices } from "../../control/Bot.ts"
import { type Asset, bySymbol } from "../../domain/Amount.ts"
import { exitSlot } from "../../domain/Placement.ts"
import { endOfLoss } from "../../engine/holds/FundingStop.ts"
import { commandLineOf, holdsOnSlot, isFor } from "../../engine/holds/Holds.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import type { Journal } from "../../journal/Journal.ts"
import type { PriceStore } from "../../journal/PriceStore.ts"
import * as Layers from "../../Layers.ts"
import { Process } from "../../process/Process.ts"
import * as Progress from "../../process/Progress.ts"
import { endingText } from "../../strategy/modifiers/Period.ts"
import { suggestion } from "../../strategy/Problem.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import type { VenueAccount } from "../../venue/VenueConfig.ts"
import { BacktestAnswer } from "../../views/Backtest.ts"
import { type PlanFacts, planView, refusedIn } from "../../views/Plan.ts"
import { reconciliationView } from "../../views/Reconciliation.ts"
import { explained } from "../plan/Explaining.ts"
import * as PlanDraft from "../plan/PlanDraft.ts"
import * as Planning from "../plan/Planning.ts"
import * as Reconciling from "../reconcile/Reconciling.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"
import * as EditedFiles from "./EditedFiles.ts"
import * as OrderServices from "./OrderServices.ts"

const patienceMillis = 120_000
const curvePoints = 500

export interface BotServicesOptions extends EditedFiles.EditedOptions {
  readonly config: BotConfig
  readonly configFile: string
  readonly account: VenueAccount
  /** A dry run has imaginary orders, so there is nothing at the venue to compare with. */
  readonly isDry: boolean
  readonly reload: Bot["Service"]["reload"]
  readonly leaving: Bot["Service"]["leaving"]
}

type Needed =
  | FileSystem.FileSystem
  | Path.Path
  | Process
  | Journal
  | PriceStore
  | ChildProcessSpawner.ChildProcessSpawner

/** Returns the answer in time, or the reason why there is none. A defect of this program counts as such a reason. */
const answerInTime = <A, E, R>(answer: Effect.Effect<A, E, R>) =>
  answer.pipe(
    Effect.catchDefect((defect) => Effect.fail(defect)),
    Effect.mapError(refuse),
    Effect.timeoutOrElse({
      duration: patienceMillis,
      orElse: () => Effect.fail(refuse("It takes longer than two minutes; run it in a terminal"))
    })
  )

const decodeBacktest = Schema.decodeEffect(Schema.fromJsonString(BacktestAnswer))

/** Holds that end by themselves are left out, such as a pause for a drawdown: the edit that closes the strategy ends it. */
const saleText = (state: BotState, strategy: string): string => {
  const holds = holdsOnSlot(state, strategy, exitSlot).filter(
    (each) => isFor(each, { isExit: true }) && each.lifts !== "itself" && each.endsBy !== endOfLoss.get("drawdown")
  )
  if (holds.length === 0) return ", then what it holds is sold"
  const lifted = holds.map(({ endsBy, lifts, text }) => {
    const command = lifts === "resume" ? `limitbot resume ${strategy}` : commandLineOf(lifts)
    return `\`${command}\`${endsBy === undefined ? "" : `, or ${endsBy}`} (${text})`
  })
  return `. What it holds is sold only after ${lifted.join(" and ")}`
}

/** Ends the strategy by an edit of its file: `end` is now, with a sale of the position. A restarted bot then continues the end. */
const closing = (
  edited: Effect.Success<ReturnType<typeof EditedFiles.make>>,
  plan: (strategies: ReadonlyArray<Strategy>) => Effect.Effect<PlanFacts, Refused>,
  assets: ReadonlyMap<string, Asset>,
  state: BotState
) =>
  Effect.fn("BotServices.close")(function* ({ dry = false, strategy, ...sale }: CloseRequest) {
    const files = yield* edited.all
    const own = files.find((each) => each.strategy === strategy)
    const names = files.flatMap((each) => each.strategy ?? [])
    if (own === undefined) return yield* refuse(`No strategy is named ${strategy}; ${suggestion(strategy, names)}`)
    const { file, hash } = own
    const text = endingText(own.text, yield* Clock.currentTimeMillis, sale)
    const strategies = yield* edited.sound([{ file, text }])
    const facts = Planning.onlyOf(yield* plan(strategies), strategy)
    const terms = Planning.plainLines(facts, assets)
    if (dry) return { message: "Nothing was written: only a plan", strategy, file, terms }
    yield* edited.apply({ file, text }, hash)
    const message = `${strategy} is closed: its orders are withdrawn${saleText(state, strategy)}`
    return { message, strategy, file, terms }
  })

export const make = Effect.fn("BotServices.make")(function* (options: BotServicesOptions) {
  const { account, config, configFile, isDry } = options
  const { journal, markets } = config
  const assets = bySymbol(markets.assets)
  const edited = yield* EditedFiles.make(options)
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const { execPath, script } = yield* Process
  const context = yield* Effect.context<Needed>()
  const turn = yield* Semaphore.make(1)

  const answering = <A, E>(answer: Effect.Effect<A, E, Needed | Scope.Scope>) =>
    answer.pipe(
      Effect.scoped,
      Effect.provideContext(context),
      Effect.provideService(Progress.IsWatched, false),
      answerInTime,
      turn.withPermit
    )

  const drafted = (strategies: ReadonlyArray<Strategy>) =>
    answering(PlanDraft.draft(config, account, strategies).pipe(Effect.provide(Layers.looking(config, account))))

  const plan: BotServices["plan"] = Effect.fnUntraced(function* (texts) {
    const facts = yield* drafted(yield* edited.sound(texts))
    return planView(facts, assets, refusedIn(facts))
  })

  const { state } = yield* Bookkeeper
  const stateOfOrders = isDry ? Effect.fail(refuse("A dry run places no orders")) : Effect.succeed(state)
  const orders = yield* OrderServices.make({ ...options, state: stateOfOrders, plan: drafted })

  const testing = yield* Semaphore.make(1)
  const backtested = Effect.fnUntraced(
    function* (file: string, text: string | undefined) {
      const data = ["--data", `journal:${journal}`, "--signals", `journal:${journal}`, "--curve", String(curvePoints)]
      const words = [script, "backtest", file, ...data, "--config", configFile, "--json", "--no-save"]
      const stdin = Stream.make(new TextEncoder().encode(text))
      const child = yield* spawner.spawn(
        ChildProcess.make(execPath, text === undefined ? words : [...words, "--stdin"], { stdin })
      )
      const textOf = (stream: typeof child.stdout) => Stream.mkString(Stream.decodeText(stream))
      const [stdout, stderr] = yield* Effect.all([textOf(child.stdout), textOf(child.stderr)], { concurrency: 2 })
      yield* child.exitCode
      if (stdout.trim() === "") return yield* refuse(stderr.replace(/^limitbot: /, "").trim())
      return yield* decodeBacktest(stdout.trim())
    },
    Effect.scoped,
    testing.withPermit,
    answerInTime
  )
  const backtest: BotServices["backtest"] = (file, text) =>
    Effect.andThen(text === undefined ? edited.known(file) : edited.mayRun({ file, text }), backtested(file, text))

  const compared = Reconciling.gather(config, account.signerId, { book: () => Effect.void }).pipe(
    Effect.provide(VenueAccess.besideJournal(config, account.signerId)),
    Effect.map(reconciliationView)
  )
  return {
    files: edited.all,
    check: edited.check,
    apply: edited.apply,
    plan,
    close: closing(edited, drafted, assets, state),
    backtest,
    orders,
    explain: (slot, at) => answering(Effect.map(explained(config, slot, at), ({ slots }) => slots)),
    reconcile: isDry ? Effect.fail(refuse("A dry run has nothing to reconcile")) : answering(compared)
  } satisfies BotServices
})
