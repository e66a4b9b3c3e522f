/** `limitbot monte-carlo FILE --data CSV`: the same strategy with different luck. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Answer from "../../app/process/Answer.ts"
import { run } from "../../app/search/MonteCarloRun.ts"
import { json, page } from "../../app/search/view/MonteCarloPage.ts"
import * as MonteCarlo from "../../backtest/search/MonteCarlo.ts"
import * as flags from "../flags.ts"
import { answer, marketFlags } from "./searchFlags.ts"

export const command = Command.make(
  "monte-carlo",
  {
    ...marketFlags,
    fills: Flag.Literals("fills", ["pessimistic", "optimistic"]).pipe(
      flags.byDefault("Which side of the band", "pessimistic")
    ),
    method: Flag.Literals("method", MonteCarlo.methods).pipe(
      flags.byDefault(
        "returns: draw daily returns again; order: shuffle them; trades: draw the trades again; candles: run on reassembled candles",
        "returns"
      )
    ),
    runs: Flag.Int("runs").pipe(flags.byDefault("How many simulations", 1000)),
    ruin: Flag.Int("ruin").pipe(
      flags.byDefault("The loss of the equity at the start that counts as ruin, in percent", 50)
    ),
    block: Flag.Int("block").pipe(flags.byDefault("Bars of a piece of candles", 1440)),
    seed: Flag.Int("seed").pipe(flags.byDefault("The same seed gives the same simulations", 1)),
    report: flags.report,
    json: flags.json
  },
  Effect.fn(
    function* (input) {
      return yield* answer(input, yield* run(input), { json, page })
    },
    Answer.print,
    Effect.scoped
  )
).pipe(
  Command.withDescription("Repeat a strategy under random luck to see how much of its result is chance"),
  Command.withExamples([
    {
      command: "limitbot monte-carlo strategies/grid.yaml --data btc-1m.csv.gz",
      description: "A thousand simulations"
    },
    {
      command: "limitbot monte-carlo strategies/grid.yaml --data btc-1m.csv.gz --method candles --runs 200",
      description: "Run the strategy again on reassembled candles"
    }
  ])
)
