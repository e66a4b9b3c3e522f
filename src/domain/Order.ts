/**
 * An order as the venue reports it, in exact values. It is a witness, not a command: whatever the venue says is kept,
 * unknown statuses included, and `OrderTracker` decides what is believed.
 */
import { Schema } from "effect"
import type { Amount } from "./Amount.ts"
import type { Price, Side } from "./Market.ts"
import type { MoneyPath } from "./MoneyPath.ts"
import type { SwapReport } from "./SwapRecord.ts"

/** Documented statuses. */
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

/** The venue may invent more; an unknown one counts as resting, the worst exposure. */
export type FillStatus = KnownFillStatus | (string & {})

/** After these no more of the order can execute. */
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
  /** When the venue changed it last, where it says so: a fill may grow. */
  readonly updatedAt?: number
}

/** COMPLETED carries the hash of the payment; FAILED is not retried by the venue. */
export interface PayoutLeg {
  readonly status: "IN_PROGRESS" | "COMPLETED" | "FAILED" | (string & {})
  readonly txHash?: string
  readonly reason?: string
}

export interface Order extends MoneyPath {
  readonly id: string
  /** The terms below that a report leaves out. It says no other ones; who does not know them yet cannot use it. */
  readonly unsaid?: ReadonlyArray<OrderTerm>
  readonly side: Side
  /** The venue's asset ids. */
  readonly baseAsset: string
  readonly quoteAsset: string
  /** Base smallest units. */
  readonly quantity: Amount
  readonly price: Price
  /** What it wants deposited (input smallest units). */
  readonly inputAmount: Amount
  /** What it pays out at least when wholly filled (output smallest units). */
  readonly outputAmount: Amount
  readonly depositAddress: string
  readonly depositMemo?: string
  readonly depositType: string
  /** Sum of the fees (basis points) that go to others than us. */
  readonly appFeeBasisPoints: number
  /** Sum of all fees that its answer names; missing where it names none. */
  readonly echoedBasisPoints?: number
  readonly fillStatus: FillStatus
  readonly depositedAmount: Amount
  readonly fills: ReadonlyArray<Fill>
  readonly withdrawals: ReadonlyArray<PayoutLeg>
  readonly refund?: PayoutLeg
  readonly payoutIsFinal: boolean
  /** A payout costs so much, in the output's asset, and the refund; missing where the venue says nothing of them. */
  readonly estimatedWithdrawFee?: Amount
  readonly estimatedRefundFee?: Amount
  /** The venue's signature of the quote that a swap comes from: evidence in a dispute. */
  readonly quoteSignature?: string
  /** Epoch milliseconds. */
  readonly deadline: number
  /** Missing where the venue does not say. */
  readonly createdAt?: number
  /** What the venue said in its own words, if it is a swap. */
  readonly report?: SwapReport
}

/** What an order is made with and never changes. */
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

/** What an order asks for besides market, side, size and price. Left out: the venue's default. */
export const OrderTerms = Schema.Struct({
  confidentiality: Schema.optionalKey(Schema.Literals(["basic", "advanced"])),
  /** How a deposit on another chain is told apart: by its address alone, or by a memo as well. */
  depositMode: Schema.optionalKey(Schema.Literals(["SIMPLE", "MEMO"])),
  /** Basis points of the input by recipient; `self` is our own account: a rebate, or a cost where the service keeps a half. */
  appFees: Schema.optionalKey(Schema.Array(Schema.Struct({ recipient: Schema.String, fee: Schema.Int })))
})
export type OrderTerms = typeof OrderTerms.Type

/** What the app fees take out of every input. */
export const askedBasisPoints = ({ appFees = [] }: OrderTerms): number => appFees.reduce((sum, { fee }) => sum + fee, 0)

/** The part of the app fees that is a cost. */
export const feesToOthers = ({ appFees = [] }: OrderTerms): number =>
  appFees.reduce((sum, { fee, recipient }) => (recipient === "self" ? sum : sum + fee), 0)

/** What is looked at of an order that is nobody's of those who asked. */
export type OrderOfOthers = Pick<Order, "id" | "createdAt">

/** Something in a list of orders that cannot be read as one: it is named, and the others are used. */
export interface OddOrder {
  readonly id?: string
  readonly why: string
}
