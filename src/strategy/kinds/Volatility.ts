/**
 * A distance, such as a spread: a fixed ratio of the price, or one that follows volatility. The latter is the average true range, or the
 * standard deviation of the closes, as a share of the last close, times a factor, and limited by `min` and `max`.
 */
import * as Decimal from "../../domain/Decimal.ts"
import { columnOf, type Series } from "../expression/Term.ts"
import * as Read from "../Fields.ts"
import * as Indicators from "../Indicators.ts"
import { described, schemaOf } from "../JsonSchema.ts"
import { type Report, report } from "../Problem.ts"
import type { View } from "../View.ts"
import { valueIn, type YamlNode } from "../YamlReader.ts"
import { type Model, model } from "./AvellanedaStoikov.ts"

const longest = 1_000
/** Decimal places of a ratio. Less than a millionth does not change a price noticeably. */
const places = 6

export interface Distance {
  readonly widest: Decimal.Decimal
  readonly follows?: {
    readonly series: Series
    readonly factor: number
    readonly least: Decimal.Decimal
    readonly most: Decimal.Decimal
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
  return { widest: max, follows: { series: seriesOf(of, length, timeframe), factor, least: min, most: max } }
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

export const spread: Read.Reader<Spread> = described(
  (node: YamlNode, to: Report): Spread | undefined => {
    const of = valueIn(node, "of")
    if (of?.type !== "scalar" || of.text !== "avellaneda-stoikov") return distance(node, to)
    const settings = model(node, to)
    return settings === undefined ? undefined : { widest: settings.max, model: settings }
  },
  () => ({ anyOf: [schemaOf(Read.ratio), schemaOf(volatile), schemaOf(model)] })
)

export const distanceAt = ({ widest, follows }: Distance, view: View): Decimal.Decimal | undefined => {
  if (follows === undefined) return widest
  const { series, factor, least, most } = follows
  const frame = view.candles?.get(series.timeframe)
  if (frame === undefined || frame.closed === 0) return undefined
  const last = frame.closed - 1
  const share = ((columnOf(series, frame.columns)[last] ?? Number.NaN) / (frame.columns.close[last] ?? 0)) * factor
  if (!Number.isFinite(share)) return undefined
  const rounded = Decimal.upFromNumber(share, places)
  return Decimal.max(least, Decimal.min(most, rounded))
}
