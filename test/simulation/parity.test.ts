/**
 * Two very different machines on the same prices: the whole bot against the whole sandbox over HTTP in virtual time, and the
 * backtest kernel on columns. With no fees, no spread and no partial fills they must fill the same slots in the same bars,
 * for the same amounts to the unit: every kind of strategy with random settings, on random prices.
 *
 * What strategies decide on must be what both see, so prices jump: between jumps the price stands still. For the kernel a
 * bar is such a jump, and its close is the moment in the middle of the still time after it. Two kinds do not look at the
 * price; for them candles have wicks as well.
 *
 * With wicks prices of candles are whole tens and those of orders end in five, and a candle is narrower than a cell: the few
 * seconds in which the bot sees a fill and places the next order never carry the price across a level.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Candles from "../../src/candles/Candles.ts"
import * as CrossingIndex from "../../src/candles/CrossingIndex.ts"
import * as TimeAxis from "../../src/candles/TimeAxis.ts"
import { noCosts } from "../../src/lab/backtest/kernel/FillPresets.ts"
import { rows } from "../../src/lab/backtest/results/FillRows.ts"
import { randomFrom } from "../../src/rehearsal/world/World.ts"
import { defaultSettings } from "../../src/sandbox/Settings.ts"
import { kinds } from "../../src/strategy/kinds.ts"
import * as StrategyFile from "../../src/strategy/StrategyFile.ts"
import { firstOf, isLong } from "../long.ts"
import { runOneMarket } from "../world/oneMarket.ts"
import { assertClose, byBot, byKernel, type Filled, noSurprises, pace } from "./sameFills.ts"
import { run } from "./Torture.ts"

const barMillis = 240_000
const count = Number(process.env["LIMITBOT_PARITY"] ?? 1)
/** A campaign has longer worlds. */
const bars = Number(process.env["LIMITBOT_BARS"] ?? (count === 1 ? (isLong ? 9 : 7) : 14))
const start = Date.UTC(2026, 0, 1)

type Candle = readonly [open: number, high: number, low: number, close: number]

/** What happens in the kernel's bars, and the file that makes it happen in the sandbox. */
interface Prices {
  readonly candles: ReadonlyArray<Candle>
  readonly file: ReadonlyArray<Candle>
  /** The file's candles are half as long: a jump comes in the middle of a bar, far from what happens by the clock. */
  readonly isHalved: boolean
}

/**
 * The first candle does not move, so that everything rests before anything happens. Nor does the last one: the sandbox fills at its end,
 * when the bot has stopped.
 */
const withWicks = (seed: number): Prices => {
  const random = randomFrom(seed)
  const step = (most: number) => Math.trunc(random() * (most + 1)) * 10
  let open = 1000
  // In fewer candles too little happens.
  const length = Math.max(bars, 11)
  const candles = Array.from({ length }, (_, bar): Candle => {
    if (bar === 0 || bar === length - 1) return [open, open, open, open]
    const high = open + step(1)
    const low = open - step(1)
    const close = low + Math.trunc((random() * (high - low + 10)) / 10) * 10
    const candle: Candle = [open, high, low, close]
    open = close
    return candle
  })
  return { candles, file: candles, isHalved: false }
}

const jumping = (seed: number, count = bars, stillBars: ReadonlyArray<number> = [0]): Prices => {
  const random = randomFrom(seed)
  let price = 1000
  const closes = Array.from({ length: count }, (_, bar) => {
    if (!stillBars.includes(bar)) price = Math.round((price * (1 + (random() - 0.5) * 0.03)) / 2) * 2
    // No bound that follows from another price falls on one of these.
    return price + 0.37
  })
  const candles = closes.map((close, bar): Candle => {
    const open = closes[bar - 1] ?? close
    return [open, Math.max(open, close), Math.min(open, close), close]
  })
  const flat = (close: number): Candle => [close, close, close, close]
  return {
    candles,
    file: closes.flatMap((close, bar) => (bar === 0 ? [flat(close)] : [flat(close), flat(close)])),
    isHalved: true
  }
}

type Make = (pick: (low: number, high: number) => number, side: "buy" | "sell") => string

