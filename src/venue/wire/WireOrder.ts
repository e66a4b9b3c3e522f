/**
 * Decodes an order of the wire into the domain. The wire schema accepts null and missing almost everywhere; `toOrder` then insists on
 * everything that money depends on and names what is wrong. A missing amount is read as zero only while nothing can have been deposited or
 * filled, because a zero frees money in the books. A missing list counts as empty if it can be empty. A missing term is named in `unsaid`,
 * so that the recorded one stays. Times that only inform may be missing or nonsense.
 */
import { Option, Result, Schema } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import {
  type Fill,
  fillStatuses,
  isTerminal,
  type OddOrder,
  type Order,
  type OrderOfOthers,
  type OrderTerm,
  type PayoutLeg
} from "../../domain/Order.ts"
import { present } from "../../domain/Present.ts"
import * as Timestamp from "../../domain/Timestamp.ts"
import { Meta } from "./WireError.ts"
import * as Wire from "./WireValue.ts"

const { informal, tolerant } = Wire
const Text = Schema.String

const WirePayoutLeg = Schema.Struct({
  status: tolerant(Wire.openEnum(["IN_PROGRESS", "COMPLETED", "FAILED"])),
  txHash: tolerant(Text),
  reason: tolerant(Text)
}).annotate({ identifier: "PayoutLeg" })

const WireFill = Schema.Struct({
  id: tolerant(Text),
  amountIn: tolerant(Text),
  amountOut: tolerant(Text),
  createdAt: tolerant(Text),
  updatedAt: tolerant(Text)
}).annotate({ identifier: "Fill" })

/** EXACT_INPUT (SELL): `amountIn`, `minAmountOut`. EXACT_OUTPUT (BUY): `maxAmountIn`, `amountOut`. */
const WireSwapView = Schema.Struct({
  swapType: tolerant(Wire.openEnum(["EXACT_INPUT", "EXACT_OUTPUT"])),
  originAsset: tolerant(Text),
  destinationAsset: tolerant(Text),
  amountIn: tolerant(Text),
  minAmountOut: tolerant(Text),
  maxAmountIn: tolerant(Text),
  amountOut: tolerant(Text)
}).annotate({ identifier: "SwapView" })

const WirePayouts = Schema.Struct({
  withdrawal: Schema.optionalKey(Schema.NullOr(WirePayoutLeg)),
  allWithdrawals: tolerant(Schema.Array(WirePayoutLeg)),
  refund: Schema.optionalKey(Schema.NullOr(WirePayoutLeg))
})

export const WireOrderAttributes = Schema.Struct({
  orderType: informal(Wire.openEnum(["LIMIT"])),
  depositAddress: tolerant(Text),
  depositMemo: tolerant(Text),
  depositMode: tolerant(Wire.openEnum(Wire.depositModes)),
  depositType: tolerant(Wire.openEnum(Wire.depositTypes)),
  fillStatus: tolerant(Wire.openEnum(fillStatuses)),
  payoutStatus: tolerant(Wire.openEnum(["NOT_STARTED", "IN_PROGRESS", "COMPLETED", "FAILED"])),
  isPayoutStatusFinal: tolerant(Schema.Boolean),
  payouts: tolerant(WirePayouts),
  depositedAmount: tolerant(Text),
  depositedAmountFormatted: informal(Text),
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
  estimatedWithdrawFeeFormatted: informal(Text),
  estimatedRefundFee: tolerant(Text),
  estimatedRefundFeeFormatted: informal(Text),
  confidentiality: tolerant(Wire.openEnum(Wire.confidentialities)),
  timeInForce: informal(Wire.openEnum(["GTC"])),
  deadline: tolerant(Text),
  createdAt: tolerant(Text),
  partialFills: tolerant(Schema.Array(WireFill))
}).annotate({ identifier: "OrderAttributes" })
export type WireOrderAttributes = typeof WireOrderAttributes.Type

export const WireOrder = Schema.Struct({
  type: informal(Wire.openEnum(["orders"])),
  id: Text,
  attributes: WireOrderAttributes,
  links: informal(Schema.Struct({ self: informal(Text) }))
}).annotate({ identifier: "Order" })
export type WireOrder = typeof WireOrder.Type

