/**
 * Renders the parts of a backtest's page besides tables and sentences: charts and the list of fills, which its script draws
 * (`HtmlReportScript.ts`), returns by month, and slots by their fills. Figures are passed formatted, series as numbers, long columns as
 * bytes.
 */
import { grouped } from "../../domain/Text.ts"
import { counted } from "../../domain/Words.ts"
import { canvas, escape, folded, scrolled } from "./HtmlPage.ts"

export interface ReportSlot {
  readonly slot: string
  readonly why: string
  readonly buys: number
  readonly sells: number
  readonly gained: string
  /** Gain of the position still held, at the last price over its cost; empty if there is none. */
  readonly inventory: string
}

/** Distinct orders. Fills and stays refer to them by index; they refer to slot and market by index. */
export type ReportOrder = readonly [
  slot: number,
  side: 0 | 1,
  price: number,
  base: string,
  quote: string,
  market: number
]

/** Prices at the report's times: the close, and the lowest and highest since the previous time. */
export interface ReportMarket {
  readonly name: string
  readonly close: ReadonlyArray<number>
  readonly low: ReadonlyArray<number>
  readonly high: ReadonlyArray<number>
}

export interface BacktestCurves {
  /** Epoch seconds. */
  readonly times: ReadonlyArray<number>
  readonly markets: ReadonlyArray<ReportMarket>
  readonly hold: ReadonlyArray<number>
  readonly sides: ReadonlyArray<{
    readonly name: string
    readonly equity: ReadonlyArray<number>
    readonly drawdown: ReadonlyArray<number>
  }>
  readonly slots: ReadonlyArray<ReportSlot>
  readonly orders: ReadonlyArray<ReportOrder>
  /** `reached`: the low or high that filled it. */
  readonly fills: { readonly bar: Int32Array; readonly order: Int32Array; readonly reached: Float64Array }
  readonly stays: { readonly from: Int32Array; readonly to: Int32Array; readonly order: Int32Array }
  /** First bars and times (epoch seconds) of runs of bars that are `step` seconds apart. */
  readonly axis: { readonly bars: ReadonlyArray<number>; readonly times: ReadonlyArray<number>; readonly step: number }
}

const bytes = (values: Int32Array | Float64Array): string =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64")

const encoded = <K extends string>(columns: Readonly<Record<K, Int32Array | Float64Array>>) =>
  Object.fromEntries(Object.entries<Int32Array | Float64Array>(columns).map(([name, values]) => [name, bytes(values)]))

export const dataOf = ({ slots, fills, stays, ...others }: BacktestCurves) => ({
  ...others,
  slots: slots.map(({ slot }) => slot),
  whys: slots.map(({ why }) => why),
  fills: encoded(fills),
  stays: encoded(stays)
})

export const equityCharts = (): string =>
  `${canvas("equity")}<h3>Drawdown</h3>${canvas("drawdown")}<p class="hint screen">Drag to zoom, double-click to see everything.</p>`

export const priceCharts = (markets: ReadonlyArray<string>): string =>
  `${chartSwitches}${markets.map(priceChart).join("")}<h3>Fills over time</h3>${canvas("activity")}`

const priceChart = (name: string, index: number, { length }: ReadonlyArray<string>): string =>
  `${length === 1 ? "" : `<h3>${escape(name)}</h3>`}${canvas(`price-${index}`)}<p class="hint" id="dots-${index}"></p>`

const chartSwitches = `<div class="controls screen"><span class="soft">Show</span>${["price", "slots", "fills"]
  .map((what) => `<label><input type="checkbox" data-shows="${what}" checked> ${what}</label>`)
  .join("")}<select id="drawn" aria-label="Slot on the chart"><option value="">all slots</option></select></div>`

const percent = (ratio: number): string => `${ratio >= 0 ? "+" : "−"}${Math.abs(ratio * 100).toFixed(1)}`

const monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