/** Prices of the file are even, those of orders odd or broken, so that nothing hangs on touching or not. */
const jumpingKinds: Readonly<Record<string, Make>> = {
  grid: (pick) => {
    const spacing = pick(3, 12) * 2
    const lower = 1001 - pick(1, 5) * spacing
    return `{ levels: [${Array.from({ length: pick(3, 9) }, (_, level) => lower + level * spacing).join(", ")}], size: { ${pick(0, 1) === 0 ? `base: ${pick(1, 5)}` : `equity: ${pick(1, 4)}%`} }, sizeScale: 1.${pick(0, 3)}${pick(0, 1) === 0 ? "" : `, stop: ${lower - pick(1, 4) * 2}, takeProfit: ${lower + spacing * 9}, reach: 2%`}${pick(0, 2) === 0 ? ", buyBase: true" : ""} }`
  },
  ladder: (pick, side) =>
    `{ side: ${side}, from: ${side === "buy" ? 999 : 1001}, to: ${side === "buy" ? 999 - pick(2, 20) * 2 : 1001 + pick(2, 20) * 2}, rungs: ${pick(2, 6)}, profile: linear, total: { base: 7 }, takeProfit: ${pick(2, 15)}.1% }`,
  dca: (pick, side) =>
    `{ every: ${pick(1, 3) * 4}m, side: ${side}, size: { base: ${pick(1, 4)} }, times: ${pick(2, 5)}, reach: 0.${pick(1, 5)}% }`,
  deals: (pick, side) =>
    `{ side: ${side}, size: { base: ${pick(1, 4)} }, reach: 0.${pick(1, 5)}%, safety: { orders: ${pick(1, 3)}, size: { base: ${pick(1, 3)} }, distance: 0.${pick(3, 9)}1%, sizeScale: 1.${pick(0, 5)} }, takeProfit: 0.${pick(4, 9)}3%, ${pick(0, 1) === 0 ? "" : `trail: 0.${pick(2, 6)}7%, stopReach: 3%, `}cooldown: ${pick(1, 3) * 4}m }`,
  twap: (pick, side) => {
    const slices = pick(2, 4)
    return `{ side: ${side}, total: { base: ${pick(3, 9)} }, over: ${slices * pick(1, 3) * 4}m, slices: ${slices}, limit: ${side === "buy" ? 1301 : 701}, reach: 0.${pick(1, 5)}% }`
  },
  iceberg: (pick, side) =>
    `{ side: ${side}, price: ${side === "buy" ? 1001 - pick(0, 10) * 2 : 1001 + pick(0, 10) * 2}, total: { base: 8 }, visible: { base: ${pick(1, 4)} } }`,
  "market-making": (pick) =>
    `{ levels: 2, spread: 0.${pick(3, 9)}%, step: 0.${pick(2, 5)}%, size: ${pick(0, 1) === 0 ? pick(1, 3) : `[${pick(1, 3)}, ${pick(1, 3)}]`}, ${pick(0, 1) === 0 ? "" : `sizeSkew: ${pick(1, 9)}0%,`} ${pick(0, 1) === 0 ? "" : `filledDelay: ${pick(1, 3) * 4}m,`} ${pick(0, 1) === 0 ? "" : "maxImpact: 1%,"} ${pick(0, 1) === 0 ? "" : `hanging: { distance: ${pick(1, 3)}.07%, most: ${pick(1, 2)} },`} requote: 0.${pick(2, 9)}%, skew: 0.${pick(1, 4)}%, maxInventory: ${pick(4, 9)} }`,
  // No jump carries the price 0.5% beyond the next band: a bot that trades at the mid gets it or not by the spread.
  rebalance: (pick) =>
    `{ target: 50%, band: 0.${pick(6, 9)}%${pick(0, 1) === 0 ? "" : `, every: ${pick(2, 4) * 4}m, reach: 0.${pick(1, 9)}%, reserve: ${pick(1, 9)}000`} }`,
  bracket: (pick, side) => {
    if (pick(0, 1) === 1) {
      const when = `mid ${side === "buy" ? ">" : "<"} ${1001 + pick(-3, 3) * 2}`
      return `{ side: ${side}, size: { base: ${pick(1, 4)} }, when: "${when}", entry: 0.${pick(1, 5)}%, takeProfit: 0.${pick(4, 9)}3%, stop: 1.${pick(1, 9)}3%, reach: 2%, times: ${pick(1, 4)}, cooldown: ${pick(1, 2) * 4}m, expireAfter: ${pick(1, 3) * 4}m }`
    }
    const [up, down] = [1001 + pick(3, 12) * 2, 999 - pick(3, 12) * 2]
    const exits = side === "buy" ? `takeProfit: ${up}, stop: ${down}` : `takeProfit: ${down}, stop: ${up}`
    return `{ side: ${side}, size: { base: ${pick(1, 5)} }, entry: ${side === "buy" ? 999 - pick(0, 1) * 2 : 1001 + pick(0, 1) * 2}, ${exits}, reach: 1% }`
  },
  // The bot's first whole candle closes after two of the kernel's: from minute 20 on both have those that the states need.
  rules: (pick) => `
  timeframe: 4m
  state:
    calm: { initial: 0, next: "if minute >= 20 and latch[1] < 1 then 1 else calm[1] * latch", over: 2 }
    latch: { initial: 0, next: "if close > ${1001 + pick(-3, 3) * 2} then 1 else if close < ${995 + pick(-3, 3) * 2} then 0 else latch[1]", over: ${pick(2, 3)} }
  orders:
    latched: { when: "latch > 0 and minute >= 24", side: sell, price: "mid * (1 - 0.${pick(1, 9)}%)", size: { base: 1 }, times: ${pick(1, 3)} }
    dip:
      when: mid < ${1001 + pick(-3, 3) * 2}
      side: buy
      price: mid * (1 - 0.${pick(1, 9)}%)
      size: { base: ${pick(1, 4)} }
      times: ${pick(1, 5)}
      expireAfter: ${pick(1, 3) * 4}m
      then: { price: entry * (1 + 0.${pick(3, 9)}%)${pick(0, 1) === 0 ? "" : `, trail: 0.${pick(2, 6)}7%, trailFrom: entry * (1 + 0.${pick(1, 5)}%), reach: 3%`} }
    heavy: { when: "exposure > 5${pick(0, 1)}% and calm > 0", side: sell, price: "mid * (1 - 0.${pick(1, 9)}%)", size: { base: 1 }, times: 2 }
    alone:
      when: openOrders < 1 and mid > ${1001 + pick(-3, 3) * 2}
      side: sell
      price: mid * (1 + 0.${pick(1, 9)}%)
      size: { base: 1 }
      times: ${pick(1, 4)}`
}

