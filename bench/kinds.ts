/**
 * Every kind of strategy in the kernel: a year of minutes, one side, warm. The yardstick is a loop on doubles over the same
 * bars and twenty orders, which knows no strategy and no exact money.
 */

import type { Candles } from "../src/candles/Candles.ts"
import * as CrossingIndex from "../src/candles/CrossingIndex.ts"
import { noCosts } from "../src/lab/backtest/kernel/FillPresets.ts"
import type { BandSide } from "../src/lab/backtest/results/BandSide.ts"
import { bodies, strategyOf } from "../test/world/kinds.ts"
import * as ladder from "../test/world/ladder.ts"
import { runOneMarket } from "../test/world/oneMarket.ts"
import { type Budget, costs, type Way } from "./measure.ts"
import type { Bench } from "./sections.ts"

const budgets: Readonly<Record<string, Budget>> = {
  grid: { atMost: 0.4 },
  "grid, step": { atMost: 4, goal: 1 },
  "grid, trail": { atMost: 4.5, goal: 1 },
  "grid, fundNearest": { atMost: 0.25 },
  ladder: { atMost: 0.3 },
  "market making": { atMost: 45, goal: 2.5 },
  "market making, ATR 5m": { atMost: 75, goal: 8 },
  deals: { atMost: 4 },
  "rules, 1m": { atMost: 5.5, goal: 2.5 },
  "rules, 5m": { atMost: 2, goal: 1.5 },
  "rules, 1h": { atMost: 2, goal: 0.7 },
  "DCA, 1,000 times": { atMost: 2.5, goal: 0.35 },
  "TWAP, 720 slices": { atMost: 5.5, goal: 0.35 },
  iceberg: { atMost: 0.3 },
  rebalance: { atMost: 0.3 },
  bracket: { atMost: 0.3 }
}

/** What identifies a run, and more than that of it would differ if anything did. */
export const identity = ({ fills, pnlQuote, feesQuote, quote, counts, outcome }: BandSide): string =>
  JSON.stringify([fills, `${pnlQuote}`, `${feesQuote}`, `${quote}`, counts, outcome.maxDrawdown])

export const plain = (candles: Candles): Way => {
  const levels = ladder.levelsOf(candles, 20, 0.01)
  return {
    name: "a loop over bars and twenty orders",
    run: () => `${ladder.plainLoop(candles, levels, () => undefined)}`
  }
}

const options = { costs: noCosts, changes: {} }

export const oneSide = (name: string, body: string, candles: Candles): Way => {
  const strategy = strategyOf(body)
  const indices = CrossingIndex.linearIndices(candles)
  return { name, run: () => identity(runOneMarket(strategy, candles, indices, "optimistic", options)) }
}

export const kinds = async ({ show }: Bench): Promise<void> => {
  const year = ladder.years(1)
  const loop = plain(year)
  for (const [name, body] of Object.entries(bodies)) {
    const budget = budgets[name]
    const way = oneSide(name, body, year)
    show(await costs("one side, 1 year", loop, way, { samples: 5, warmUps: 2, ...(budget && { budget }) }))
  }
}
