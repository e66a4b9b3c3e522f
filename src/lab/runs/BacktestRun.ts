/** Runs strategies over candles. Loads the data columns that they need once. */
import { Array as Arr, Clock, Console, Effect } from "effect"
import * as Candles from "../../candles/Candles.ts"
import * as CrossingIndex from "../../candles/CrossingIndex.ts"
import * as TimeAxis from "../../candles/TimeAxis.ts"
import { bySymbol } from "../../domain/Amount.ts"
import { utc } from "../../domain/Text.ts"
import * as Progress from "../../process/Progress.ts"
import * as Stop from "../../process/Stop.ts"
import { wrongUsage } from "../../process/WrongUsage.ts"
import { rounded } from "../../report/text/Money.ts"
import { candlesWanted, marketsSaid, marketsSeen, type Strategy } from "../../strategy/Strategy.ts"
import * as Backtest from "../backtest/Backtest.ts"
import * as Band from "../backtest/Band.ts"
import * as BandSide from "../backtest/results/BandSide.ts"
import * as FeeModel from "./FeeModel.ts"
import * as RunCandles from "./RunCandles.ts"
import * as RunSetUp from "./RunSetUp.ts"
import * as StrategySource from "./StrategySource.ts"

const modes = { both: ["pessimistic", "optimistic"], pessimistic: ["pessimistic"], optimistic: ["optimistic"] } as const

export interface BacktestAsked extends RunSetUp.RunAsked {
  readonly fills: keyof typeof modes
  readonly band: "paths" | "rules"
  readonly runs: number | undefined
  readonly detail: string | undefined
  readonly trials: number
  readonly report: string | undefined
  readonly tradesCsv: string | undefined
}

export type BacktestResult = Effect.Success<ReturnType<typeof simulate>>[number]

const columnsOf = (asked: BacktestAsked, { strategy, options }: RunSetUp.RunInputs) => {
  const looksAtCandles = candlesWanted(strategy).length > 0 || strategy.candles !== undefined
  const rules = options.flatMap((each) => modes[asked.fills].map((mode) => Backtest.rulesIn(mode, each)))
  const hasReport = asked.report !== undefined
  return {
    open: rules.some(({ price, stops }) => price === "open" || stops === "first") || looksAtCandles || hasReport,
    volume: rules.some(({ volumeShare }) => volumeShare > 0) || looksAtCandles,
    range: looksAtCandles || hasReport || asked.tradesCsv !== undefined || rules.some(({ touch }) => touch === "within")
  }
}

/** The run uses the finer candles; indicators use the candles of the data. */
const withDetail = Effect.fnUntraced(function* (
  asked: BacktestAsked,
  loaded: RunCandles.RunCandles,
  strategy: Strategy,
  wantsVolume: boolean
) {
  if (asked.detail === undefined) return { ...loaded, detail: undefined }
  const [{ candles: bars }, ...others] = loaded.series
  if (others.length > 0) return yield* wrongUsage("--detail: finer candles are replayed for strategies of one market")
  const file = asked.detail
  const columns = { open: true, volume: wantsVolume, indexed: false, tradeCandleMillis: 1000 }
  const { sources, warnings } = yield* RunCandles.load([file], asked, columns, strategy, "detail")
  const [detail] = sources
  const [from, to] = [TimeAxis.openTime(bars.time, 0), TimeAxis.closeTime(bars.time, bars.bars - 1)]
  const candles = Candles.between(detail.candles, from, to)
  const { stepMillis } = bars.time
  const covers =
    candles.bars > 1 &&
    TimeAxis.openTime(candles.time, 0) < from + stepMillis &&
    TimeAxis.closeTime(candles.time, candles.bars - 1) > to - stepMillis
  if (candles.time.stepMillis >= stepMillis || !covers)
    return yield* wrongUsage(
      `--detail ${file}: give candles that are finer than the data and cover the same time, ${utc(from)} to ${utc(to)}; cut the data with --from and --to`
    )
  const fine = { ...candles, whole: bars.whole ?? bars }
  const series = Arr.of({ candles: fine, indices: CrossingIndex.linearIndices(fine) })
  return { ...loaded, series, detail: { ...detail, candles }, warnings: [...loaded.warnings, ...warnings] }
})

