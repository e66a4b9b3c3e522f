/**
 * Cost of payouts and refunds. The venue names no amounts in them, only an estimate of the fee, which it may change at any time and which
 * cannot be verified. The estimate at the payment of an order is the most that counts as a fee. The excess of a larger claim is neither a
 * fee nor an arrival, and stays unexplained until another witness has seen it.
 */
import { type Amount, max, min } from "../../../domain/Amount.ts"
import type { Order } from "../../../domain/Order.ts"
import type { Placement } from "../../state/Placement.ts"

/** Minimum output that the fills must report: lower by the echoed fee if fills report their output after that fee. */
export const leastOf = ({ feeEcho }: Placement, promised: Amount): Amount => {
  if (feeEcho?.fillsNet !== true) return promised
  const millionths = BigInt(Math.ceil(feeEcho.basisPoints * 100))
  return max(0n, promised - (promised * millionths + 999_999n) / 1_000_000n)
}

/** Highest estimated fee of a payout, and of a refund, as a share of the amount. An order above it is not paid. */
const maxBasisPoints = 500n
const whole = 10_000n

type Estimates = Pick<Order, "estimatedRefundFee" | "estimatedWithdrawFee">

const mostOf = (amount: Amount): Amount => (amount * maxBasisPoints) / whole

/** A swap by hand was agreed to with its fees. */
export const tooDear = ({ inputAmount, outputAmount, swap }: Placement, fees: Estimates): string | undefined => {
  if (swap !== undefined) return undefined
  const { estimatedRefundFee: refund = 0n, estimatedWithdrawFee: payout = 0n } = fees
  const percent = (fee: Amount, of: Amount): number => Number((fee * whole) / (of === 0n ? 1n : of)) / 100
  const most = Number(maxBasisPoints) / 100
  if (payout > mostOf(outputAmount))
    return `its payout would cost ${percent(payout, outputAmount)} %, more than ${most} %`
  if (refund > mostOf(inputAmount))
    return `its refund would cost ${percent(refund, inputAmount)} %, more than ${most} %`
  return undefined
}

/** No market move doubles an estimate between two answers and also raises it by more than this share of the amount. */
const jumpBasisPoints = 50n

export const jumpIn = ({ inputAmount, order, outputAmount, state, swap }: Placement, now: Estimates) => {
  if (state !== "created" || swap !== undefined) return undefined
  const { estimatedRefundFee: refund, estimatedWithdrawFee: payout } = order
  const legs = [
    ["payout", payout, now.estimatedWithdrawFee ?? payout, outputAmount],
    ["refund", refund, now.estimatedRefundFee ?? refund, inputAmount]
  ] as const
  const jump = legs.find(
    ([, before, shown, amount]) => shown > 2n * before && (shown - before) * whole > jumpBasisPoints * amount
  )
  return jump && `its ${jump[0]} is estimated at ${jump[2]}, just before at ${jump[1]}`
}

/** The estimate at payment is unknown for an order found with money, so an estimate that forbids payment is not believed. */
export const credible = (
  { inputAmount, outputAmount }: Placement,
  { estimatedRefundFee: refund = 0n, estimatedWithdrawFee: payout = 0n }: Estimates
): Estimates => ({
  estimatedRefundFee: refund > mostOf(inputAmount) ? 0n : refund,
  estimatedWithdrawFee: payout > mostOf(outputAmount) ? 0n : payout
})

export const isPaidOut = ({ payoutIsFinal, withdrawals }: Order): boolean =>
  payoutIsFinal && withdrawals.length > 0 && withdrawals.every(({ status }) => status === "COMPLETED")

export const isRefunded = ({ refund }: Order): boolean => refund?.status === "COMPLETED"

const estimatesAtPayment = ({ order }: Placement): Required<Estimates> =>
  order ?? { estimatedRefundFee: 0n, estimatedWithdrawFee: 0n }

/** Each withdrawal costs the fee once, if there is a fill or a named transaction for it. Fees of the latter stay within the share above. */
export const payoutCost = (placement: Placement, order: Order, filled: Amount) => {
  const { estimatedWithdrawFee: most } = estimatesAtPayment(placement)
  const { estimatedWithdrawFee: estimate = most, fills, withdrawals } = order
  const claimed = min(filled, estimate * BigInt(withdrawals.length))
  const hashCount = new Set(withdrawals.flatMap(({ txHash }) => txHash ?? [])).size
  const ofFills = most * BigInt(Math.min(withdrawals.length, fills.length))
  const ofNamed = min(most * BigInt(hashCount), mostOf(placement.outputAmount))
  return { claimed, fee: min(claimed, max(ofFills, ofNamed)) }
}

export const refundCost = (placement: Placement, order: Order, unspent: Amount) => {
  const { estimatedRefundFee: most } = estimatesAtPayment(placement)
  const claimed = min(unspent, order.estimatedRefundFee ?? most)
  return { claimed, fee: min(claimed, most) }
}
