/**
 * What charts share in the reader's browser: the colours of the page's own palette, a common cursor and zoom, and
 * redrawing when the palette or the width changes, even on paper. No requests.
 */
export const chartScript = `
const data = JSON.parse(document.getElementById("data").textContent)
const root = document.documentElement
const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim()
const charts = []
const money = (value) => value == null ? "" : value.toLocaleString("en", { maximumFractionDigits: 2 })
const percent = (value) => value == null ? "" : (value * 100).toFixed(2) + " %"
const stamp = (at) => new Date(at * 1000).toISOString().slice(0, 16).replace("T", " ")
const day = 86400
const marks = (_, splits, axis, space, step) => splits.map((at, index) => {
  const [date, time] = stamp(at).split(" ")
  if (step >= 28 * day) return date.slice(0, 7)
  const begins = index === 0 || stamp(splits[index - 1]).slice(0, 4) !== date.slice(0, 4)
  if (step >= day) return date.slice(5) + (begins ? "\\n" + date.slice(0, 4) : "")
  return time + (index === 0 || time === "00:00" ? "\\n" + date : "")
})
const axes = (format) => [
  { stroke: () => colour("--soft"), grid: { stroke: () => colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif", values: marks, space: 64, size: 42 },
  { stroke: () => colour("--soft"), grid: { stroke: () => colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif", size: 76, space: 26, values: (_, all) => all.map(format) }
]
const chart = (id, height, series, columns, format, options, times) => {
  const target = document.getElementById(id)
  const made = new uPlot({
    width: target.clientWidth, height, series: [{ label: "UTC", value: (_, at) => at == null ? "" : stamp(at) }, ...series],
    axes: axes(format), cursor: { sync: { key: "run" }, points: { show: false } }, padding: [8, 26, 0, 0],
    tzDate: (at) => uPlot.tzDate(new Date(at * 1000), "Etc/UTC"), ...options
  }, [times ?? data.times, ...columns], target)
  charts.push([made, target, height])
  return made
}
const line = (label, name, format, extra) => ({ label, stroke: () => colour(name), width: 1.5, value: (_, value) => format(value), points: { show: false }, ...extra })
const resize = () => { for (const [made, target, height] of charts) made.setSize({ width: target.clientWidth, height }) }
addEventListener("resize", resize)
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { for (const [made] of charts) made.redraw(false) })
const paperWidth = 680
addEventListener("beforeprint", () => { root.dataset.paper = ""; for (const [made, , height] of charts) made.setSize({ width: paperWidth, height }) })
addEventListener("afterprint", () => { delete root.dataset.paper; resize() })
`
