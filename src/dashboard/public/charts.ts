/** The two charts: candles with own resting orders as lines and fills as marks; worth over time against holding. */
import {
  AreaSeries,
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  type IChartApi,
  type IPriceLine,
  LineSeries,
  LineStyle,
  type Time,
  type UTCTimestamp
} from "lightweight-charts"
import type { Candles } from "../../views/Candles.ts"
import type { Profit } from "../../views/Profit.ts"
import { byId } from "./dom.ts"
import type { Band } from "./files.ts"

const colour = (name: string): string => {
  const probe = document.createElement("i")
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const computedColour = getComputedStyle(probe).color
  probe.remove()
  return computedColour
}

const utc = (seconds: number): UTCTimestamp => seconds as UTCTimestamp

const mostLines = 24
const mostMarks = 500

const themed = (chart: IChartApi): void =>
  chart.applyOptions({
    layout: { background: { color: "transparent" }, textColor: colour("--soft"), fontSize: 11, attributionLogo: false },
    grid: { vertLines: { color: colour("--line") }, horzLines: { color: colour("--line") } },
    rightPriceScale: { borderColor: colour("--line") },
    timeScale: { borderColor: colour("--line"), timeVisible: true, secondsVisible: false, rightOffset: 4 },
    crosshair: { mode: 0 }
  })

const make = (id: string): IChartApi => {
  const chart = createChart(byId(id), { autoSize: true, layout: { attributionLogo: false } })
  themed(chart)
  return chart
}

type Worth = (typeof Profit.Type)["series"]

export interface Resting {
  readonly side: string
  readonly price: string
  readonly slot: string
}

export interface Mark {
  readonly at: number
  readonly side: string
  readonly price: string
}

export const priceChart = (id: string) => {
  const chart = make(id)
  const candles = chart.addSeries(CandlestickSeries, { priceLineStyle: LineStyle.Dotted })
  const marks = createSeriesMarkers<Time>(candles, [])
  let lines: Array<IPriceLine> = []
  let lineKey = ""
  let bar: { time: number; open: number; high: number; low: number; close: number } | undefined
  let begins = 0
  let step = 60
  // Read once for each theme, not for each mark, because a browser computes its styles to return a colour.
  let [up, down] = ["", ""]

  const paint = (): void => {
    themed(chart)
    up = colour("--buy")
    down = colour("--sell")
    candles.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down, borderVisible: false })
    lineKey = ""
  }
  paint()

  return {
    paint,
    set: (data: typeof Candles.Type, seconds: number): void => {
      step = seconds
      const rows = data.time.map((time, index) => ({
        time: utc(time),
        open: data.open[index] ?? 0,
        high: data.high[index] ?? 0,
        low: data.low[index] ?? 0,
        close: data.close[index] ?? 0
      }))
      const last = rows.at(-1)
      bar = last
      begins = rows[0]?.time ?? 0
      const close = last?.close ?? 1
      const precision = close >= 1_000 ? 2 : close >= 1 ? 4 : 8
      candles.applyOptions({ priceFormat: { type: "price", precision, minMove: 10 ** -precision } })
      candles.setData(rows)
      chart.timeScale().applyOptions({ secondsVisible: seconds < 60 })
    },
    tick: (at: number, value: number): void => {
      const time = Math.floor(at / 1000 / step) * step
      if (bar !== undefined && time < bar.time) return
      bar =
        bar?.time === time
          ? { ...bar, high: Math.max(bar.high, value), low: Math.min(bar.low, value), close: value }
          : { time, open: value, high: value, low: value, close: value }
      if (begins === 0) begins = time
      candles.update({ ...bar, time: utc(bar.time) })
    },
    orders: (orders: ReadonlyArray<Resting>, mid: number): void => {
      const near = [...orders].sort((a, b) => Math.abs(Number(a.price) - mid) - Math.abs(Number(b.price) - mid))
      const chosen = near.slice(0, mostLines)
      const newKey = JSON.stringify(chosen)
      if (newKey === lineKey) return
      lineKey = newKey
      for (const line of lines) candles.removePriceLine(line)
      lines = chosen.map(({ price, side, slot }) =>
        candles.createPriceLine({
          price: Number(price),
          color: side === "BUY" ? up : down,
          lineWidth: 1,
          lineStyle: LineStyle.Dashed,
          axisLabelVisible: false,
          title: chosen.length > 12 ? "" : (slot.split("/")[1] ?? "")
        })
      )
    },
    fills: (fills: ReadonlyArray<Mark>): void => {
      const visibleFills = fills.filter(({ at }) => at / 1000 >= begins).slice(-mostMarks)
      const isFew = visibleFills.length <= 60
      marks.setMarkers(
        visibleFills.map(({ at, price, side }) => ({
          time: utc(Math.floor(at / 1000 / step) * step),
          position: side === "BUY" ? "atPriceBottom" : "atPriceTop",
          price: Number(price),
          shape: side === "BUY" ? "arrowUp" : "arrowDown",
          color: side === "BUY" ? up : down,
          size: isFew ? 1 : 0.5
        }))
      )
    }
  }
}

