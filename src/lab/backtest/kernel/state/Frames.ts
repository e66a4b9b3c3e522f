/** The candles of a market that a strategy reads. Nothing changes between two closes of a candle, so most calls return the last result. */
import { closedAt, type Resampled } from "../../../../candles/Resample.ts"
import type { CandleColumns } from "../../../../strategy/Indicators.ts"
import type { ClosedCandles } from "../../../../strategy/View.ts"

interface Frame {
  readonly timeframe: string
  readonly candles: Resampled
  readonly glanced: { readonly columns: CandleColumns; closed: number }
}

export class Frames {
  declare private readonly frames: ReadonlyArray<Frame>
  declare private readonly glanced: ReadonlyMap<string, ClosedCandles>
  private seen: ReadonlyMap<string, ClosedCandles> = new Map()
  private from = Number.POSITIVE_INFINITY
  private to = Number.NEGATIVE_INFINITY

  constructor(timeframes: ReadonlyMap<string, Resampled> = new Map()) {
    this.frames = [...timeframes].map(([timeframe, candles]) => ({
      timeframe,
      candles,
      glanced: { columns: candles.columns, closed: 0 }
    }))
    this.glanced = new Map(this.frames.map(({ glanced, timeframe }) => [timeframe, glanced]))
  }

  glancedAt(now: number): ReadonlyMap<string, ClosedCandles> {
    if (now < this.from || now >= this.to) this.look(now)
    return this.glanced
  }

  closedAt(now: number): ReadonlyMap<string, ClosedCandles> {
    if (now < this.from || now >= this.to) this.look(now)
    for (const { glanced, timeframe } of this.frames)
      if (this.seen.get(timeframe)?.closed !== glanced.closed) {
        this.seen = new Map(this.frames.map((frame) => [frame.timeframe, { ...frame.glanced }]))
        break
      }
    return this.seen
  }

  private look(now: number): void {
    this.from = Number.NEGATIVE_INFINITY
    this.to = Number.POSITIVE_INFINITY
    for (const { candles, glanced } of this.frames) {
      const { startMillis, timeframeMillis } = candles
      const frameStart = startMillis + Math.floor((now - startMillis) / timeframeMillis) * timeframeMillis
      this.from = Math.max(this.from, frameStart)
      this.to = Math.min(this.to, frameStart + timeframeMillis)
      glanced.closed = closedAt(candles, now)
    }
  }
}
