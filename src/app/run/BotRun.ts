/** Runs the bot once, for `run` and `demo`. By default orders stay at the venue when it stops; the summary says what that means. */
import { Clock, Console, Deferred, Effect, Fiber, FileSystem, Path, PubSub } from "effect"
import { refuse } from "../../control/api/ControlApi.ts"
import { Bot } from "../../control/Bot.ts"
import * as ControlServer from "../../control/ControlServer.ts"
import * as Notifications from "../../control/notify/Notifications.ts"
import { noteAnswer } from "../../control/Operator.ts"
import * as Signals from "../../control/Signals.ts"
import * as Telemetry from "../../control/Telemetry.ts"
import { bySymbol } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import { monotonicMillis } from "../../domain/Durations.ts"
import * as Engine from "../../engine/Engine.ts"
import { EngineSettings } from "../../engine/EngineSettings.ts"
import { mayStillBeMade, unclearPayment } from "../../engine/funding/Paying.ts"
import * as StartUp from "../../engine/StartUp.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import { type BotState, unfinished } from "../../engine/state/BotState.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import { PriceStore } from "../../journal/PriceStore.ts"
import * as Layers from "../../Layers.ts"
import * as KillFile from "../../process/KillFile.ts"
import { Process } from "../../process/Process.ts"
import { Stop } from "../../process/Stop.ts"
import { Terminal } from "../../process/Terminal.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import type { VenueAccount } from "../../venue/VenueConfig.ts"
import { version } from "../../version.ts"
import * as StoredBooks from "../../views/profit/StoredBooks.ts"
import * as StoredProfit from "../../views/profit/StoredProfit.ts"
import { commandFailed } from "../CommandFailed.ts"
import * as WarmPrices from "../candles/WarmPrices.ts"
import * as Alerting from "../control/Alerting.ts"
import * as BotServices from "../control/BotServices.ts"
import * as DashboardPage from "../control/DashboardPage.ts"
import * as OwnPhones from "../control/OwnPhones.ts"
import * as SwapServices from "../control/SwapServices.ts"
import { decisionCode } from "../DecisionCode.ts"
import { takeUpAnswers } from "../journal/Resolving.ts"
import * as Reconciling from "../reconcile/Reconciling.ts"
import * as Admission from "./Admission.ts"
import * as Canarying from "./Canarying.ts"
import * as Display from "./Display.ts"
import * as SignalFile from "./watch/SignalFile.ts"
import * as StrategyWatch from "./watch/StrategyWatch.ts"
import { supervised, tellSystemd, verifyJournal } from "./watch/Supervision.ts"
import * as Witnessing from "./watch/Witnessing.ts"

/** A running turn has this time to end. Then it is interrupted, which the journal survives. */
const graceMillis = 3_000

export interface BotRunOptions extends Omit<Display.ShownOptions, "assets" | "stuckAfter"> {
  readonly config: BotConfig
  readonly configFile: string
  readonly account: VenueAccount
  readonly run: Pick<StartUp.BotRun, "assets" | "boot" | "journal" | "mode" | "sources">
  readonly strategies: ReadonlyArray<Strategy>
  readonly reload: Pick<StrategyWatch.WatchOptions, "files" | "onRemoved">
  readonly forMillis: number | undefined
  /** `now` is in milliseconds of the monotonic clock. */
  readonly isOver?: ((state: BotState, now: number) => boolean) | undefined
  readonly cancelOnExit: boolean
  readonly killSwitch: Effect.Effect<string | undefined>
  /** Absent in the demo: then every readable file is accepted. */
  readonly allow?: Admission.Admission["allow"]
  /** Absent if no money moves. */
  readonly reconciling?: Reconciling.Reconciling
  readonly payAgain?: ReadonlyArray<string>
  /** False for a run that shows nothing, reads no signals, watches no files and sends systemd no sign of life. */
  readonly isAttended: boolean
}

const completed = ({ allow, reload, run, ...options }: BotRunOptions, pid: number) => {
  const { account, config } = options
  const { journal, markets, stuckAfter } = config
  const identity = { pid, version, decisionCode: decisionCode(), account: account.signerId, venue: config.venue.url }
  const admission = allow === undefined ? undefined : { config, account, allow }
  return {
    ...options,
    run: { ...identity, ...run },
    markets: Layers.marketsByName(markets),
    assets: bySymbol(markets.assets),
    journal,
    stuckAfter,
    notifying: { people: Layers.http(config), ...config },
    admission,
    reload: { ...reload, markets, admission, byHandOf: admission && journal }
  }
}

type Completed = ReturnType<typeof completed>

const leavingReason: Reason = { code: "leaving", text: "The bot stops and cancels its orders (--cancel-on-exit)" }

