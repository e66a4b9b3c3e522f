/** Flags that start a sandbox, shared by `sandbox` and `demo`. */
import { Option, Schema } from "effect"
import { Flag } from "effect/cli"
import type { SandboxOptions } from "../../sandbox/SandboxOptions.ts"
import * as FileName from "../FileName.ts"

const Speed = Schema.Finite.check(Schema.isBetween({ minimum: 0.001, maximum: 1_000_000 }))

/** Where a sandbox listens unless another port is asked for. */
export const defaultPort = 8180

export const seed = Flag.Int("seed").pipe(
  Flag.withDescription("Everything that looks random follows from this number"),
  Flag.withDefault(1)
)

export const candles = FileName.flag("candles").pipe(
  Flag.withDescription("Replay this candle CSV (may be gzipped) instead of generated prices"),
  Flag.optional
)

export const speed = (fallback: number) =>
  Flag.Finite("speed").pipe(
    Flag.withSchema(Speed),
    Flag.withDescription("Market time per real time; payouts and deadlines keep real time"),
    Flag.withDefault(fallback)
  )

/** The sandbox options that these flags give. */
export const optionsOf = (flags: {
  readonly seed: number
  readonly candles: Option.Option<string>
  readonly speed: number
}): SandboxOptions => ({
  seed: flags.seed,
  speed: flags.speed,
  ...Option.match(flags.candles, { onNone: () => ({}), onSome: (candles) => ({ candles }) })
})
