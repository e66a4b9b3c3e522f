/** Searches that run a strategy many times, as commands: against one side of one backtest, and all on one thread. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Budget, costs } from "./measure.ts"
import { built, gridText, minutes, wholeProcess } from "./program.ts"
import type { Bench } from "./sections.ts"

const searches: ReadonlyArray<readonly [name: string, words: ReadonlyArray<string>, budget: Budget]> = [
  ["`monte-carlo`, 1,000 simulations of daily returns", ["--by", "monte-carlo"], { atMost: 1.5 }],
  [
    "`monte-carlo --method candles --runs 20`",
    ["--by", "monte-carlo", "--method", "candles", "--runs", "20"],
    { atMost: 10 }
  ],
  [
    "`walk-forward` of 40 sets, 6 stretches",
    ["--by", "walk-forward", "--set", "grid.levels=11..50:1", "--threads", "1"],
    { atMost: 10 }
  ]
]

export const search = async ({ root, folder, show }: Bench): Promise<void> => {
  const limitbot = built(root, folder)
  const [year, strategy] = [minutes(limitbot, folder, 1), join(folder, "grid.yaml")]
  writeFileSync(strategy, gridText)
  const once = [limitbot, "backtest", strategy, "--data", year, "--json", "--fills", "optimistic"]
  const one = wholeProcess("one side of one `backtest`", once)
  for (const [name, words, budget] of searches) {
    const way = wholeProcess(name, [limitbot, "search", strategy, "--data", year, "--json", ...words])
    show(await costs("whole process, grid, 1 year", one, way, { samples: 5, budget }))
  }
}
