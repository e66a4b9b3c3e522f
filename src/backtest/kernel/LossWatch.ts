/**
 * Holds what a strategy owns against its loss limits at every close, as the engine does at every turn: by the same marks, at
 * the close instead of the mid.
 */

import { exactPrice } from "../../candles/Candles.ts"
import { closeTime } from "../../candles/TimeAxis.ts"
import type { Amount, Asset } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { quoteAmount } from "../../domain/Market.ts"
import { isOver, type LossMarks, lossOf, marked } from "../../engine/planning/RiskLimits.ts"
import * as LimitGuard from "./LimitGuard.ts"
import * as Run from "./Run.ts"

const worthOf = (runs: ReadonlyArray<Run.Run>, bar: number): Amount =>
  runs.reduce((sum, run) => {
    const { base, quote } = Run.owned(run)
    return sum + quote + quoteAmount(run.conditions.market, base, exactPrice(run.candles.close[bar] ?? 0), "down")
  }, runs[0]?.purse.freeQuote ?? 0n)

/** The same in doubles, whole units. */
const roughWorth = (runs: ReadonlyArray<Run.Run>, bar: number): number => {
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

/** At the close of a bar: marks, and stops that begin or end. */
export const look = (run: Run.Run, guard: LimitGuard.LimitGuard, bar: number): void => {
  const { watchesLosses, account } = guard
  if (!watchesLosses) return
  const now = closeTime(run.candles.time, bar)
  const rough = roughWorth(account.runs, bar)
  const { calm } = account
  if (now < calm.until && rough > calm.least && rough < calm.most) return
  const { quote } = run.conditions.market
  lookClosely(guard, worthOf(account.runs, bar), quote, now)
  if (account.marks !== undefined) account.calm = calmUntil(guard, account.marks, quote)
}

const lookClosely = ({ limits, account }: LimitGuard.LimitGuard, worth: Amount, quote: Asset, now: number): void => {
  const { marks, isNews } = marked(account.marks, worth, now)
  if (isNews) account.marks = marks
  const stop = LimitGuard.stopIn(account)
  if (stop !== undefined) {
    if (!isOver(stop, now)) return
    stop.until = now
    account.door = undefined
    account.isTurned ||= stop.action === "drain"
    return
  }
  const loss = lossOf(limits, marks, worth, quote)
  if (loss === undefined) return
  const action = limits.onLoss ?? "pause"
  account.door = undefined
  account.stops.push({ from: now, ...loss, day: marks.day, action })
  account.isTurned ||= action === "drain"
}
