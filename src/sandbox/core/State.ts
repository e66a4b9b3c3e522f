/** The state of the service: a fold of commands with their times, changed in place and only by `Commands.apply` and `Control.advance`. */
import { type Amount, type Asset, asNumber } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market, Price, Side } from "../../domain/Market.ts"
import type { Fill, FillStatus, PayoutLeg } from "../../domain/Order.ts"
import { signedDeposits } from "../../signing/Domains.ts"
import { factsOf } from "../../venue/VenueConfig.ts"
import type { QuoteRequest, QuoteResponse } from "../../venue/wire/WireQuote.ts"
import type { refundReasons, swapStatuses } from "../../venue/wire/WireSwap.ts"
import type { MarketModel } from "../market/MarketModel.ts"
import * as Seeded from "../Seeded.ts"
import type { SandboxAsset, SandboxSettings } from "../Settings.ts"
import type * as Solvers from "../Solvers.ts"
import * as Books from "./money/Books.ts"
import * as SortedList from "./SortedList.ts"

export interface Pair {
  readonly origin: SandboxAsset
  readonly destination: SandboxAsset
  readonly withdrawFee: Amount
  readonly refundFee: Amount
}

export type QuotedAmounts = Readonly<Record<"amountIn" | "minAmountIn" | "amountOut" | "minAmountOut", Amount>>

interface Payable extends Pair {
  readonly sequence: number
  readonly id: string
  readonly depositAddress: string
  readonly depositMemo: string | undefined
  readonly deadline: number
  readonly createdAt: number
  /** Dollars per whole unit at its creation. */
  readonly usd: { readonly input: number; readonly output: number }
  deposited: Amount
  account: string
  readonly senders: Set<string>
  readonly intentHashes: Array<string>
  readonly originTxHashes: Set<string>
}

export type Parties = Readonly<Record<"depositType" | "recipientType" | "refundType", Books.AccountKind>> &
  Readonly<Record<"recipient" | "refundTo", string>>

export const partiesIn = ({ depositType, recipient, recipientType, refundTo, refundType }: Parties): Parties => {
  return { depositType, recipient, recipientType, refundTo, refundType }
}

export interface SandboxOrder extends Payable, Parties {
  readonly kind: "order"
  readonly owner: string
  readonly side: Side
  readonly market: Market
  readonly quantity: Amount
  readonly price: Price
  readonly priceText: string
  readonly inputAmount: Amount
  readonly outputAmount: Amount
  readonly confidentiality: string
  readonly appFees: ReadonlyArray<Books.AppFee>
  /** The share of a price that remains after app fees and the solver's margin. */
  readonly leaves: number
  /** The mid at which a solver fills at the limit, after fees and margin. */
  readonly trigger: number
  readonly slices: number
  status: FillStatus
  attempts: number
  isAttempted: boolean
  readonly doomed: Set<"withdrawal" | "refund">
  /** The service's false statement about the order, by a command to the sandbox. The books stay true. */
  lie: Lie | undefined
  executed: Amount
  readonly fills: Array<Fill>
  withdrawal: PayoutLeg | undefined
  refund: PayoutLeg | undefined
}

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

export interface SandboxSwap extends Payable {
  readonly kind: "swap"
  /** `undefined`: the quote was requested without a credential. */
  readonly partner: string | undefined
  readonly request: QuoteRequest
  readonly response: QuoteResponse
  readonly quoted: QuotedAmounts
  status: SwapStatus
  updatedAt: number
  isClosed: boolean
  told: "FAILED" | RefundReason | undefined
  outcome: SwapOutcome | undefined
  /** ANY_INPUT only: the payments made, oldest first, and the number in progress. */
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

export interface IncomingDeposit {
  readonly target: SandboxOrder | SandboxSwap
  readonly account: string
  readonly asset: string
  readonly amount: Amount
  readonly hash: string
  readonly isIntent: boolean
  readonly from: Books.BookPlace
  /** False if its memo is not the address's: then the deposit belongs to no order and is returned. */
  readonly isAttributed: boolean
  isRecognised: boolean
}

interface Scheduled {
  readonly at: number
  readonly sequence: number
  readonly run: () => void
}

export interface RestingOrders {
  readonly market: Market
  readonly sells: SortedList.SortedList<SandboxOrder>
  readonly buys: SortedList.SortedList<SandboxOrder>
  matchedTo: number
  spent: Solvers.Spent
}

export interface State {
  readonly settings: SandboxSettings
  readonly model: MarketModel
  readonly startedAt: number
  now: number
  /** Milliseconds by which commands moved the service's time ahead of the clock. */
  aheadMillis: number
  readonly books: Books.Books
  readonly orders: Map<string, SandboxOrder>
  readonly swaps: Map<string, SandboxSwap>
  readonly targets: Map<string, SandboxOrder | SandboxSwap>
  readonly resting: Map<string, RestingOrders>
  readonly agenda: SortedList.SortedList<Scheduled>
  scheduled: number
  readonly chainDeposits: Map<string, IncomingDeposit>
  readonly executedIntents: Map<string, string>
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

export const schedule = (state: State, afterMillis: number, run: () => void): void => {
  state.scheduled += 1
  SortedList.insert(state.agenda, { at: state.now + afterMillis, sequence: state.scheduled, run })
}

export const takeDue = (state: State, time: number): Scheduled | undefined => {
  const first = state.agenda.items[0]
  return first !== undefined && first.at <= time ? state.agenda.items.shift() : undefined
}

export const usdOf = (state: State, asset: Asset, amount: Amount): number =>
  asNumber(amount, asset) * state.model.usd(asset, state.now)

/** Solvers quote the mid, made worse by this ratio: half the spread, and a little for the size. */
export const awayFromMid = (state: State, usd: number): number =>
  Math.min(0.5, state.settings.spread / 2 + (usd / 1_000_000) * state.settings.impactPerMillionUsd)

/** The salt of nonces: four bytes, new after each rotation, at first that of the facts. A verifier accepts only the present one. */
export const saltOf = ({ saltRotations, settings }: State, verifier: string): string =>
  (saltRotations === 0 ? factsOf(settings).salts[verifier] : undefined) ??
  Seeded.hex(settings.seed, "salt", verifier, saltRotations).slice(0, 8)

export const presentSalts = (state: State): Readonly<Record<string, string>> => {
  const { login, signing } = factsOf(state.settings)
  const verifiers = new Set([login.verifier, ...signedDeposits.map((each) => signing[each].verifier)])
  return Object.fromEntries([...verifiers].map((verifier) => [verifier, saltOf(state, verifier)]))
}
