/** What is kept of one trial of a search. */
import type { FillMode } from "../kernel/FillPresets.ts"

/** The figures of one run. */
export interface TrialFigures {
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

/** Judged by its own figures; `refused` when the values make no strategy. */
export interface TrialResult extends TrialFigures {
  readonly trial: number
  readonly values: ReadonlyArray<string>
  /** Step of a halving search, when it is part of one. */
  readonly rung?: number
  readonly refused?: string
  /** The rules that gave these figures. */
  readonly side?: FillMode
  /** The figures of the other rules, when a trial runs by both. */
  readonly other?: TrialFigures
  /** Worth by day, where a search asks for it (`BandSide.dailyMade`). */
  readonly daily?: ReadonlyArray<number>
  /** Quantiles of the objective over simulated runs, of a finalist. */
  readonly simulated?: { readonly runs: number; readonly p5: number; readonly p50: number }
}

/** The figures by these rules, if they ran. */
export const bySide = (result: TrialResult, side: FillMode): TrialFigures | undefined =>
  result.side === side ? result : result.other
