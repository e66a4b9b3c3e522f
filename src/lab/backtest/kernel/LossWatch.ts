/**
 * Compares the strategy's equity with its loss limits at every close, by the same marks as the engine; the engine uses the mid every turn.
 * Between fills, the equity in one market is a linear function of the close. So only closes beyond two prices or after a certain time can
 * change a mark, or begin or end a stop. All others are skipped.
 */
import { closeAt, exactPrice } from "../../../candles/Candles.ts"
import * as TimeAxis from "../../../candles/TimeAxis.ts"
import type { Amount, Asset } from "../../../domain/Amount.ts"
import * as Decimal from "../../../domain/Decimal.ts"
import { dayMillis } from "../../../domain/Durations.ts"
import { quoteAmount } from "../../../domain/Market.ts"
import { isOver, type LossMarks, lossOf, marked } from "../../../engine/planning/LossGuard.ts"
import type { AskAgain } from "./AskAgain.ts"
import type { LimitAccount, MarketHolding } from "./state/LimitAccount.ts"

const worthOf = (holdings: ReadonlyArray<MarketHolding>, bar: number): Amount =>
  holdings.reduce((sum, { conditions, candles, wallet, orders }) => {
    const { base, quote } = orders.held
    const close = exactPrice(closeAt(candles, bar))
    return sum + quote + quoteAmount(conditions.market, wallet.freeBase + base, close, "down")
  }, holdings[0]?.wallet.freeQuote ?? 0n)

const roughWorth = (holdings: ReadonlyArray<MarketHolding>, bar: number): number => {
  let worth = 0
  for (const { wallet, candles } of holdings) worth += wallet.quote + wallet.base * closeAt(candles, bar)
  return worth
}

/** Well above the error of doubles. */
const hair = 1e-9
/** Relative error of a price that is computed from two sums. */
const rounding = 1e-12

type Calm = ReturnType<typeof calmOf>

/** While the equity stays between these values, no mark changes and no stop begins or ends before `until`. */
const calmOf = ({ limits, stop }: Readonly<LimitAccount>, marks: LossMarks, quote: Asset) => {
  const units = (amount: Amount): number => Number(amount) / 10 ** quote.decimals
  const { atStart, peak, day } = marks
  const ratio = limits.maxDrawdown === undefined ? 1 : Decimal.toNumber(limits.maxDrawdown)
  const lost = limits.maxDailyLoss === undefined ? 0 : units(atStart - limits.maxDailyLoss)
  const least = stop === undefined ? Math.max(lost, units(peak) * (1 - ratio)) : -1
  return { least: least * (1 + hair), most: units(peak) * (1.001 - hair), until: (day + 1) * dayMillis }
}

/** Returns the closes beyond which the equity leaves these bounds, with a margin for rounding. */
const closesBeyond = ({ least, most }: Calm, base: number, quote: number) => {
  const slack = rounding * (Math.abs(quote) + most)
  return { below: (least + slack - quote) / base, above: (most - slack - quote) / base }
}

const noClose = { below: Number.NEGATIVE_INFINITY, above: Number.POSITIVE_INFINITY }

export class LossWatch {
  private readonly account: Readonly<LimitAccount>
  private readonly quote: Asset
  private marks: LossMarks | undefined
  private calm: Calm = { least: 0, most: 0, until: 0 }
  private late = { until: 0, bar: 0 }

  constructor(account: Readonly<LimitAccount>, quote: Asset) {
    this.account = account
    this.quote = quote
  }

  look(bar: number, now: number): void {
    const { calm, account } = this
    const rough = roughWorth(account.holdings, bar)
    if (now < calm.until && rough > calm.least && rough < calm.most) return
    this.lookClosely(worthOf(account.holdings, bar), now)
    if (this.marks !== undefined) this.calm = calmOf(account, this.marks, this.quote)
  }

  /** True if every close must be checked. The equity in several markets is not a linear function of one close. */
  get isAll(): boolean {
    return this.account.holdings.length !== 1
  }

  orLost(ask: AskAgain): AskAgain {
    const { account, calm } = this
    const [holding] = account.holdings
    if (holding === undefined) return ask
    const { candles, wallet } = holding
    const { base, quote } = wallet
    const { below, above } = base > 0 ? closesBeyond(calm, base, quote) : noClose
    const isCalm = base > 0 || (quote > calm.least && quote < calm.most)
    return {
      below: Math.max(ask.below, below),
      above: Math.min(ask.above, above),
      bar: isCalm ? Math.min(ask.bar, this.lateBarOf(candles.time)) : 0
    }
  }

  private lateBarOf(time: TimeAxis.TimeAxis): number {
    if (this.late.until !== this.calm.until)
      this.late = { until: this.calm.until, bar: TimeAxis.firstBarFrom(time, this.calm.until - time.stepMillis) }
    return this.late.bar
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
