/** Backtests of a strategy in one market. */
import type { Candles } from "../../src/candles/Candles.ts"
import type * as CrossingIndex from "../../src/candles/CrossingIndex.ts"
import * as Backtest from "../../src/lab/backtest/Backtest.ts"
import type { FillMode } from "../../src/lab/backtest/kernel/FillPresets.ts"
import type { BandSide } from "../../src/lab/backtest/results/BandSide.ts"
import type { Strategy } from "../../src/strategy/Strategy.ts"

export const runOneMarket = (
  strategy: Strategy,
  candles: Candles,
  indices: CrossingIndex.Indices,
  mode: FillMode,
  options: Backtest.Options
): BandSide => Backtest.runAll(strategy, [{ candles, indices, options }], mode)
