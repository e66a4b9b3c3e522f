/** Flags that the searching commands share. */
import { Argument, Flag } from "effect/cli"
import * as Objective from "../../lab/backtest/search/Objective.ts"
import * as runFlags from "../backtest/runFlags.ts"
import * as flags from "../flags.ts"

export const marketFlags = {
  file: flags.fileArgument("file").pipe(Argument.withDescription("The strategy file (YAML)")),
  data: runFlags.dataOfMarkets,
  ...runFlags.partFlags,
  on: flags
    .fileFlag("on")
    .pipe(
      Flag.withDescription("MARKET=CSV: also run the same file on this market, with its own candles"),
      Flag.atLeast(0)
    ),
  ...runFlags.ruleFlags,
  config: runFlags.configFlag
}

export const searchFlags = {
  ...marketFlags,
  set: Flag.String("set").pipe(
    Flag.withDescription("A key of the strategy file and its values: grid.levels=10..50:5 or grid.levels=10,20,30"),
    Flag.atLeast(1)
  ),
  fills: flags.choiceOr(
    "fills",
    ["worse", "optimistic", "pessimistic"],
    "The rules that rank; worse runs every trial by both sides, chooses finalists by the one that does worse, and ranks these by simulated runs",
    "worse"
  ),
  rank: flags.choiceOr("rank", Objective.ranks, "The quantile of a finalist's simulated runs that ranks it", "p5"),
  objective: flags.choiceOr("objective", Objective.objectives, "What makes a trial the best", "profitQuote"),
  where: Flag.String("where").pipe(
    Flag.withDescription("A condition that the best must meet: maxDrawdown<=20%, fills>=50"),
    Flag.atLeast(0)
  ),
  random: flags.count("random", "Try only so many, chosen at random"),
  seed: flags.byDefault("Seed of the choice", 1)(Flag.Int("seed")),
  threads: flags.count("threads", "Worker threads; default: one per core"),
  json: flags.json
}
