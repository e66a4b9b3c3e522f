/** Every kind of strategy through the whole bot, on real candles where they are: it trades, and the books close. */
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { kinds } from "../../src/strategy/kinds.ts"
import { firstOf } from "../long.ts"
import { run } from "./Torture.ts"

const file = resolve(import.meta.dirname, "../../../shared/data/binance-solusdt-1m-20240801-20240803.csv.gz")
const isReal = existsSync(file)
if (!isReal) process.stdout.write("skipped: real candles are not here; kinds run on generated prices\n")

/** The price at the beginning of the file, and of the generated market. */
const start = isReal ? 171.5 : 150
const at = (ratio: number): string => (start * ratio).toFixed(2)

const strategies: Readonly<Record<string, string>> = {
  grid: `limits: { budget: { base: 20, quote: 3500 } }
grid: { lower: ${at(0.95)}, upper: ${at(1.05)}, levels: 11, size: { base: 1 }, trail: both }`,
  ladder: `limits: { budget: { quote: 3000 } }
ladder: { side: buy, from: ${at(0.998)}, to: ${at(0.96)}, rungs: 6, profile: linear, total: { quote: 3000 }, takeProfit: 0.5% }`,
  dca: `limits: { budget: { quote: 1000 } }
dca: { every: 1m, size: { quote: 50 }, times: 20, reach: 0.1% }`,
  deals: `limits: { budget: { quote: 2000 } }
deals:
  size: { quote: 100 }
  reach: 0.1%
  safety: { orders: 4, size: { quote: 100 }, distance: 0.1%, sizeScale: 1.5, active: 2 }
  takeProfit: 0.2%
  expireAfter: 3m`,
  twap: `limits: { budget: { base: 10 } }
twap: { side: sell, total: { base: 10 }, over: 6m, slices: 6, limit: ${at(0.5)}, reach: 0.2%, vary: 40%, seed: 7 }`,
  iceberg: `limits: { budget: { quote: 2000 } }
iceberg: { side: buy, price: ${at(1.01)}, total: { quote: 1900 }, visible: { quote: 400 } }`,
  "market-making": `limits: { budget: { base: 10, quote: 2000 }, maxPriceDeviation: 5% }
market-making: { levels: 2, spread: 0.4%, step: 0.2%, size: 1, requote: 0.3%, skew: 0.3%, maxInventory: 5 }`,
  rebalance: `limits: { budget: { base: 10, quote: ${at(10)} } }
rebalance: { target: 50%, band: 0.2% }`,
  bracket: `limits: { budget: { quote: 600 } }
bracket: { side: buy, size: { base: 3 }, entry: ${at(0.998)}, takeProfit: ${at(1.01)}, stop: ${at(0.98)}, reach: 1% }`,
  rules: `limits: { budget: { quote: 1500 } }
rules:
  timeframe: 1m
  orders:
    dip:
      when: mid < sma(close, 2) * (1 + 5%)
      side: buy
      price: mid * (1 - 0.05%)
      size: { quote: 100 }
      expireAfter: 3m
      times: 10
      then: { price: entry * (1 + 0.3%) }`
}

