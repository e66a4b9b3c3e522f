/** Elements of a backtest's page that `HtmlReportScript.ts` fills. */
import { canvas, escape } from "./HtmlPage.ts"

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
