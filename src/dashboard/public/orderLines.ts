/** Own orders on a price chart: a dashed line from the candles to a label at the right, with side and size. The nearest orders stay in sight. */
import type {
  IPrimitivePaneRenderer,
  ISeriesApi,
  ISeriesPrimitive,
  SeriesAttachedParameter,
  Time
} from "lightweight-charts"

export interface OrderLine {
  readonly price: number
  readonly isBuy: boolean
  readonly text: string
}

export interface LineColours {
  readonly up: string
  readonly down: string
  readonly surface: string
}

/** More labels would cover each other. */
const mostLines = 40
const keptInSight = 6
/** Share of the price beyond which an order would flatten the candles. */
const sightShare = 0.03
const [labelHeight, smallChart] = [18, 520]

type Target = Parameters<IPrimitivePaneRenderer["draw"]>[0]

export class OrderLines implements ISeriesPrimitive<Time> {
  #lines: ReadonlyArray<OrderLine> = []
  #price = 0
  #colours: LineColours = { up: "", down: "", surface: "" }
  #series: ISeriesApi<"Candlestick"> | undefined
  #redraw: () => void = () => undefined
  readonly #views = [
    { renderer: () => ({ draw: (target: Target) => this.#draw(target) }), zOrder: () => "top" as const }
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
  show(lines: ReadonlyArray<OrderLine>, price: number): void {
    this.#price = price
    this.#lines = lines.toSorted((a, b) => Math.abs(a.price - price) - Math.abs(b.price - price)).slice(0, mostLines)
    this.#redraw()
  }

  autoscaleInfo() {
    const inSight = this.#lines
      .slice(0, keptInSight)
      .map(({ price }) => price)
      .filter((price) => Math.abs(price - this.#price) < this.#price * sightShare)
    return inSight.length === 0
      ? null
      : { priceRange: { minValue: Math.min(...inSight), maxValue: Math.max(...inSight) } }
  }

  #draw(target: Target): void {
    target.useMediaCoordinateSpace(({ context, mediaSize: { width } }) => {
      const labelWidth = width < smallChart ? 56 : 116
      const left = width - labelWidth - 2
      context.font = "500 11px system-ui, sans-serif"
      context.textBaseline = "middle"
      const labels: Array<number> = []
      for (const { isBuy, price, text } of this.#lines) {
        const y = this.#series?.priceToCoordinate(price) ?? null
        if (y === null) continue
        // A label that would cover one of a nearer order is left out; its line stays.
        const hasRoom = labels.every((other) => Math.abs(other - y) > labelHeight - 2)
        const colour = isBuy ? this.#colours.up : this.#colours.down
        context.strokeStyle = colour
        context.setLineDash([3, 3])
        context.beginPath()
        context.moveTo(width * 0.6, y)
        context.lineTo(hasRoom ? left : width, y)
        context.stroke()
        context.setLineDash([])
        if (!hasRoom) continue
        labels.push(y)
        context.fillStyle = this.#colours.surface
        context.beginPath()
        context.roundRect(left, y - labelHeight / 2, labelWidth, labelHeight, 4)
        context.fill()
        context.stroke()
        context.fillStyle = colour
        const words = `${isBuy ? "▲" : "▼"} ${width < smallChart ? (isBuy ? "Buy" : "Sell") : text}`
        context.fillText(words, left + 6, y + 0.5, labelWidth - 10)
      }
    })
  }
}
