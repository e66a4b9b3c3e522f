/**
 * `limitbot sweep FILE --data CSV --set path=from..to:step …`: runs many parameter sets on all cores, and says how
 * far to trust the best.
 */
import { Clock, Console, Effect, FileSystem, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as FileName from "../FileName.ts"
import * as flags from "../flags.ts"
import * as SearchInput from "./SearchInput.ts"
import * as SweepReport from "./SweepReport.ts"
import { run } from "./SweepRun.ts"
import * as SweepSummary from "./SweepSummary.ts"

export const command = Command.make(
  "sweep",
  {
    ...SearchInput.searchFlags,
    halve: Flag.Int("halve").pipe(
      Flag.withDescription(
        "Successive halving: one of so many goes on to longer data (3 is usual); default: all on all"
      ),
      Flag.optional
    ),
    top: Flag.Int("top").pipe(Flag.withDescription("How many of the best to show (default: 10)"), Flag.withDefault(10)),
    out: FileName.flag("out").pipe(
      Flag.withDescription("Keep all results in this file; an interrupted search goes on from it"),
      Flag.optional
    ),
    also: FileName.flag("also").pipe(
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
  Effect.fn(function* (input) {
    const { found, loaded } = yield* run(input)
    if (Option.isSome(input.report)) {
      const fileSystem = yield* FileSystem.FileSystem
      const { fees, further, strategy } = loaded
      const madeAt = yield* Clock.currentTimeMillis
      const about = { strategy, ranOn: [loaded, ...further], fees: fees.sentence, madeAt }
      yield* fileSystem.writeFileString(input.report.value, SweepReport.html(found, about))
    }
    yield* Console.log(
      input.json
        ? JSON.stringify({ ...SweepSummary.json(found), fees: loaded.fees })
        : [loaded.fees.sentence, ...SweepSummary.lines(found)].join("\n")
    )
  }, Effect.scoped)
).pipe(
  Command.withDescription("Try many parameter sets on all cores"),
  Command.withExamples([
    {
      command: "limitbot sweep strategies/grid.yaml --data btc-1m.csv.gz --set grid.levels=10..50:5",
      description: "Grids of 10 to 50 levels"
    }
  ])
)
