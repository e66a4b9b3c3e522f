/**
 * `limitbot sweep FILE --data CSV --set path=from..to:step …`: runs many parameter sets on all cores, and says how
 * far to trust the best.
 */
import { Command, Flag } from "effect/cli"
import { searching } from "../../lab/searches/SearchAnswer.ts"
import { run } from "../../lab/searches/SweepRun.ts"
import { json, page, refusal } from "../../lab/searches/view/SweepPage.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { searchFlags } from "./searchFlags.ts"

export const command = Command.make(
  "sweep",
  {
    ...searchFlags,
    halve: flags.count(
      "halve",
      "Successive halving: one of so many goes on to longer data (3 is usual); default: all on all",
      2
    ),
    top: flags.byDefault("How many of the best to show", 10)(flags.integerIn("top", 1)),
    out: flags.file("out", "Keep all results in this file; an interrupted search goes on from it"),
    also: flags
      .fileFlag("also")
      .pipe(
        Flag.withDescription(
          "A further file of candles: the best trial is then the one with the best worst result over all files"
        ),
        Flag.atLeast(0)
      ),
    pareto: flags.text(
      "pareto",
      "Also show the trials that no other beats by all of these objectives: profitQuote,maxDrawdown"
    ),
    suggest: flags.text(
      "suggest",
      "A program that suggests what to try, such as a Bayesian optimiser; --random says how often (100)"
    ),
    sensitivity: flags.toggle("sensitivity", "Also run the best with other fees and other delays"),
    report: flags.report
  },
  searching(run, { json, page, refusal })
).pipe(
  help("Try many parameter sets on all cores", {
    "limitbot sweep strategies/grid.yaml --data btc-1m.csv.gz --set grid.levels=10..50:5": "Grids of 10 to 50 levels"
  })
)
