/**
 * Models the price inside candles: straight from the open to the nearer extreme, to the other extreme, to the close, each in a third of the
 * candle. "Nearer" means nearer to the open; in a tie the low comes first. This turns every candle source (a random walk, a file) into a
 * price at every time and a range over every interval. Times are market milliseconds since the start.
 */
export type Candle = Readonly<Record<"open" | "high" | "low" | "close", number>>

export interface CandleSource {
  readonly candleMillis: number
  candle(index: number): Candle
}

export type PriceRange = Readonly<Record<"low" | "high", number>>

export interface PricePath {
  readonly isConstant: boolean
  at(time: number): number
  range(from: number, to: number): PriceRange
}

export const constant = (price: number): PricePath => ({
  isConstant: true,
  at: () => price,
  range: () => ({ low: price, high: price })
})

export const fromCandles = (source: CandleSource): PricePath => {
  const indexOf = (time: number) => Math.floor(time / source.candleMillis)
  const fractionOf = (time: number, index: number) => time / source.candleMillis - index
  return {
    isConstant: false,
    at: (time) => {
      const index = indexOf(time)
      return priceAt(source.candle(index), fractionOf(time, index))
    },
    range: (from, to) => {
      const first = indexOf(from)
      const last = indexOf(to)
      let low = Number.POSITIVE_INFINITY
      let high = Number.NEGATIVE_INFINITY
      for (let index = first; index <= last; index++) {
        const start = index === first ? fractionOf(from, index) : 0
        const end = index === last ? fractionOf(to, index) : 1
        const part = rangeWithin(source.candle(index), start, end)
        low = Math.min(low, part.low)
        high = Math.max(high, part.high)
      }
      return { low, high }
    }
  }
}

const corners = ({ open, high, low, close }: Candle): readonly [number, number, number, number] =>
  open - low <= high - open ? [open, low, high, close] : [open, high, low, close]

const priceAt = (candle: Candle, fraction: number): number => {
  const points = corners(candle)
  const leg = Math.min(2, Math.floor(fraction * 3))
  const from = points[leg] ?? candle.close
  const to = points[leg + 1] ?? candle.close
  return from + (to - from) * (fraction * 3 - leg)
}

const rangeWithin = (candle: Candle, start: number, end: number): PriceRange => {
  if (start <= 0 && end >= 1) return candle
  const points = corners(candle).filter((_, index) => index / 3 > start && index / 3 < end)
  const prices = [priceAt(candle, start), priceAt(candle, end), ...points]
  return { low: Math.min(...prices), high: Math.max(...prices) }
}
