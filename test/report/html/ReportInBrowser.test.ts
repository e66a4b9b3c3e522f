/** A backtest's report in a browser: what its switches leave on the chart of prices. */
import { existsSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chromium } from "playwright-core"
import { chartLibrary } from "../../../src/cli/backtest/BacktestReport.ts"
import * as HtmlReport from "../../../src/report/html/HtmlReport.ts"

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync)

const times = Array.from({ length: 20 }, (_, bar) => bar * 60)
const prices = times.map((_, bar) => 100 + (bar % 5))

const report: HtmlReport.ReportPage = {
  title: "grid",
  badge: undefined,
  fees: "",
  text: "",
  subtitle: "",
  headline: [],
  facts: [],
  sides: [
    {
      name: "optimistic",
      facts: [],
      statistics: [],
      rules: [],
      limits: [],
      equity: prices,
      drawdown: prices,
      months: []
    }
  ],
  times,
  markets: [{ name: "BTC/USDC", close: prices, low: prices, high: prices }],
  hold: prices,
  slots: [{ slot: "cell-00", why: "", buys: 0, sells: 1, gained: "0" }],
  shown: "optimistic",
  quality: [],
  holdStatistics: [],
  orders: [[0, 1, 102.5, "1", "2", 0]],
  fills: { bar: Int32Array.of(9), order: Int32Array.of(0), reached: Float64Array.of(103) },
  stays: { from: Int32Array.of(2), to: Int32Array.of(9), order: Int32Array.of(0) },
  axis: { bars: [0], times: [0], step: 60 },
  calibrated: [],
  notModelled: [],
  warnings: []
}

describe.skipIf(executablePath === undefined)("a report in a browser", () => {
  it.live("the price switch takes the price alone off the chart, the others slots and fills", () =>
    Effect.gen(function* () {
      const html = HtmlReport.render(report, yield* chartLibrary)
      const browser = yield* Effect.acquireRelease(
        Effect.promise(() => chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] })),
        (open) => Effect.promise(() => open.close())
      )
      const page = yield* Effect.promise(() => browser.newPage({ colorScheme: "light" }))
      /** Pixels of the price's ink and of a sale's triangle. */
      const drawn = () =>
        page.evaluate(async () => {
          await new Promise((done) => setTimeout(done, 50))
          const canvas = document.querySelector<HTMLCanvasElement>("#price-0 canvas")
          const { data = [] } = canvas?.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? {}
          let [ink, sale] = [0, 0]
          for (let at = 0; at < data.length; at += 4) {
            const [red = 0, green = 0, blue = 0, alpha = 0] = [data[at], data[at + 1], data[at + 2], data[at + 3]]
            if (alpha < 200) continue
            if (red < 40 && green < 40 && blue < 50) ink++
            if (Math.abs(red - 194) < 9 && Math.abs(green - 84) < 9 && blue < 9) sale++
          }
          return { ink: ink > 0, sale: sale > 0 }
        })
      const change = (what: string) => page.locator(`[data-shows=${what}]`).click()
      const seen = yield* Effect.promise(async () => {
        await page.setContent(html)
        const all = await drawn()
        await change("price")
        const without = await drawn()
        await change("price")
        await change("slots")
        await change("fills")
        return { all, without, alone: await drawn() }
      })
      assert.deepStrictEqual(seen, {
        all: { ink: true, sale: true },
        without: { ink: false, sale: true },
        alone: { ink: true, sale: false }
      })
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
