/** Words the agreed terms of a swap, and the steps for a user who pays by hand. */
import { formatWithSymbol } from "../../domain/Amount.ts"
import type { AgreedSwap } from "../../domain/SwapRecord.ts"
import { printable, utc } from "../../domain/Text.ts"

export const terms = (agreed: AgreedSwap): ReadonlyArray<string> => {
  const { amountIn, amountOut, destination, minAmountOut, origin } = agreed
  const least = minAmountOut === undefined ? "" : `, at least ${formatWithSymbol(minAmountOut, destination)}`
  const signature = agreed.isSignatureVerified ? "verified with venue.quoteKey" : "not verified (no venue.quoteKey)"
  return [
    `pay        ${formatWithSymbol(amountIn, origin)}  (${agreed.swapType}, ${agreed.depositType})`,
    `receive    ${formatWithSymbol(amountOut, destination)}${least}`,
    ...feeOfMove(agreed),
    `recipient  ${agreed.recipient}  (${agreed.recipientType})`,
    `refunds    ${agreed.refundTo}  (${agreed.refundType})`,
    `address    ${agreed.depositAddress}${agreed.depositMemo === undefined ? "" : `  memo ${agreed.depositMemo}`}`,
    `until      ${utc(agreed.deadline)}`,
    `signature  ${signature}`
  ].map(printable)
}

/** Returns the fee of a swap of an asset into itself: the difference between sent and received. Other swaps have none. */
export const feeOfMove = ({
  amountIn,
  amountOut,
  destination,
  origin
}: Pick<AgreedSwap, "amountIn" | "amountOut" | "destination" | "origin">): ReadonlyArray<string> =>
  origin.id === destination.id ? [`fee        ${formatWithSymbol(amountIn - amountOut, origin)}`] : []

export const paymentOrder = ({
  amountIn,
  deadline,
  depositAddress,
  depositMemo,
  origin
}: AgreedSwap): ReadonlyArray<string> =>
  [
    `Pay exactly  ${formatWithSymbol(amountIn, origin)}  (${amountIn} smallest units of ${origin.id})`,
    `to           ${depositAddress}`,
    ...(depositMemo === undefined
      ? []
      : [`with memo    ${depositMemo}   (required: without it the money is returned)`]),
    `before       ${utc(deadline)}   (later payments are returned, less fees)`
  ].map(printable)
