/**
 * Finds the close at which a strategy's last decision no longer holds, for strategies that can tell it from the close, the time and the
 * closed candles. At earlier closes the strategy does not run.
 */
import { type Candles, closeAt } from "../../../../candles/Candles.ts"
import { closeTime } from "../../../../candles/TimeAxis.ts"
import type { Glance, StandsAt } from "../../../../strategy/Strategy.ts"
import type { Frames } from "./Frames.ts"

export class Glances {
  declare private readonly candles: Candles
  declare private readonly frames: Frames | undefined
  private readonly glance: { -readonly [K in keyof Glance]: Glance[K] } = { mid: 0, now: 0, candles: undefined }

  constructor(candles: Candles, frames: Frames | undefined) {
    this.candles = candles
    this.frames = frames
  }

  /** Returns the first bar in [from, to) at whose close the answer no longer holds; `to` if it holds at all of them. */
  firstFall(stands: StandsAt, from: number, to: number): number {
    const { candles, frames, glance } = this
    for (let bar = from; bar < to; bar++) {
      glance.mid = closeAt(candles, bar)
      glance.now = closeTime(candles.time, bar)
      if (frames !== undefined) glance.candles = frames.glancedAt(glance.now)
      if (!stands(glance)) return bar
    }
    return to
  }
}
