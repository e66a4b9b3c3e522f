/** Prints the result of one backtest, or of several side by side, and saves each. */
import { Clock, Effect, FileSystem, Stdio, Stream } from "effect"
import { laidOver } from "../../../files/StrategyFiles.ts"
import { wrongUsage } from "../../../process/WrongUsage.ts"
import * as PageText from "../../../report/text/PageText.ts"
import * as FillRows from "../../backtest/results/FillRows.ts"
import { tradesCsv } from "../../backtest/results/RoundTrips.ts"
import * as HtmlPage from "../../html/HtmlPage.ts"
import { script } from "../../html/HtmlReportScript.ts"
import { type BacktestAsked, type BacktestResult, simulate } from "../BacktestRun.ts"
import * as SavedBacktests from "../SavedBacktests.ts"
import * as BacktestComparison from "./BacktestComparison.ts"
import * as BacktestPage from "./BacktestPage.ts"
import * as BacktestSummary from "./BacktestSummary.ts"

interface Asked extends BacktestAsked {
  readonly files: ReadonlyArray<string>
  readonly fillsCsv: string | undefined
  readonly curve: number
  readonly noSave: boolean
  readonly stdin: boolean
}

/** Flags that do not change the figures. */
const surroundings = "files data report json curve fillsCsv tradesCsv bandSeconds noCache noSave stdin".split(" ")

const optionsOf = (asked: object): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(asked).flatMap(([key, value]: [string, unknown]) =>
      surroundings.includes(key) || value === undefined
        ? []
        : [[`--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, `${value}`]]
    )
  )

const save = (asked: Asked, result: BacktestResult, at: number) => {
  const { file, text } = result.strategy
  const sources = [...result.sources, ...(result.detail ? [result.detail] : [])]
  const data = sources.map(({ data, market, sha256 }) => ({ market: market.name, file: data, sha256 }))
  const figures = BacktestSummary.json(result, 0)
  return SavedBacktests.save({ at, file, text, data, inputs: result.inputsRead, options: optionsOf(asked), figures })
}

export const showBacktest = Effect.fn("BacktestShown.shown")(function* (asked: Asked) {
  const [first, ...further] = asked.files
  if (first === undefined) return yield* wrongUsage("Give a strategy file")
  const { stdin } = yield* Stdio.Stdio
  const edited = asked.stdin ? [{ file: first, text: yield* Stream.mkString(Stream.decodeText(stdin)) }] : []
  const results = yield* laidOver(edited)(simulate(asked, [first, ...further]))
  const fileSystem = yield* FileSystem.FileSystem
  const { parts } = results[0].shown
  if (asked.fillsCsv !== undefined) yield* fileSystem.writeFileString(asked.fillsCsv, FillRows.csv(parts))
  if (asked.tradesCsv !== undefined) yield* fileSystem.writeFileString(asked.tradesCsv, tradesCsv(parts))
  const madeAt = yield* Clock.currentTimeMillis
  const isOne = results.length === 1
  const page = (isFile: boolean) =>
    isOne ? BacktestPage.page(results[0], madeAt, isFile) : BacktestComparison.page(results, madeAt)
  const reported = asked.report !== undefined ? page(true) : undefined
  if (reported !== undefined && asked.report !== undefined) {
    const library = yield* BacktestPage.chartLibrary
    const charts = isOne ? { library, script, data: BacktestPage.dataOf(BacktestPage.curves(results[0])) } : undefined
    yield* fileSystem.writeFileString(asked.report, HtmlPage.render(reported, charts))
  }
  const ids = yield* Effect.forEach(asked.noSave ? [] : results, (result) => save(asked, result, madeAt))
  const jsonOf = (result: BacktestResult) => BacktestSummary.json(result, isOne ? asked.curve : 0)
  const json = () => results.map((result, index) => ({ ...jsonOf(result), saved: ids[index] }))
  const savedLines = ids.flatMap((id) => (id === undefined ? [] : `saved as ${id}: limitbot backtest show ${id}`))
  const lines = () => [...PageText.lines(reported ?? page(false)), ...savedLines]
  return { data: () => (isOne ? json()[0] : { runs: json() }), lines }
})
