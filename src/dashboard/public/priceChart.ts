/** The trade on the chart: stored candles, own orders as labelled lines, fills as marks. It belongs to the strategy that is selected. */
import { computed } from "@preact/signals"
import {
  CandlestickSeries,
  createSeriesMarkers,
  type IChartApi,
  type ISeriesApi,
  LineStyle,
  type SeriesMarker,
  type Time
} from "lightweight-charts"
import { h } from "preact"
import type { Book } from "../../views/Book.ts"
import { Canvas, type Drawing, utc } from "./canvas.ts"
import { confirmPlan } from "./commands.ts"
import { editFile } from "./files.ts"
import { decimal, pixelPrice, price, shortPrice } from "./format.ts"
import { type LevelLine, OrderLines } from "./orderLines.ts"
import { Button, Choices, Empty } from "./parts.ts"
import * as Store from "./store.ts"
import { b, div, h2, header, p, section, span } from "./tags.ts"
import { colour } from "./theme.ts"

const frames: Readonly<Record<string, number>> = {
  "5s": 5,
  "1m": 60,
  "5m": 300,
  "15m": 900,
  "1h": 3_600,
  "4h": 14_400,
  "1d": 86_400
}
const mostMarks = 500
/** A shorter drag is a click. */
const fewestPixels = 4
const [fewestBars, mostBars] = [40, 150]
/** Room at the right for the labels of orders. */
const labelShare = 0.25

const stepOf = (): number => frames[Store.candles.value?.timeframe ?? ""] ?? 60

type Order = (typeof Book.Type)["orders"][number]

const lineKinds = {
  stop: ["Stop", "down"],
  trail: ["Trailing stop", "down"],
  target: ["Target", "up"],
  "average-entry": ["Average entry", "calm"],
  "break-even": ["Break-even", "calm"]
} as const

/** One may be shortened and the other exact. */
const isSame = (price: string, other: string): boolean => shortPrice(price) === shortPrice(other)

/** A target is a level until its order is open. */
const levels = computed<ReadonlyArray<LevelLine>>(() => {
  const { levels: all = [], name = "" } = Store.selected.value ?? {}
  const isOrder = (at: string) => Store.slotsOf(name).some(({ price }) => isSame(price, at))
  return all.flatMap(({ kind, market, price }) => {
    if (market !== Store.market.value || kind === "range-low" || kind === "range-high") return []
    if (kind === "target" && isOrder(price)) return []
    const [title, tone] = lineKinds[kind]
    return [{ price: Number(price), text: `${title} ${shortPrice(price)}`, tone }]
  })
})

const range = computed(() =>
  Store.selected.value?.market === Store.market.value ? Store.rangeOf(Store.selected.value) : undefined
)

/** A slot with a word for its name, such as `take-profit`, says what its order is for; a numbered one says its size. */
const labelOf = ({ price, quantity, side, slot }: Order): string => {
  const name = Store.nameOf(slot)
  const isTarget = Store.selected.value?.levels.some((level) => level.kind === "target" && isSame(level.price, price))
  const what = isTarget ? "Target" : /\d/.test(name) ? (side === "BUY" ? "Buy" : "Sell") : name
  return `${what} ${decimal(quantity)}`
}

/** Only the entry of an order by hand can be moved; its exits follow from its terms. */
const movable = ({ side, slot, state }: Order): string | undefined => {
  const order = Store.nameOf(slot).replace(/(-[0-9a-f]{8})-\d+$/, "$1")
  const isEntry = Store.isByHand(slot) && state === "open" && order.startsWith(`${side.toLowerCase()}-`)
  return isEntry ? order : undefined
}

/** Dragging the label of an order proposes another price. Its plan with the cost is shown before anything moves. */
const offerDragging = (chart: IChartApi, candles: ISeriesApi<"Candlestick">, lines: OrderLines): void => {
  const element = chart.chartElement()
  let grip: { readonly order: string; readonly from: number } | undefined
  const placeOf = ({ clientX, clientY }: PointerEvent): readonly [x: number, height: number] => {
    const { left, top } = element.getBoundingClientRect()
    return [clientX - left, clientY - top]
  }
  const heightOf = (event: PointerEvent): number => placeOf(event)[1]
  const priceAt = (height: number): string | undefined => {
    const [price, below] = [candles.coordinateToPrice(height), candles.coordinateToPrice(height + 1)]
    return price === null || below === null ? undefined : pixelPrice(price, price - below)
  }
  const release = (): void => {
    grip = undefined
    lines.drag(undefined)
    chart.applyOptions({ handleScroll: { pressedMouseMove: true } })
  }
  element.addEventListener("pointerdown", (event) => {
    const order = lines.movableAt(placeOf(event))
    if (order === undefined) return
    grip = { order, from: heightOf(event) }
    element.setPointerCapture(event.pointerId)
    chart.applyOptions({ handleScroll: { pressedMouseMove: false } })
  })
  element.addEventListener("pointermove", (event) => {
    const price = priceAt(heightOf(event))
    if (grip !== undefined && price !== undefined) lines.drag({ order: grip.order, price })
    element.classList.toggle("grip", grip !== undefined || lines.movableAt(placeOf(event)) !== undefined)
  })
  element.addEventListener("pointercancel", release)
  element.addEventListener("pointerup", (event) => {
    const { from, order } = grip ?? { from: 0, order: "" }
    const price = priceAt(heightOf(event))
    if (grip !== undefined) release()
    if (order === "" || price === undefined || Math.abs(heightOf(event) - from) < fewestPixels) return
    confirmPlan(`Move ${order} to ${price}`, "order/change", { order, price })
  })
}

