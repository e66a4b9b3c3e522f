/** The functions of the expression language: their arguments, their types, and how much history each needs. */
import type { Asset } from "../../domain/Amount.ts"
import { present } from "../../domain/Present.ts"
import { isTimeframe } from "../Fields.ts"
import type { CandleColumns, IndicatorValues } from "../Indicators.ts"
import * as Indicators from "../Indicators.ts"
import type { Sound } from "../Problem.ts"
import { noteCrossing } from "./Crossing.ts"
import type { Expression } from "./Grammar.ts"
import { notNegative, type Range } from "./Never.ts"
import { described } from "./Operators.ts"
import type { Compiling } from "./Scope.ts"
import {
  columnOf,
  combine,
  constantTerm,
  type Frame,
  frameOf,
  isStill,
  type Moment,
  onCandlesOf,
  ownMarket,
  readerOf,
  type Series,
  seriesTerm,
  stillTerm,
  type Term,
  type ValueType,
  volumesIn
} from "./Term.ts"

type Parameter = "condition" | "series" | "length" | "number" | "value" | "market?" | "timeframe?"

export interface CandlesNamed extends Frame {
  readonly base: Asset
  readonly priceType: ValueType
}

export const shifted = (term: Term & { readonly series: Series }, back: number): Term => {
  const { series, range } = term
  const column = (candles: CandleColumns): IndicatorValues => {
    const values = columnOf(series, candles)
    return values.map((_, index) => (index < back ? Number.NaN : (values[index - back] ?? Number.NaN)))
  }
  const past = { ...frameOf(series), warmUp: series.warmUp + back, key: `${series.key}[${back}]`, column }
  return { ...seriesTerm(past, term.type), ...present({ range }) }
}

/** Looks back over the number of candles in the file, so a bot that has just started sees the same as a long backtest. */
type LookBack = (since: number, count: number, index: number, candles: CandleColumns) => number

const windows = (
  name: string,
  condition: Series,
  length: number,
  look: LookBack,
  type: ValueType,
  other: Series = condition
): Term => {
  const column = (candles: CandleColumns): IndicatorValues => {
    const truth = columnOf(condition, candles)
    let [last, undefinedUntil, count] = [Number.NEGATIVE_INFINITY, 0, 0]
    return truth.map((value, index) => {
      if (Number.isNaN(value)) undefinedUntil = index + length
      if (value > 0) last = index
      count += value > 0 ? 1 : 0
      if ((truth[index - length] ?? 0) > 0) count -= 1
      if (index < undefinedUntil || index + 1 < length) return Number.NaN
      const since = index - last
      return look(since < length ? since : Number.POSITIVE_INFINITY, count, index, candles)
    })
  }
  const warmUp = Math.max(condition.warmUp, other.warmUp) + length - 1
  const key = `${name}(${condition.key}, ${other.key}, ${length})`
  const others = [...(condition.others ?? []), ...(other.others ?? [])]
  const frame = { ...frameOf(condition), ...(others.length === 0 ? {} : { others }), ...volumesIn([condition, other]) }
  return seriesTerm({ ...frame, warmUp, key, column }, type)
}

export interface FunctionOf {
  readonly parameters: ReadonlyArray<Parameter>
  readonly usage: string
  readonly make: (given: { readonly terms: ReadonlyArray<Term>; readonly candles: CandlesNamed }) => Term
}

export const longestLength = 5_000

export const candleNames = ["open", "high", "low", "close", "volume"] as const

export const candle = (name: (typeof candleNames)[number], { priceType, base, ...frame }: CandlesNamed): Term => {
  const column = (candles: CandleColumns) => candles[name]
  const series = { ...frame, warmUp: 1, key: name, column }
  if (name === "volume")
    return { ...seriesTerm({ ...series, ...ownVolume(frame) }, `amount of ${base.symbol}`), range: notNegative }
  return { ...seriesTerm(series, priceType), range: notNegative, isPositive: true }
}

const ownVolume = ({ market = ownMarket }: Frame) => ({ volumesOf: [market] })

