/** Swaps: quotes that can be trusted with money (`QuoteTrust`), reports of deposits, and the status of a swap. */
import { Context, Effect, Layer, Result, Schema } from "effect"
import { present } from "../domain/Present.ts"
import { depositRequest, type WithdrawalsQuery } from "./api/DepositsApi.ts"
import { unusable } from "./http/Reply.ts"
import { type Call, VenueClient } from "./http/VenueClient.ts"
import { distrust } from "./QuoteTrust.ts"
import type { Answer, Deposit } from "./Venue.ts"
import { VenueConfig } from "./VenueConfig.ts"
import { type VenueError, withoutPrice } from "./VenueError.ts"
import { type QuoteRequest, type QuoteResponse, ReceivedQuote, type ShownQuote } from "./wire/WireQuote.ts"
import {
  type Swap,
  SwapStatusResponse,
  toSwap,
  toWithdrawals,
  type Withdrawals,
  WithdrawalsReply
} from "./wire/WireSwap.ts"

export type { QuoteRequest, QuoteResponse, Swap, Withdrawals }

/** The quote must not be funded. */
export class QuoteRefused extends Schema.TaggedError<QuoteRefused>()("QuoteRefused", {
  why: Schema.String,
  correlationId: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return `The venue's quote cannot be trusted: ${this.why}. Nothing was paid; ask for a new one`
  }
}

export interface ShownSwap extends Swap {
  readonly shown: ShownQuote
}

/** Provides quotes that may be funded, reports of deposits, and the status of a swap. */
export class Swaps extends Context.Service<
  Swaps,
  {
    /** Not dry: creates a deposit address, which costs nothing while it is unfunded. */
    quote(request: QuoteRequest): Effect.Effect<Answer<QuoteResponse>, VenueError | QuoteRefused>
    /** Makes the venue search for the deposit at once. It finds the deposit later in any case. */
    submitDeposit(deposit: Deposit): Effect.Effect<Answer<Swap>, VenueError>
    /** Reads the state of a swap by its deposit address. */
    status(depositAddress: string, depositMemo?: string): Effect.Effect<Answer<ShownSwap>, VenueError>
    /** Returns the payments of a swap of type ANY_INPUT, page by page. */
    withdrawals(query: WithdrawalsQuery): Effect.Effect<Answer<Withdrawals>, VenueError>
  }
>()("limitbot/venue/Swaps") {
  static readonly layer = Layer.effect(
    Swaps,
    Effect.gen(function* () {
      const venue = yield* VenueConfig
      const { ledger } = venue
      const client = yield* VenueClient
      const { deposits, swaps } = client.api

      const quote = Effect.fn("Swaps.quote")(function* (request: QuoteRequest) {
        const send = swaps.quote({ payload: request, responseMode: "response-only" })
        const call = request.dry
          ? client.read(calls.quote, send, ReceivedQuote)
          : client.write(calls.quote, send, ReceivedQuote)
        const { value: received, ...trace } = yield* call
        if (received.quote.amountOut === undefined) return yield* withoutPrice(calls.quote.operation, trace)
        const why = distrust(venue, request, received)
        const { said: _, ...value } = received
        if (why === undefined) return { ...trace, value }
        const { correlationId } = trace
        return yield* new QuoteRefused({ why, ...present({ correlationId }) })
      })

      const submitDeposit = Effect.fn("Swaps.submitDeposit")(function* (deposit: Deposit) {
        const send = deposits.submit({ payload: depositRequest(ledger, deposit), responseMode: "response-only" })
        const answer = yield* client.write(calls.submitDeposit, send, SwapStatusResponse)
        return yield* exact(calls.submitDeposit, answer, deposit.depositAddress)
      })

      const status = Effect.fn("Swaps.status")(function* (depositAddress: string, depositMemo?: string) {
        const query = { depositAddress, ...present({ depositMemo }) }
        const send = deposits.status({ query, responseMode: "response-only" })
        const answer = yield* client.read(calls.status, send, SwapStatusResponse)
        const { value, ...trace } = yield* exact(calls.status, answer, depositAddress)
        return { ...trace, value: { ...value, shown: answer.value.quoteResponse ?? {} } }
      })

      const withdrawals = Effect.fn("Swaps.withdrawals")(function* (query: WithdrawalsQuery) {
        const send = deposits.withdrawals({ query, responseMode: "response-only" })
        const { value, ...trace } = yield* client.read(calls.withdrawals, send, WithdrawalsReply)
        return { ...trace, value: toWithdrawals(value) }
      })

      return Swaps.of({ quote, submitDeposit, status, withdrawals })
    })
  )
}

const calls = {
  quote: { operation: "quote", priority: "normal", credential: "venue.partnerJwt (or venue.apiKey)" },
  submitDeposit: { operation: "submit deposit", priority: "urgent", credential: "venue.apiKey" },
  withdrawals: { operation: "read withdrawals of a swap", priority: "background", credential: "venue.apiKey" },
  status: { operation: "read swap status", priority: "normal", credential: "venue.apiKey" }
} as const

const exact = (
  { operation }: Call,
  { value, ...trace }: Answer<SwapStatusResponse>,
  depositAddress: string
): Effect.Effect<Answer<Swap>, VenueError> => {
  const swap = toSwap(value)
  if (Result.isFailure(swap)) return unusable(operation, `the answered swap is unusable: ${swap.failure}`, trace)
  const answered = swap.success.depositAddress
  if (answered !== undefined && answered !== depositAddress) {
    return unusable(operation, "the venue answered with another swap than the one that was asked for", trace)
  }
  return Effect.succeed({ ...trace, value: swap.success })
}
