/** Pages with charts that a script draws: text stays text, the scripts can be read, and the data are whole. */
import { Script } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import * as HtmlPage from "../../../src/lab/html/HtmlPage.ts"
import { script } from "../../../src/lab/html/HtmlReportScript.ts"
import { type BacktestCurves, dataOf } from "../../../src/lab/runs/view/BacktestPage.ts"
import { backtestPage, evil } from "./pages.ts"

const library = { script: "/* charts */", style: "" }

const curves: BacktestCurves = {
  sides: [{ name: evil, equity: [1, 2], drawdown: [0, 0] }],
  times: [1, 2],
  markets: [{ name: evil, close: [1, 2], low: [1, 2], high: [1, 2] }],
  untouched: [1, 2],
  untouchedDrawdown: [0, 0],
  buyAndHold: [1, 2],
  slots: [evil],
  whys: [evil],
  orders: [[0, 1, 1, "1", "2", 0]],
  fills: { bar: Int32Array.of(1), order: Int32Array.of(0), reached: Float64Array.of(1.5) },
  stays: { from: Int32Array.of(0), to: Int32Array.of(1), order: Int32Array.of(0) },
  axis: { bars: [0], times: [1], step: 60 }
}
const backtest = HtmlPage.render(backtestPage(evil), { library, script, data: dataOf(curves) })

describe("a backtest", () => {
  const html = backtest

  it("shows text of files as text", () => {
    assert.notInclude(html, "<img")
    assert.include(html, "&lt;/script&gt;&lt;/table&gt;&lt;img")
    assert.strictEqual(html.split("<script").length, html.split("</script>").length)
  })

  it("needs nothing from other hosts, and forbids it", () => {
    assert.include(html, "default-src 'none'")
    assert.notMatch(html, /(src|href)=["']?https?:|url\(|@import|fetch\(|XMLHttp/)
  })

  it("has scripts that a browser can parse", () => {
    const scripts = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text = ""]) => new Script(text))
    assert.strictEqual(scripts.length, 2)
  })
})

describe("the data of a backtest's charts", () => {
  it("are complete", () => {
    const [, json = ""] = /id="data">(.*?)<\/script>/s.exec(backtest) ?? []
    const data: unknown = JSON.parse(json)
    assert.deepPropertyVal(data, "slots", [evil])
    assert.deepPropertyVal(data, "times", [1, 2])
    assert.deepPropertyVal(data, "orders", [[0, 1, 1, "1", "2", 0]])
    const reached = Buffer.from(JSON.parse(json).fills.reached, "base64")
    assert.strictEqual(reached.readDoubleLE(0), 1.5)
  })
})
