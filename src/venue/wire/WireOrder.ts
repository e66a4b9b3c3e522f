/**
 * An order on the wire, and its decoding into the domain. The wire schema accepts null and missing almost everywhere;
 * `toOrder` then insists on everything that money depends on and names what is wrong. A missing amount is read as
 * zero only while nothing can have been deposited or filled, because a zero is what frees money in the books.
 */
import { Option, Result, Schema } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import { type Fill, fillStatuses, type OddOrder, type Order, type PayoutLeg } from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import { Meta } from "./WireError.ts"
import * as Wire from "./WireValue.ts"

const { tolerant } = Wire
const Text = Schema.String

const payoutStatuses = ["NOT_STARTED", "IN_PROGRESS", "COMPLETED", "FAILED"] as const

const WirePayoutLeg = Schema.Struct({
  status: Wire.openEnum(["IN_PROGRESS", "COMPLETED", "FAILED"]),
  txHash: tolerant(Text),
  reason: tolerant(Text)
}).annotate({ identifier: "PayoutLeg" })

const WireFill = Schema.Struct({
  id: Text,
  amountIn: Text,
  amountOut: Text,
  createdAt: Text,
  updatedAt: tolerant(Text)
}).annotate({ identifier: "Fill" })

/** EXACT_INPUT (SELL): `amountIn`, `minAmountOut`. EXACT_OUTPUT (BUY): `maxAmountIn`, `amountOut`. */
const WireSwapView = Schema.Struct({
  swapType: Wire.openEnum(["EXACT_INPUT", "EXACT_OUTPUT"]),
  originAsset: Text,
  destinationAsset: Text,
  amountIn: tolerant(Text),
  minAmountOut: tolerant(Text),
  maxAmountIn: tolerant(Text),
  amountOut: tolerant(Text)
}).annotate({ identifier: "SwapView" })

const Payouts = Schema.Struct({
  withdrawal: Schema.optionalKey(Schema.NullOr(WirePayoutLeg)),
  allWithdrawals: tolerant(Schema.Array(WirePayoutLeg)),
  refund: Schema.optionalKey(Schema.NullOr(WirePayoutLeg))
})

export const WireOrderAttributes = Schema.Struct({
  orderType: tolerant(Wire.openEnum(["LIMIT"])),
  depositAddress: tolerant(Text),
  depositMemo: tolerant(Text),
  depositMode: tolerant(Wire.openEnum(Wire.depositModes)),
  depositType: tolerant(Wire.openEnum(Wire.depositTypes)),
  fillStatus: tolerant(Wire.openEnum(fillStatuses)),
  payoutStatus: tolerant(Wire.openEnum(payoutStatuses)),
  isPayoutStatusFinal: tolerant(Schema.Boolean),
  payouts: tolerant(Payouts),
  depositedAmount: tolerant(Text),
  depositedAmountFormatted: tolerant(Text),
  baseAsset: tolerant(Text),
  quoteAsset: tolerant(Text),
  quantity: tolerant(Text),
  swapView: tolerant(WireSwapView),
  side: tolerant(Wire.openEnum(["SELL", "BUY"])),
  price: tolerant(Text),
  appFees: tolerant(Schema.Array(Wire.ReportedFee)),
  recipient: tolerant(Text),
  recipientType: tolerant(Wire.openEnum(Wire.recipientTypes)),
  refundTo: tolerant(Text),
  refundType: tolerant(Wire.openEnum(Wire.depositTypes)),
  estimatedWithdrawFee: tolerant(Text),
  estimatedWithdrawFeeFormatted: tolerant(Text),
  estimatedRefundFee: tolerant(Text),
  estimatedRefundFeeFormatted: tolerant(Text),
  confidentiality: tolerant(Wire.openEnum(Wire.confidentialities)),
  timeInForce: tolerant(Wire.openEnum(["GTC"])),
  deadline: tolerant(Text),
  createdAt: tolerant(Text),
  partialFills: tolerant(Schema.Array(WireFill))
}).annotate({ identifier: "OrderAttributes" })
export type WireOrderAttributes = typeof WireOrderAttributes.Type

export const WireOrder = Schema.Struct({
  type: tolerant(Wire.openEnum(["orders"])),
  id: Text,
  attributes: WireOrderAttributes,
  links: tolerant(Schema.Struct({ self: tolerant(Text) }))
}).annotate({ identifier: "Order" })
export type WireOrder = typeof WireOrder.Type

export const OrderResponse = Schema.Struct({ data: WireOrder, meta: tolerant(Meta) }).annotate({
  identifier: "OrderResponse"
})
export type OrderResponse = typeof OrderResponse.Type

export const OrderListResponse = Schema.Struct({
  data: Schema.Array(WireOrder),
  links: tolerant(Schema.Struct({ next: Schema.optionalKey(Schema.NullOr(Text)) })),
  meta: tolerant(Schema.Struct({ ...Meta.fields, nextCursor: tolerant(Text) }))
}).annotate({ identifier: "OrderListResponse" })
export type OrderListResponse = typeof OrderListResponse.Type

/** The list as it is received: its orders are read one by one, because an odd one must not hide the others. */
export const OrderListReply = Schema.Struct({ ...OrderListResponse.fields, data: Schema.Array(Schema.Unknown) })

type Decoded<A> = Wire.Exact<A>
const { required, wrong } = Wire

const text = (field: string, value: string | undefined): Decoded<string> => required(field, value, Wire.parseName)
const amount = (field: string, value: string | undefined): Decoded<Amount> => required(field, value, Wire.parseAmount)

const maybe = (field: string, value: string | undefined): Decoded<Amount | undefined> =>
  Wire.optionally(field, value, Wire.parseAmount)

