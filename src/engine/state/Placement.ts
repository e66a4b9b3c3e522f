/** One attempt to fill a slot, as far as the journal knows. It is a union by state, so the type shows what each state guarantees. */
import { type Amount, max } from "../../domain/Amount.ts"
import type { Of, Reason } from "../../domain/BotEvent.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import type { FeeEcho } from "../../domain/EchoedFee.ts"
import type { Market } from "../../domain/Market.ts"
import type { MoneyPath } from "../../domain/MoneyPath.ts"
import { isTerminal } from "../../domain/Order.ts"
import type { Payload } from "../../domain/Payload.ts"
import type { SwapReport } from "../../domain/SwapRecord.ts"

export interface BoundOrder {
  readonly id: string
  readonly depositAddress: string
  readonly depositMemo?: string
  /** The estimate when the order was paid; before that, the newest one. */
  readonly estimatedWithdrawFee: Amount
  readonly estimatedRefundFee: Amount
  /** Fees to others when it was bound; missing for a swap by hand. */
  readonly appFeeBasisPoints?: number
}

export interface Funding extends Payload {
  /** Paid by a wallet on another chain instead of a signed intent; `signed` and `intentHash` are then empty. */
  readonly payment?: Payment
  /** Only the operator said that it was paid, and may take that back. */ readonly isByWord?: true | undefined
}

export interface Payment {
  readonly wallet: "manual" | "command"
  /** `asked`: the answer was never recorded, so the payment is as unclear as `unclear`. */
  readonly state: "asked" | "paid" | "unclear"
  readonly isInterrupted?: true | undefined
  readonly txHash?: string
  readonly sender?: string
  readonly isReported: boolean
  readonly isConfirmed?: true
}

export interface Cancel {
  readonly why: Reason
  readonly requestedAt: number
  readonly attempts: number
  readonly lastSentAt: number
}

export interface KnownFill {
  readonly slices: bigint
  readonly amountIn: Amount
  readonly amountOut: Amount
  readonly updatedAt: number
}

/** An order that is cancelled for one of these reasons makes room for its successor in the slot. */
export const movingCodes: ReadonlySet<string> = new Set(["other-market", "other-side", "other-way", "requote"])

interface Attempt extends Omit<Of<"Planned">, "_tag" | "placement" | "mid"> {
  readonly id: string
  readonly plannedAt: number
}

interface Progress {
  readonly changedAt: number
  /** At most 1, because a create is never repeated. */ readonly createAttempts: number
  readonly path?: MoneyPath
  readonly cancel?: Cancel
  readonly status?: string
  readonly missing?: { readonly since: number; readonly text: string } | undefined
  readonly report?: SwapReport
  readonly feeEcho?: FeeEcho
  readonly deposited: Amount
  readonly fills: ReadonlyMap<string, KnownFill>
  readonly unspent: Amount
  readonly closedAt?: number
  readonly payout: "none" | "started" | "paid" | "failed"
  readonly refund: "none" | "paid" | "failed"
  readonly received: Amount
  readonly payoutFee?: Amount | undefined
  readonly refundFee?: Amount | undefined
  readonly lost?: ReadonlyMap<string, Amount>
  readonly isByWord?: true
  /** Number of times that its end was taken back. */ readonly lives?: number
  /** Other orders with our fingerprint: id → true if the venue confirmed their cancel. */
  readonly spares: ReadonlyMap<string, boolean>
  readonly contradiction?: string
  readonly unreadable?: { readonly why: string; readonly since: number }
  /** Number of recorded changes of its status or report, without growth. */ readonly changes?: number
  /** Contradiction that the operator accepted; it is not reported again. */ readonly accepted?: string
  readonly isOfOlderFile?: true
  /** The journal may have lost that an earlier process paid for it (see `JournalIntegrity`). */
  readonly mayBePaid?: boolean
}

interface InState<S extends string> extends Attempt, Progress {
  readonly state: S
}

type Unbound = { readonly order?: undefined }
type Bound = { readonly order: BoundOrder }
type Unfunded = { readonly funding?: undefined }
type Funded = { readonly funding: Funding }
/** A deposit that was found without our record has no payload. */
type MaybeFunded = { readonly funding?: Funding | undefined }

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

/** True before a payment was signed or requested. */
export const isBegun = (placement: Placement): placement is PlacementIn<"planned" | "creating" | "created"> =>
  placement.state === "planned" || placement.state === "creating" || placement.state === "created"

export const about = ({ strategy, slot, id }: Placement) => ({ strategy, slot, placement: id })

/** A swap by hand names its own market. `undefined` if the market is no longer configured. */
export const marketOf = ({ market, swap }: Placement, markets: ReadonlyMap<string, Market>): Market | undefined =>
  swap === undefined ? markets.get(market) : { name: market, base: swap.origin, quote: swap.destination }

export const filledIn = (placement: Placement): Amount => sum(placement, "amountIn")
export const filledOut = (placement: Placement): Amount => sum(placement, "amountOut")
export const filledBase = (placement: Placement): Amount =>
  placement.side === "SELL" ? filledIn(placement) : filledOut(placement)
export const filledQuote = (placement: Placement): Amount =>
  placement.side === "SELL" ? filledOut(placement) : filledIn(placement)

/** The fee that the venue has taken of this output before it reported it. Rounded up; zero if fills report their output before the fee. */
export const feeBeforeFill = ({ feeEcho }: Pick<Placement, "feeEcho">, output: Amount): Amount => {
  const share = feeEcho?.fillsNet === true ? BigInt(Math.ceil(feeEcho.basisPoints * 100)) : 0n
  const rest = max(1n, 1_000_000n - share)
  return (output * share + rest - 1n) / rest
}

/** True if its payment was neither signed nor asked for, and no deposit was seen. */
export const isUnpaid = ({ deposited = 0n, funding }: Partial<Placement>): boolean =>
  funding === undefined && deposited === 0n

/** An order that ends less than this before its deadline has expired, because clocks differ. */
const earlyMillis = minuteMillis

/** True if an order ended early without our cancel. A swap often ends without a trade, so it does not count. */
export const isEarly = ({ by, cancel, deadline }: Placement, status: string, endedAt: number): boolean =>
  by !== "swap" &&
  cancel === undefined &&
  isTerminal(status) &&
  status !== "FILLED" &&
  !(status === "EXPIRED" && endedAt >= deadline - earlyMillis)

export const openQuantity = (placement: Placement): Amount => max(0n, placement.quantity - filledBase(placement))

const sum = (placement: Placement, field: "amountIn" | "amountOut"): Amount => {
  let total = 0n
  for (const fill of placement.fills.values()) total += fill[field]
  return total
}
