/** Runs one strategy repeatedly under random luck, on each market separately. */
import { Array as Arr, Effect } from "effect"
import * as CrossingIndex from "../../candles/CrossingIndex.ts"
import { seeded } from "../../domain/Seeded.ts"
import * as Progress from "../../process/Progress.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import * as Backtest from "../backtest/Backtest.ts"
import type { FillMode } from "../backtest/kernel/FillPresets.ts"
import * as BacktestStatistics from "../backtest/results/BacktestStatistics.ts"
import * as BandSide from "../backtest/results/BandSide.ts"
import * as Statistics from "../backtest/results/Statistics.ts"
import * as MonteCarlo from "../backtest/search/MonteCarlo.ts"
import * as StrategySource from "../runs/StrategySource.ts"
import * as OnMarkets from "./OnMarkets.ts"

interface MonteCarloAsked extends OnMarkets.MarketsAsked {
  readonly file: string
  readonly fills: FillMode
  readonly method: MonteCarlo.SimulationMethod
  readonly runs: number
  /** Loss in percent that counts as ruin. */
  readonly ruin: number
  readonly block: number
  readonly seed: number
  readonly report: string | undefined
}

const summaryOf = ([start = 1, ...later]: ReadonlyArray<number>, keepsPath: boolean): MonteCarlo.Simulation => {
  const equity = later.map((value) => value / start)
  return MonteCarlo.summaryOf(equity, keepsPath)
}

/** More paths would fill the memory, and the chart of this many looks the same. */
const mostPaths = 2_000

const simulate = Effect.fnUntraced(function* (
  { fills, method, runs, block, seed, report }: MonteCarloAsked,
  { name, strategy, inputs }: OnMarkets.FileRun,
  ended: (runs: number) => void
) {
  const next = seeded(seed)
  const whole = Backtest.runAll(strategy, inputs, fills)
  const equity = BandSide.dailyEquity(whole)
  const returns = Statistics.returnsOf(equity)
  const { trades, open } = BacktestStatistics.gainsOf(whole)
  const gains = [...trades, open].map((gained) => gained / (equity[0] ?? 1))
  const [draws, what] = method === "trades" ? [trades.length, "completed trades"] : [returns.length, "daily returns"]
  if (method !== "candles" && draws < 2)
    return yield* wrongUsage(
      `--method ${method} needs at least 2 ${what}, the run on ${name} has ${draws}: give longer data, or --method candles`
    )
  const markets = Arr.map(inputs, (input) => ({ input, resample: MonteCarlo.resampling(input.candles, block) }))
  const fate = (keepsPath: boolean): MonteCarlo.Simulation => {
    if (method === "trades") return MonteCarlo.ofTrades(gains, next, keepsPath)
    if (method !== "candles") return MonteCarlo.ofReturns(returns, method, next, keepsPath)
    // All markets use the same pieces, because they move together.
    const starts = MonteCarlo.blocks(inputs[0].candles.bars, block, next)
    const resampled = Arr.map(markets, ({ input, resample }) => {
      const candles = resample(starts)
      return { ...input, candles, indices: CrossingIndex.linearIndices(candles) }
    })
    const side = Backtest.runAll(strategy, resampled, fills)
    return { ...summaryOf(BandSide.dailyEquity(side), keepsPath), maxDrawdown: side.outcome.maxDrawdown }
  }
  const fates = yield* Effect.forEach(Array.from({ length: runs }), (_, index) =>
    Effect.sync(() => {
      ended(index + 1)
      return fate(report !== undefined && index < mostPaths)
    })
  )
  // Gains of trades are measured against the untouched budget, so its own gain is zero here.
  if (method === "trades") return { fates, real: MonteCarlo.summed(gains, true), untouched: summaryOf([1, 1], true) }
  const profits = BandSide.dailyMade(whole)
  const untouched = equity.map((value, day) => value - (profits[day] ?? 0) + (profits[0] ?? 0))
  return { fates, real: summaryOf(equity, true), untouched: summaryOf(untouched, true) }
})

export const run = Effect.fn("MonteCarloRun.run")(function* (asked: MonteCarloAsked) {
  const source = yield* StrategySource.readSource(asked.file, asked.config)
  const runs = yield* OnMarkets.load(asked, source, false)
  const progress = yield* Progress.make("monte-carlo")
  const total = asked.runs * runs.length
  const markets = yield* OnMarkets.each(runs, (on, index) =>
    Effect.map(
      simulate(asked, on, (done) => progress.update(index * asked.runs + done, total, "")),
      (simulated) => ({ ...simulated, spread: MonteCarlo.spreadOf(simulated.fates, asked.ruin / 100) })
    )
  )
  const { method, seed } = asked
  return { method, seed, runs, markets, warnings: OnMarkets.warningsOf(runs) }
})

export type MonteCarloFound = Effect.Success<ReturnType<typeof run>>