/** Quotes of the model of Avellaneda and Stoikov: each candle that closes changes them, as `requote` is next to nothing. */
const modelKinds: Readonly<Record<string, Make>> = {
  "market-making": (pick) =>
    `{ levels: ${pick(1, 2)}, size: ${pick(1, 3)}, maxInventory: ${pick(4, 9)}, requote: 0.00001%, spread: { of: avellaneda-stoikov, length: 10, timeframe: 4m, riskAversion: ${pick(5, 15)}, horizon: 1h, min: 0.1%, max: 5% } }`
}

/**
 * Quotes around an average of candles; the price stands still until both have enough of them. One fill reaches the inventory's limit, so the
 * side that has filled is not quoted again at once, beyond the market.
 */
const centredKinds: Readonly<Record<string, Make>> = {
  "market-making": (pick) =>
    `{ levels: 1, size: 2, maxInventory: 2, spread: 2.${pick(0, 9)}%, requote: 0.1%, centre: "sma(close, ${pick(3, 5)})", timeframe: 4m }`
}

const partlyKinds: Readonly<Record<string, Make>> = {
  bracket: (pick, side) => {
    const [is, word] = side === "buy" ? [">", "+"] : ["<", "-"]
    const or = `, or: { entry: mid * (1 ${word} 0.1%), when: "mid ${is} ${1001 + pick(-3, 3) * 2}" }`
    const again = `, times: ${pick(1, 3)}, cooldown: 4m`
    return `{ side: ${side}, size: { base: ${pick(2, 7)} }, entry: 0.${pick(1, 6)}%${pick(0, 1) === 0 ? "" : or}, takeProfit: [{ at: 0.${pick(6, 9)}%, part: 50% }, { at: 1.${pick(1, 9)}%, part: 30% }, { at: 3%, part: 20% }], stop: 1.${pick(1, 9)}%, breakevenAt: 0.${pick(7, 9)}%, reach: 0.3%${again} }`
  },
  deals: (pick, side) =>
    `{ side: ${side}, size: { base: ${pick(1, 4)} }, reach: 0.${pick(1, 5)}%, safety: { orders: ${pick(1, 3)}, size: { base: ${pick(1, 3)} }, distance: 0.${pick(3, 9)}1% }, takeProfit: [{ at: 0.${pick(3, 9)}3%, part: 50% }, { at: 1.${pick(1, 9)}3%, part: 30% }, { at: 3%, part: 20% }], ${pick(0, 1) === 0 ? "breakevenAt: 0.31%" : `trail: 0.${pick(2, 6)}7%`}, stopReach: 3%, cooldown: 4m }`,
  rules: (pick) => `
  timeframe: 4m
  orders:
    dip:
      when: mid < ${1001 + pick(-3, 3) * 2}
      side: buy
      price: mid * (1 - 0.${pick(1, 9)}%)
      size: { base: ${pick(1, 4)} }
      expireAfter: ${pick(1, 3) * 4}m
      then: { price: [{ at: entry * (1 + 0.${pick(3, 9)}%), part: 50% }, { at: entry * (1 + 1.${pick(0, 9)}%), part: 50% }], trail: 0.${pick(2, 6)}7%, trailFrom: entry * (1 + 0.${pick(1, 5)}%), reach: 3% }`
}