/** Seconds before the newest point; `undefined` for all. */
export const ranges: Readonly<Record<string, number | undefined>> = {
  "1d": 86_400,
  "1w": 7 * 86_400,
  "30d": 30 * 86_400,
  all: undefined
}

export const profitChart = (id: string) => {
  const chart = make(id)
  const worth = chart.addSeries(AreaSeries, { lineWidth: 2, priceLineVisible: false })
  const holdSeries = chart.addSeries(LineSeries, { lineWidth: 1, lineStyle: LineStyle.Dashed, priceLineVisible: false })
  const edge = { lineWidth: 1, lineStyle: LineStyle.Dotted, priceLineVisible: false, lastValueVisible: false } as const
  const edges = { low: chart.addSeries(LineSeries, edge), high: chart.addSeries(LineSeries, edge) }
  let live: Worth = { asset: "", time: [], worth: [], held: [] }
  let tested: Band | undefined
  let range: number | undefined
  const showRange = (): void => {
    const [first = 0, last = 0] = [live.time[0], live.time.at(-1)]
    if (range === undefined || last - first <= range) return chart.timeScale().fitContent()
    chart.timeScale().setVisibleRange({ from: utc(last - range), to: utc(last) })
  }
  const paint = (): void => {
    themed(chart)
    const accent = colour("--accent")
    worth.applyOptions({
      lineColor: accent,
      topColor: `color-mix(in srgb, ${accent} 22%, transparent)`,
      bottomColor: "transparent"
    })
    holdSeries.applyOptions({ color: colour("--soft") })
    for (const series of [edges.low, edges.high]) series.applyOptions({ color: colour("--warn") })
  }
  paint()

  /** The band is the backtest's gain or loss against holding, added to the value of holding. */
  const drawBand = (): void => {
    if (tested === undefined) return
    const { hold, time } = tested
    const end = live.time.at(-1) ?? 0
    const begin = live.time[0] ?? 0
    let cursor = 0
    const rows = time.flatMap((at, index) => {
      if (at < begin || at > end || at === time[index - 1]) return []
      while ((live.time[cursor + 1] ?? Number.POSITIVE_INFINITY) <= at) cursor += 1
      const rest = (live.held[cursor] ?? 0) - (hold[index] ?? 0)
      return [{ time: utc(at), low: rest + (tested?.low[index] ?? 0), high: rest + (tested?.high[index] ?? 0) }]
    })
    edges.low.setData(rows.map(({ low, time }) => ({ time, value: low })))
    edges.high.setData(rows.map(({ high, time }) => ({ time, value: high })))
  }

  return {
    paint,
    band: (band: Band): void => {
      tested = band
      drawBand()
    },
    set: (data: Worth): void => {
      const { held: without, time, worth: worths } = data
      live = data
      const rows = (values: ReadonlyArray<number>) =>
        time.flatMap((at, index) =>
          index > 0 && time[index - 1] === at ? [] : [{ time: utc(at), value: values[index] ?? 0 }]
        )
      worth.setData(rows(worths))
      holdSeries.setData(rows(without))
      drawBand()
      showRange()
    },
    show: (seconds: number | undefined): void => {
      range = seconds
      showRange()
    }
  }
}
