/** The functions of the expression language: their arguments, types, and how much history each needs. */

import { present } from "../../domain/Present.ts"
import type { CandleColumns, Column } from "../Indicators.ts"
import * as Indicators from "../Indicators.ts"
import type { Range } from "./Never.ts"
import {
  columnOf,
  combine,
  constantTerm,
  type Moment,
  type Series,
  seriesTerm,
  type Term,
  type ValueType,
  valueOf
} from "./Term.ts"

/** What an argument must be. `length`: a whole number of candles, written out. */
type Parameter = "series" | "length" | "number" | "value" | "timeframe?"

export interface Given {
  readonly terms: ReadonlyArray<Term>
  readonly defaultTimeframe: string
  /** Timeframe that was given as the last argument. */
  readonly timeframe: string | undefined
}

export interface FunctionOf {
  readonly parameters: ReadonlyArray<Parameter>
  readonly usage: string
  readonly make: (given: Given) => Term
}

export const longestLength = 5_000

const constants = (terms: ReadonlyArray<Term>): ReadonlyArray<number> =>
  terms.map(({ constant }) => constant ?? Number.NaN)

/** An indicator of a series and lengths, with the series' own type unless said otherwise. */
const ofSeries = (
  name: string,
  lengths: ReadonlyArray<string>,
  warmUp: (lengths: ReadonlyArray<number>) => number,
  compute: (values: Column, lengths: ReadonlyArray<number>) => Column,
  type?: ValueType,
  range?: Range
): readonly [string, FunctionOf] => [
  name,
  {
    parameters: ["series", ...lengths.map((): Parameter => "length")],
    usage: `${name}(series, ${lengths.join(", ")})`,
    make: ({ terms: [first, ...others] }) => {
      const numbers = constants(others)
      const inner = first?.series
      if (inner === undefined) return seriesTerm(nothing, "number")
      const series: Series = {
        timeframe: inner.timeframe,
        warmUp: inner.warmUp - 1 + warmUp(numbers),
        key: `${name}(${inner.key}, ${numbers.join(", ")})`,
        column: (candles) => compute(columnOf(inner, candles), numbers)
      }
      return { ...seriesTerm(series, type ?? first?.type ?? "number"), ...present({ range }) }
    }
  }
]

/** Stands in where the arguments were wrong, which is reported. */
const nothing: Series = {
  timeframe: "1m",
  warmUp: 1,
  key: "nothing",
  column: ({ close }) => close.map(() => Number.NaN)
}

/** An indicator of whole candles. */
const ofCandles = (
  name: string,
  warmUp: (length: number) => number,
  compute: (candles: CandleColumns, length: number) => Column
): readonly [string, FunctionOf] => [
  name,
  {
    parameters: ["length", "timeframe?"],
    usage: `${name}(length) or ${name}(length, 4h)`,
    make: ({ terms, timeframe, defaultTimeframe }) => {
      const [length = 1] = constants(terms)
      const key = `${name}(${length})`
      const column = (candles: CandleColumns) => compute(candles, length)
      return seriesTerm({ timeframe: timeframe ?? defaultTimeframe, warmUp: warmUp(length), key, column }, "price")
    }
  }
]

const bands = (name: string, sign: 1 | -1): readonly [string, FunctionOf] => [
  name,
  {
    parameters: ["series", "length", "number"],
    usage: `${name}(series, length, deviations)`,
    make: ({ terms: [first, ...others] }) => {
      const [length = 1, deviations = 0] = constants(others)
      const inner = first?.series ?? nothing
      const column = (candles: CandleColumns) => {
        const values = columnOf(inner, candles)
        const means = Indicators.sma(values, length)
        return Indicators.band(means, Indicators.stdev(values, length), sign * deviations)
      }
      const key = `${name}(${inner.key}, ${length}, ${deviations})`
      return seriesTerm(
        { timeframe: inner.timeframe, warmUp: inner.warmUp - 1 + length, key, column },
        first?.type ?? "number"
      )
    }
  }
]

