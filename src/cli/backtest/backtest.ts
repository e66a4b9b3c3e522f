/**
 * `limitbot backtest FILE --data CSV`, or a MARKET=CSV for each of several: what a strategy would have done with
 * these candles, as a band.
 */
import { Array as Arr, Clock, Console, Effect, FileSystem, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Backtest from "../../backtest/Backtest.ts"
import * as Envelope from "../../backtest/Envelope.ts"
import * as Calibration from "../../backtest/results/Calibration.ts"
import * as FillRows from "../../backtest/results/FillRows.ts"
import * as WarmUp from "../../backtest/WarmUp.ts"
import type * as CandleFile from "../../candles/CandleFile.ts"
import * as Candles from "../../candles/Candles.ts"
import * as CrossingIndex from "../../candles/CrossingIndex.ts"
import * as TimeAxis from "../../candles/TimeAxis.ts"
import type { Market } from "../../domain/Market.ts"
import { iso } from "../../domain/Text.ts"
import { marketNames, marketsOf } from "../../strategy/Strategy.ts"
import * as flags from "../flags.ts"
import { WrongUsage } from "../Usage.ts"
import type { Results } from "./BacktestComparison.ts"
import * as BacktestInput from "./BacktestInput.ts"
import * as BacktestMarkets from "./BacktestMarkets.ts"
import * as BacktestSummary from "./BacktestSummary.ts"

const modes = { both: ["pessimistic", "optimistic"], pessimistic: ["pessimistic"], optimistic: ["optimistic"] } as const

/** With several markets, the market is a separate column. */
const fillsCsv = ({ parts }: Backtest.BandSide): string => {
  const [, ...others] = parts
  const lines = FillRows.together(parts).map(({ fill, part: { market } }) => {
    const line = FillRows.csvLine(market, fill)
    return others.length === 0 ? line : `${line},${market.name}`
  })
  return [others.length === 0 ? FillRows.csvHeader : `${FillRows.csvHeader},market`, ...lines, ""].join("\n")
}

interface Asked extends Omit<BacktestInput.DataFlags, "data">, BacktestInput.RuleFlags {
  readonly data: ReadonlyArray<string>
  readonly config: Option.Option<string>
  readonly fills: keyof typeof modes
  readonly band: "paths" | "rules"
  readonly detail: Option.Option<string>
  readonly trials: number
  readonly calibrate: Option.Option<string>
  readonly report: Option.Option<string>
}

/** Loaded on demand, like everything that most runs do not need. */
const calibrationOf = Effect.fnUntraced(function* (journal: string, market: string) {
  const JournalData = yield* Effect.promise(() => import("../journal/JournalData.ts"))
  const found = yield* JournalData.calibration(journal, market)
  const measured = {
    pessimistic: Calibration.rulesFor(found, "pessimistic"),
    optimistic: Calibration.rulesFor(found, "optimistic")
  }
  return { measured, calibrated: Calibration.describe(found) }
})

/** Costs and rules in one of the strategy's markets. */
const optionsIn = Effect.fnUntraced(function* (input: Asked, market: Market, all: ReadonlyArray<Market>) {
  const given = yield* BacktestInput.options(input, market, [...all])
  const keepsOrders = Option.isSome(input.report)
  const { fees } = given
  if (Option.isNone(input.calibrate)) return { options: { ...given, keepsOrders }, fees, calibrated: [] }
  const { measured, calibrated } = yield* calibrationOf(input.calibrate.value, market.name)
  const named = calibrated.map((text) => (all.length === 1 ? text : `${market.name}: ${text}`))
  return { options: { ...given, keepsOrders, measured }, fees, calibrated: named }
})

/** What a strategy, its costs and the report need to know of the data. */
const prepare = Effect.fnUntraced(function* (input: Asked, file: string) {
  const { strategy } = yield* BacktestInput.loadStrategy(file, input.config, "backtest")
  const markets = marketsOf(strategy)
  const found = yield* Effect.forEach(markets, (market) => optionsIn(input, market, markets))
  const options = Arr.map(found, (each) => each.options)
  const rules = options.flatMap((each) => modes[input.fills].map((mode) => Backtest.rulesIn(mode, each)))
  const open = rules.some(({ price }) => price === "open") || strategy.candles !== undefined || options[0].keepsOrders
  const volume = rules.some(({ volumeShare }) => volumeShare > 0) || strategy.candles !== undefined
  const range =
    strategy.candles !== undefined || options[0].keepsOrders || rules.some(({ touch }) => touch === "within")
  const [{ fees }] = found
  return { strategy, options, fees, open, volume, range, calibrated: found.flatMap(({ calibrated }) => calibrated) }
})

/** The run uses the finer candles; indicators use the data's. */
const withDetail = Effect.fnUntraced(function* (
  input: Asked,
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
const simulate = Effect.fn("backtest.simulate")(function* (input: Asked, files: Arr.NonEmptyReadonlyArray<string>) {
  const started = yield* Clock.currentTimeNanos
  const prepared = yield* Effect.forEach(files, (file) => prepare(input, file))
  const [{ strategy: one }, ...others] = prepared
  const other = others.find(({ strategy }) => marketNames(strategy) !== marketNames(one))?.strategy
  if (other !== undefined && (one.others ?? other.others) !== undefined) {
    const message = `${one.file} trades ${marketNames(one)}, ${other.file} ${marketNames(other)}: only strategies of the same markets, in the same order, are compared`
    return yield* new WrongUsage({ message })
  }
  // Series of several markets share one time axis, which takes whole columns.
  const variesPaths = input.band === "paths" && input.fills === "both"
  const late = one.others === undefined && !variesPaths ? ("late" as const) : true
  const range = late === true || prepared.some(({ range }) => range) ? {} : { range: late }
  const wanted = {
    open: (variesPaths || prepared.some(({ open }) => open)) && late,
    volume: prepared.some(({ volume }) => volume) && late,
    ...range
  }
  const loaded = yield* BacktestMarkets.load(input, { ...wanted, indexed: false }, marketsOf(one))
  const series = yield* withDetail(input, wanted, loaded.series)
  const [{ candles }] = series
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
      const runSide = (mode: (typeof modes)["both"][number]) => Backtest.runAll(strategy, inputs, mode)
      const runs: Arr.NonEmptyReadonlyArray<Envelope.PathSide | Backtest.BandSide> = variesPaths
        ? Envelope.run(strategy, inputs)
        : [runSide(first), ...rest.map(runSide)]
      const ended = yield* Clock.currentTimeNanos
      return {
        strategy,
        candles,
        sources: loaded.sources,
        warnings: [...loaded.warnings, ...warnings, ...WarmUp.sentences(strategy, candles)],
        fees,
        calibrated,
        band: Backtest.band([runs[0], ...runs.slice(1)]),
        shown: runs.find(({ mode }) => mode === "optimistic") ?? runs[0],
        runs: runs.length,
        trials: input.trials,
        wallMillis: Number(ended - started) / 1e6,
        kernelMillis: Number(ended - kernelStarted) / 1e6
      } satisfies BacktestSummary.Result
    })
  )
})

