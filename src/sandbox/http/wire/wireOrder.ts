/** Encodes an order of the sandbox as the contract demands, with the lie that a test may have chosen for it. */
import * as Amount from "../../../domain/Amount.ts"
import { isTerminal } from "../../../domain/Order.ts"
import { present } from "../../../domain/Present.ts"
import * as Timestamp from "../../../domain/Timestamp.ts"
import type { WireOrder, WireOrderAttributes } from "../../../venue/wire/WireOrder.ts"
import { isPayoutFinal, payoutStatus } from "../../core/Payouts.ts"
import type { Lie, SandboxOrder } from "../../core/State.ts"

interface Change {
  readonly always?: (said: WireOrderAttributes) => Partial<WireOrderAttributes>
  readonly atEnd?: (said: WireOrderAttributes) => Partial<WireOrderAttributes>
}

const nothingPaid = { withdrawal: null, allWithdrawals: [], refund: null }
const invented = { status: "COMPLETED", txHash: "invented" }
const withoutFills: Change["always"] = () => ({ partialFills: [] })

const halved = (amount = "0"): string => String(BigInt(amount) / 2n)

const changes: Readonly<Record<Lie, Change>> = {
  "success-without-amounts": { always: withoutFills, atEnd: () => ({ payouts: nothingPaid }) },
  "success-but-refunded": { always: withoutFills, atEnd: () => ({ payouts: { ...nothingPaid, refund: invented } }) },
  "filled-unpaid": { atEnd: () => ({ payouts: nothingPaid }) },
  "refund-of-filled": { atEnd: ({ payouts }) => ({ payouts: { ...payouts, refund: invented } }) },
  "amounts-do-not-match": {
    always: ({ partialFills = [] }) => ({
      partialFills: partialFills.map((fill) => ({
        ...fill,
        amountIn: halved(fill.amountIn),
        amountOut: halved(fill.amountOut)
      }))
    })
  },
  "deposit-unseen": {
    always: () => ({
      fillStatus: "AWAITING_DEPOSIT",
      depositedAmount: "0",
      depositedAmountFormatted: "0",
      partialFills: [],
      payouts: nothingPaid,
      payoutStatus: "NOT_STARTED",
      isPayoutStatusFinal: false
    })
  }
}

const withLie = ({ lie, status }: SandboxOrder, said: WireOrderAttributes): WireOrderAttributes => {
  if (lie === undefined) return said
  const { always, atEnd } = changes[lie]
  return { ...said, ...always?.(said), ...(isTerminal(status) ? atEnd?.(said) : {}) }
}

export const toWire = (order: SandboxOrder): WireOrder => ({
  type: "orders",
  id: order.id,
  attributes: withLie(order, attributesOf(order)),
  links: { self: `/v0/orders/${order.id}` }
})

const attributesOf = (order: SandboxOrder): WireOrderAttributes => {
  const { origin: input, destination: output } = order
  return {
    orderType: "LIMIT",
    depositAddress: order.depositAddress,
    ...present({ depositMemo: order.depositMemo }),
    depositMode: order.depositMemo === undefined ? "SIMPLE" : "MEMO",
    depositType: order.depositType,
    fillStatus: order.status,
    payoutStatus: payoutStatus(order),
    isPayoutStatusFinal: isPayoutFinal(order),
    payouts: payoutsOf(order),
    depositedAmount: String(order.deposited),
    depositedAmountFormatted: Amount.format(order.deposited, input.decimals),
    baseAsset: order.market.base.id,
    quoteAsset: order.market.quote.id,
    quantity: String(order.quantity),
    swapView: swapViewOf(order, input.id, output.id),
    side: order.side,
    price: order.priceText,
    appFees: order.appFees,
    recipient: order.recipient,
    recipientType: order.recipientType,
    refundTo: order.refundTo,
    refundType: order.refundType,
    estimatedWithdrawFee: String(order.withdrawFee),
    estimatedWithdrawFeeFormatted: Amount.format(order.withdrawFee, output.decimals),
    estimatedRefundFee: String(order.refundFee),
    estimatedRefundFeeFormatted: Amount.format(order.refundFee, input.decimals),
    confidentiality: order.confidentiality,
    timeInForce: "GTC",
    deadline: Timestamp.format(order.deadline),
    createdAt: Timestamp.format(order.createdAt),
    partialFills: order.fills.map(({ id, amountIn, amountOut, at }) => ({
      id,
      amountIn: String(amountIn),
      amountOut: String(amountOut),
      createdAt: Timestamp.format(at),
      updatedAt: Timestamp.format(at)
    }))
  }
}

const payoutsOf = ({ refund, withdrawal }: SandboxOrder) => ({
  withdrawal: withdrawal ?? null,
  allWithdrawals: withdrawal === undefined ? [] : [withdrawal],
  refund: refund ?? null
})

const swapViewOf = (order: SandboxOrder, originAsset: string, destinationAsset: string) => {
  const assets = { originAsset, destinationAsset }
  const input = String(order.inputAmount)
  const output = String(order.outputAmount)
  return order.side === "SELL"
    ? { swapType: "EXACT_INPUT", ...assets, amountIn: input, minAmountOut: output }
    : { swapType: "EXACT_OUTPUT", ...assets, maxAmountIn: input, amountOut: output }
}
