/**
 * One attempt to fill a slot, as far as the journal knows. It is a union by state: whatever a state guarantees is a
 * field of it, so code never asks whether an open order has an order. Code that reads placements of any state sees
 * the other fields as optional.
 */
import { type Amount, max } from "../../domain/Amount.ts"
import type { Reason } from "../../domain/BotEvent.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import type { FeeEcho } from "../../domain/EchoedFee.ts"
import type { Market, Price, Side } from "../../domain/Market.ts"
import type { MoneyPath } from "../../domain/MoneyPath.ts"
import { isTerminal, type OrderTerms } from "../../domain/Order.ts"
import type { Payload } from "../../domain/Payload.ts"
import type { AgreedSwap, SwapReport } from "../../domain/SwapRecord.ts"

export interface BoundOrder {
  readonly id: string
  readonly depositAddress: string
  readonly depositMemo?: string
  /** What it was paid under, once it is paid. */
  readonly estimatedWithdrawFee: Amount
  readonly estimatedRefundFee: Amount
  /** What it gave to others when it was bound; of a swap by hand nobody says. */
  readonly appFeeBasisPoints?: number
}

export interface Funding extends Payload {
  /** Paid by a wallet on another chain instead of by a signed intent; `signed` and `intentHash` are empty then. */
  readonly payment?: Payment
  /** That it was paid is the operator's word alone, which they may take back. */
  readonly isByWord?: true | undefined
}

export interface Payment {
  readonly wallet: "manual" | "command"
  /** `asked`: the answer was never recorded, so the payment is as unclear as `unclear`. */
  readonly state: "asked" | "paid" | "unclear"
  /** Its program was left behind by a bot that ended. */
  readonly isInterrupted?: true | undefined
  readonly txHash?: string
  readonly sender?: string
  readonly isReported: boolean
  /** The operator has looked, and says that it was made. */
  readonly isConfirmed?: true
}

export interface Cancel {
  readonly why: Reason
  readonly requestedAt: number
  readonly attempts: number
  readonly lastSentAt: number
}

export interface KnownFill {
  /** In how many steps the venue showed it. */
  readonly slices: bigint
  readonly amountIn: Amount
  readonly amountOut: Amount
  readonly updatedAt: number
}

/** An order that is withdrawn for one of these reasons makes room for another one in its slot. */
export const movingCodes: ReadonlySet<string> = new Set(["other-market", "other-side", "other-way", "requote"])

/** What the strategy or a person wished for, as it was planned; limits have approved what a strategy wished. */
export interface Attempt {
  readonly id: string
  readonly strategy: string
  readonly slot: string
  readonly market: string
  readonly side: Side
  readonly price: Price
  readonly quantity: Amount
  /** Missing for an order that rests. */
  readonly by?: "swap"
  /** It leaves what another leg, or another slot, began. */
  readonly isExit?: true
  readonly inputAsset: string
  readonly inputAmount: Amount
  readonly outputAsset: string
  readonly outputAmount: Amount
  readonly terms?: OrderTerms
  readonly deadline: number
  readonly why: Reason
  /** What the operator agreed to, if it is a swap by hand. */
  readonly swap?: AgreedSwap
  readonly plannedAt: number
}

/** What has been done and seen so far, in whatever state. */
interface Progress {
  readonly changedAt: number
  readonly createAttempts: number
  /** What its create asked for, unless it is a swap. */
  readonly path?: MoneyPath
  readonly createRefusal?: string
  readonly cancel?: Cancel
  readonly status?: string
  /** Since when the venue has answered that there is no such order, and how. */
  readonly missing?: { readonly since: number; readonly text: string } | undefined
  /** What the venue last said of it, if it is a swap. */
  readonly report?: SwapReport
  /** What the echo of its order said that the service takes. */
  readonly echo?: FeeEcho
  readonly deposited: Amount
  readonly fills: ReadonlyMap<string, KnownFill>
  readonly unspent: Amount
  /** When the venue was first seen to say that it is over. */
  readonly closedAt?: number
  readonly payout: "none" | "started" | "paid" | "failed"
  readonly refund: "none" | "paid" | "failed"
  readonly received: Amount
  /** What counted as fees. */
  readonly payoutFee?: Amount | undefined
  readonly refundFee?: Amount | undefined
  /** What the operator has given up of it, by asset. */
  readonly lost?: ReadonlyMap<string, Amount>
  /** The operator said that what failed of it was paid. */
  readonly isByWord?: true
  /** How often its end was taken back. */
  readonly lives?: number
  /** Other orders with our fingerprint: id → whether the venue confirmed their cancel. */
  readonly spares: ReadonlyMap<string, boolean>
  readonly contradiction?: string
  /** What the venue says of it cannot be used, why, and since when. */
  readonly unreadable?: { readonly why: string; readonly since: number }
  /** How often the venue's words about it changed, but for fills that grew. */
  readonly changes?: number
  /** The contradiction in which the venue is right, by the operator's word. */
  readonly accepted?: string
  /** The file of its strategy has changed since it was planned. */
  readonly isOfOlderFile?: true
  /** Nobody knows whether an earlier process paid for it: the journal may have lost that (see `JournalIntegrity`). */
  readonly mayBePaid?: boolean
}

