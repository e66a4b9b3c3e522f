/** What the expressions of a file need to be asked again in time, and to be decided at all. Gathered while they are read. */
import type { Amount } from "../../domain/Amount.ts"
import type { Problem } from "../Problem.ts"

export interface Needs {
  /** Closed candles by timeframe, until everything is warm. */
  readonly candles: Map<string, number>
  /** The answer may change whenever this many milliseconds of the day are over. */
  clockMillis: number | undefined
  /** Base quantities whose price impact is asked for. */
  readonly depth: Set<Amount>
  /** Where volume is asked for, which no live run knows. */
  volume: Problem | undefined
}

export const noNeeds = (): Needs => ({
  candles: new Map(),
  clockMillis: undefined,
  depth: new Set(),
  volume: undefined
})
