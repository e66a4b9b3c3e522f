/** The look of a report: one column that reads on paper, in the dark and on a phone. */
export const style = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6672; --line: #d9dee4; --paper: #ffffff; --panel: #f6f8fa;
  --accent: #2563eb; --second: #d97706; --good: #15803d; --bad: #b91c1c; --hold: #8b949e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa7b4; --line: #30363d; --paper: #0d1117; --panel: #161b22;
  --accent: #58a6ff; --second: #e3a94a; --good: #3fb950; --bad: #f85149; --hold: #7d8590; } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums }
main { max-width: 1100px; margin: 0 auto; padding: 32px 20px 64px }
h1 { font-size: 26px; margin: 0 0 4px; letter-spacing: -0.01em }
h2 { font-size: 18px; margin: 40px 0 12px; padding-top: 12px; border-top: 1px solid var(--line) }
h3 { font-size: 15px; margin: 16px 0 6px }
p { margin: 4px 0 } .soft { color: var(--soft) }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(165px, 1fr)); gap: 12px; margin: 20px 0 }
.card { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px }
.card b { display: block; font-size: 20px; font-weight: 650 } .card span { color: var(--soft); font-size: 13px }
table { border-collapse: collapse; width: 100%; font-size: 14px } .scroll { overflow-x: auto }
th { text-align: left; font-weight: 600; color: var(--soft); white-space: nowrap } td, th { padding: 4px 12px 4px 0; border-bottom: 1px solid var(--line) }
td.n, th.n { text-align: right } td.why { color: var(--soft); font-size: 13px; min-width: 260px }
.good { color: var(--good) } .bad { color: var(--bad) }
.months td { text-align: center; padding: 6px 4px; border: 1px solid var(--paper) }
.chart { margin: 8px 0; min-height: 60px } .u-legend { font-size: 13px; color: var(--ink) } .u-legend td, .u-legend th { border: 0 }
.hint { color: var(--soft); font-size: 13px } ul { margin: 6px 0; padding-left: 20px }
.bar { display: inline-block; height: 9px; border-radius: 2px; background: var(--accent); vertical-align: middle }
.controls { display: flex; gap: 8px; flex-wrap: wrap; align-items: center; margin: 8px 0 }
.controls input, .controls button, .controls select { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 4px 10px }
.controls button { cursor: pointer } .controls button:disabled { opacity: 0.4; cursor: default }
.maps { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 24px }
figure { margin: 0 } figcaption { color: var(--soft); font-size: 13px; margin: 8px 0 }
.heat { table-layout: fixed; print-color-adjust: exact } .heat td, .heat th { text-align: center; font-size: 12px; padding: 0 2px; height: 30px; border: 1px solid var(--paper) }
.heat td.best { outline: 2px solid var(--ink); outline-offset: -1px }
.legend { display: flex; align-items: center; gap: 8px; font-size: 13px; color: var(--soft) } .legend i { width: 160px; height: 10px; border-radius: 5px; print-color-adjust: exact }
.legend .mark { width: 14px; height: 14px; border: 2px solid var(--ink); margin-left: 16px }
.histogram { width: 100%; height: 120px; fill: var(--hold); border-bottom: 1px solid var(--line) } .histogram .best { fill: var(--accent) }
.ends { display: flex; justify-content: space-between; color: var(--soft); font-size: 13px }
@media print { :root { color-scheme: light; --ink: #000; --soft: #444; --line: #bbb; --paper: #fff; --panel: #fff }
  main { max-width: none; padding: 0 } .controls, .hint { display: none } h2 { break-after: avoid } .chart, table, .card { break-inside: avoid } }
`
