/** Draws profit against holding the same budget, and the range of a backtest. For the eye only: exact figures stand beside it. */
import { signal } from "@preact/signals"
import {
  type AutoscaleInfoProvider,
  BaselineSeries,
  HistogramSeries,
  type IChartApi,
  LineSeries,
  LineStyle
} from "lightweight-charts"
import { h } from "preact"
import type { BacktestAnswer } from "../../views/Backtest.ts"
import { Canvas, type Drawing, utc } from "./canvas.ts"
import { signed, stamp } from "./format.ts"
import { Choices, Empty } from "./parts.ts"
import * as Store from "./store.ts"
import { div, span } from "./tags.ts"
import { colour } from "./theme.ts"

export const tested = signal<(typeof BacktestAnswer.Type)["curve"] | undefined>(undefined)

/** Seconds before the newest point; `undefined` for all. */
const ranges: Readonly<Record<string, number | undefined>> = {
  "1d": 86_400,
  "1w": 7 * 86_400,
  "30d": 30 * 86_400,
  all: undefined
}

const daySeconds = 86_400
/** Over a shorter time, labels without seconds would repeat. */
const shortSeconds = 600
const pointed = signal("")

type Point = Readonly<Record<"time" | "value", number>>

/** A chart takes each second once. */
const points = (time: ReadonlyArray<number>, valueAt: (index: number) => number): ReadonlyArray<Point> =>
  time.flatMap((at, index) => (index > 0 && time[index - 1] === at ? [] : [{ time: at, value: valueAt(index) }]))

const rowsOf = (of: ReadonlyArray<Point>) => of.map(({ time, value }) => ({ time: utc(time), value }))

const profitPoints = (): ReadonlyArray<Point> => {
  const { held = [], time = [], worth = [] } = Store.profit.value?.series ?? {}
  const { at = 0, standings = [] } = Store.profit.value ?? {}
  const total = standings.find(({ asset }) => asset === Store.profit.value?.series?.asset)?.total
  // The last point is the headline's figure, which is newer than the last recorded price.
  const last = total === undefined ? [] : [{ time: Math.floor(at / 1_000), value: Number(total) }]
  const recorded = points(time, (index) => (worth[index] ?? 0) - (held[index] ?? 0))
  return [...recorded.filter((point) => point.time < (last[0]?.time ?? Number.POSITIVE_INFINITY)), ...last]
}

const asSeen = { priceLineVisible: false, lastValueVisible: false, crosshairMarkerVisible: false } as const

const withZero: AutoscaleInfoProvider = (usual) => {
  const info = usual()
  if (info === null || info.priceRange === null) return info
  const { maxValue, minValue } = info.priceRange
  return { ...info, priceRange: { minValue: Math.min(0, minValue), maxValue: Math.max(0, maxValue) } }
}

