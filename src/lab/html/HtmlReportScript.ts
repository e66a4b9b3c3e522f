/** Draws the charts and the fills of a backtest in the reader's browser. */
export const script = `
const numbers = (Type, text) => {
  const raw = atob(text), bytes = new Uint8Array(raw.length)
  for (let at = 0; at < raw.length; at++) bytes[at] = raw.charCodeAt(at)
  return new Type(bytes.buffer)
}
const { sides, slots, whys, orders, axis, markets } = data
const fills = { bar: numbers(Int32Array, data.fills.bar), order: numbers(Int32Array, data.fills.order), reached: numbers(Float64Array, data.fills.reached) }
const stays = { from: numbers(Int32Array, data.stays.from), to: numbers(Int32Array, data.stays.to), order: numbers(Int32Array, data.stays.order) }
const count = fills.bar.length
const timeOf = (bar) => {
  let low = 0, high = axis.bars.length
  while (low < high) { const middle = (low + high) >>> 1; if (axis.bars[middle] <= bar) low = middle + 1; else high = middle }
  return axis.times[low - 1] + (bar - axis.bars[low - 1]) * axis.step
}
const fillTimes = Float64Array.from(fills.bar, (bar) => timeOf(bar) + axis.step)
const stayTimes = { from: Float64Array.from(stays.from, timeOf), to: Float64Array.from(stays.to, timeOf) }
const firstAfter = (times, at) => { let low = 0, high = times.length; while (low < high) { const middle = (low + high) >>> 1; if (times[middle] < at) low = middle + 1; else high = middle } return low }
const names = ["--accent", "--second"]
const band = sides.length === 2 ? [{ series: [1, 2], fill: () => colour("--band") }, { series: [2, 1], fill: () => colour("--band") }] : []
const money = moneyOf(...sides.map((side) => side.equity), data.hold)
chart("equity", 320, [
  ...sides.map((side, index) => line(side.name, names[index], money)), line("untouched budget", "--hold", money, { dash: [5, 4] })
], [...sides.map((side) => side.equity), data.hold], money, { bands: band })
chart("drawdown", 150, sides.map((side, index) => line(side.name, names[index], percent)), sides.map((side) => side.drawdown), percent)
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
  for (const [side, name] of ["--buy", "--sell"].entries()) {
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
  for (const [side, name] of ["--buy", "--sell"].entries()) {
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
  priceCharts.push(chart("price-" + index, 380, [line("close", "--ink", money, { width: 1, stroke: () => shows.price ? colour("--ink") : "transparent" }), line("low", "--hold", money, { width: 0, paths: steps }), line("high", "--hold", money, { width: 0, paths: steps })],
    [close, low, high], money, { hooks: { drawAxes: [resting(index)], draw: [dots(index)] }, bands: [{ series: [3, 2], fill: () => shows.price ? colour("--range") : "transparent" }] }))
}
for (const box of document.querySelectorAll("[data-shows]")) box.onchange = () => {
  shows[box.dataset.shows] = box.checked
  for (const made of priceCharts) made.redraw(false)
}
drawnSlot.onchange = () => { for (const made of priceCharts) made.redraw(false) }
const groups = Math.min(120, data.times.length), first = data.times[0], last = data.times[data.times.length - 1]
const groupSpan = Math.max(1, (last - first) / groups)
const groupTimes = Array.from({ length: groups }, (_, group) => first + (group + 0.5) * groupSpan)
const perGroup = [groupTimes.map(() => 0), groupTimes.map(() => 0)]
for (let index = 0; index < count; index++) {
  const group = Math.min(groups - 1, Math.max(0, Math.floor((fillTimes[index] - first) / groupSpan)))
  perGroup[orders[fills.order[index]][1]][group] += 1
}
const most = Math.max(1, largest(perGroup))
const columns = uPlot.paths.bars({ size: [0.75, 14, 1] })
const whole = (value) => value == null ? "" : Math.abs(value).toLocaleString("en")
const column = (label, name) => line(label, name, whole, { paths: columns, fill: () => colour(name), width: 0 })
chart("activity", 130, [column("buys", "--buy"), column("sells", "--sell")],
  [perGroup[0], perGroup[1].map((value) => -value)], whole, { splits: () => [-most, 0, most], scales: { y: { range: () => [-most, most] } } }, groupTimes)
const perPage = 100
let page = 0, chosen = null
const select = document.getElementById("slot")
for (const [index, name] of slots.entries()) select.add(new Option(name, index))
const indices = () => {
  if (select.value === "") return null
  const slot = Number(select.value), found = []
  for (let index = 0; index < count; index++) if (orders[fills.order[index]][0] === slot) found.push(index)
  return found
}
const placesOf = (texts) => { let most = 0; for (const text of texts) { if (text.includes("e")) return 8; const point = text.indexOf("."); if (point >= 0) most = Math.max(most, text.length - point - 1) } return Math.min(most, 8) }
const written = markets.map((_, market) => {
  const own = orders.filter((order) => order[5] === market)
  return [2, 3, 4].map((at) => {
    // A price within a bar has as many places as a double: eight digits are enough.
    const whole = String(Math.trunc(largest([own.map((order) => Number(order[at]))]))).replace(/^0$/, "").length
    const write = figure(Math.min(placesOf(own.map((order) => String(order[at]))), Math.max(0, 8 - whole)))
    return (value) => write(Number(value))
  })
})
const cell = (text, kind) => { const made = document.createElement("td"); made.textContent = text; if (kind) made.className = kind; return made }
const show = () => {
  const total = chosen ? chosen.length : count
  const pages = Math.max(1, Math.ceil(total / perPage))
  page = Math.min(Math.max(0, page), pages - 1)
  const body = document.getElementById("fills")
  body.replaceChildren()
  for (let at = page * perPage; at < Math.min(total, (page + 1) * perPage); at++) {
    const index = chosen ? chosen[at] : at, [slot, side, price, base, quote, market] = orders[fills.order[index]], row = document.createElement("tr")
    const [priceText, baseText, quoteText] = written[market]
    const reached = (side === 0 ? "The low " : "The high ") + priceText(fills.reached[index]) + (side === 0 ? " reached the buy at " : " reached the sell at ") + priceText(price)
    row.append(cell(stamp(timeOf(fills.bar[index])), "t"), ...(markets.length === 1 ? [] : [cell(markets[market].name, "t")]), cell(side === 0 ? "BUY" : "SELL", side === 0 ? "buy" : "sell"),
      cell(slots[slot], "t"), cell(priceText(price), "n"), cell(baseText(base), "n"), cell(quoteText(quote), "n"), cell(reached + "; " + whys[slot], "why"))
    body.append(row)
  }
  document.getElementById("page").textContent = total === 0 ? "no fills" : "fills " + (page * perPage + 1) + " to " + Math.min(total, (page + 1) * perPage) + " of " + total
  document.getElementById("previous").disabled = page === 0
  document.getElementById("next").disabled = page === pages - 1
}
document.getElementById("previous").onclick = () => { page--; show() }
document.getElementById("next").onclick = () => { page++; show() }
select.onchange = () => { chosen = indices(); page = 0; show() }
show()
`
