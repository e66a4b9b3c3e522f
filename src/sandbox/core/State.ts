/**
 * The service's whole state: a fold of commands with their times. Only `Commands.apply` and `Advance.advance` change
 * it, in place. Both depend on nothing but their arguments, so the same commands at the same times give the same
 * state, whenever and however often anybody asks.
 */
import type { Amount } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market, Price, Side } from "../../domain/Market.ts"
import type { Fill, FillStatus, PayoutLeg } from "../../domain/Order.ts"
import type { QuoteRequest, QuoteResponse } from "../../venue/wire/WireQuote.ts"
import type { refundReasons, swapStatuses } from "../../venue/wire/WireSwap.ts"
import type { MarketModel } from "../market/MarketModel.ts"
import type { SandboxAsset, SandboxSettings } from "../Settings.ts"
import type * as Solvers from "../Solvers.ts"
import * as Books from "./money/Books.ts"
import type { AccountKind, AppFee } from "./money/Payment.ts"
import * as SortedList from "./SortedList.ts"

/** The assets of both sides, and the flat fees of paying out and refunding. */
export interface Pair {
  readonly origin: SandboxAsset
  readonly destination: SandboxAsset
  readonly withdrawFee: Amount
  readonly refundFee: Amount
}

export interface QuotedAmounts {
  readonly amountIn: Amount
  readonly minAmountIn: Amount
  readonly amountOut: Amount
  readonly minAmountOut: Amount
}

/** What orders and swaps share: an address of their own that money can be paid to. */
interface Payable extends Pair {
  readonly sequence: number
  readonly id: string
  readonly depositAddress: string
  readonly depositMemo: string | undefined
  readonly deadline: number
  readonly createdAt: number
  /** Dollars per whole unit when it was made. */
  readonly usd: { readonly input: number; readonly output: number }
  /** The part that counts: without any excess. */
  deposited: Amount
  /** The account that owns the money: the first depositor; before a deposit, the account to refund. */
  account: string
  readonly senders: Set<string>
  readonly intentHashes: Array<string>
  readonly originTxHashes: Set<string>
}

export interface SandboxOrder extends Payable {
  readonly kind: "order"
  /** Who created it: nobody finds orders of others. */
  readonly owner: string
  readonly side: Side
  readonly market: Market
  readonly quantity: Amount
  readonly price: Price
  /** As requested. */
  readonly priceText: string
  readonly inputAmount: Amount
  readonly outputAmount: Amount
  readonly depositType: AccountKind
  readonly recipient: string
  readonly recipientType: AccountKind
  readonly refundTo: string
  readonly refundType: AccountKind
  readonly confidentiality: string
  readonly appFees: ReadonlyArray<AppFee>
  /** What app fees and the margin of its solver leave of a price. */
  readonly leaves: number
  /** The mid at which a solver would give the limit after both. */
  readonly trigger: number
  /** The number of slices in which it fills while it rests. */
  readonly slices: number
  status: FillStatus
  /** How often a solver has taken it up, and whether one is at it. */
  attempts: number
  isAttempted: boolean
  /** Payments that the service will give up, because somebody told the sandbox so. */
  readonly doomed: Set<"withdrawal" | "refund">
  /** What the service says wrongly of it, because somebody told the sandbox so; the books stay true. */
  lie: Lie | undefined
  /** Base quantity executed so far. */
  executed: Amount
  readonly fills: Array<Fill>
  withdrawal: PayoutLeg | undefined
  refund: PayoutLeg | undefined
}

/** Lies about an order: each contradicts itself, or what the payer knows. */
export const lies = [
  "success-without-amounts",
  "success-but-refunded",
  "filled-unpaid",
  "refund-of-filled",
  "amounts-do-not-match",
  "deposit-unseen"
] as const
export type Lie = (typeof lies)[number]

export type SwapStatus = (typeof swapStatuses)[number]
export type RefundReason = (typeof refundReasons)[number]

/** Named by its deposit address. */
export interface SandboxSwap extends Payable {
  readonly kind: "swap"
  /** Who asked for the quote; nobody in particular without a credential. */
  readonly partner: string | undefined
  readonly request: QuoteRequest
  /** As answered, including the signature. */
  readonly response: QuoteResponse
  readonly quoted: QuotedAmounts
  status: SwapStatus
  updatedAt: number
  /** Execution or refund has begun: any further deposit goes back. */
  isClosed: boolean
  /** The end that somebody told the sandbox to give it. */
  told: "FAILED" | RefundReason | undefined
  /** Known once it is over. */
  outcome: SwapOutcome | undefined
  /** ANY_INPUT only: the payments made, oldest first, and how many are under way. */
  readonly withdrawals: Array<CollectedWithdrawal>
  collecting: number
}

