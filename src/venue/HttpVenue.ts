/**
 * The `Venue` port over HTTP, by the contract: domain values in, domain values out. Creating, submitting and cancelling are one network
 * attempt each; the signed bytes go out exactly as they were journaled. An answer that cannot be true counts as no answer.
 */
import { Array, Clock, Duration, Effect, Layer, Option, Predicate, Result, Schema } from "effect"
import { HttpClient } from "effect/http"
import * as Decimal from "../domain/Decimal.ts"
import { pathBetween } from "../domain/MoneyPath.ts"
import type { OddOrder, Order } from "../domain/Order.ts"
import { present } from "../domain/Present.ts"
import * as Timestamp from "../domain/Timestamp.ts"
import * as Domains from "../signing/Domains.ts"
import { BalancesResponse } from "./api/AccountApi.ts"
import { GenerateIntentResponse, SubmitIntentResponse } from "./api/IntentsApi.ts"
import type { CreateOrderRequest } from "./api/OrdersApi.ts"
import { TokensReply, tokenIn } from "./api/SwapsApi.ts"
import * as LedgerView from "./http/LedgerView.ts"
import { listBytes, noAnswer, orderBytes, unusable } from "./http/Reply.ts"
import { Session } from "./http/Session.ts"
import { type Call, type Send, VenueClient } from "./http/VenueClient.ts"
import { distrust } from "./QuoteTrust.ts"
import * as SwapOrders from "./SwapOrders.ts"
import { Swaps } from "./Swaps.ts"
import {
  type Answer,
  type Balance,
  type CreateOrder,
  type Deposit,
  type Holdable,
  type IntentToSubmit,
  type Token,
  Venue
} from "./Venue.ts"
import { factsOf, partiesOf, pathOf, termsOf, type VenueAccount, VenueConfig } from "./VenueConfig.ts"
import { heldBackCode, quoteRefused, Rejected, refusal, VenueError, withoutPrice } from "./VenueError.ts"
import { type AssetSpellings, canonicalAssetId } from "./wire/AssetId.ts"
import { verdictOf } from "./wire/VerifierAnswer.ts"
import { fromList, OrderListReply, OrderResponse, ofOthers, toOrder } from "./wire/WireOrder.ts"
import { type Quote, type QuoteRequest, ReceivedQuote } from "./wire/WireQuote.ts"
import { parseAmount } from "./wire/WireValue.ts"

const pageSize = 50
const quoteValidMillis = Duration.toMillis("10 minutes")
const quoteSlippageBasisPoints = 100

const responseMode = "response-only"

const apiKey = "venue.apiKey"
const partner = "venue.partnerJwt (or venue.apiKey)"
const ownSession = "account.key and account.signerId"

const calls = {
  createOrder: { operation: "create order", priority: "normal", credential: apiKey },
  listOrders: { operation: "list orders", priority: "normal", credential: apiKey, mostBytes: listBytes },
  getOrder: { operation: "get order", priority: "normal", credential: apiKey, mostBytes: orderBytes },
  cancelOrder: { operation: "cancel order", priority: "cancel", credential: apiKey, mostBytes: orderBytes },
  generateIntent: { operation: "generate intent", priority: "urgent", credential: apiKey },
  submitIntent: { operation: "submit intent", priority: "urgent", credential: apiKey },
  quote: { operation: "quote", priority: "background", credential: partner },
  tokens: { operation: "list tokens", priority: "background", mostBytes: listBytes },
  balances: { operation: "read balances", priority: "background", credential: ownSession }
} as const

const cursorIn = (link: string | undefined): string | undefined => {
  if (link === undefined) return undefined
  const cursor = URL.parse(link, "http://venue.invalid")?.searchParams.get("page[after]")
  return cursor === null || cursor === "" ? undefined : cursor
}

const inOurSpelling =
  (spellings: AssetSpellings | undefined) =>
  (order: Order): Order => ({
    ...order,
    baseAsset: canonicalAssetId(spellings, order.baseAsset),
    quoteAsset: canonicalAssetId(spellings, order.quoteAsset),
    originAsset: canonicalAssetId(spellings, order.originAsset),
    destinationAsset: canonicalAssetId(spellings, order.destinationAsset)
  })

type Reading = (element: unknown, now: number) => Result.Result<Order, OddOrder>

const generationMillis = 300_000

