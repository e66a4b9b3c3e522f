/**
 * The meaning of an expression: a type, and a number for every moment. Booleans are 1 and 0, ratios are fractions (5% is 0.05), prices and
 * amounts are in units. A term that depends only on closed candles is a series: a whole column, computed once for each set of candles and
 * shared by all expressions that contain it.
 */
import type { Amount } from "../../domain/Amount.ts"
import type { Depth } from "../../domain/Book.ts"
import { present } from "../../domain/Present.ts"
import type { Signals } from "../../domain/Signal.ts"
import { iso } from "../../domain/Text.ts"
import { commonMillis, timeframeMillis } from "../../domain/Timeframe.ts"
import type { CandleColumns, IndicatorValues } from "../Indicators.ts"
import { type ClosedCandles, frameName, type OwnState } from "../View.ts"
import type { Demands, Range } from "./Never.ts"
import { lately } from "./Same.ts"

export type ValueType =
  | "number"
  | "ratio"
  /** The strategy's own market. Prices of other markets have the market's name. */
  | "price"
  | `price of ${string}`
  | "boolean"
  | "duration"
  | `amount of ${string}`

/**
 * The way in which a value moves. `none`: not at all. `linear`: in a straight line with each price. `monotone`: in one direction with each
 * price, for any values of the others. `time`: in a straight line with the time. `other`: in any other way.
 */
export type PriceDependence = "none" | "linear" | "monotone" | "time" | "other"

export const ownMarket = ""

export interface Term {
  readonly type: ValueType
  readonly isLiteral: boolean
  readonly dependence: PriceDependence
  /** Markets whose prices move it. Missing: only its own. */
  readonly moves?: ReadonlySet<string>
  /** Always above zero, so that others may be divided by it. */
  readonly isPositive?: true
  readonly series?: Series
  readonly constant?: number
  /** Contains an `if` whose condition changes with prices or the time: the value jumps where the condition changes. */
  readonly isJumping?: true
  /** All possible values, if fewer than its type allows. */
  readonly range?: Range
  readonly demands?: Demands
  readonly checks?: ReadonlyArray<Check>
  readonly value: (moment: Moment) => number
  /** The exact amount, if the books have one. `value` is near it. */
  readonly exact?: (moment: Moment) => Amount | undefined
}

export interface Check {
  readonly text: string
  readonly operands: ReadonlyArray<Term>
  readonly value: Term["value"]
  /** Missing for a function. */
  readonly comparison?: { readonly operator: string; readonly texts: readonly [string, string] }
}

export interface Frame {
  readonly timeframe: string
  readonly market?: string
  readonly others?: ReadonlyArray<string>
  /** The markets whose volumes it reads; its own is `ownMarket`. */
  readonly volumesOf?: ReadonlyArray<string>
}

export interface Series extends Frame {
  /** Closed candles up to the first number, its own candle included. */
  readonly warmUp: number
  readonly key: string
  readonly column: (candles: CandleColumns) => IndicatorValues
}

interface Quoted {
  readonly mid: number
  readonly bid: number
  readonly ask: number
}

export interface Moment extends Quoted {
  readonly elsewhere: ReadonlyMap<string, Quoted>
  /** Epoch milliseconds. */
  readonly now: number
  readonly candles: ReadonlyMap<string, ClosedCandles> | undefined
  readonly entry: number
  readonly fillBasisPoints?: number
  /** Beyond the strategy's budget. */
  readonly position: number
  readonly exactPosition?: Amount
  readonly own: OwnState | undefined
  readonly startedAt?: number
  readonly depth: Depth | undefined
  readonly signals: Signals | undefined
  /** Milliseconds by which `since` is ahead of `now`; zero except while its line is being measured. */
  readonly elapsed: number
  /** Values of the members one candle earlier. Set only inside a recursion. */
  readonly previous?: Float64Array
  readonly isGlanced?: true
  readonly flipped?: string
  /** Set only inside a crossing whose sides are not candles of one timeframe. */
  readonly rewind?: Rewind
  readonly found: {
    isCold: boolean
    isUndefined: boolean
    readonly dividesByZero: Set<string>
    readonly lacking: Set<string>
    /** Prices at which a comparison changes, or up to which it certainly does not change. */
    readonly crossings: Array<{ readonly market: string; readonly price: number }>
    /** Epoch milliseconds at which a comparison changes. */
    readonly times: Array<number>
    readonly consulted: Consulted
  }
}

/** Reads candles as they are now, then as they were just before the last of them closed. */
export interface Rewind {
  /** Epoch milliseconds: the last close of all candles that were read. */
  lastClose: number
  isBefore: boolean
}

/** Inputs of an answer besides prices and own trading; the answer holds until one changes. Zero or false: not used. */
export interface Consulted {
  /** Milliseconds. A candle of this length closes whenever a candle that the answer used closes. */
  candleMillis: number
  /** Milliseconds, counted from midnight, for which the clock's value stays the same. */
  clockMillis: number
  depth: boolean
  signals: boolean
}

