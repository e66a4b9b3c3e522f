/** `limitbot monte-carlo FILE --data CSV`: the same strategy with different luck. */
import { Command, Flag } from "effect/cli"
import * as MonteCarlo from "../../lab/backtest/search/MonteCarlo.ts"
import { run } from "../../lab/searches/MonteCarloRun.ts"
import { searching } from "../../lab/searches/SearchAnswer.ts"
import { json, page } from "../../lab/searches/view/MonteCarloPage.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { marketFlags } from "./searchFlags.ts"

export const command = Command.make(
  "monte-carlo",
  {
    ...marketFlags,
    fills: flags.choiceOr(
      "fills",
      ["pessimistic", "optimistic"],
      "The side of fewer fills (pessimistic) or of more (optimistic)",
      "pessimistic"
    ),
    method: flags.choiceOr(
      "method",
      MonteCarlo.methods,
      "returns: draw daily returns again; order: shuffle them; trades: draw the trades again; candles: run on reassembled candles",
      "returns"
    ),
    runs: flags.byDefault("How many simulations", 1000)(flags.integerIn("runs", 1, 1_000_000)),
    ruin: flags.byDefault(
      "The loss of the equity at the start that counts as ruin, in percent",
      50
    )(flags.integerIn("ruin", 1, 100)),
    block: flags.byDefault("Bars of a piece of candles", 1440)(flags.integerIn("block", 1)),
    seed: flags.byDefault("The same seed gives the same simulations", 1)(Flag.Int("seed")),
    report: flags.report,
    json: flags.json
  },
  searching(run, { json, page })
).pipe(
  help("Repeat a strategy under random luck to see how much of its result is chance", {
    "limitbot monte-carlo strategies/grid.yaml --data btc-1m.csv.gz": "A thousand simulations",
    "limitbot monte-carlo strategies/grid.yaml --data btc-1m.csv.gz --method candles --runs 200":
      "Run the strategy again on reassembled candles"
  })
)
