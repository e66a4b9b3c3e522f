/** Flags that start a sandbox, shared by `sandbox` and `demo`. */
import { Flag } from "effect/cli"
import { age } from "../../domain/Words.ts"
import { solverNames, usualExpireMillis } from "../../sandbox/serving/SandboxServing.ts"
import * as flags from "../flags.ts"

export const seed = flags.byDefault("Seed of everything random", 1)(Flag.Int("seed"))

export const candles = flags.file(
  "candles",
  "Replay this candle file (CSV, plain or gzipped, or Parquet) instead of generated prices"
)

export const speedText =
  "Market time per real time, 0 for prices that stand still; payouts and deadlines keep real time"
export const maxSpeed = 1_000_000

export const solvers = flags.file(
  "solvers",
  `Who fills orders: ${solverNames.join(", ")}, or a YAML file; default: a touch of the mid fills`
)

export const expireAfter = flags.duration(
  "expire-after",
  `How long a generated transfer stays valid at most, for example 20s (default: ${age(usualExpireMillis)})`
)
