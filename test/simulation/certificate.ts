/**
 * Does the band hold the truth? The whole bot runs on the sandbox over candles, in virtual time, and the backtest
 * over the same candles with the sandbox's costs. Live profit is that of all fills and fees until the last candle closes,
 * everything held being worth the last close; the band says between what it should lie.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Result } from "effect"
import * as Candles from "../../src/candles/Candles.ts"
import * as CrossingIndex from "../../src/candles/CrossingIndex.ts"
import * as TimeAxis from "../../src/candles/TimeAxis.ts"
import * as Band from "../../src/lab/backtest/Band.ts"
import { type Costs, noCosts } from "../../src/lab/backtest/kernel/FillPresets.ts"
import * as BandSide from "../../src/lab/backtest/results/BandSide.ts"
import { randomFrom } from "../../src/rehearsal/world/World.ts"
import { defaultSettings } from "../../src/sandbox/Settings.ts"
import type { SolverLaw } from "../../src/sandbox/Solvers.ts"
import * as StrategyFile from "../../src/strategy/StrategyFile.ts"
import { run } from "./Torture.ts"

const barMillis = 60_000
const start = Date.UTC(2026, 0, 1)

const assets = [
  { symbol: "SOL", id: "nep141:sol.omft.native", decimals: 9 },
  { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 }
]

type Pick = (low: number, high: number) => number

/** Strategies as people write them, around a price of 1000. */
export const certified: Readonly<Record<string, (pick: Pick, side: "buy" | "sell") => string>> = {
  grid: (pick) =>
    `{ lower: ${990 - pick(0, 5)}, upper: ${1010 + pick(0, 5)}, levels: ${pick(5, 15)}, size: { base: 1 } }`,
  ladder: (pick, side) =>
    `{ side: ${side}, from: ${side === "buy" ? 999 : 1001}, to: ${side === "buy" ? 985 : 1015}, rungs: ${pick(3, 6)}, total: { base: 6 }, takeProfit: 0.${pick(3, 9)}% }`,
  dca: (pick, side) =>
    `{ every: ${pick(3, 9)}m, side: ${side}, size: { base: 1 }, times: ${pick(3, 6)}, reach: 0.${pick(1, 5)}% }`,
  deals: (pick) =>
    `{ size: { base: 1 }, reach: 0.${pick(1, 5)}%, safety: { orders: ${pick(2, 4)}, size: { base: 1 }, distance: 0.${pick(1, 3)}% }, takeProfit: 0.${pick(2, 6)}%, cooldown: ${pick(1, 4)}m }`,
  twap: (pick, side) => {
    const slices = pick(3, 6)
    return `{ side: ${side}, total: { base: 6 }, over: ${slices * pick(3, 6)}m, slices: ${slices}, limit: ${side === "buy" ? 1100 : 900}, reach: 0.${pick(1, 5)}% }`
  },
  iceberg: (pick, side) =>
    `{ side: ${side}, price: ${side === "buy" ? 1000 - pick(0, 4) : 1000 + pick(0, 4)}, total: { base: 8 }, visible: { base: ${pick(1, 4)} } }`,
  "market-making": (pick) =>
    `{ levels: ${pick(1, 2)}, spread: 0.${pick(2, 6)}%, step: 0.2%, size: 1, requote: 0.${pick(1, 4)}%, skew: 0.1%, maxInventory: ${pick(4, 9)} }`,
  rebalance: (pick) => `{ target: 50%, band: ${pick(3, 9)}bps }`,
  bracket: (pick, side) => {
    const [up, down] = [1001 + pick(2, 6), 999 - pick(2, 6)]
    const exits = side === "buy" ? `takeProfit: ${up}, stop: ${down}` : `takeProfit: ${down}, stop: ${up}`
    return `{ side: ${side}, size: { base: ${pick(1, 5)} }, entry: ${side === "buy" ? 1000 - pick(0, 2) : 1000 + pick(0, 2)}, ${exits}, reach: 1% }`
  },
  rules: (pick) => `
  timeframe: 1m
  orders:
    dip:
      when: mid < ${1001 + pick(-3, 3)}
      side: buy
      price: mid * (1 - 0.${pick(1, 4)}%)
      size: { base: ${pick(1, 3)} }
      times: ${pick(2, 6)}
      expireAfter: ${pick(3, 9)}m
      then: { price: entry * (1 + 0.${pick(2, 6)}%) }`
}

const strategyText = (kind: string, seed: number): string => {
  const random = randomFrom(seed + 77)
  const pick = (low: number, high: number) => low + Math.trunc(random() * (high - low + 1))
  const make = certified[kind]
  if (make === undefined) throw new Error(`no strategy of kind ${kind}`)
  const limits = "limits: { budget: { base: 20, quote: 20000 }, maxPriceDeviation: 10% }"
  return `name: s\nmarket: SOL/USDC\nkind: ${kind}\n${limits}\n${kind}: ${make(pick, random() < 0.5 ? "buy" : "sell")}\n`
}

