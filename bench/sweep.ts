/** A thousand parameter sets over five years, by the clock: against single runs, and two threads against one. */

import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Result } from "effect"
import type { Candles } from "../src/candles/Candles.ts"
import * as CrossingIndex from "../src/candles/CrossingIndex.ts"
import type * as Backtest from "../src/lab/backtest/Backtest.ts"
import { noCosts } from "../src/lab/backtest/kernel/FillPresets.ts"
import * as Sweep from "../src/lab/backtest/search/Sweep.ts"
import * as SweepSpace from "../src/lab/backtest/search/SweepSpace.ts"
import * as Trial from "../src/lab/backtest/search/Trial.ts"
import type { TrialResult } from "../src/lab/backtest/search/TrialResult.ts"
import * as ladder from "../test/world/ladder.ts"
import { compare, type Done } from "./measure.ts"
import { built, gridText, minutes } from "./program.ts"
import type { Bench } from "./sections.ts"

const gridSets = ["grid.levels=11..50:1", "grid.lower=20000..28000:2000", "grid.upper=45000..65000:5000"]
const manyGridSets = ["grid.levels=11..50:1", "grid.lower=20000..28000:2000", "grid.upper=45000..64000:1000"]

const assets = ["BTC", "USDC"].map((symbol) => ({ symbol, id: symbol, decimals: symbol === "BTC" ? 8 : 6 }))

export const gridSearch = (): Trial.Search => ({
  text: gridText,
  file: "bench.yaml",
  markets: { assets, ticks: new Map() },
  space: gridSets.map((text) => Result.getOrThrow(SweepSpace.dimension(text))),
  mode: "optimistic",
  objective: "profitQuote"
})

export const gridInputs = (candles: Candles, indices: CrossingIndex.Indices): Backtest.MarketInputs => [
  { candles, indices, options: { costs: noCosts, changes: {} } }
]

const identity = (results: ReadonlyArray<TrialResult>): string => {
  let hash = 0
  for (const { trial, pnlQuote, fills, maxDrawdown } of results.toSorted((a, b) => a.trial - b.trial))
    for (const character of `${trial} ${pnlQuote} ${fills} ${maxDrawdown}`)
      hash = Math.imul(hash ^ character.charCodeAt(0), 16_777_619)
  return `${results.length} trials ${hash >>> 0}`
}

/** Single runs read the file each time, and have no index, because building one takes longer than a run. */
export const sweep = async ({ show }: Bench): Promise<void> => {
  const candles = ladder.years(5)
  const search = gridSearch()
  const trials = Array.from({ length: 1000 }, (_, trial) => trial)
  const linear = gridInputs(candles, CrossingIndex.linearIndices(candles))
  const sweeping = (threads: number) => ({
    name: `a sweep on ${threads} threads`,
    run: async (): Promise<Done> => {
      const begun = performance.now()
      const results: Array<TrialResult> = []
      const inputs = gridInputs(candles, CrossingIndex.buildIndices(candles))
      await Effect.runPromise(
        Sweep.team(threads).pipe(
          Effect.flatMap((team) => Sweep.run({ team, search, inputs, trials }, (result) => void results.push(result))),
          Effect.scoped
        )
      )
      return { result: identity(results), measured: performance.now() - begun }
    }
  })
  const single = {
    name: "single runs",
    run: (): Done => {
      const begun = performance.now()
      const result = identity(trials.map((trial) => Trial.run({ ...search }, trial, linear)))
      return { result, measured: performance.now() - begun }
    }
  }
  show(await compare("1,000 grids over 5 years", sweeping(2), single, { samples: 2, isOursToo: true }))
}

/** The command itself, by the time that it reports: candles from their cache, all results, the best again. */
export const threads = async ({ show, root, folder }: Bench): Promise<void> => {
  const limitbot = built(root, folder)
  const file = minutes(limitbot, folder, 5)
  const strategy = join(folder, "grids.yaml")
  writeFileSync(strategy, gridText)
  for (const [what, sets] of [
    ["1,000 grids", gridSets],
    ["4,000 grids", manyGridSets]
  ] as const) {
    const words = ["search", strategy, "--data", file, "--json", ...sets.flatMap((set) => ["--set", set])]
    const on = (count: number) => ({
      name: count === 1 ? "1 thread" : `${count} threads`,
      run: (): Done => {
        const output = execFileSync(process.execPath, [limitbot, ...words, "--threads", `${count}`], {
          encoding: "utf8"
        })
        const { trials, refused, best, deflatedSharpe, wallMillis } = JSON.parse(output)
        return { result: JSON.stringify([trials, refused, best, deflatedSharpe]), measured: wallMillis }
      }
    })
    show(await compare(`\`sweep\` of ${what} over 5 years`, on(2), on(1), { samples: 4, isOursToo: true }))
  }
}