/** Elements that are unchanged since the last poll are not decoded again. Unlisted ones are forgotten after five to ten minutes. */
const remembering = (read: Reading): Reading => {
  interface Known {
    readonly text: string
    readonly order: Order
  }
  let [young, old] = [new Map<unknown, Known>(), new Map<unknown, Known>()]
  let bornAt = 0
  return (element, now) => {
    if (Math.abs(now - bornAt) >= generationMillis) {
      ;[young, old] = [new Map(), young]
      bornAt = now
    }
    const id = Predicate.hasProperty(element, "id") ? element.id : undefined
    const text = JSON.stringify(element)
    const before = young.get(id) ?? old.get(id)
    if (before?.text === text) {
      young.set(id, before)
      return Result.succeed(before.order)
    }
    const result = read(element, now)
    if (Result.isSuccess(result)) young.set(id, { text, order: result.success })
    return result
  }
}

/** Checks `hold` after the request has waited for its turn, right before the network. */
const unlessHeld = ({ operation }: Call, { hold = Effect.undefined }: Holdable, send: Send): Send =>
  Effect.flatMap(hold, (text) => (text === undefined ? send : Effect.fail(refusal(operation, heldBackCode, text))))

const makeOrders = Effect.gen(function* () {
  const { account, assetSpellings } = yield* VenueConfig
  const spelled = inOurSpelling(assetSpellings)
  const oneOrder = Effect.fnUntraced(function* (
    { operation }: Call,
    { value, ...trace }: Answer<OrderResponse>,
    expectedId = value.data.id
  ) {
    const order = toOrder(value.data, yield* Clock.currentTimeMillis, account.signerId)
    if (Result.isFailure(order))
      return yield* unusable(operation, `the answered order is unusable: ${order.failure}`, trace)
    if (order.success.id !== expectedId)
      return yield* unusable(operation, "the venue answered with another order than the one that was asked for", trace)
    return { ...trace, value: spelled(order.success) }
  })
  const client = yield* VenueClient
  const { orders } = client.api

  const createOrder = Effect.fn("Venue.createOrder")(function* (order: CreateOrder & Holdable) {
    const create = orders.create({ payload: createRequest(account, order), responseMode })
    const send = unlessHeld(calls.createOrder, order, create)
    return yield* oneOrder(calls.createOrder, yield* client.write(calls.createOrder, send, OrderResponse))
  })

  const readElement: Reading = (element, now) => Result.map(fromList(element, now, account.signerId), spelled)
  const readUnfinished = remembering(readElement)

  const listOrders = Effect.fn("Venue.listOrders")(function* (query: Parameters<Venue["Service"]["listOrders"]>[0]) {
    const filters = present({
      "page[after]": query.cursor,
      "filter[isPayoutStatusFinal]": query.unfinishedOnly === true ? ("false" as const) : undefined,
      "filter[fillStatus]": query.statuses
    })
    const send = orders.list({ query: { "page[size]": pageSize, ...filters }, responseMode })
    const { value, ...trace } = yield* client.read(calls.listOrders, send, OrderListReply)
    const nextCursor = value.meta?.nextCursor || cursorIn(value.links?.next ?? undefined)
    const now = yield* Clock.currentTimeMillis
    const { parties, unfinishedOnly } = query
    const [others, elements] = Array.partition(value.data, (element) => {
      const foreignEntry = parties && ofOthers(element, parties)
      return foreignEntry === undefined ? Result.fail(element) : Result.succeed(foreignEntry)
    })
    const readOrder = unfinishedOnly === true ? readUnfinished : readElement
    const [usable, odd] = Array.partition(elements, (element) => readOrder(element, now))
    const page = {
      orders: usable,
      ...(others.length === 0 ? {} : { others }),
      ...(odd.length === 0 ? {} : { odd }),
      ...present({ nextCursor })
    }
    return { ...trace, value: page }
  })

  const getOrder = Effect.fn("Venue.getOrder")(function* (orderId: string) {
    const send = orders.get({ params: { orderId }, responseMode })
    return yield* oneOrder(calls.getOrder, yield* client.read(calls.getOrder, send, OrderResponse), orderId)
  })

  const cancelOrder = Effect.fn("Venue.cancelOrder")(function* (orderId: string) {
    const send = orders.cancel({ params: { orderId }, responseMode })
    return yield* oneOrder(calls.cancelOrder, yield* client.write(calls.cancelOrder, send, OrderResponse), orderId)
  })

  return { createOrder, listOrders, getOrder, cancelOrder }
})

