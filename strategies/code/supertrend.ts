/**
 * Supertrend: a band of so many average true ranges around the middle of a candle, which only ever follows the price. Above the band it
 * holds what it bought; below it sells. The band is its state, and stands in its memory.
 */
import type { Own } from "limitbot/strategy"

const keys = {
  timeframe: { is: "timeframe", otherwise: "1h", says: "of the candles" },
  length: { is: "integer", least: 2, most: 200, otherwise: 10, says: "candles in the average true range" },
  factor: { is: "number", otherwise: 3, says: "how many of them the band is away" },
  size: { is: "size", says: "of each purchase" },
  reach: { is: "ratio", otherwise: "0.1%", says: "an order may cross the mid by this much" }
} as const

type State = {
  readonly band: number
  readonly isUp: boolean
  readonly trades: number
  /** Where the last trade was entered and left. */
  readonly entry: number
  readonly exit: number
}

const begin: State = { band: 0, isUp: false, trades: 0, entry: 0, exit: 0 }

const isState = (memory: unknown): memory is State => typeof memory === "object" && memory !== null && "band" in memory

export default {
  about: "follows a trend by the average true range",
  keys,
  candles: ({ timeframe, length }) => ({ [timeframe]: 6 * length + 1 }),
  decide: (view, { timeframe, length, factor, size, reach }, memory) => {
    const before = isState(memory) ? memory : begin
    const candles = view.candles(timeframe)
    const until = { candle: timeframe }
    const range = candles.atr(length)
    if (Number.isNaN(range)) {
      return { orders: [], waiting: [{ slot: "trend", why: `waits for ${6 * length + 1} candles` }], memory: before, until }
    }
    const away = range * factor
    const middle = (candles.high(0) + candles.low(0)) / 2
    const close = candles.close(0)
    const [lower, upper] = [middle - away, middle + away]
    const kept = before.band === 0 ? lower : before.isUp ? Math.max(before.band, lower) : Math.min(before.band, upper)
    const isUp = before.isUp ? close >= kept : close > kept
    const turned = isUp !== before.isUp
    const trades = turned && isUp ? before.trades + 1 : before.trades
    const entry = turned && isUp ? view.mid * (1 + reach) : before.entry
    const exit = turned && !isUp ? view.mid * (1 - reach) : before.exit
    const band = turned ? (isUp ? lower : upper) : kept
    const state: State = { band, isUp, trades, entry, exit }
    const why = `the trend is ${isUp ? "up, above" : "down, below"} ${band.toFixed(2)}`
    if (trades === 0) return { orders: [], waiting: [{ slot: "trend", why }], memory: state, until }
    const buy = { side: "buy", price: entry, size } as const
    const sell = { side: "sell", price: exit, mayLose: true } as const
    return { orders: [{ slot: `trade-${trades}`, legs: isUp ? [buy] : [buy, sell], why }], memory: state, until }
  }
} satisfies Own<typeof keys>