export const consultCandles = ({ consulted }: Moment["found"], millis: number): void => {
  consulted.candleMillis = commonMillis(millis, consulted.candleMillis)
}

export const nothingFound = (): Moment["found"] => ({
  isCold: false,
  isUndefined: false,
  dividesByZero: new Set(),
  lacking: new Set(),
  crossings: [],
  times: [],
  consulted: { candleMillis: 0, clockMillis: 0, depth: false, signals: false }
})

/** Nothing is known but what the caller adds. */
export const blankMoment = (): Moment => ({
  ...{ mid: Number.NaN, bid: Number.NaN, ask: Number.NaN, entry: Number.NaN, now: 0, elapsed: 0, position: 0 },
  ...{ candles: undefined, own: undefined, depth: undefined, signals: undefined },
  elsewhere: new Map(),
  found: nothingFound()
})

const columns = new WeakMap<CandleColumns, Map<string, IndicatorValues>>()

export const columnOf = ({ key, column }: Series, candles: CandleColumns): IndicatorValues => {
  const cache = columns.get(candles) ?? new Map<string, IndicatorValues>()
  columns.set(candles, cache)
  const computed = cache.get(key) ?? column(candles)
  cache.set(key, computed)
  return computed
}

export const frameOf = ({ timeframe, market, others, volumesOf }: Frame): Frame => ({
  timeframe,
  ...present({ market, others, volumesOf })
})

export const othersOf = ({ market, others = [] }: Frame): ReadonlyArray<string> =>
  market === undefined ? others : [market, ...others]

const stepsBack = (rewind: Rewind, { closed, columns }: ClosedCandles, millis: number): number => {
  const closedAt = (columns.startMillis ?? 0) + closed * millis
  if (!rewind.isBefore) rewind.lastClose = Math.max(rewind.lastClose, closedAt)
  return rewind.isBefore && closedAt >= rewind.lastClose ? 1 : 0
}

export const readerOf = (series: Series): ((moment: Moment) => number) => {
  const { timeframe, market } = series
  const name = frameName(timeframe, market)
  const others = othersOf(series).map((other) => ({ other, frame: frameName(timeframe, other) }))
  const columnIn = lately((columns: CandleColumns) => columnOf(series, columns))
  const millis = timeframeMillis(timeframe) ?? 0
  return ({ candles, found, isGlanced, rewind }) => {
    if (isGlanced === undefined) consultCandles(found, millis)
    for (const { frame, other } of others) if (!candles?.has(frame)) found.lacking.add(other)
    const timeframeCandles = candles?.get(name)
    if (timeframeCandles === undefined) return Number.NaN
    const last = timeframeCandles.closed - 1 - (rewind === undefined ? 0 : stepsBack(rewind, timeframeCandles, millis))
    if (last < 0) return Number.NaN
    const value = columnIn(timeframeCandles.columns)[last] ?? Number.NaN
    if (Number.isNaN(value))
      for (const missing of missingVolumes(series, timeframeCandles.columns, last)) found.lacking.add(missing)
    return value
  }
}

const volumeOf = "the volume of "

export const isVolume = (lacking: string): boolean => lacking.startsWith(volumeOf)

const missingVolumes = (
  { market = ownMarket, timeframe, volumesOf = [], warmUp }: Series,
  columns: CandleColumns,
  last: number
): ReadonlyArray<string> =>
  volumesOf.flatMap((name) => {
    const looked = name === market ? columns : columns.elsewhere?.get(name)
    if (looked === undefined) return []
    const { startMillis = 0, volume } = looked
    const millis = timeframeMillis(timeframe) ?? 1
    const ahead = Math.round(((columns.startMillis ?? 0) - startMillis) / millis)
    for (let bar = last; bar > last - warmUp; bar--) {
      if (!Number.isNaN(volume[bar + ahead] ?? 0)) continue
      const of = name === ownMarket ? "" : ` of ${name}`
      return [`${volumeOf}the ${timeframe} candle${of} from ${iso(startMillis + (bar + ahead) * millis)}`]
    }
    return []
  })

/** Moves with no price and no time. */
export const stillTerm = (type: ValueType, value: Term["value"]): Term => ({
  type,
  isLiteral: false,
  dependence: "none",
  value
})

export const constantTerm = (value: number, type: ValueType, isLiteral: boolean): Term => ({
  ...stillTerm(type, () => value),
  isLiteral,
  constant: value
})

export const seriesTerm = (series: Series, type: ValueType): Term => ({ ...stillTerm(type, readerOf(series)), series })

const asColumn = (term: Term, candles: CandleColumns): IndicatorValues =>
  term.series === undefined
    ? new Float64Array(candles.close.length).fill(term.constant ?? Number.NaN)
    : columnOf(term.series, candles)

