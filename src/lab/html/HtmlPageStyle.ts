/**
 * The look of all pages, on screens, phones and paper. The tokens are those of the dashboard's `style.css`, and five colours for several
 * runs in one chart. Green and red mean profit, loss and sides, always beside a sign, a shape or a word.
 */
const tokens = `
  --bg: light-dark(#f4f5f7, #0b0d12); --surface: light-dark(#fff, #12151c); --sunken: light-dark(#f7f8fa, #171b23);
  --hover: light-dark(#f3f5f9, #1a1f29); --line: light-dark(#e5e8ed, #222834); --line-2: light-dark(#cdd3dc, #38404f);
  --ink: light-dark(#10151f, #f0f3f8); --ink-2: light-dark(#454e5d, #b0b9c8); --ink-3: light-dark(#5c6676, #8a95a7);
  --accent: light-dark(#3350d0, #93a9ff); --accent-soft: light-dark(#eceffd, #1b2342);
  --up: light-dark(#08774a, #40cf8f); --down: light-dark(#bf2a2f, #ff8078);
  --shadow: 0 1px 2px light-dark(rgb(16 21 31/.05), rgb(0 0 0/.4));
  --font: -apple-system, BlinkMacSystemFont, "Segoe UI", Inter, Roboto, "Liberation Sans", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "Liberation Mono", monospace;
  --hero: 600 44px/48px var(--font); --t1: 600 24px/32px var(--font); --t2: 600 15px/24px var(--font);
  --t3: 400 13px/20px var(--font); --t4: 400 12px/16px var(--font); --r: 12px; --r2: 8px; --r3: 6px;
  --second: light-dark(#a35400, #f0a04b); --third: light-dark(#7a3ea8, #c79bf0); --fourth: light-dark(#006d8f, #4fc3dc);
  --fifth: light-dark(#6b6400, #cfc451); --sixth: light-dark(#5b6472, #a7b1c2);`

