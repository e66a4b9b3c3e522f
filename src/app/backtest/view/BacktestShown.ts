/** What a command says of its backtests: one by itself, several side by side; as text or JSON, and as a page. */
import type { Array as Arr } from "effect"
import { Effect } from "effect"
import type { BacktestResult } from "../BacktestRun.ts"
import * as BacktestSummary from "./BacktestSummary.ts"

/** Pages and comparisons are loaded on demand: most runs have one strategy and no report. */
export const shown = Effect.fnUntraced(function* (
  results: Arr.NonEmptyReadonlyArray<BacktestResult>,
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
