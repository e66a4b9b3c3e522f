/**
 * The look of all pages: one column that reads well on paper, in the dark and on a phone. Colours are distinguishable
 * with every kind of colour vision (blue and orange after Okabe and Ito) and never stand alone: buys and sells differ
 * in shape as well.
 */
const light = `--ink: #16191d; --soft: #5c6773; --line: #e3e7ec; --paper: #ffffff; --panel: #f7f9fb;
  --accent: #0063b8; --second: #b85c00; --third: #007a5a; --fourth: #a3407c; --fifth: #6b6400; --sixth: #4a4fc4;
  --buy: #0063b8; --sell: #c25400; --good: #0063b8; --bad: #c25400; --hold: #8a939d; --band: #0063b826; --range: #8a939d40;`
const dark = `--ink: #e8ecf1; --soft: #97a3b0; --line: #262d36; --paper: #0e1116; --panel: #161b22;
  --accent: #5aaeff; --second: #f0a04b; --third: #3fc6a0; --fourth: #e58fc0; --fifth: #cfc451; --sixth: #9aa0ff;
  --buy: #5aaeff; --sell: #f59b4c; --good: #5aaeff; --bad: #f59b4c; --hold: #7b8794; --band: #5aaeff2e; --range: #7b879440;`

export const style = `
:root { color-scheme: light dark; ${light} }
@media (prefers-color-scheme: dark) { :root { ${dark} } }
:root[data-paper] { color-scheme: light; ${light} }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; font-variant-numeric: tabular-nums }
main { max-width: 1120px; margin: 0 auto; padding: 40px 24px 72px }
h1 { font-size: 27px; line-height: 1.25; margin: 0 0 6px; letter-spacing: -0.015em }
h2 { font-size: 18px; margin: 0 0 10px; letter-spacing: -0.005em } h3 { font-size: 14px; margin: 18px 0 6px; font-weight: 600 }
section { margin-top: 40px } p { margin: 4px 0 } .soft { color: var(--soft) } .hint { color: var(--soft); font-size: 13px } .refused td { color: var(--soft) }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 220px), 1fr)); gap: 12px; margin: 26px 0 0 }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 12px; padding: 13px 16px }
.card span { display: block; color: var(--soft); font-size: 13px } .card b { display: block; font-size: 19px; font-weight: 650; line-height: 1.35; margin-top: 2px; overflow-wrap: anywhere }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 460px), 1fr)); gap: 0 40px }
table { border-collapse: collapse; width: 100%; font-size: 14px } .scroll { overflow-x: auto }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 13px; white-space: nowrap; vertical-align: bottom }
td, th { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line) } td:last-child, th:last-child { padding-right: 0 }
tbody tr:hover td { background: var(--panel) }
td:first-child { min-width: 7em } td.n, th.n { text-align: right; white-space: nowrap } td.why { color: var(--soft); font-size: 13px; min-width: 260px } td.t { white-space: nowrap } td.word { overflow-wrap: anywhere }
.buy { color: var(--buy); font-weight: 600 } .sell { color: var(--sell); font-weight: 600 }
.months { table-layout: fixed; min-width: 620px } .months td { text-align: center; padding: 7px 2px; border: 2px solid var(--paper); border-radius: 6px; print-color-adjust: exact; -webkit-print-color-adjust: exact }
.months th { text-align: center; border: 0; padding: 4px 2px } .months tr:hover td { background: inherit }
html { scrollbar-gutter: stable } .chart { margin: 6px 0; min-height: 60px; overflow: hidden } .chart canvas { display: block } .u-legend { width: auto; font-size: 13px; color: var(--ink); text-align: left; margin-left: 70px } .u-legend td, .u-legend th { border: 0; padding: 2px 4px } .u-legend .u-series { margin-right: 10px }
.u-legend th { color: var(--soft) } .u-legend .u-marker { border-radius: 3px } .u-select { background: var(--band) }
ul { margin: 6px 0; padding-left: 20px } li { margin: 3px 0 }
.bar { --longest-bar: 120px; display: inline-block; height: 9px; border-radius: 3px; vertical-align: middle; print-color-adjust: exact; -webkit-print-color-adjust: exact } .bar.b { background: var(--buy) } .bar.s { background: var(--sell); margin-left: 2px }
.controls { display: flex; gap: 8px; flex-wrap: wrap; align-items: center; margin: 8px 0 12px }
.controls button, .controls select { font: inherit; font-size: 14px; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; padding: 5px 12px }
.controls button { cursor: pointer } .controls button:disabled { opacity: 0.4; cursor: default } :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px }
.maps { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 24px }
figure { margin: 0; min-width: 0 } figcaption { color: var(--soft); font-size: 13px; margin: 10px 0 4px }
.heat { table-layout: fixed } .heat td, .heat th { text-align: center; font-size: 12px; padding: 0; height: 30px; border: 1px solid var(--paper); print-color-adjust: exact; -webkit-print-color-adjust: exact }
.heat th, .months th { vertical-align: middle } .heat th { border: 0; font-weight: 500 } .heat th.across { text-align: left; padding-left: 3px } .heat td.best { outline: 2px solid var(--ink); outline-offset: -2px }
.legend { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; font-size: 13px; color: var(--soft) } .legend i { width: 160px; height: 10px; border-radius: 5px; print-color-adjust: exact; -webkit-print-color-adjust: exact }
.legend .mark { display: inline-block; vertical-align: middle; box-sizing: border-box; width: 14px; height: 14px; border: 2px solid var(--ink) }
.histogram { width: 100%; height: 120px; fill: var(--hold); border-bottom: 1px solid var(--line) } .histogram .best { fill: var(--accent) }
.fan { width: 100%; height: 220px } .fan polygon { fill: var(--accent); fill-opacity: 0.18 } .fan polyline { fill: none; stroke: var(--accent); stroke-width: 2; vector-effect: non-scaling-stroke } .fan line { stroke: var(--soft); vector-effect: non-scaling-stroke } .fan .border { stroke: var(--line) }
.windows .before { fill: var(--hold) } .windows .then { fill: var(--accent) } .windows line { stroke: var(--soft); vector-effect: non-scaling-stroke } .legend .key { width: 14px; height: 10px; border-radius: 3px; print-color-adjust: exact; -webkit-print-color-adjust: exact } .key.before { background: var(--hold) } .key.then { background: var(--accent) } .ends.even { justify-content: space-around }
.controls label { display: flex; gap: 5px; align-items: center; font-size: 14px } .controls input { accent-color: var(--accent) }
.ends { display: flex; justify-content: space-between; color: var(--soft); font-size: 13px }
@media (max-width: 640px) { table { font-size: 13px } td.n.words { white-space: normal } td.why { white-space: nowrap } .bar { --longest-bar: 56px } td, th { padding-right: 10px } .pair > div + div { margin-top: 32px } main { padding: 24px 14px 48px } h1 { font-size: 22px } .u-legend { margin-left: 0 } .card b { font-size: 17px } .cards { grid-template-columns: 1fr 1fr; gap: 8px } .card { padding: 10px 12px } }
@page { margin: 16mm 14mm }
@media print { :root { color-scheme: light; ${light} } body { font-size: 12px } main { max-width: none; padding: 0 } table { font-size: 11px } .controls, .screen { display: none }
  h2, h3, figcaption { break-after: avoid } .chart, .card, figure, tr, .cards { break-inside: avoid } .cards { grid-template-columns: repeat(4, 1fr) } .card b { font-size: 14px } .scroll { overflow: visible } section { margin-top: 24px }
  pre.scroll { white-space: pre-wrap } .pair { grid-template-columns: 1fr 1fr; gap: 0 24px } .maps { grid-template-columns: 1fr 1fr } .months { min-width: 0; font-size: 10px } td.why { min-width: 0; font-size: 10px } td, th { padding: 3px 8px 3px 0 } }
`
