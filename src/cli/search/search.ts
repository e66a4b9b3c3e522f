/** `limitbot search FILE --data CSV --by METHOD`: runs one strategy many times, to find better parameters or to measure luck. */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as MonteCarlo from "../../lab/backtest/search/MonteCarlo.ts"
import * as Objective from "../../lab/backtest/search/Objective.ts"
import * as MonteCarloRun from "../../lab/searches/MonteCarloRun.ts"
import { searching } from "../../lab/searches/SearchAnswer.ts"
import * as SweepRun from "../../lab/searches/SweepRun.ts"
import * as MonteCarloPage from "../../lab/searches/view/MonteCarloPage.ts"
import * as SweepPage from "../../lab/searches/view/SweepPage.ts"
import * as WalkForwardPage from "../../lab/searches/view/WalkForwardPage.ts"
import * as WalkForwardRun from "../../lab/searches/WalkForwardRun.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as runFlags from "../backtest/runFlags.ts"
import * as flags from "../flags.ts"

const methods = ["sweep", "walk-forward", "monte-carlo"] as const

const several = (flag: Flag.Flag<string>, description: string) =>
  flag.pipe(Flag.withDescription(description), Flag.atLeast(0))

const both = {
  set: several(
    Flag.String("set"),
    "A key of the strategy file and its values: grid.levels=10..50:5 or grid.levels=10,20,30"
  ),
  rank: flags.choice("rank", Objective.ranks, "The quantile of simulated runs that ranks a finalist (default: p5)"),
  objective: flags.choice("objective", Objective.objectives, "The figure that ranks trials (default: profitQuote)"),
  where: several(Flag.String("where"), "A condition that the best must meet: maxDrawdown<=20%, fills>=50"),
  random: flags.count("random", "Try only this many, chosen at random"),
  threads: flags.count("threads", "Worker threads; default: one per core")
}

const sweep = {
  halve: flags.count(
    "halve",
    "sweep: successive halving: keep one of N trials for longer data at each step (usually 3); default: run every trial on all data",
    2
  ),
  top: flags.count("top", "sweep: how many of the best to show (default: 10)"),
  out: flags.file("out", "sweep: keep all results in this file; an interrupted search continues from it"),
  also: several(
    flags.fileFlag("also"),
    "sweep: a further file of candles; trials are then ranked by their worst result over all files"
  ),
  pareto: flags.text(
    "pareto",
    "sweep: also show the trials that no other beats by all of these objectives: profitQuote,maxDrawdown"
  ),
  suggest: flags.text(
    "suggest",
    "sweep: a program that suggests parameters, such as a Bayesian optimiser; --random sets how many (100)"
  ),
  sensitivity: flags.toggle("sensitivity", "sweep: also run the best with other fees and other delays"),
  write: flags.toggle(
    "write",
    "sweep: write the best values into the strategy file, with --config only if its plan is safe"
  )
}

const walk = {
  windows: flags.count("windows", "walk-forward: number of test windows (default: 6)", 1, 1000),
  train: flags.figure(
    "train",
    "walk-forward: length of the search before a window, in windows (default: 3)",
    0.01,
    1000
  ),
  anchored: flags.toggle("anchored", "walk-forward: search on all earlier data, instead of a moving window")
}

const luck = {
  method: flags.choice(
    "method",
    MonteCarlo.methods,
    "monte-carlo: returns: draw daily returns again (default); order: shuffle them; trades: draw the trades again; candles: run on reassembled candles"
  ),
  runs: flags.count("runs", "monte-carlo: how many simulations (default: 1000)", 1, 1_000_000),
  ruin: flags.count(
    "ruin",
    "monte-carlo: the loss of starting equity that counts as ruin, in percent (default: 50)",
    1,
    100
  ),
  block: flags.count("block", "monte-carlo: bars in each piece of candles (default: 1440)")
}

const or = <A>(given: A | undefined, value: A): A => given ?? value

