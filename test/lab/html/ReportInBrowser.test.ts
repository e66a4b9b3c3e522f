/** Reports in a browser: what a switch leaves on the chart of prices, and that nobody meets a barrier. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chromium } from "playwright-core"
import * as HtmlPage from "../../../src/lab/html/HtmlPage.ts"
import { script } from "../../../src/lab/html/HtmlReportScript.ts"
import { type BacktestCurves, chartLibrary, dataOf } from "../../../src/lab/runs/view/BacktestPage.ts"
import { isLong } from "../../long.ts"
import { browserPath } from "../../surroundings.ts"
import { backtestPage, everyPart, searchPage } from "./pages.ts"

const times = Array.from({ length: 20 }, (_, bar) => bar * 60)
const prices = times.map((_, bar) => 100 + (bar % 5))

const curves: BacktestCurves = {
  sides: [{ name: "optimistic", equity: prices, drawdown: prices }],
  times,
  markets: [{ name: "BTC/USDC", close: prices, low: prices, high: prices }],
  untouched: prices,
  untouchedDrawdown: prices,
  buyAndHold: prices,
  slots: ["cell-00"],
  whys: [""],
  orders: [[0, 1, 102.5, "1", "2", 0]],
  fills: { bar: Int32Array.of(9), order: Int32Array.of(0), reached: Float64Array.of(103) },
  stays: { from: Int32Array.of(2), to: Int32Array.of(9), order: Int32Array.of(0) },
  axis: { bars: [0], times: [0], step: 60 }
}

const backtestOf = (drawn: BacktestCurves) =>
  Effect.map(chartLibrary, (library) => HtmlPage.render(backtestPage("grid"), { library, script, data: dataOf(drawn) }))

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const wide = Array.from({ length: 12 }, (_, index) => `a column of figures ${index}`)
describe.skipIf(browserPath === undefined)("a report in a browser", () => {
  it.live("hides only the price with the price switch, and slots and fills with theirs", () =>
    Effect.gen(function* () {
      const html = yield* backtestOf(curves)
      const browser = yield* Effect.acquireRelease(
        Effect.promise(() => chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] })),
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
            if (Math.abs(red - 191) < 9 && Math.abs(green - 42) < 9 && Math.abs(blue - 47) < 9) sale++
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

  it.live.skipIf(!isLong)(
    "has no accessibility problem that axe finds, on a phone in the dark and on a desk in the light",
    () =>
      Effect.gen(function* () {
        const browser = yield* Effect.acquireRelease(
          Effect.promise(() => chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] })),
          (open) => Effect.promise(() => open.close())
        )
        const pages = {
          tables: HtmlPage.render(everyPart("a search", wide)),
          search: HtmlPage.render(searchPage("a search", wide)),
          backtest: yield* backtestOf(curves)
        }
        for (const [name, html] of Object.entries(pages)) {
          for (const [width, colorScheme] of [
            [390, "dark"],
            [1280, "light"]
          ] as const) {
            const found = yield* Effect.promise(async () => {
              const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
              await page.setContent(html)
              const session = await page.context().newCDPSession(page)
              await session.send("Runtime.evaluate", { expression: `${axe};0` })
              const { result } = await session.send("Runtime.evaluate", {
                expression: "axe.run().then(({ violations }) => violations.map(({ id }) => id).join())",
                awaitPromise: true
              })
              const isWide = await page.evaluate("document.documentElement.scrollWidth > innerWidth")
              await page.close()
              return { barriers: result.value, isWide }
            })
            assert.deepStrictEqual(found, { barriers: "", isWide: false }, `${name}, ${width} wide`)
          }
        }
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