const draw = (chart: IChartApi): Drawing => {
  const edge = { ...asSeen, lineWidth: 1, lineStyle: LineStyle.Dotted } as const
  const [low, high] = [chart.addSeries(LineSeries, edge), chart.addSeries(LineSeries, edge)]
  const days = chart.addSeries(HistogramSeries, { ...asSeen, priceScaleId: "days" })
  const curve = chart.addSeries(BaselineSeries, {
    lineWidth: 2,
    priceLineVisible: false,
    baseValue: { type: "price", price: 0 },
    autoscaleInfoProvider: withZero
  })
  const zero = curve.createPriceLine({ price: 0, lineWidth: 1, lineStyle: LineStyle.Solid, axisLabelVisible: false })
  chart.applyOptions({ localization: { priceFormatter: (value: number) => signed(value) } })
  // All points fit, also on a phone.
  chart.timeScale().applyOptions({ minBarSpacing: 0.05 })
  chart.priceScale("right").applyOptions({ scaleMargins: { top: 0.08, bottom: 0.24 } })
  days.priceScale().applyOptions({ scaleMargins: { top: 0.84, bottom: 0 } })
  chart.subscribeCrosshairMove(({ seriesData, time }) => {
    const point = seriesData.get(curve)
    const value = point !== undefined && "value" in point ? point.value : undefined
    pointed.value =
      value === undefined || time === undefined ? "" : `${stamp(Number(time) * 1_000)} UTC: ${signed(value)}`
  })
  return {
    paint: () => {
      curve.applyOptions({
        topLineColor: colour("up"),
        topFillColor1: colour("up", 0.18),
        topFillColor2: colour("up", 0.02),
        bottomLineColor: colour("down"),
        bottomFillColor1: colour("down", 0.02),
        bottomFillColor2: colour("down", 0.18)
      })
      zero.applyOptions({ color: colour("line-2") })
      for (const series of [low, high]) series.applyOptions({ color: colour("accent") })
      feedDays()
    },
    feeds: [feedCurve, feedDays, feedBand]
  }

  function feedCurve(): void {
    const rows = profitPoints()
    curve.setData(rowsOf(rows))
    const seconds = ranges[Store.range.value.value]
    const [first = 0, last = 0] = [rows[0]?.time, rows.at(-1)?.time]
    chart.timeScale().applyOptions({ secondsVisible: last - first < shortSeconds })
    if (seconds === undefined || last - first <= seconds) chart.timeScale().fitContent()
    else chart.timeScale().setVisibleRange({ from: utc(last - seconds), to: utc(last) })
  }

  /** The points of a day form its bar, with a gap before the next day. */
  function feedDays(): void {
    const { days: earned = [], series } = Store.profit.value ?? {}
    const [up, down] = [colour("up", 0.6), colour("down", 0.6)]
    const ofDay = new Map(
      earned.flatMap(({ asset, day, earned: amount }) => (asset === series?.asset ? [[day, Number(amount)]] : []))
    )
    days.setData(
      // A single day has nothing to compare with.
      (ofDay.size < 2 ? [] : profitPoints()).flatMap(({ time }) => {
        const value = time % daySeconds < daySeconds / 6 ? undefined : ofDay.get(stamp(time * 1_000).slice(0, 10))
        return value === undefined ? [] : [{ time: utc(time), value, color: value < 0 ? down : up }]
      })
    )
  }

  function feedBand(): void {
    const { high: tops = [], hold = [], low: bottoms = [], time = [] } = tested.value ?? {}
    const profits = profitPoints()
    const [begin = 0, end = 0] = [profits[0]?.time, profits.at(-1)?.time]
    // A longer backtest would stretch the axis.
    const against = (side: ReadonlyArray<number>) =>
      points(time, (index) => (side[index] ?? 0) - (hold[index] ?? 0)).filter(
        ({ time: at }) => at >= begin && at <= end
      )
    low.setData(rowsOf(against(bottoms)))
    high.setData(rowsOf(against(tops)))
  }
}

export const Curve = () => {
  const { asset = "", time = [] } = Store.profit.value?.series ?? {}
  const label = `Profit against holding over time in ${asset}; it ends at ${signed(profitPoints().at(-1)?.value ?? 0)}`
  const chosen = { chosen: Store.range.value.value, pick: Store.range.keep }
  return [
    div(
      "chart-tools",
      div(
        "legend",
        span("", h("i", { class: "up" }), ["Profit", asset].filter(Boolean).join(", ")),
        span("", "0 = holding the same budget"),
        tested.value !== undefined && span("", h("i", { class: "band" }), "Dotted: backtest range"),
        span("dim", pointed.value)
      ),
      h(Choices, { label: "Range of the chart", names: Object.keys(ranges), ...chosen })
    ),
    div(
      "ch-pad",
      h(Canvas, { id: "profit", label, draw }),
      time.length === 0 && h(Empty, { title: "No curve yet" }, "It begins with the first price after the budget.")
    )
  ]
}
