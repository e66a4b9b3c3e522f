/** The program's expectations of each read-only answer: its schema, its promised fields, and the fields that orders or money depend on. */
import { Schema } from "effect"
import { absent, type Drift } from "../../domain/Drift.ts"
import { isRecord } from "../../domain/Text.ts"
import { BalancesResponse } from "../api/AccountApi.ts"
import { WireToken } from "../api/SwapsApi.ts"
import { AccountHistoryItem, TransactionRecord } from "../wire/WireHistory.ts"
import { OrderListReply, OrderResponse, WireOrder } from "../wire/WireOrder.ts"
import { QuoteResponse } from "../wire/WireQuote.ts"
import { SwapStatusResponse } from "../wire/WireSwap.ts"
import { differences, fieldOf, type ShapeDifference } from "./Shape.ts"

interface Kind {
  readonly of: string
  readonly schema: Schema.Codec<unknown, unknown>
  readonly promised: ReadonlyArray<string>
  /** Paths of an answer that money depends on. A path that ends in `?` may be empty. */
  readonly money: (answer: unknown) => ReadonlyArray<string>
  /** One field that cannot be read makes the whole answer unreadable. */
  readonly isReadWhole: boolean
}

const always =
  (...names: ReadonlyArray<string>) =>
  () =>
    names

