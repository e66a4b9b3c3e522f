/**
 * Holds what a strategy owns against its loss limits at every close, as the engine does at every turn: by the same marks, at
 * the close instead of the mid.
 */
import { quoteAmount } from "../domain/Market.ts"
import { isOver, lossOf, marked } from "../engine/RiskLimits.ts"
import { exactPrice } from "./Candles.ts"
import * as LimitGuard from "./LimitGuard.ts"
import * as Run from "./Run.ts"
import { closeTime } from "./TimeAxis.ts"

const worthOf = (runs: ReadonlyArray<Run.Run>, bar: number): bigint =>
  runs.reduce((sum, run) => {
    const { base, quote } = Run.totals(run)
    return sum + quote + quoteAmount(run.conditions.market, base, exactPrice(run.candles.close[bar] ?? 0), "down")
  }, 0n)

/**
 * At the close of a bar. True when from now on everything is withdrawn, or no longer: the strategy is to be asked, and its
 * answer followed or not.
 */
export const look = (
  { limits, watchesLosses, account }: LimitGuard.LimitGuard,
  runs: readonly [Run.Run, ...ReadonlyArray<Run.Run>],
  bar: number
): boolean => {
  const now = closeTime(runs[0].candles.time, bar)
  for (const run of runs) {
    run.now = now
    run.nextBar = bar + 1
  }
  if (!watchesLosses) return false
  const worth = worthOf(runs, bar)
  const { marks, isNews } = marked(account.marks, worth, now)
  if (isNews) account.marks = marks
  const stop = LimitGuard.stopIn(account)
  if (stop !== undefined) {
    if (!isOver(stop, now)) return false
    stop.until = now
    return stop.action === "drain"
  }
  const loss = lossOf(limits, marks, worth, runs[0].conditions.market.quote)
  if (loss === undefined) return false
  const action = limits.onLoss ?? "pause"
  account.stops.push({ from: now, ...loss, day: marks.day, action })
  return action === "drain"
}
