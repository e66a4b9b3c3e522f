/** What the expressions of a file need to be decided, and to be asked again in time. Collected while they are read. */
import type { Amount } from "../../domain/Amount.ts"
import type { Market } from "../../domain/Market.ts"
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
  /** How old the value of each signal may be at most. */
  readonly signals: Map<string, number>
  /** By market: the first place that asks for its volume, and what is wrong with that where no source tells it. */
  readonly volumes: Map<string, Problem>
}

export const noNeeds = (): Needs => ({
  candles: new Map(),
  watched: new Map(),
  clockMillis: undefined,
  start: false,
  depth: new Set(),
  signals: new Map(),
  volumes: new Map()
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

export const needVolume = ({ volumes }: Needs, market: string, problem: Problem): void => {
  if (!volumes.has(market)) volumes.set(market, problem)
}

/** Everything follows from the own market's price and candles: no other market, no depth, no signal, and no time of day. */
export const isGlanced = ({ clockMillis, depth, signals, watched }: Needs): boolean =>
  watched.size === 0 && depth.size === 0 && signals.size === 0 && clockMillis === undefined

/** The same as a strategy states it. */
export const neededBy = ({
  candles,
  watched,
  depth,
  signals,
  volumes
}: Needs): Pick<Behaviour, "candles" | "watched" | "depth" | "signals" | "volumes"> => ({
  candles,
  ...(watched.size === 0 ? {} : { watched: [...watched.values()] }),
  ...(volumes.size === 0 ? {} : { volumes }),
  ...(signals.size === 0 ? {} : { signals }),
  ...(depth.size === 0 ? {} : { depth: [...depth] })
})
