/** The Monte Carlo report of a run that still holds a losing position. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { limitbot } from "../backtesting.ts"

const folder = mkdtempSync(join(tmpdir(), "limitbot-monte-carlo-"))
afterAll(() => rmSync(folder, { recursive: true }))

/** Bars of an hour that go straight from each price to the next. */
const csvOf = (prices: ReadonlyArray<number>): string => {
  const rows = prices.slice(1).map((close, index) => {
    const open = prices[index] ?? close
    const time = Date.UTC(2021, 0, 1) + index * 3_600_000
    return [time, open, Math.max(open, close), Math.min(open, close), close, 1_000].join(",")
  })
  return ["time,open,high,low,close,volume", ...rows, ""].join("\n")
}

const strategy = join(folder, "ladder.yaml")
writeFileSync(
  strategy,
  `name: falls
market: BTC/USDC
kind: ladder
limits: { budget: { quote: 5000 } }
ladder: { side: buy, from: 990, to: 950, rungs: 5, total: { base: 2.5 }, takeProfit: 1% }
`
)

describe("monte-carlo", () => {
  it.live("counts the costs of trades in the first bar", () =>
    Effect.gen(function* () {
      const data = join(folder, "fall.csv")
      const later = Array.from({ length: 24 * 5 }, (_, hour) => (hour < 100 ? 945 : 946))
      writeFileSync(data, csvOf([945, 945, ...later]))
      const words = ["--data", data, "--fills", "optimistic", "--fee-bps", "500"]
      const { sides } = JSON.parse(yield* limitbot("backtest", strategy, ...words, "--json"))
      const gain = Number(sides.optimistic.profitQuote) / 5000
      assert.isBelow(gain, -0.02)
      const monteCarlo = (...more: ReadonlyArray<string>) =>
        limitbot("search", "--by", "monte-carlo", strategy, ...words, "--runs", "50", ...more)
      const shuffled = JSON.parse(yield* monteCarlo("--method", "order", "--json"))
      assert.closeTo(shuffled.gain.p50, gain, 1e-9)
      const said = yield* monteCarlo("--method", "returns")
      assert.include(said, "the real run lost 2.34 %, the untouched budget gained 0.00 %")
    })
  )
})

describe("monte-carlo --method trades", () => {
  it.live("counts the open position of a ladder that loses as a trade", () =>
    Effect.gen(function* () {
      const data = join(folder, "falls.csv")
      writeFileSync(data, csvOf([1000, 995, 978, 975, 985, 1005, 1000, 960, 900, 800, 700, 650, 600, 600]))
      const words = ["--data", data, "--method", "trades", "--fills", "optimistic", "--runs", "500"]
      const said = yield* limitbot("search", "--by", "monte-carlo", strategy, ...words)
      const lost = Number(/^Simulations that lose +(\d+) %/m.exec(said)?.[1] ?? assert.fail(said))
      assert.isAbove(lost, 50)
      assert.isBelow(lost, 100)
    })
  )
})
