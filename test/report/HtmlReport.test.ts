import { assert, describe, it } from "@effect/vitest"
import * as HtmlReport from "../../src/report/HtmlReport.ts"

const evil = `</script><img src=x onerror=alert(1)>"'&`

const side: HtmlReport.ReportSide = {
  name: evil,
  facts: [["profit", evil]],
  statistics: [["Sharpe", "1"]],
  rules: [evil],
  equity: [1, 2],
  drawdown: [0, 0],
  months: [["2024-01", 0.1]]
}

const report: HtmlReport.Report = {
  title: evil,
  subtitle: evil,
  headline: [[evil, evil]],
  facts: [[evil, evil]],
  sides: [side],
  times: [1, 2],
  close: [1, 2],
  low: [1, 2],
  high: [1, 2],
  hold: [1, 2],
  slots: [{ slot: evil, why: evil, buys: 1, sells: 2, gained: "3" }],
  fills: { time: [1], buys: [true], slot: [0], price: [1], reached: [1], base: ["1"], quote: ["1"] },
  notModelled: [evil],
  warnings: [evil]
}

describe("HtmlReport", () => {
  const html = HtmlReport.render(report, { script: "/* charts */", style: "" })

  it("shows text of files as text", () => {
    assert.notInclude(html, "<img")
    assert.include(html, "&lt;/script&gt;&lt;img")
    assert.strictEqual(html.split("<script").length, html.split("</script>").length)
  })

  it("needs nothing from elsewhere, and forbids it", () => {
    assert.include(html, "default-src 'none'")
    assert.notMatch(html, /(src|href)=["']?https?:|url\(|@import|fetch\(|XMLHttp/)
  })

  it("carries its data whole", () => {
    const [, json = ""] = /id="data">(.*?)<\/script>/s.exec(html) ?? []
    const data: unknown = JSON.parse(json)
    assert.deepPropertyVal(data, "slots", [evil])
    assert.deepPropertyVal(data, "times", [1, 2])
  })
})
