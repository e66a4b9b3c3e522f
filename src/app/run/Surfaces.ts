/** Opens the control server for a running bot and gives it the engine, the files, the kill switch and the services. */
import { Effect, FileSystem } from "effect"
import { Refused } from "../../control/api/ControlApi.ts"
import { Bot } from "../../control/Bot.ts"
import type { ControlOptions } from "../../control/ControlOptions.ts"
import * as ControlServer from "../../control/ControlServer.ts"
import type { Commanded } from "../../control/Operator.ts"
import type { Market } from "../../domain/Market.ts"
import type { Engine } from "../../engine/Engine.ts"
import { EngineSettings } from "../../engine/EngineSettings.ts"
import type * as StartUp from "../../engine/StartUp.ts"
import type { StepTerms } from "../../engine/tracking/Overdue.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import * as KillFile from "../../process/KillFile.ts"
import type * as Money from "../../report/text/Money.ts"
import type { VenueAccount } from "../../venue/VenueConfig.ts"
import * as SwapServices from "../control/SwapServices.ts"
import type * as StrategyWatch from "./watch/StrategyWatch.ts"

export interface Running {
  readonly engine: Engine
  readonly files: Effect.Success<ReturnType<typeof StrategyWatch.make>>
  readonly reload: StrategyWatch.WatchOptions
  readonly run: StartUp.BotRun
  readonly journal: string
  readonly config: BotConfig
  readonly configFile: string
  readonly account: VenueAccount
  readonly assets: Money.Assets
  readonly markets: ReadonlyMap<string, Market>
  readonly leaving: () => string | undefined
  readonly stuckAfter: StepTerms
  readonly services: Bot["Service"]["services"]
  readonly signals: Bot["Service"]["signals"]
  readonly phones: Bot["Service"]["phones"]
}

const refused = ({ message }: { readonly message: string }) => new Refused({ message })

export const commanded = Effect.fnUntraced(function* ({
  engine,
  files,
  journal
}: Pick<Running, "engine" | "files" | "journal">) {
  const fileSystem = yield* FileSystem.FileSystem
  const withFiles = Effect.provideService(FileSystem.FileSystem, fileSystem)
  return {
    strategies: files.strategies,
    wake: engine.wake,
    withdrawPlacements: engine.withdrawPlacements,
    setKillSwitch: (why) => KillFile.set(journal, why).pipe(withFiles, Effect.mapError(refused)),
    releaseKillSwitch: KillFile.release(journal).pipe(withFiles, Effect.mapError(refused)),
    reload: Effect.mapError(files.objection, refused)
  } satisfies Commanded
})

export const serveControl = Effect.fn("Surfaces.serveControl")(function* (options: ControlOptions, running: Running) {
  const { services, engine, journal, signals } = running
  const { pollMaxMillis } = yield* EngineSettings
  const bot = Bot.of({
    ...(yield* commanded(running)),
    journal,
    assets: running.assets,
    markets: running.markets,
    prices: engine.prices,
    checksOf: engine.checksOf,
    decisionOf: engine.decisionOf,
    turnedAt: engine.turnedAt,
    pollMaxMillis,
    leaving: running.leaving,
    stuckAfter: running.stuckAfter,
    services,
    signals,
    phones: running.phones,
    swaps: yield* SwapServices.make(running)
  })
  const url = yield* Effect.provideService(ControlServer.serve(options), Bot, bot)
  yield* ControlServer.announce(journal, url)
  return url
})
