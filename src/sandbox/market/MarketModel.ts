/**
 * Prices of the sandbox at every time: one path in US dollars per asset; a pair is the ratio of two. Only the market's own time is scaled
 * by `speed`; callers use the service's time. Pure in (settings, candles, time), until a command makes a price stand still.
 */
import type { Loaded } from "../../candles/CandleFile.ts"
import type { Asset } from "../../domain/Amount.ts"
import { dayMillis } from "../../domain/Durations.ts"
import { normals } from "../Seeded.ts"
import type { SandboxAsset, SandboxSettings } from "../Settings.ts"
import * as PricePath from "./PricePath.ts"

export type ReplayedCandles = Pick<Loaded, "candles" | "sha256">

export interface MarketModel {
  stand(asset: Asset, dollars: number): void
  stands(base: Asset, quote: Asset): boolean
  usd(asset: Asset, at: number): number
  /** Quote per base between the solver's bid and ask. */
  mid(base: Asset, quote: Asset, at: number): number
  range(base: Asset, quote: Asset, from: number, to: number): PricePath.PriceRange
}

/** A generated candle lasts one second of the service's time, at any speed. */
const walkCandleMillis = 1000

export const make = (
  settings: SandboxSettings,
  startedAt: number,
  candles: ReplayedCandles | undefined
): MarketModel => {
  const pathOf = (asset: SandboxAsset): PricePath.PricePath => {
    if (candles !== undefined && settings.candles?.symbol === asset.symbol) {
      return PricePath.fromCandles(pingPong(candles))
    }
    if (asset.volatility === 0 || settings.speed === 0) return PricePath.constant(asset.priceUsd)
    return PricePath.fromCandles(
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
  const path = (asset: Asset) => paths.get(asset.id) ?? PricePath.constant(1)
  const marketTime = (at: number) => Math.max(0, at - startedAt) * settings.speed

  const usd = (asset: Asset, at: number) => path(asset).at(marketTime(at))
  const mid = (base: Asset, quote: Asset, at: number) => usd(base, at) / usd(quote, at)
  return {
    stand: (asset, dollars) => void paths.set(asset.id, PricePath.constant(dollars)),
    stands: (base, quote) => path(base).isConstant && path(quote).isConstant,
    usd,
    mid,
    range: (base, quote, from, to) => {
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
const pingPong = ({ candles }: ReplayedCandles): PricePath.CandleSource => {
  const { bars, time, open, high, low, close } = candles
  const at = (bar: number): PricePath.Candle => ({
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

export const randomWalk = (walk: Walk): PricePath.CandleSource => {
  const normal = normals(walk.seed, "walk", walk.symbol)
  const stepMillis = walk.candleMillis / stepsPerCandle
  const decayFactor = 0.5 ** (stepMillis / halfLifeMillis)
  // The exact deviation of one step of the process, so that every candle length gives the same market at its closes.
  const yearly = walk.volatility ** 2 / millisPerYear
  const deviation = Math.sqrt((yearly * halfLifeMillis * (1 - decayFactor ** 2)) / (2 * Math.LN2))

  const recent: Array<{ readonly index: number; readonly candle: PricePath.Candle } | undefined> = []
  let nextIndex = 0
  let position = 0

  const step = (): PricePath.Candle => {
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

  const candle = (index: number): PricePath.Candle => {
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