const leavingSlowly = "stopping: cancels its orders and waits for their money; Ctrl-C stops at once"

export const runBot = Effect.fnUntraced(function* (asked: BotRunOptions) {
  const options = completed(asked, (yield* Process).pid)
  const books = yield* Bookkeeper
  const stop = yield* Stop
  const terminal = yield* Terminal
  const { isAttended, payAgain = [] } = options
  let isCancellingAll = false
  let stopText: string | undefined
  const leaving = () => stopText

  const withdraw = Effect.map(options.killSwitch, (reason): Reason | undefined =>
    reason !== undefined ? { code: "kill-switch", text: reason } : isCancellingAll ? leavingReason : undefined
  )
  yield* mayPayAgain(books.state, payAgain)
  yield* stop.leaves(() => Display.stillOpen(books.state))
  // A subscription lacks earlier events, so each begins before the start records its alarms.
  // Without a reader there is none, because it would keep its events in memory.
  const subscribe = (isRead: boolean) => (isRead ? PubSub.subscribe(books.changes) : Effect.undefined)
  const screenEvents = yield* subscribe(isAttended)
  const noticeEvents = yield* subscribe(options.config.notify.length > 0)
  const logEvents = yield* subscribe(options.config.otlp !== undefined)
  const { admit, refused } = yield* Admission.judging(options)
  yield* StartUp.recordOrWithdraw(options.run, options.strategies, withdraw, options.reload.onRemoved)
  const verified = yield* verifyJournal(options.journal)
  yield* beside("the verification of the journal", verified)
  const { account, config } = options
  const witness = config.witness && { config, signerId: account.signerId, terms: config.witness }
  if (witness !== undefined) yield* beside("the witness", yield* Witnessing.begin(witness))
  const warm = yield* WarmPrices.make(yield* PriceStore, options.reload.markets.sources ?? new Map())
  warm.use(options.strategies)
  const engine = yield* Engine.make({
    strategies: options.strategies,
    admit,
    markets: options.markets,
    withdraw,
    payAgain: new Set(payAgain),
    listen: takeUpAnswers(options.journal, (answer) => noteAnswer(answer, books)).pipe(
      Effect.provideService(FileSystem.FileSystem, yield* FileSystem.FileSystem),
      Effect.provideService(Path.Path, yield* Path.Path)
    )
  }).pipe(Effect.provideService(PriceStore, warm.store))
  const files = yield* StrategyWatch.make(engine, options.strategies, { ...options.reload, warm })
  const bot = yield* botOf(options, engine, files, leaving)
  yield* takeSignals(options, bot)
  const page = yield* openPage(options, bot)
  yield* besideTurns(options, bot, { files, warm })
  yield* beside("telemetry", Telemetry.report(config.otlp, bot, logEvents))
  const name = `${options.run.mode} ${options.run.account.slice(0, 16)}`
  yield* Notifications.start(options.notifying, { ...bot, name }, noticeEvents)
  const displayed: Display.Shown = { prices: bot.prices, pulse: bot, dashboard: page, nextLookAt: engine.nextLookAt }
  const screen = screenEvents === undefined ? Effect.void : Display.show(options, displayed, screenEvents)
  const display = yield* Effect.forkScoped(supervised("the screen", screen), { startImmediately: true })

  const stopping = yield* Deferred.make<void>()
  const timeIsUp = options.forMillis === undefined ? Effect.never : Effect.sleep(options.forMillis)
  const awaitStop = Effect.gen(function* () {
    yield* Effect.raceAllFirst([stop.requested, timeIsUp, isDone(options, books.state)])
    stopText = options.cancelOnExit ? leavingSlowly : "stopping"
    if (!options.json && !terminal.isInteractive && isAttended) yield* Console.log(stopText)
    yield* Deferred.succeed(stopping, undefined)
  })
  yield* Effect.forkScoped(awaitStop, { startImmediately: true })
  const stopped = Deferred.await(stopping)
  yield* Effect.raceAllFirst([engine.runUntil(stopped), Effect.andThen(stopped, Effect.sleep(graceMillis)), refused])

  if (options.cancelOnExit && !engine.isIdle()) {
    isCancellingAll = true
    // A cancelled order may still fill, so the run ends only when every unit is back.
    yield* engine.runUntil(Effect.never, engine.isIdle)
  }
  yield* books.record({
    _tag: "BotStopped",
    reason: options.cancelOnExit ? "all orders closed" : "stopped, orders left resting"
  })
  yield* Fiber.join(display)
}, Effect.scoped)

const doneMillis = 250

const isDone = ({ isOver }: Completed, state: BotState) =>
  isOver === undefined
    ? Effect.never
    : Effect.andThen(Effect.sleep(doneMillis), monotonicMillis).pipe(
        Effect.repeat({ until: (now) => isOver(state, now) }),
        Effect.asVoid
      )

