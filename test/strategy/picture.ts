/**
 * A small picture of a backtest for the gallery: the price as a line, where orders rested, and where they filled. Only
 * shapes and the picture's own two styles, light and dark, so a page can show it as an image.
 */

import type { Candles } from "../../src/candles/Candles.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import type { Outcome } from "../../src/lab/backtest/kernel/Outcome.ts"
import { rows } from "../../src/lab/backtest/results/FillRows.ts"

const [width, height] = [480, 150]
const mostStays = 60
const mostFills = 120
const points = 160

const style = `path{fill:none}.p{stroke:#57606a}.b{fill:#1a7f37}.s{fill:#cf222e}.o{stroke:#1a7f37}.a{stroke:#cf222e}
.o,.a{stroke-opacity:.35}@media(prefers-color-scheme:dark){.p{stroke:#9aa4af}.b{fill:#3fb950}.s{fill:#f85149}.o{stroke:#3fb950}.a{stroke:#f85149}}`

/** So many, evenly picked. */
const thinned = <A>(all: ReadonlyArray<A>, most: number): ReadonlyArray<A> =>
  all.length <= most
    ? all
    : Array.from({ length: most }, (_, index) => all[Math.floor((index * all.length) / most)] as A)

export const picture = (title: string, candles: Candles, outcome: Outcome): string => {
  const { bars, close, high, low } = candles
  const bottom = Math.min(...low)
  const top = Math.max(...high)
  const x = (bar: number) => Math.round((bar / bars) * width)
  const y = (price: number) => Math.round(height - ((price - bottom) / (top - bottom)) * height)
  const isSeen = (price: number) => price >= bottom && price <= top
  const line = Array.from({ length: points }, (_, index) => {
    const bar = Math.floor((index * (bars - 1)) / (points - 1))
    return `${index === 0 ? "M" : "L"}${x(bar)} ${y(close[bar] ?? 0)}`
  })
  const stays = thinned(
    outcome.stays.filter(({ row }) => isSeen(Decimal.toNumber(row.price))),
    mostStays
  )
  const resting = (side: string) =>
    stays
      .filter(({ row }) => row.side === side)
      .map(({ row, from, to }) => `M${x(from)} ${y(Decimal.toNumber(row.price))}H${Math.max(x(from) + 1, x(to))}`)
      .join("")
  const fills = thinned([...rows(outcome, candles)], mostFills)
  const marks = fills.map(({ bar, price, side }) => {
    const [cx, cy] = [x(bar), y(Math.min(top, Math.max(bottom, Decimal.toNumber(price))))]
    return `<circle class="${side === "BUY" ? "b" : "s"}" cx="${cx}" cy="${cy}" r="2.5"/>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 ${width + 8} ${height + 8}" role="img"><title>${title}</title>`,
    `<style>${style}</style>`,
    `<path class="o" d="${resting("BUY")}"/><path class="a" d="${resting("SELL")}"/>`,
    `<path class="p" d="${line.join("")}"/>`,
    ...marks,
    "</svg>",
    ""
  ].join("\n")
}
