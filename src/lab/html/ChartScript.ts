/**
 * Shares code among charts in the reader's browser: the colours of the page's palette, a common cursor and zoom, and redrawing when the
 * palette or the width changes, also for printing. Makes no requests.
 */
export const chartScript = `
const data = JSON.parse(document.getElementById("data").textContent)
const root = document.documentElement
const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim()
const charts = []
const figure = (places) => (value) => value == null ? "" : value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places })
const largest = (columns) => { let found = 0; for (const column of columns) for (const value of column) found = Math.max(found, Math.abs(value)); return found }
const moneyOf = (...columns) => { const most = largest(columns); return figure(most >= 100 ? 2 : most >= 1 ? 4 : 8) }
const percent = (value) => value == null ? "" : (value * 100).toFixed(2) + " %"
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
const ticks = (format) => (_, splits) => { const texts = splits.map(format); return texts.every((text) => text.endsWith(".00")) ? texts.map((text) => text.slice(0, -3)) : texts }
const axes = (format, splits) => [
  { stroke: () => colour("--soft"), grid: { stroke: () => colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif", values: marks, space: 64, size: 42 },
  { stroke: () => colour("--soft"), grid: { stroke: () => colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif", size: 76, space: 26, values: ticks(format), ...(splits ? { splits } : {}) }
]
const atRest = (u) => { if (u.legend.idxs[0] == null) u.setLegend({ idx: u.data[0].length - 1 }) }
const chart = (id, height, series, columns, format, { hooks, splits, ...options } = {}, times) => {
  const target = document.getElementById(id)
  const made = new uPlot({
    width: target.clientWidth, height, series: [{ label: "UTC", value: (_, at) => at == null ? "" : stamp(at) }, ...series],
    axes: axes(format, splits), legend: { markers: { stroke: (u, at) => u.series[at].paint, fill: (u, at) => u.series[at].paint } }, hooks: { ...hooks, setLegend: [atRest], ready: [atRest] }, cursor: { sync: { key: "run" }, points: { show: false } }, padding: [8, 26, 0, 0],
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"), ...options
  }, [times ?? data.times, ...columns], target)
  charts.push([made, target, height])
  return made
}
const line = (label, name, format, extra) => ({ label, paint: "var(" + name + ")", stroke: () => colour(name), width: 1.5, value: (_, value) => format(value), points: { show: false }, ...extra })
const resize = () => { for (const [made, target, height] of charts) made.setSize({ width: target.clientWidth, height }) }
addEventListener("resize", resize)
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { for (const [made] of charts) made.redraw(false) })
const paperWidth = 680
addEventListener("beforeprint", () => { root.dataset.paper = ""; for (const [made, , height] of charts) made.setSize({ width: paperWidth, height }) })
addEventListener("afterprint", () => { delete root.dataset.paper; resize() })
`