/** Accepts `--pay-again` only for an unclear payment that its payer can no longer make. */
const mayPayAgain = Effect.fnUntraced(function* (state: BotState, payAgain: ReadonlyArray<string>) {
  const now = yield* Clock.currentTimeMillis
  const unclear = new Map(
    unfinished(state).flatMap((placement) => {
      const payment = unclearPayment(placement)
      return payment === undefined ? [] : [[payment, mayStillBeMade(placement, now)] as const]
    })
  )
  const clear = payAgain.find((payment) => !unclear.has(payment))
  if (clear !== undefined) {
    const others = unclear.size === 0 ? "There is none." : `Unclear: ${[...unclear.keys()].join(", ")}`
    return yield* commandFailed(`--pay-again ${clear}: no order has an unclear payment of this name. ${others}`)
  }
  for (const [payment, why] of unclear)
    if (why !== undefined && payAgain.includes(payment)) return yield* commandFailed(`--pay-again ${payment}: ${why}`)
})

const beside = <A, E, R>(what: string, loop: Effect.Effect<A, E, R>) => Effect.forkScoped(supervised(what, loop))

type Files = Effect.Success<ReturnType<typeof StrategyWatch.make>>

const botOf = Effect.fnUntraced(function* (
  options: Completed,
  engine: Engine.Engine,
  files: Files,
  leaving: Bot["Service"]["leaving"]
) {
  const { account, assets, config, journal, markets, notifying, stuckAfter } = options
  const { checksOf, decisionOf, prices, turnedAt, wake, withdrawPlacements } = engine
  const { strategies } = files
  const withFiles = Effect.provideService(FileSystem.FileSystem, yield* FileSystem.FileSystem)
  const reload = (own?: string) => Effect.mapError(files.reload(own), refuse)
  const isDry = options.run.mode === "dry-run"
  return Bot.of({
    ...{ assets, journal, leaving, markets, reload, strategies, stuckAfter },
    ...{ checksOf, decisionOf, prices, turnedAt, wake, withdrawPlacements },
    pollMaxMillis: (yield* EngineSettings).pollMaxMillis,
    setKillSwitch: (why) => KillFile.set(journal, why).pipe(withFiles, Effect.mapError(refuse)),
    releaseKillSwitch: KillFile.release(journal).pipe(withFiles, Effect.mapError(refuse)),
    services: yield* BotServices.make({ ...options, files: files.files, reload, leaving, running: strategies, isDry }),
    signals: yield* Signals.make({ strategies, wake }),
    swaps: yield* SwapServices.make({ account, config, leaving }),
    phones: yield* OwnPhones.open(journal, notifying, config.dashboard)
  })
})

const takeSignals = Effect.fnUntraced(function* (
  { config: { signalFile }, isAttended }: Completed,
  { signals, strategies }: Bot["Service"]
) {
  if (signalFile === undefined || !isAttended) return
  const isWanted = (name: string) => strategies().some((strategy) => strategy.signals?.has(name) === true)
  const { forever } = yield* SignalFile.make(signalFile, signals, isWanted)
  yield* beside("the file of signals", forever)
})

const besideTurns = (
  { config, isAttended, reconciling }: Completed,
  bot: Bot["Service"],
  { files, warm }: { readonly files: Files; readonly warm: WarmPrices.WarmPrices }
) =>
  Effect.all(
    [
      ...(isAttended
        ? [
            beside("the candles of sources", warm.forever),
            beside("the watch on strategy files", files.forever),
            beside("the price alerts", Alerting.watch(config, bot.strategies)),
            beside("the sign of life to systemd", tellSystemd(bot))
          ]
        : []),
      ...(reconciling === undefined
        ? []
        : [
            beside("the reconciliation", Reconciling.forever(reconciling)),
            beside("the comparison of the service", Canarying.forever(reconciling))
          ]),
      beside("the snapshot of profits", StoredProfit.keepUp),
      beside("the snapshot of the books", StoredBooks.keepUp())
    ],
    { discard: true }
  )

const openPage = Effect.fnUntraced(function* (
  { config: { dashboard }, journal, json }: Completed,
  bot: Bot["Service"]
) {
  if (dashboard === undefined) return undefined
  const url = yield* Effect.provideService(ControlServer.serve(dashboard), Bot, bot)
  yield* ControlServer.announce(journal, url)
  const line = yield* DashboardPage.line(journal, url)
  const { isInteractive } = yield* Terminal
  if (json) yield* Console.log(JSON.stringify({ event: "dashboard", dashboard: url }))
  else if (!isInteractive) yield* Console.log(`dashboard ${line}`)
  return line
})
