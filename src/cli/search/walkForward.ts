/** `limitbot walk-forward FILE --data CSV --set …`: what searching the past would have gained in the future. */
import { Command } from "effect/cli"
import { searching } from "../../lab/searches/SearchAnswer.ts"
import { json, page, refusal } from "../../lab/searches/view/WalkForwardPage.ts"
import { run } from "../../lab/searches/WalkForwardRun.ts"
import * as flags from "../flags.ts"
import { help } from "../help.ts"
import { searchFlags } from "./searchFlags.ts"

export const command = Command.make(
  "walk-forward",
  {
    ...searchFlags,
    windows: flags.byDefault("How many stretches to try the best on", 6)(flags.integerIn("windows", 1, 1000)),
    train: flags.byDefault(
      "How many times a stretch's length to search on before it",
      3
    )(flags.figureIn("train", 0.01, 1000)),
    anchored: flags.toggle("anchored", "Search on everything before, instead of a window that moves along"),
    report: flags.report
  },
  searching(run, { json, page, refusal })
).pipe(
  help("Search the past, try the best on what came after, again and again", {
    "limitbot walk-forward strategies/grid.yaml --data btc-1m.csv.gz --set grid.levels=11,21,31 --windows 3":
      "Three searches, each tried on what came after it"
  })
)
