/**
 * A generated market. The logarithm of the price walks at random and is gently pulled back to its start (an Ornstein-Uhlenbeck process), so
 * prices stay near the first one. A candle is a few steps of the walk: first, highest, lowest, last. Pure in (seed, index); only the last
 * candles are remembered, as a cache.
 */
import { dayMillis } from "../../domain/Durations.ts"
import { normals } from "../Seeded.ts"
import type { Candle, CandleSource } from "./PricePath.ts"

export interface Walk {
  readonly seed: number
  readonly symbol: string
  readonly startPrice: number
  /** Standard deviation of the logarithm over a year. */
  readonly volatility: number
  readonly candleMillis: number
}

const stepsPerCandle = 6
const millisPerYear = 365 * dayMillis
const halfLifeMillis = dayMillis
const remembered = 64

export const make = (walk: Walk): CandleSource => {
  const normal = normals(walk.seed, "walk", walk.symbol)
  const stepMillis = walk.candleMillis / stepsPerCandle
  const decayFactor = 0.5 ** (stepMillis / halfLifeMillis)
  // The exact deviation of one step of the process, so that every candle length gives the same market at its closes.
  const yearly = walk.volatility ** 2 / millisPerYear
  const deviation = Math.sqrt((yearly * halfLifeMillis * (1 - decayFactor ** 2)) / (2 * Math.LN2))

  const recent: Array<{ readonly index: number; readonly candle: Candle } | undefined> = []
  let nextIndex = 0
  let position = 0

  const step = (): Candle => {
    const open = walk.startPrice * Math.exp(position)
    let high = open
    let low = open
    let close = open
    for (let part = 0; part < stepsPerCandle; part++) {
      position = position * decayFactor + deviation * normal(nextIndex * stepsPerCandle + part)
      close = walk.startPrice * Math.exp(position)
      high = Math.max(high, close)
      low = Math.min(low, close)
    }
    return { open, high, low, close }
  }

  const candle = (index: number): Candle => {
    const cacheEntry = recent[index % remembered]
    if (cacheEntry?.index === index) return cacheEntry.candle
    if (index < nextIndex) {
      nextIndex = 0
      position = 0
    }
    for (;;) {
      const next = step()
      recent[nextIndex % remembered] = { index: nextIndex, candle: next }
      nextIndex += 1
      if (nextIndex > index) return next
    }
  }

  return { candleMillis: walk.candleMillis, candle }
}