export const monthTable = (name: string, months: ReadonlyArray<readonly [month: string, ratio: number]>): string => {
  const years = [...new Set(months.map(([month]) => month.slice(0, 4)))]
  const largest = Math.max(0.001, ...months.map(([, ratio]) => Math.abs(ratio)))
  const ratios = new Map(months)
  const cell = (year: string, month: number): string => {
    const ratio = ratios.get(`${year}-${String(month).padStart(2, "0")}`)
    if (ratio === undefined) return "<td></td>"
    const strength = Math.round((Math.abs(ratio) / largest) * 45)
    const colour = `color-mix(in srgb, var(--${ratio >= 0 ? "good" : "bad"}) ${strength}%, transparent)`
    return `<td style="background:${colour}">${percent(ratio)}</td>`
  }
  const columns = Array.from({ length: 12 }, (_, index) => index + 1)
  const head = monthNames.map((month) => `<th>${month}</th>`).join("")
  const rows = years.map(
    (year) => `<tr><th>${escape(year)}</th>${columns.map((month) => cell(year, month)).join("")}</tr>`
  )
  return `<h3>${escape(name)}, percent</h3>${scrolled(`<table class="months"><tr><td></td>${head}</tr>${rows.join("")}</table>`)}`
}

export const slotTables = (slots: ReadonlyArray<ReportSlot>): string => {
  const filled = slots.filter(({ buys, sells }) => buys + sells > 0)
  const still = slots.filter(({ buys, sells }) => buys + sells === 0)
  const sorted = filled.toSorted((a, b) => Number(b.gained) - Number(a.gained) || (a.slot < b.slot ? -1 : 1))
  const hidden = still.length === 0 ? "" : folded(`${counted(still.length, "slot")} without fills`, slotTable(still))
  return `${sorted.length === 0 ? "" : slotTable(sorted)}${hidden}`
}

const mostSlots = 200

const slotTable = (slots: ReadonlyArray<ReportSlot>): string => {
  const hidden = slots.length - mostSlots
  const more = hidden > 0 ? `<p class="hint">… and ${counted(hidden, "more slot")}.</p>` : ""
  return `${rowsOf(slots.slice(0, mostSlots))}${more}`
}

const rowsOf = (slots: ReadonlyArray<ReportSlot>): string => {
  const most = Math.max(1, ...slots.map(({ buys, sells }) => buys + sells))
  const width = (count: number): string => `calc(${(count / most).toFixed(3)} * var(--longest-bar))`
  const rows = slots.map(({ slot, why, buys, sells, gained, inventory }) => {
    const bars = `<span class="bar b" style="width:${width(buys)}"></span><span class="bar s" style="width:${width(sells)}"></span>`
    return `<tr><td>${escape(slot)}</td><td class="n">${buys}</td><td class="n">${sells}</td><td style="white-space:nowrap">${bars}</td><td class="n">${escape(grouped(gained))}</td><td class="n">${escape(grouped(inventory))}</td><td class="why">${escape(why)}</td></tr>`
  })
  return scrolled(
    `<table><thead><tr><th>slot</th><th class="n">buys</th><th class="n">sells</th><th>fills</th><th class="n">gained</th><th class="n">inventory</th><th>why</th></tr></thead><tbody>${rows.join("")}</tbody></table>`
  )
}

export const fillsTable = (
  marketCount: number
): string => `<div class="controls"><select id="slot" aria-label="Slot"><option value="">all slots</option></select>
<button id="previous">previous</button><button id="next">next</button></div><p id="page" class="hint"></p>
<div class="scroll" tabindex="0"><table><thead><tr><th>bar (UTC)</th>${marketCount === 1 ? "" : "<th>market</th>"}<th>side</th><th>slot</th><th class="n">price</th><th class="n">base</th><th class="n">quote</th><th>why</th></tr></thead><tbody id="fills"></tbody></table></div>`