interface InState<S extends string> extends Attempt, Progress {
  readonly state: S
}

interface Unbound {
  readonly order?: undefined
}
interface Bound {
  readonly order: BoundOrder
}
interface Unfunded {
  readonly funding?: undefined
}
interface Funded {
  readonly funding: Funding
}
/** A deposit that was found without a record of ours has no payload. */
interface MaybeFunded {
  readonly funding?: Funding | undefined
}

export type Placement =
  | (InState<"planned"> & Unbound & Unfunded)
  | (InState<"creating"> & Unbound & Unfunded)
  | (InState<"created"> & Bound & Unfunded)
  | (InState<"funding"> & Bound & Funded)
  | (InState<"in doubt"> & Bound & Funded & { readonly doubt: { readonly since: number; readonly reason: string } })
  | (InState<"open"> & Bound & MaybeFunded)
  | (InState<"closing"> & Bound & MaybeFunded)
  | (InState<"settled"> & Bound & MaybeFunded)
  | (InState<"abandoned"> & { readonly order?: BoundOrder | undefined } & Unfunded)
  | (InState<"dead"> & Bound & Funded)
  | (InState<"given up"> & Bound & MaybeFunded)

export type PlacementIn<S extends Placement["state"]> = Extract<Placement, { readonly state: S }>

/** What every event about it names. */
export const about = ({ strategy, slot, id }: Placement) => ({ strategy, slot, placement: id })

/** Its market with the assets themselves: a swap by hand names its own; undefined when it is no longer configured. */
export const marketOf = ({ market, swap }: Placement, markets: ReadonlyMap<string, Market>): Market | undefined =>
  swap === undefined ? markets.get(market) : { name: market, base: swap.origin, quote: swap.destination }

const filledIn = (placement: Placement): Amount => sum(placement, "amountIn")
export const filledOut = (placement: Placement): Amount => sum(placement, "amountOut")
export const filledBase = (placement: Placement): Amount =>
  placement.side === "SELL" ? filledIn(placement) : filledOut(placement)
export const filledQuote = (placement: Placement): Amount =>
  placement.side === "SELL" ? filledOut(placement) : filledIn(placement)

/** Nothing of it has left the wallet: neither a payment of ours nor a deposit that was found. */
export const isUnpaid = ({ deposited = 0n, funding }: Partial<Placement>): boolean =>
  funding === undefined && deposited === 0n

/** Clocks differ: an order that ends so shortly before its deadline ends by it. */
const earlyMillis = minuteMillis

/** Whether such an end comes before its time, and not because of a cancel of ours. A swap often ends without having traded. */
export const isEarly = ({ by, cancel, deadline }: Placement, status: string, endedAt: number): boolean =>
  by !== "swap" &&
  cancel === undefined &&
  isTerminal(status) &&
  status !== "FILLED" &&
  !(status === "EXPIRED" && endedAt >= deadline - earlyMillis)

/** Base that is still to fill. */
export const openQuantity = (placement: Placement): Amount => max(0n, placement.quantity - filledBase(placement))

const sum = (placement: Placement, field: "amountIn" | "amountOut"): Amount => {
  let total = 0n
  for (const fill of placement.fills.values()) total += fill[field]
  return total
}
