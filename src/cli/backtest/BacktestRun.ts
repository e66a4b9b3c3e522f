/** Strategies over candles: loads what they need of the data once, and runs both sides of the band. */
import { Array as Arr, Clock, Effect, Option } from "effect"
import * as FeeModel from "../../app/backtest/FeeModel.ts"
import * as Progress from "../../app/process/Progress.ts"
import * as Stop from "../../app/process/Stop.ts"
import { WrongUsage } from "../../app/process/WrongUsage.ts"
import * as Backtest from "../../backtest/Backtest.ts"
import * as Band from "../../backtest/Band.ts"
import * as Calibration from "../../backtest/results/Calibration.ts"
import * as WarmUp from "../../backtest/WarmUp.ts"
import type * as CandleFile from "../../candles/CandleFile.ts"
import * as Candles from "../../candles/Candles.ts"
import * as CrossingIndex from "../../candles/CrossingIndex.ts"
import * as TimeAxis from "../../candles/TimeAxis.ts"
import type { Market } from "../../domain/Market.ts"
import type { OrderTerms } from "../../domain/Order.ts"
import { iso } from "../../domain/Text.ts"
import { candlesWanted, marketsSaid, marketsSeen } from "../../strategy/Strategy.ts"
import * as BacktestInput from "./BacktestInput.ts"
import * as BacktestMarkets from "./BacktestMarkets.ts"
import type * as BacktestSummary from "./BacktestSummary.ts"

export const modes = {
  both: ["pessimistic", "optimistic"],
  pessimistic: ["pessimistic"],
  optimistic: ["optimistic"]
} as const

export interface BacktestAsked extends Omit<BacktestInput.DataFlags, "data">, BacktestInput.RuleFlags {
  readonly data: ReadonlyArray<string>
  readonly config: Option.Option<string>
  readonly fills: keyof typeof modes
  readonly band: "paths" | "rules"
  readonly bandSeconds: number
  readonly detail: Option.Option<string>
  readonly trials: number
  readonly calibrate: Option.Option<string>
  readonly report: Option.Option<string>
  readonly tradesCsv: Option.Option<string>
}

/** Loaded on demand, like everything that most runs do not need. */
const calibrationOf = Effect.fnUntraced(function* (journal: string, market: string, terms: OrderTerms) {
  const JournalData = yield* Effect.promise(() => import("../../app/journal/JournalData.ts"))
  const found = yield* JournalData.calibration(journal, market, terms)
  const measured = {
    pessimistic: Calibration.rulesFor(found, "pessimistic"),
    optimistic: Calibration.rulesFor(found, "optimistic")
  }
  return { measured, calibrated: Calibration.describe(found) }
})

/** Costs and rules in one of the strategy's markets. */
const optionsIn = Effect.fnUntraced(function* (
  input: BacktestAsked,
  costs: FeeModel.KnownCosts,
  market: Market,
  all: ReadonlyArray<Market>
) {
  const given = yield* BacktestInput.options(input, costs, market, all)
  const keepsOrders = Option.isSome(input.report)
  if (Option.isNone(input.calibrate)) return { options: { ...given, keepsOrders }, calibrated: [] }
  const { measured, calibrated } = yield* calibrationOf(input.calibrate.value, market.name, costs.accountTerms)
  const named = calibrated.map((text) => (all.length === 1 ? text : `${market.name}: ${text}`))
  return { options: { ...given, keepsOrders, measured }, calibrated: named }
})

/** What a strategy, its costs and the report need to know of the data. */
const prepare = Effect.fnUntraced(function* (
  input: BacktestAsked,
  account: FeeModel.Account | undefined,
  file: string
) {
  const { strategy } = yield* BacktestInput.loadStrategy(file, input.config)
  const markets = marketsSeen(strategy)
  const looksAtCandles = candlesWanted(strategy).length > 0 || strategy.candles !== undefined
  const costs = yield* FeeModel.of(input, account, markets, strategy.terms, strategy.limits.maxFeeBasisPoints)
  const found = yield* Effect.forEach(markets, (market) => optionsIn(input, costs, market, markets))
  const options = Arr.map(found, (each) => each.options)
  const rules = options.flatMap((each) => modes[input.fills].map((mode) => Backtest.rulesIn(mode, each)))
  const open = rules.some(({ price }) => price === "open") || looksAtCandles || options[0].keepsOrders
  const volume = rules.some(({ volumeShare }) => volumeShare > 0) || looksAtCandles
  const range =
    looksAtCandles ||
    options[0].keepsOrders ||
    Option.isSome(input.tradesCsv) ||
    rules.some(({ touch }) => touch === "within")
  const { fees } = costs
  return { strategy, options, fees, open, volume, range, calibrated: found.flatMap(({ calibrated }) => calibrated) }
})