export const keyOf = ({ series, constant }: Term): string => series?.key ?? String(constant)

export const combine = (
  a: Term,
  b: Term,
  name: string,
  apply: (a: number, b: number) => number,
  { dependence, isLiteral, type }: Pick<Term, "type" | "isLiteral" | "dependence">
): Term => {
  const shape = { dependence, isLiteral, type }
  if (a.constant !== undefined && b.constant !== undefined)
    return constantTerm(apply(a.constant, b.constant), shape.type, shape.isLiteral)
  const series = joint([a, b], (terms) => ({
    key: `(${terms.map(keyOf).join(` ${name} `)})`,
    column: (candles) => {
      const [left = empty, right = empty] = terms.map((term) => asColumn(term, candles))
      return left.map((value, index) => apply(value, right[index] ?? Number.NaN))
    }
  }))
  if (series !== undefined) return { ...shape, series, value: readerOf(series) }
  return { ...shape, ...movedBy([a, b]), ...jumps([a, b]), value: (moment) => apply(a.value(moment), b.value(moment)) }
}

export const isJumping = (term: Term): boolean => term.isJumping === true

/** True if neither a price nor the time moves its value between candles. */
export const isStill = (term: Term): boolean => term.dependence === "none" && !isJumping(term)

export const jumps = (terms: ReadonlyArray<Term>): Pick<Term, "isJumping"> =>
  terms.some(isJumping) ? { isJumping: true } : {}

const empty: IndicatorValues = new Float64Array(0)

export const movedBy = (terms: ReadonlyArray<Term>): Pick<Term, "moves"> => {
  const moves = new Set(terms.flatMap((term) => [...movesOf(term)]))
  return moves.size === 0 || (moves.size === 1 && moves.has(ownMarket)) ? {} : { moves }
}

const itself: ReadonlySet<string> = new Set([ownMarket])
const nothing: ReadonlySet<string> = new Set()

export const movesOf = ({ dependence, moves }: Term): ReadonlySet<string> =>
  dependence === "none" || dependence === "time" ? nothing : (moves ?? itself)

/**
 * A series of several terms, if they depend only on candles of one timeframe. Terms of several markets give a value for each candle of the
 * strategy's own market, or of the first market named. They use the other markets' candles of the same time.
 */
const joint = (
  terms: ReadonlyArray<Term>,
  make: (terms: ReadonlyArray<Term>) => Pick<Series, "key" | "column">
): Series | undefined => {
  const all = terms.flatMap(({ series }) => series ?? [])
  const [first] = all
  const isPure = terms.every(({ series, constant }) => series !== undefined || constant !== undefined)
  if (first === undefined || !isPure || all.some(({ timeframe }) => timeframe !== first.timeframe)) return undefined
  const market = all.some((each) => each.market === undefined) ? undefined : first.market
  const rebased = terms.map((term) =>
    term.series === undefined ? term : { ...term, series: onCandlesOf(market, term.series) }
  )
  const others = new Set(rebased.flatMap(({ series }) => series?.others ?? []))
  return {
    timeframe: first.timeframe,
    ...present({ market }),
    ...(others.size === 0 ? {} : { others: [...others] }),
    ...volumesIn(all),
    warmUp: Math.max(...all.map(({ warmUp }) => warmUp)),
    ...make(rebased)
  }
}

export const volumesIn = (frames: ReadonlyArray<Frame>): Pick<Frame, "volumesOf"> => {
  const volumesOf = new Set(frames.flatMap(({ volumesOf = [] }) => volumesOf))
  return volumesOf.size === 0 ? {} : { volumesOf: [...volumesOf] }
}

export const onCandlesOf = (market: string | undefined, series: Series): Series => {
  const { timeframe, market: from, volumesOf } = series
  if (from === market || from === undefined) return series
  const millis = timeframeMillis(timeframe) ?? 1
  return {
    timeframe,
    ...present({ market, volumesOf }),
    others: othersOf(series),
    warmUp: series.warmUp,
    key: `${from}: ${series.key}`,
    column: (candles) => {
      const other = candles.elsewhere?.get(from)
      if (other === undefined) return candles.close.map(() => Number.NaN)
      const values = columnOf(series, other)
      const ahead = Math.round(((candles.startMillis ?? 0) - (other.startMillis ?? 0)) / millis)
      return candles.close.map((_, index) => values[index + ahead] ?? Number.NaN)
    }
  }
}

export const seriesFrom = (
  terms: ReadonlyArray<Term>,
  name: string,
  apply: (values: ReadonlyArray<number>) => number
): Series | undefined =>
  joint(terms, (rebased) => ({
    key: `${name}(${rebased.map(keyOf).join(", ")})`,
    column: (candles) => {
      const parts = rebased.map((term) => asColumn(term, candles))
      return candles.close.map((_, index) => apply(parts.map((part) => part[index] ?? Number.NaN)))
    }
  }))