const constants = (terms: ReadonlyArray<Term>): ReadonlyArray<number> =>
  terms.map(({ constant }) => constant ?? Number.NaN)

const functionNamed = (name: string, of: FunctionOf) => [name, of] as const

interface Shape {
  /** Missing: as the series, or a price. */
  readonly type?: ValueType
  readonly range?: Range
}

const ofSeries = (
  name: string,
  compute: (values: IndicatorValues, ...lengths: ReadonlyArray<number>) => IndicatorValues,
  {
    lengths = ["length"],
    range,
    type,
    warmUp = Indicators.warmUp.window
  }: Shape & {
    readonly lengths?: ReadonlyArray<string>
    readonly warmUp?: (...lengths: ReadonlyArray<number>) => number
  } = {}
) =>
  functionNamed(name, {
    parameters: ["series", ...lengths.map((each): Parameter => (each === "deviations" ? "number" : "length"))],
    usage: `${name}(series, ${lengths.join(", ")})`,
    make: ({ terms: [first, ...others] }) => {
      const numbers = constants(others)
      const inner = first?.series
      if (inner === undefined) return seriesTerm(nothing, "number")
      const series: Series = {
        ...frameOf(inner),
        warmUp: inner.warmUp - 1 + warmUp(...numbers),
        key: `${name}(${inner.key}, ${numbers.join(", ")})`,
        column: (candles) => compute(columnOf(inner, candles), ...numbers)
      }
      return { ...seriesTerm(series, type ?? first?.type ?? "number"), ...present({ range }) }
    }
  })

const nothing: Series = {
  timeframe: "1m",
  warmUp: 1,
  key: "nothing",
  column: ({ close }) => close.map(() => Number.NaN)
}

const ofCandles = (
  name: string,
  warmUp: (length: number) => number,
  compute: (candles: CandleColumns, length: number, factor: number) => IndicatorValues,
  { type, range, looksAt, hasFactor }: Shape & { readonly looksAt?: typeof ownVolume; readonly hasFactor?: true } = {}
) => {
  const lengths = hasFactor === true ? "length, factor" : "length"
  return functionNamed(name, {
    parameters: ["length", ...(hasFactor === true ? ["number" as const] : []), "market?", "timeframe?"],
    usage: `${name}(${lengths}) or ${name}(${lengths}, 4h)`,
    make: ({ terms, candles: { priceType, base: _, ...frame } }) => {
      const numbers = constants(terms)
      const [length = 1, factor = 1] = numbers
      const key = `${name}(${numbers.join(", ")})`
      const column = (candles: CandleColumns) => compute(candles, length, factor)
      const series = { ...frame, ...looksAt?.(frame), warmUp: warmUp(length), key, column }
      return { ...seriesTerm(series, type ?? priceType), ...present({ range }) }
    }
  })
}

const ofCondition = (name: string, make: (condition: Series, length: number) => Term) =>
  functionNamed(name, {
    parameters: ["condition", "length"],
    usage: `${name}(condition, length)`,
    make: ({ terms: [condition, length] }) => make(condition?.series ?? nothing, length?.constant ?? 1)
  })

const valueWhen = functionNamed("valuewhen", {
  parameters: ["condition", "series", "length"],
  usage: "valuewhen(condition, series, length)",
  make: ({ terms: [condition, value, length] }) => {
    const [held = nothing, valued = nothing] = [condition?.series, value?.series]
    const market = held.market === undefined || valued.market === undefined ? undefined : held.market
    const [conditions, values] = [onCandlesOf(market, held), onCandlesOf(market, valued)]
    const look: LookBack = (since, _, index, candles) =>
      Number.isFinite(since) ? (columnOf(values, candles)[index - since] ?? Number.NaN) : Number.NaN
    return windows("valuewhen", conditions, length?.constant ?? 1, look, value?.type ?? "number", values)
  }
})

