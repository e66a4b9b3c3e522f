/** The kernel against other engines, and against a plain loop over bars and orders. */

import type { Candles } from "../src/candles/Candles.ts"
import * as CrossingIndex from "../src/candles/CrossingIndex.ts"
import * as Kernel from "../src/lab/backtest/kernel/Kernel.ts"
import * as ladder from "../test/world/ladder.ts"
import { compare, type Way } from "./measure.ts"
import * as packages from "./packages.ts"
import type { Bench } from "./sections.ts"

export const kernel = (
  candles: Candles,
  levels: ReadonlyArray<number>,
  indices: CrossingIndex.Indices,
  name = "kernel"
): Way => {
  const conditions = ladder.conditions(candles, levels)
  const result = ladder.hashOf(Kernel.simulate(conditions, candles, indices))
  return {
    name,
    run: () => {
      Kernel.simulate(conditions, candles, indices)
      return result
    }
  }
}

const plain = (candles: Candles, levels: ReadonlyArray<number>): Way => {
  const hash = new ladder.FillHash()
  ladder.plainLoop(candles, levels, (bar, buys, cell) => hash.add(bar, buys, cell))
  return {
    name: "a loop over bars and orders",
    run: () => {
      ladder.plainLoop(candles, levels, () => undefined)
      return hash.text()
    }
  }
}

export const simulation = async ({ show }: Bench): Promise<void> => {
  const [year, five] = [ladder.years(1), ladder.years(5)]
  const indices = CrossingIndex.linearIndices(year)
  const twenty = ladder.levelsOf(year, 20, 0.01)
  if (packages.isInstalled("@backtest/framework")) {
    const theirs = { name: "@backtest/framework", run: packages.backtestFramework(year, twenty) }
    show(await compare("ladder of 20, 1 year", kernel(year, twenty, indices), theirs, { samples: 3, warmUps: 2 }))
  }
  if (packages.isInstalled("grademark")) {
    const one = ladder.levelsOf(year, 1, 0.01)
    const theirs = { name: "grademark", run: packages.grademark(year, one) }
    show(await compare("one order, 1 % profit, 1 year", kernel(year, one, indices), theirs, { samples: 5, warmUps: 2 }))
  }
  const built = CrossingIndex.buildIndices(five)
  const linear = CrossingIndex.linearIndices(five)
  for (const [cells, step, what] of [
    [2, 0.25, "ladder of 2 at 25 %"],
    [20, 0.025, "ladder of 20 at 2.5 %"],
    [20, 0.01, "ladder of 20 at 1 %"],
    [20, 0.0025, "ladder of 20 at 0.25 %"]
  ] as const) {
    const levels = ladder.levelsOf(five, cells, step)
    const loop = plain(five, levels)
    const options = { samples: 9, warmUps: 3 }
    show(await compare(`${what}, 5 years`, kernel(five, levels, built), loop, options))
    show(await compare(`${what}, 5 years`, kernel(five, levels, linear, "kernel without index"), loop, options))
  }
}