/** True in the candle that brings the first series to the other side of the second. */
const crossing = (
  name: string,
  isAcross: (before: number, after: number) => boolean
): readonly [string, FunctionOf] => [
  name,
  {
    parameters: ["series", "value"],
    usage: `${name}(series, series or number)`,
    make: ({ terms: [first, second] }) => {
      const at = (term: Term | undefined, moment: Moment, back: number) =>
        term?.series === undefined ? (term?.constant ?? Number.NaN) : valueOf(term.series, moment, back)
      const gap = (moment: Moment, back: number) => at(first, moment, back) - at(second, moment, back)
      return {
        type: "boolean",
        isLiteral: false,
        dependence: "none",
        value: (moment) => {
          const [before, after] = [gap(moment, 1), gap(moment, 0)]
          if (Number.isNaN(before) || Number.isNaN(after)) moment.found.isCold = true
          return isAcross(before, after) ? 1 : 0
        }
      }
    }
  }
]

const pair = (name: string, apply: (a: number, b: number) => number): readonly [string, FunctionOf] => [
  name,
  {
    parameters: ["value", "value"],
    usage: `${name}(a, b)`,
    make: ({ terms: [first, second] }) => {
      if (first === undefined || second === undefined) return seriesTerm(nothing, "number")
      const isLiteral = first.isLiteral && second.isLiteral
      const dependence = first.dependence === "none" && second.dependence === "none" ? "none" : "other"
      return combine(first, second, name, apply, {
        type: first.isLiteral ? second.type : first.type,
        isLiteral,
        dependence
      })
    }
  }
]

const absolute: readonly [string, FunctionOf] = [
  "abs",
  {
    parameters: ["value"],
    usage: "abs(a)",
    make: ({ terms: [term = constantTerm(Number.NaN, "number", true)] }) =>
      combine(term, term, "abs", Math.abs, { ...term, dependence: term.dependence === "none" ? "none" : "other" })
  }
]

const clamp: readonly [string, FunctionOf] = [
  "clamp",
  {
    parameters: ["value", "value", "value"],
    usage: "clamp(a, lowest, highest)",
    make: ({ terms: [term = constantTerm(Number.NaN, "number", true), low = term, high = term] }) => {
      const isFixed = [term, low, high].every(({ dependence }) => dependence === "none")
      const shape = {
        type: term.isLiteral ? low.type : term.type,
        isLiteral: false,
        dependence: isFixed ? "none" : "other"
      } as const
      return combine(combine(term, low, "max", Math.max, shape), high, "min", Math.min, shape)
    }
  }
]

export const functions: ReadonlyMap<string, FunctionOf> = new Map([
  ofSeries(
    "sma",
    ["length"],
    ([n = 1]) => n,
    (values, [n = 1]) => Indicators.sma(values, n)
  ),
  ofSeries(
    "ema",
    ["length"],
    ([n = 1]) => Indicators.warmUp.ema(n),
    (values, [n = 1]) => Indicators.ema(values, n)
  ),
  ofSeries(
    "rsi",
    ["length"],
    ([n = 1]) => Indicators.warmUp.wilder(n),
    (values, [n = 1]) => Indicators.rsi(values, n),
    "number",
    [0, 100]
  ),
  ofSeries(
    "stdev",
    ["length"],
    ([n = 1]) => n,
    (values, [n = 1]) => Indicators.stdev(values, n)
  ),
  ofSeries(
    "highest",
    ["length"],
    ([n = 1]) => n,
    (values, [n = 1]) => Indicators.highest(values, n)
  ),
  ofSeries(
    "lowest",
    ["length"],
    ([n = 1]) => n,
    (values, [n = 1]) => Indicators.lowest(values, n)
  ),
  ofSeries(
    "change",
    ["length"],
    ([n = 1]) => n + 1,
    (values, [n = 1]) => Indicators.change(values, n),
    "ratio"
  ),
  ofSeries(
    "macd",
    ["fast", "slow"],
    ([fast = 1, slow = 1]) => Indicators.warmUp.ema(Math.max(fast, slow)),
    (values, [fast = 1, slow = 1]) => Indicators.macd(values, fast, slow)
  ),
  bands("bollingerUpper", 1),
  bands("bollingerLower", -1),
  ofCandles("atr", Indicators.warmUp.wilder, Indicators.atr),
  ofCandles("vwap", (length) => length, Indicators.vwap),
  crossing("crossover", (before, after) => before <= 0 && after > 0),
  crossing("crossunder", (before, after) => before >= 0 && after < 0),
  pair("min", Math.min),
  pair("max", Math.max),
  pair("round", (value, step) => Math.round(value / step) * step),
  absolute,
  clamp
])
