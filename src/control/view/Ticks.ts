/** The prices of the last hour in five-second candles, for watching a bot that has just started. In memory only. */
import * as Decimal from "../../domain/Decimal.ts"
import { mid, type TwoSidedPrice } from "../../domain/Market.ts"
import type { Minute } from "../../journal/PriceStore.ts"

export const tickMillis = 5_000
const maxTicks = 720

export type Ticks = ReturnType<typeof make>

export const make = () => {
  const series = new Map<string, Array<Minute>>()
  const lastPrices = new Map<string, TwoSidedPrice>()
  const note = (prices: ReadonlyMap<string, TwoSidedPrice>): void => {
    for (const [market, price] of prices) {
      if (lastPrices.get(market) === price) continue
      lastPrices.set(market, price)
      const value = Decimal.toNumber(mid(price))
      const openedAt = price.at - (price.at % tickMillis)
      const ticks = series.get(market) ?? []
      series.set(market, ticks)
      const last = ticks.at(-1)
      if (last?.openedAt === openedAt) {
        const [high, low] = [Math.max(last.high, value), Math.min(last.low, value)]
        ticks[ticks.length - 1] = { ...last, high, low, close: value }
      } else ticks.push({ openedAt, open: value, high: value, low: value, close: value })
      if (ticks.length > maxTicks) ticks.shift()
    }
  }
  return { note, of: (market: string): ReadonlyArray<Minute> => series.get(market) ?? [] }
}