/** Ten changes and the candle before them come first. The bot begins later: the price stands still until it is warm too. */
const modelPrices = (seed: number): Prices => jumping(seed, 21, [0, 11, 12, 13])

const wickKinds: Readonly<Record<string, Make>> = {
  grid: (pick) => {
    const spacing = pick(3, 4) * 10
    const lower = 1005 - pick(2, 4) * spacing
    return `{ levels: [${Array.from({ length: pick(6, 10) }, (_, level) => lower + level * spacing).join(", ")}], size: { base: ${pick(1, 5)} } }`
  },
  ladder: (pick, side) => {
    const rungs = pick(3, 7)
    const [from, to] = side === "buy" ? [995, 1005 - rungs * 10] : [1005, 995 + rungs * 10]
    return `{ side: ${side}, from: ${from}, to: ${to}, rungs: ${rungs}, profile: flat, total: { base: ${rungs} } }`
  }
}

const wideLimits = "maxPriceDeviation: 10%"

const strategyFrom = (kind: string, make: Make, seed: number, limited = wideLimits): string => {
  const random = randomFrom(seed + 77)
  const pick = (low: number, high: number) => low + Math.trunc(random() * (high - low + 1))
  const limits = `limits: { budget: { base: 100, quote: 100000 }, staleAfter: 5m, ${limited} }`
  return `name: s\nmarket: SOL/USDC\nkind: ${kind}\n${limits}\n${kind}: ${make(pick, random() < 0.5 ? "buy" : "sell")}\n`
}

const assets = [
  { symbol: "SOL", id: "nep141:sol.omft.native", decimals: 9 },
  { symbol: "USDC", id: "nep141:usdc.omft.native", decimals: 6 }
]

