/**
 * The answers that can be read without moving anything, as this program was written for them: their schemas, the fields that
 * are promised in each, and those without which orders or money would be misread. How each is asked for stands in `Canary.ts`.
 */
import { Schema } from "effect"
import { absent, type Drift } from "../../domain/Drift.ts"
import { BalancesResponse } from "../api/AccountApi.ts"
import { WireToken } from "../api/SwapsApi.ts"
import { AccountHistoryItem, TransactionRecord } from "../wire/WireHistory.ts"
import { OrderListResponse, OrderResponse, WireOrder } from "../wire/WireOrder.ts"
import { QuoteResponse } from "../wire/WireQuote.ts"
import { SwapStatusResponse } from "../wire/WireSwap.ts"
import * as Shape from "./Shape.ts"

interface Kind {
  /** For people: "field `x` of orders". */
  readonly of: string
  readonly schema: Schema.Top
  /** Always there; may be null. */
  readonly promised: ReadonlyArray<string>
  /** What amounts, states and terms are read from. */
  readonly money: ReadonlyArray<string>
}

const under = (path: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.map((name) => `${path}.${name}`)

/** What a list of orders is, apart from its orders. */
const page = Schema.Struct({ ...OrderListResponse.fields, data: Schema.Array(Schema.Unknown) })
const orderAnswer = Schema.Struct({ ...OrderResponse.fields, data: Schema.Unknown })

export const kinds = {
  token: { of: "tokens", schema: WireToken, promised: ["price", "priceUpdatedAt"], money: ["assetId", "decimals"] },
  quote: {
    of: "quotes",
    schema: QuoteResponse,
    promised: [
      "correlationId",
      "timestamp",
      "signature",
      ...under("quote", ["amountInFormatted", "amountOutFormatted", "minAmountOut"]),
      ...under("quoteRequest", ["dry", "swapType", "originAsset", "destinationAsset", "amount", "deadline"])
    ],
    money: ["quote", "quoteRequest", "quote.amountIn", "quote.amountOut"]
  },
  orderPage: { of: "lists of orders", schema: page, promised: ["links", "meta"], money: ["data"] },
  orderAnswer: { of: "answers about one order", schema: orderAnswer, promised: ["meta"], money: ["data"] },
  order: {
    of: "orders",
    schema: WireOrder,
    promised: [
      "type",
      "links",
      ...under("attributes", ["orderType", "payoutStatus", "isPayoutStatusFinal", "appFees", "createdAt"]),
      ...under("attributes", ["estimatedWithdrawFee", "estimatedRefundFee", "confidentiality", "timeInForce"]),
      ...under("attributes.partialFills[]", ["createdAt", "updatedAt"]),
      ...under("attributes.payouts", ["withdrawal", "allWithdrawals", "refund"])
    ],
    money: [
      "id",
      "attributes",
      ...under("attributes", ["side", "baseAsset", "quoteAsset", "quantity", "price", "deadline", "swapView"]),
      ...under("attributes", ["depositAddress", "depositType", "recipient", "recipientType", "refundTo", "refundType"]),
      ...under("attributes", ["fillStatus", "depositedAmount", "partialFills", "payouts"]),
      ...under("attributes.swapView", ["originAsset", "destinationAsset"]),
      ...under("attributes.partialFills[]", ["id", "amountIn", "amountOut"])
    ]
  },
  status: {
    of: "the status of swaps",
    schema: SwapStatusResponse,
    promised: ["correlationId", "quoteResponse", "updatedAt", "swapDetails"],
    money: ["status"]
  },
  balances: { of: "balances", schema: BalancesResponse, promised: [], money: [] },
  transaction: { of: "the history", schema: TransactionRecord, promised: [], money: [] },
  accountItem: { of: "the account's history", schema: AccountHistoryItem, promised: [], money: [] }
} as const satisfies Record<string, Kind>

/** `attributes.` says nothing to people. */
const nameOf = (path: string): string => path.replace(/^attributes\./, "").replaceAll("[]", "")

const isAmongst = (money: ReadonlyArray<string>, path: string): boolean => path === "" || money.includes(path)

/**
 * A word that a list does not have closes nothing: the program reads lists of words as open. All else that is wrong about a
 * field that money depends on does.
 */
export const driftOf = ({ money, of, promised, schema }: Kind, answer: unknown): ReadonlyArray<Drift> =>
  Shape.differences({ schema, promised, needed: money }, answer).map(({ is, path, was }) => ({
    what: path === "" ? of : `field \`${nameOf(path)}\` of ${of}`,
    was,
    is,
    closesFunding: was !== absent && !was.startsWith("one of ") && isAmongst(money, path)
  }))
