/**
 * The port through which the engine reads and moves orders. It speaks domain values and hides the wire format. `HttpVenue` implements it
 * for the service and for the sandbox over HTTP, `sandbox/DryVenue` for dry runs. Every call that changes state is one network attempt;
 * reads may be retried inside. Every call ends by its own deadline.
 */
import { Context, Effect } from "effect"
import type { Amount } from "../domain/Amount.ts"
import type { Price, Side } from "../domain/Market.ts"
import type { AskedPath, DepositType } from "../domain/MoneyPath.ts"
import type { KnownFillStatus, OddOrder, Order, OrderOfOthers, OrderTerms } from "../domain/Order.ts"
import type { GeneratedIntent, SignedIntent } from "../signing/IntentGuard.ts"
import type { VenueError } from "./VenueError.ts"

/** A limit order, exactly as it is to be sent. */
export interface CreateOrder {
  /** BUY receives base for quote; SELL pays base. */ readonly side: Side
  /** The venue's asset ids. */ readonly baseAsset: string
  /** The venue's asset id. */ readonly quoteAsset: string
  /** Base smallest units. */ readonly quantity: Amount
  /** Quote per one base, exact. */ readonly price: Price
  /** Epoch milliseconds; sent with milliseconds. */ readonly deadline: number
  /** The path of its money, as recorded by the caller. Default: the account's own places. */
  readonly path?: AskedPath
  /** Set only if they differ from the account's own. */ readonly terms?: OrderTerms
}

/** A swap with the terms of an order: it fills at once or is refunded. */
export interface CreateSwap extends CreateOrder {
  /** The exact deposit, in smallest units. */ readonly inputAmount: Amount
  /** The minimum payout, in smallest units. */ readonly outputAmount: Amount
}

/** The venue's answer, with the id by which its support finds the request. */
export interface Answer<A> {
  /** The decoded body. */ readonly value: A
  /** Missing if the answer has none; quote it to the venue's support. */ readonly correlationId?: string
  /** The venue's clock in epoch milliseconds, if the answer has it. */
  readonly venueTime?: number
}

interface OrderPage {
  readonly orders: ReadonlyArray<Order>
  /** Orders of other parties than requested, listed without content, so that reading can continue after them. */
  readonly others?: ReadonlyArray<OrderOfOthers>
  readonly odd?: ReadonlyArray<OddOrder>
  readonly nextCursor?: string
}

/** A request that waits for its turn before it is sent. */
export interface Holdable {
  /** Returns the reason why the request must not be sent, if there is one. Run right before it would be sent. */
  readonly hold?: Effect.Effect<string | undefined>
}

/** Signed bytes to send to the verifier, once `hold` permits it. */
export interface IntentToSubmit extends SignedIntent, Holdable {}

/** A report of a transfer on another chain. */
export interface Deposit {
  /** Hash of the transfer on its chain. */ readonly txHash: string
  /** The address that the venue gave. */ readonly depositAddress: string
  /** Only where the venue gave one. */ readonly memo?: string
  /** Only for deposits on the home ledger. */
  readonly senderAccount?: string
}

/** A price for an amount. It is not binding. */
export interface DryQuote {
  /** Smallest units of the origin asset. */ readonly amountIn: Amount
  /** Smallest units of the destination asset. */ readonly amountOut: Amount
  /** Whole units, as the venue writes them. */ readonly amountInFormatted: string
  /** Whole units, as the venue writes them. */ readonly amountOutFormatted: string
}

/** One token of the venue's list. */
export interface Token {
  /** The id that orders and quotes use. */ readonly assetId: string
  /** For people: not unique. */ readonly symbol: string
  /** Smallest units in a whole one, as a power of ten. */ readonly decimals: number
  /** The venue's name of its chain. */ readonly blockchain: string
  /** Indicative USD per one token. */ readonly priceUsd: number
  /** Time of the price, if the list has it. */
  readonly pricedAt?: number
}

/** The account's balance of one asset. */
export interface Balance {
  /** The venue's asset id. */ readonly tokenId: string
  /** Smallest units that can be spent. */ readonly available: Amount
  /** `private`, `public`, or another word of the service. */ readonly source: string
}

/** Returns balances at the places that pay orders, by asset id. Missing: money on other chains, and public money without an RPC address. */
export const heldIn = Effect.fn("Venue.heldIn")(function* (homes: ReadonlyMap<string, DepositType>) {
  const venue = yield* Venue
  const idsAt = (wanted: DepositType) => [...homes].flatMap(([id, home]) => (home === wanted ? [id] : []))
  const [privateIds, publicIds] = [idsAt("CONFIDENTIAL_INTENTS"), idsAt("INTENTS")]
  const isPrivate = ({ source, tokenId }: Balance) => source === "private" && privateIds.includes(tokenId)
  const privateRows = privateIds.length === 0 ? [] : (yield* venue.balances).filter(isPrivate)
  const publicRows = publicIds.length === 0 ? undefined : yield* venue.publicBalances(publicIds)
  const reportedIds = [...privateIds, ...(publicRows === undefined ? [] : publicIds)]
  const amounts = new Map<string, Amount>(reportedIds.map((id) => [id, 0n]))
  for (const { available, tokenId } of [...privateRows, ...(publicRows ?? [])])
    amounts.set(tokenId, (amounts.get(tokenId) ?? 0n) + available)
  return amounts
})