const toFill = (fill: typeof WireFill.Type): Decoded<Fill> =>
  Result.all({
    id: text("partialFills.id", fill.id),
    amountIn: amount("partialFills.amountIn", fill.amountIn),
    amountOut: amount("partialFills.amountOut", fill.amountOut),
    at: required("partialFills.createdAt", fill.createdAt, Wire.parseTimestamp)
  })

const toLeg = ({ reason, status, txHash }: typeof WirePayoutLeg.Type): PayoutLeg => ({
  status: Wire.clean(status),
  ...(txHash === undefined ? {} : { txHash: Wire.clean(txHash) }),
  ...(reason === undefined ? {} : { reason: Wire.clean(reason) })
})

const withdrawals = (payouts: WireOrderAttributes["payouts"]): ReadonlyArray<PayoutLeg> => {
  const all = payouts?.allWithdrawals ?? []
  if (all.length > 0) return all.map(toLeg)
  return payouts?.withdrawal == null ? [] : [toLeg(payouts.withdrawal)]
}

const side = (value: string | undefined): Decoded<"BUY" | "SELL"> =>
  value === "BUY" || value === "SELL" ? Result.succeed(value) : wrong("side", value)

const depositedAmount = (order: WireOrderAttributes): Decoded<Amount> =>
  amount("depositedAmount", order.depositedAmount ?? (order.fillStatus === "AWAITING_DEPOSIT" ? "0" : undefined))

const fills = (order: WireOrderAttributes): Decoded<ReadonlyArray<Fill>> => {
  const unfilled = order.fillStatus === "AWAITING_DEPOSIT" || order.fillStatus === "OPEN"
  const listed = order.partialFills ?? (unfilled ? [] : undefined)
  return listed === undefined ? wrong("partialFills", undefined) : Result.all(listed.map(toFill))
}

/** Fees to our own account are not a cost. */
const appFeeBasisPoints = (order: WireOrderAttributes): Decoded<number> => {
  const foreign = (order.appFees ?? []).filter(
    ({ recipient }) => recipient !== order.recipient && recipient !== order.refundTo
  )
  const total = foreign.reduce((sum, { fee }) => sum + fee, 0)
  return foreign.every(({ fee }) => fee >= 0) && total <= 10_000
    ? Result.succeed(total)
    : wrong("appFees", foreign.map(({ fee }) => fee).join(", "))
}

/** The order in exact values, or the field that makes it unusable. */
export const toOrder = ({ attributes, id }: WireOrder): Decoded<Order> => {
  const view = attributes.swapView
  const finalStatus = attributes.payoutStatus === "COMPLETED" || attributes.payoutStatus === "FAILED"
  return Result.map(
    Result.all({
      id: required("id", id, (found) => (Wire.isPathSegment(found) ? found : undefined)),
      side: side(attributes.side),
      baseAsset: text("baseAsset", attributes.baseAsset),
      quoteAsset: text("quoteAsset", attributes.quoteAsset),
      originAsset: text("swapView.originAsset", view?.originAsset),
      destinationAsset: text("swapView.destinationAsset", view?.destinationAsset),
      quantity: amount("quantity", attributes.quantity),
      price: required("price", attributes.price, Wire.parsePrice),
      inputAmount: amount("swapView.amountIn", view?.amountIn ?? view?.maxAmountIn),
      outputAmount: amount("swapView.minAmountOut", view?.minAmountOut ?? view?.amountOut),
      depositAddress: text("depositAddress", attributes.depositAddress),
      depositMemo: Wire.optionally("depositMemo", attributes.depositMemo, Wire.parseName),
      depositType: text("depositType", attributes.depositType),
      recipient: text("recipient", attributes.recipient),
      recipientType: text("recipientType", attributes.recipientType),
      refundTo: text("refundTo", attributes.refundTo),
      refundType: text("refundType", attributes.refundType),
      appFeeBasisPoints: appFeeBasisPoints(attributes),
      fillStatus: text("fillStatus", attributes.fillStatus),
      depositedAmount: depositedAmount(attributes),
      fills: fills(attributes),
      estimatedWithdrawFee: maybe("estimatedWithdrawFee", attributes.estimatedWithdrawFee),
      estimatedRefundFee: maybe("estimatedRefundFee", attributes.estimatedRefundFee),
      deadline: required("deadline", attributes.deadline, Wire.parseTimestamp),
      createdAt: required("createdAt", attributes.createdAt, Wire.parseTimestamp)
    }),
    ({ depositMemo, estimatedRefundFee, estimatedWithdrawFee, ...order }): Order => ({
      ...order,
      withdrawals: withdrawals(attributes.payouts),
      payoutIsFinal: attributes.isPayoutStatusFinal ?? finalStatus,
      ...(attributes.payouts?.refund == null ? {} : { refund: toLeg(attributes.payouts.refund) }),
      ...present({ depositMemo, estimatedRefundFee, estimatedWithdrawFee })
    })
  )
}

const decodeOrder = Schema.decodeUnknownResult(WireOrder)
const decodeId = Schema.decodeUnknownOption(Schema.Struct({ id: Text }))

/** One element of a list: an order, or what is odd about it. */
export const fromList = (element: unknown): Result.Result<Order, OddOrder> =>
  decodeOrder(element).pipe(
    Result.mapError(({ message }) => message),
    Result.flatMap(toOrder),
    Result.mapError((why) => {
      const id = Option.getOrUndefined(decodeId(element))?.id
      return { why: Wire.clean(why), ...(id === undefined ? {} : { id: Wire.clean(id) }) }
    })
  )