/** The run uses the finer candles; indicators use the data's. */
const withDetail = Effect.fnUntraced(function* (
  input: BacktestAsked,
  wanted: Pick<CandleFile.LoadOptions["wanted"], "volume">,
  series: Arr.NonEmptyReadonlyArray<BacktestMarkets.LoadedMarket>
) {
  if (Option.isNone(input.detail)) return series
  const [{ candles: bars }, ...others] = series
  if (others.length > 0)
    return yield* new WrongUsage({ message: "--detail: finer candles are replayed for strategies of one market" })
  const file = input.detail.value
  const columns = { open: true, volume: wanted.volume !== false, indexed: false, tradeCandleMillis: 1000 }
  const { candles } = yield* BacktestInput.loadCandles({ ...input, data: file }, columns)
  const [from, to] = [TimeAxis.openTime(bars.time, 0), TimeAxis.closeTime(bars.time, bars.bars - 1)]
  const part = Candles.between(candles, from, to)
  const isWhole =
    part.bars > 1 && TimeAxis.openTime(part.time, 0) === from && TimeAxis.closeTime(part.time, part.bars - 1) === to
  if (candles.time.stepMillis >= bars.time.stepMillis || !isWhole) {
    const span = `${iso(from)} to ${iso(to)}`
    return yield* new WrongUsage({
      message: `--detail ${file}: give candles that are finer than the data and cover the same time, ${span}; cut the data with --from and --to`
    })
  }
  const fine = { ...part, whole: bars.whole ?? bars }
  return Arr.of({ candles: fine, indices: CrossingIndex.linearIndices(fine, "at") })
})

/** All strategies over the same candles, loaded once. */
export const simulate = Effect.fn("backtest.simulate")(function* (
  input: BacktestAsked,
  files: Arr.NonEmptyReadonlyArray<string>
) {
  const clock = yield* Clock.Clock
  const started = clock.currentTimeNanosUnsafe()
  const { computes } = yield* Stop.Stop
  yield* computes
  const progress = yield* Progress.make("backtest")
  const account = yield* FeeModel.accountOf(input.config)
  const prepared = yield* Effect.forEach(files, (file) => prepare(input, account, file))
  const [{ strategy: one }, ...others] = prepared
  const other = others.find(({ strategy }) => marketsSaid(strategy) !== marketsSaid(one))?.strategy
  if (other !== undefined && [one, other].some((strategy) => marketsSeen(strategy).length > 1)) {
    const message = `${one.file} trades ${marketsSaid(one)}, ${other.file} ${marketsSaid(other)}: only strategies of the same markets, in the same order, are compared`
    return yield* new WrongUsage({ message })
  }
  // Series of several markets share one time axis, which takes whole columns.
  const variesPaths = input.band === "paths" && input.fills === "both"
  const late = marketsSeen(one).length === 1 && !variesPaths ? ("late" as const) : true
  const range = late === true || prepared.some(({ range }) => range) ? {} : { range: late }
  const wanted = {
    open: (variesPaths || prepared.some(({ open }) => open)) && late,
    volume: prepared.some(({ volume }) => volume) && late,
    ...range
  }
  progress.update(0, 1, "reading the candles")
  const loaded = yield* BacktestMarkets.load(input, { ...wanted, indexed: false }, one)
  const series = yield* withDetail(input, wanted, loaded.series)
  const [{ candles }] = series
  const ofMarkets = series.map((each) => each.candles)
  const [first, ...rest] = modes[input.fills]
  return yield* Effect.forEach(prepared, ({ strategy, options, fees, calibrated }) =>
    Effect.gen(function* () {
      yield* BacktestInput.checkTimeframes(strategy, candles)
      const inputs = Arr.map(series, (each, index) => {
        const asked = options[index] ?? options[0]
        return { ...each, asked, options: BacktestInput.withoutVolume(asked, each.candles) }
      })
      const bare = inputs.flatMap((each, index) =>
        each.options === each.asked ? [] : [loaded.sources[index]?.data ?? ""]
      )
      const warnings = bare.map((data) =>
        inputs.length === 1
          ? "the data have no volumes: orders fill whole"
          : `${data} has no volumes: its orders fill whole`
      )
      const kernelStarted = yield* Clock.currentTimeNanos
      const noMoreFrom = kernelStarted + BigInt(Math.round(input.bandSeconds * 1e9))
      const runSide = (mode: (typeof modes)["both"][number]) => Backtest.runAll(strategy, inputs, mode)
      const sides: Arr.NonEmptyReadonlyArray<Backtest.BandSide> = [runSide(first), ...rest.map(runSide)]
      const [unkind, kind] = sides
      const simulated =
        variesPaths && kind !== undefined
          ? Band.simulated(strategy, inputs, [unkind, kind], (runs, atMost) => {
              progress.update(runs, atMost, `${strategy.name}: ${runs} runs`)
              return clock.currentTimeNanosUnsafe() < noMoreFrom
            })
          : undefined
      const ended = yield* Clock.currentTimeNanos
      const band = Backtest.band([sides[0], ...sides.slice(1)])
      return {
        strategy,
        candles,
        sources: loaded.sources,
        series: ofMarkets,
        warnings: [...loaded.warnings, ...warnings, ...WarmUp.sentences(strategy, ofMarkets)],
        fees,
        calibrated,
        band,
        // One of those whose figures stand beside the fills.
        shown: [band.high, band.low].find(({ mode }) => mode === "optimistic") ?? band.high,
        sides,
        simulated,
        trials: input.trials,
        wallMillis: Number(ended - started) / 1e6,
        kernelMillis: Number(ended - kernelStarted) / 1e6
      } satisfies BacktestSummary.Result
    })
  )
}, Effect.scoped)