const bands = (name: string, sign: 1 | -1) =>
  ofSeries(
    name,
    (values, length = 1, deviations = 0) =>
      Indicators.band(Indicators.sma(values, length), Indicators.stdev(values, length), sign * deviations),
    { lengths: ["length", "deviations"] }
  )

type IsAcross = (before: number, after: number) => boolean

const across = (before: number, after: number, isAcross: IsAcross): number =>
  Number.isNaN(before) || Number.isNaN(after) ? Number.NaN : isAcross(before, after) ? 1 : 0

const crossings = (name: string, isAcross: IsAcross, first: Term, second: Term): Series | undefined => {
  const gaps = combine(first, second, name, (a, b) => a - b, { type: "number", isLiteral: false, dependence: "none" })
  const { series } = gaps
  if (series === undefined) return undefined
  const column = (candles: CandleColumns): IndicatorValues => {
    const values = columnOf(series, candles)
    return values.map((gap, index) => across(values[index - 1] ?? Number.NaN, gap, isAcross))
  }
  return { ...series, warmUp: series.warmUp + 1, key: `${series.key} crosses`, column }
}

/** Compares the two sides, and notes the bounds as a comparison does. */
const gapAt = (first: Term, second: Term, moment: Moment): number => {
  const gap = first.value(moment) - second.value(moment)
  if (!Number.isNaN(gap)) noteCrossing(first, second, moment)
  return gap
}

/**
 * Compares just before and after the last close of all candles that the sides use. A value that is not of candles, such
 * as the entry, is a level: its present value counts for both.
 */
const acrossAt = (first: Term, second: Term, isAcross: IsAcross, moment: Moment): number => {
  const { found } = moment
  // As in a comparison: only its own sides decide whether it is undefined.
  const isOuterUndefined = found.isUndefined
  found.isUndefined = false
  const rewind = { lastClose: Number.NEGATIVE_INFINITY, isBefore: false }
  const rewound = { ...moment, rewind }
  const after = gapAt(first, second, rewound)
  rewind.isBefore = true
  const value = across(gapAt(first, second, rewound), after, isAcross)
  const isUndefined = Number.isNaN(value) && found.isUndefined
  found.isUndefined = isOuterUndefined
  return isUndefined ? 0 : value
}

const crossing = (name: string, isAcross: IsAcross) =>
  functionNamed(name, {
    parameters: ["series", "value"],
    usage: `${name}(series, a series or number or level)`,
    make: ({ terms: [first = constantTerm(Number.NaN, "number", true), second = first] }) => {
      const series = crossings(name, isAcross, first, second)
      const reader = series === undefined ? undefined : readerOf(series)
      return {
        ...present({ series }),
        ...stillTerm("boolean", (moment) => {
          const value = reader?.(moment) ?? acrossAt(first, second, isAcross, moment)
          if (Number.isNaN(value)) moment.found.isCold = true
          return value > 0 ? 1 : 0
        }),
        ...(isStill(second) ? {} : ({ isJumping: true } as const))
      }
    }
  })

const shapeOf = (terms: ReadonlyArray<Term>, type: ValueType): Pick<Term, "type" | "isLiteral" | "dependence"> => ({
  type,
  isLiteral: terms.every(({ isLiteral }) => isLiteral),
  dependence: terms.every(({ dependence }) => dependence === "none") ? "none" : "other"
})

const pair = (name: string, apply: (a: number, b: number) => number) =>
  functionNamed(name, {
    parameters: ["value", "value"],
    usage: `${name}(a, b)`,
    make: ({ terms: [first, second] }) => {
      if (first === undefined || second === undefined) return seriesTerm(nothing, "number")
      return combine(first, second, name, apply, shapeOf([first, second], first.isLiteral ? second.type : first.type))
    }
  })

/** Without a type, the result has the type of its argument. */
const pure = (name: string, apply: (value: number) => number, type?: ValueType) =>
  functionNamed(name, {
    parameters: ["value"],
    usage: `${name}(a)`,
    make: ({ terms: [term = constantTerm(Number.NaN, "number", true)] }) =>
      combine(term, term, name, apply, shapeOf([term], type ?? term.type))
  })