const runKernel = (text: string, { candles, isHalved }: Prices, spreadBasisPoints = 0) => {
  const strategy = Result.getOrThrow(StrategyFile.parse(text, "s.yaml", { assets, ticks: new Map() }))
  const column = (of: number) => Candles.columnOf(candles.map((candle) => candle[of] ?? 0))
  const data: Candles.Candles = {
    bars: candles.length,
    time: TimeAxis.regular(candles.length, start - (isHalved ? barMillis : 0), barMillis),
    open: column(0),
    high: column(1),
    low: column(2),
    close: column(3),
    volume: Candles.columnOf(candles.map(() => 1)),
    priceScale: 2
  }
  const { outcome } = runOneMarket(strategy, data, CrossingIndex.linearIndices(data), "optimistic", {
    costs: { ...noCosts, spreadBasisPoints },
    changes: {}
  })
  const fills = byKernel([...rows(outcome, data)])
  return { fills, deniedBy: outcome.deniedBy, stops: outcome.stops }
}

const engineRun = async (text: string, { candles, file, isHalved }: Prices, seed: number, spreadBasisPoints = 0) => {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-parity-"))
  const csv = join(folder, "sol.csv")
  const candleMillis = isHalved ? barMillis / 2 : barMillis
  const lines = file.map((candle, index) => [start + index * candleMillis, ...candle, 1].join(","))
  writeFileSync(csv, ["open_time_ms,open,high,low,close,volume", ...lines, ""].join("\n"))
  const settings = defaultSettings("native")
  const free = settings.assets.map((asset) => ({ ...asset, fee: "0" }))
  const result = await run({
    seed,
    strategy: text,
    candles: csv,
    speed: 1,
    chaosMillis: candles.length * barMillis - barMillis / 4,
    faultRate: 0,
    kills: 0,
    sandbox: {
      assets: free,
      stepMillis: candleMillis,
      // Not zero: rounding would cross the two sides of a quote now and then, and the bot passes over that.
      spread: spreadBasisPoints > 0 ? spreadBasisPoints / 5_000 : isHalved ? 2e-8 : 0,
      ...noSurprises
    },
    pace
  })
  rmSync(folder, { recursive: true })
  // With wicks the sandbox looks at a bar when it is over; what is marketable fills between two jumps.
  const barOf = (filledAt: number) =>
    isHalved ? Math.floor(filledAt / barMillis + 0.5) : Math.ceil(filledAt / barMillis) - 1
  // The bot runs a little into the bar after the kernel's last one, where a pause by the clock may end.
  const seen = result.seen.filter(({ filledAt }) => barOf(filledAt) < candles.length)
  // Between two jumps nothing fills but what takes the market when it is placed.
  const takesMarket = seen.some(({ filledAt }) => (filledAt + barMillis / 2) % barMillis !== 0)
  return { fills: byBot(seen, barOf), takesMarket }
}

const byEngine = async (...world: Parameters<typeof engineRun>): Promise<ReadonlyArray<Filled>> =>
  (await engineRun(...world)).fills

/**
 * Each side of the sandbox's quote lies 1e-8 from the mid, and the kernel has no spread: what trades at the market differs in
 * the ninth digit. A price that follows from it has eight digits, so it is the same or its neighbour, at most 1e-7 away.
 * All other amounts are equal to the unit.
 */
const mostApart = 1.1e-7
/** The sandbox sells at the mid over 1 - h where a backtest has 1 + h: a square of five basis points apart. */
const mostApartBySpread = 3e-7

/**
 * Rebalancing by the clock trades a small difference of large amounts, which are up to 1e-7 apart: trades of some thousandths of a
 * holding are up to 500 times as far apart. A model rounds its spread and lean to a millionth each, upwards.
 */
const mostApartOf = (text: string, hasSpread: boolean): number => {
  if (hasSpread) return mostApartBySpread
  if (text.includes("target: 50%") && text.includes("every: ")) return 5e-5
  return text.includes("avellaneda-stoikov") ? 3e-6 : mostApart
}

/** A live grid sells at its end what is free, and the rest of the same bar once its refunds are back: parts of one sale. */
const wholeExits = (fills: ReadonlyArray<Filled>): ReadonlyArray<Filled> => {
  const wholes: Array<Filled> = []
  for (const fill of fills) {
    const last = wholes.at(-1)
    if (last?.what !== fill.what || !/ exit(-run-\d+)? SELL$/.test(fill.what)) wholes.push(fill)
    else
      wholes.splice(-1, 1, {
        what: fill.what,
        amountIn: last.amountIn + fill.amountIn,
        amountOut: last.amountOut + fill.amountOut
      })
  }
  return wholes
}

