/** A backtest as one HTML page. Figures come already formatted, series as numbers. */
import { cards, data, escape, type Facts, list, render as page } from "./HtmlPage.ts"
import { script } from "./HtmlReportScript.ts"

export interface ReportSide {
  readonly name: string
  readonly facts: Facts
  readonly statistics: Facts
  readonly rules: ReadonlyArray<string>
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
  /** Gained by sells against the buys before them, quote. */
  readonly gained: string
}

/** Columns of equal length. Times are epoch seconds. */
export interface ReportFills {
  readonly time: ReadonlyArray<number>
  readonly buys: ReadonlyArray<boolean>
  readonly slot: ReadonlyArray<number>
  readonly price: ReadonlyArray<number>
  /** The low or high that reached it. */
  readonly reached: ReadonlyArray<number>
  readonly base: ReadonlyArray<string>
  readonly quote: ReadonlyArray<string>
}

export interface Report {
  readonly title: string
  readonly subtitle: string
  readonly headline: Facts
  readonly facts: Facts
  readonly sides: ReadonlyArray<ReportSide>
  readonly times: ReadonlyArray<number>
  readonly close: ReadonlyArray<number>
  readonly low: ReadonlyArray<number>
  readonly high: ReadonlyArray<number>
  readonly hold: ReadonlyArray<number>
  readonly slots: ReadonlyArray<ReportSlot>
  readonly fills: ReportFills
  readonly notModelled: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

/** The chart library, as text. */
export interface ChartLibrary {
  readonly script: string
  readonly style: string
}

/** Rows of labels with one column per side. */
const sideBySide = (sides: ReadonlyArray<ReportSide>, factsOf: (side: ReportSide) => Facts): string => {
  const head = sides.map(({ name }) => `<th class="n">${escape(name)}</th>`).join("")
  const [first] = sides
  const rows = (first === undefined ? [] : factsOf(first)).map(([label], row) => {
    const cells = sides.map((side) => `<td class="n">${escape(factsOf(side)[row]?.[1] ?? "")}</td>`).join("")
    return `<tr><td>${escape(label)}</td>${cells}</tr>`
  })
  return `<div class="scroll"><table><thead><tr><th></th>${head}</tr></thead><tbody>${rows.join("")}</tbody></table></div>`
}

const percent = (ratio: number): string => `${ratio >= 0 ? "+" : ""}${(ratio * 100).toFixed(1)}`

/** One row per year; the stronger the colour the larger the return. */
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
  const head = columns.map((month) => `<th>${month}</th>`).join("")
  const rows = years.map(
    (year) => `<tr><th>${escape(year)}</th>${columns.map((month) => cell(year, month)).join("")}</tr>`
  )
  return `<h3>${escape(name)}, percent</h3><div class="scroll"><table class="months"><tr><th></th>${head}</tr>${rows.join("")}</table></div>`
}

const slotTable = (slots: ReadonlyArray<ReportSlot>): string => {
  const most = Math.max(1, ...slots.map(({ buys, sells }) => buys + sells))
  const rows = slots.map(({ slot, why, buys, sells, gained }) => {
    const width = Math.round(((buys + sells) / most) * 120)
    return `<tr><td>${escape(slot)}</td><td class="n">${buys}</td><td class="n">${sells}</td><td><span class="bar" style="width:${width}px"></span></td><td class="n">${escape(gained)}</td><td class="why">${escape(why)}</td></tr>`
  })
  return `<div class="scroll"><table><thead><tr><th>slot</th><th class="n">buys</th><th class="n">sells</th><th>fills</th><th class="n">gained</th><th>why</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`
}

const fillsSection = `<div class="controls"><select id="slot" aria-label="Slot"><option value="">all slots</option></select>
<button id="previous">previous</button><button id="next">next</button><span id="page" class="soft"></span></div>
<div class="scroll"><table><thead><tr><th>bar (UTC)</th><th>side</th><th>slot</th><th class="n">price</th><th class="n">base</th><th class="n">quote</th><th>why</th></tr></thead><tbody id="fills"></tbody></table></div>`

const dataOf = ({ sides, times, close, low, high, hold, fills, slots }: Report) => ({
  times,
  close,
  low,
  high,
  hold,
  sides: sides.map(({ name, equity, drawdown }) => ({ name, equity, drawdown })),
  fills,
  slots: slots.map(({ slot }) => slot),
  whys: slots.map(({ why }) => why)
})

export const render = (report: Report, library: ChartLibrary): string =>
  page({
    title: report.title,
    subtitle: report.subtitle,
    styles: library.style,
    body: `${cards(report.headline)}
${report.warnings.length === 0 ? "" : `<h2>Data quality</h2>${list(report.warnings)}`}
<h2>Equity</h2><div id="equity" class="chart"></div><h3>Drawdown</h3><div id="drawdown" class="chart"></div>
<p class="hint">Drag to zoom, double-click to see everything.</p>
<h2>Price and fills</h2><div id="price" class="chart"></div><p class="hint" id="dots"></p>
<h2>Result</h2>${sideBySide(report.sides, ({ facts }) => facts)}
<h2>Statistics</h2>${sideBySide(report.sides, ({ statistics }) => statistics)}
<h2>Monthly returns</h2>${report.sides.map(months).join("")}
<h2>Slots</h2>${slotTable(report.slots)}
<h2>Fills</h2>${fillsSection}
<h2>Assumptions</h2>${report.sides.map(({ name, rules }) => `<h3>${escape(name)}</h3>${list(rules)}`).join("")}
<h3>Not modelled</h3>${list(report.notModelled)}
<h2>Run</h2><table>${report.facts.map(([label, value]) => `<tr><td>${escape(label)}</td><td>${escape(value)}</td></tr>`).join("")}</table>`,
    scripts: `${data(dataOf(report))}<script>${library.script}</script><script>${script}</script>`
  })
