/** A stop is what a person relies on at night: with the fees that the service takes, it sells what there is. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { firstOf } from "../long.ts"
import { run } from "./Torture.ts"

const start = Date.UTC(2026, 0, 1)
const minuteMillis = 60_000

const section = "side: buy, size: { base: 3 }, entry: 995, takeProfit: 1050, stop: 970, reach: 2%"

/** Bought at 995, the take-profit rests, the price falls through the stop. */
const closes = [1000, 1000, 990, 990, 985, 980, 960, 960, 960, 960, 960, 960]

describe("a bracket", () => {
  for (const [way, keys] of firstOf(1, [
    ["an order", section],
    ["a swap", `${section}, stopBy: swap`]
  ] as const)) {
    it(`sells by ${way} at its stop even if the refund of its take-profit has a fee`, async () => {
      const folder = mkdtempSync(join(tmpdir(), "limitbot-stop-"))
      const candles = join(folder, "sol.csv")
      const lines = closes.map((close, index) =>
        [start + index * minuteMillis, close, close, close, close, 1].join(",")
      )
      writeFileSync(candles, ["open_time_ms,open,high,low,close,volume", ...lines, ""].join("\n"))
      const { seen } = await run({
        seed: 1,
        chaosMillis: closes.length * minuteMillis,
        faultRate: 0,
        kills: 0,
        speed: 1,
        candles,
        sandbox: { stepMillis: minuteMillis },
        strategy: `name: s
market: SOL/USDC
kind: bracket
limits: { budget: { quote: 3000 }, maxPriceDeviation: 5% }
bracket: { ${keys} }
`
      })
      rmSync(folder, { recursive: true })
      const sold = seen.filter(({ side }) => side === "SELL").reduce((sum, { amountIn }) => sum + amountIn, 0n)
      assert.isAbove(Number(sold), 2.99e9)
    })
  }
})
