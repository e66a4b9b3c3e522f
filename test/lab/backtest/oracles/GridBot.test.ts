/**
 * A published grid bot: its policy as a strategy, run by our kernel, against every order that it filled.
 *
 * Its rules by the names of ours: `touch: within` (a gap that jumps over a level does not fill). Of its own are two: fees are
 * a thousandth of the value, paid in quote beside the order, where ours come off what a fill brings in; and it buys half of
 * everything at the market as it starts, before the bar in which it then fills already. So fees are summed here, from the
 * kernel's fills, and what that purchase brought is the budget that the kernel begins with.
 */

import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Candles from "../../../../src/candles/Candles.ts"
import * as CrossingIndex from "../../../../src/candles/CrossingIndex.ts"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import type { Side } from "../../../../src/domain/Market.ts"
import { noCosts } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import * as Kernel from "../../../../src/lab/backtest/kernel/Kernel.ts"
import * as FillRows from "../../../../src/lab/backtest/results/FillRows.ts"
import type { Decide } from "../../../../src/strategy/Strategy.ts"
import * as StrategyFile from "../../../../src/strategy/StrategyFile.ts"
import { runOneMarket } from "../../../world/oneMarket.ts"
import * as sharedData from "../sharedData.ts"
import { baseOf, conditionsOf, inBase, inQuote, market, priceOf, quoteOf, slotOf } from "./oracle.ts"

interface GridOracle {
  readonly orders: ReadonlyArray<readonly [Side, string, string, number, number, string, number | string, string]>
  readonly summary: Readonly<Record<string, string | number>>
}

interface Grid {
  readonly isHedged: boolean
  readonly levels: ReadonlyArray<number>
  /** Base units of every order. */
  readonly size: number
  readonly startPrice: number
}

/** One order; `number` in the order of their placing. */
interface Order {
  readonly number: number
  readonly side: Side
  readonly level: number
}

const nameOf = ({ number, side, level }: Order): string => [number, side, level].join(" ")

const orderOf = (slot: string): Order => {
  const [number, side, level] = slot.split(" ")
  return { number: Number(number), side: side === "BUY" ? "BUY" : "SELL", level: Number(level) }
}

/** Simple: the lower half buys and the upper half sells. Hedged: every level but the last on its side does both. */
const trades = ({ isHedged, levels }: Grid, side: Side, level: number): boolean => {
  const half = levels.length / 2
  if (side === "BUY") return level >= 0 && level < (isHedged ? levels.length - 1 : half)
  return level < levels.length && level >= (isHedged ? 1 : half)
}

/**
 * At the start a buy at every buying level below the price, from the lowest up as far as the money goes, and a sell at every
 * selling level above it. A purchase is sold at the next level (hedged), or at the lowest upper level that is still free
 * (simple). After a sale the level below it buys again, if it is one that buys; in the upper half of a simple grid that engine
 * books the purchase, so that the level is taken, and never fills it.
 */
const gridBot =
  (grid: Grid): Decide =>
  (view, memory) => {
    const { isHedged, levels, size, startPrice } = grid
    const slots = [...view.slots].map(([slot, { completedLegs }]) => ({
      ...orderOf(slot),
      isFilled: completedLegs > 0
    }))
    const handled = new Set(Array.isArray(memory) ? memory : [])
    const open: Array<Order> = slots.filter(({ isFilled }) => !isFilled)
    const used = new Set(
      slots.flatMap(({ side, level, isFilled }) => (side === "SELL" && isFilled ? [level, level - 1] : [level]))
    )
    let count = slots.length
    const place = (side: Side, level: number): void => {
      open.push({ number: count++, side, level })
      used.add(level)
    }
    if (memory === null) {
      let money = inQuote(view.own?.freeQuote ?? 0n)
      for (const [level, price] of levels.entries())
        if (trades(grid, "BUY", level) && price < startPrice && money >= price * size) {
          place("BUY", level)
          money -= price * size
        }
      for (const [level, price] of levels.entries())
        if (trades(grid, "SELL", level) && price > startPrice) place("SELL", level)
    }
    for (const { side, level, isFilled, number } of slots) {
      if (!isFilled || handled.has(number)) continue
      handled.add(number)
      if (side === "SELL") {
        if (trades(grid, "BUY", level - 1)) place("BUY", level - 1)
        continue
      }
      const above = isHedged ? level + 1 : levels.findIndex((_, at) => trades(grid, "SELL", at) && !used.has(at))
      const isFree = isHedged ? !open.some((order) => order.level === above) : above >= 0
      if (isFree) place("SELL", above)
    }
    const quantity = baseOf(size)
    return {
      desired: open.map((order) =>
        slotOf(nameOf(order), [{ side: order.side, price: priceOf(levels[order.level] ?? 0), quantity }], false)
      ),
      absent: [],
      memory: [...handled],
      reasons: [],
      until: { onFill: true }
    }
  }

const feeShare = 0.001
const budget = 150
const names = ["simple_grid_arithmetic", "simple_grid_geometric", "hedged_grid_arithmetic", "hedged_grid_geometric"]

const levelsOf = (name: string): ReadonlyArray<number> => {
  const ratio = (170 / 155) ** (1 / 7)
  return Array.from({ length: 8 }, (_, k) => (name.includes("geometric") ? 155 * ratio ** k : 155 + (15 / 7) * k))
}

const cents = (value: number): string => value.toFixed(2)

