/** The twin of the service on a loopback port, until stopped, as the command line asks for it. */
import { Console, Effect, FileSystem, Option, Schema } from "effect"
import { parse } from "yaml"
import { uniformFaults } from "../../sandbox/http/Faults.ts"
import type { SandboxOptions } from "../../sandbox/SandboxOptions.ts"
import { layer, SandboxConnection } from "../../sandbox/SandboxServer.ts"
import { defaultSettings } from "../../sandbox/Settings.ts"
import { named, SolverLaw } from "../../sandbox/Solvers.ts"
import type { ProfileName } from "../../venue/profile/Profiles.ts"
import type { LedgerName } from "../../venue/wire/WireValue.ts"
import { Stop } from "../process/Stop.ts"
import { WrongUsage } from "../process/WrongUsage.ts"
import * as SandboxConfig from "./SandboxConfig.ts"

export const solverNames = Object.keys(named)

/** How long a generated transfer stays valid at most, unless another time is asked for. */
export const [, usualExpireMillis] = defaultSettings("native").intentMillis

const decode = Schema.decodeUnknownResult(SolverLaw, { onExcessProperty: "error" })

/** The law of `--solvers`: by name, or from a file. */
export const lawOf = Effect.fn("SandboxServing.lawOf")(function* (written: string) {
  const known = named[written]
  if (known !== undefined) return known
  const wrong = (what: string) => new WrongUsage({ message: `--solvers ${written}: ${what}` })
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem
    .readFileString(written)
    .pipe(Effect.mapError(() => wrong(`neither a file that can be read nor a name; names: ${solverNames.join(", ")}`)))
  const value = yield* Effect.try({ try: (): unknown => parse(text), catch: () => wrong("the file is not YAML") })
  return yield* Effect.mapError(Effect.fromResult(decode(value)), ({ message }) => wrong(message))
})

/** The sandbox options that these flags give. */
export const optionsOf = (given: MarketAsked): SandboxOptions => ({
  seed: given.seed,
  speed: given.speed,
  ...Option.match(given.candles, { onNone: () => ({}), onSome: (candles) => ({ candles }) })
})

export interface MarketAsked {
  readonly seed: number
  readonly candles: Option.Option<string>
  /** Market time per real time. */
  readonly speed: number
}

interface Asked extends MarketAsked {
  readonly port: number
  readonly ledger: Option.Option<LedgerName>
  readonly like: Option.Option<ProfileName>
  /** The file in which the state is kept. */
  readonly state: Option.Option<string>
  /** The share of requests. */
  readonly faults: number
  readonly solvers: Option.Option<string>
  readonly expireAfter: Option.Option<number>
  /** The file of a configuration that leads to it. */
  readonly writeConfig: Option.Option<string>
  readonly json: boolean
}

export const serve = Effect.fn("SandboxServing.serve")(function* (asked: Asked) {
  const { expireAfter, json, solvers } = asked
  const [like, writeConfig] = [Option.getOrUndefined(asked.like), Option.getOrUndefined(asked.writeConfig)]
  const law = Option.isNone(solvers) ? {} : { solvers: yield* lawOf(solvers.value) }
  const validity = Option.match(expireAfter, {
    onNone: () => ({}),
    onSome: (millis) => ({ intentMillis: [Math.ceil(millis / 2), millis] as const })
  })
  const options = {
    ...optionsOf(asked),
    port: asked.port,
    ledger: Option.getOrUndefined(asked.ledger),
    like,
    state: Option.getOrUndefined(asked.state),
    faults: uniformFaults(asked.faults),
    settings: { ...law, ...validity }
  }
  yield* Effect.gen(function* () {
    const connection = yield* SandboxConnection
    const stop = yield* Stop
    if (writeConfig !== undefined) yield* SandboxConfig.write(writeConfig, connection, like)
    yield* Console.log(json ? JSON.stringify(connection) : SandboxConfig.introduction(connection, writeConfig))
    yield* stop.requested
  }).pipe(Effect.provide(layer(options)))
})
