/** Explains the figures of a backtest in sentences, for readers of its report. */
import { closeAt } from "../../../candles/Candles.ts"
import { countText, percent } from "../../../domain/Text.ts"
import { sideNames } from "../../backtest/kernel/FillPresets.ts"
import type { BacktestResult } from "../BacktestRun.ts"
import * as BacktestSummary from "./BacktestSummary.ts"

/** With fewer fills the report says that skill cannot be told from luck. */
const enoughFills = 30

export const ofOne = (result: BacktestResult): ReadonlyArray<string> => {
  const { band, sides, strategy } = result
  const simulated = BacktestSummary.quantified(result)
  const [low = "", high = ""] = Object.values(BacktestSummary.profitEnds(result)).map((profit) =>
    BacktestSummary.quoteText(result, profit)
  )
  const fills = Math.min(band.low.fills, band.high.fills)
  return [
    `${compareWithBudget(low, high)}${priceMoves(result)}.`,
    ...(strategy.earns === undefined ? [] : [`By its file, ${strategy.earns}.`]),
    ...(sides.length === 1 ? [`By the rules of ${sideNames[band.low.mode]} alone.`] : []),
    ...(simulated === undefined ? [] : [`Range: p5 to p95 of ${countText(simulated.runs.length, "simulated run")}.`]),
    ...(low.startsWith("-") && !high.startsWith("-") ? ["The data cannot tell whether it gains."] : []),
    ...(fills < enoughFills ? [`Too few fills (${fills}) to tell skill from luck.`] : [])
  ]
}

const mostMoves = 3

const priceMoves = ({ band: { high } }: BacktestResult): string => {
  const moves = high.parts.map(({ candles, market }) => {
    const ratio = closeAt(candles, candles.bars - 1) / closeAt(candles, 0) - 1
    return `${market.base.symbol} ${ratio < 0 ? "fell" : "rose"} ${percent(Math.abs(ratio), 1)}`
  })
  return moves.length > mostMoves ? "" : `, while ${moves.join(" and ")}`
}

/** Compares the low and the high gain, both as text with the unit. Names losses in words, without their signs. */
const compareWithBudget = (low: string, high: string): string => {
  const [isLoss, isAllLoss] = [low.startsWith("-"), high.startsWith("-")]
  const [least = "", most = ""] = [low, high].map((gain) => gain.replace("-", ""))
  if (!/[1-9]/.test(low + high)) return "The strategy made exactly as much as its untouched budget"
  if (isAllLoss) return `The strategy lost ${BacktestSummary.span(most, least)} against its untouched budget`
  if (isLoss) return `The strategy made between a loss of ${least} and a gain of ${most} against its untouched budget`
  return `The strategy made ${BacktestSummary.span(least, most)} more than its untouched budget`
}

interface RunReturn {
  readonly name: string
  readonly low: number
  readonly high: number
  readonly fills: number
}

export const ofSeveral = (runs: ReadonlyArray<RunReturn>): ReadonlyArray<string> => {
  const [best, ...others] = runs.toSorted((a, b) => b.low - a.low)
  if (best === undefined) return []
  const near = others.filter(({ high }) => high >= best.low)
  const isBand = runs.some(({ low, high }) => low !== high)
  const alone = isBand ? ["Its worst case is above the best case of every other run."] : []
  return [
    `${best.name} has the best ${isBand ? "worst case" : "return"}: ${percent(best.low)}.`,
    ...(near.length === 0
      ? alone
      : [`The ranges overlap with ${near.map(({ name }) => name).join(", ")}; the data cannot tell which is better.`]),
    ...runs.filter(({ fills }) => fills === 0).map(({ name }) => `${name} traded nothing, so it returned nothing.`)
  ]
}
