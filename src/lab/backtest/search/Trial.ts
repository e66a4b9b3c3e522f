/** Runs one trial of a search: a backtest of the strategy file with other values. */
import { Result } from "effect"
import { format } from "../../../domain/Amount.ts"
import { present } from "../../../domain/Present.ts"
import type { Markets } from "../../../strategy/Markets.ts"
import { sourceText } from "../../../strategy/Problem.ts"
import type { Strategy } from "../../../strategy/Strategy.ts"
import * as StrategyFile from "../../../strategy/StrategyFile.ts"
import * as Backtest from "../Backtest.ts"
import * as Band from "../Band.ts"
import type { FillMode } from "../kernel/FillPresets.ts"
import * as BandSide from "../results/BandSide.ts"
import * as EquityCurve from "../results/EquityCurve.ts"
import * as WarmUp from "../WarmUp.ts"
import * as Objective from "./Objective.ts"
import * as SweepSpace from "./SweepSpace.ts"
import type { TrialFigures, TrialResult } from "./TrialResult.ts"

export interface Search {
  readonly text: string
  readonly file: string
  readonly markets: Markets
  readonly space: ReadonlyArray<SweepSpace.Dimension>
  /** `worse` runs both sides and uses the worse one by the objective. */
  readonly mode: FillMode | "worse"
  readonly objective: Objective.Objective
  /** Simulated runs of each trial, beside both sides; absent for none. */
  readonly simulatedRuns?: number
  readonly keepsDaily?: boolean
}

const templates = new WeakMap<Search, ReturnType<typeof SweepSpace.template>>()
const templateOf = (search: Search) => {
  const template = templates.get(search) ?? SweepSpace.template(search.text, search.space)
  templates.set(search, template)
  return template
}

export const strategyOf = (search: Search, values: ReadonlyArray<string>): Result.Result<Strategy, string> =>
  Result.flatMap(templateOf(search), (template) => {
    const { file, markets } = search
    const [text, node] = [template.text(values), template.node(values)]
    const strategy =
      node === undefined
        ? StrategyFile.parse(text, file, markets)
        : StrategyFile.ofNode(node, sourceText(file, text), markets).strategy
    return Result.mapError(strategy, (problems) => problems.map(({ message }) => message).join("; "))
  })

const noMoney = { profitQuote: "0", pnlQuote: "0", feesQuote: "0", base: "0", quote: "0" }
const nothing = { ...noMoney, fills: 0, maxDrawdown: 0, dailySharpe: 0 }

export const run = (
  search: Search,
  trial: number,
  inputs: Backtest.MarketInputs,
  see: (ran: BandSide.BandSide, side: FillMode) => void = () => undefined
): TrialResult => {
  const values = SweepSpace.combination(search.space, trial)
  const parsing = strategyOf(search, values)
  if (Result.isFailure(parsing)) return { trial, values, refused: parsing.failure, ...nothing }
  const series = inputs.map(({ candles }) => candles)
  const refused = WarmUp.unusable(parsing.success, series)
  if (refused !== undefined) return { trial, values, refused, ...nothing }
  const { mode, objective } = search
  const judged = (side: FillMode) => {
    const ran = Backtest.runAll(parsing.success, inputs, side)
    see(ran, side)
    return { side, ran, figures: figuresOf(parsing.success, ran) }
  }
  if (mode !== "worse") {
    const { figures, ran, side } = judged(mode)
    return { trial, values, side, ...figures, ...(search.keepsDaily ? { daily: BandSide.dailyMade(ran) } : {}) }
  }
  const [pessimistic, optimistic] = [judged("pessimistic"), judged("optimistic")]
  const isOptimisticWorse =
    Objective.score(objective, optimistic.figures) < Objective.score(objective, pessimistic.figures)
  const [worse, better] = isOptimisticWorse ? [optimistic, pessimistic] : [pessimistic, optimistic]
  const simulated = simulatedOf(search, parsing.success, inputs, [pessimistic.ran, optimistic.ran])
  return { trial, values, side: worse.side, ...worse.figures, other: better.figures, ...present({ simulated }) }
}

const simulatedOf = (
  { objective, simulatedRuns }: Search,
  strategy: Strategy,
  inputs: Backtest.MarketInputs,
  sides: Band.Sides
): TrialResult["simulated"] => {
  if (simulatedRuns === undefined) return undefined
  const { decimals } = strategy.market.quote
  const simulated = Band.simulated(strategy, inputs, sides, simulatedRuns)
  const { p5, p50 } = Band.quantilesOf(simulated, (run) =>
    Objective.score(objective, {
      profitQuote: format(BandSide.profitOf(run), decimals),
      pnlQuote: format(run.pnlQuote, decimals),
      dailySharpe: run.dailySharpe,
      maxDrawdown: run.maxDrawdown
    })
  )
  return { runs: simulatedRuns, p5, p50 }
}

const curvePoints = 60

export const curveOf = ({ parts }: BandSide.BandSide): ReadonlyArray<number> => {
  const points = BandSide.curve(parts, [0, ...EquityCurve.spread(parts[0].candles, curvePoints)])
  return EquityCurve.madeOf(points).map((made) => made - (points[0]?.hold ?? 0))
}

const figuresOf = ({ market }: Strategy, side: BandSide.BandSide): TrialFigures => ({
  profitQuote: format(BandSide.profitOf(side), market.quote.decimals),
  pnlQuote: format(side.pnlQuote, market.quote.decimals),
  feesQuote: format(side.feesQuote, market.quote.decimals),
  base: format(side.outcome.base, market.base.decimals),
  quote: format(side.quote, market.quote.decimals),
  fills: side.fills,
  maxDrawdown: side.outcome.maxDrawdown,
  dailySharpe: BandSide.dailySharpe(side)
})
