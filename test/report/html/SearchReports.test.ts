/** The pages of searches: whatever a file is named, its text stays text, and no script is needed. */
import { assert, describe, it } from "@effect/vitest"
import * as HtmlMonteCarlo from "../../../src/report/html/HtmlMonteCarlo.ts"
import * as HtmlSweep from "../../../src/report/html/HtmlSweep.ts"
import * as HtmlWalkForward from "../../../src/report/html/HtmlWalkForward.ts"

const evil = `</script><img src=x onerror=alert(1)>"'&`

const common = {
  title: evil,
  subtitle: evil,
  fees: evil,
  headline: [[evil, evil]],
  says: [evil],
  table: { titles: ["", evil], rows: [[evil, evil]] },
  facts: [[evil, evil]],
  text: evil
} as const

const assertHarmless = (page: string): void => {
  assert.isFalse(page.includes("<img"))
  assert.isFalse(page.includes("<script"))
  assert.include(page, "&lt;img")
}

describe("reports of searches", () => {
  it("sweep: the best stands there as a file to copy, and what was refused with its reason", () => {
    const table = { titles: ["grid.levels", "WHY"], rows: [["1", evil]] }
    const search = { ...common, says: [], objective: "profitQuote", mapNote: "", scores: [], best: common.table }
    const page = HtmlSweep.render({ ...search, bestText: `levels: 7 # ${evil}`, refused: table })
    assertHarmless(page)
    assert.match(page, /The best as a file[\s\S]*<pre[^>]*>levels: 7/)
    assert.match(page, /Refused trials[\s\S]*class="refused"[\s\S]*<td>1<\/td><td>&lt;\/script/)
    assert.notInclude(HtmlSweep.render({ ...search, refused: { ...table, rows: [] } }), "Refused trials")
  })

  it("Monte Carlo: every simulation is in a bar, and the median stands out", () => {
    const gains = Array.from({ length: 200 }, (_, index) => (index - 80) / 1000)
    const medians = { gain: 0.02, drawdown: 0.1 }
    const fan = {
      line: [0, 0.01, 0.02],
      bands: [
        [
          [0, -0.02, -0.05],
          [0, 0.04, 0.1]
        ]
      ]
    } as const
    const page = HtmlMonteCarlo.render({ ...common, fan, gains, drawdowns: gains.map(Math.abs), medians })
    assertHarmless(page)
    const [drawnFan = "", gain = ""] = page.match(/<svg[\s\S]*?<\/svg>/g) ?? []
    assert.match(drawnFan, /aria-label="Gain over time: ends at 2\.0 %, between -5\.0 % and 10\.0 % on the way"/)
    assert.match(drawnFan, /<polyline points="0\.0,132\.0 500\.0,119\.2 1000\.0,106\.4"/)
    const counted = [...gain.matchAll(/<title>(\d+) simulations from/g)].reduce(
      (sum, [, count]) => sum + Number(count),
      0
    )
    assert.strictEqual(counted, 200)
    assert.strictEqual(gain.match(/class="best"/g)?.length, 1)
    const order = HtmlMonteCarlo.render({ ...common, fan, gains: [], drawdowns: gains.map(Math.abs), medians })
    assert.strictEqual(order.match(/<svg/g)?.length, 2, "where all gain the same there is nothing to draw")
  })

  it("walk-forward: a loss hangs below the line, a gain stands on it", () => {
    const windows = [
      { name: evil, inSample: 2, outOfSample: -1 },
      { name: "2021-01-21", inSample: 0, outOfSample: 1 }
    ]
    const ends = ["2021-01-01", "2021-02-01"] as const
    const format = (value: number) => value.toFixed(2)
    const equity = { label: "Change of worth", line: [0, 1, -1], bands: [], borders: [0.5], ends, format }
    const page = HtmlWalkForward.render({ ...common, windows, equity })
    assert.match(page, /Highest 1\.00, lowest -1\.00, at the end -1\.00/)
    assertHarmless(page)
    const tops = [...page.matchAll(/class="(?:before|then)" x="\d+" y="([\d.]+)"/g)].map(([, y]) => Number(y))
    assert.deepStrictEqual(tops, [4, 50, 49.5, 27])
  })
})
