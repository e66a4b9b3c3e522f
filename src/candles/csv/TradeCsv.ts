/** A trade file (time, price, quantity) to candles: open, high, low and close of the trades, and the sum of what changed hands. */
import { frameStart } from "../../domain/Timeframe.ts"
import { column } from "../Candles.ts"
import { extend, type OpenCandle } from "../Resample.ts"
import { type Checked, check, type Repair, toMillis } from "./CandleChecks.ts"
import * as CsvColumns from "./CsvColumns.ts"
import * as CsvFormat from "./CsvFormat.ts"

export interface TradeOptions {
  readonly file: string
  readonly repair: ReadonlySet<Repair>
  readonly candleMillis: number
}

/** Prices and quantities, but no highs. */
export const isTradeFile = (bytes: Uint8Array): boolean => {
  const asTrades = CsvFormat.detect(bytes, "", CsvFormat.tradeRoles)
  const asCandles = CsvFormat.detect(bytes, "", CsvFormat.candleRoles)
  return !("message" in asTrades) && "message" in asCandles && asTrades.hasHeader
}

/** Rows of candles; trades of one candle need not be in order, but candles must be. */
const aggregate = (trades: CsvColumns.CsvRows, candleMillis: number): CsvColumns.CsvRows => {
  const [times = column(0), prices = times, quantities = times] = trades.columns
  const candles = Array.from({ length: 6 }, () => column(trades.rows))
  const [time = times, open = times, high = times, low = times, close = times, volume = times] = candles
  const skipped: Array<readonly [number, number]> = []
  let row = -1
  let made: OpenCandle = { open: 0, high: 0, low: 0, close: 0, volume: 0 }
  const note = () => {
    open[row] = made.open
    high[row] = made.high
    low[row] = made.low
    close[row] = made.close
    volume[row] = made.volume
  }
  for (let trade = 0; trade < trades.rows; trade++) {
    const [price, quantity] = [prices[trade] ?? 0, quantities[trade] ?? 0]
    const opens = frameStart(toMillis(times[trade] ?? 0), candleMillis)
    if (row >= 0 && time[row] === opens) {
      extend(made, price, price, price, quantity)
      continue
    }
    if (row >= 0) note()
    row++
    time[row] = opens
    made = { open: price, high: price, low: price, close: price, volume: quantity }
    skipped.push([row, CsvColumns.lineOf(trades, trade) - row - 1])
  }
  if (row >= 0) note()
  const priceScale = trades.places[1] ?? 0
  const places = Int32Array.of(0, priceScale, priceScale, priceScale, priceScale, trades.places[2] ?? 0)
  return { ...trades, rows: row + 1, columns: candles.map((values) => values.subarray(0, row + 1)), places, skipped }
}

export const parse = (bytes: Uint8Array, options: TradeOptions): Checked => {
  const format = CsvFormat.detect(bytes, options.file, CsvFormat.tradeRoles)
  if ("message" in format)
    return { problems: [format], problemCount: 1, repaired: { invalid: 0, sort: 0, duplicates: 0, range: 0, gaps: 0 } }
  const trades = CsvColumns.read(bytes, options.file, format)
  return check(aggregate(trades, options.candleMillis), options.file, options.repair)
}
