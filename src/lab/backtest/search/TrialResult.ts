/** The result of one trial of a search. */
import type { FillMode } from "../kernel/FillPresets.ts"

export interface TrialFigures {
  /** Profit of the strategy. `pnlQuote` is the change of total equity, start inventory included. */
  readonly profitQuote: string
  readonly pnlQuote: string
  readonly feesQuote: string
  readonly base: string
  readonly quote: string
  readonly fills: number
  readonly maxDrawdown: number
  /** Mean divided by deviation of daily returns; not annualised. */
  readonly dailySharpe: number
}

/** `refused` is set if the values are not a valid strategy; all figures are then zero. */
export interface TrialResult extends TrialFigures {
  readonly trial: number
  readonly values: ReadonlyArray<string>
  readonly rung?: number
  readonly refused?: string
  readonly side?: FillMode
  readonly other?: TrialFigures
  readonly daily?: ReadonlyArray<number>
  readonly simulated?: { readonly runs: number; readonly p5: number; readonly p50: number }
}

export const bySide = (result: TrialResult, side: FillMode): TrialFigures | undefined =>
  result.side === side ? result : result.other
