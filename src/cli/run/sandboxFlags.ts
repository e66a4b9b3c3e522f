/** Flags that start a sandbox, shared by `sandbox` and `demo`. */
import { Effect, FileSystem, Option, Schema } from "effect"
import { Flag } from "effect/cli"
import { parse } from "yaml"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import { age } from "../../domain/Words.ts"
import type { SandboxOptions } from "../../sandbox/SandboxOptions.ts"
import { defaultSettings } from "../../sandbox/Settings.ts"
import { named, SolverLaw } from "../../sandbox/Solvers.ts"
import * as flags from "../flags.ts"

const Speed = Schema.Finite.check(Schema.isBetween({ minimum: 0.001, maximum: 1_000_000 }))

export const seed = flags.byDefault("Everything that looks random follows from this number", 1)(Flag.Int("seed"))

export const candles = flags.file(
  "candles",
  "Replay this candle file (CSV, plain or gzipped, or Parquet) instead of generated prices"
)

export const speed = (fallback: number) =>
  Flag.Finite("speed").pipe(
    Flag.withSchema(Speed),
    flags.byDefault("Market time per real time; payouts and deadlines keep real time", fallback)
  )

export const solvers = flags.file(
  "solvers",
  `Who fills orders: ${Object.keys(named).join(", ")}, or a YAML file; default: a touch of the mid fills`
)

const [, longestValid] = defaultSettings("native").intentMillis

export const expireAfter = flags.duration(
  "expire-after",
  `How long a generated transfer stays valid at most, for example 20s (default: ${age(longestValid)})`
)

const decode = Schema.decodeUnknownResult(SolverLaw, { onExcessProperty: "error" })

/** The law of `--solvers`: by name, or from a file. */
export const lawOf = Effect.fn("sandboxFlags.lawOf")(function* (written: string) {
  const known = named[written]
  if (known !== undefined) return known
  const wrong = (what: string) => new WrongUsage({ message: `--solvers ${written}: ${what}` })
  const fileSystem = yield* FileSystem.FileSystem
  const text = yield* fileSystem
    .readFileString(written)
    .pipe(
      Effect.mapError(() =>
        wrong(`neither a file that can be read nor a name; names: ${Object.keys(named).join(", ")}`)
      )
    )
  const value = yield* Effect.try({ try: (): unknown => parse(text), catch: () => wrong("the file is not YAML") })
  return yield* Effect.mapError(Effect.fromResult(decode(value)), ({ message }) => wrong(message))
})

/** The sandbox options that these flags give. */
export const optionsOf = (given: {
  readonly seed: number
  readonly candles: Option.Option<string>
  readonly speed: number
}): SandboxOptions => ({
  seed: given.seed,
  speed: given.speed,
  ...Option.match(given.candles, { onNone: () => ({}), onSome: (candles) => ({ candles }) })
})
