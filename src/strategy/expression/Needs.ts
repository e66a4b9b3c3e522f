/** What the expressions of a file need to be decided, and to be asked again in time. Collected while they are read. */
import type { Amount } from "../../domain/Amount.ts"
import { present } from "../../domain/Present.ts"
import type { Behaviour } from "../Kind.ts"
import type { Problem } from "../Problem.ts"

export interface Needs {
  /** Closed candles by timeframe until everything is warm. */
  readonly candles: Map<string, number>
  /** The answer may change each time this many milliseconds of the day have passed. */
  clockMillis: number | undefined
  /** Base quantities whose price impact is needed. */
  readonly depth: Set<Amount>
  /** The place that asks for volume, which no live run knows. */
  volume: Problem | undefined
}

export const noNeeds = (): Needs => ({
  candles: new Map(),
  clockMillis: undefined,
  depth: new Set(),
  volume: undefined
})

/** The same as a strategy states it. */
export const neededBy = ({ candles, depth, volume }: Needs): Pick<Behaviour, "candles" | "depth" | "notLive"> => ({
  candles,
  ...present({ notLive: volume }),
  ...(depth.size === 0 ? {} : { depth: [...depth] })
})
