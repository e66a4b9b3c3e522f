/** `limitbot monte-carlo FILE --data CSV`: the same strategy with different luck. */

import { Clock, Console, Effect, FileSystem, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Backtest from "../../backtest/Backtest.ts"
import type { FillMode } from "../../backtest/kernel/FillPresets.ts"
import * as EquityCurve from "../../backtest/results/EquityCurve.ts"
import * as RoundTrips from "../../backtest/results/RoundTrips.ts"
import * as Statistics from "../../backtest/results/Statistics.ts"
import * as MonteCarlo from "../../backtest/search/MonteCarlo.ts"
import type { Candles } from "../../candles/Candles.ts"
import * as CrossingIndex from "../../candles/CrossingIndex.ts"
import { dayMillis } from "../../domain/Durations.ts"
import { seeded } from "../../domain/Seeded.ts"
import { percent } from "../../domain/Text.ts"
import * as Table from "../../report/text/Table.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as BacktestInput from "../backtest/BacktestInput.ts"
import * as FileName from "../FileName.ts"
import * as flags from "../flags.ts"
import * as Progress from "../Progress.ts"
import { WrongUsage } from "../Usage.ts"
import * as MonteCarloReport from "./MonteCarloReport.ts"

const equityOf = (strategy: Strategy, candles: Candles, side: Backtest.BandSide): ReadonlyArray<number> => {
  const conditions = { market: strategy.market, budget: strategy.limits.budget }
  const bars = EquityCurve.sampleBars(candles, dayMillis)
  return EquityCurve.at(side.outcome, candles, conditions, bars).map(({ equity }) => equity)
}

/** The product of the returns does not depend on their order, and neither does whether the run loses. */
const sameGain = "every order of the same returns gains the same"

export const command = Command.make(
  "monte-carlo",
  {
    file: FileName.argument("file").pipe(Argument.withDescription("The strategy file (YAML)")),
    ...BacktestInput.dataFlags,
    ...BacktestInput.ruleFlags,
    config: BacktestInput.configFlag,
    fills: Flag.Literals("fills", ["pessimistic", "optimistic"]).pipe(
      Flag.withDescription("Which side of the band"),
      Flag.withDefault("pessimistic")
    ),
    method: Flag.Literals("method", MonteCarlo.methods).pipe(
      Flag.withDescription(
        "returns: draw daily returns again; order: shuffle them; trades: draw the trades again; candles: run on reassembled candles"
      ),
      Flag.withDefault("returns")
    ),
    runs: Flag.Int("runs").pipe(Flag.withDescription("How many simulations"), Flag.withDefault(1000)),
    ruin: Flag.Int("ruin").pipe(
      Flag.withDescription("The loss of the equity at the start that counts as ruin, in percent"),
      Flag.withDefault(50)
    ),
    block: Flag.Int("block").pipe(Flag.withDescription("Bars of a piece of candles"), Flag.withDefault(1440)),
    seed: Flag.Int("seed").pipe(Flag.withDescription("The same seed gives the same simulations"), Flag.withDefault(1)),
    report: flags.report,
    json: flags.json
  },
  Effect.fn(function* (input) {
    if (input.runs < 1 || input.runs > 1_000_000 || input.block < 1 || input.ruin < 1 || input.ruin > 100)
      return yield* new WrongUsage({ message: "--runs: 1 to 1,000,000; --block: at least 1; --ruin: 1 to 100" })
    const { strategy } = yield* BacktestInput.loadStrategy(input.file, input.config)
    const asked = yield* BacktestInput.options(input, strategy.market)
    const { candles, indices, sha256 } = yield* BacktestInput.loadCandles(
      input,
      { open: true, volume: true, indexed: false },
      strategy.market.name
    )
    yield* BacktestInput.checkTimeframes(strategy, candles)
    const options = BacktestInput.withoutVolume(asked, candles)
    const mode: FillMode = input.fills
    const next = seeded(input.seed)
    const whole = Backtest.run(strategy, candles, indices, mode, options)
    const equity = equityOf(strategy, candles, whole)
    const returns = Statistics.returnsOf(equity)
    const gains = RoundTrips.trades(whole.outcome, candles).map(({ gained }) => gained / (equity[0] ?? 1))
    if (input.method === "trades" && gains.length < 2)
      return yield* new WrongUsage({
        message: `--method trades needs at least 2 completed trades, the run has ${gains.length}: give longer data, or --method candles`
      })
    if ((input.method === "returns" || input.method === "order") && returns.length < 2)
      return yield* new WrongUsage({
        message: `--method ${input.method} needs at least 2 daily returns, the run has ${returns.length}: give longer data, or --method candles`
      })
    const fate = (method: MonteCarlo.SimulationMethod): MonteCarlo.Simulation => {
      if (method === "trades") return MonteCarlo.ofTrades(gains, next)
      if (method !== "candles") return MonteCarlo.ofReturns(returns, method, next)
      const other = MonteCarlo.resampledCandles(candles, input.block, next)
      const side = Backtest.run(strategy, other, CrossingIndex.linearIndices(other, "at"), mode, options)
      const [start = 1, ...later] = equityOf(strategy, other, side)
      return { ...MonteCarlo.fateOf(later.map((value) => value / start)), maxDrawdown: side.outcome.maxDrawdown }
    }
    const progress = yield* Progress.make("monte-carlo")
    const fates = yield* Effect.forEach(Array.from({ length: input.runs }), (_, index) =>
      Effect.sync(() => {
        progress.update(index + 1, input.runs, "")
        return fate(input.method)
      })
    )
    const spread = MonteCarlo.spreadOf(fates, input.ruin / 100)
    const isOrder = input.method === "order"
    if (Option.isSome(input.report)) {
      const fileSystem = yield* FileSystem.FileSystem
      const { data, method, seed } = input
      const madeAt = yield* Clock.currentTimeMillis
      const about = { strategy, data, sha256, method, seed, fees: asked.fees.sentence, madeAt }
      yield* fileSystem.writeFileString(input.report.value, MonteCarloReport.html(fates, spread, about))
    }
    if (input.json) {
      const meaningless = isOrder ? { meaningless: { lost: sameGain, gain: sameGain } } : {}
      const about = { method: input.method, seed: input.seed, fees: asked.fees }
      return yield* Console.log(JSON.stringify({ ...about, ...spread, ...meaningless }))
    }
    const columns = ["", ...Object.keys(spread.gain)].map((title) => ({ title, align: "right" as const }))
    yield* Console.log(
      [
        asked.fees.sentence,
        isOrder
          ? `${spread.runs} simulations by order: ${sameGain}, ${percent(spread.gain["p50"] ?? 0)}; only the drawdown differs`
          : `${spread.runs} simulations by ${input.method}: ${percent(spread.lost)} of them lose`,
        "",
        ...Table.render(columns, [
          ...(isOrder ? [] : [["gain", ...Object.values(spread.gain).map((ratio) => percent(ratio))]]),
          ["largest drawdown", ...Object.values(spread.maxDrawdown).map((ratio) => percent(ratio))]
        ]),
        "",
        `probability of ruin, a loss of ${input.ruin} % of the start at any time: ${percent(spread.ruin.probability)}`
      ].join("\n")
    )
  }, Effect.scoped)
).pipe(Command.withDescription("How much of a result is luck: the same strategy under other luck"))
