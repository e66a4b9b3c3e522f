/**
 * The context in which the expressions of a file are compiled, and the data that they need for a decision and for the time of the next one.
 */
import type { Amount } from "../../domain/Amount.ts"
import type { Market } from "../../domain/Market.ts"
import { present } from "../../domain/Present.ts"
import type { KindContext } from "../Kind.ts"
import type { MarketNamed } from "../Markets.ts"
import type { Problem, Report, Span } from "../Problem.ts"
import type { Behaviour, Budget } from "../Strategy.ts"
import type { Term } from "./Term.ts"

export interface Scope {
  readonly market: Market
  readonly marketNamed: MarketNamed
  /** Missing if it could not be read. */
  readonly budget?: Budget | undefined
  /** For candles without a written timeframe. */
  readonly timeframe: string
  readonly names: ReadonlyMap<string, Term>
  readonly needs: Needs
  readonly to: Report
  readonly knowsStart?: true
  /** Set only while the next value of a `state` is compiled: the last values of this state and of the states that need it. */
  readonly state?: { readonly previous: ReadonlyMap<string, Term>; readonly leaves: Array<Term> }
}

export const scopeOf = ({ market, marketNamed, budget, to }: KindContext, timeframe: string): Scope => ({
  market,
  marketNamed,
  budget,
  timeframe,
  names: new Map(),
  needs: noNeeds(),
  to
})

/** Bounds exist only for conditions whose sides are simple in the price. A price is computed just once and needs none. */
export type Use = "condition" | "price"

export interface Compiling extends Scope {
  readonly use: Use
  readonly placeOf: (at: Span) => Span
  readonly wrong: (at: Span, message: string, hint?: string) => undefined
  readonly text: string
}

interface Watched {
  readonly market: Market
  readonly candles: Map<string, number>
  hasPrice: boolean
}

export interface Needs {
  readonly candles: Map<string, number>
  readonly watched: Map<string, Watched>
  /** The answer may change each time this many milliseconds of the day have passed. */
  clockMillis: number | undefined
  start: boolean
  readonly depth: Set<Amount>
  readonly signals: Map<string, number>
  /** By market: the first place that uses its volume, with the problem to report if no source has it. */
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
  const entry = watched.get(market.name) ?? { market, candles: new Map(), hasPrice: false }
  watched.set(market.name, entry)
  return entry
}

export const needCandles = (needs: Needs, timeframe: string, least: number, market?: string): void => {
  const candles = market === undefined ? needs.candles : needs.watched.get(market)?.candles
  candles?.set(timeframe, Math.max(least, candles.get(timeframe) ?? 0))
}

export const needVolume = ({ volumes }: Needs, market: string, problem: Problem): void => {
  if (!volumes.has(market)) volumes.set(market, problem)
}

/** True if everything follows from the own market's price and candles, and not from the time of day. */
export const mayGlance = ({ clockMillis, depth, signals, watched }: Needs): boolean =>
  watched.size === 0 && depth.size === 0 && signals.size === 0 && clockMillis === undefined

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

type Needed = ReturnType<typeof neededBy>

export const joined = (one: Partial<Needed>, other: Needs): Partial<Needed> => {
  const { candles, depth, signals, volumes, watched } = neededBy(other)
  const all = [...(one.watched ?? []), ...(watched ?? [])]
  const byMarket = Map.groupBy(all, ({ market }) => market.name)
  return present({
    candles: most(one.candles, candles, Math.max),
    signals: most(one.signals, signals, Math.min),
    volumes: most(one.volumes, volumes, (first) => first),
    depth: one.depth === undefined && depth === undefined ? undefined : [...(one.depth ?? []), ...(depth ?? [])],
    watched:
      all.length === 0
        ? undefined
        : [...byMarket.values()].flatMap(([first, second]) =>
            first === undefined
              ? []
              : [{ ...first, candles: most(first.candles, second?.candles, Math.max) ?? first.candles }]
          )
  })
}

const most = <A>(
  one: ReadonlyMap<string, A> | undefined,
  other: ReadonlyMap<string, A> | undefined,
  of: (a: A, b: A) => A
): ReadonlyMap<string, A> | undefined => {
  if (one === undefined || other === undefined) return one ?? other
  const rest = [...other].map(([name, value]) => {
    const first = one.get(name)
    return [name, first === undefined ? value : of(first, value)] as const
  })
  return new Map([...one, ...rest])
}