export const OrderResponse = Schema.Struct({ data: WireOrder, meta: informal(Meta) }).annotate({
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

const { required, wrong } = Wire

const text = (field: string, value: string | undefined): Wire.Exact<string> => required(field, value, Wire.parseName)
const amount = (field: string, value: string | undefined): Wire.Exact<Amount> =>
  required(field, value, Wire.parseAmount)

const maybe = (field: string, value: string | undefined): Wire.Exact<Amount | undefined> =>
  Wire.optionally(field, value, Wire.parseAmount)

const time = (value: string | undefined): number | undefined =>
  value === undefined ? undefined : Timestamp.parse(value)

/** `now`: the time of reading. It is also the time of a fill without one. */
const toFill =
  (now: number) =>
  (fill: typeof WireFill.Type): Wire.Exact<Fill> =>
    Result.map(
      Result.all({
        id: text("partialFills.id", fill.id),
        amountIn: amount("partialFills.amountIn", fill.amountIn),
        amountOut: amount("partialFills.amountOut", fill.amountOut),
        at: Result.succeed(time(fill.createdAt) ?? time(fill.updatedAt) ?? now)
      }),
      (exact): Fill => ({ ...exact, ...present({ updatedAt: time(fill.updatedAt) }) })
    )

const toLeg =
  (field: string) =>
  ({ reason, status, txHash }: typeof WirePayoutLeg.Type): Wire.Exact<PayoutLeg> =>
    Result.map(
      required(`payouts.${field}.status`, status, Wire.clean),
      (exact): PayoutLeg => ({
        status: exact,
        ...(txHash ? { txHash: Wire.clean(txHash) } : {}),
        ...(reason ? { reason: Wire.clean(reason) } : {})
      })
    )

type Payouts = WireOrderAttributes["payouts"]

const wireWithdrawals = (payouts: Payouts): ReadonlyArray<typeof WirePayoutLeg.Type> => {
  const all = payouts?.allWithdrawals ?? []
  if (all.length > 0) return all
  return payouts?.withdrawal == null ? [] : [payouts.withdrawal]
}

const refund = (payouts: Payouts): Wire.Exact<PayoutLeg | undefined> =>
  payouts?.refund == null ? Result.succeed(undefined) : toLeg("refund")(payouts.refund)

const parseSide = (value: string): "BUY" | "SELL" | undefined =>
  value === "BUY" || value === "SELL" ? value : undefined

const depositedAmount = (order: WireOrderAttributes): Wire.Exact<Amount> =>
  amount("depositedAmount", order.depositedAmount || (order.fillStatus === "AWAITING_DEPOSIT" ? "0" : undefined))

const hasFilled = ({ fillStatus, payouts }: WireOrderAttributes): boolean =>
  fillStatus === "FILLED" || fillStatus === "PARTIALLY_FILLED" || wireWithdrawals(payouts).length > 0

const fills = (order: WireOrderAttributes, now: number): Wire.Exact<ReadonlyArray<Fill>> => {
  const listed = order.partialFills ?? (hasFilled(order) ? undefined : [])
  return listed === undefined ? wrong("partialFills", undefined) : Result.all(listed.map(toFill(now)))
}

const isFinal = (status: string | undefined): boolean => status === "COMPLETED" || status === "FAILED"

/** Unless the venue reports it, payouts are final once every payout that is due is final. */
const payoutIsFinal = ({ isPayoutStatusFinal, payoutStatus }: WireOrderAttributes, order: Ended): boolean => {
  if (isPayoutStatusFinal !== undefined) return isPayoutStatusFinal
  if (payoutStatus !== undefined && payoutStatus !== "") return isFinal(payoutStatus)
  const spent = order.fills.reduce((sum, { amountIn }) => sum + amountIn, 0n)
  const due = [
    ...(order.fills.length > 0 ? [order.withdrawals[0], ...order.withdrawals] : []),
    ...(spent < order.depositedAmount ? [order.refund] : [])
  ]
  return isTerminal(order.fillStatus) && due.length > 0 && due.every((leg) => isFinal(leg?.status))
}

type Ended = Pick<Order, "depositedAmount" | "fills" | "fillStatus" | "withdrawals"> & {
  readonly refund: PayoutLeg | undefined
}

/** Fees to our own account are not a cost, even if no other money of the order passes through it. */
export const foreignFees = (
  { appFees, recipient, refundTo }: Pick<WireOrderAttributes, "appFees" | "recipient" | "refundTo">,
  owner: string | undefined
) => (appFees ?? []).flatMap((each) => ([owner, recipient, refundTo].includes(each.recipient) ? [] : [each.fee]))

const appFeeBasisPoints = (order: WireOrderAttributes, owner: string | undefined): Wire.Exact<number> => {
  const fees = foreignFees(order, owner)
  const total = Decimal.sumOf(fees)
  return fees.every((fee) => fee >= 0) && total <= 10_000 ? Result.succeed(total) : wrong("appFees", fees.join(", "))
}

/** A missing list and an empty one both mean that the venue reports no fees. */
const echoedBasisPoints = ({ appFees }: WireOrderAttributes): number | undefined =>
  appFees == null || appFees.length === 0 ? undefined : Decimal.sumOf(appFees.map(({ fee }) => fee))

/** `owner`: our account, which may receive app fees. */
export const toOrder = ({ attributes, id }: WireOrder, now: number, owner?: string): Wire.Exact<Order> => {
  const { swapView: view = {} } = attributes
  const unsaid: Array<OrderTerm> = []
  const term = <A>(
    name: OrderTerm,
    value: string | undefined,
    parse: (text: string) => A | undefined,
    none: A
  ): Wire.Exact<A> => {
    if (value !== undefined && value !== "") return required(name, value, parse)
    unsaid.push(name)
    return Result.succeed(none)
  }
  const name = (field: OrderTerm, value: string | undefined) => term(field, value, Wire.parseName, "")
  const units = (field: OrderTerm, value: string | undefined) => term(field, value, Wire.parseAmount, 0n)
  return Result.map(
    Result.all({
      id: required("id", id, (found) => (Wire.isPathSegment(found) ? found : undefined)),
      side: term("side", attributes.side, parseSide, "BUY"),
      baseAsset: name("baseAsset", attributes.baseAsset),
      quoteAsset: name("quoteAsset", attributes.quoteAsset),
      originAsset: name("originAsset", view.originAsset),
      destinationAsset: name("destinationAsset", view.destinationAsset),
      quantity: units("quantity", attributes.quantity),
      price: term("price", attributes.price, Wire.parsePrice, Decimal.zero),
      inputAmount: units("inputAmount", view.amountIn || view.maxAmountIn),
      outputAmount: units("outputAmount", view.minAmountOut || view.amountOut),
      depositAddress: name("depositAddress", attributes.depositAddress),
      depositMemo: Wire.optionally("depositMemo", attributes.depositMemo, Wire.parseName),
      depositType: name("depositType", attributes.depositType),
      recipient: name("recipient", attributes.recipient),
      recipientType: name("recipientType", attributes.recipientType),
      refundTo: name("refundTo", attributes.refundTo),
      refundType: name("refundType", attributes.refundType),
      appFeeBasisPoints: appFeeBasisPoints(attributes, owner),
      fillStatus: text("fillStatus", attributes.fillStatus),
      depositedAmount: depositedAmount(attributes),
      fills: fills(attributes, now),
      withdrawals: Result.all(wireWithdrawals(attributes.payouts).map(toLeg("withdrawal"))),
      refund: refund(attributes.payouts),
      estimatedWithdrawFee: maybe("estimatedWithdrawFee", attributes.estimatedWithdrawFee),
      estimatedRefundFee: maybe("estimatedRefundFee", attributes.estimatedRefundFee),
      deadline: term("deadline", attributes.deadline, Timestamp.parse, 0)
    }),
    ({ depositMemo, estimatedRefundFee, estimatedWithdrawFee, refund: back, ...order }): Order => ({
      ...order,
      ...(unsaid.length === 0 ? {} : { unsaid }),
      payoutIsFinal: payoutIsFinal(attributes, { ...order, refund: back }),
      ...present({ refund: back, createdAt: time(attributes.createdAt) }),
      ...present({ echoedBasisPoints: echoedBasisPoints(attributes) }),
      ...present({ depositMemo, estimatedRefundFee, estimatedWithdrawFee })
    })
  )
}

const decodeOrder = Schema.decodeUnknownResult(WireOrder)
const decodeId = Schema.decodeUnknownOption(Schema.Struct({ id: Text }))

const decodeParties = Schema.decodeUnknownOption(
  Schema.Struct({
    id: Schema.NonEmptyString,
    attributes: Schema.Struct({
      recipient: Schema.NonEmptyString,
      refundTo: Schema.NonEmptyString,
      createdAt: Schema.optionalKey(Schema.Unknown)
    })
  })
)

/** An element that names its parties, none of them ours. Any other element is read normally. */
export const ofOthers = (element: unknown, parties: ReadonlySet<string>): OrderOfOthers | undefined => {
  const orderParties = Option.getOrUndefined(decodeParties(element))
  if (orderParties === undefined) return undefined
  const { createdAt, recipient, refundTo } = orderParties.attributes
  if (parties.has(recipient) || parties.has(refundTo)) return undefined
  return { id: orderParties.id, ...present({ createdAt: typeof createdAt === "string" ? time(createdAt) : undefined }) }
}

export const fromList = (element: unknown, now: number, owner?: string): Result.Result<Order, OddOrder> =>
  decodeOrder(element).pipe(
    Result.mapError(({ message }) => message),
    Result.flatMap((order) => toOrder(order, now, owner)),
    Result.mapError((why) => {
      const id = Option.getOrUndefined(decodeId(element))?.id
      return { why: Wire.clean(why), ...(id === undefined ? {} : { id: Wire.clean(id) }) }
    })
  )