const draw = (chart: IChartApi): Drawing => {
  chart.applyOptions({ localization: { priceFormatter: (value: number) => shortPrice(String(value)) } })
  const candles = chart.addSeries(CandlestickSeries, { priceLineStyle: LineStyle.Dotted, borderVisible: false })
  const marks = createSeriesMarkers<Time>(candles, [])
  const lines = new OrderLines().on(candles)
  offerDragging(chart, candles, lines)
  // Read once for each theme, not for each mark, because a browser computes its styles to return a colour.
  let [up, down] = ["", ""]
  let marketOnChart = ""
  let bar: { time: number; open: number; high: number; low: number; close: number } | undefined

  const feedCandles = (): void => {
    const stored = Store.candles.value
    const { market = "", time = [], timeframe = "" } = stored ?? {}
    const of = (name: "open" | "high" | "low" | "close", index: number): number => stored?.[name][index] ?? 0
    const rows = time.map((at, index) => {
      const [open, high, low, close] = [of("open", index), of("high", index), of("low", index), of("close", index)]
      return { time: utc(at), open, high, low, close }
    })
    bar = rows.at(-1)
    candles.setData(rows)
    if (marketOnChart === `${market} ${timeframe}` || rows.length === 0) return
    marketOnChart = `${market} ${timeframe}`
    chart.timeScale().applyOptions({ secondsVisible: stepOf() < 60 })
    const bars = Math.max(fewestBars, Math.min(mostBars, rows.length))
    chart.timeScale().setVisibleLogicalRange({ from: rows.length - bars, to: rows.length + bars * labelShare })
  }
  const feedTick = (): void => {
    const tick = Store.priceNow.value
    if (tick === undefined || bar === undefined || Store.candles.peek()?.market !== tick.market) return
    const [step, value] = [stepOf(), Number(tick.mid)]
    const time = Math.floor(tick.at / 1000 / step) * step
    if (time < bar.time) return
    bar =
      bar.time === time
        ? { ...bar, high: Math.max(bar.high, value), low: Math.min(bar.low, value), close: value }
        : { time, open: value, high: value, low: value, close: value }
    candles.update({ ...bar, time: utc(bar.time) })
  }
  const feedOrders = (): void => {
    const { orders = [], price: now = null } = Store.book.value ?? {}
    const own = orders.filter(({ slot }) => slot.startsWith(`${Store.selectedName.value}/`))
    lines.show(
      own.map((order) => ({
        ...{ price: Number(order.price), isBuy: order.side === "BUY", text: labelOf(order) },
        order: Store.may("operator") ? movable(order) : undefined
      })),
      levels.value,
      Number(now?.mid ?? own[0]?.price ?? 0),
      range.value
    )
  }
  const feedFills = (): void => {
    const [begins = 0, step] = [Store.candles.value?.time[0], stepOf()]
    const visible = Store.fillsOf(Store.selectedName.value)
      .filter(({ at }) => at / 1000 >= begins)
      .toSorted((a, b) => a.at - b.at)
      .slice(-mostMarks)
    marks.setMarkers(
      visible.map(
        ({ at, price, side }): SeriesMarker<Time> => ({
          time: utc(Math.floor(at / 1000 / step) * step),
          position: side === "BUY" ? "atPriceBottom" : "atPriceTop",
          price: Number(price),
          shape: side === "BUY" ? "arrowUp" : "arrowDown",
          color: side === "BUY" ? up : down,
          size: visible.length <= 60 ? 1 : 0.5
        })
      )
    )
  }
  return {
    paint: () => {
      ;[up, down] = [colour("up"), colour("down")]
      candles.applyOptions({ upColor: up, downColor: down, wickUpColor: up, wickDownColor: down })
      candles.applyOptions({ priceLineColor: colour("ink-2") })
      lines.paint({ up, down, calm: colour("ink-3"), surface: colour("surface"), range: colour("accent") })
      feedFills()
    },
    feeds: [feedCandles, feedTick, feedOrders, feedFills]
  }
}

export const PriceChart = () => {
  const [name, now] = [Store.selectedName.value, Store.priceNow.value]
  const { keep, value } = Store.timeframe
  const levelNames = levels.value.map(({ text }) => `; ${text}`).join("")
  const label = `Candles of ${Store.market.value} with the open orders of ${name} as lines and its fills as marks; the tables below have the same figures${levelNames}`
  return section(
    { class: "card main chartcard", "aria-labelledby": "t-chart", "data-panel": "orders" },
    header(
      "",
      h2({ id: "t-chart" }, `${name || "Price"} `, span("dim", Store.market.value)),
      p({ id: "ticker" }, now === undefined ? "no price yet" : b({ title: decimal(now.mid) }, price(now.mid))),
      h(Choices, { label: "Candle length", names: Object.keys(frames), chosen: value.value, pick: keep }),
      h(Button, { id: "edit", label: "Edit strategy", style: "sm", onClick: () => editFile(name) })
    ),
    div(
      "ch-pad",
      h(Canvas, { id: "chart", label, draw }),
      Store.candles.value?.time.length === 0 &&
        h(Empty, { title: "No candles yet" }, "The bot records a candle with each price that it reads.")
    )
  )
}