export interface CollectedWithdrawal {
  readonly status: "SUCCESS" | "FAILED"
  readonly amountOut: Amount
  readonly at: number
  readonly hash: string
}

export interface SwapOutcome {
  readonly spent: Amount
  readonly received: Amount
  readonly refunded: Amount
  readonly refundReason: RefundReason | undefined
  readonly txHash: string
}

/** An event that happens by itself, at a time that was fixed together with its cause. */
export type Task =
  | { readonly tag: "recognise"; readonly deposit: IncomingDeposit }
  | { readonly tag: "return"; readonly deposit: IncomingDeposit }
  | { readonly tag: "expire"; readonly target: SandboxOrder | SandboxSwap }
  | { readonly tag: "solve"; readonly order: SandboxOrder }
  | { readonly tag: "finishCancel"; readonly order: SandboxOrder }
  | { readonly tag: "startPayouts"; readonly order: SandboxOrder }
  | { readonly tag: "finishPayout"; readonly order: SandboxOrder; readonly leg: "withdrawal" | "refund" }
  | {
      readonly tag: "collect"
      readonly swap: SandboxSwap
      readonly deposit: IncomingDeposit
      readonly amountOut: Amount
    }
  | { readonly tag: "executeSwap"; readonly swap: SandboxSwap }
  | { readonly tag: "finishSwap"; readonly swap: SandboxSwap; readonly outcome: SwapOutcome }

/** A transfer that reached a deposit address. */
export interface IncomingDeposit {
  readonly target: SandboxOrder | SandboxSwap
  readonly account: string
  readonly asset: string
  readonly amount: Amount
  /** Hash of the intent or of the transaction that made it. */
  readonly hash: string
  readonly isIntent: boolean
  /** Its sender; money that is not needed goes back there. */
  readonly from: Books.BookPlace
  /** False if it came with a memo other than the address has: then it belongs to nobody and goes back. */
  readonly isAttributed: boolean
  isRecognised: boolean
}

interface Scheduled {
  readonly at: number
  readonly sequence: number
  readonly task: Task
}

/** The resting orders of one market, nearest to the market first. */
export interface RestingOrders {
  readonly market: Market
  readonly sells: SortedList.SortedList<SandboxOrder>
  readonly buys: SortedList.SortedList<SandboxOrder>
  /** The time up to which the market's path was compared with them. */
  matchedTo: number
  /** What solvers have spent on them. */
  spent: Solvers.Spent
}

export interface State {
  readonly settings: SandboxSettings
  readonly model: MarketModel
  readonly startedAt: number
  now: number
  /** How far the service's time was moved ahead of the clock. */
  aheadMillis: number
  readonly books: Books.Books
  /** By id, oldest first. */
  readonly orders: Map<string, SandboxOrder>
  /** By deposit address, oldest first. */
  readonly swaps: Map<string, SandboxSwap>
  /** Everything that accepts deposits, by deposit address. */
  readonly targets: Map<string, SandboxOrder | SandboxSwap>
  readonly resting: Map<string, RestingOrders>
  readonly agenda: SortedList.SortedList<Scheduled>
  scheduled: number
  /** By transaction hash. */
  readonly chainDeposits: Map<string, IncomingDeposit>
  /** Hash of the executed intent by signer and nonce. */
  readonly executedIntents: Map<string, string>
  /** How often the verifiers' salts have changed. */
  saltRotations: number
}

export const make = (settings: SandboxSettings, model: MarketModel, startedAt: number): State => {
  const books = Books.make()
  for (const account of settings.accounts) {
    for (const { id, decimals, initial } of settings.assets) {
      const amount = BigInt(initial) * Decimal.powerOfTen(decimals)
      for (const place of ["balance", "private"] as const) {
        Books.transfer(books, id, amount, { account, place: "initial" }, { account, place })
      }
    }
  }
  return {
    settings,
    model,
    startedAt,
    now: startedAt,
    aheadMillis: 0,
    books,
    orders: new Map(),
    swaps: new Map(),
    targets: new Map(),
    resting: new Map(),
    agenda: SortedList.make((a, b) => a.at - b.at || a.sequence - b.sequence),
    scheduled: 0,
    chainDeposits: new Map(),
    executedIntents: new Map(),
    saltRotations: 0
  }
}

export const schedule = (state: State, afterMillis: number, task: Task): void => {
  state.scheduled += 1
  SortedList.insert(state.agenda, { at: state.now + afterMillis, sequence: state.scheduled, task })
}

/** Removes and returns the entry that is due at or before a time. */
export const takeDue = (state: State, time: number): Scheduled | undefined => {
  const first = state.agenda.items[0]
  return first !== undefined && first.at <= time ? state.agenda.items.shift() : undefined
}
