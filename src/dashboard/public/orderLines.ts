/** Draws own orders as lines with labels at the right, and levels such as a stop across the chart. The edge names orders out of sight. */
import type {
  IPrimitivePaneRenderer,
  ISeriesApi,
  ISeriesPrimitive,
  SeriesAttachedParameter,
  Time
} from "lightweight-charts"
import type { rangeOf } from "./store.ts"

export interface OrderLine {
  readonly price: number
  readonly isBuy: boolean
  readonly text: string
  readonly order?: string | undefined
}

export interface LevelLine {
  readonly price: number
  readonly text: string
  readonly tone: "up" | "down" | "calm"
}

export interface LineColours extends Readonly<Record<LevelLine["tone"], string>> {
  readonly surface: string
  readonly range: string
}

/** More labels would cover each other. */
const mostLines = 40
const keptInSight = 6
/** Share of the price beyond which an order would flatten the candles. */
const sightShare = 0.03
const [labelHeight, smallChart, levelHeight] = [18, 520, 14]

type Target = Parameters<IPrimitivePaneRenderer["draw"]>[0]

export class OrderLines implements ISeriesPrimitive<Time> {
  #lines: ReadonlyArray<OrderLine> = []
  #levels: ReadonlyArray<LevelLine> = []
  #range: ReturnType<typeof rangeOf>
  #price = 0
  #dragged: { readonly order: string; readonly price: string } | undefined
  #labels: ReadonlyArray<{ readonly order: string | undefined; readonly left: number; readonly y: number }> = []
  #colours: LineColours = { up: "", down: "", calm: "", surface: "", range: "" }
  #series: ISeriesApi<"Candlestick"> | undefined
  #redraw: () => void = () => undefined
  readonly #views = [
    {
      renderer: () => ({
        draw: (target: Target) => {
          this.#drawLevels(target)
          this.#draw(target)
        }
      }),
      zOrder: () => "top" as const
    },
    {
      renderer: () => ({ draw: (target: Target) => this.#drawRange(target) }),
      zOrder: () => "bottom" as const
    }
  ]

  attached({ requestUpdate }: SeriesAttachedParameter<Time>): void {
    this.#redraw = requestUpdate
  }
  paneViews() {
    return this.#views
  }
  on(series: ISeriesApi<"Candlestick">): this {
    this.#series = series
    series.attachPrimitive(this)
    return this
  }
  paint(colours: LineColours): void {
    this.#colours = colours
    this.#redraw()
  }
  show(
    lines: ReadonlyArray<OrderLine>,
    levels: ReadonlyArray<LevelLine>,
    price: number,
    range: ReturnType<typeof rangeOf>
  ): void {
    this.#price = price
    this.#range = range
    this.#levels = levels
    this.#lines = lines.toSorted((a, b) => Math.abs(a.price - price) - Math.abs(b.price - price)).slice(0, mostLines)
    this.#redraw()
  }

  movableAt([x, height]: readonly [x: number, height: number]): string | undefined {
    return this.#labels.find(({ left, y }) => x >= left && Math.abs(y - height) < labelHeight / 2)?.order
  }
  drag(dragged: { readonly order: string; readonly price: string } | undefined): void {
    this.#dragged = dragged
    this.#redraw()
  }

  autoscaleInfo() {
    const inSight = [...this.#lines.slice(0, keptInSight), ...this.#levels]
      .map(({ price }) => price)
      .filter((price) => Math.abs(price - this.#price) < this.#price * sightShare)
    return inSight.length === 0
      ? null
      : { priceRange: { minValue: Math.min(...inSight), maxValue: Math.max(...inSight) } }
  }

  #drawRange(target: Target): void {
    const { high = 0, low = 0 } = this.#range ?? {}
    const [top, bottom] = [this.#series?.priceToCoordinate(high) ?? null, this.#series?.priceToCoordinate(low) ?? null]
    if (this.#range === undefined || top === null || bottom === null) return
    target.useMediaCoordinateSpace(({ context, mediaSize: { width } }) => {
      context.fillStyle = this.#colours.range
      context.globalAlpha = 0.05
      context.fillRect(0, top, width, bottom - top)
      context.globalAlpha = 0.3
      context.fillRect(0, top, width, 1)
      context.fillRect(0, bottom, width, 1)
      context.globalAlpha = 1
    })
  }

  #drawLevels(target: Target): void {
    target.useMediaCoordinateSpace(({ context, mediaSize: { height, width } }) => {
      context.font = "500 11px system-ui, sans-serif"
      context.textBaseline = "middle"
      const labels: Array<number> = []
      for (const { price, text, tone } of this.#levels) {
        const y = this.#series?.priceToCoordinate(price) ?? null
        if (y === null) continue
        const beyond = y < 0 ? " ↑" : y > height ? " ↓" : ""
        context.strokeStyle = this.#colours[tone]
        context.setLineDash(tone === "calm" ? [1, 3] : [6, 4])
        context.beginPath()
        context.moveTo(0, y)
        context.lineTo(width, y)
        context.stroke()
        context.setLineDash([])
        const inside = Math.max(levelHeight, Math.min(height - levelHeight, y))
        // Names at nearly one price stand above and below their lines.
        const places = [-0.5, 0.5, -1.5, 1.5].map((rows) => inside + rows * (levelHeight + 1))
        const isFree = (at: number) => labels.every((other) => Math.abs(other - at) >= levelHeight)
        const at = places.find(isFree)
        if (at === undefined) continue
        labels.push(at)
        context.fillStyle = this.#colours.surface
        context.fillRect(2, at - 6, context.measureText(text + beyond).width + 8, 12)
        context.fillStyle = this.#colours[tone]
        context.fillText(text + beyond, 6, at)
      }
    })
  }

  #draw(target: Target): void {
    target.useMediaCoordinateSpace(({ context, mediaSize: { height, width } }) => {
      context.font = "500 11px system-ui, sans-serif"
      context.textBaseline = "middle"
      const labels: Array<{ readonly order: string | undefined; readonly left: number; readonly y: number }> = []
      const lines = this.#lines.map((line) => {
        if (line.order === undefined || line.order !== this.#dragged?.order) return line
        return { ...line, price: Number(this.#dragged.price), text: `to ${this.#dragged.price}` }
      })
      const rows = lines.flatMap((line) => {
        const y = this.#series?.priceToCoordinate(line.price) ?? null
        if (y === null) return []
        const beyond = y < 0 ? " ↑" : y > height ? " ↓" : ""
        const name = width < smallChart ? (line.isBuy ? "Buy" : "Sell") : line.text
        const words = `${line.isBuy ? "▲" : "▼"} ${name}${beyond}${line.order === undefined ? "" : " ↕"}`
        return [{ ...line, y, beyond, words }]
      })
      const labelWidth = Math.max(0, ...rows.map(({ words }) => context.measureText(words).width)) + 12
      const labelStart = width - labelWidth - 2
      for (const { beyond, isBuy, order, words, y: at } of rows) {
        // The edge names the nearest order of a side that has none in sight.
        if (beyond !== "" && rows.some((row) => row.isBuy === isBuy && row.beyond === "")) continue
        const y = Math.max(labelHeight, Math.min(height - labelHeight, at))
        // A label that would cover one of a nearer order is left out; its line stays.
        const hasRoom = labels.every((other) => Math.abs(other.y - y) > labelHeight - 2)
        const colour = isBuy ? this.#colours.up : this.#colours.down
        if (beyond !== "" && !hasRoom) continue
        context.strokeStyle = colour
        context.setLineDash([3, 3])
        context.beginPath()
        context.moveTo(width * 0.6, y)
        context.lineTo(hasRoom ? labelStart : width, y)
        context.stroke()
        context.setLineDash([])
        if (!hasRoom) continue
        labels.push({ order, left: labelStart, y })
        context.fillStyle = this.#colours.surface
        context.beginPath()
        context.roundRect(labelStart, y - labelHeight / 2, labelWidth, labelHeight, 4)
        context.fill()
        context.stroke()
        context.fillStyle = colour
        context.fillText(words, labelStart + 6, y + 0.5)
      }
      this.#labels = labels
    })
  }
}
