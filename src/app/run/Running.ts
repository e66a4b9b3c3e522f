/** Runs the bot, live or dry, from its files to its summary. */
import { Console, Duration, Effect, FileSystem, Path } from "effect"
import * as Telemetry from "../../control/Telemetry.ts"
import { present } from "../../domain/Present.ts"
import type { FindingName } from "../../engine/planning/ahead/PlanFindings.ts"
import * as StartUp from "../../engine/StartUp.ts"
import { Bookkeeper } from "../../engine/state/Bookkeeper.ts"
import * as ByHand from "../../files/ByHand.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as TlsCheck from "../../files/TlsCheck.ts"
import * as Lease from "../../journal/Lease.ts"
import * as Layers from "../../Layers.ts"
import * as Kill from "../../process/KillFile.ts"
import { boot, Process } from "../../process/Process.ts"
import { sourcesCode, version } from "../../version.ts"
import { commandFailed } from "../CommandFailed.ts"
import * as FileChecks from "../start/FileChecks.ts"
import * as StartChecks from "../start/StartChecks.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"
import * as BotRun from "./BotRun.ts"
import * as Display from "./Display.ts"
import * as StartFiles from "./watch/StartFiles.ts"

interface Asked {
  readonly files: ReadonlyArray<string>
  readonly config: string
  readonly forMillis: number | undefined
  readonly dryRun: boolean
  readonly cancelOnExit: boolean
  readonly onRemoved: "drain" | "leave"
  readonly payAgain: ReadonlyArray<string>
  readonly allow: ReadonlyArray<FindingName>
  readonly poll: number | undefined
  readonly json: boolean
  readonly isOver?: BotRun.BotRunOptions["isOver"]
}

const venueSilent = (url: string) =>
  commandFailed(
    `${url} does not answer like a venue. Nothing was done, and the journal is not bound to this address: check venue.url, the network, a proxy`
  )

export const run = Effect.fnUntraced(function* (asked: Asked) {
  const { allow, config: configFile, dryRun, forMillis, json, onRemoved, poll } = asked
  const configured = yield* ConfigFile.load(configFile)
  if (!dryRun) yield* TlsCheck.verified
  const killSwitch = yield* Kill.watch(configured.journal)
  const start = yield* StartFiles.load({
    files: dryRun ? asked.files : yield* ByHand.besides(asked.files, configured.journal),
    markets: configured.markets,
    journal: configured.journal,
    goesOn: !dryRun,
    isKilled: !dryRun && (yield* killSwitch) !== undefined
  })
  for (const note of start.notes) yield* Console.error(note)
  const config = dryRun ? onPaper(configured, yield* temporaryJournal) : configured
  const account = yield* Layers.accountOf(config)
  const { signerId } = account
  const { pid } = yield* Process
  const { journal } = config
  const mode = dryRun ? "dry-run" : "live"
  const options: BotRun.BotRunOptions = {
    run: {
      ...present({ boot: yield* boot }),
      sources: sourcesCode(),
      mode,
      ...(dryRun ? {} : { assets: Layers.idsBySymbol(config.markets), journal: Lease.fileOf(journal) })
    },
    strategies: start.strategies,
    config,
    configFile,
    account,
    title: `limitbot ${version}  ${mode}  ${config.venue.url}`,
    detail: `account ${signerId}  journal ${journal}`,
    warning: dryRun ? "DRY RUN: nothing is created or signed, fills are simulated" : undefined,
    forMillis,
    cancelOnExit: asked.cancelOnExit,
    isOver: asked.isOver,
    json,
    payAgain: asked.payAgain,
    allow,
    // A dry run funds nothing.
    ...(dryRun ? {} : { reconciling: { config, signerId, witnesses: VenueAccess.besideJournal(config, signerId) } }),
    isAttended: true,
    pictureMillis: Duration.toMillis("10 minutes"),
    reload: { files: start.files, onRemoved: onRemoved === "drain" ? "drained" : "left" },
    killSwitch: dryRun ? yield* Kill.watch(journal) : killSwitch
  }
  yield* StartChecks.stop(FileChecks.look(config))
  if (!json && options.warning !== undefined) yield* Console.log(options.warning)
  const pace = present({ pollMinMillis: poll })
  const layer = dryRun ? Layers.dryRun(config, account, pid, pace) : Layers.live(config, account, pid, pace)
  yield* Effect.gen(function* () {
    const { state } = yield* Bookkeeper
    const isKilled = (yield* options.killSwitch) !== undefined
    const isHeard = yield* StartChecks.pass({ config, account, state, isKilled })
    yield* BotRun.runBot(options)
    yield* Display.printEnd(options)
    if (!isHeard && !StartUp.isBound(state)) return yield* venueSilent(config.venue.url)
  }).pipe(Effect.provide(layer), Effect.provide(Telemetry.tracing(config.otlp)))
}, Effect.scoped)

/** Silences a paper bot: its sign of life would hide that a live bot beside it is dead, and it would steal commands of the live bot. */
const onPaper = (config: ConfigFile.BotConfig, journal: string): ConfigFile.BotConfig => ({
  ...config,
  journal,
  heartbeat: undefined,
  witness: undefined,
  dashboard: config.dashboard === undefined ? undefined : { ...config.dashboard, mayMove: true },
  notify: config.notify.map((target) => ({ ...target, commands: [] }))
})

const temporaryJournal = Effect.gen(function* () {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  return path.join(yield* fileSystem.makeTempDirectoryScoped({ prefix: "limitbot-dry-run-" }), "journal.sqlite")
})
