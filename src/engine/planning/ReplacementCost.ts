/**
 * Cost of moving an order to a better price: the fee of its refund, another payout if it has filled in part, and the time out of the
 * market. Fees are the measured refund costs, or else the venue's estimate; funding costs nothing at this venue. The time is measured on
 * earlier replacements. An order that has been open as long as a replacement takes is out of the market half of the time, and loses that
 * share of the better price. Pure.
 */
import { type Amount, formatWithSymbol } from "../../domain/Amount.ts"
import { type Market, type Price, quoteAmount } from "../../domain/Market.ts"
import { countText, percent } from "../../domain/Text.ts"
import type { BotState } from "../state/BotState.ts"
import { filledBase, isUnpaid, type Placement } from "../state/Placement.ts"
import * as Replacements from "../state/strategies/Replacements.ts"

export interface ReplacementCost {
  /** In quote smallest units, rounded up. */
  readonly fees: Amount
  /** Hundredths of a percent of the time that this order would have been out of the market. */
  readonly outOfMarketBasisPoints: number
  readonly text: string
}

export const noCost: ReplacementCost = { fees: 0n, outOfMarketBasisPoints: 0, text: "nothing is in it yet" }

export const replacementCost = (
  { replacements }: Pick<BotState, "replacements">,
  market: Market,
  placement: Placement,
  { ask, now }: { readonly ask: Price; readonly now: number }
): ReplacementCost => {
  const { order, inputAsset, outputAsset } = placement
  if (order === undefined || isUnpaid(placement)) return noCost
  const inQuote = (asset: string, amount: Amount) =>
    asset === market.quote.symbol ? amount : quoteAmount(market, amount, ask, "up")
  const measured = Replacements.measuredRefund(replacements, inputAsset)
  const refund = inQuote(inputAsset, measured?.fee ?? order.estimatedRefundFee)
  const payout = filledBase(placement) > 0n ? inQuote(outputAsset, order.estimatedWithdrawFee) : 0n
  const absence = Replacements.measuredAbsence(replacements)
  const rested = placement.state === "open" ? Math.max(0, now - placement.changedAt) : 0
  // After steps of the clock both can be zero.
  const share = absence === undefined || absence === 0 ? 0 : absence / (absence + rested)
  const quote = (amount: Amount) => formatWithSymbol(amount, market.quote)
  const source = measured === undefined ? "the venue's estimate" : `measured ${countText(measured.count, "time")}`
  return {
    fees: refund + payout,
    outOfMarketBasisPoints: Math.min(10_000, Math.ceil(share * 10_000)),
    text: [
      `refund fee ${quote(refund)} (${source})`,
      ...(payout === 0n ? [] : [`one more payout ${quote(payout)}`]),
      absence === undefined
        ? "the time out of the market is not measured yet"
        : `${(absence / 1000).toFixed(1)} s out of the market, ${percent(share)} of its time`
    ].join(", ")
  }
}
