/** What runs in the reader's browser: charts with a common cursor and zoom, and the fills by pages. No requests. */
export const script = `
const data = JSON.parse(document.getElementById("data").textContent)
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim()
const charts = []
const money = (value) => value == null ? "" : value.toLocaleString(undefined, { maximumFractionDigits: 2 })
const percent = (value) => value == null ? "" : (value * 100).toFixed(2) + " %"
const axes = (format) => [
  { stroke: () => colour("--soft"), grid: { stroke: () => colour("--line"), width: 1 }, ticks: { show: false } },
  { stroke: () => colour("--soft"), grid: { stroke: () => colour("--line"), width: 1 }, ticks: { show: false }, size: 84, values: (_, all) => all.map(format) }
]
const chart = (id, height, series, columns, format, hooks, bands) => {
  const target = document.getElementById(id)
  const made = new uPlot({
    width: target.clientWidth, height, series: [{ value: (_, at) => at == null ? "" : new Date(at * 1000).toISOString().slice(0, 16).replace("T", " ") }, ...series],
    axes: axes(format), cursor: { sync: { key: "run" } }, tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"), hooks: hooks ?? {}, bands: bands ?? []
  }, [data.times, ...columns], target)
  charts.push([made, target, height])
}
const line = (label, name, format, extra) => ({ label, stroke: () => colour(name), width: 1.5, value: (_, value) => format(value), ...extra })
const names = ["--accent", "--second"]
chart("equity", 320, [
  ...data.sides.map((side, index) => line(side.name, names[index], money)), line("budget left alone", "--hold", money, { dash: [5, 4] })
], [...data.sides.map((side) => side.equity), data.hold], money, {},
  data.sides.length === 2 ? [{ series: [1, 2], fill: () => colour("--accent") + "2e" }] : [])
chart("drawdown", 160, data.sides.map((side, index) => line(side.name, names[index], percent)),
  data.sides.map((side) => side.drawdown), percent)
const mostDots = 6000
const dots = (u) => {
  const { time, price, buys } = data.fills
  const { min, max } = u.scales.x
  let from = 0, to = time.length
  while (from < to && time[from] < min) from++
  while (to > from && time[to - 1] > max) to--
  const step = Math.max(1, Math.ceil((to - from) / mostDots))
  const ratio = devicePixelRatio || 1
  for (let index = from; index < to; index += step) {
    u.ctx.fillStyle = colour(buys[index] ? "--good" : "--bad")
    const x = u.valToPos(time[index], "x", true), y = u.valToPos(price[index], "y", true), r = 3.2 * ratio
    u.ctx.beginPath()
    if (buys[index]) { u.ctx.moveTo(x, y - r); u.ctx.lineTo(x + r, y + r); u.ctx.lineTo(x - r, y + r) }
    else { u.ctx.moveTo(x, y + r); u.ctx.lineTo(x + r, y - r); u.ctx.lineTo(x - r, y - r) }
    u.ctx.fill()
  }
  document.getElementById("dots").textContent = step > 1 ? "one of " + step + " fills is drawn; zoom in to see all" : (to - from) + " fills drawn"
}
chart("price", 360, [line("close", "--hold", money, { width: 1 }), line("low", "--hold", money, { width: 0.5 }), line("high", "--hold", money, { width: 0.5 })],
  [data.close, data.low, data.high], money, { draw: [dots] })
const resize = () => { for (const [made, target, height] of charts) made.setSize({ width: target.clientWidth, height }) }
addEventListener("resize", resize)
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { for (const [made] of charts) made.redraw(false) })
const { fills, slots } = data
const perPage = 100
let page = 0, chosen = null
const select = document.getElementById("slot")
for (const [index, name] of slots.entries()) select.add(new Option(name, index))
const indices = () => {
  if (select.value === "") return null
  const slot = Number(select.value), found = []
  for (let index = 0; index < fills.time.length; index++) if (fills.slot[index] === slot) found.push(index)
  return found
}
const cell = (text, kind) => { const made = document.createElement("td"); made.textContent = text; if (kind) made.className = kind; return made }
const show = () => {
  const count = chosen ? chosen.length : fills.time.length
  const pages = Math.max(1, Math.ceil(count / perPage))
  page = Math.min(Math.max(0, page), pages - 1)
  const body = document.getElementById("fills")
  body.replaceChildren()
  for (let at = page * perPage; at < Math.min(count, (page + 1) * perPage); at++) {
    const index = chosen ? chosen[at] : at, buys = fills.buys[index], slot = fills.slot[index], row = document.createElement("tr")
    const reached = (buys ? "the low " : "the high ") + fills.reached[index] + (buys ? " reached the buy at " : " reached the sell at ") + fills.price[index]
    row.append(cell(new Date(fills.time[index] * 1000).toISOString().slice(0, 16).replace("T", " ")), cell(buys ? "BUY" : "SELL", buys ? "good" : "bad"),
      cell(slots[slot]), cell(fills.price[index], "n"), cell(fills.base[index], "n"), cell(fills.quote[index], "n"),
      cell(reached + ". " + data.whys[slot], "why"))
    body.append(row)
  }
  document.getElementById("page").textContent = "page " + (page + 1) + " of " + pages + ", " + count + " fills"
  document.getElementById("previous").disabled = page === 0
  document.getElementById("next").disabled = page === pages - 1
}
document.getElementById("previous").onclick = () => { page--; show() }
document.getElementById("next").onclick = () => { page++; show() }
select.onchange = () => { chosen = indices(); page = 0; show() }
show()
`
