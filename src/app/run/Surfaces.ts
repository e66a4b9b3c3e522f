/** Opens the control server for a running bot and gives it the engine, the files, the kill switch and the services. */
import { Effect, FileSystem } from "effect"
import { refuse } from "../../control/api/ControlApi.ts"
import { Bot } from "../../control/Bot.ts"
import type { ControlOptions } from "../../control/ControlOptions.ts"
import * as ControlServer from "../../control/ControlServer.ts"
import type { Commanded } from "../../control/Operator.ts"
import type { Engine } from "../../engine/Engine.ts"
import { EngineSettings } from "../../engine/EngineSettings.ts"
import * as KillFile from "../../process/KillFile.ts"
import * as SwapServices from "../control/SwapServices.ts"
import type * as StrategyWatch from "./watch/StrategyWatch.ts"

type Served = "assets" | "journal" | "leaving" | "markets" | "phones" | "services" | "signals" | "stuckAfter"

export interface Running extends SwapServices.SwapServicesOptions, Pick<Bot["Service"], Served> {
  readonly engine: Engine
  readonly files: Effect.Success<ReturnType<typeof StrategyWatch.make>>
}

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
    setKillSwitch: (why) => KillFile.set(journal, why).pipe(withFiles, Effect.mapError(refuse)),
    releaseKillSwitch: KillFile.release(journal).pipe(withFiles, Effect.mapError(refuse)),
    reload: (own) => Effect.mapError(files.reload(own), refuse)
  } satisfies Commanded
})

export const serveControl = Effect.fn("Surfaces.serveControl")(function* (options: ControlOptions, running: Running) {
  const { assets, journal, leaving, markets, phones, services, signals, stuckAfter } = running
  const { checksOf, decisionOf, prices, turnedAt } = running.engine
  const { pollMaxMillis } = yield* EngineSettings
  const bot = Bot.of({
    ...(yield* commanded(running)),
    ...{ assets, journal, leaving, markets, phones, services, signals, stuckAfter },
    ...{ checksOf, decisionOf, pollMaxMillis, prices, turnedAt },
    swaps: yield* SwapServices.make(running)
  })
  const url = yield* Effect.provideService(ControlServer.serve(options), Bot, bot)
  yield* ControlServer.announce(journal, url)
  return url
})
