/** `limitbot monte-carlo FILE --data CSV`: the same strategy with different luck. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { run } from "../../app/search/MonteCarloRun.ts"
import { html } from "../../app/search/view/MonteCarloReport.ts"
import { json, lines } from "../../app/search/view/MonteCarloSummary.ts"
import * as MonteCarlo from "../../backtest/search/MonteCarlo.ts"
import * as flags from "../flags.ts"
import { marketFlags, say } from "./searchFlags.ts"

export const command = Command.make(
  "monte-carlo",
  {
    ...marketFlags,
    fills: Flag.Literals("fills", ["pessimistic", "optimistic"]).pipe(
      Flag.withDescription("Which side of the band (default: pessimistic)"),
      Flag.withDefault("pessimistic")
    ),
    method: Flag.Literals("method", MonteCarlo.methods).pipe(
      Flag.withDescription(
        "returns: draw daily returns again; order: shuffle them; trades: draw the trades again; candles: run on reassembled candles (default: returns)"
      ),
      Flag.withDefault("returns")
    ),
    runs: Flag.Int("runs").pipe(Flag.withDescription("How many simulations (default: 1000)"), Flag.withDefault(1000)),
    ruin: Flag.Int("ruin").pipe(
      Flag.withDescription("The loss of the equity at the start that counts as ruin, in percent (default: 50)"),
      Flag.withDefault(50)
    ),
    block: Flag.Int("block").pipe(
      Flag.withDescription("Bars of a piece of candles (default: 1440)"),
      Flag.withDefault(1440)
    ),
    seed: Flag.Int("seed").pipe(
      Flag.withDescription("The same seed gives the same simulations (default: 1)"),
      Flag.withDefault(1)
    ),
    report: flags.report,
    json: flags.json
  },
  Effect.fn(function* (input) {
    yield* say(input, yield* run(input), { html, json, lines })
  }, Effect.scoped)
).pipe(Command.withDescription("Repeat a strategy under random luck to see how much of its result is chance"))
