/**
 * Prices of the sandbox at every time: one path in US dollars per asset; a pair is the ratio of two. Only the market's own time is scaled
 * by `speed`; callers use the service's time. Pure in (settings, candles, time), until a command makes a price stand still.
 *
 * Inside a candle the price runs straight from the open to the nearer extreme, to the other extreme, to the close, each in a third of the
 * candle. "Nearer" means nearer to the open; in a tie the low comes first. This turns every candle source (a random walk, a file) into a
 * price at every time and a range over every interval. Times of a path are market milliseconds since the start.
 */
import type { Loaded } from "../../candles/CandleFile.ts"
import type { Asset } from "../../domain/Amount.ts"
import { dayMillis } from "../../domain/Durations.ts"
import { normals } from "../Seeded.ts"
import type { SandboxAsset, SandboxSettings } from "../Settings.ts"

export type ReplayedCandles = Pick<Loaded, "candles" | "sha256">

type Candle = Readonly<Record<"open" | "high" | "low" | "close", number>>

interface CandleSource {
  readonly candleMillis: number
  candle(index: number): Candle
}

type PriceRange = Readonly<Record<"low" | "high", number>>

interface PricePath {
  readonly isConstant: boolean
  at(time: number): number
  range(from: number, to: number): PriceRange
}

export type MarketModel = ReturnType<typeof make>

/** A generated candle lasts one second of the service's time, at any speed. */
const walkCandleMillis = 1000

export const make = (settings: SandboxSettings, startedAt: number, candles: ReplayedCandles | undefined) => {
  const pathOf = (asset: SandboxAsset): PricePath => {
    if (candles !== undefined && settings.candles?.symbol === asset.symbol) {
      return fromCandles(pingPong(candles))
    }
    if (asset.volatility === 0 || settings.speed === 0) return constant(asset.priceUsd)
    return fromCandles(
      randomWalk({
        seed: settings.seed,
        symbol: asset.symbol,
        startPrice: asset.priceUsd,
        volatility: asset.volatility,
        candleMillis: walkCandleMillis * settings.speed
      })
    )
  }
  const paths = new Map(settings.assets.map((asset) => [asset.id, pathOf(asset)]))
  const path = (asset: Asset) => paths.get(asset.id) ?? constant(1)
  const marketTime = (at: number) => Math.max(0, at - startedAt) * settings.speed

  const usd = (asset: Asset, at: number) => path(asset).at(marketTime(at))
  /** Quote per base between the solver's bid and ask. */
  const mid = (base: Asset, quote: Asset, at: number) => usd(base, at) / usd(quote, at)
  return {
    stand: (asset: Asset, dollars: number) => void paths.set(asset.id, constant(dollars)),
    stands: (base: Asset, quote: Asset) => path(base).isConstant && path(quote).isConstant,
    usd,
    mid,
    range: (base: Asset, quote: Asset, from: number, to: number): PriceRange => {
      const divisor = path(quote).range(marketTime(from), marketTime(to))
      if (divisor.low === divisor.high) {
        const { low, high } = path(base).range(marketTime(from), marketTime(to))
        return { low: low / divisor.low, high: high / divisor.low }
      }
      // Two moving assets: the extremes of their ratio are not the extremes of either, so the pair is measured at both ends.
      const start = mid(base, quote, from)
      const end = mid(base, quote, to)
      return { low: Math.min(start, end), high: Math.max(start, end) }
    }
  }
}

/** Plays a finite series to its end, then backwards, and again, so the market never jumps and never stops. */
const pingPong = ({ candles }: ReplayedCandles): CandleSource => {
  const { bars, time, open, high, low, close } = candles
  const at = (bar: number): Candle => ({
    open: open[bar] ?? 1,
    high: high[bar] ?? 1,
    low: low[bar] ?? 1,
    close: close[bar] ?? 1
  })
  return {
    candleMillis: time.stepMillis,
    candle: (index) => {
      const place = index % (2 * bars)
      if (place < bars) return at(place)
      const there = at(2 * bars - 1 - place)
      return { ...there, open: there.close, close: there.open }
    }
  }
}

/** An Ornstein-Uhlenbeck process: the logarithm of the price is gently pulled back to its start. A candle is a few steps of the walk. */
interface Walk {
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

export const randomWalk = (walk: Walk): CandleSource => {
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

const constant = (price: number): PricePath => ({
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