/** Text or JSON, and the page of a report. Loaded on demand: most runs have one strategy and no report. */
const shown = Effect.fnUntraced(function* (
  results: Results,
  wantsReport: boolean,
  wantsJson: boolean,
  curvePoints: number
) {
  if (results.length === 1) {
    const text = wantsJson
      ? JSON.stringify(BacktestSummary.json(results[0], curvePoints))
      : BacktestSummary.lines(results[0]).join("\n")
    if (!wantsReport) return { text }
    const { html } = yield* Effect.promise(() => import("./BacktestReport.ts"))
    return { text, page: yield* html(results[0]) }
  }
  const { html, json, lines } = yield* Effect.promise(() => import("./BacktestComparison.ts"))
  const text = wantsJson ? JSON.stringify(json(results)) : lines(results).join("\n")
  return wantsReport ? { text, page: yield* html(results) } : { text }
})

export const command = Command.make(
  "backtest",
  {
    files: Argument.String("file").pipe(
      Argument.withDescription("The strategy file (YAML); several are compared"),
      Argument.variadic({ min: 1 })
    ),
    ...BacktestInput.dataFlags,
    data: Flag.String("data").pipe(
      Flag.withDescription(
        "Candles or trades: CSV, plain or gzipped; journal:FILE for prices that a bot saw itself. Of several markets MARKET=CSV for each"
      ),
      Flag.atLeast(1)
    ),
    ...BacktestInput.ruleFlags,
    config: BacktestInput.configFlag,
    fills: Flag.Literals("fills", ["both", "pessimistic", "optimistic"]).pipe(
      Flag.withDescription("Which side of the band: both gives the band"),
      Flag.withDefault("both")
    ),
    band: Flag.Literals("band", ["paths", "rules"]).pipe(
      Flag.withDescription(
        "What the band spans: paths within the bars and everything between both sides, or both sides alone, which is quicker"
      ),
      Flag.withDefault("paths")
    ),
    detail: Flag.String("detail").pipe(
      Flag.withDescription(
        "Finer candles or trades of the same market: what happened inside each bar is replayed from them"
      ),
      Flag.optional
    ),
    fillsCsv: Flag.String("fills-csv").pipe(
      Flag.withDescription("Write every fill (of the optimistic side, when both run) to this file"),
      Flag.optional
    ),
    calibrate: Flag.String("calibrate").pipe(
      Flag.withDescription("Measure times and margins of fills in this journal, instead of assuming them"),
      Flag.optional
    ),
    trials: Flag.Int("trials").pipe(
      Flag.withDescription("How many strategies you tried to find this one: for the deflated Sharpe ratio"),
      Flag.withDefault(1)
    ),
    curve: Flag.Int("curve").pipe(
      Flag.withSchema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))),
      Flag.withDescription("With --json of one strategy: the band over time at about so many moments"),
      Flag.withDefault(0)
    ),
    report: Flag.String("report").pipe(Flag.withDescription("Write a report to this HTML file"), Flag.optional),
    json: flags.json
  },
  Effect.fn(function* (input) {
    if (!Arr.isReadonlyArrayNonEmpty(input.files)) return
    const [first, ...rest] = yield* simulate(input, input.files)
    const fileSystem = yield* FileSystem.FileSystem
    if (Option.isSome(input.fillsCsv)) {
      if (rest.length > 0) return yield* new WrongUsage({ message: "--fills-csv: give one strategy file" })
      yield* fileSystem.writeFileString(input.fillsCsv.value, fillsCsv(first.shown))
    }
    const { text, page } = yield* shown([first, ...rest], Option.isSome(input.report), input.json, input.curve)
    if (Option.isSome(input.report) && page !== undefined) yield* fileSystem.writeFileString(input.report.value, page)
    yield* Console.log(text)
  })
).pipe(
  Command.withDescription("Run a strategy over candles: a band of results, exact money, every fill explained"),
  Command.withExamples([
    {
      command: "limitbot backtest strategies/grid.yaml --data btc-1m.csv.gz --report report.html",
      description: "Run a grid over a file of candles and write a report"
    },
    {
      command: "limitbot backtest strategies/grid.yaml strategies/ladder.yaml --data btc-1m.csv.gz",
      description: "Compare two strategies on the same candles"
    },
    {
      command: "limitbot backtest strategies/thirds.yaml --data BTC/USDC=btc-1m.csv.gz --data ETH/USDC=eth-1m.csv.gz",
      description: "Run a strategy of two markets"
    }
  ])
)
