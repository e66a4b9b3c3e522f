/** Every kind of strategy in a file of its own, for whoever measures or counts what the kernel does with them over a year of minutes. */
import { Result } from "effect"
import { render } from "../../src/strategy/Problem.ts"
import type { Strategy } from "../../src/strategy/Strategy.ts"
import * as StrategyFile from "../../src/strategy/StrategyFile.ts"

const assets = ["BTC", "ETH", "SOL", "USDC"].map((symbol) => ({
  symbol,
  id: symbol,
  decimals: symbol === "USDC" ? 6 : 8
}))

export const strategyOf = (body: string): Strategy => {
  const text = `name: bench\n${body}\n`
  const read = StrategyFile.parse(text, "bench.yaml", { assets, ticks: new Map() })
  if (Result.isFailure(read)) throw new Error(read.failure.map((problem) => render(problem, text)).join("\n"))
  return read.success
}

const both = "market: BTC/USDC\nlimits: { budget: { base: 1, quote: 100000 }, maxOpenOrders: 1000 }\n"
const quotes = "levels: 3, step: 0.3%, size: 0.005, requote: 0.4%, skew: 0.5%, maxInventory: 0.015"
const cells = "levels: 21, spacing: geometric, size: { base: 0.01 }"

const ruled = (frame: string): string => `${both}kind: rules
rules:
  timeframe: ${frame}
  let: { trend: "ema(close, 50)" }
  orders:
    dip:
      when: trend > ema(close(4h), 50) and rsi(close, 14) < 35 and mid < trend * (1 - 1%)
      side: buy
      price: mid * (1 - 0.2%)
      size: { quote: 250 }
      expireAfter: 12h
      pause: 4h
      times: 20
      then: { price: entry * (1 + 2%) }`

/** Each of them around 40,000, where the generated prices begin. */
export const bodies: Readonly<Record<string, string>> = {
  grid: `${both}kind: grid\ngrid: { lower: 25000, upper: 60000, ${cells} }`,
  "grid, step": `${both}kind: grid\ngrid: { step: 1%, size: { base: 0.01 }, fundNearest: 5 }`,
  "grid, trail": `${both}kind: grid\ngrid: { lower: 36000, upper: 44000, ${cells}, trail: both }`,
  "grid, fundNearest": `${both}kind: grid\ngrid: { lower: 25000, upper: 60000, ${cells}, fundNearest: 5 }`,
  ladder: `${both}kind: ladder\nladder: { side: buy, from: 39000, to: 25000, rungs: 20, total: { quote: 50000 }, takeProfit: 4% }`,
  "market making": `${both}kind: market-making\nmarket-making: { ${quotes}, spread: 0.6% }`,
  "market making, ATR 5m": `${both}kind: market-making\nmarket-making: { ${quotes}, spread: { of: atr, length: 14, timeframe: 5m, factor: 2, min: 0.3%, max: 2% } }`,
  deals: `${both}kind: deals
deals:
  size: { quote: 100 }
  reach: 0.1%
  when: rsi(close, 14) < 45
  timeframe: 15m
  safety: { orders: 5, size: { quote: 100 }, distance: 1.5%, sizeScale: 1.4, distanceScale: 1.2, active: 3 }
  takeProfit: 1.5%
  stop: 15%
  expireAfter: 30m
  cooldown: 30m`,
  "rules, 1m": ruled("1m"),
  "rules, 5m": ruled("5m"),
  "rules, 1h": ruled("1h"),
  "DCA, 1,000 times": `${both}kind: dca\ndca: { every: 6h, size: { quote: 50 }, times: 1000, drop: 5%, reach: 0.1% }`,
  "TWAP, 720 slices": `${both}kind: twap\ntwap: { side: sell, total: { base: 1 }, over: 300d, slices: 720, limit: 20000, reach: 0.2%, vary: 40%, seed: 7 }`,
  iceberg: `${both}kind: iceberg\niceberg: { side: sell, price: 41000, total: { base: 1 }, visible: { base: 0.01 } }`,
  rebalance: `${both.replace("100000", "40000")}kind: rebalance\nrebalance: { target: 50%, band: 2% }`,
  bracket: `${both}kind: bracket
bracket: { side: buy, size: { base: 0.5 }, entry: 39000, takeProfit: 60000, stop: 20000, reach: 0.5%, trail: 30%, trailStep: 0.2% }`
}
