/** The candles of a market that a strategy looks at, and how many of them are over. */

import { closedAt, type Resampled } from "../../../candles/Resample.ts"
import type { CandleColumns } from "../../../strategy/Indicators.ts"
import type { ClosedCandles } from "../../../strategy/View.ts"

export class Frames {
  declare private readonly timeframes: ReadonlyArray<readonly [timeframe: string, candles: Resampled]>
  private readonly glanced = new Map<string, { columns: CandleColumns; closed: number }>()
  private seen: ReadonlyMap<string, ClosedCandles> = new Map()

  constructor(timeframes: ReadonlyMap<string, Resampled> = new Map()) {
    this.timeframes = [...timeframes]
  }

  /** The same, in a map that is used again: for looks that keep nothing of it. */
  glancedAt(now: number): ReadonlyMap<string, ClosedCandles> {
    for (const [timeframe, candles] of this.timeframes) {
      const known = this.glanced.get(timeframe)
      const closed = closedAt(candles, now)
      if (known === undefined) this.glanced.set(timeframe, { columns: candles.columns, closed })
      else known.closed = closed
    }
    return this.glanced
  }

  /** The same map as before while no candle has closed. */
  closedAt(now: number): ReadonlyMap<string, ClosedCandles> {
    for (const [timeframe, candles] of this.timeframes)
      if (this.seen.get(timeframe)?.closed !== closedAt(candles, now)) {
        this.seen = new Map(
          this.timeframes.map(([name, each]) => [name, { columns: each.columns, closed: closedAt(each, now) }])
        )
        break
      }
    return this.seen
  }
}
