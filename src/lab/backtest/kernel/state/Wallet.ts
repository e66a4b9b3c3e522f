/**
 * The money of a run in one market. Free amounts are exact and never negative: an order's deposit leaves them when it is placed, and its
 * output or its refund comes back. All markets of a strategy share the quote.
 *
 * `base` and `quote` have everything owned, free or deposited. They and `charges` are doubles: for equity, never for money.
 */
import { type Amount, min } from "../../../../domain/Amount.ts"
import type { Market, Side } from "../../../../domain/Market.ts"
import type { FlatCosts } from "../orders/OrderTable.ts"

/** Only the wallets that share it change it. */
export interface Purse {
  freeQuote: Amount
}

/** Lists the fees outside of fills in order of time: the bar of each, and its amount in whole units of either asset. */
interface ChargeLog {
  readonly bars: Array<number>
  readonly base: Array<number>
  readonly quote: Array<number>
}

export class Wallet {
  declare private readonly baseUnit: number
  declare private readonly quoteUnit: number
  declare private readonly purse: Purse
  declare freeBase: Amount
  // Numbers from the beginning, because a field that was ever undefined costs an allocation for every fill.
  base = 0
  quote = 0
  readonly charges: ChargeLog = { bars: [], base: [], quote: [] }
  private readonly refunds = { count: 0, base: 0n, quote: 0n }
  private readonly payouts = { count: 0, base: 0n, quote: 0n }

  constructor(market: Market, budget: { readonly base: Amount; readonly quote: Amount }, purse: Purse) {
    this.baseUnit = 10 ** market.base.decimals
    this.quoteUnit = 10 ** market.quote.decimals
    this.purse = purse
    this.freeBase = budget.base
    this.base = Number(budget.base) / this.baseUnit
    this.quote = Number(budget.quote) / this.quoteUnit
  }

  get freeQuote(): Amount {
    return this.purse.freeQuote
  }

  /** Fees of refunds and of payouts of cancelled orders. The outputs of fills already exclude their fees. */
  get charged(): Readonly<Record<"refunds" | "payouts", FlatCosts> & Record<"base" | "quote", Amount>> {
    const { payouts, refunds } = this
    return { refunds, payouts, base: payouts.base + refunds.base, quote: payouts.quote + refunds.quote }
  }

  freeFor(side: Side): Amount {
    return side === "BUY" ? this.purse.freeQuote : this.freeBase
  }

  deposit(side: Side, input: Amount): void {
    if (side === "BUY") this.purse.freeQuote -= input
    else this.freeBase -= input
  }

  receive(side: Side, output: Amount): void {
    if (side === "BUY") this.freeBase += output
    else this.purse.freeQuote += output
  }

  trade(base: number, quote: number): void {
    this.base += base
    this.quote += quote
  }

  /** Puts the unspent deposit, less the fee, back into the wallet. Returns the fee that was paid, at most the deposit. */
  refund(side: Side, left: Amount, fee: Amount, bar: number): Amount {
    const cost = min(left, fee)
    if (side === "BUY") this.purse.freeQuote += left - cost
    else this.freeBase += left - cost
    if (left > 0n) this.charge(this.refunds, side === "BUY" ? "quote" : "base", cost, bar)
    return cost
  }

  /** Charges the payout fee of a cancelled order. The payout that follows is already less this fee. */
  chargePayout(side: Side, paid: Amount, bar: number): void {
    this.charge(this.payouts, side === "BUY" ? "base" : "quote", paid, bar)
  }

  private charge(costs: typeof this.refunds, asset: "base" | "quote", paid: Amount, bar: number): void {
    costs.count++
    if (paid === 0n) return
    costs[asset] += paid
    if (asset === "base") this.log(bar, Number(paid) / this.baseUnit, 0)
    else this.log(bar, 0, Number(paid) / this.quoteUnit)
  }

  private log(bar: number, base: number, quote: number): void {
    this.base -= base
    this.quote -= quote
    this.charges.bars.push(bar)
    this.charges.base.push(base)
    this.charges.quote.push(quote)
  }
}
