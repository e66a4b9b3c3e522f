/** What a command says of its backtests: one by itself, several side by side. */
import { type Array as Arr, Clock, Effect } from "effect"
import { dataOf } from "../../../report/html/BacktestParts.ts"
import * as ComparisonScript from "../../../report/html/ComparisonScript.ts"
import * as HtmlPage from "../../../report/html/HtmlPage.ts"
import { script } from "../../../report/html/HtmlReportScript.ts"
import * as PageText from "../../../report/text/PageText.ts"
import type { BacktestResult } from "../BacktestRun.ts"
import * as BacktestComparison from "./BacktestComparison.ts"
import * as BacktestPage from "./BacktestPage.ts"
import * as BacktestSummary from "./BacktestSummary.ts"

/** `curvePoints`: JSON of one has the band over time at about so many moments. */
export const shown = Effect.fnUntraced(function* (
  results: Arr.NonEmptyReadonlyArray<BacktestResult>,
  curvePoints: number
) {
  const madeAt = yield* Clock.currentTimeMillis
  const isOne = results.length === 1
  const page = isOne ? BacktestPage.page(results[0], madeAt) : BacktestComparison.page(results, madeAt)
  const charts = () =>
    isOne
      ? { script, data: dataOf(BacktestPage.curves(results[0])) }
      : { script: ComparisonScript.script, data: BacktestComparison.curves(results) }
  return {
    data: () => (isOne ? BacktestSummary.json(results[0], curvePoints) : BacktestComparison.json(results)),
    lines: () => PageText.lines(page),
    html: Effect.map(BacktestPage.chartLibrary, (library) => HtmlPage.render(page, { library, ...charts() }))
  }
})
