/**
 * One line of history per deposit address, for swaps and orders alike, with the values that the filters use. Amounts read zero until
 * everything is over. Orders and non-public swaps count as masking records. No document defines those; it is only known that filters by
 * chain, token, referral, affiliate and value omit them.
 */
import type { Amount } from "../../domain/Amount.ts"
import { isTerminal } from "../../domain/Order.ts"
import type { AppFee } from "./money/Books.ts"
import { isPayoutFinal } from "./orders/OrderLife.ts"
import {
  type Parties,
  partiesIn,
  type RefundReason,
  type SandboxOrder,
  type SandboxSwap,
  type State,
  type SwapStatus
} from "./State.ts"

export interface HistoryRecord extends Parties {
  readonly target: SandboxOrder | SandboxSwap
  readonly status: Exclude<SwapStatus, "KNOWN_DEPOSIT_TX">
  readonly owner: string | undefined
  readonly isMasking: boolean
  readonly referral: string | undefined
  readonly appFees: ReadonlyArray<AppFee>
  readonly amountIn: Amount
  readonly amountOut: Amount
  readonly refundReason: RefundReason | undefined
  readonly refunded: Amount
  readonly refundFee: Amount
  readonly txHashes: ReadonlyArray<string>
}

const ofSwap = (swap: SandboxSwap): HistoryRecord => {
  const { request, outcome, status } = swap
  return {
    target: swap,
    status: status === "KNOWN_DEPOSIT_TX" ? "PENDING_DEPOSIT" : status,
    owner: swap.partner === undefined ? undefined : `partner ${swap.partner}`,
    isMasking: request.confidentiality !== "public",
    referral: request.referral,
    appFees: request.appFees ?? [],
    ...partiesIn(request),
    amountIn: outcome?.spent ?? 0n,
    amountOut: outcome?.received ?? 0n,
    refundReason: outcome?.refundReason,
    refunded: outcome?.refunded ?? 0n,
    refundFee: outcome === undefined || outcome.refunded === 0n ? 0n : swap.refundFee,
    txHashes: outcome === undefined ? [] : [outcome.txHash]
  }
}

const ofOrder = (order: SandboxOrder): HistoryRecord => {
  const isOver = isPayoutFinal(order)
  const total = (side: "amountIn" | "amountOut") => order.fills.reduce((sum, fill) => sum + fill[side], 0n)
  const net = (amount: Amount, fee: Amount) => (amount > fee ? amount - fee : 0n)
  const unspent = order.deposited - total("amountIn")
  return {
    target: order,
    status: statusOf(order),
    owner: order.owner,
    isMasking: true,
    referral: undefined,
    appFees: order.appFees,
    ...partiesIn(order),
    amountIn: isOver ? total("amountIn") : 0n,
    amountOut: isOver ? net(total("amountOut"), order.withdrawFee) : 0n,
    refundReason: undefined,
    refunded: isOver ? net(unspent, order.refundFee) : 0n,
    refundFee: isOver && unspent > 0n ? order.refundFee : 0n,
    txHashes: [order.withdrawal, order.refund].flatMap((leg) => (leg?.txHash === undefined ? [] : [leg.txHash]))
  }
}

const statusOf = (order: SandboxOrder): HistoryRecord["status"] => {
  if (order.deposited === 0n) return "PENDING_DEPOSIT"
  if (!isTerminal(order.status)) return order.status === "AWAITING_DEPOSIT" ? "INCOMPLETE_DEPOSIT" : "PROCESSING"
  if (!isPayoutFinal(order)) return "PROCESSING"
  if (order.withdrawal?.status === "FAILED" || order.refund?.status === "FAILED") return "FAILED"
  return order.fills.length > 0 ? "SUCCESS" : "REFUNDED"
}

export const of = (target: SandboxOrder | SandboxSwap): HistoryRecord =>
  target.kind === "swap" ? ofSwap(target) : ofOrder(target)

export const all = (state: State): ReadonlyArray<HistoryRecord> =>
  [...state.targets.values()]
    .map(of)
    .sort((a, b) => b.target.createdAt - a.target.createdAt || (a.target.id < b.target.id ? 1 : -1))

export const namesOf = ({ target, recipient, txHashes }: HistoryRecord): ReadonlyArray<string> => [
  target.depositAddress,
  recipient,
  ...target.senders,
  ...txHashes,
  ...target.intentHashes,
  ...target.originTxHashes
]