export const command = Command.make(
  "search",
  {
    file: flags.fileArgument("file").pipe(Argument.withDescription("The strategy file (YAML)")),
    by: flags.choiceOr(
      "by",
      methods,
      "sweep: many parameter sets; walk-forward: search the past, try the best on what came after; monte-carlo: one set under random luck",
      "sweep"
    ),
    data: runFlags.dataOfMarkets,
    ...runFlags.partFlags,
    on: several(flags.fileFlag("on"), "MARKET=CSV: also run the same file on this market, with its own candles"),
    ...runFlags.ruleFlags,
    config: runFlags.configFlag,
    fills: flags.choice(
      "fills",
      ["worse", "optimistic", "pessimistic"],
      "The side of fewer fills (pessimistic; default of monte-carlo) or of more (optimistic); worse, the default of the others, runs every trial by both, chooses the best few (finalists) by the one that does worse, and ranks these by simulated runs"
    ),
    seed: flags.byDefault("The same seed gives the same choice and the same simulations", 1)(Flag.Int("seed")),
    both,
    sweep,
    walk,
    luck,
    report: flags.report,
    json: flags.json
  },
  Effect.fn(function* ({ both, by, fills, luck, sweep, walk, ...given }) {
    const [method, side] = [or(luck.method, "returns"), or(fills, by === "monte-carlo" ? "pessimistic" : "worse")]
    const isOther = `does not go with --by ${by}`
    yield* flags.refuseIdle([
      [sweep, by !== "sweep", isOther],
      [walk, by !== "walk-forward", isOther],
      [both, by === "monte-carlo", isOther],
      [luck, by !== "monte-carlo", isOther],
      [{ "fills worse": side === "worse" }, by === "monte-carlo", isOther],
      [{ halve: sweep.halve }, sweep.suggest !== undefined, "does not go with --suggest, which chooses the trials"]
    ])
    yield* flags.warnOfIdle([
      [{ block: luck.block }, method !== "candles", "goes with --method candles only"],
      [{ rank: both.rank }, side !== "worse", `does not go with --fills ${side}: only --fills worse ranks finalists`]
    ])
    if (by === "monte-carlo" && side !== "worse") {
      const chances = { method, runs: or(luck.runs, 1000), ruin: or(luck.ruin, 50), block: or(luck.block, 1440) }
      return yield* searching(MonteCarloRun.run, MonteCarloPage)({ ...given, ...chances, fills: side })
    }
    if (both.set.length === 0) return yield* wrongUsage(`--by ${by} needs --set KEY=VALUES`)
    const ranking = { rank: or(both.rank, "p5"), objective: or(both.objective, "profitQuote") }
    const flagsOfSearch = { ...given, ...both, ...ranking, fills: side }
    if (by === "sweep")
      return yield* searching(SweepRun.run, SweepPage)({ ...flagsOfSearch, ...sweep, top: or(sweep.top, 10) })
    const { anchored, train, windows } = walk
    const stretches = { anchored, train: or(train, 3), windows: or(windows, 6) }
    yield* searching(WalkForwardRun.run, WalkForwardPage)({ ...flagsOfSearch, ...stretches })
  })
).pipe(
  flags.help("Run a strategy many times to find parameters, to test the search, or to measure chance", {
    "limitbot search strategies/grid.yaml --data btc-1m.csv.gz --set grid.levels=10..50:5": "Grids of 10 to 50 levels",
    "limitbot search strategies/grid.yaml --by walk-forward --data btc-1m.csv.gz --set grid.levels=11,21,31 --windows 3":
      "Three searches, each tried on what came after it",
    "limitbot search strategies/grid.yaml --by monte-carlo --data btc-1m.csv.gz": "A thousand simulations",
    "limitbot search strategies/grid.yaml --by monte-carlo --data btc-1m.csv.gz --method candles --runs 200":
      "Run the strategy again on reassembled candles"
  })
)
