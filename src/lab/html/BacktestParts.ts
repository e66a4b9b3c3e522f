/** Elements of a backtest's page that `HtmlReportScript.ts` fills. Series are numbers; long columns are bytes in base64. */
import { canvas, escape } from "./HtmlPage.ts"

/** Distinct orders. Fills and stays refer to them by index; they refer to slot and market by index. */
export type ReportOrder = readonly [
  slot: number,
  side: 0 | 1,
  price: number,
  base: string,
  quote: string,
  market: number
]

export interface BacktestCurves {
  /** Epoch seconds. */
  readonly times: ReadonlyArray<number>
  /** The close, and the lowest and highest price since the previous time. */
  readonly markets: ReadonlyArray<
    { readonly name: string } & Readonly<Record<"close" | "low" | "high", ReadonlyArray<number>>>
  >
  readonly untouched: ReadonlyArray<number>
  readonly untouchedDrawdown: ReadonlyArray<number>
  readonly buyAndHold: ReadonlyArray<number>
  readonly sides: ReadonlyArray<{
    readonly name: string
    readonly equity: ReadonlyArray<number>
    readonly drawdown: ReadonlyArray<number>
  }>
  readonly slots: ReadonlyArray<string>
  readonly whys: ReadonlyArray<string>
  readonly orders: ReadonlyArray<ReportOrder>
  /** `reached`: the low or high that filled it. */
  readonly fills: { readonly bar: Int32Array; readonly order: Int32Array; readonly reached: Float64Array }
  readonly stays: { readonly from: Int32Array; readonly to: Int32Array; readonly order: Int32Array }
  /** Runs of bars that are `step` seconds apart: their first bars and times (epoch seconds). */
  readonly axis: { readonly bars: ReadonlyArray<number>; readonly times: ReadonlyArray<number>; readonly step: number }
}

const bytes = (values: Int32Array | Float64Array): string =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64")

const encoded = <K extends string>(columns: Readonly<Record<K, Int32Array | Float64Array>>) =>
  Object.fromEntries(Object.entries<Int32Array | Float64Array>(columns).map(([name, values]) => [name, bytes(values)]))

export const dataOf = ({ fills, stays, ...others }: BacktestCurves) => ({
  ...others,
  fills: encoded(fills),
  stays: encoded(stays)
})

export const equityCharts = (quote: string): string =>
  `<h3>Equity, ${escape(quote)}</h3>${canvas("equity")}<h3>Profit against the untouched budget, ${escape(quote)}</h3>${canvas("profit")}<h3>Drawdown, % below the highest equity so far</h3>${canvas("drawdown")}<p class="hint screen">Drag to zoom, double-click to see everything.</p>`

export const priceCharts = (markets: ReadonlyArray<string>): string =>
  `${chartSwitches}${markets.map(priceChart).join("")}`

const priceChart = (name: string, index: number): string =>
  `<h3>${escape(name)}: ${escape(name.split("/")[1] ?? "")} for one ${escape(name.split("/")[0] ?? "")}</h3>${canvas(`price-${index}`)}<p class="hint" id="dots-${index}"></p>`

const chartSwitches = `<div class="controls screen"><span class="soft">Show</span>${["price", "slots", "fills"]
  .map((what) => `<label><input type="checkbox" data-shows="${what}" checked> ${what}</label>`)
  .join("")}<select id="drawn" aria-label="Slot"><option value="">all slots</option></select></div>`

export const fillsTable = (
  marketCount: number
): string => `<div class="controls"><button id="previous">previous</button><button id="next">next</button></div><p id="page" class="hint"></p>
<div class="scroll" tabindex="0"><table class="t"><thead><tr><th>Bar (UTC)</th>${marketCount === 1 ? "" : "<th>Market</th>"}<th>Side</th><th>Slot</th><th class="n">Price</th><th class="n">Base</th><th class="n">Quote</th><th>Why</th></tr></thead><tbody id="fills"></tbody></table></div>`