const clamp = functionNamed("clamp", {
  parameters: ["value", "value", "value"],
  usage: "clamp(a, lowest, highest)",
  make: ({ terms: [term = constantTerm(Number.NaN, "number", true), low = term, high = term] }) => {
    const shape = { ...shapeOf([term, low, high], term.isLiteral ? low.type : term.type), isLiteral: false }
    return combine(combine(term, low, "max", Math.max, shape), high, "min", Math.min, shape)
  }
})

export const areAlike = (
  terms: ReadonlyArray<Term>,
  parameters: ReadonlyArray<string>,
  given: ReadonlyArray<Expression>,
  usage: string,
  { wrong }: Compiling
): Sound => {
  const first = terms[0]
  const other = terms.findIndex((term, index) => {
    const fits = first === undefined || term.type === first.type || term.isLiteral || first.isLiteral
    return parameters[index] === "value" && !fits
  })
  const [tree, term] = [given[other], terms[other]]
  if (first === undefined || tree === undefined || term === undefined) return true
  return wrong(tree, `expected ${described(first.type)}, found ${described(term.type)}`, usage)
}

export const timeframeOf = (tree: Expression | undefined): string | undefined =>
  tree?.type === "number" && isTimeframe(`${tree.value}${tree.unit}`) ? `${tree.value}${tree.unit}` : undefined

const percentage = { type: "number", range: [0, 100] } as const

export const functions: ReadonlyMap<string, FunctionOf> = new Map([
  ofSeries("sma", Indicators.sma),
  ofSeries("wma", Indicators.wma),
  ofSeries("linreg", Indicators.linreg),
  ofSeries("ema", Indicators.ema, { warmUp: Indicators.warmUp.ema }),
  ofSeries("rsi", Indicators.rsi, { ...percentage, warmUp: Indicators.warmUp.wilder }),
  ofSeries("stdev", Indicators.stdev),
  ofSeries("highest", Indicators.highest),
  ofSeries("lowest", Indicators.lowest),
  ofSeries("change", Indicators.change, { type: "ratio", warmUp: (length) => length + 1 }),
  ofSeries("macd", Indicators.macd, {
    lengths: ["fast", "slow"],
    warmUp: (...lengths) => Indicators.warmUp.ema(Math.max(...lengths))
  }),
  bands("bollingerUpper", 1),
  bands("bollingerLower", -1),
  ofCandles("atr", Indicators.warmUp.wilder, Indicators.atr),
  ofCandles("vwap", (length) => length, Indicators.vwap, { looksAt: ownVolume }),
  ofCandles("adx", Indicators.warmUp.adx, Indicators.adx, percentage),
  ofCandles("diPlus", Indicators.warmUp.wilder, Indicators.directionUp, percentage),
  ofCandles("diMinus", Indicators.warmUp.wilder, Indicators.directionDown, percentage),
  ofCandles("supertrend", Indicators.warmUp.supertrend, Indicators.supertrend, { hasFactor: true }),
  ofCandles("keltnerUpper", Indicators.warmUp.keltner, Indicators.keltnerUpper, { hasFactor: true }),
  ofCandles("keltnerLower", Indicators.warmUp.keltner, Indicators.keltnerLower, { hasFactor: true }),
  ofCondition("count", (condition, length) => ({
    ...windows("count", condition, length, (_, count) => count, "number"),
    range: [0, length]
  })),
  ofCondition("barssince", (condition, length) => windows("barssince", condition, length, (since) => since, "number")),
  valueWhen,
  crossing("crossover", (before, after) => before <= 0 && after > 0),
  crossing("crossunder", (before, after) => before >= 0 && after < 0),
  pair("min", Math.min),
  pair("max", Math.max),
  pair("round", (value, step) => Math.round(value / step) * step),
  pure("abs", Math.abs),
  pure("exp", Math.exp, "number"),
  pure("log", Math.log, "number"),
  pure("sqrt", Math.sqrt, "number"),
  clamp
])
