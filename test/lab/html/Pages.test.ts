/** Pages: whatever a file is named, its text stays text; what they draw without a script; and that a terminal says the same. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { figure, polished, share, signed, toneOf } from "../../../src/lab/html/Figures.ts"
import * as HtmlPage from "../../../src/lab/html/HtmlPage.ts"
import { style } from "../../../src/lab/html/HtmlPageStyle.ts"
import { along, axisOf, bar, histogram, namesAxis, plot } from "../../../src/lab/html/Plot.ts"
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
    const headline = [["gain", Page.gain("-2.00 %"), "of all"] as const]
    assert.deepStrictEqual(PageText.lines({ ...page, headline, says: ["It loses."], notes: ["One gap."] }), [
      ...["about", "about", "about", "", "gain  -2.00 %", "", "It loses.", "One gap.", ""],
      ...["Windows: what it means", "       PNL", "first  1.5", "All gained.", "", "Map", "▓▓ ░░"]
    ])
  })

  it("begin with the verdict and the key figures, and end with folded sections", () => {
    const html = HtmlPage.render({
      ...pageOf("about", [
        { title: "Technical", parts: [Page.sentences("It took 5 ms.")], isFolded: true },
        { title: "Result", parts: [Page.facts([["fees", "1.00 USDC"]])] }
      ]),
      headline: [["profit", Page.gain("-61.12 USDC"), "after fees"]],
      says: ["It lost 61.12 USDC.", "It fell."]
    })
    const places = [
      "<h1>It lost 61.12\u00a0USDC.</h1>",
      '<h2>profit</h2><b class="down">−61.12 USDC</b><p>after fees</p>',
      "<h2>Result</h2>",
      "<summary>Technical</summary>"
    ].map((part) => html.indexOf(part))
    assert.notInclude(places, -1)
    assert.deepStrictEqual(
      places,
      places.toSorted((a, b) => a - b)
    )
    assert.notMatch(html, /<details[^>]* open/)
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

  it("write the unit of a row once, and a dash for a missing figure", () => {
    const figures = Page.table(
      ["", "low", "high", "untouched"],
      [
        ["profit", Page.gain("-2.00 USDC"), Page.gain("1.00 USDC"), ""],
        ["ratio", "1.5", "no losing day", "2 BTC"]
      ]
    )
    const html = HtmlPage.render(pageOf("about", [{ title: "Result", parts: [figures] }]))
    assert.include(
      html,
      '<td>profit, USDC</td><td class="n down">−2.00</td><td class="n up">+1.00</td><td class="n soft">–</td>'
    )
    assert.include(
      html,
      '<td>ratio</td><td class="n">1.5</td><td class="n words">no losing day</td><td class="n">2 BTC</td>'
    )
  })

  it("show notes on the data smaller than the sentences on the result", () => {
    const html = HtmlPage.render({ ...pageOf("about", []), says: ["It loses.", "It fell."], notes: ["One gap."] })
    assert.include(html, '<ul class="lede"><li>It fell.</li></ul><ul class="hint"><li>One gap.</li></ul></header>')
  })

  it("fold a named file", () => {
    assert.match(
      HtmlPage.render(everyPart("grid")),
      /<details><summary>grid<\/summary><div class="folded"><pre[^>]*>grid<\/pre>/
    )
  })
})

describe("figures", () => {
  it.each([
    ["-1016.18 USDC", "−1,016.18 USDC", "down"],
    ["18.40 to 61.12 USDC", "+18.40 to +61.12 USDC", "up"],
    ["-0.00 %", "0.00 %", ""],
    ["-3.10 to 4.20 %", "−3.10 to +4.20 %", ""],
    ["less than a year", "less than a year", ""]
  ])("of a profit: %s is written %s", (text, written, tone) => {
    assert.deepStrictEqual([signed(text), toneOf(signed(text))], [written, tone])
  })

  it("have at most 8 digits, and other text stays", () => {
    for (const [text, written] of [
      ["12.345678901 BTC", "12.345679 BTC"],
      ["0.12345678 BTC", "0.12345678 BTC"],
      ["1234567.891", "1,234,567.9"],
      ["62000", "62,000"],
      ["2024-01-01 to 2024-01-31", "2024-01-01 to 2024-01-31"],
      ["18:40:00.000Z, cell-07, v1.2.3, --runs 39, 4e-9, 2024", "18:40:00.000Z, cell-07, v1.2.3, --runs 39, 4e-9, 2024"]
    ] as const)
      assert.strictEqual(polished(text), written)
  })

  it.prop(
    "have at most 8 digits and no sign at zero, for any number",
    [Schema.Int, Schema.Int],
    ([digits, exponent]) => {
      const value = (digits % 1e8) / 10 ** (Math.abs(exponent) % 12)
      const written = figure(value, Math.abs(exponent) % 9)
      assert.match(written, /^−?\d{1,3}(,\d{3})*(\.\d+)?$/)
      assert.isAtMost(written.replace(/^−?0\./, "").replaceAll(/\D/g, "").length, 8)
      if (!/[1-9]/.test(written)) assert.notInclude(written, "−")
    }
  )
})

describe("a drawing without a script", () => {
  it("has a few round numbers on an axis", () => {
    const texts = (...values: ReadonlyArray<number>) => axisOf("", values).ticks.map(([, text]) => text)
    assert.deepStrictEqual(texts(-61.12, 3), ["−80", "−60", "−40", "−20", "0", "20"])
    assert.deepStrictEqual(texts(0, 0.9), ["0.00", "0.25", "0.50", "0.75", "1.00"])
  })

  it.prop("has 2 to 7 numbers on an axis that covers any values", [Schema.Array(Schema.Finite)], ([values]) => {
    const sizes = values.map((value) => value % 1e9)
    const { from, to, ticks } = axisOf("", sizes)
    const slack = (to - from) / 1e9
    for (const value of sizes) assert.isTrue(from <= value + slack && value - slack <= to, `${from} ${value} ${to}`)
    assert.isTrue(ticks.length >= 2 && ticks.length <= 7, `${ticks.length}`)
  })

  it("has titles, numbers on both axes and a text alternative", () => {
    const html = HtmlPage.render(searchPage("name", ["1"]))
    const plots = html.split('<figure class="plot">').slice(1)
    assert.strictEqual(plots.length, 3)
    for (const plot of plots) {
      assert.match(plot, /<figcaption>\w/)
      assert.match(plot, /<p class="x-title">\w/)
      assert.match(plot, /<i class="y"[^>]*>[^<]/)
      assert.match(plot, /<i class="x"[^>]*>[^<]/)
      assert.match(plot, /role="img" aria-label="\w/)
    }
  })

  it("has every simulation in a bar, and marks the real run", () => {
    const gains = Array.from({ length: 200 }, (_, index) => (index - 80) / 1000)
    const drawn = histogram("Gain", gains, [
      ["real run", 0.02],
      ["p50", 0.0195]
    ])
    const counted = [...drawn.matchAll(/<title>(\d+) from/g)].reduce((sum, [, count]) => sum + Number(count), 0)
    assert.strictEqual(counted, 200)
    assert.match(drawn, /<b class="right" style="left:[\d.]+%;top:calc\(0% \+ 0px\)">real run 2\.00 %<\/b>/)
    assert.match(drawn, /<path class="mark" d="M[\d.]+ 1000\.0V0">/)
    assert.match(drawn, /<path class="mark other"/)
  })

  const time = axisOf("Share of the run", [0, 1], share)

  it("spreads a curve over the whole axis, at the heights of the numbers beside it", () => {
    const drawn = plot("Gain", time, "Gain", [{ kind: "real", points: along(time, [0, -0.25, 0.5]) }], share)
    assert.include(drawn, '<path class="real" d="M0.0 600.0L500.0 850.0L1000.0 100.0">')
    assert.match(drawn, /top:60\.00%">0 %</)
    assert.include(drawn, '<path class="zero" d="M0.0 600.0H1000">')
  })

  it("hangs a loss below zero and puts a gain on it", () => {
    const corners = [2, -1].map((height) => bar(0, 1, height).map(([, y]) => y))
    assert.deepStrictEqual(corners, [
      [0, 2, 2, 0],
      [0, -1, -1, 0]
    ])
  })

  it("shows names at whole numbers, and omits some if there are many", () => {
    const names = Array.from({ length: 40 }, (_, index) => `${index}`)
    assert.deepStrictEqual(
      namesAxis("", names).ticks.map(([at]) => at),
      [1, 6, 11, 16, 21, 26, 31, 36]
    )
  })

  it("omits a shape without points", () => {
    assert.notInclude(plot("Gain", time, "Gain", [{ kind: "real", points: [] }]), 'class="real"')
  })
})

describe("colours of reports", () => {
  it("equal the dashboard's", () => {
    const tokensOf = (css: string) =>
      new Map(
        [...css.matchAll(/(--[\w-]+): (light-dark\((?:[^()]|\([^)]*\))*\))/g)].map(([, name, value]) => [name, value])
      )
    const dashboard = tokensOf(readFileSync(join(import.meta.dirname, "../../../src/dashboard/style.css"), "utf8"))
    const own = [...tokensOf(style)].filter(([name = ""]) => !/--(second|third|fourth|fifth|sixth)/.test(name))
    assert.isAbove(own.length, 10)
    for (const [name, value] of own) assert.strictEqual(value, dashboard.get(name), name)
  })
})