/** To the unit where orders do not depend on prices that were seen. */
const assertSame = (
  live: ReadonlyArray<Filled>,
  tested: ReadonlyArray<Filled>,
  isExact: boolean,
  about: string,
  hasSpread = false
) => {
  const [engine = [], kernel = []] = [live, tested].map(wholeExits)
  const text = (filled: Filled) => (isExact ? shown(filled) : filled.what)
  assert.deepStrictEqual(engine.map(text), kernel.map(text), about)
  assertClose(engine, kernel, mostApartOf(about, hasSpread), about)
}

const areAlike = (one: ReadonlyArray<Filled>, other: ReadonlyArray<Filled>): boolean =>
  one.length === other.length && one.every(({ what }, at) => what === other[at]?.what)

const shown = ({ what, amountIn, amountOut }: Filled) => `${what} ${amountIn} for ${amountOut}`

const first = Number(process.env["LIMITBOT_SEED"] ?? 1)
const only = process.env["LIMITBOT_KIND"]

/**
 * `isByCandles`: quotes follow from closed candles. The bot answers a fill at once, the kernel when the candle closes, with that candle. An
 * answer that takes the market may therefore differ, in at most half of the worlds.
 */
const campaign = (
  title: string,
  kinds: Readonly<Record<string, Make>>,
  pricesFrom: (seed: number) => Prices,
  isByCandles = false
) =>
  describe(title, () => {
    for (const [kind, make] of firstOf(2, Object.entries(kinds))) {
      if (only !== undefined && only !== kind) continue
      it(`${kind}: engine and kernel fill the same slots in the same bars for the same amounts`, {
        timeout: count * 60_000
      }, async () => {
        let [compared, differing, filled] = [0, 0, 0]
        for (let seed = first; compared < count && seed < first + 60 * count; seed += 1) {
          const prices = pricesFrom(seed)
          const text = strategyFrom(kind, make, seed)
          const expected = runKernel(text, prices).fills
          if (expected.length === 0 && count === 1) continue
          const about = `seed ${seed}: ${text}${prices.candles.map(([, , , close]) => close).join(" ")}`
          const { fills, takesMarket } = await engineRun(text, prices, seed)
          if (isByCandles && takesMarket && !areAlike(fills, expected)) {
            differing += 1
            continue
          }
          assertSame(fills, expected, !prices.isHalved, about)
          compared += 1
          filled += expected.length
        }
        assert.strictEqual(compared, count)
        assert.isAtMost(differing, count)
        assert.isAbove(filled, 0)
      })
    }
  })

campaign("parity with jumping prices", jumpingKinds, (seed) => jumping(seed))
if (isLong) campaign("parity of quotes by a model", modelKinds, modelPrices, true)
if (isLong)
  campaign(
    "parity of quotes around an average",
    centredKinds,
    (seed) => jumping(seed, 18, [0, 1, 2, 3, 4, 5, 6, 7]),
    true
  )
if (isLong) campaign("parity with several targets and entries", partlyKinds, (seed) => jumping(seed, 14))
campaign("parity within candles", wickKinds, withWicks)

/**
 * Limits by the clock begin while nothing else happens: in the two minutes before a jump the bot has long done what it wants. They end when
 * a bar closes. For brackets they do not end: an entry may expire in the seconds between the bot's look and the kernel's.
 */
const limitedCases: ReadonlyArray<readonly [limit: string, kind: string, limits: string]> = [
  ["price-deviation", "twap", "maxPriceDeviation: 0.1%"],
  ["drawdown", "grid", `${wideLimits}, maxDrawdown: 1%, onLoss: drain`],
  ["price-deviation", "dca", "maxPriceDeviation: 0.1%"],
  ["quiet-hours", "grid", `${wideLimits}, quietHours: 00:13-00:28`],
  ["quiet-hours", "market-making", `${wideLimits}, quietHours: 00:13-00:28`],
  ["quiet-hours", "bracket", `${wideLimits}, quietHours: 00:13-00:59`],
  ["price-deviation", "bracket", "maxPriceDeviation: 0.9%"],
  ["price-deviation", "market-making", "maxPriceDeviation: 0.1%"],
  ["orders-per-hour", "grid", `${wideLimits}, maxOrdersPerHour: 9`],
  ["orders-per-hour", "market-making", `${wideLimits}, maxOrdersPerHour: 7`],
  ["orders-per-hour", "bracket", `${wideLimits}, maxOrdersPerHour: 2`],
  ["notional", "grid", `${wideLimits}, maxNotional: 6000`],
  ["paused", "grid", `${wideLimits}, maxDailyLoss: 1000`]
]

