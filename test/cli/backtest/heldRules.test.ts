/** Rules that order nothing although they hold, or that cannot be decided: what the report of a backtest says of them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { limitbot } from "../backtesting.ts"

const folder = mkdtempSync(join(tmpdir(), "limitbot-held-"))
afterAll(() => rmSync(folder, { recursive: true }))

describe("the report of a backtest", () => {
  it.live("says how often a rule has no order although it holds, or cannot be decided, and why", () =>
    Effect.gen(function* () {
      const [strategy, data] = [join(folder, "held.yaml"), join(folder, "flat.csv")]
      writeFileSync(
        strategy,
        `name: held
market: BTC/USDC
kind: rules
limits: { budget: { quote: 5000 } }
rules:
  timeframe: 1h
  orders:
    size: { when: close > 1000, side: buy, price: close, size: { quote: "max(50 USDC, averageEntry * position)" } }
    price: { when: close > 1000, side: buy, price: close / (position / 1 BTC), size: { quote: 50 } }
    condition: { when: close / (position / 1 BTC) > 1000, side: buy, price: close, size: { quote: 50 } }
    never: { when: close > 9000, side: buy, price: close, size: { quote: 50 } }
`
      )
      const rows = Array.from({ length: 50 }, (_, hour) => {
        const price = hour % 2 === 0 ? 900 : 1_100 + hour
        return `${[Date.UTC(2024, 0, 1) + hour * 3_600_000, price, price, price, price].join(",")},1`
      })
      writeFileSync(data, ["time,open,high,low,close,volume", ...rows].join("\n"))
      // The position is none, so the size has no value and the quotients divide by zero.
      const printed = yield* limitbot("backtest", strategy, "--data", data, "--band", "rules")
      const lines = [...printed.matchAll(/^(\w+): (held, no order|undecided) +(\d+) times: (.*)$/gm)]
      const divided = "cannot be decided: close / (position / 1 BTC) divides by zero now"
      const valueless =
        "its size has no value now: it uses a value that does not exist now, such as an average entry without a position"
      assert.deepStrictEqual(
        lines.map(([, ...words]) => words),
        [
          ["condition", "undecided", "50", divided],
          ["size", "held, no order", "25", valueless],
          ["price", "undecided", "25", divided]
        ]
      )
    })
  )
})