const makeFunding = Effect.gen(function* () {
  const { account } = yield* VenueConfig
  const client = yield* VenueClient
  const swaps = yield* Swaps

  const generateIntent = Effect.fn("Venue.generateIntent")(function* (depositAddress: string) {
    const payload = { type: "swap_transfer", standard: "nep413", signerId: account.signerId, depositAddress } as const
    const send = client.api.intents.generate({ payload, responseMode })
    const { value, ...trace } = yield* client.read(calls.generateIntent, send, GenerateIntentResponse)
    return { ...trace, value: value.intent }
  })

  const submitIntent = Effect.fn("Venue.submitIntent")(function* (signed: IntentToSubmit) {
    // The generated method is not used: encoding again could change the journaled bytes.
    const { operation } = calls.submitIntent
    const send = unlessHeld(calls.submitIntent, signed, client.post("/v0/submit-intent", signed.body))
    const { value, ...trace } = yield* Effect.mapError(
      client.write(calls.submitIntent, send, SubmitIntentResponse),
      withVerdict
    )
    if (value.intentHash === signed.intentHash) return { ...trace, value: { intentHash: value.intentHash } }
    const text = "the venue acknowledged another intent than the one that was sent"
    return yield* noAnswer(operation, text, trace)
  })

  const submitDeposit = Effect.fn("Venue.submitDeposit")(function* (deposit: Deposit) {
    const { value: _, ...trace } = yield* swaps.submitDeposit(deposit)
    return { ...trace, value: undefined }
  })

  return { generateIntent, submitIntent, submitDeposit }
})

const withVerdict = (error: VenueError): VenueError => {
  const { reason } = error
  if (reason._tag !== "Rejected") return error
  return new VenueError({ reason: new Rejected({ ...reason, ...present({ verdict: verdictOf(reason) }) }) })
}

const makePricesAndBalances = Effect.gen(function* () {
  const venue = yield* VenueConfig
  const { assetSpellings } = venue
  const { signing } = factsOf(venue)
  const client = yield* VenueClient
  const session = yield* Session

  const dryQuote: Venue["Service"]["dryQuote"] = Effect.fn("Venue.dryQuote")(function* (request) {
    const deadline = (yield* Clock.currentTimeMillis) + quoteValidMillis
    const payload = quoteRequest(venue, request, deadline)
    const send = client.api.swaps.quote({ payload, responseMode })
    const { value, ...trace } = yield* client.read(calls.quote, send, ReceivedQuote)
    if (value.quote.amountOut === undefined) return yield* withoutPrice(calls.quote.operation, trace)
    const why = distrust(venue, payload, value)
    if (why !== undefined) return yield* quoteRefused(calls.quote.operation, why, trace)
    return { ...trace, value: yield* toDryQuote(value.quote) }
  })

  const tokens = Effect.gen(function* () {
    const { value, ...trace } = yield* client.read(calls.tokens, client.api.swaps.tokens({ responseMode }), TokensReply)
    const validTokens = Array.getSomes(value.map((said) => tokenIn(said)))
    if (validTokens.length === 0 && value.length > 0)
      return yield* noAnswer(calls.tokens.operation, "none of its tokens is as described", trace)
    return validTokens.map((token) => ({ ...toToken(token), assetId: canonicalAssetId(assetSpellings, token.assetId) }))
  })

  const balances = session
    .run(client.read(calls.balances, client.api.account.balances({ query: {}, responseMode }), BalancesResponse))
    .pipe(
      Effect.flatMap(({ value }) => Effect.forEach(value.balances, toBalance)),
      Effect.map((found) =>
        found.map((balance) => ({
          ...balance,
          tokenId: canonicalAssetId(assetSpellings, Domains.publicName(signing, balance.tokenId))
        }))
      )
    )

  return { dryQuote, tokens, balances, publicBalances: yield* makePublicBalances }
})

const publicly = "read public balances"
const decodeAmounts = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.String)))

