/** The result of one trial of a search. */
import { Schema } from "effect"
import type { FillMode } from "../kernel/FillPresets.ts"

export const TrialFigures = Schema.Struct({
  /** Profit of the strategy. `pnlQuote` is the change of total equity, start inventory included. */
  profitQuote: Schema.String,
  pnlQuote: Schema.String,
  feesQuote: Schema.String,
  base: Schema.String,
  quote: Schema.String,
  fills: Schema.Int,
  maxDrawdown: Schema.Finite,
  /** Mean divided by deviation of daily returns; not annualised. */
  dailySharpe: Schema.Finite
})
export type TrialFigures = typeof TrialFigures.Type

/** A trial as a file of results keeps it. `refused` is set if the values are not a valid strategy; all figures are then zero. */
export const StoredTrial = Schema.Struct({
  trial: Schema.Int,
  values: Schema.Array(Schema.String),
  rung: Schema.optionalKey(Schema.Int),
  refused: Schema.optionalKey(Schema.String),
  side: Schema.optionalKey(Schema.Literals(["optimistic", "pessimistic"])),
  ...TrialFigures.fields,
  other: Schema.optionalKey(TrialFigures)
})

export interface TrialResult extends Schema.Schema.Type<typeof StoredTrial> {
  readonly daily?: ReadonlyArray<number>
  readonly simulated?: { readonly runs: number; readonly p5: number; readonly p50: number }
}

export const bySide = (result: TrialResult, side: FillMode): TrialFigures | undefined =>
  result.side === side ? result : result.other
