/** A canvas chart as a component: made once, painted again when the theme changes, and fed by the signals that it reads. */
import { effect } from "@preact/signals"
import { createChart, type IChartApi, type UTCTimestamp } from "lightweight-charts"
import { useEffect, useRef } from "preact/hooks"
import { div } from "./tags.ts"
import { colour, themeChanges } from "./theme.ts"

export const utc = (seconds: number): UTCTimestamp => seconds as UTCTimestamp

const options = {
  autoSize: true,
  layout: { background: { color: "transparent" }, fontSize: 11, attributionLogo: false },
  grid: { vertLines: { visible: false } },
  rightPriceScale: { borderVisible: false, minimumWidth: 64, entireTextOnly: true },
  timeScale: { borderVisible: false, timeVisible: true },
  crosshair: { mode: 0 },
  handleScroll: { vertTouchDrag: false },
  handleScale: { mouseWheel: false }
}

const themed = (chart: IChartApi): void =>
  chart.applyOptions({ layout: { textColor: colour("ink-3") }, grid: { horzLines: { color: colour("line") } } })

export interface Drawing {
  readonly paint: () => void
  /** Each runs again when a signal changes that it has read. */
  readonly feeds: ReadonlyArray<() => void>
}

export const Canvas = ({ draw, id, label }: CanvasProps) => {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (box.current === null) return undefined
    const chart = createChart(box.current, options)
    const { feeds, paint } = draw(chart)
    const repaint = (): void => {
      themeChanges.value
      themed(chart)
      paint()
    }
    const stops = [repaint, ...feeds].map((feed) => effect(feed))
    return () => {
      for (const stop of stops) stop()
      chart.remove()
    }
  }, [])
  return div({ id, ref: box, class: "chart", role: "img", "aria-label": label })
}
interface CanvasProps {
  readonly id: string
  /** Says in words what it draws, for readers who cannot see it. */
  readonly label: string
  readonly draw: (chart: IChartApi) => Drawing
}
