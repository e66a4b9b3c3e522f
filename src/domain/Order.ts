/**
 * An order as the venue reports it, in exact values. A report is evidence, not a command: it is kept unchanged, unknown statuses included,
 * and `OrderTracker` decides what is believed.
 */
import { Schema } from "effect"
import type { Amount } from "./Amount.ts"
import type { Price, Side } from "./Market.ts"
import type { MoneyPath } from "./MoneyPath.ts"
import type { SwapReport } from "./SwapRecord.ts"

export const fillStatuses = [
  "AWAITING_DEPOSIT",
  "PENDING_CANCEL",
  "UNTRIGGERED",
  "OPEN",
  "PARTIALLY_FILLED",
  "FILLED",
  "CANCELED",
  "EXPIRED"
] as const
export type KnownFillStatus = (typeof fillStatuses)[number]

/** The venue may invent more. An unknown status counts as open, the worst exposure. */
export type FillStatus = KnownFillStatus | (string & {})

/** No more of the order can execute after these statuses. */
export const isTerminal = (status: FillStatus): boolean =>
  status === "FILLED" || status === "CANCELED" || status === "EXPIRED"

/** Legal transitions as data, for the sandbox to obey and the tracker to check. Any live status may expire. */
export const fillStatusTransitions: Readonly<Record<string, ReadonlyArray<FillStatus>>> = {
  AWAITING_DEPOSIT: ["OPEN", "PARTIALLY_FILLED", "FILLED", "PENDING_CANCEL", "CANCELED", "EXPIRED"],
  UNTRIGGERED: ["OPEN", "PARTIALLY_FILLED", "FILLED", "PENDING_CANCEL", "CANCELED", "EXPIRED"],
  OPEN: ["PARTIALLY_FILLED", "FILLED", "PENDING_CANCEL", "CANCELED", "EXPIRED"],
  PARTIALLY_FILLED: ["FILLED", "PENDING_CANCEL", "CANCELED", "EXPIRED"],
  PENDING_CANCEL: ["CANCELED", "FILLED", "EXPIRED"],
  FILLED: [],
  CANCELED: [],
  EXPIRED: []
}

/** One successful partial fill: `amountIn` gross input, `amountOut` net output, smallest units. */
export interface Fill {
  readonly id: string
  readonly amountIn: Amount
  readonly amountOut: Amount
  readonly at: number
  /** Time of the venue's last change, if the venue reports it: a fill may grow. */
  readonly updatedAt?: number
}

/** COMPLETED carries the hash of the payment. The venue does not retry a FAILED one. */
export interface PayoutLeg {
  readonly status: "IN_PROGRESS" | "COMPLETED" | "FAILED" | (string & {})
  readonly txHash?: string
  readonly reason?: string
}

export interface Order extends MoneyPath {
  readonly id: string
  /** Terms that the report omits. A reader that does not know them yet cannot use the report. */
  readonly unsaid?: ReadonlyArray<OrderTerm>
  readonly side: Side
  readonly baseAsset: string
  readonly quoteAsset: string
  /** Base smallest units. */
  readonly quantity: Amount
  readonly price: Price
  /** Deposit that the order asks for (input smallest units). */
  readonly inputAmount: Amount
  /** Minimum payout of a completely filled order (output smallest units). */
  readonly outputAmount: Amount
  readonly depositAddress: string
  readonly depositMemo?: string
  readonly depositType: string
  /** Sum of the fees (basis points) that go to others. */
  readonly appFeeBasisPoints: number
  /** Sum of all fees that its answer names; missing if it names none. */
  readonly echoedBasisPoints?: number
  readonly fillStatus: FillStatus
  readonly depositedAmount: Amount
  readonly fills: ReadonlyArray<Fill>
  readonly withdrawals: ReadonlyArray<PayoutLeg>
  readonly refund?: PayoutLeg
  readonly payoutIsFinal: boolean
  /** In the output's asset and in the input's; missing if the venue reports none. */
  readonly estimatedWithdrawFee?: Amount
  readonly estimatedRefundFee?: Amount
  /** The venue's signature of the quote that a swap comes from: evidence in a dispute. */
  readonly quoteSignature?: string
  /** Epoch milliseconds. */
  readonly deadline: number
  readonly createdAt?: number
  readonly report?: SwapReport
}

export type OrderTerm =
  | keyof MoneyPath
  | "side"
  | "baseAsset"
  | "quoteAsset"
  | "quantity"
  | "price"
  | "inputAmount"
  | "outputAmount"
  | "depositAddress"
  | "depositType"
  | "deadline"

export const isSaid = ({ unsaid = [] }: Pick<Order, "unsaid">, term: OrderTerm): boolean => !unsaid.includes(term)

/** Terms of an order besides market, side, size and price. An omitted term has the venue's default. */
export const OrderTerms = Schema.Struct({
  confidentiality: Schema.optionalKey(Schema.Literals(["basic", "advanced"])),
  /** A deposit on another chain is identified by its address alone, or by a memo as well. */
  depositMode: Schema.optionalKey(Schema.Literals(["SIMPLE", "MEMO"])),
  /** Basis points of the input by recipient. `self` is our own account: a rebate, or a cost if the service keeps half. */
  appFees: Schema.optionalKey(Schema.Array(Schema.Struct({ recipient: Schema.String, fee: Schema.Int })))
})
export type OrderTerms = typeof OrderTerms.Type

export const askedBasisPoints = ({ appFees = [] }: OrderTerms): number => appFees.reduce((sum, { fee }) => sum + fee, 0)

export const feesToOthers = ({ appFees = [] }: OrderTerms): number =>
  appFees.reduce((sum, { fee, recipient }) => (recipient === "self" ? sum : sum + fee), 0)

export type OrderOfOthers = Pick<Order, "id" | "createdAt">

export interface OddOrder {
  readonly id?: string
  readonly why: string
}
