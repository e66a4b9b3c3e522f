/**
 * Holds what a strategy owns against its loss limits at every close, as the engine does at every turn: by the same marks, at
 * the close instead of the mid.
 */

import { closeAt, exactPrice } from "../../candles/Candles.ts"
import type { Amount, Asset } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { dayMillis } from "../../domain/Durations.ts"
import { quoteAmount } from "../../domain/Market.ts"
import { isOver, type LossMarks, lossOf, marked } from "../../engine/planning/RiskLimits.ts"
import type { LimitAccount, MarketHolding } from "./state/LimitAccount.ts"

const worthOf = (holdings: ReadonlyArray<MarketHolding>, bar: number): Amount =>
  holdings.reduce((sum, { conditions, candles, wallet, orders }) => {
    const { base, quote } = orders.held
    const close = exactPrice(closeAt(candles, bar))
    return sum + quote + quoteAmount(conditions.market, wallet.freeBase + base, close, "down")
  }, holdings[0]?.wallet.freeQuote ?? 0n)

/** The same in doubles, whole units. */
const roughWorth = (holdings: ReadonlyArray<MarketHolding>, bar: number): number => {
  let worth = 0
  for (const { wallet, candles } of holdings) worth += wallet.quote + wallet.base * closeAt(candles, bar)
  return worth
}

/** Well more than doubles are wrong by. */
const hair = 1e-9

/** Nothing is to be marked, and no stop begins or ends, before `until` while the worth stays between these. */
interface Calm {
  readonly least: number
  readonly most: number
  readonly until: number
}

const calmOf = ({ limits, stop }: LimitAccount, marks: LossMarks, quote: Asset): Calm => {
  const units = (amount: Amount): number => Number(amount) / 10 ** quote.decimals
  const { atStart, peak, day } = marks
  const ratio = limits.maxDrawdown === undefined ? 1 : Decimal.toNumber(limits.maxDrawdown)
  const lost = limits.maxDailyLoss === undefined ? 0 : units(atStart - limits.maxDailyLoss)
  const least = stop === undefined ? Math.max(lost, units(peak) * (1 - ratio)) : -1
  return { least: least * (1 + hair), most: units(peak) * (1.001 - hair), until: (day + 1) * dayMillis }
}

/** One for all markets of a strategy. */
export class LossWatch {
  private readonly account: LimitAccount
  private readonly quote: Asset
  private marks: LossMarks | undefined
  private calm: Calm = { least: 0, most: 0, until: 0 }

  constructor(account: LimitAccount, quote: Asset) {
    this.account = account
    this.quote = quote
  }

  /** At the close of a bar: marks, and stops that begin or end. */
  look(bar: number, now: number): void {
    const { calm, account } = this
    const rough = roughWorth(account.holdings, bar)
    if (now < calm.until && rough > calm.least && rough < calm.most) return
    this.lookClosely(worthOf(account.holdings, bar), now)
    if (this.marks !== undefined) this.calm = calmOf(account, this.marks, this.quote)
  }

  private lookClosely(worth: Amount, now: number): void {
    const { account, quote } = this
    const { marks, isNews } = marked(this.marks, worth, now)
    if (isNews) this.marks = marks
    const { stop } = account
    if (stop !== undefined) {
      if (isOver(stop, now)) account.endStop(now)
      return
    }
    const loss = lossOf(account.limits, marks, worth, quote)
    if (loss === undefined) return
    account.beginStop({ from: now, ...loss, day: marks.day, action: account.limits.onLoss ?? "pause" })
  }
}