/** The bar at whose close a TWAP ends: there the kernel only looks when it has ended, while the bot acts until then. */
const endBarOf = (text: string): number => {
  const [, minutes] = /over: (\d+)m/.exec(text) ?? []
  return minutes === undefined ? Number.POSITIVE_INFINITY : (Number(minutes) * 60_000) / barMillis
}

describe("parity under a strategy's own limits", () => {
  for (const [limit, kind, limits] of firstOf(1, limitedCases)) {
    if (only !== undefined && only !== kind) continue
    it(`${kind} with ${limits}: engine and kernel fill the same`, { timeout: count * 60_000 }, async () => {
      const make = jumpingKinds[kind] ?? assert.fail()
      let [compared, differing] = [0, 0]
      for (let seed = first; compared < count && seed < first + 60 * count; seed += 1) {
        const prices = jumping(seed)
        const text = strategyFrom(kind, make, seed, limits)
        const kernel = runKernel(text, prices)
        const said: ReadonlyArray<string> = [...kernel.deniedBy.keys(), ...kernel.stops.map(({ limit }) => limit)]
        if (!said.includes(limit) || kernel.fills.length === 0) continue
        const about = `seed ${seed}: ${text}${prices.candles.map(([, , , close]) => close).join(" ")}`
        const isWithin = ({ what }: Filled) => Number.parseInt(what, 10) < endBarOf(text)
        const live = await byEngine(text, prices, seed)
        // A quote moves once its cancel is answered, which takes no time in the kernel: the limit may meet another quote.
        if (kind === "market-making" && limit === "orders-per-hour" && !areAlike(live, kernel.fills)) {
          differing += 1
          continue
        }
        assertSame(live.filter(isWithin), kernel.fills.filter(isWithin), false, about)
        compared += 1
      }
      assert.strictEqual(compared, count)
      assert.isAtMost(differing, count)
    })
  }
})

/** The quote begins with 100000: it is skimmed after the first sales. */
const modifiedCases: ReadonlyArray<readonly [modifier: string, kind: string, make?: Make]> = [
  ["rearm: 1.3%", "grid"],
  ["rearm: 0.8%", "market-making"],
  ["skim: 100000.5", "rebalance"],
  ["from: 2026-01-01T00:06Z", "grid"],
  ["when: mid < 995", "grid"],
  ["until: 2026-01-01T00:14Z\nonEnd: sell", "grid"],
  ["until: 2026-01-01T00:14Z\nonEnd: leave", "market-making"],
  ["equity: { stop: 0.7%, takeProfit: 0.9% }\nrestart: 4m", "grid"],
  ["equity: { trail: 0.4% }\nrestart: 4m", "market-making"],
  ["equity: { stop: 0.4%, stopRises: 60% }\nonEnd: leave", "deals"],
  ["when: mid > 1004", "twap"],
  // What rests fills later, what takes the market gets less.
  ["terms: { appFees: { app.near: 40, other.near: 25 } }", "grid"],
  ["terms: { appFees: { app.near: 65 } }", "dca"],
  ["terms: { appFees: { app.near: 65 } }", "market-making"],
  [
    "skim: 100001",
    "rules",
    (pick) => `
  timeframe: 4m
  orders:
    swing:
      when: mid < ${1001 + pick(0, 6) * 2}
      side: buy
      price: mid * (1 - 0.${pick(1, 4)}%)
      size: { quote: equity - 99000 USDC }
      expireAfter: ${pick(1, 3) * 4}m
      then: { price: entry * (1 + 0.${pick(3, 9)}%) }`
  ]
]

