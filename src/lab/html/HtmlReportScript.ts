/** Draws a backtest's charts and fills in the browser, without requests. A new theme or width, also for printing, redraws charts. */
export const script = `
const data = JSON.parse(document.getElementById("data").textContent)
const root = document.documentElement
const probe = document.body.appendChild(document.createElement("i"))
const colour = (name) => { probe.style.color = "var(" + name + ")"; return getComputedStyle(probe).color }
const pale = (name) => colour(name).replace("rgb(", "rgba(").replace(")", ", 0.16)")
const charts = []
// At most 8 digits; a single zero before the point does not count.
const places = (value, most) => Math.min(most, Math.max(0, 8 - String(Math.trunc(Math.abs(value))).replace(/^0$/, "").length))
const figure = (most) => (value) => value == null ? "" : value.toLocaleString("en", { minimumFractionDigits: places(value, most), maximumFractionDigits: places(value, most), signDisplay: "negative" }).replace("-", "−")
const largest = (columns) => { let most = 0; for (const column of columns) for (const value of column) most = Math.max(most, Math.abs(value)); return most }
const moneyOf = (...columns) => { const most = largest(columns); return figure(most >= 100 ? 2 : most >= 1 ? 4 : 8) }
const percent = (value) => value == null ? "" : figure(2)(value * 100) + " %"
const stamp = (at) => new Date(at * 1000).toISOString().slice(0, 16).replace("T", " ")
const day = 86400
const marks = (_, splits, axis, space, step) => splits.map((at, index) => {
  const [date, time] = stamp(at).split(" ")
  const monthName = new Date(at * 1000).toLocaleString("en", { month: "short", timeZone: "UTC" })
  if (step >= 28 * day) return monthName + " " + date.slice(0, 4)
  const begins = index === 0 || stamp(splits[index - 1]).slice(0, 4) !== date.slice(0, 4)
  if (step >= day) return Number(date.slice(8)) + " " + monthName + (begins ? "\\n" + date.slice(0, 4) : "")
  return time + (index === 0 || time === "00:00" ? "\\n" + date : "")
})
const ticks = (format) => (_, splits) => { const texts = splits.map(format); return texts.every((text) => /^[^.]*(\\.0+)?( %)?$/.test(text)) ? texts.map((text) => text.replace(/\\.0+/, "")) : texts }
const scaleAxis = (more) => ({ stroke: () => colour("--ink-3"), grid: { stroke: () => colour("--line"), width: 1 }, ticks: { show: false }, font: "11px " + getComputedStyle(document.body).fontFamily, ...more })
const axes = (format) => [
  scaleAxis({ values: marks, space: 64, size: 38, grid: { show: false } }), scaleAxis({ size: 72, space: 28, values: ticks(format) })
]
const dashName = ([first] = []) => first == null ? "solid" : first < 4 ? "dotted" : "dashed"
const atRest = (u) => { if (u.legend.idxs[0] == null) u.setLegend({ idx: u.data[0].length - 1 }) }
const chart = (id, height, series, columns, format, { hooks, ...options } = {}) => {
  const target = document.getElementById(id)
  const chart = new uPlot({
    width: target.clientWidth, height, series: [{ label: "UTC", value: (_, at) => at == null ? "" : stamp(at) }, ...series],
    axes: axes(format), legend: { markers: { width: 2, stroke: (u, at) => u.series[at].paint, fill: () => "none", dash: (u, at) => dashName(u.series[at].dash) } }, hooks: { ...hooks, setLegend: [atRest], ready: [atRest] }, cursor: { sync: { key: "run" }, points: { show: false } }, padding: [8, 26, 0, 0],
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"), ...options
  }, [data.times, ...columns], target)
  charts.push([chart, target, height])
  return chart
}
const line = (label, name, format, extra) => ({ label, paint: "var(" + name + ")", stroke: () => colour(name), width: 1.5, value: (_, value) => format(value), points: { show: false }, ...extra })
const resize = () => { for (const [chart, target, height] of charts) chart.setSize({ width: target.clientWidth, height }) }
const redraw = () => { for (const [chart] of charts) chart.redraw(false) }
addEventListener("resize", resize)
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw)
new MutationObserver(redraw).observe(root, { attributeFilter: ["data-theme"] })
const paperWidth = 680
addEventListener("beforeprint", () => { root.dataset.paper = ""; for (const [chart, , height] of charts) chart.setSize({ width: paperWidth, height }) })
addEventListener("afterprint", () => { delete root.dataset.paper; resize() })
const numbers = (Type, text) => {
  const raw = atob(text), bytes = new Uint8Array(raw.length)
  for (let at = 0; at < raw.length; at++) bytes[at] = raw.charCodeAt(at)
  return new Type(bytes.buffer)
}
const { sides, slots, whys, orders, axis, markets } = data
const fills = { bar: numbers(Int32Array, data.fills.bar), order: numbers(Int32Array, data.fills.order), reached: numbers(Float64Array, data.fills.reached) }
const stays = { from: numbers(Int32Array, data.stays.from), to: numbers(Int32Array, data.stays.to), order: numbers(Int32Array, data.stays.order) }
const firstAfter = (times, at) => { let low = 0, high = times.length; while (low < high) { const middle = (low + high) >>> 1; if (times[middle] < at) low = middle + 1; else high = middle } return low }
const timeOf = (bar) => { const run = firstAfter(axis.bars, bar + 1) - 1; return axis.times[run] + (bar - axis.bars[run]) * axis.step }
const fillTimes = Float64Array.from(fills.bar, (bar) => timeOf(bar) + axis.step)
const stayTimes = { from: Float64Array.from(stays.from, timeOf), to: Float64Array.from(stays.to, timeOf) }
const bands = sides.length < 2 ? [] : [{ series: [1, 2], fill: () => pale("--accent") }, { series: [2, 1], fill: () => pale("--accent") }]
const money = moneyOf(...sides.map((side) => side.equity), data.untouched, data.buyAndHold)
const sideLines = (format) => sides.map((side, index) => line(side.name, "--accent", format, { dash: index === 0 && sides.length > 1 ? [8, 3] : [] }))
const untouched = (format) => line("untouched budget", "--ink", format, { dash: [6, 4] })
chart("equity", 272, [...sideLines(money), untouched(money), line("buy and hold", "--ink-3", money, { dash: [2, 3] })],
  [...sides.map((side) => side.equity), data.untouched, data.buyAndHold], money, { bands })
const profits = sides.map((side) => side.equity.map((equity, index) => equity - data.untouched[index]))
chart("profit", 160, [...sideLines(money), untouched(money)], [...profits, data.times.map(() => 0)], money, { bands })
chart("drawdown", 140, [...sides.map((side, index) => line(side.name, "--down", percent, index === 0 ? { fill: () => pale("--down") } : { dash: [3, 3] })), untouched(percent)],
  [...sides.map((side) => side.drawdown), data.untouchedDrawdown], percent)
const mostDots = 6000
const shows = { price: true, slots: true, fills: true }
const drawnSlot = document.getElementById("drawn")
for (const [index, name] of slots.entries()) drawnSlot.add(new Option(name, index))
const isDrawn = (order) => drawnSlot.value === "" || order[0] === Number(drawnSlot.value)
const clip = (u, draw) => { const { ctx, bbox } = u; ctx.save(); ctx.beginPath(); ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height); ctx.clip(); draw(ctx); ctx.restore() }
const resting = (market) => (u) => shows.slots && clip(u, (ctx) => {
  const { min, max } = u.scales.x, shown = [[], []]
  for (let index = 0; index < stays.from.length; index++) {
    const from = stayTimes.from[index], to = stayTimes.to[index]
    if (to < min || from > max || orders[stays.order[index]][5] !== market || !isDrawn(orders[stays.order[index]])) continue
    const x = u.valToPos(from, "x", true), end = u.valToPos(to, "x", true)
    if (end - x < 0.7) continue
    const order = orders[stays.order[index]], y = Math.round(u.valToPos(order[2], "y", true)) + 0.5
    shown[order[1]].push([x, y, end])
  }
  ctx.lineWidth = devicePixelRatio || 1
  ctx.globalAlpha = shown[0].length + shown[1].length > 600 ? 0.2 : 0.45
  for (const [side, name] of ["--up", "--down"].entries()) {
    ctx.strokeStyle = colour(name)
    ctx.beginPath()
    for (const [x, y, end] of shown[side]) { ctx.moveTo(x, y); ctx.lineTo(end, y) }
    ctx.stroke()
  }
})
const dots = (market) => {
  const own = Int32Array.from(fills.order.keys()).filter((index) => orders[fills.order[index]][5] === market)
  const times = Float64Array.from(own, (index) => fillTimes[index])
  return (u) => {
  if (!shows.fills) { document.getElementById("dots-" + market).textContent = ""; return }
  clip(u, (ctx) => {
  const { min, max } = u.scales.x
  const from = firstAfter(times, min), to = firstAfter(times, max + 1)
  let inView = 0
  for (let at = from; at < to; at++) if (isDrawn(orders[fills.order[own[at]]])) inView++
  const step = Math.max(1, Math.ceil((to - from) / mostDots)), r = (to - from > 1000 ? 1.8 : 3) * (devicePixelRatio || 1)
  for (const [side, name] of ["--up", "--down"].entries()) {
    ctx.fillStyle = colour(name)
    ctx.beginPath()
    for (let at = from; at < to; at += step) {
      const order = orders[fills.order[own[at]]]
      if (order[1] !== side || !isDrawn(order)) continue
      const x = u.valToPos(times[at], "x", true), y = u.valToPos(order[2], "y", true), tip = side === 0 ? -r : r
      ctx.moveTo(x, y + tip); ctx.lineTo(x + r, y - tip); ctx.lineTo(x - r, y - tip); ctx.closePath()
    }
    ctx.fill()
  }
  document.getElementById("dots-" + market).textContent = "Lines are resting orders, triangles fills: up for a buy, down for a sell. " +
    (step > 1 ? "One of " + step + " fills is drawn; zoom in to see all." : inView + (inView === 1 ? " fill" : " fills") + " in view.")
  })
  }
}
const steps = uPlot.paths.stepped({ align: -1 })
// A hidden series would take its scale along, and with it the slots and fills.
const priceCharts = []
for (const [index, { close, low, high }] of markets.entries()) {
  const money = moneyOf(high)
  priceCharts.push(chart("price-" + index, 380, [line("close", "--ink", money, { width: 1, stroke: () => shows.price ? colour("--ink") : "transparent" }), line("low", "--line-2", money, { width: 0, paths: steps }), line("high", "--line-2", money, { width: 0, paths: steps })],
    [close, low, high], money, { hooks: { drawAxes: [resting(index)], draw: [dots(index)] }, bands: [{ series: [3, 2], fill: () => shows.price ? pale("--ink-3") : "transparent" }] }))
}
for (const box of document.querySelectorAll("[data-shows]")) box.onchange = () => {
  shows[box.dataset.shows] = box.checked
  for (const chart of priceCharts) chart.redraw(false)
}
const perPage = 100
const shownFills = () => Array.from(fills.order.keys()).filter((index) => isDrawn(orders[fills.order[index]]))
let page = 0, chosen = shownFills()
const digits = (value) => Number(value).toLocaleString("en", { maximumFractionDigits: places(value, 8) })
const cell = (text, kind) => { const element = document.createElement("td"); element.textContent = text; if (kind) element.className = kind; return element }
const show = () => {
  const total = chosen.length
  const pages = Math.max(1, Math.ceil(total / perPage))
  page = Math.min(Math.max(0, page), pages - 1)
  const body = document.getElementById("fills")
  body.replaceChildren()
  for (let at = page * perPage; at < Math.min(total, (page + 1) * perPage); at++) {
    const index = chosen[at], [slot, side, price, base, quote, market] = orders[fills.order[index]], row = document.createElement("tr")
    const reached = (side === 0 ? "The low " : "The high ") + digits(fills.reached[index]) + (side === 0 ? " reached the buy at " : " reached the sell at ") + digits(price)
    row.append(cell(stamp(timeOf(fills.bar[index])), "t"), ...(markets.length === 1 ? [] : [cell(markets[market].name, "t")]), cell(side === 0 ? "Buy" : "Sell", side === 0 ? "side buy" : "side sell"),
      cell(slots[slot], "t"), cell(digits(price), "n"), cell(digits(base), "n"), cell(money(Number(quote)), "n"), cell(reached + "; " + whys[slot], "why"))
    body.append(row)
  }
  document.getElementById("page").textContent = total === 0 ? "no fills" : "fills " + (page * perPage + 1) + " to " + Math.min(total, (page + 1) * perPage) + " of " + total
  document.getElementById("previous").disabled = page === 0
  document.getElementById("next").disabled = page === pages - 1
}
document.getElementById("previous").onclick = () => { page--; show() }
document.getElementById("next").onclick = () => { page++; show() }
drawnSlot.onchange = () => { for (const chart of priceCharts) chart.redraw(false); chosen = shownFills(); page = 0; show() }
show()
`
