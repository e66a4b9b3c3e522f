/**
 * Holds what a strategy owns against its loss limits at every close, as the engine does at every turn: by the same marks, at
 * the close instead of the mid.
 */
import type { Amount, Asset } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import { quoteAmount } from "../domain/Market.ts"
import { isOver, type LossMarks, lossOf, marked } from "../engine/RiskLimits.ts"
import { exactPrice } from "./Candles.ts"
import * as LimitGuard from "./LimitGuard.ts"
import * as Run from "./Run.ts"
import { closeTime } from "./TimeAxis.ts"

type Runs = readonly [Run.Run, ...ReadonlyArray<Run.Run>]

const worthOf = (runs: Runs, bar: number): Amount =>
  runs.reduce((sum, run) => {
    const { base, quote } = Run.totals(run)
    return sum + quote + quoteAmount(run.conditions.market, base, exactPrice(run.candles.close[bar] ?? 0), "down")
  }, 0n)

/** The same in doubles, whole units. */
const roughWorth = (runs: Runs, bar: number): number => {
  let worth = 0
  for (const { base, quote, candles } of runs) worth += quote + base * (candles.close[bar] ?? 0)
  return worth
}

/** Well more than doubles are wrong by. */
const hair = 1e-9

const calmUntil = (
  { limits, account }: LimitGuard.LimitGuard,
  marks: LossMarks,
  quote: Asset
): LimitGuard.Account["calm"] => {
  const units = (amount: Amount): number => Number(amount) / 10 ** quote.decimals
  const { atStart, peak, day } = marks
  const ratio = limits.maxDrawdown === undefined ? 1 : Decimal.toNumber(limits.maxDrawdown)
  const lost = limits.maxDailyLoss === undefined ? 0 : units(atStart - limits.maxDailyLoss)
  const least = LimitGuard.stopIn(account) === undefined ? Math.max(lost, units(peak) * (1 - ratio)) : -1
  return { least: least * (1 + hair), most: units(peak) * (1.001 - hair), until: (day + 1) * 86_400_000 }
}

/**
 * At the close of a bar. True when from now on everything is withdrawn, or no longer: the strategy is to be asked, and its
 * answer followed or not.
 */
export const look = (guard: LimitGuard.LimitGuard, runs: Runs, bar: number): boolean => {
  const { watchesLosses, account } = guard
  const now = closeTime(runs[0].candles.time, bar)
  for (const run of runs) {
    run.now = now
    run.nextBar = bar + 1
  }
  if (!watchesLosses) return false
  const rough = roughWorth(runs, bar)
  const { calm } = account
  if (now < calm.until && rough > calm.least && rough < calm.most) return false
  const turned = lookClosely(guard, runs, worthOf(runs, bar), now)
  if (account.marks !== undefined) account.calm = calmUntil(guard, account.marks, runs[0].conditions.market.quote)
  return turned
}

const lookClosely = ({ limits, account }: LimitGuard.LimitGuard, runs: Runs, worth: Amount, now: number): boolean => {
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
