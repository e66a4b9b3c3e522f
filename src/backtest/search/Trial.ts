/** One trial of a search: the strategy file with other values, run like any backtest, and what is kept of it. */

import { Result } from "effect"
import type { Candles } from "../../candles/Candles.ts"
import type * as CrossingIndex from "../../candles/CrossingIndex.ts"
import { format } from "../../domain/Amount.ts"
import type { Markets } from "../../strategy/Markets.ts"
import { sourceText } from "../../strategy/Problem.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import * as StrategyFile from "../../strategy/StrategyFile.ts"
import * as Backtest from "../Backtest.ts"
import type { FillMode } from "../kernel/FillPresets.ts"
import * as SweepSpace from "./SweepSpace.ts"

export interface Search {
  /** Content and name of the strategy file. */
  readonly text: string
  readonly file: string
  readonly markets: Markets
  readonly space: ReadonlyArray<SweepSpace.Dimension>
  readonly mode: FillMode
  readonly options: Backtest.Options
}

/** What a trial is judged by; `refused` when the values make no strategy. */
export interface TrialResult {
  readonly trial: number
  readonly values: ReadonlyArray<string>
  /** Step of a halving search, when it is part of one. */
  readonly rung?: number
  readonly refused?: string
  /** What the strategy made; `pnlQuote` is the change of everything's worth, its start inventory included. */
  readonly profitQuote: string
  readonly pnlQuote: string
  readonly feesQuote: string
  readonly base: string
  readonly quote: string
  readonly fills: number
  readonly maxDrawdown: number
  /** Mean over deviation of daily returns, not per year. */
  readonly dailySharpe: number
}

/** The file is read once per search. */
const templates = new WeakMap<Search, ReturnType<typeof SweepSpace.template>>()
const templateOf = (search: Search) => {
  const template = templates.get(search) ?? SweepSpace.template(search.text, search.space)
  templates.set(search, template)
  return template
}

/** The strategy of these values, or why they make none. */
export const strategyOf = (search: Search, values: ReadonlyArray<string>): Result.Result<Strategy, string> =>
  Result.flatMap(templateOf(search), (template) => {
    const { file, markets } = search
    const [text, node] = [template.text(values), template.node(values)]
    const strategy =
      node === undefined
        ? StrategyFile.parse(text, file, markets)
        : StrategyFile.ofNode(node, sourceText(file, text), markets)
    return Result.mapError(strategy, (problems) => problems.map(({ message }) => message).join("; "))
  })

const dailySharpeOf = (equity: Float64Array): number => {
  const days = equity.length - 1
  if (days < 2) return 0
  const returnOf = (day: number): number => (equity[day] ?? 0) / (equity[day - 1] ?? 0) - 1
  let sum = 0
  for (let day = 1; day <= days; day++) sum += returnOf(day)
  const mean = sum / days
  let squares = 0
  for (let day = 1; day <= days; day++) squares += (returnOf(day) - mean) ** 2
  const variance = squares / (days - 1)
  return variance > 0 ? mean / Math.sqrt(variance) : 0
}

const nothing = {
  profitQuote: "0",
  pnlQuote: "0",
  feesQuote: "0",
  base: "0",
  quote: "0",
  fills: 0,
  maxDrawdown: 0,
  dailySharpe: 0
}

/** `others`: series of further markets, if the strategy sees several. */
export const run = (
  search: Search,
  trial: number,
  candles: Candles,
  indices: CrossingIndex.Indices,
  others: ReadonlyArray<Backtest.MarketInput> = []
): TrialResult => {
  const values = SweepSpace.combination(search.space, trial)
  const read = strategyOf(search, values)
  if (Result.isFailure(read)) return { trial, values, refused: read.failure, ...nothing }
  const strategy = read.success
  const { mode, options } = search
  const side = Backtest.runAll(strategy, [{ candles, indices, options }, ...others], mode)
  const { market } = strategy
  return {
    trial,
    values,
    profitQuote: format(Backtest.profitOf(side), market.quote.decimals),
    pnlQuote: format(side.pnlQuote, market.quote.decimals),
    feesQuote: format(side.feesQuote, market.quote.decimals),
    base: format(side.outcome.base, market.base.decimals),
    quote: format(side.quote, market.quote.decimals),
    fills: side.fills,
    maxDrawdown: side.outcome.maxDrawdown,
    dailySharpe: dailySharpeOf(Backtest.dailyEquity(side))
  }
}
