/** What the expressions of a file need to be decided, and to be asked again in time. Collected while they are read. */
import type { Amount } from "../../domain/Amount.ts"
import type { Market } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import type { Behaviour } from "../Kind.ts"
import type { Problem } from "../Problem.ts"

/** Another market that the expressions look at. */
interface Watched {
  readonly market: Market
  readonly candles: Map<string, number>
  /** Its price between closed candles counts too. */
  hasPrice: boolean
}

export interface Needs {
  /** Closed candles by timeframe until everything is warm. */
  readonly candles: Map<string, number>
  readonly watched: Map<string, Watched>
  /** The answer may change each time this many milliseconds of the day have passed. */
  clockMillis: number | undefined
  /** The strategy has to remember when it began. */
  start: boolean
  /** Base quantities whose price impact is needed. */
  readonly depth: Set<Amount>
  /** The place that asks for volume, which no live run knows. */
  volume: Problem | undefined
}

export const noNeeds = (): Needs => ({
  candles: new Map(),
  watched: new Map(),
  clockMillis: undefined,
  start: false,
  depth: new Set(),
  volume: undefined
})

export const watch = ({ watched }: Needs, market: Market): Watched => {
  const known = watched.get(market.name) ?? { market, candles: new Map(), hasPrice: false }
  watched.set(market.name, known)
  return known
}

/** At least so many candles; `market`: another one than the strategy's. */
export const needCandles = (needs: Needs, timeframe: string, least: number, market?: string): void => {
  const candles = market === undefined ? needs.candles : needs.watched.get(market)?.candles
  candles?.set(timeframe, Math.max(least, candles.get(timeframe) ?? 0))
}

/** The same as a strategy states it. */
export const neededBy = ({
  candles,
  watched,
  depth,
  volume
}: Needs): Pick<Behaviour, "candles" | "watched" | "depth" | "notLive"> => ({
  candles,
  ...(watched.size === 0 ? {} : { watched: [...watched.values()] }),
  ...present({ notLive: volume }),
  ...(depth.size === 0 ? {} : { depth: [...depth] })
})