const line = (side: Side, price: number, quantity: number, time: string): string =>
  `${time} ${side} ${quantity.toFixed(12)} at ${price.toFixed(9)}`

const timeOf = (millis: number): string => new Date(millis).toISOString().slice(0, 19)

describe.skipIf(!sharedData.isPresent)("backtests compared with a published grid bot", () => {
  const oracle: Record<string, GridOracle> = sharedData.isPresent
    ? JSON.parse(sharedData.text("oracle-grid-trading-bot-sol.json"))
    : {}
  /** The minute of the end is its last. */
  const bars = () =>
    Candles.between(sharedData.candles("binance-solusdt-1m-20240801-20240803.csv.gz"), 0, Date.UTC(2024, 7, 3, 0, 1))

  for (const name of names) {
    it(`${name}: every order has the same minute, price and size, and the money is the same`, () => {
      const { orders, summary } = oracle[name] ?? { orders: [], summary: {} }
      const candles = bars()
      const limits = orders.filter(([, kind]) => kind === "LIMIT")
      const [, , , startPrice = 0, bought = 0] = orders.find(([, kind]) => kind === "MARKET") ?? []
      const startFee = (budget / 2) * feeShare
      assert.closeTo(bought, budget / 2 / startPrice, 1e-12)
      // An eighth of what it has then, but for its own rounding in the ninth place.
      const size = limits[0]?.[4] ?? 0
      assert.closeTo(size, (budget - startFee) / 8 / startPrice, 1e-9)
      const grid: Grid = { isHedged: name.startsWith("hedged"), levels: levelsOf(name), size, startPrice }
      const part = Candles.slice(candles, candles.close.indexOf(startPrice) - 1, candles.bars)
      const outcome = Kernel.simulate(
        {
          ...conditionsOf(gridBot(grid)),
          budget: { base: baseOf(bought), quote: quoteOf(budget / 2 - startFee) },
          rules: { ...conditionsOf(gridBot(grid)).rules, touch: "within" }
        },
        part,
        CrossingIndex.linearIndices(part)
      )
      const fills = [...FillRows.rows(outcome, part)]
      assert.deepStrictEqual(
        fills
          .map(({ side, price, quantity, openTime }) =>
            line(side, Decimal.toNumber(price), inBase(quantity), timeOf(openTime))
          )
          .sort(),
        limits.map(([side, , , price, quantity, time]) => line(side, price, quantity, time)).sort()
      )
      const fees = fills.reduce(
        (sum, fill) => sum + inQuote(fill.side === "BUY" ? fill.input : fill.output) * feeShare,
        0
      )
      const quote = inQuote(outcome.quote) - fees
      const worth = inBase(outcome.base) * (part.close[part.bars - 1] ?? 0)
      const counted = (of: Side) => fills.filter(({ side }) => side === of).length
      const found = {
        "Total Fees": cents(fees + startFee),
        "Final Crypto Balance": `${inBase(outcome.base).toFixed(4)} SOL`,
        "Final Crypto Value (Fiat)": `${cents(worth)} USDT`,
        "Remaining Fiat Balance": `${cents(quote)} USDT`,
        "Final Balance (Fiat)": cents(quote + worth),
        ROI: `${cents(((quote + worth) / budget - 1) * 100)}%`,
        "Number of Buy Trades": counted("BUY") + 1,
        "Number of Sell Trades": counted("SELL")
      }
      assert.deepStrictEqual(found, Object.fromEntries(Object.keys(found).map((key) => [key, summary[key]])))
    })
  }

  /**
   * The hedged grids are two of our own: the cells below the middle of the range, and the one around the price at the start.
   * All but the first sale: that engine buys at the market when it starts, and a cell of ours around the price buys first.
   */
  for (const name of names.filter((name) => name.startsWith("hedged"))) {
    it(`${name}: our strategy files fill the same`, () => {
      const { orders } = oracle[name] ?? { orders: [] }
      const candles = bars()
      const [, , , startPrice] = orders.find(([, kind]) => kind === "MARKET") ?? []
      const part = Candles.slice(candles, candles.close.indexOf(startPrice ?? 0) - 1, candles.bars)
      const limits = orders.filter(([, kind]) => kind === "LIMIT")
      const levels = levelsOf(name).map((level) => level.toFixed(10))
      const found = [levels.slice(0, 5), levels.slice(6)].flatMap((levels) => {
        const text = `name: g
market: BASE/QUOTE
kind: grid
limits: { budget: { base: 100, quote: 100000 } }
grid: { levels: [${levels.join(", ")}], size: { base: ${limits[0]?.[4]} } }
`
        const markets = { assets: [market.base, market.quote], ticks: new Map() }
        const strategy = Result.getOrThrow(StrategyFile.parse(text, "g.yaml", markets))
        const options = { costs: noCosts, changes: { touch: "within" } as const }
        const side = runOneMarket(strategy, part, CrossingIndex.linearIndices(part), "optimistic", options)
        return [...FillRows.rows(side.outcome, part)].map(
          ({ openTime, side, price }) => `${timeOf(openTime)} ${side} ${cents(Decimal.toNumber(price))}`
        )
      })
      assert.deepStrictEqual(
        found.sort(),
        limits
          .slice(1)
          .map(([side, , , price, , time]) => `${time} ${side} ${cents(price)}`)
          .sort()
      )
    })
  }
})
