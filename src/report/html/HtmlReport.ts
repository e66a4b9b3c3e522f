/** A backtest as one HTML page. Figures come already formatted, series as numbers, long columns as bytes. */
import { grouped } from "../../domain/Text.ts"
import { counted } from "../../domain/Words.ts"
import { chartScript } from "./ChartScript.ts"
import * as HtmlPage from "./HtmlPage.ts"
import { escape, type Facts, list, section } from "./HtmlPage.ts"
import { script } from "./HtmlReportScript.ts"

export interface ReportSide {
  readonly name: string
  readonly facts: Facts
  readonly statistics: Facts
  readonly rules: ReadonlyArray<string>
  /** What its own limits did. */
  readonly limits: ReadonlyArray<string>
  /** At the report's times. */
  readonly equity: ReadonlyArray<number>
  readonly drawdown: ReadonlyArray<number>
  /** `2024-01` and the return of that month as a ratio. */
  readonly months: ReadonlyArray<readonly [month: string, ratio: number]>
}

export interface ReportSlot {
  readonly slot: string
  readonly why: string
  readonly buys: number
  readonly sells: number
  /** Gained by sells over the buys before them, in quote. */
  readonly gained: string
  /** What is still held, at the last price over its cost; empty where nothing is. */
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

export interface ReportPage {
  readonly title: string
  readonly subtitle: string
  readonly headline: Facts
  /** What the figures mean, in sentences. */
  readonly says: ReadonlyArray<string>
  readonly facts: Facts
  /** Stands beside the title. */
  readonly badge: string | undefined
  readonly fees: string
  /** The strategy file as it ran. */
  readonly text: string
  readonly quality: Facts
  readonly warnings: ReadonlyArray<string>
  readonly sides: ReadonlyArray<ReportSide>
  /** The budget left alone, by the same statistics. */
  readonly holdStatistics: Facts
  /** Epoch seconds. */
  readonly times: ReadonlyArray<number>
  readonly markets: ReadonlyArray<ReportMarket>
  readonly hold: ReadonlyArray<number>
  readonly slots: ReadonlyArray<ReportSlot>
  /** The name of the side whose orders, fills and slots these are. */
  readonly shown: string
  readonly orders: ReadonlyArray<ReportOrder>
  /** `reached`: the low or high that filled it. */
  readonly fills: { readonly bar: Int32Array; readonly order: Int32Array; readonly reached: Float64Array }
  /** The first and last bars between which orders rested. */
  readonly stays: { readonly from: Int32Array; readonly to: Int32Array; readonly order: Int32Array }
  /** First bars and times (epoch seconds) of runs of bars that are `step` seconds apart. */
  readonly axis: { readonly bars: ReadonlyArray<number>; readonly times: ReadonlyArray<number>; readonly step: number }
  /** What was measured rather than assumed. */
  readonly calibrated: ReadonlyArray<string>
  readonly notModelled: ReadonlyArray<string>
}

/** The chart library, as text. */
export interface ChartLibrary {
  readonly script: string
  readonly style: string
}

/** Rows of labels with one column per name. */
const sideBySide = (columns: ReadonlyArray<readonly [name: string, facts: Facts]>): string => {
  const rows = (columns[0]?.[1] ?? []).map(([label], row) => [
    label,
    ...columns.map(([, facts]) => facts[row]?.[1] ?? "")
  ])
  return HtmlPage.table(["", ...columns.map(([name]) => name)], rows)
}

const percent = (ratio: number): string => `${ratio >= 0 ? "+" : "−"}${Math.abs(ratio * 100).toFixed(1)}`

const monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

/** One row per year; the stronger the colour, the larger the return. */
const months = ({ name, months }: ReportSide): string => {
  const years = [...new Set(months.map(([month]) => month.slice(0, 4)))]
  const largest = Math.max(0.001, ...months.map(([, ratio]) => Math.abs(ratio)))
  const found = new Map(months)
  const cell = (year: string, month: number): string => {
    const ratio = found.get(`${year}-${String(month).padStart(2, "0")}`)
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
  return `<h3>${escape(name)}, percent</h3>${HtmlPage.scrolled(`<table class="months"><tr><td></td>${head}</tr>${rows.join("")}</table>`)}`
}

/** The best first; slots that never filled are folded away. */
const slotTables = (slots: ReadonlyArray<ReportSlot>): string => {
  const filled = slots.filter(({ buys, sells }) => buys + sells > 0)
  const still = slots.filter(({ buys, sells }) => buys + sells === 0)
  const sorted = filled.toSorted((a, b) => Number(b.gained) - Number(a.gained) || (a.slot < b.slot ? -1 : 1))
  const folded =
    still.length === 0
      ? ""
      : `<details><summary>${counted(still.length, "slot")} without fills</summary>${slotTable(still)}</details>`
  return `${sorted.length === 0 ? "" : slotTable(sorted)}${folded}`
}

/** Nobody reads more; a grid may have a thousand. */
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
  return HtmlPage.scrolled(
    `<table><thead><tr><th>slot</th><th class="n">buys</th><th class="n">sells</th><th>fills</th><th class="n">gained</th><th class="n">inventory</th><th>why</th></tr></thead><tbody>${rows.join("")}</tbody></table>`
  )
}

const fillsTable = (
  markets: ReportPage["markets"]
): string => `<div class="controls"><select id="slot" aria-label="Slot"><option value="">all slots</option></select>
<button id="previous">previous</button><button id="next">next</button></div><p id="page" class="hint"></p>
<div class="scroll" tabindex="0"><table><thead><tr><th>bar (UTC)</th>${markets.length === 1 ? "" : "<th>market</th>"}<th>side</th><th>slot</th><th class="n">price</th><th class="n">base</th><th class="n">quote</th><th>why</th></tr></thead><tbody id="fills"></tbody></table></div>`

const bytes = (values: Int32Array | Float64Array): string =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64")

const encoded = <K extends string>(columns: Readonly<Record<K, Int32Array | Float64Array>>) =>
  Object.fromEntries(Object.entries<Int32Array | Float64Array>(columns).map(([name, values]) => [name, bytes(values)]))

const dataOf = ({ sides, times, markets, hold, slots, orders, fills, stays, axis }: ReportPage) => ({
  times,
  markets,
  hold,
  sides: sides.map(({ name, equity, drawdown }) => ({ name, equity, drawdown })),
  slots: slots.map(({ slot }) => slot),
  whys: slots.map(({ why }) => why),
  orders,
  fills: encoded(fills),
  stays: encoded(stays),
  axis
})

const chartOf = (id: string): string => `<div id="${id}" class="chart"></div>`

const priceChart = ({ name }: ReportMarket, index: number, { length }: ReportPage["markets"]): string =>
  `${length === 1 ? "" : `<h3>${escape(name)}</h3>`}${chartOf(`price-${index}`)}<p class="hint" id="dots-${index}"></p>`

/** What the price charts show, and of which slot. */
const chartSwitches = `<div class="controls screen"><span class="soft">Show</span>${["price", "slots", "fills"]
  .map((what) => `<label><input type="checkbox" data-shows="${what}" checked> ${what}</label>`)
  .join("")}<select id="drawn" aria-label="Slot on the chart"><option value="">all slots</option></select></div>`

const rulesOf = (sides: ReadonlyArray<ReportSide>): string =>
  `<div class="pair">${sides.map(({ name, rules }) => `<div><h3>${escape(name)}</h3>${list(rules)}</div>`).join("")}</div>`

const limitsOf = (sides: ReadonlyArray<ReportSide>): string => {
  const limits = sides.flatMap(({ limits }) => limits)
  return limits.length === 0 ? "" : `<h3>Limits</h3>${list(limits)}`
}

const textTable = (facts: Facts): string =>
  `<table>${facts.map(([label, value]) => `<tr><td class="soft">${escape(label)}</td><td class="word">${escape(value)}</td></tr>`).join("")}</table>`

const bodyOf = (report: ReportPage): string => {
  const { sides, shown } = report
  const statistics = sides.map((side) => [side.name, side.statistics] as const)
  return [
    `<p>${report.badge === undefined ? "" : `<strong>[${escape(report.badge)}]</strong> `}${escape(report.fees)}</p>`,
    HtmlPage.cards(report.headline),
    section("What this says", list(report.says)),
    section(
      "Equity",
      `${chartOf("equity")}<h3>Drawdown</h3>${chartOf("drawdown")}<p class="hint screen">Drag to zoom, double-click to see everything.</p>`
    ),
    section(
      "Price, orders and fills",
      `${chartSwitches}${report.markets.map(priceChart).join("")}<h3>Fills over time</h3>${chartOf("activity")}`,
      `run: ${shown}`
    ),
    `<section class="pair"><div><h2>Result</h2>${sideBySide(sides.map((side) => [side.name, side.facts]))}${limitsOf(sides)}</div>
<div><h2>Statistics</h2>${sideBySide([...statistics, ["left alone", report.holdStatistics]])}</div></section>`,
    section("Monthly returns", sides.map(months).join("")),
    section(
      "Slots",
      slotTables(report.slots),
      `run: ${shown}; gained: what each sale earned against the buy before it; inventory: what is still held, at the last price over its cost; both in quote`
    ),
    section(
      "Assumptions",
      `${rulesOf(sides)}${report.calibrated.length === 0 ? "" : `<h3>Measured</h3>${list(report.calibrated)}`}<h3>Not modelled</h3>${list(report.notModelled)}`
    ),
    section("Data quality", `${textTable(report.quality)}${report.warnings.length === 0 ? "" : list(report.warnings)}`),
    section("Run", `${textTable(report.facts)}${HtmlPage.fileText(report.text)}`),
    section("Fills", fillsTable(report.markets), `run: ${shown}`)
  ].join("\n")
}

export const render = (report: ReportPage, library: ChartLibrary): string =>
  HtmlPage.render({
    title: report.title,
    subtitle: report.subtitle,
    styles: library.style,
    body: bodyOf(report),
    scripts: `${HtmlPage.data(dataOf(report))}<script>${library.script}</script><script>${chartScript}${script}</script>`
  })
