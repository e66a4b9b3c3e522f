/**
 * A distance, such as a spread: a fixed ratio of the price, or one that follows volatility: the average true range, or the standard deviation
 * of the closes, as a share of the last close, times a factor, within `min` and `max`. Also the model of quotes by Avellaneda and Stoikov.
 */
import * as Decimal from "../../domain/Decimal.ts"
import { frameEnd, frameStart, timeframeMillis } from "../../domain/Timeframe.ts"
import { columnOf, type Series } from "../expression/Term.ts"
import * as Read from "../Fields.ts"
import * as Indicators from "../Indicators.ts"
import { type Report, report } from "../Problem.ts"
import type { View } from "../View.ts"
import { valueIn, type YamlNode } from "../YamlReader.ts"

const longest = 1_000
/** Decimal places of a ratio. Less than a millionth does not change a price noticeably. */
const places = 6

/**
 * Quotes by the model of M. Avellaneda and S. Stoikov, "High-frequency trading in a limit order book", Quantitative Finance 8 (2008). The
 * maker quotes around the reservation price r = s − q γ σ² (T − t), and the distance from bid to ask is γ σ² (T − t) + (2/γ) ln(1 + γ/κ).
 * Here s is the mid, q the inventory in orders, γ the aversion to risk, σ² the variance of the price per candle, and T − t the candles
 * until the horizon ends. κ says how fast the intensity of fills A e^(−κδ) falls with the distance δ from the mid.
 *
 * All prices are shares of the mid. σ² is the mean square of the changes from close to close. κ is fitted by maximum likelihood: it is the
 * reciprocal of the mean distance that candles went beyond the close before them, up and down. The horizon restarts at each of its
 * multiples since 1970 in UTC.
 */
const modelKeys = {
  of: Read.required(Read.oneOf("avellaneda-stoikov"), "the model of Avellaneda and Stoikov"),
  length: Read.required(Read.integer(10, longest), "number of candles to which volatility and intensity are fitted"),
  timeframe: Read.required(Read.timeframe, "of the candles"),
  riskAversion: Read.required(Read.factor, "a larger one quotes wider and gets rid of inventory sooner"),
  horizon: Read.required(Read.duration, "after which the inventory should be gone"),
  min: Read.required(Read.ratio, "narrowest spread"),
  max: Read.required(Read.ratio, "widest spread")
}

type Model = Read.SettingsOf<typeof modelKeys>

const model = Read.checked(modelKeys, (model, at, to): Model | undefined => {
  if (Decimal.isGreater(model.min, model.max)) return report(to, at("min"), "min is above max")
  if (model.horizon < (timeframeMillis(model.timeframe) ?? 0))
    return report(to, at("horizon"), "the horizon is shorter than one candle")
  return model
})

export interface Quotes {
  readonly spread: Decimal.Decimal
  /** γ σ² (T − t): how far the reservation price is below the mid for each order bought on balance, as a ratio. */
  readonly lean: Decimal.Decimal
}

const fitted = ({ high, low, close }: Indicators.CandleColumns, end: number, length: number) => {
  let [squares, beyond] = [0, 0]
  for (let index = end - length; index < end; index++) {
    const before = close[index - 1] ?? Number.NaN
    squares += ((close[index] ?? Number.NaN) / before - 1) ** 2
    beyond +=
      Math.max(0, (high[index] ?? Number.NaN) / before - 1) + Math.max(0, 1 - (low[index] ?? Number.NaN) / before)
  }
  return { variance: squares / length, decay: (2 * length) / beyond }
}

const candlesLeft = ({ timeframe, horizon: horizonMillis }: Model, now: number): number => {
  const millis = timeframeMillis(timeframe) ?? 1
  const openedAt = frameStart(now, millis)
  return Math.max(1, (frameEnd(now, horizonMillis) - openedAt) / millis)
}

export const changesAt = ({ horizon: horizonMillis, timeframe }: Model, now: number): number =>
  Math.min(frameEnd(now, timeframeMillis(timeframe) ?? 1), frameEnd(now, horizonMillis))

export const warmUp = ({ length }: Model): number => length + 1

/** `undefined` with too few candles. Candles that never moved give the narrowest spread and no lean. */
export const quotesAt = (model: Model, view: View): Quotes | undefined => {
  const candles = view.candles?.get(model.timeframe)
  if (candles === undefined || candles.closed < warmUp(model)) return undefined
  const { variance, decay } = fitted(candles.columns, candles.closed, model.length)
  if (Number.isNaN(variance + decay)) return undefined
  const { riskAversion: aversion } = model
  const lean = aversion * variance * candlesLeft(model, view.now)
  const spread = lean + (2 / aversion) * Math.log(1 + aversion / decay)
  return { spread: Decimal.max(model.min, Decimal.min(model.max, rounded(spread))), lean: rounded(lean) }
}

const rounded = (value: number): Decimal.Decimal => Decimal.upFromNumber(value, places)

export interface Distance {
  readonly widest: Decimal.Decimal
  readonly follows?: {
    readonly series: Series
    readonly factor: number
    readonly least: Decimal.Decimal
  }
}

export interface Spread extends Distance {
  readonly model?: Model
}

const keys = {
  of: Read.required(Read.oneOf("atr", "stdev"), "average true range, or standard deviation of the closes"),
  length: Read.required(Read.integer(2, longest), "number of candles"),
  timeframe: Read.required(Read.timeframe, "of the candles"),
  factor: Read.required(Read.factor, "multiple of that share of the price"),
  min: Read.required(Read.ratio, "narrowest"),
  max: Read.required(Read.ratio, "widest")
}

const volatile = Read.checked(keys, ({ of, length, timeframe, factor, min, max }, at, to): Distance | undefined => {
  if (Decimal.isGreater(min, max)) return report(to, at("min"), "min is above max")
  return { widest: max, follows: { series: seriesOf(of, length, timeframe), factor, least: min } }
})

const seriesOf = (of: "atr" | "stdev", length: number, timeframe: string): Series =>
  of === "atr"
    ? {
        timeframe,
        warmUp: Indicators.warmUp.wilder(length),
        key: `atr(${length})`,
        column: (candles) => Indicators.atr(candles, length)
      }
    : {
        timeframe,
        warmUp: Indicators.warmUp.window(length),
        key: `stdev(close, ${length})`,
        column: ({ close }) => Indicators.stdev(close, length)
      }

const fixedDistance = Read.mapped(Read.ratio, (widest) => ({ widest }))
export const distance: Read.Reader<Distance> = Read.either(fixedDistance, volatile, Read.isMap)

export const spread: Read.Reader<Spread> = Read.described(
  (node: YamlNode, to: Report): Spread | undefined => {
    const of = valueIn(node, "of")
    if (of?.type !== "scalar" || of.text !== "avellaneda-stoikov") return distance(node, to)
    const settings = model(node, to)
    return settings === undefined ? undefined : { widest: settings.max, model: settings }
  },
  () => ({ anyOf: [Read.schemaOf(Read.ratio), Read.schemaOf(volatile), Read.schemaOf(model)] })
)

export const distanceAt = ({ widest, follows }: Distance, view: View): Decimal.Decimal | undefined => {
  if (follows === undefined) return widest
  const { series, factor, least } = follows
  const frame = view.candles?.get(series.timeframe)
  if (frame === undefined || frame.closed === 0) return undefined
  const last = frame.closed - 1
  const share = ((columnOf(series, frame.columns)[last] ?? Number.NaN) / (frame.columns.close[last] ?? 0)) * factor
  if (!Number.isFinite(share)) return undefined
  return Decimal.max(least, Decimal.min(widest, rounded(share)))
}