describe("parity with rearm, skim, a beginning, an end, restarts and app fees", () => {
  for (const [modifier, kind, make = jumpingKinds[kind] ?? assert.fail()] of firstOf(1, modifiedCases)) {
    if (only !== undefined && only !== kind) continue
    it(`${kind} with ${modifier.replace("\n", ", ")}: engine and kernel fill the same, and other fills than without it`, {
      timeout: count * 60_000
    }, async () => {
      let compared = 0
      for (let seed = first; compared < count && seed < first + 60 * count; seed += 1) {
        const prices = jumping(seed)
        const plain = strategyFrom(kind, make, seed)
        const text = `${plain}${modifier}\n`
        const [without, expected] = [runKernel(plain, prices).fills, runKernel(text, prices).fills]
        if (expected.length < 2 || JSON.stringify(without.map(shown)) === JSON.stringify(expected.map(shown))) continue
        const about = `seed ${seed}: ${text}${prices.candles.map(([, , , close]) => close).join(" ")}`
        assertSame(await byEngine(text, prices, seed), expected, false, about)
        compared += 1
      }
      assert.strictEqual(compared, count)
    })
  }
})

/** An order that takes the market pays half the spread, and a strategy sees it. */
const spreadCases: ReadonlyArray<readonly [name: string, kind: string, make?: Make]> = [
  ["orders at the market", "dca"],
  ["orders at the market", "twap"],
  ["quotes", "market-making"],
  // A swap spends its whole input, and waits while its price is worse than the limit.
  [
    "swaps",
    "rules",
    (pick) => `
  timeframe: 4m
  orders:
    dip:
      when: mid < ${1001 + pick(0, 4) * 2}
      side: buy
      by: swap
      price: mid * (1 + ${pick(0, 1) === 0 ? "0.5" : `-0.${pick(3, 9)}`}%)
      size: { base: ${pick(1, 4)} }
      times: ${pick(2, 4)}
      then: { price: entry * (1 + 0.${pick(2, 7)}%), by: swap }`
  ],
  [
    "a stop by a swap",
    "bracket",
    (pick) =>
      `{ side: buy, size: { base: ${pick(1, 4)} }, entry: 1001, takeProfit: 1061, stop: ${999 - pick(1, 5) * 2}, reach: 4%, stopBy: swap }`
  ]
]

describe("parity with a spread of ten basis points", () => {
  for (const [name, kind, make = jumpingKinds[kind] ?? assert.fail()] of firstOf(1, spreadCases)) {
    if (only !== undefined && only !== kind) continue
    it(`${kind}, ${name}: engine and kernel fill the same, and other fills than without it`, {
      timeout: count * 60_000
    }, async () => {
      let compared = 0
      for (let seed = first; compared < count && seed < first + 60 * count; seed += 1) {
        const prices = jumping(seed)
        const text = strategyFrom(kind, make, seed)
        const [without, expected] = [runKernel(text, prices).fills, runKernel(text, prices, 5).fills]
        if (expected.length < 2 || JSON.stringify(without.map(shown)) === JSON.stringify(expected.map(shown))) continue
        const about = `seed ${seed}: ${text}${prices.candles.map(([, , , close]) => close).join(" ")}`
        assertSame(await byEngine(text, prices, seed, 5), expected, false, about, true)
        compared += 1
      }
      assert.strictEqual(compared, count)
    })
  }
})

it.skipIf(!isLong)("the engine requests a new price if a fill is newer, before the next order", async () => {
  // In this world a turn asks for the price just before a jump, and reads the orders just after it.
  const [seed, prices] = [23, jumping(23, 14)]
  const text = strategyFrom("market-making", jumpingKinds["market-making"] ?? assert.fail(), seed)
  assertSame(await byEngine(text, prices, seed), runKernel(text, prices).fills, false, text)
})

it("parity is tested for every kind", () => {
  assert.deepStrictEqual(Object.keys(jumpingKinds).toSorted(), kinds.map(({ name }) => name).toSorted())
})