const under = (path: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.map((name) => `${path}.${name}`)

const orderAnswer = Schema.Struct({ ...OrderResponse.fields, data: Schema.Record(Schema.String, Schema.Unknown) })

const transactionPromised = [
  ...["depositMemo", "depositAddressAndMemo", "recipient", "createdAtTimestamp", "intentHashes", "referral", "appFees"],
  ...["amountInFormatted", "amountInUsd", "amountOutFormatted", "amountOutUsd", "originChainTxHashes"],
  ...["destinationChainTxHashes", "refundTo", "senders", "refundFeeFormatted"],
  ...["depositType", "recipientType", "refundType"]
]

const terms = [
  ...["side", "baseAsset", "quoteAsset", "quantity", "price", "deadline", "swapView"],
  ...["depositAddress", "depositType", "recipient", "recipientType", "refundTo", "refundType"]
]

/** The venue may leave out an empty list, and the kind of the swap determines which amounts exist. */
const moneyOfOrder = (order: unknown): ReadonlyArray<string> => {
  const attributes = fieldOf(order, "attributes")
  const view = fieldOf(attributes, "swapView")
  const payouts = fieldOf(attributes, "payouts")
  const listed = fieldOf(payouts, "allWithdrawals")
  const hasLeg = isRecord(fieldOf(payouts, "withdrawal"))
  const hasPaid = Array.isArray(listed) && listed.length > 0
  const status = String(fieldOf(attributes, "fillStatus"))
  const hasFilled = ["FILLED", "PARTIALLY_FILLED"].includes(status) || hasPaid || hasLeg
  const swapType = fieldOf(view, "swapType")
  const isOfOutput = typeof swapType === "string" ? swapType === "EXACT_OUTPUT" : fieldOf(attributes, "side") === "BUY"
  return [
    "id",
    "attributes",
    ...under("attributes", [...terms, "fillStatus", "depositedAmount", "payouts"]),
    ...under("attributes.swapView", ["originAsset", "destinationAsset"]),
    ...under("attributes.swapView", isOfOutput ? ["maxAmountIn", "amountOut"] : ["amountIn", "minAmountOut"]),
    ...under("attributes", hasFilled ? ["partialFills"] : []),
    ...under("attributes.partialFills[]", ["id", "amountIn", "amountOut"]),
    // The venue lists a payment in both places. The list is read first.
    ...under("attributes.payouts", [
      hasLeg ? "allWithdrawals" : "allWithdrawals?",
      ...(hasPaid ? [] : ["withdrawal?"])
    ]),
    `attributes.payouts.${hasPaid ? "allWithdrawals[]" : "withdrawal"}.status`,
    "attributes.payouts.refund?",
    "attributes.payouts.refund.status"
  ]
}

export const kinds = {
  token: {
    of: "tokens",
    schema: WireToken,
    promised: ["price", "priceUpdatedAt"],
    money: always("assetId", "decimals"),
    isReadWhole: false
  },
  quote: {
    of: "quotes",
    schema: QuoteResponse,
    promised: [
      "correlationId",
      "timestamp",
      "signature",
      ...under("quote", ["amountInFormatted", "amountInUsd", "minAmountIn", "amountOutFormatted", "amountOutUsd"]),
      ...under("quote", ["minAmountOut", "timeEstimate"]),
      ...under("quoteRequest", ["dry", "swapType", "originAsset", "destinationAsset", "amount", "deadline"]),
      ...under("quoteRequest", ["depositType", "refundTo", "refundType", "recipient", "recipientType"])
    ],
    money: always("quote", "quoteRequest", "quote.amountIn", "quote.amountOut"),
    isReadWhole: true
  },
  orderPage: {
    of: "lists of orders",
    schema: OrderListReply,
    promised: ["links", "meta", ...under("meta", ["correlationId", "timestamp"])],
    money: always("data"),
    isReadWhole: true
  },
  orderAnswer: {
    of: "answers about one order",
    schema: orderAnswer,
    promised: ["meta", ...under("meta", ["correlationId", "timestamp"])],
    money: always("data"),
    isReadWhole: true
  },
  order: {
    of: "orders",
    schema: WireOrder,
    promised: [
      "type",
      "links",
      ...under("attributes", ["orderType", "payoutStatus", "isPayoutStatusFinal", "appFees", "createdAt"]),
      ...under("attributes", ["estimatedWithdrawFee", "estimatedRefundFee", "confidentiality", "timeInForce"]),
      ...under("attributes", ["depositMode", "depositedAmountFormatted"]),
      ...under("attributes", ["estimatedWithdrawFeeFormatted", "estimatedRefundFeeFormatted"]),
      "attributes.swapView.swapType",
      ...under("attributes.partialFills[]", ["createdAt", "updatedAt"]),
      ...under("attributes.payouts", ["withdrawal", "allWithdrawals", "refund"])
    ],
    money: moneyOfOrder,
    isReadWhole: true
  },
  status: {
    of: "the status of swaps",
    schema: SwapStatusResponse,
    promised: ["correlationId", "quoteResponse", "updatedAt", "swapDetails"],
    money: always("status"),
    isReadWhole: true
  },
  balances: {
    of: "balances",
    schema: BalancesResponse,
    promised: [],
    money: always("balances", ...under("balances[]", ["tokenId", "available", "source"])),
    isReadWhole: true
  },
  // Histories are witnesses, read line by line: odd fields in them are reported, and missing ones prove nothing.
  transaction: {
    of: "the history",
    schema: TransactionRecord,
    promised: transactionPromised,
    money: always(),
    isReadWhole: false
  },
  accountItem: {
    of: "the account's history",
    schema: AccountHistoryItem,
    promised: ["depositType", "recipientType", "depositMemo", "refundType"],
    money: always(),
    isReadWhole: false
  }
} as const satisfies Record<string, Kind>

const nameOf = (path: string): string => path.replace(/^attributes\./, "").replaceAll("[]", "")

/**
 * An unknown word or a new field does not stop funding, because the program accepts both. Any other fault stops it in a field that money
 * depends on, or if it makes an answer unreadable that is read whole.
 */
export const driftOf = ({ isReadWhole, money, of, promised, schema }: Kind, answer: unknown): ReadonlyArray<Drift> => {
  const paths = money(answer)
  const needed = paths.filter((path) => !path.endsWith("?"))
  const readPaths = new Set(paths.map((path) => path.replace(/\?$/, "")))
  const closes = ({ isUnreadable, path, was }: ShapeDifference): boolean =>
    was !== absent &&
    !was.startsWith("one of ") &&
    (path === "" || readPaths.has(path) || (isReadWhole && isUnreadable))
  return differences({ schema, promised, needed }, answer).map((each) => ({
    what: each.path === "" ? of : `field \`${nameOf(each.path)}\` of ${of}`,
    was: each.was,
    is: each.is,
    closesFunding: closes(each)
  }))
}
