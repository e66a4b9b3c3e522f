/** `limitbot run FILE…`: the bot itself, live or dry. */

import { Console, Duration, Effect, FileSystem, Option, Path } from "effect"
import { Command, Flag } from "effect/cli"
import { decisionCode } from "../../app/DecisionCode.ts"
import { allowFlag } from "../../app/plan/PlanRefused.ts"
import * as Kill from "../../app/process/KillFile.ts"
import { boot, Process } from "../../app/process/Process.ts"
import * as Reconciling from "../../app/reconcile/Reconciling.ts"
import * as BotRun from "../../app/run/BotRun.ts"
import * as LastWords from "../../app/run/LastWords.ts"
import * as StartFiles from "../../app/run/watch/StartFiles.ts"
import * as Telemetry from "../../control/Telemetry.ts"
import { bySymbol } from "../../domain/Amount.ts"
import { present } from "../../domain/Present.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as TlsCheck from "../../files/TlsCheck.ts"
import * as Layers from "../../Layers.ts"
import { version } from "../../version.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import * as Display from "../screen/Display.ts"

export const command = Command.make(
  "run",
  {
    files: flags.files("Strategy files (YAML)"),
    config: flags.config,
    forMillis: flags.forDuration,
    dryRun: flags.toggle("dry-run", "Prices from the venue, but nothing is created or signed; fills are simulated"),
    cancelOnExit: flags.cancelOnExit,
    onRemoved: flags.choiceOr(
      "on-removed",
      ["drain", "leave"],
      "What becomes of the orders of a strategy whose file is removed while the bot runs",
      "drain"
    ),
    payAgain: Flag.String("pay-again").pipe(
      Flag.withDescription(
        "An unclear payment, as `status` names it, that was not made: the wallet is asked once more"
      ),
      Flag.between(0, 20)
    ),
    allow: allowFlag,
    poll: flags.poll,
    json: flags.json
  },
  Effect.fn(function* ({
    files,
    config: configFile,
    forMillis,
    dryRun,
    cancelOnExit,
    onRemoved,
    payAgain,
    allow,
    poll,
    json
  }) {
    const configured = yield* ConfigFile.load(configFile)
    if (!dryRun) yield* TlsCheck.verified
    const killSwitch = yield* Kill.watch(configured.journal)
    const start = yield* StartFiles.load({
      files,
      markets: configured.markets,
      journal: configured.journal,
      goesOn: !dryRun,
      isKilled: !dryRun && (yield* killSwitch) !== undefined
    })
    for (const note of start.notes) yield* Console.error(note)
    const config = dryRun ? onPaper(configured, yield* temporaryJournal) : configured
    const account = yield* Layers.accountOf(config)
    const { pid } = yield* Process
    const { journal } = config
    const mode = dryRun ? "dry-run" : "live"
    const assets = bySymbol(config.markets.assets)
    const options: BotRun.BotRunOptions = {
      run: {
        pid,
        ...present({ boot: yield* boot }),
        version,
        decisionCode: decisionCode(),
        mode,
        account: account.signerId,
        venue: config.venue.url,
        ...(dryRun ? {} : { assets: Layers.idsBySymbol(config.markets) })
      },
      strategies: start.strategies,
      markets: Layers.marketsByName(config.markets),
      assets,
      stuckAfter: config.stuckAfter,
      journal,
      config,
      configFile,
      account,
      dashboard: config.dashboard,
      telling: config,
      collector: config.otlp,
      title: `limitbot ${version}  ${mode}  ${config.venue.url}`,
      detail: `account ${account.signerId}  journal ${journal}`,
      warning: dryRun ? "DRY RUN: nothing is created or signed, fills are simulated" : undefined,
      forMillis: Option.getOrUndefined(forMillis),
      cancelOnExit,
      json,
      payAgain,
      admission: { config, account, allow },
      // A dry run funds nothing.
      ...(dryRun
        ? {}
        : {
            swapper: { config, signerId: account.signerId },
            reconciling: Reconciling.live(config, account.signerId)
          }),
      show: Display.show,
      pictureMillis: Duration.toMillis("10 minutes"),
      reload: { files: start.files, markets: config.markets, onRemoved: onRemoved === "drain" ? "drained" : "left" },
      killSwitch: dryRun ? yield* Kill.watch(journal) : killSwitch
    }
    if (!json && options.warning !== undefined) yield* Console.log(options.warning)
    const pace = Option.match(poll, { onNone: () => ({}), onSome: (pollMinMillis) => ({ pollMinMillis }) })
    const layer = dryRun ? Layers.dryRun(config, account, pid, pace) : Layers.live(config, account, pid, pace)
    yield* Effect.gen(function* () {
      const result = yield* BotRun.runBot(options)
      yield* LastWords.print(options, result)
    }).pipe(Effect.provide(layer), Effect.provide(Telemetry.tracing(config.otlp)))
  }, Effect.scoped)
).pipe(
  help("Run strategies: place, fund, track and account for their orders until stopped", {
    "limitbot run strategies/grid.yaml --config config/limitbot.yaml": "Run one strategy",
    "limitbot run strategies/*.yaml --dry-run --for 5m": "Watch what they would do"
  })
)

/**
 * The same bot on paper. It writes into a journal of its own, and does nothing in the place of a live bot beside it: a sign
 * of life would hide that the other is dead, and a command that it hears is lost to the other.
 */
const onPaper = (config: ConfigFile.BotConfig, journal: string): ConfigFile.BotConfig => ({
  ...config,
  journal,
  heartbeat: undefined,
  dashboard: config.dashboard === undefined ? undefined : { ...config.dashboard, mayMove: true },
  notify: config.notify.map((target) => ({ ...target, commands: [] }))
})

/** A dry run's orders end with it, and so does its journal. */
const temporaryJournal = Effect.gen(function* () {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  return path.join(yield* fileSystem.makeTempDirectoryScoped({ prefix: "limitbot-dry-run-" }), "journal.sqlite")
})
