/** Makes candles from trades, which must be in time order. */
import { frameStart } from "../../domain/Timeframe.ts"
import { type Column, column } from "../Candles.ts"
import { extend, type OpenCandle } from "../Resample.ts"

interface TradeCandles {
  readonly columns: ReadonlyArray<Column>
  readonly firsts: Int32Array
}

export const aggregate = (times: Column, prices: Column, quantities: Column, candleMillis: number): TradeCandles => {
  const firsts: Array<number> = []
  const candles: Array<OpenCandle> = []
  let end = Number.NEGATIVE_INFINITY
  for (const [trade, at] of times.entries()) {
    const [price, quantity, made] = [prices[trade] ?? 0, quantities[trade] ?? 0, candles.at(-1)]
    if (made !== undefined && at < end) {
      extend(made, price, price, price, quantity)
      continue
    }
    end = frameStart(at, candleMillis) + candleMillis
    firsts.push(trade)
    candles.push({ open: price, high: price, low: price, close: price, volume: quantity })
  }
  const filled = (valueOf: (candle: OpenCandle, index: number) => number): Column => {
    const output = column(candles.length)
    for (const [index, candle] of candles.entries()) output[index] = valueOf(candle, index)
    return output
  }
  const opens = filled((_, index) => frameStart(times[firsts[index] ?? 0] ?? 0, candleMillis))
  const names = ["open", "high", "low", "close", "volume"] as const
  return { columns: [opens, ...names.map((name) => filled((candle) => candle[name]))], firsts: Int32Array.from(firsts) }
}
