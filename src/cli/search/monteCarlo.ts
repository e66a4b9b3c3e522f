/** `limitbot monte-carlo FILE --data CSV`: the same strategy with different luck. */

import { Array as Arr, Clock, Console, Effect, FileSystem, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Progress from "../../app/process/Progress.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as Backtest from "../../backtest/Backtest.ts"
import type { FillMode } from "../../backtest/kernel/FillPresets.ts"
import * as BacktestStatistics from "../../backtest/results/BacktestStatistics.ts"
import * as Statistics from "../../backtest/results/Statistics.ts"
import * as MonteCarlo from "../../backtest/search/MonteCarlo.ts"
import type { Candles } from "../../candles/Candles.ts"
import * as CrossingIndex from "../../candles/CrossingIndex.ts"
import { seeded } from "../../domain/Seeded.ts"
import { percent } from "../../domain/Text.ts"
import * as Table from "../../report/text/Table.ts"
import * as BacktestInput from "../backtest/BacktestInput.ts"
import * as FileName from "../FileName.ts"
import * as flags from "../flags.ts"
import * as LuckAcross from "./across/LuckAcross.ts"
import * as MonteCarloReport from "./MonteCarloReport.ts"
import * as SearchData from "./SearchData.ts"

/** The product of the returns does not depend on their order, and neither does whether the run loses. */
const sameGain = "every order of the same returns gains the same"

interface Asked {
  readonly fills: FillMode
  readonly method: MonteCarlo.SimulationMethod
  readonly runs: number
  readonly block: number
  readonly seed: number
  /** Only the report shows paths. */
  readonly report: Option.Option<string>
}

/** A million paths would fill the memory, and a fan of these looks the same. */
const mostPaths = 2_000

/** One strategy on its series, again and again. */
const simulate = Effect.fnUntraced(function* (
  { fills, method, runs, block, seed, report }: Asked,
  { name, source, candles, indices, options, others }: SearchData.SearchedMarket,
  ended: (runs: number) => void
) {
  const { strategy } = source
  const next = seeded(seed)
  const whole = Backtest.runAll(strategy, [{ candles, indices, options }, ...others], fills)
  const equity = [...Backtest.dailyEquity(whole)]
  const returns = Statistics.returnsOf(equity)
  const { trades, open } = BacktestStatistics.gainsOf(whole)
  const gains = [...trades, open].map((gained) => gained / (equity[0] ?? 1))
  if (method === "trades" && trades.length < 2)
    return yield* new WrongUsage({
      message: `--method trades needs at least 2 completed trades, the run on ${name} has ${trades.length}: give longer data, or --method candles`
    })
  if ((method === "returns" || method === "order") && returns.length < 2)
    return yield* new WrongUsage({
      message: `--method ${method} needs at least 2 daily returns, the run on ${name} has ${returns.length}: give longer data, or --method candles`
    })
  const fate = (keepsPath: boolean): MonteCarlo.Simulation => {
    if (method === "trades") return MonteCarlo.ofTrades(gains, next, keepsPath)
    if (method !== "candles") return MonteCarlo.ofReturns(returns, method, next, keepsPath)
    // What happened together in several markets stays together.
    const starts = MonteCarlo.blocks(candles.bars, block, next)
    const drawn = (of: Candles) => {
      const made = MonteCarlo.resampledCandles(of, block, starts)
      return { candles: made, indices: CrossingIndex.linearIndices(made, "at") }
    }
    const own = { ...drawn(candles), options }
    const inputs = others.map((other) => ({ ...other, ...drawn(other.candles) }))
    const side = Backtest.runAll(strategy, [own, ...inputs], fills)
    const [start = 1, ...later] = Backtest.dailyEquity(side)
    const equity = later.map((value) => value / start)
    return { ...MonteCarlo.fateOf(equity, keepsPath), maxDrawdown: side.outcome.maxDrawdown }
  }
  return yield* Effect.forEach(Array.from({ length: runs }), (_, index) =>
    Effect.sync(() => {
      ended(index + 1)
      return fate(Option.isSome(report) && index < mostPaths)
    })
  )
})

export const command = Command.make(
  "monte-carlo",
  {
    file: FileName.argument("file").pipe(Argument.withDescription("The strategy file (YAML)")),
    ...SearchData.dataFlags,
    ...BacktestInput.ruleFlags,
    config: BacktestInput.configFlag,
    fills: Flag.Literals("fills", ["pessimistic", "optimistic"]).pipe(
      Flag.withDescription("Which side of the band (default: pessimistic)"),
      Flag.withDefault("pessimistic")
    ),
    method: Flag.Literals("method", MonteCarlo.methods).pipe(
      Flag.withDescription(
        "returns: draw daily returns again; order: shuffle them; trades: draw the trades again; candles: run on reassembled candles (default: returns)"
      ),
      Flag.withDefault("returns")
    ),
    runs: Flag.Int("runs").pipe(Flag.withDescription("How many simulations (default: 1000)"), Flag.withDefault(1000)),
    ruin: Flag.Int("ruin").pipe(
      Flag.withDescription("The loss of the equity at the start that counts as ruin, in percent (default: 50)"),
      Flag.withDefault(50)
    ),
    block: Flag.Int("block").pipe(
      Flag.withDescription("Bars of a piece of candles (default: 1440)"),
      Flag.withDefault(1440)
    ),
    seed: Flag.Int("seed").pipe(
      Flag.withDescription("The same seed gives the same simulations (default: 1)"),
      Flag.withDefault(1)
    ),
    report: flags.report,
    json: flags.json
  },
  Effect.fn(function* (input) {
    if (input.runs < 1 || input.runs > 1_000_000 || input.block < 1 || input.ruin < 1 || input.ruin > 100)
      return yield* new WrongUsage({ message: "--runs: 1 to 1,000,000; --block: at least 1; --ruin: 1 to 100" })
    const source = yield* BacktestInput.loadStrategy(input.file, input.config)
    const loaded = yield* SearchData.load(input, source, false)
    const further = yield* SearchData.onOthers(input, loaded, false)
    const { strategy } = source
    const progress = yield* Progress.make("monte-carlo")
    const total = input.runs * (1 + further.length)
    const simulated = yield* Effect.forEach(Arr.make(loaded, ...further), (on, index) =>
      simulate(input, on, (done) => progress.update(index * input.runs + done, total, ""))
    )
    const [fates] = simulated
    const spreads = Arr.map(simulated, (each) => MonteCarlo.spreadOf(each, input.ruin / 100))
    const [spread] = spreads
    const names = [loaded, ...further].map(({ name }) => name)
    const across = further.length === 0 ? undefined : LuckAcross.of(names, spreads)
    const isOrder = input.method === "order"
    if (Option.isSome(input.report)) {
      const fileSystem = yield* FileSystem.FileSystem
      const { method, seed } = input
      const { fees } = loaded
      const madeAt = yield* Clock.currentTimeMillis
      const markets = across === undefined ? {} : { markets: LuckAcross.table(across) }
      const about = { strategy, ranOn: [loaded, ...further], method, seed, fees: fees.sentence, madeAt, ...markets }
      yield* fileSystem.writeFileString(input.report.value, MonteCarloReport.html(fates, spread, about))
    }
    if (input.json) {
      const meaningless = isOrder ? { meaningless: { lost: sameGain, gain: sameGain } } : {}
      const about = { method: input.method, seed: input.seed, fees: loaded.fees }
      return yield* Console.log(JSON.stringify({ ...about, ...spread, ...meaningless, ...across }))
    }
    const columns = ["", ...Object.keys(spread.gain)].map((title) => ({ title, align: "right" as const }))
    yield* Console.log(
      [
        loaded.fees.sentence,
        isOrder
          ? `${spread.runs} simulations by order: ${sameGain}, ${percent(spread.gain["p50"] ?? 0)}; only the drawdown differs`
          : `${spread.runs} simulations by ${input.method}: ${percent(spread.lost)} of them lose`,
        "",
        ...Table.render(columns, [
          ...(isOrder ? [] : [["gain", ...Object.values(spread.gain).map((ratio) => percent(ratio))]]),
          ["largest drawdown", ...Object.values(spread.maxDrawdown).map((ratio) => percent(ratio))]
        ]),
        "",
        `probability of ruin, a loss of ${input.ruin} % of the start at any time: ${percent(spread.ruin.probability)}`,
        ...(across === undefined ? [] : LuckAcross.lines(across))
      ].join("\n")
    )
  }, Effect.scoped)
).pipe(Command.withDescription("Repeat a strategy under random luck to see how much of its result is chance"))