/** Six steps a bar, some 0.1 % each bar. */
const randomCandles = (seed: number, bars: number): Candles.Candles => {
  const random = randomFrom(seed)
  const columns = {
    open: [] as Array<number>,
    high: [] as Array<number>,
    low: [] as Array<number>,
    close: [] as Array<number>
  }
  // On no level of a grid: whether a cell there begins with a purchase or a sale would hang on rounding.
  let price = 1000.37
  for (let bar = 0; bar < bars; bar++) {
    const path = [price]
    // The bot starts with the first bar, the backtest decides at its close: it does not move.
    for (let step = 0; step < 6; step++) {
      if (bar === 0) {
        path.push(price)
        continue
      }
      price += (random() + random() + random() - 1.5) * 1.2 - (price - 1000.37) * 0.004
      path.push(price)
    }
    const rounded = path.map((value) => Math.round(value * 100) / 100)
    columns.open.push(rounded[0] ?? 0)
    columns.high.push(Math.max(...rounded))
    columns.low.push(Math.min(...rounded))
    columns.close.push(rounded[6] ?? 0)
  }
  return {
    bars,
    time: TimeAxis.regular(bars, start, barMillis),
    open: Candles.columnOf(columns.open),
    high: Candles.columnOf(columns.high),
    low: Candles.columnOf(columns.low),
    close: Candles.columnOf(columns.close),
    // Without volumes nothing can be said of a share of them.
    volume: Candles.column(bars),
    priceScale: 2
  }
}

const settings = defaultSettings("native")
const feeOf = (symbol: string): bigint => BigInt(settings.assets.find((asset) => asset.symbol === symbol)?.fee ?? "0")

/** What the sandbox takes. */
const costs: Costs = {
  ...noCosts,
  spreadBasisPoints: (settings.spread * 10_000) / 2,
  withdrawFee: { base: feeOf("SOL"), quote: feeOf("USDC") },
  refundFee: { base: feeOf("SOL"), quote: feeOf("USDC") }
}

const live = async (text: string, candles: Candles.Candles, seed: number, solvers: SolverLaw | undefined) => {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-certificate-"))
  try {
    const csv = join(folder, "sol.csv")
    const { open, high, low, close, bars } = candles
    const lines = Array.from({ length: bars }, (_, bar) =>
      [start + bar * barMillis, open[bar], high[bar], low[bar], close[bar]].join(",")
    )
    writeFileSync(csv, ["open_time_ms,open,high,low,close", ...lines, ""].join("\n"))
    const chaosMillis = bars * barMillis
    const sandbox = solvers === undefined ? {} : { solvers }
    const calm = { speed: 1, chaosMillis, faultRate: 0, kills: 0 }
    const result = await run({ seed, strategy: text, candles: csv, sandbox, ...calm })
    const last = close[bars - 1] ?? 0
    const worth = (asset: string, amount: bigint): number =>
      asset === "SOL" ? (Number(amount) / 1e9) * last : Number(amount) / 1e6
    const traded = result.seen.reduce(
      (sum, { side, amountIn, amountOut }) =>
        sum + worth(side === "BUY" ? "SOL" : "USDC", amountOut) - worth(side === "BUY" ? "USDC" : "SOL", amountIn),
      0
    )
    const turnover = result.seen.reduce(
      (sum, { side, amountIn }) => sum + worth(side === "BUY" ? "USDC" : "SOL", amountIn),
      0
    )
    return {
      profit: result.fees.reduce((sum, { asset, fee }) => sum - worth(asset, fee), traded),
      rounding: turnover * lastDigits
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export interface Certificate {
  readonly kind: string
  readonly seed: number
  readonly live: number
  readonly low: number
  readonly high: number
  /** What prices of eight digits leave open: what was traded, times this. */
  readonly rounding: number
  readonly runs: ReadonlyArray<string>
}

/** The price that the bot sees has eight digits, and so has that of an order made of it: each is off by 1e-7 at most. */
const lastDigits = 2e-7

export const isInside = ({ live, low, high, rounding }: Certificate): boolean =>
  live >= low - rounding - 1e-6 && live <= high + rounding + 1e-6

/** `solvers`: who fills orders; without, the mid that touches their limit. */
export const certify = async (kind: string, seed: number, bars: number, solvers?: SolverLaw): Promise<Certificate> => {
  const text = strategyText(kind, seed)
  const candles = randomCandles(seed, bars)
  const strategy = Result.getOrThrow(StrategyFile.parse(text, "s.yaml", { assets, ticks: new Map() }))
  const options = { costs, changes: { volumeShare: 0 } }
  const input = { candles, indices: CrossingIndex.linearIndices(candles), options }
  const { sides, simulated } = Band.run(strategy, [input])
  const quote = (amount: bigint): number => Number(amount) / 1e6
  const { p5, p95 } = Band.quantilesOf(simulated, (figures) => quote(BandSide.profitOf(figures)))
  const { profit, rounding } = await live(text, candles, seed, solvers)
  return {
    kind,
    seed,
    live: profit,
    rounding,
    low: p5,
    high: p95,
    runs: sides.map((side) => `${side.mode}: ${quote(BandSide.profitOf(side)).toFixed(3)} (${side.fills})`)
  }
}
