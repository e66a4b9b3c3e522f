/** `limitbot backtest FILE --data CSV`: what a strategy would have done with these candles, as a band. */
import { Clock, Console, Effect, FileSystem, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Backtest from "../backtest/Backtest.ts"
import type { Candles } from "../backtest/Candles.ts"
import { rulesOf } from "../backtest/FillModel.ts"
import * as FillRows from "../backtest/FillRows.ts"
import type { Strategy } from "../strategy/Strategy.ts"
import * as BacktestInput from "./BacktestInput.ts"
import * as BacktestSummary from "./BacktestSummary.ts"
import * as flags from "./flags.ts"

const modes = { both: ["pessimistic", "optimistic"], pessimistic: ["pessimistic"], optimistic: ["optimistic"] } as const

const fillsCsv = (strategy: Strategy, candles: Candles, side: Backtest.Side): string => {
  const lines = [FillRows.csvHeader]
  for (const row of FillRows.rows(side.outcome, candles)) lines.push(FillRows.csvLine(strategy.market, row))
  return `${lines.join("\n")}\n`
}

export const command = Command.make(
  "backtest",
  {
    file: Argument.String("file").pipe(Argument.withDescription("The strategy file (YAML)")),
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
    report: Flag.String("report").pipe(Flag.withDescription("Write a report to this HTML file"), Flag.optional),
    json: flags.json
  },
  Effect.fn(function* (input) {
    const started = yield* Clock.currentTimeNanos
    const source = yield* BacktestInput.loadStrategy(input.file, input.config)
    const { strategy } = source
    const options = yield* BacktestInput.options(input, strategy.market)
    const names = modes[input.fills]
    const rules = names.map((mode) => rulesOf(mode, options.costs, options.changes))
    const open = rules.some(({ price }) => price === "open") || strategy.candles !== undefined
    const volume = rules.some(({ volumeShare }) => volumeShare > 0) || strategy.candles !== undefined
    const wanted = { open: open || Option.isSome(input.report), volume, indexed: false }
    const loaded = yield* BacktestInput.loadCandles(input, wanted)
    const { candles, indices } = loaded
    yield* BacktestInput.checkTimeframes(strategy, candles)
    const kernelStarted = yield* Clock.currentTimeNanos
    const [first, ...rest] = names
    const runSide = (mode: (typeof names)[number]) => Backtest.run(strategy, candles, indices, mode, options)
    const sides = [runSide(first), ...rest.map(runSide)] as const
    const kernelNanos = (yield* Clock.currentTimeNanos) - kernelStarted
    const band = Backtest.band([sides[0], ...sides.slice(1)])
    const shown = sides.find(({ mode }) => mode === "optimistic") ?? sides[0]
    const fileSystem = yield* FileSystem.FileSystem
    if (Option.isSome(input.fillsCsv))
      yield* fileSystem.writeFileString(input.fillsCsv.value, fillsCsv(strategy, candles, shown))
    const wallNanos = (yield* Clock.currentTimeNanos) - started
    const result: BacktestSummary.Result = {
      strategy,
      candles,
      sha256: loaded.sha256,
      data: input.data,
      source: loaded.source,
      warnings: loaded.warnings,
      repaired: loaded.repaired,
      band,
      shown,
      wallMillis: Number(wallNanos) / 1e6,
      kernelMillis: Number(kernelNanos) / 1e6
    }
    if (Option.isSome(input.report)) {
      // Loaded on demand: most runs want no report.
      const { html } = yield* Effect.promise(() => import("./BacktestReport.ts"))
      yield* fileSystem.writeFileString(input.report.value, yield* html(result))
    }
    yield* Console.log(
      input.json ? JSON.stringify(BacktestSummary.json(result)) : BacktestSummary.lines(result).join("\n")
    )
  })
).pipe(
  Command.withDescription("Run a strategy over candles: a band of results, exact money, every fill explained"),
  Command.withExamples([
    {
      command: "limitbot backtest strategies/grid.yaml --data btc-1m.csv.gz --report report.html",
      description: "Run a grid over a file of candles and write a report"
    }
  ])
)
