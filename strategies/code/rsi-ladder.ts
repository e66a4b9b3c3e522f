/**
 * Buys when the relative strength index of closed candles falls below one step after the other, each time in a slot of its own, and sells each
 * purchase at its own profit. What was begun keeps its prices: they stand in memory.
 */
import type { Own } from "limitbot/strategy"

const keys = {
  timeframe: { is: "timeframe", otherwise: "1h", says: "of the candles" },
  length: { is: "integer", least: 2, most: 100, otherwise: 14, says: "candles in the index" },
  first: { is: "integer", least: 1, most: 99, otherwise: 35, says: "the index of the first purchase" },
  apart: { is: "integer", least: 1, most: 30, otherwise: 5, says: "how far the next step is below" },
  steps: { is: "integer", least: 1, most: 10, otherwise: 4, says: "how many purchases at once" },
  size: { is: "size", says: "of each purchase" },
  profit: { is: "ratio", otherwise: "1%", says: "what each is sold above" }
} as const

/** The price of each purchase that goes on, by its slot. */
type Begun = { readonly [slot: string]: number }

const begunIn = (memory: unknown): Begun => (typeof memory === "object" && memory !== null ? (memory as Begun) : {})

export default {
  about: "buys a falling market in steps of its strength",
  keys,
  candles: ({ timeframe, length }) => ({ [timeframe]: 6 * length + 1 }),
  decide: (view, { timeframe, length, first, apart, steps, size, profit }, memory) => {
    const before = begunIn(memory)
    const candles = view.candles(timeframe)
    const index = candles.rsi(length)
    const isWarm = !Number.isNaN(index)
    const begun: { [slot: string]: number } = {}
    const orders = []
    const waiting = []
    for (let step = 0; step < steps; step++) {
      const [slot, least] = [`step-${step + 1}`, first - step * apart]
      const price = before[slot] ?? (isWarm && index < least ? view.mid * 0.999 : undefined)
      if (price === undefined) {
        waiting.push({ slot, why: isWarm ? `the index is ${index.toFixed(1)}, not below ${least}` : "waits for candles" })
        continue
      }
      begun[slot] = price
      const legs = [
        { side: "buy", price, size },
        { side: "sell", price: price * (1 + profit) }
      ] as const
      orders.push({ slot, legs, cycle: true, why: `the index was below ${least}; sells ${(profit * 100).toFixed(1)}% higher` })
    }
    return { orders, waiting, memory: begun, until: { candle: timeframe, fill: false } }
  }
} satisfies Own<typeof keys>