const makePublicBalances = Effect.gen(function* () {
  const http = yield* HttpClient.HttpClient
  const config = yield* VenueConfig
  const { saltFrom: address, signing } = factsOf(config)
  const { signerId } = config.account

  const publicBalances: Venue["Service"]["publicBalances"] = Effect.fn("Venue.publicBalances")(function* (assetIds) {
    if (address === undefined) return undefined
    const text = yield* LedgerView.ask(http, {
      operation: publicly,
      address,
      contract: signing.INTENTS.verifier,
      method: "mt_batch_balance_of",
      args: { account_id: signerId, token_ids: assetIds },
      finality: "optimistic"
    }).pipe(Effect.catch(({ message }) => noAnswer(publicly, `${address}: ${message}`)))
    const amounts = Option.getOrElse(Option.flatMap(text, decodeAmounts), (): ReadonlyArray<string> => [])
    const balances = assetIds.flatMap((tokenId, index) => {
      const available = parseAmount(amounts[index] ?? "")
      return available === undefined ? [] : [{ tokenId, available, source: "public" }]
    })
    if (amounts.length === assetIds.length && balances.length === assetIds.length) return balances
    return yield* noAnswer(publicly, `${address} does not tell what ${signerId} has at ${signing.INTENTS.verifier}`)
  })
  return publicBalances
})

export const layer = Layer.effect(
  Venue,
  Effect.gen(function* () {
    const orders = { ...(yield* makeOrders), ...(yield* SwapOrders.make) }
    const { clockSkewMillis } = yield* VenueClient
    return Venue.of({ ...orders, ...(yield* makeFunding), ...(yield* makePricesAndBalances), clockSkewMillis })
  })
).pipe(Layer.provide(Swaps.layer))

/** Sends every attribute, because the venue's defaults would decide a missing one. */
const createRequest = (account: VenueAccount, order: CreateOrder): CreateOrderRequest => {
  const path = pathOf(account, order)
  return {
    data: {
      type: "orders",
      attributes: {
        orderType: "LIMIT",
        baseAsset: order.baseAsset,
        quoteAsset: order.quoteAsset,
        quantity: String(order.quantity),
        side: order.side,
        price: Decimal.format(order.price),
        ...partiesOf(path),
        deadline: Timestamp.format(order.deadline),
        timeInForce: "GTC",
        appFees: [],
        ...termsOf(account, path.refundType, order.terms)
      }
    }
  }
}

export const quoteRequest = (
  venue: Pick<VenueConfig["Service"], "account" | "facts" | "verifier">,
  { amount, destinationAsset, isOutput, originAsset }: Parameters<Venue["Service"]["dryQuote"]>[0],
  deadline: number
): QuoteRequest => ({
  dry: true,
  swapType: isOutput === true ? "EXACT_OUTPUT" : "EXACT_INPUT",
  // The venue adds the tolerance of an exact output to the input, which is the price here.
  slippageTolerance: isOutput === true ? 0 : quoteSlippageBasisPoints,
  originAsset,
  destinationAsset,
  amount: String(amount),
  ...partiesOf(pathBetween(venue.account, originAsset, destinationAsset)),
  deadline: Timestamp.format(deadline),
  depositMode: "SIMPLE",
  confidentiality: factsOf(venue).orders.quotes === "public" ? "public" : venue.account.confidentiality,
  quoteWaitingTimeMs: 0,
  insured: false
})

const toDryQuote = (quote: Quote) => {
  const { operation } = calls.quote
  const amountIn = parseAmount(quote.amountIn)
  const amountOut = parseAmount(quote.amountOut ?? "")
  const { amountInFormatted, amountOutFormatted } = quote
  if (!amountIn || !amountOut) return noAnswer(operation, "an amount of the quote is not a positive whole number")
  if (amountInFormatted === undefined || amountOutFormatted === undefined) {
    return noAnswer(operation, "the quote has no amounts in units of the asset")
  }
  return Effect.succeed({ amountIn, amountOut, amountInFormatted, amountOutFormatted })
}

/** A token without a price shows zero. The price is only indicative and never traded on. */
const toToken = (token: Option.Option.Value<ReturnType<typeof tokenIn>>): Token => ({
  assetId: token.assetId,
  symbol: token.symbol,
  decimals: token.decimals,
  blockchain: token.blockchain,
  priceUsd: token.price ?? 0,
  ...present({ pricedAt: Timestamp.parse(token.priceUpdatedAt ?? "") })
})

const toBalance = (balance: (typeof BalancesResponse.Type)["balances"][number]): Effect.Effect<Balance, VenueError> => {
  const available = parseAmount(balance.available)
  // This endpoint lists only private balances, so a balance without a `source` is private.
  if (available !== undefined) return Effect.succeed({ source: "private", ...balance, available })
  return noAnswer(calls.balances.operation, `the balance of ${balance.tokenId.slice(0, 80)} is not a whole number`)
}