const checkComparable = ([one, ...others]: Arr.NonEmptyReadonlyArray<Strategy>) => {
  const other = others.find((strategy) => marketsSaid(strategy) !== marketsSaid(one))
  if (other === undefined) return Effect.void
  const message = `${one.file} trades ${marketsSaid(one)}, ${other.file} ${marketsSaid(other)}: only strategies of the same markets, in the same order, are compared; run each on its own data`
  return Effect.fail(wrongUsage(message))
}

const gainsOf = ({ market: { quote } }: Strategy, { low, high }: ReturnType<typeof BandSide.band>): string => {
  const text = (side: BandSide.BandSide) => rounded(bySymbol([quote]), quote.symbol, BandSide.profitOf(side))
  return `${text(low)} to ${text(high)} ${quote.symbol}`
}

export const simulate = Effect.fn("BacktestRun.simulate")(function* (
  asked: BacktestAsked,
  files: Arr.NonEmptyReadonlyArray<string>
) {
  const started = yield* Clock.currentTimeNanos
  const { computes } = yield* Stop.Stop
  yield* computes
  const progress = yield* Progress.make("backtest")
  const account = yield* FeeModel.accountOf(asked.config)
  const grounds = yield* Effect.forEach(files, (file) =>
    Effect.flatMap(StrategySource.readSource(file, asked.config), ({ strategy }) =>
      RunSetUp.groundOf(asked, strategy, account)
    )
  )
  const [{ strategy: one }] = grounds
  const { signals } = asked
  const isFile = signals?.startsWith(RunCandles.journalPrefix) === false
  if (isFile && grounds.every(({ strategy }) => strategy.signals === undefined))
    yield* Console.error(`limitbot: --signals ${signals}: no strategy file uses a signal; it has no effect`)
  yield* checkComparable(Arr.map(grounds, ({ strategy }) => strategy))
  const columns = grounds.map((ground) => columnsOf(asked, ground))
  // Series of several markets share one time axis, which takes whole columns.
  const variesPaths = asked.band === "paths" && asked.fills === "both"
  const late = marketsSeen(one).length === 1 && !variesPaths ? ("late" as const) : true
  const wantsVolume = columns.some(({ volume }) => volume)
  const columnNeeds = {
    open: (variesPaths || columns.some(({ open }) => open)) && late,
    volume: wantsVolume && late,
    ...(late === true || columns.some(({ range }) => range) ? {} : { range: late }),
    indexed: false
  }
  progress.update(0, 1, "reading the candles")
  const plainCandles = yield* RunCandles.load(asked.data, asked, columnNeeds, one)
  const loaded = yield* withDetail(asked, plainCandles, one, wantsVolume)
  const series = loaded.series.map(({ candles }) => candles)
  const [first, ...rest] = modes[asked.fills]
  return yield* Effect.forEach(grounds, (ground) =>
    Effect.gen(function* () {
      const { inputs: bare, ...setUp } = yield* RunSetUp.onCandles(ground, loaded)
      const { strategy } = setUp
      const keepsOrders = asked.report !== undefined
      const inputs = Arr.map(bare, (each) => ({ ...each, options: { ...each.options, keepsOrders } }))
      const kernelStarted = yield* Clock.currentTimeNanos
      const runSide = (mode: (typeof modes)["both"][number]) => Backtest.runAll(strategy, inputs, mode)
      const sides: Arr.NonEmptyReadonlyArray<BandSide.BandSide> = [runSide(first), ...rest.map(runSide)]
      const [pessimistic, optimistic] = sides
      const band = BandSide.band(sides)
      // Shows the range of both sides during the simulated runs.
      const title = `${strategy.name}: ${gainsOf(strategy, band)}`
      const show = (runs: number, atMost: number) =>
        progress.update(runs, atMost, `${title}; ${runs} simulated, at most ${atMost}`)
      const simulated =
        variesPaths && optimistic !== undefined
          ? Band.simulated(strategy, inputs, [pessimistic, optimistic], asked.runs, show)
          : undefined
      const ended = yield* Clock.currentTimeNanos
      return {
        ...setUp,
        candles: loaded.series[0].candles,
        series,
        band,
        // The report shows fills of one of the two sides whose figures are beside them.
        shown: [band.high, band.low].find(({ mode }) => mode === "optimistic") ?? band.high,
        sides,
        simulated,
        trials: asked.trials,
        wallMillis: Number(ended - started) / 1e6,
        kernelMillis: Number(ended - kernelStarted) / 1e6
      }
    })
  )
}, Effect.scoped)
