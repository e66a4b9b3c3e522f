/** Pages: whatever a file is named, its text stays text; what they draw without a script; and that a terminal says the same. */
import { assert, describe, it } from "@effect/vitest"
import { fan } from "../../../src/lab/html/Fan.ts"
import { histogram } from "../../../src/lab/html/Histogram.ts"
import * as HtmlPage from "../../../src/lab/html/HtmlPage.ts"
import { windowBars } from "../../../src/lab/html/WindowBars.ts"
import * as Page from "../../../src/report/Page.ts"
import * as PageText from "../../../src/report/text/PageText.ts"
import { everyPart, evil, pageOf, searchPage } from "./pages.ts"

describe("pages", () => {
  it("show text as text, and need nothing from other hosts", () => {
    for (const page of [everyPart(evil), searchPage(evil, [evil])]) {
      const html = HtmlPage.render(page)
      assert.notInclude(html, "<img")
      assert.notInclude(html, "<script")
      assert.include(html, "&lt;img")
      assert.include(html, "default-src 'none'")
      assert.notMatch(html, /(src|href)=["']?https?:|url\(|@import/)
    }
  })

  it("have the same content in a terminal as in a file, except for sources and drawings", () => {
    const note = "what it means"
    const page = pageOf("about", [
      { title: "Windows", note, parts: [Page.table(["", "PNL"], [["first", "1.5"]]), Page.sentences("All gained.")] },
      { title: "Bars", parts: [Page.figurePart(() => "<svg></svg>")] },
      { title: "Map", parts: [Page.figurePart(() => "<svg></svg>", ["▓▓ ░░"])] },
      { title: "Run", parts: [Page.facts([["made", "today"]])], isPageOnly: true }
    ])
    assert.deepStrictEqual(PageText.lines({ ...page, headline: [["gain", "2 %"]], says: ["It gains."] }), [
      ...["about", "about", "about", "", "gain  2 %", "", "It gains.", ""],
      ...["Windows: what it means", "       PNL", "first  1.5", "All gained.", "", "Map", "▓▓ ░░"]
    ])
  })

  it("align facts by their labels, and put a value into its own column", () => {
    const part = Page.sideBySide([
      ["one", [...[["first", "1"] as const, ["last", "2"] as const]]],
      [
        "two",
        [
          ["first", "1"],
          ["other", "3"],
          ["last", "4"]
        ]
      ]
    ])
    assert.deepStrictEqual(
      part,
      Page.table(
        ["", "one", "two"],
        [
          ["first", "1", "1"],
          ["other", "", "3"],
          ["last", "2", "4"]
        ]
      )
    )
  })

  it("fold a named file", () => {
    assert.match(HtmlPage.render(everyPart("grid")), /<details><summary>grid<\/summary><pre[^>]*>grid<\/pre>/)
  })
})

describe("a drawing without a script", () => {
  it("has every simulation in a bar, and the median stands out", () => {
    const gains = Array.from({ length: 200 }, (_, index) => (index - 80) / 1000)
    const drawn = histogram(gains, { noun: "simulations", label: "Gain", format: String, marked: 0.02 })
    const counted = [...drawn.matchAll(/<title>(\d+) simulations from/g)].reduce(
      (sum, [, count]) => sum + Number(count),
      0
    )
    assert.strictEqual(counted, 200)
    assert.strictEqual(drawn.match(/class="best"/g)?.length, 1)
  })

  it("shows a fan with its end and its range", () => {
    const bands = [
      [
        [0, -0.02, -0.05],
        [0, 0.04, 0.1]
      ] as const
    ]
    const format = (ratio: number) => `${(ratio * 100).toFixed(1)} %`
    const drawn = fan({ label: "Gain over time", line: [0, 0.01, 0.02], bands, ends: ["start", "end"], format })
    assert.match(drawn, /aria-label="Gain over time: ends at 2\.0 %, between -5\.0 % and 10\.0 % on the way"/)
    assert.match(drawn, /<polyline points="0\.0,132\.0 500\.0,119\.2 1000\.0,106\.4"/)
    assert.match(drawn, /Highest 10\.0 %, lowest -5\.0 %, at the end 2\.0 %/)
  })

  it("hangs a loss below the line and puts a gain on it", () => {
    const drawn = windowBars([
      { name: evil, inSample: 2, outOfSample: -1 },
      { name: "2021-01-21", inSample: 0, outOfSample: 1 }
    ])
    const tops = [...drawn.matchAll(/class="(?:before|then)" x="\d+" y="([\d.]+)"/g)].map(([, y]) => Number(y))
    assert.deepStrictEqual(tops, [4, 50, 49.5, 27])
  })
})
