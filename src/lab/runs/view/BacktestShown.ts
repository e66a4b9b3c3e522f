/** Prints the result of one backtest, or of several side by side. */
import { Clock, Effect, FileSystem, Option } from "effect"
import { WrongUsage } from "../../../process/WrongUsage.ts"
import * as PageText from "../../../report/text/PageText.ts"
import * as FillRows from "../../backtest/results/FillRows.ts"
import * as TradeList from "../../backtest/results/TradeList.ts"
import { dataOf } from "../../html/BacktestParts.ts"
import * as ComparisonScript from "../../html/ComparisonScript.ts"
import * as HtmlPage from "../../html/HtmlPage.ts"
import { script } from "../../html/HtmlReportScript.ts"
import { type BacktestAsked, simulate } from "../BacktestRun.ts"
import * as BacktestComparison from "./BacktestComparison.ts"
import * as BacktestPage from "./BacktestPage.ts"
import * as BacktestSummary from "./BacktestSummary.ts"

interface Asked extends BacktestAsked {
  readonly files: ReadonlyArray<string>
  readonly fillsCsv: Option.Option<string>
  readonly curve: number
}

export const showBacktest = Effect.fn("BacktestShown.shown")(function* (asked: Asked) {
  const [first, ...further] = asked.files
  if (first === undefined) return yield* new WrongUsage({ message: "Give a strategy file" })
  const results = yield* simulate(asked, [first, ...further])
  const fileSystem = yield* FileSystem.FileSystem
  const written = [
    ["fills-csv", asked.fillsCsv, FillRows.csv],
    ["trades-csv", asked.tradesCsv, TradeList.csv]
  ] as const
  for (const [flag, file, csv] of written) {
    if (Option.isNone(file)) continue
    if (results.length > 1) return yield* new WrongUsage({ message: `--${flag}: give one strategy file` })
    yield* fileSystem.writeFileString(file.value, csv(results[0].shown.parts))
  }
  const madeAt = yield* Clock.currentTimeMillis
  const isOne = results.length === 1
  const page = isOne ? BacktestPage.page(results[0], madeAt) : BacktestComparison.page(results, madeAt)
  if (Option.isSome(asked.report)) {
    const library = yield* BacktestPage.chartLibrary
    const charts = isOne
      ? { script, data: dataOf(BacktestPage.curves(results[0])) }
      : { script: ComparisonScript.script, data: BacktestComparison.curves(results) }
    yield* fileSystem.writeFileString(asked.report.value, HtmlPage.render(page, { library, ...charts }))
  }
  return {
    data: () => (isOne ? BacktestSummary.json(results[0], asked.curve) : BacktestComparison.json(results)),
    lines: () => PageText.lines(page)
  }
})
