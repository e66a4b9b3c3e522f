/** How cost grows: the left time is that of the smaller work, the ratio what the larger one costs in proportion. */

import { type Candles, column } from "../src/candles/Candles.ts"
import * as CrossingIndex from "../src/candles/CrossingIndex.ts"
import * as TimeAxis from "../src/candles/TimeAxis.ts"
import * as Kernel from "../src/lab/backtest/kernel/Kernel.ts"
import * as Trial from "../src/lab/backtest/search/Trial.ts"
import * as ladder from "../test/world/ladder.ts"
import { compare, type Way } from "./measure.ts"
import type { Bench } from "./sections.ts"
import { gridInputs, gridSearch } from "./sweep.ts"

/** Every bar, and after it bars that stand still at its close: the same fills, further apart. */
const stretched = (candles: Candles, times: number): Candles => {
  const bars = candles.bars * times
  const made = { open: column(bars), high: column(bars), low: column(bars), close: column(bars), volume: column(bars) }
  for (let bar = 0; bar < bars; bar++) {
    const from = Math.floor(bar / times)
    const still = bar % times > 0
    made.open[bar] = (still ? candles.close[from] : candles.open[from]) ?? 0
    made.high[bar] = (still ? candles.close[from] : candles.high[from]) ?? 0
    made.low[bar] = (still ? candles.close[from] : candles.low[from]) ?? 0
    made.close[bar] = candles.close[from] ?? 0
  }
  const { stepMillis } = candles.time
  const time = TimeAxis.regular(bars, TimeAxis.openTime(candles.time, 0), stepMillis)
  return { ...made, bars, time, priceScale: candles.priceScale }
}

const ladderRun = (
  name: string,
  candles: Candles,
  levels: ReadonlyArray<number>,
  indices: CrossingIndex.Indices,
  repeats: number
): Way => {
  const conditions = ladder.conditions(candles, levels)
  return {
    name,
    run: () => {
      let fills = 0
      for (let run = 0; run < repeats; run++) fills = Kernel.simulate(conditions, candles, indices).fills.count
      return `${fills} fills`
    }
  }
}

const sparse = async ({ show }: Bench): Promise<void> => {
  const [once, more] = [1, 12].map((times) => stretched(ladder.years(1), times))
  if (once === undefined || more === undefined) return
  const levels = ladder.levelsOf(once, 2, 0.25)
  const [few, many] = [once, more].map((candles) =>
    ladderRun(`${candles.bars} bars`, candles, levels, CrossingIndex.buildIndices(candles), 100)
  )
  if (few === undefined || many === undefined) return
  show(await compare("2 orders at 25 %, 100 runs", few, many, { samples: 9, warmUps: 3, isOursToo: true }))
}

/** Placing included, which costs more the more there are. */
const manyOrders = async ({ show }: Bench, candles: Candles, indices: CrossingIndex.Indices): Promise<void> => {
  const near = ladder.levelsOf(candles, 2000, 0.0005)
  const top = near.at(-1) ?? 0
  // Beyond what the price ever reaches.
  const far = Array.from({ length: 18_000 }, (_, k) => Math.round(top * 100) + k)
  const few = ladderRun("2,000 orders", candles, near, indices, 1)
  const many = ladderRun("20,000 orders", candles, [...near, ...far], indices, 1)
  show(await compare("as many fills", few, many, { samples: 5, warmUps: 2, isOursToo: true }))
}

const dense = async ({ show }: Bench, candles: Candles, indices: CrossingIndex.Indices): Promise<void> => {
  const levels = ladder.levelsOf(candles, 2000, 0.0005)
  const linear = ladderRun("without index", candles, levels, CrossingIndex.linearIndices(candles), 1)
  const indexed = ladderRun("with index", candles, levels, indices, 1)
  show(await compare("a fill in nearly every bar", linear, indexed, { samples: 5, warmUps: 2, isOursToo: true }))
}

const strategies = async ({ show }: Bench, candles: Candles, indices: CrossingIndex.Indices): Promise<void> => {
  const search = gridSearch()
  const inputs = gridInputs(candles, indices)
  const run = (count: number, repeats: number, name: string): Way => ({
    name,
    run: () => {
      let fills = 0
      for (let trial = 0; trial < count; trial++)
        for (let repeat = 0; repeat < repeats; repeat++) fills += Trial.run(search, trial % 100, inputs).fills
      return `${fills} fills`
    }
  })
  show(
    await compare("1,000 runs", run(100, 10, "100 strategies ten times"), run(1000, 1, "1,000 strategies"), {
      samples: 3,
      isOursToo: true
    })
  )
}

export const scaling = async (bench: Bench): Promise<void> => {
  await sparse(bench)
  const five = ladder.years(5)
  const indices = CrossingIndex.buildIndices(five)
  await manyOrders(bench, five, indices)
  await dense(bench, five, indices)
  await strategies(bench, five, indices)
}
