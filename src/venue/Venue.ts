/**
 * The only port for reading, creating, funding and cancelling. It speaks domain values and hides the wire format.
 * Implementations: `HttpVenue` (the service or the sandbox over HTTP) and `sandbox/DryVenue` (on paper).
 *
 * Invariant: every call that changes state (`createOrder`, `submitIntent`, `cancelOrder`) is one network attempt;
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
  readonly side: Side
  /** The venue's asset ids. */
  readonly baseAsset: string
  readonly quoteAsset: string
  /** Base smallest units. */
  readonly quantity: Amount
  readonly price: Price
  /** Epoch milliseconds; sent with milliseconds. */
  readonly deadline: number
  /** The path of its money, as recorded by the caller. Default: the account's own places. */
  readonly path?: AskedPath
  /** Set only if they differ from the account's own. */
  readonly terms?: OrderTerms
}

export interface CreateSwap extends CreateOrder {
  /** The exact deposit and the minimum payout, in smallest units. */
  readonly inputAmount: Amount
  readonly outputAmount: Amount
}

/** The venue's answer, with the id by which its support finds the request. */
export interface Answer<A> {
  readonly value: A
  readonly correlationId?: string
  /** The venue's clock in epoch milliseconds, if the answer has it. */
  readonly venueTime?: number
}

interface OrderPage {
  readonly orders: ReadonlyArray<Order>
  /** Orders of other parties than requested, listed without content, so that reading can continue after them. */
  readonly others?: ReadonlyArray<OrderOfOthers>
  /** Elements that cannot be used as orders. */
  readonly odd?: ReadonlyArray<OddOrder>
  readonly nextCursor?: string
}

/** A request that waits for its turn before it is sent. */
export interface Holdable {
  /** Returns the reason why the request must not be sent, if there is one. Run right before it would be sent. */
  readonly hold?: Effect.Effect<string | undefined>
}

export interface IntentToSubmit extends SignedIntent, Holdable {}

/** A report of a transfer on another chain. */
export interface Deposit {
  readonly txHash: string
  readonly depositAddress: string
  readonly memo?: string
  /** Only for deposits on the home ledger. */
  readonly senderAccount?: string
}

/** A price for an amount. It binds nobody. */
export interface DryQuote {
  readonly amountIn: Amount
  readonly amountOut: Amount
  readonly amountInFormatted: string
  readonly amountOutFormatted: string
}

export interface Token {
  readonly assetId: string
  readonly symbol: string
  readonly decimals: number
  readonly blockchain: string
  /** Indicative USD per one token. */
  readonly priceUsd: number
  /** Time of the price, if the list has it. */
  readonly pricedAt?: number
}

/** The account's balance of one asset. `source`: `private`, `public`, or any other word of the service. */
export interface Balance {
  readonly tokenId: string
  readonly available: Amount
  readonly source: string
}

/**
 * Returns the account's balance at the places that pay its orders, by asset id. An asset is missing if no service reports it: money on
 * other chains, and public money without an RPC address.
 */
export const heldIn = Effect.fn("Venue.heldIn")(function* (homes: ReadonlyMap<string, DepositType>) {
  const venue = yield* Venue
  const idsAt = (wanted: DepositType) => [...homes].flatMap(([id, home]) => (home === wanted ? [id] : []))
  const [own, open] = [idsAt("CONFIDENTIAL_INTENTS"), idsAt("INTENTS")]
  const hidden = own.length === 0 ? [] : (yield* venue.balances).filter(({ source }) => source === "private")
  const publicRows = open.length === 0 ? undefined : yield* venue.publicBalances(open)
  const amounts = new Map<string, Amount>([...own, ...(publicRows === undefined ? [] : open)].map((id) => [id, 0n]))
  for (const { available, tokenId } of [
    ...hidden.filter(({ tokenId }) => own.includes(tokenId)),
    ...(publicRows ?? [])
  ])
    amounts.set(tokenId, (amounts.get(tokenId) ?? 0n) + available)
  return amounts
})

/**
 * Why nothing new may be created or funded in these assets (the venue's ids) now, if so: what is paid in, then what is paid out. It is
 * asked before every step that commits money; by default nothing is held.
 */
export const FundingHold = Context.Reference<(assets: ReadonlyArray<string>) => Effect.Effect<string | undefined>>(
  "limitbot/venue/FundingHold",
  { defaultValue: () => () => nothingHeld }
)

const nothingHeld = Effect.undefined

/** Why the feed of incidents refuses us; `undefined` while it has not answered. */
export const IncidentFeed = Context.Reference<Effect.Effect<{ readonly refusal?: string } | undefined>>(
  "limitbot/venue/IncidentFeed",
  { defaultValue: () => Effect.succeed({}) }
)

/** If the clocks differ by more, the venue refuses deadlines or logins, and nothing new is funded. */
export const mostSkewMillis = 30_000

/** Provides orders, signed intents, dry quotes, tokens and balances, in exact values. */
export class Venue extends Context.Service<
  Venue,
  {
    createOrder(order: CreateOrder & Holdable): Effect.Effect<Answer<Order>, VenueError>
    /**
     * Newest first. `unfinishedOnly`: orders whose payout is not final; `statuses`: only orders in one of these; `parties`: only orders that are
     * paid to or back to one of these need to be told; `since`: whoever asks looks no further back, which the service does not know.
     */
    listOrders(query: {
      readonly cursor?: string
      readonly unfinishedOnly?: boolean
      readonly statuses?: ReadonlyArray<KnownFillStatus>
      readonly parties?: ReadonlySet<string>
      readonly since?: number
    }): Effect.Effect<Answer<OrderPage>, VenueError>
    getOrder(orderId: string): Effect.Effect<Answer<Order>, VenueError>
    cancelOrder(orderId: string): Effect.Effect<Answer<Order>, VenueError>
    /** Quotes a swap, which has no effect until it is funded. Refuses it with `worse-price` if it would bring too little. */
    createSwap(swap: CreateSwap): Effect.Effect<Answer<Order>, VenueError>
    /** Returns a swap as an order whose id is its deposit address. Read alone, a swap is a sale of its origin without a price. */
    getSwap(depositAddress: string, depositMemo?: string): Effect.Effect<Answer<Order>, VenueError>
    generateIntent(depositAddress: string): Effect.Effect<Answer<GeneratedIntent>, VenueError>
    submitIntent(signed: IntentToSubmit): Effect.Effect<Answer<{ readonly intentHash: string }>, VenueError>
    /** Makes the venue search for a transfer on another chain at once. It finds the transfer later in any case. */
    submitDeposit(deposit: Deposit): Effect.Effect<Answer<undefined>, VenueError>
    /** EXACT_INPUT, dry: creates nothing. */
    dryQuote(request: {
      readonly originAsset: string
      readonly destinationAsset: string
      readonly amount: Amount
    }): Effect.Effect<Answer<DryQuote>, VenueError>
    /** The milliseconds by which our clock is ahead of the venue's, see `mostSkewMillis`; `undefined` until an answer has a time. */
    readonly clockSkewMillis: Effect.Effect<number | undefined>
    readonly tokens: Effect.Effect<ReadonlyArray<Token>, VenueError>
    /** Private balances of the account. Authenticates by a signed message and refreshes the session by itself. */
    readonly balances: Effect.Effect<ReadonlyArray<Balance>, VenueError>
    /** Public money of the account in these assets; `undefined` without an RPC address of the verifier's ledger. */
    publicBalances(assetIds: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Balance> | undefined, VenueError>
  }
>()("limitbot/venue/Venue") {}