/** Further ways of a kind, by a name of their own. */
const variants: Readonly<Record<string, string>> = {
  "rebalance of three assets": `market: [SOL/USDC, BTC/USDC]
kind: rebalance
limits: { budget: { SOL: 10, BTC: 0.03, USDC: 2500 } }
rebalance: { targets: { SOL: 33%, BTC: 33% }, band: 30bps, requote: 10bps }`,
  "bracket that trails": `market: SOL/USDC
kind: bracket
limits: { budget: { quote: 600 } }
bracket: { side: buy, size: { base: 3 }, entry: ${at(1.01)}, takeProfit: ${at(1.2)}, stop: ${at(0.9)}, trail: 50bps, trailStep: 10bps, breakevenAt: ${at(1.05)} }`,
  "bracket of two entries and two targets": `market: SOL/USDC
kind: bracket
limits: { budget: { quote: 1600 } }
bracket: { side: buy, size: { base: 3 }, when: mid > 1, entry: 0.02%, or: { entry: mid * (1 + 0.02%) }, takeProfit: [{ at: 0.1%, part: 60% }, { at: 0.3%, part: 40% }], stop: 0.2%, breakevenAt: 0.1%, times: 50, expireAfter: 1m }`,
  "deals that leave in parts": `market: SOL/USDC
kind: deals
limits: { budget: { quote: 2000 } }
deals: { size: { quote: 200 }, reach: 0.1%, safety: { orders: 3, size: { quote: 200 }, distance: 0.1% }, takeProfit: [{ at: 0.1%, part: 50% }, { at: 0.3%, part: 50% }], breakevenAt: 0.1%, stop: 0.5%, expireAfter: 3m }`,
  "rules of its own trading": `market: SOL/USDC
kind: rules
limits: { budget: { base: 1, quote: 1500 } }
rules:
  timeframe: 1m
  orders:
    buy:
      when: openOrders < 2 and since(placement) > 5s and freeQuote > 200 USDC and not (mid > averageEntry * 1.5)
      side: buy
      price: mid * (1 - 0.05%)
      size: { quote: 100 }
      expireAfter: 1m
      pause: 5s
    sell:
      when: position >= 0.5 SOL and realisedProfit > -1000 USDC and since(fill) > 2s
      side: sell
      price: averageEntry * (1 - 1%)
      size: { base: 0.5 }
      expireAfter: 1m
      pause: 5s`,
  "rules that are withdrawn while they fill, and leave": `market: SOL/USDC
kind: rules
limits: { budget: { quote: 1500 } }
rules:
  timeframe: 1m
  orders:
    in:
      when: minute >= 0
      side: buy
      price: mid * (1 + 0.1%)
      size: { quote: freeQuote * 10% }
      cancelWhen: mid < close * 0.998 or mid > close * 1.002
      expireAfter: 5s
      pause: 10s
      then: { price: entry * (1 + 0.2%), stop: entry * (1 - 0.2%), after: 2m, reach: 0.3% }`,
  "bracket that leaves by a swap": `market: SOL/USDC
kind: bracket
limits: { budget: { quote: 600 } }
bracket: { side: buy, size: { base: 3 }, entry: ${at(1.02)}, takeProfit: ${at(1.2)}, stop: ${at(0.998)}, reach: 4%, stopBy: swap }`,
  "rules by swaps": `market: SOL/USDC
kind: rules
limits: { budget: { quote: 1500 } }
rules:
  timeframe: 1m
  orders:
    in-and-out:
      when: mid > 1
      side: buy
      by: swap
      price: mid * (1 + 1%)
      size: { quote: 100 }
      pause: 5s
      times: 12
      then: { price: entry * (1 - 2%), by: swap }`
}

const episodes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    firstOf(2, Object.entries(strategies)).map(([kind, section]) => [
      kind,
      `market: SOL/USDC\nkind: ${kind}\n${section}`
    ])
  ),
  ...Object.fromEntries(firstOf(1, Object.entries(variants)))
}

describe("kinds", () => {
  it("each have an episode of their own", () => {
    assert.deepStrictEqual(kinds.map(({ name }) => name).toSorted(), Object.keys(strategies).toSorted())
  })

  for (const [kind, text] of firstOf(6, Object.entries(episodes))) {
    it(`of ${kind} trade, and every unit comes back`, async () => {
      const strategy = `name: simulated\n${text}\n`
      const result = await run({
        seed: 3,
        // Candles must close before rules that look at them can trade.
        chaosMillis: (kind.startsWith("rules") ? 8 : 5) * 60_000,
        faultRate: 0.05,
        kills: 1,
        strategy,
        speed: 60,
        ...(isReal ? { candles: file } : {})
      })
      assert.isAbove(result.fills, 0)
      process.stdout.write(`${kind}: ${JSON.stringify({ fills: result.fills, funded: result.funded })}\n`)
    })
  }
})
