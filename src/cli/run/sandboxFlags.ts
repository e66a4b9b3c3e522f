/** Flags that start a sandbox, shared by `sandbox`, `demo` and `rehearse`. */
import { Flag } from "effect/cli"
import * as flags from "../flags.ts"

export const seed = flags.byDefault("Seed of everything random", 1)(Flag.Int("seed"))

export const candles = flags.file(
  "candles",
  "Replay this candle file (CSV, plain or packed, Parquet or Feather) instead of generated prices"
)

export const speedText =
  "Market time per real time, 0 for prices that stand still; payouts and deadlines keep real time"
export const maxSpeed = 1_000_000
