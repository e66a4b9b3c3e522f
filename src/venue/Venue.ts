/**
 * The only port through which anything is read, created, funded or cancelled. It speaks domain values; the wire format
 * stays behind it. Implementations: `HttpVenue` (the service or the sandbox over HTTP).
 *
 * Invariant: one call is one network attempt for everything that changes state (`createOrder`, `submitIntent`,
 * `cancelOrder`); reads may be retried inside. Every call ends by its own deadline.
 */
import { Context, Effect } from "effect"
import type { Amount } from "../domain/Amount.ts"
import type { Price, Side } from "../domain/Market.ts"
import type { KnownFillStatus, OddOrder, Order, OrderTerms } from "../domain/Order.ts"
import type { VenueError } from "./VenueError.ts"

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
  /** Where they differ from the account's own. */
  readonly terms?: OrderTerms
}

/** What it pays with, and what it is paid. */
export const assetsOf = ({
  baseAsset,
  quoteAsset,
  side
}: CreateOrder): readonly [origin: string, destination: string] =>
  side === "SELL" ? [baseAsset, quoteAsset] : [quoteAsset, baseAsset]

/** An order that is to be executed at once, by a swap. */
export interface CreateSwap extends CreateOrder {
  /** Exactly this is deposited, and at least that is to be paid out; smallest units. */
  readonly inputAmount: Amount
  readonly outputAmount: Amount
}

/** The venue's answer, and the id under which its support finds the request. */
export interface Answer<A> {
  readonly value: A
  readonly correlationId?: string
  /** The venue's clock in epoch milliseconds, where it said. */
  readonly venueTime?: number
}

interface OrderPage {
  readonly orders: ReadonlyArray<Order>
  /** Elements that cannot be used as orders. */
  readonly odd?: ReadonlyArray<OddOrder>
  readonly nextCursor?: string
}

/** A payload to sign as the venue generated it: untrusted until `IntentGuard` has checked it. */
export interface GeneratedIntent {
  readonly standard: string
  readonly payload: unknown
}

/** Signed bytes, ready to be sent again and again: `body` is the exact JSON text of the request. */
export interface SignedIntent {
  readonly body: string
  /** base58 of the digest that was signed: the hash that the venue must answer with. */
  readonly intentHash: string
  /** After this epoch millisecond the verifier refuses it. */
  readonly validUntil: number
}

/** Word of a transfer on another chain. */
export interface Deposit {
  readonly txHash: string
  readonly depositAddress: string
  readonly memo?: string
  /** Only for deposits on the home ledger. */
  readonly senderAccount?: string
}

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
}

export interface Balance {
  readonly tokenId: string
  readonly available: Amount
  readonly source: string
}

/**
 * Why nothing new is to be created or funded in these assets (the venue's ids) now, if so. Asked before every step that commits
 * money; where nobody provides it nothing is held.
 */
export const FundingHold = Context.Reference<(assets: ReadonlyArray<string>) => Effect.Effect<string | undefined>>(
  "limitbot/venue/FundingHold",
  { defaultValue: () => () => nothingHeld }
)

const nothingHeld = Effect.undefined

export class Venue extends Context.Service<
  Venue,
  {
    createOrder(order: CreateOrder): Effect.Effect<Answer<Order>, VenueError>
    /** Newest first. `unfinishedOnly`: orders whose payout is not final; `statuses`: only orders that are in one of these. */
    listOrders(query: {
      readonly cursor?: string
      readonly unfinishedOnly?: boolean
      readonly statuses?: ReadonlyArray<KnownFillStatus>
    }): Effect.Effect<Answer<OrderPage>, VenueError>
    getOrder(orderId: string): Effect.Effect<Answer<Order>, VenueError>
    cancelOrder(orderId: string): Effect.Effect<Answer<Order>, VenueError>
    /** Quotes a swap, which is nothing until it is funded; refused with `worse-price` where it would bring less than it is to. */
    createSwap(swap: CreateSwap): Effect.Effect<Answer<Order>, VenueError>
    /** A swap as an order, whose id is its deposit address. By itself it is a sale of its origin at no price. */
    getSwap(depositAddress: string, depositMemo?: string): Effect.Effect<Answer<Order>, VenueError>
    generateIntent(depositAddress: string): Effect.Effect<Answer<GeneratedIntent>, VenueError>
    submitIntent(signed: SignedIntent): Effect.Effect<Answer<{ readonly intentHash: string }>, VenueError>
    /** Makes the venue look for a transfer on another chain at once; it finds it without, too. */
    submitDeposit(deposit: Deposit): Effect.Effect<Answer<undefined>, VenueError>
    /** EXACT_INPUT, dry: creates nothing. */
    dryQuote(request: {
      readonly originAsset: string
      readonly destinationAsset: string
      readonly amount: Amount
    }): Effect.Effect<Answer<DryQuote>, VenueError>
    /** How far our clock is ahead of the venue's; undefined before an answer told. */
    readonly clockSkewMillis: Effect.Effect<number | undefined>
    readonly tokens: Effect.Effect<ReadonlyArray<Token>, VenueError>
    /** Private balances of the account; authenticates by signed message and refreshes by itself. */
    readonly balances: Effect.Effect<ReadonlyArray<Balance>, VenueError>
  }
>()("limitbot/venue/Venue") {}
