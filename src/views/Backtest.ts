/** A backtest over the prices that the bot recorded. Only fields that the page draws are named; the rest is as in `backtest --json`. */
import { Schema } from "effect"
import { Time } from "./AsOf.ts"

const Text = Schema.String
const Worths = Schema.Array(Schema.Finite)

export const BacktestAnswer = Schema.StructWithRest(
  Schema.Struct({
    strategy: Text,
    kind: Text,
    market: Text,
    hash: Text,
    data: Schema.StructWithRest(Schema.Struct({ warnings: Schema.Array(Text) }), [Schema.Record(Text, Schema.Json)]),
    from: Time,
    to: Time,
    bars: Schema.Int,
    fills: Schema.Int,
    /** Columns: time in seconds, the value of both sides of the band, and the value of the untouched budget. */
    curve: Schema.Struct({ time: Schema.Array(Schema.Int), low: Worths, high: Worths, hold: Worths })
  }),
  [Schema.Record(Text, Schema.Json)]
)