export const style = `
:root { color-scheme: light dark; ${tokens} }
[data-theme="light"], :root[data-paper] { color-scheme: light } [data-theme="dark"] { color-scheme: dark }
* { box-sizing: border-box; margin: 0 } html { background: var(--bg); scrollbar-gutter: stable }
body { font: var(--t3); color: var(--ink); font-variant-numeric: tabular-nums; -webkit-font-smoothing: antialiased; print-color-adjust: exact; -webkit-print-color-adjust: exact }
main { max-width: 1168px; margin: 0 auto; padding: 32px 24px 64px; display: grid; grid-template-columns: minmax(0, 1fr); gap: 24px }
h1 { font: var(--t1); letter-spacing: -.02em; max-width: 34em; text-wrap: balance; margin: 8px 0 } h2 { font: var(--t2) } h3 { font: 500 12px/16px var(--font); color: var(--ink-2); padding: 12px 24px 4px }
.crumb, .hint { color: var(--ink-3); overflow-wrap: anywhere } .hint { font: var(--t4); max-width: 100ch; text-wrap: pretty } .soft { color: var(--ink-2) } .up { color: var(--up) } .down { color: var(--down) }
ul { padding: 0; list-style: none } .lede { font: 400 15px/24px var(--font); color: var(--ink-2); max-width: 76ch; text-wrap: pretty; overflow-wrap: anywhere }
.points { padding: 8px 24px 16px 40px; list-style: circle; color: var(--ink-2); overflow-wrap: anywhere } .points li { padding: 2px 0; max-width: 100ch } .points li::marker { color: var(--ink-3) }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: var(--r); box-shadow: var(--shadow); min-width: 0 }
.card > header { padding: 16px 24px 8px; display: flex; flex-wrap: wrap; gap: 0 12px; align-items: baseline } .card > .hint { padding: 4px 24px 8px }
.kpis { display: grid; grid-template-columns: repeat(var(--columns), minmax(0, 1fr)); gap: 12px } .kpis .card { padding: 16px } .kpis .hero { grid-column: 1/-1; padding: 24px }
.kpis h2 { font: 500 12px/16px var(--font); color: var(--ink-3) } .kpis b { display: block; font: 600 20px/28px var(--font); letter-spacing: -.02em; margin: 4px 0; overflow-wrap: anywhere } .kpis p { font: var(--t4); color: var(--ink-3) }
.kpis .hero h2 { font: 500 13px/20px var(--font); color: var(--ink-2) } .kpis .hero b { font: var(--hero); letter-spacing: -.03em; margin: 4px 0 8px } .kpis .hero p { font: var(--t3) }
.scroll { overflow-x: auto } table { border-collapse: collapse; width: 100% }
.t th { font: 500 12px/16px var(--font); color: var(--ink-3); text-align: left; white-space: nowrap } .t :is(th, td) { padding: 7px 8px; border-bottom: 1px solid var(--line); vertical-align: baseline } .t tbody tr:last-child td { border-bottom: 0 } .t tbody tr:hover td { background: var(--hover) }
.t :is(th, td):first-child { padding-left: 24px } .t :is(th, td):last-child { padding-right: 24px } .t td { overflow-wrap: break-word } .t td:first-child:not(.n) { color: var(--ink-2); min-width: 9em } .t .n { text-align: right; white-space: nowrap } .t td.t { white-space: nowrap } .t td.why { color: var(--ink-3); min-width: 240px }
.side { font-weight: 500; white-space: nowrap } .side.buy { color: var(--up) } .side.sell { color: var(--down) } .side.buy::before { content: "▲ "; font-size: 8px } .side.sell::before { content: "▼ "; font-size: 8px }
details { border-top: 1px solid var(--line) } .card > details:first-child { border: 0 } summary { cursor: pointer; padding: 12px 24px; font-weight: 500; list-style: none } summary::before { content: "›"; display: inline-block; width: 16px; color: var(--ink-3) } details[open] > summary::before { content: "⌄" }
.folded { padding-bottom: 8px } .folded > .hint { padding: 0 24px 8px 40px } .folded details { margin: 0 16px } pre { font: 12px/18px var(--mono); padding: 0 24px 12px 40px }
.controls { display: flex; gap: 8px; flex-wrap: wrap; align-items: center; padding: 4px 24px 8px } .controls label { display: flex; gap: 6px; align-items: center } .controls input { accent-color: var(--accent) }
button, select { height: 32px; border: 1px solid var(--line-2); border-radius: var(--r2); background: var(--surface); color: var(--ink); font: 500 13px/1 var(--font); padding: 0 12px; max-width: 100% } button { cursor: pointer } button:hover { background: var(--hover) } button:disabled { opacity: .45; cursor: default } :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: var(--r3) }
.chart { margin: 0 16px; min-height: 60px; overflow: hidden } .chart canvas { display: block } .u-legend { text-align: left; margin: 0 !important; font: var(--t4); color: var(--ink-2); padding-left: 4px } .u-legend :is(td, th) { border: 0; padding: 2px 3px } .u-legend .u-series { margin-right: 12px } .u-legend th { font-weight: 500 } .u-legend .u-marker { width: 14px; height: 0; border-width: 2px 0 0 !important; border-radius: 0 } .u-select { background: var(--accent-soft) }
.plot { padding: 0 24px 16px; margin: 0 } .plot figcaption { display: flex; flex-wrap: wrap; gap: 4px 24px; justify-content: space-between; font: 500 12px/16px var(--font); color: var(--ink-2); padding: 4px 0 10px }
.area { position: relative; height: 240px; margin: 0 16px 24px 84px } .area svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible } .area svg * { vector-effect: non-scaling-stroke; fill: none }
.area :is(i, b) { position: absolute; font: 11px/14px var(--font); color: var(--ink-3); white-space: nowrap } .area .y { right: calc(100% + 8px); translate: 0 -50%; max-width: 76px; overflow: hidden; text-overflow: ellipsis } .area .x { top: calc(100% + 8px); translate: -50% 0 } .area b { color: var(--ink); font-weight: 600; translate: 6px 0; background: color-mix(in srgb, var(--surface) 92%, transparent); padding: 0 3px; border-radius: 3px } .area b.left { translate: calc(-100% - 6px) 0 } .x-title { font: var(--t4); color: var(--ink-3); text-align: center; padding-left: 84px }
.area .grid { stroke: var(--line) } .area .zero { stroke: var(--ink-3) } .area .border { stroke: var(--line-2); stroke-dasharray: 2 3 } .area .band { fill: var(--accent); opacity: .16 } .area :is(.line, .real, .untouched) { stroke: var(--accent); stroke-width: 1.75 } .area .real { stroke: var(--ink); stroke-width: 2 } .area .untouched { stroke: var(--ink-2); stroke-dasharray: 6 4 }
.run { stroke: var(--run); border-color: var(--run) !important; stroke-width: 1.5 } .area .area-of { fill: var(--run); stroke: none; opacity: .14 } .hold { stroke: var(--ink-3); stroke-dasharray: 2 3; border-color: var(--ink-3) !important; border-top-style: dotted !important } .run-0 { --run: var(--accent) } .run-1 { --run: var(--second) } .run-2 { --run: var(--third) } .run-3 { --run: var(--fourth) } .run-4 { --run: var(--fifth) } .run-5 { --run: var(--sixth) }
.area .dot { stroke: var(--accent); stroke-width: 6; stroke-linecap: round; opacity: .45 } .area .mark { stroke: var(--ink); stroke-width: 2 } .area .other { stroke: var(--ink-2); stroke-dasharray: 4 3 } .area .dot.best { stroke: var(--ink); stroke-width: 10; opacity: 1 } .area .before { fill: var(--line-2) } .area .then { fill: var(--accent) }
.legend { display: inline-flex; flex-wrap: wrap; gap: 4px 16px; align-items: center; font: var(--t4); color: var(--ink-2) } .legend span { display: inline-flex; gap: 6px; align-items: center } .legend i { width: 14px; border-top: 2px solid var(--accent) } .legend .band { border-width: 8px; opacity: .3 } .legend .real { border-color: var(--ink) } .legend .untouched { border-color: var(--ink-2); border-top-style: dashed } .legend .before { border: 4px solid var(--line-2) } .legend .then { border: 4px solid var(--accent) }
.shades { display: flex; gap: 8px; align-items: center; padding: 4px 24px; font: var(--t4); color: var(--ink-2); flex-wrap: wrap } .shades i { width: 160px; height: 10px; border-radius: 5px } .shades b { width: 14px; height: 14px; border: 2px solid var(--ink) }
.maps { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 16px 24px; padding: 0 24px 16px } figure { min-width: 0; margin: 0 } .maps figcaption { font: var(--t4); color: var(--ink-2); padding: 8px 0 }
.heat { table-layout: fixed } .heat :is(td, th) { text-align: center; font: 11px/14px var(--font); padding: 0; height: 28px; border: 1px solid var(--surface); overflow: hidden } .heat th { color: var(--ink-2); border: 0 } .heat th:first-child { text-align: right; padding-right: 8px } .heat .across { text-align: left; padding-left: 3px } .heat .best { outline: 2px solid var(--ink); outline-offset: -2px }
@media (max-width: 720px) { :root { --hero: 600 40px/44px var(--font) } main { padding: 16px 12px 32px; gap: 12px } .kpis { grid-template-columns: 1fr 1fr } .kpis b { font-size: 17px; line-height: 24px } .card > header, .kpis .hero { padding-inline: 16px } h1 { font: 600 20px/28px var(--font) } h3, .controls, .maps, .plot, .shades, summary, .card > .hint { padding-inline: 16px } .chart { margin: 0 8px }
  .t :is(th, td):first-child { padding-left: 16px } .t :is(th, td):last-child { padding-right: 16px } .t td.n.words { white-space: normal } .area { margin-left: 60px } .x-title { padding-left: 60px } .area .x:nth-of-type(even) { display: none } .points, .folded > .hint, pre { padding-inline: 32px 16px } button, select { height: 40px } }
@page { margin: 14mm 12mm }
@media print { :root, :root[data-theme] { color-scheme: light } html, body { background: none } main { max-width: none; padding: 0; gap: 12px } .controls, .screen { display: none } .card { box-shadow: none } h2, h3, figcaption { break-after: avoid } .plot, .kpis, figure, tr, .chart { break-inside: avoid } .scroll { overflow: visible } table { font-size: 10px } pre { white-space: pre-wrap } .t :is(th, td) { padding: 2px 4px } }
`
