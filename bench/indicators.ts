/** Five columns of a year of minutes: SMA 20, EMA 20, RSI 14, ATR 14, Bollinger 20 with its three lines. */
import * as Indicators from "../src/strategy/Indicators.ts"
import * as ladder from "../test/world/ladder.ts"
import { compare } from "./measure.ts"
import * as packages from "./packages.ts"
import type { Bench } from "./sections.ts"

const ours = (candles: Indicators.CandleColumns): string => {
  const { close } = candles
  const [sma, ema, rsi] = [Indicators.sma(close, 20), Indicators.ema(close, 20), Indicators.rsi(close, 14)]
  const atr = Indicators.atr(candles, 14)
  const deviation = Indicators.stdev(close, 20)
  const [upper, lower] = [Indicators.band(sma, deviation, 2), Indicators.band(sma, deviation, -2)]
  return packages.lastOf([sma, ema, rsi, atr, upper, sma, lower])
}

export const indicators = async ({ show }: Bench): Promise<void> => {
  const year = ladder.years(1)
  const [open, high, low, close, volume] = [year.open, year.high, year.low, year.close, year.volume].map((column) =>
    Float64Array.from(column)
  )
  if (!open || !high || !low || !close || !volume) return
  const way = { name: "ours", run: () => ours({ open, high, low, close, volume }) }
  const numbers = { high: [...high], low: [...low], close: [...close] }
  const options = { samples: 9, warmUps: 3 }
  for (const [name, run] of [
    ["technicalindicators", packages.technicalIndicators],
    ["@ixjb94/indicators", packages.ixjb94]
  ] as const)
    if (packages.isInstalled(name))
      show(await compare("five indicators, 1 year", way, { name, run: () => run(numbers) }, options))
}
