/** `limitbot backtest FILE… --data CSV`: the results that strategies would have had with these candles, as a band. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { showBacktest } from "../../lab/runs/view/BacktestShown.ts"
import * as SavedBacktestsShown from "../../lab/runs/view/SavedBacktestsShown.ts"
import * as Answer from "../../process/Answer.ts"
import * as flags from "../flags.ts"
import * as runFlags from "./runFlags.ts"

const { json } = flags
const id = (name: string) => flags.argument(name, "The number of a saved backtest")
const otherData = flags.toggle("other-data", "Compare them even if they ran over different data")

const list = Command.make("list", { json }, Answer.printAnswerOf(SavedBacktestsShown.listed)).pipe(
  flags.help("List the saved backtests, the newest last")
)
const show = Command.make("show", { id: id("id"), json }, Answer.printAnswerOf(SavedBacktestsShown.show)).pipe(
  flags.help("Show a saved backtest: its data, options, figures and strategy file")
)
const compare = Command.make(
  "compare",
  { first: id("first"), second: id("second"), otherData, json },
  Answer.printAnswerOf(SavedBacktestsShown.compared)
).pipe(flags.help("Show two saved backtests side by side, with the lines that differ between their strategy files"))

export const command = Command.make(
  "backtest",
  {
    files: flags.files("The strategy file (YAML); several are compared"),
    data: runFlags.dataOfMarkets,
    ...runFlags.partFlags,
    ...runFlags.ruleFlags,
    config: runFlags.configFlag,
    signals: flags.file("signals", "Signals, in lines of time,name,value; journal:FILE for the signals of a bot"),
    fills: flags.choiceOr(
      "fills",
      ["both", "pessimistic", "optimistic"],
      "The rules of fewer fills (pessimistic), of more fills (optimistic), or both, with the band between them",
      "both"
    ),
    band: flags.choiceOr(
      "band",
      ["paths", "rules"],
      "What the band is from: simulated paths and venues (paths), or the two fill rules alone, which is quicker (rules)",
      "paths"
    ),
    runs: flags.count("runs", "Number of simulated runs; default: as many as the work budget allows", 1, 9999),
    bandSeconds: flags.figure("band-seconds", "No effect any more: the number of runs does not depend on time"),
    detail: flags.file("detail", "Finer candles or trades of the same market, replayed inside each bar"),
    fillsCsv: flags.file("fills-csv", "Write every fill (of the optimistic side, if both run) to this file"),
    tradesCsv: flags.file(
      "trades-csv",
      "Write every trade (of the optimistic side, if both run), with its duration and excursions, to this file"
    ),
    calibrate: flags.file("calibrate", "Measure times and margins of fills in this journal, instead of assuming them"),
    trials: flags
      .integerIn("trials", 1)
      .pipe(flags.byDefault("How many strategies you tried to find this one: for the deflated Sharpe ratio", 1)),
    curve: flags
      .integerIn("curve", 0, 10_000)
      .pipe(flags.byDefault("With --json of one strategy: the band over time at about this many points", 0)),
    stdin: flags.toggle("stdin", "Read the text of the strategy file from standard input, as an editor has it"),
    noSave: flags.toggle("no-save", "Do not save this backtest for list, show and compare"),
    report: flags.report,
    json
  },
  Effect.fn(function* (given) {
    const { band, curve, fills, fillsCsv, runs, stdin, tradesCsv } = given
    const [isSeveral, several] = [given.files.length > 1, "goes with one strategy file only"]
    yield* flags.refuseIdle([[{ "fills-csv": fillsCsv, stdin, "trades-csv": tradesCsv }, isSeveral, several]])
    yield* flags.warnOfIdle([
      [{ runs }, band === "rules", "does not go with --band rules, which simulates no runs"],
      [{ runs }, fills !== "both", `does not go with --fills ${fills}: only --fills both simulates runs`],
      [{ curve: curve > 0 }, !given.json, "goes with --json only"],
      [{ curve: curve > 0 }, isSeveral, several]
    ])
    yield* Answer.print(showBacktest(given), given)
  })
).pipe(
  flags.help("Run a strategy over candles: a band of results, exact money, every fill explained", {
    "limitbot backtest strategies/grid.yaml --data btc-1m.csv.gz --report report.html":
      "Run a grid over a file of candles and write a report",
    "limitbot backtest strategies/grid.yaml strategies/ladder.yaml --data btc-1m.csv.gz":
      "Compare two strategies on the same candles",
    "limitbot backtest strategies/thirds.yaml --data BTC/USDC=btc-1m.csv.gz --data ETH/USDC=eth-1m.csv.gz":
      "Run a strategy of two markets",
    "limitbot backtest compare 11 12": "Compare two saved backtests"
  }),
  Command.withSubcommands([list, show, compare])
)
