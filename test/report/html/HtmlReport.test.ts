import { Script } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import * as HtmlComparison from "../../../src/report/html/HtmlComparison.ts"
import * as HtmlReport from "../../../src/report/html/HtmlReport.ts"

const evil = `</script><img src=x onerror=alert(1)>"'&`

const side: HtmlReport.ReportSide = {
  name: evil,
  facts: [["profit", evil]],
  statistics: [["Sharpe", "1"]],
  rules: [evil],
  limits: [evil],
  equity: [1, 2],
  drawdown: [0, 0],
  months: [["2024-01", 0.1]]
}

const report: HtmlReport.ReportPage = {
  title: evil,
  badge: undefined,
  fees: "fees: 20 basis points",
  text: "name: grid\n",
  subtitle: evil,
  headline: [[evil, evil]],
  says: [evil],
  facts: [[evil, evil]],
  sides: [side],
  times: [1, 2],
  markets: [{ name: evil, close: [1, 2], low: [1, 2], high: [1, 2] }],
  hold: [1, 2],
  slots: [{ slot: evil, why: evil, buys: 1, sells: 2, gained: "3", inventory: "-1" }],
  shown: evil,
  quality: [[evil, evil]],
  holdStatistics: [["Sharpe", "1"]],
  orders: [[0, 1, 1, "1", "2", 0]],
  fills: { bar: Int32Array.of(1), order: Int32Array.of(0), reached: Float64Array.of(1.5) },
  stays: { from: Int32Array.of(0), to: Int32Array.of(1), order: Int32Array.of(0) },
  axis: { bars: [0], times: [1], step: 60 },
  calibrated: [evil],
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

  it("has scripts that a browser can read", () => {
    const scripts = [...html.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text = ""]) => new Script(text))
    assert.strictEqual(scripts.length, 2)
  })

  it("carries its data whole", () => {
    const [, json = ""] = /id="data">(.*?)<\/script>/s.exec(html) ?? []
    const data: unknown = JSON.parse(json)
    assert.deepPropertyVal(data, "slots", [evil])
    assert.deepPropertyVal(data, "times", [1, 2])
    assert.deepPropertyVal(data, "orders", [[0, 1, 1, "1", "2", 0]])
    const reached = Buffer.from(JSON.parse(json).fills.reached, "base64")
    assert.strictEqual(reached.readDoubleLE(0), 1.5)
  })
})

describe("HtmlComparison", () => {
  const run: HtmlComparison.ComparedRun = {
    name: evil,
    about: evil,
    text: evil,
    high: [0, 0.2],
    low: [0, 0.1],
    drawdown: [0, -0.1],
    facts: [[evil, evil]]
  }
  const html = HtmlComparison.render(
    {
      title: evil,
      subtitle: evil,
      headline: [[evil, evil]],
      says: [evil],
      runs: [
        {
          ...run,
          facts: [
            ["first", "1"],
            ["last", "2"]
          ]
        },
        {
          ...run,
          facts: [
            ["first", "1"],
            ["other", "figure of the second run"],
            ["last", "2"]
          ]
        }
      ],
      times: [1, 2],
      price: [0, 0.3],
      fees: [evil],
      made: evil,
      assumptions: [evil],
      limits: [evil],
      notModelled: [evil],
      quality: [[evil, evil]],
      warnings: [evil]
    },
    { script: "/* charts */", style: "" }
  )

  it("shows text as text, needs nothing from elsewhere, and has a column per run", () => {
    assert.notInclude(html, "<img")
    assert.strictEqual(html.split("<script").length, html.split("</script>").length)
    assert.notMatch(html, /(src|href)=["']?https?:|url\(|@import|fetch\(|XMLHttp/)
    assert.include(html, "figure of the second run")
    const rows = [...html.matchAll(/<tr><t[hd][^>]*>(first|other|last)</g)].map(([, label]) => label)
    assert.deepStrictEqual(rows, ["first", "other", "last"], "a row stands where its own run has it")
    for (const [, text = ""] of html.matchAll(/<script>(.*?)<\/script>/gs)) new Script(text)
  })
})
