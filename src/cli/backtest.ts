/** `limitbot backtest FILE --data CSV`: what a strategy would have done with these candles, as a band. */
import { Clock, Console, Effect, FileSystem, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Backtest from "../backtest/Backtest.ts"
import * as Calibration from "../backtest/Calibration.ts"
import type { Candles } from "../backtest/Candles.ts"
import * as FillRows from "../backtest/FillRows.ts"
import type { Strategy } from "../strategy/Strategy.ts"
import type { Results } from "./BacktestComparison.ts"
import * as BacktestInput from "./BacktestInput.ts"
import * as BacktestSummary from "./BacktestSummary.ts"
import * as flags from "./flags.ts"
import { WrongUsage } from "./Usage.ts"

const modes = { both: ["pessimistic", "optimistic"], pessimistic: ["pessimistic"], optimistic: ["optimistic"] } as const

const fillsCsv = (strategy: Strategy, candles: Candles, side: Backtest.Side): string => {
  const lines = [FillRows.csvHeader]
  for (const row of FillRows.rows(side.outcome, candles)) lines.push(FillRows.csvLine(strategy.market, row))
  return `${lines.join("\n")}\n`
}

interface Asked extends BacktestInput.DataFlags, BacktestInput.RuleFlags {
  readonly config: Option.Option<string>
  readonly fills: keyof typeof modes
  readonly trials: number
  readonly calibrate: Option.Option<string>
  readonly report: Option.Option<string>
}

/** Loaded on demand, like everything that most runs do without. */
const calibrationOf = Effect.fnUntraced(function* (journal: string, market: string) {
  const JournalData = yield* Effect.promise(() => import("./JournalData.ts"))
  const found = yield* JournalData.calibration(journal, market)
  const measured = {
    pessimistic: Calibration.rulesFor(found, "pessimistic"),
    optimistic: Calibration.rulesFor(found, "optimistic")
  }
  return { measured, calibrated: Calibration.describe(found) }
})

/** What a strategy, its costs and the report need of the data. */
const prepare = Effect.fnUntraced(function* (input: Asked, file: string) {
  const { strategy } = yield* BacktestInput.loadStrategy(file, input.config)
  const given = yield* BacktestInput.options(input, strategy.market)
  const calibration = Option.isNone(input.calibrate)
    ? undefined
    : yield* calibrationOf(input.calibrate.value, strategy.market.name)
  const options = { ...given, ...(calibration === undefined ? {} : { measured: calibration.measured }) }
  const rules = modes[input.fills].map((mode) => Backtest.rulesIn(mode, options))
  const hasReport = Option.isSome(input.report)
  const open = rules.some(({ price }) => price === "open") || strategy.candles !== undefined || hasReport
  const volume = rules.some(({ volumeShare }) => volumeShare > 0) || strategy.candles !== undefined
  const calibrated = calibration?.calibrated ?? []
  return { strategy, options: { ...options, keepsOrders: hasReport }, open, volume, calibrated }
})

/** All strategies over the same candles, loaded once. */
const simulate = Effect.fn("backtest.simulate")(function* (input: Asked, files: ReadonlyArray<string>) {
  const started = yield* Clock.currentTimeNanos
  const prepared = yield* Effect.forEach(files, (file) => prepare(input, file))
  const volume = prepared.some((each) => each.volume) ? "late" : false
  const wanted = { open: prepared.some(({ open }) => open), volume } as const
  const market = prepared[0]?.strategy.market.name
  const loaded = yield* BacktestInput.loadCandles(input, { ...wanted, indexed: false }, market)
  const { candles, indices } = loaded
  const [first, ...rest] = modes[input.fills]
  return yield* Effect.forEach(prepared, ({ strategy, options: asked, calibrated }) =>
    Effect.gen(function* () {
      yield* BacktestInput.checkTimeframes(strategy, candles)
      const options = BacktestInput.withoutVolume(asked, candles)
      const warnings = options === asked ? [] : ["the data have no volumes: orders fill whole"]
      const kernelStarted = yield* Clock.currentTimeNanos
      const runSide = (mode: (typeof modes)["both"][number]) => Backtest.run(strategy, candles, indices, mode, options)
      const sides = [runSide(first), ...rest.map(runSide)] as const
      const ended = yield* Clock.currentTimeNanos
      return {
        ...loaded,
        warnings: [...loaded.warnings, ...warnings],
        calibrated,
        strategy,
        data: input.data,
        band: Backtest.band([sides[0], ...sides.slice(1)]),
        shown: sides.find(({ mode }) => mode === "optimistic") ?? sides[0],
        trials: input.trials,
        wallMillis: Number(ended - started) / 1e6,
        kernelMillis: Number(ended - kernelStarted) / 1e6
      } satisfies BacktestSummary.Result
    })
  )
})

/** Text or JSON, and the page of a report. Loaded on demand: most runs are of one strategy and want no report. */
const shown = Effect.fnUntraced(function* (results: Results, wantsReport: boolean, wantsJson: boolean) {
  if (results.length === 1) {
    const text = wantsJson
      ? JSON.stringify(BacktestSummary.json(results[0]))
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
    ...BacktestInput.ruleFlags,
    config: BacktestInput.configFlag,
    fills: Flag.Literals("fills", ["both", "pessimistic", "optimistic"]).pipe(
      Flag.withDescription("Which side of the band: both gives the band"),
      Flag.withDefault("both")
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
    report: Flag.String("report").pipe(Flag.withDescription("Write a report to this HTML file"), Flag.optional),
    json: flags.json
  },
  Effect.fn(function* (input) {
    const [first, ...rest] = yield* simulate(input, input.files)
    if (first === undefined) return
    const fileSystem = yield* FileSystem.FileSystem
    if (Option.isSome(input.fillsCsv)) {
      if (rest.length > 0) return yield* new WrongUsage({ message: "--fills-csv: give one strategy file" })
      const csv = fillsCsv(first.strategy, first.candles, first.shown)
      yield* fileSystem.writeFileString(input.fillsCsv.value, csv)
    }
    const { text, page } = yield* shown([first, ...rest], Option.isSome(input.report), input.json)
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
    }
  ])
)
