/**
 * Names for what an expression may use besides prices, candles and the strategy's own trading.
 *
 * - The clock (UTC): hour and minute of the day, day of the week (1 is Monday) and of the month. A value that follows only from closed
 *   candles uses the time at which each candle ends; a live run evaluates the rules right after that.
 * - `depth(0.5 BTC)`: what an immediate order of that size would give away against the middle of the market, as a ratio. Only the
 *   quantities that files name are known, because each has to be quoted. In a backtest it is zero.
 * - `signal("trend", 2h)`: the last value of that name, while it is younger than two hours. Without a value, or with an older one, a
 *   condition on it cannot be decided: a silent sender means neither yes nor no.
 */
import { DateTime } from "effect"
import { fromDecimal } from "../../../domain/Amount.ts"
import { impactOf } from "../../../domain/Book.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { dayMillis, hourMillis, minuteMillis } from "../../../domain/Durations.ts"
import { nameRule, signalName } from "../../../domain/Signal.ts"
import { timeframeMillis } from "../../../domain/Timeframe.ts"
import type { Span } from "../../Problem.ts"
import type { Expression } from "../Grammar.ts"
import type { Range } from "../Never.ts"
import { scales } from "../Operators.ts"
import type { Compiling } from "../Scope.ts"
import { type Series, seriesTerm, stillTerm, type Term } from "../Term.ts"

interface Clock {
  /** Milliseconds, counted from midnight, for which the value stays the same. */
  readonly everyMillis: number
  readonly range: Range
  readonly value: (now: number) => number
}

export const clocks: ReadonlyMap<string, Clock> = new Map([
  ["hour", { everyMillis: hourMillis, range: [0, 23], value: (now) => Math.floor(now / hourMillis) % 24 }],
  ["minute", { everyMillis: minuteMillis, range: [0, 59], value: (now) => Math.floor(now / minuteMillis) % 60 }],
  // 1 January 1970 was a Thursday.
  ["weekday", { everyMillis: dayMillis, range: [1, 7], value: (now) => ((Math.floor(now / dayMillis) + 3) % 7) + 1 }],
  [
    "monthday",
    {
      everyMillis: dayMillis,
      range: [1, 31],
      value: (now) => (Number.isNaN(now) ? now : DateTime.getPartUtc(DateTime.makeUnsafe(now), "day"))
    }
  ]
])

/**
 * The clock now. The values of slower clocks change only when those of faster clocks do. Within a state, the clock at the end of each
 * candle; `NaN` if the time of the first candle is unknown.
 */
export const clockNamed = (name: string, { needs, state, timeframe }: Compiling): Term | undefined => {
  const clock = clocks.get(name)
  if (clock === undefined) return undefined
  const { everyMillis, range, value } = clock
  if (state !== undefined) {
    const millis = timeframeMillis(timeframe) ?? Number.NaN
    const column: Series["column"] = ({ close, startMillis = Number.NaN }) =>
      close.map((_, index) => value(startMillis + (index + 1) * millis))
    return { ...seriesTerm({ timeframe, warmUp: 1, key: name, column }, "number"), range }
  }
  needs.clockMillis = Math.min(everyMillis, needs.clockMillis ?? everyMillis)
  const clockTerm = stillTerm("number", ({ now, found: { consulted } }) => {
    if (consulted.clockMillis === 0 || everyMillis < consulted.clockMillis) consulted.clockMillis = everyMillis
    return value(now)
  })
  return { ...clockTerm, range }
}

export const depthCalled = (
  [size, ...others]: ReadonlyArray<Expression>,
  at: Span,
  { market: { base }, needs, wrong }: Compiling
): Term | undefined => {
  const isAlone = others.length === 0
  const value = isAlone && size?.type === "number" && ["", base.symbol].includes(size.unit) ? size.value : 0
  const quantity = fromDecimal(Decimal.fromNumber(value), base.decimals)
  if (quantity === undefined || quantity <= 0n)
    return wrong(at, "depth takes an amount of base, written out", `depth(0.5 ${base.symbol})`)
  needs.depth.add(quantity)
  return stillTerm("ratio", ({ depth, found }) => {
    found.consulted.depth = true
    const impact = depth === undefined ? undefined : impactOf(depth, quantity)
    if (impact === undefined) found.lacking.add(`depth(${value} ${base.symbol})`)
    return impact === undefined ? Number.NaN : Decimal.toNumber(impact)
  })
}

const prefix = "a fresh signal "
export const isSignal = (lacking: string): boolean => lacking.startsWith(prefix)

export const signalCalled = (
  [signal, age, ...others]: ReadonlyArray<Expression>,
  at: Span,
  { needs, wrong }: Compiling
): Term | undefined => {
  const refused = () => {
    const hint = `signal("trend", 2h); a name has ${nameRule}`
    return wrong(at, "signal takes a name in quotes and how old its value may be", hint)
  }
  if (signal?.type !== "market" || age?.type !== "number" || others.length > 0) return refused()
  const { name } = signal
  const [type, scale = 0] = scales.get(age.unit) ?? []
  const ageMillis = age.value * scale
  if (type !== "duration" || ageMillis <= 0 || !signalName.test(name)) return refused()
  needs.signals.set(name, Math.min(ageMillis, needs.signals.get(name) ?? ageMillis))
  return {
    type: "number",
    // A chart's level is a price, a forecast is a ratio: the comparison decides the type.
    isLiteral: true,
    dependence: "none",
    value: ({ signals, now, found }) => {
      found.consulted.signals = true
      const lastSignal = signals?.get(name)
      if (lastSignal === undefined || now >= lastSignal.at + ageMillis) {
        found.lacking.add(`${prefix}"${name}" (none within ${age.value}${age.unit})`)
        return Number.NaN
      }
      found.times.push(Math.ceil(lastSignal.at + ageMillis))
      return lastSignal.value
    }
  }
}