/**
 * Returns the reason why no money may leave in these assets now, and nothing is sent again; `undefined` if nothing is held. The assets are
 * the venue's ids: the paid one first, then those that are paid out. Every step that commits money asks first. By default nothing is held.
 */
export const FundingHold = Context.Reference<(assets: ReadonlyArray<string>) => Effect.Effect<string | undefined>>(
  "limitbot/venue/FundingHold",
  { defaultValue: () => () => nothingHeld }
)

const nothingHeld = Effect.undefined

/** `is`: how the feed of incidents differs from a quiet one. The whole value is `undefined` while the feed has not answered. */
export type FeedAnswer = { readonly is?: string; readonly namesIncident?: true } | undefined
/** The last answer of the feed of incidents. By default it is quiet. */
export const IncidentFeed = Context.Reference<Effect.Effect<FeedAnswer>>("limitbot/venue/IncidentFeed", {
  defaultValue: () => Effect.succeed({})
})

/** If the clocks differ by more, the venue refuses deadlines or logins, and nothing new is funded. */
export const mostSkewMillis = 30_000

/** Provides orders, signed intents, dry quotes, tokens and balances, in exact values. */
export class Venue extends Context.Service<
  Venue,
  {
    /** Creates an unfunded order. No call repeats it: without an answer the order may exist. */
    createOrder(order: CreateOrder & Holdable): Effect.Effect<Answer<Order>, VenueError>
    /**
     * Newest first. `unfinishedOnly`: orders whose payout is not final. `parties`: an order that neither pays nor refunds one of them may
     * be listed without content. `since`: the caller reads no further back; the service does not know this filter.
     */
    listOrders(query: {
      readonly cursor?: string
      readonly unfinishedOnly?: boolean
      readonly statuses?: ReadonlyArray<KnownFillStatus>
      readonly parties?: ReadonlySet<string>
      readonly since?: number
    }): Effect.Effect<Answer<OrderPage>, VenueError>
    /** Reads one order, with its fills, payouts and refund. */
    getOrder(orderId: string): Effect.Effect<Answer<Order>, VenueError>
    /** Requests the end of an order. The answer shows the state now: fills may still arrive. */
    cancelOrder(orderId: string): Effect.Effect<Answer<Order>, VenueError>
    /** Quotes a swap, which has no effect until it is funded. Refuses it with `worse-price` if it would bring too little. */
    createSwap(swap: CreateSwap): Effect.Effect<Answer<Order>, VenueError>
    /** Returns a swap as an order whose id is its deposit address. Read alone, a swap is a sale of its origin without a price. */
    getSwap(depositAddress: string, depositMemo?: string): Effect.Effect<Answer<Order>, VenueError>
    /** Returns the payload that pays this address; sign it only through `IntentGuard`. */
    generateIntent(depositAddress: string): Effect.Effect<Answer<GeneratedIntent>, VenueError>
    /** Sends signed bytes once. Without an answer the payment may be executed: send the same bytes again or wait. */
    submitIntent(signed: IntentToSubmit): Effect.Effect<Answer<{ readonly intentHash: string }>, VenueError>
    /** Makes the venue search for a transfer on another chain at once. It finds the transfer later in any case. */
    submitDeposit(deposit: Deposit): Effect.Effect<Answer<undefined>, VenueError>
    /** Dry: creates nothing. `amount` is of the origin, with `isOutput` of the destination. */
    dryQuote(request: {
      readonly originAsset: string
      readonly destinationAsset: string
      readonly amount: Amount
      readonly isOutput?: true
    }): Effect.Effect<Answer<DryQuote>, VenueError>
    /** The milliseconds by which our clock is ahead of the venue's, see `mostSkewMillis`; `undefined` until an answer has a time. */
    readonly clockSkewMillis: Effect.Effect<number | undefined>
    /** All tokens of the venue, with indicative prices. */
    readonly tokens: Effect.Effect<ReadonlyArray<Token>, VenueError>
    /** Private balances of the account. Authenticates by a signed message and refreshes the session by itself. */
    readonly balances: Effect.Effect<ReadonlyArray<Balance>, VenueError>
    /** Public money of the account in these assets; `undefined` without an RPC address of the verifier's ledger. */
    publicBalances(assetIds: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Balance> | undefined, VenueError>
  }
>()("limitbot/venue/Venue") {}
