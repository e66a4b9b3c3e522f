/** Runs the sandbox on a loopback port with the options of the command line, until stopped. */
import { Console, Effect, FileSystem, Schema } from "effect"
import { parse } from "yaml"
import { present } from "../../domain/Present.ts"
import { Stop } from "../../process/Stop.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import { uniformFaults } from "../http/Faults.ts"
import type { SandboxOptions } from "../SandboxOptions.ts"
import { layer, SandboxConnection } from "../SandboxServer.ts"
import { defaultSettings } from "../Settings.ts"
import { SolverLaw, solverLaws } from "../Solvers.ts"
import * as PriceScript from "./PriceScript.ts"
import * as SandboxConfig from "./SandboxConfig.ts"

export const solverNames = Object.keys(solverLaws)

export const [, usualExpireMillis] = defaultSettings("native").intentMillis

const decode = Schema.decodeUnknownResult(SolverLaw, { onExcessProperty: "error" })

export const lawOf = Effect.fn("SandboxServing.lawOf")(function* (written: string) {
  const laws = solverLaws[written]
  if (laws !== undefined) return laws
  const wrong = (what: string) => new WrongUsage({ message: `--solvers ${written}: ${what}` })
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem
    .readFileString(written)
    .pipe(Effect.mapError(() => wrong(`neither a file that can be read nor a name; names: ${solverNames.join(", ")}`)))
  const value = yield* Effect.try({ try: (): unknown => parse(text), catch: () => wrong("the file is not YAML") })
  return yield* Effect.mapError(Effect.fromResult(decode(value)), ({ message }) => wrong(message))
})

interface Asked extends Omit<SandboxOptions, "faults" | "settings"> {
  readonly faults: number
  readonly solvers: string | undefined
  readonly expireAfter: number | undefined
  readonly script: string | undefined
  readonly writeConfig: string | undefined
  readonly json: boolean
}

export const serve = Effect.fn("SandboxServing.serve")(function* (asked: Asked) {
  const { expireAfter, faults, json, script: file, solvers, speed, writeConfig, ...others } = asked
  if (file !== undefined && others.state !== undefined) {
    const message = "--script and --state exclude each other: a sandbox that starts again would play the script again"
    return yield* new WrongUsage({ message })
  }
  const script = file === undefined ? undefined : yield* PriceScript.load(file)
  const options = {
    ...others,
    speed: speed ?? (script === undefined ? undefined : 0),
    faults: uniformFaults(faults),
    settings: present({
      solvers: solvers === undefined ? undefined : yield* lawOf(solvers),
      intentMillis: expireAfter === undefined ? undefined : ([Math.ceil(expireAfter / 2), expireAfter] as const)
    })
  }
  yield* Effect.gen(function* () {
    const connection = yield* SandboxConnection
    const stop = yield* Stop
    if (writeConfig !== undefined) yield* SandboxConfig.write(writeConfig, connection, others.like)
    yield* Console.log(json ? JSON.stringify(connection) : SandboxConfig.introduction(connection, writeConfig))
    const playing = script === undefined ? Effect.void : PriceScript.play(script, !json)
    yield* Effect.raceFirst(stop.requested, Effect.andThen(playing, Effect.never))
  }).pipe(Effect.provide(layer(options)))
})
