/**
 * Every answer that the sandbox gives, in every state that it can be in: it decodes by the contract, into exact values, and has
 * every field that the interface calls required.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { HttpClient, HttpServerResponse } from "effect/http"
import * as Amount from "../../src/domain/Amount.ts"
import { fillStatuses } from "../../src/domain/Order.ts"
import { AuthenticateResponse, BalancesResponse, RefreshResponse } from "../../src/venue/api/AccountApi.ts"
import { GenerateIntentResponse, SubmitIntentResponse } from "../../src/venue/api/IntentsApi.ts"
import { TokensResponse } from "../../src/venue/api/SwapsApi.ts"
import { Venue } from "../../src/venue/Venue.ts"
import { HistoryErrorBody, MessageBody, StructuredErrors } from "../../src/venue/wire/WireError.ts"
import {
  AccountHistoryResponse,
  TransactionPagesResponse,
  TransactionsResponse,
  transactionStatuses
} from "../../src/venue/wire/WireHistory.ts"
import { OrderListResponse, OrderResponse, toOrder } from "../../src/venue/wire/WireOrder.ts"
import { QuoteResponse } from "../../src/venue/wire/WireQuote.ts"
import { refundReasons, SwapStatusResponse, swapStatuses, toSwap } from "../../src/venue/wire/WireSwap.ts"
import { account, btc, createAndFund, order, price, send, sign, signMessage, usdc } from "../world/service/clients.ts"
import { play, start } from "../world/service/play.ts"
import { fromOtherChain, iso, partner, request } from "../world/service/playedSwaps.ts"
import * as Required from "./requiredFields.ts"

type Json = Readonly<Record<string, unknown>>
const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const at = (value: unknown, key: string): unknown => (isJson(value) ? value[key] : undefined)
const listAt = (value: unknown, key: string): ReadonlyArray<unknown> => {
  const list = key === "" ? value : at(value, key)
  return Array.isArray(list) ? list : assert.fail(`${key} is not a list`)
}

const has = (what: string, value: unknown, names: ReadonlyArray<string>): void => {
  const missing = names.filter((name) => !isJson(value) || value[name] === undefined)
  assert.deepStrictEqual(missing, [], `${what}: ${JSON.stringify(value)}`)
}

const decoded = <A>(what: string, schema: Schema.Codec<A, unknown>, body: unknown): A => {
  const result = Schema.decodeUnknownResult(schema)(body)
  return Result.isSuccess(result) ? result.success : assert.fail(`${what}: ${result.failure.message}`)
}
const exact = <A>(what: string, result: Result.Result<A, string>): A =>
  Result.isSuccess(result) ? result.success : assert.fail(`${what}: ${result.failure}`)

/** The states that were met on the way. */
const met = new Set<string>()

const checkOrder = (what: string, body: unknown): void => {
  const attributes = at(body, "attributes")
  has(what, body, Required.order)
  has(what, attributes, Required.orderAttributes)
  has(what, at(attributes, "payouts"), Required.payouts)
  has(what, at(attributes, "swapView"), Required.swapView)
  for (const fill of listAt(attributes, "partialFills")) has(what, fill, Required.fill)
  for (const leg of ["withdrawal", "refund"]) met.add(`${leg} ${at(at(at(attributes, "payouts"), leg), "status")}`)
  const [input, output] = [
    at(at(attributes, "swapView"), "originAsset"),
    at(at(attributes, "swapView"), "destinationAsset")
  ]
  checkAmount(what, attributes, "depositedAmount", input)
  checkAmount(what, attributes, "estimatedRefundFee", input)
  checkAmount(what, attributes, "estimatedWithdrawFee", output)
  met.add(`order ${at(attributes, "fillStatus")}`)
  met.add(`payout ${at(attributes, "payoutStatus")}`)
}

const decimalsOf: Readonly<Record<string, number>> = { [btc]: 8, [usdc]: 6 }

/** An amount in smallest units and the same in units of its asset say the same; dollars are a number. */
const checkAmount = (what: string, body: unknown, name: string, asset: unknown): void => {
  const decimals = decimalsOf[String(asset)] ?? assert.fail(`${what}: unknown asset ${asset}`)
  const amount = String(at(body, name))
  assert.match(amount, /^(?:0|[1-9]\d*)$/, `${what} ${name}`)
  assert.strictEqual(at(body, `${name}Formatted`), Amount.format(BigInt(amount), decimals), `${what} ${name}`)
  const usd = at(body, `${name}Usd`)
  if (usd !== undefined) assert.match(String(usd), /^\d+\.\d+$/, `${what} ${name}`)
}

const checkTransaction = (what: string, body: unknown): void => {
  has(what, body, Required.transaction)
  met.add(`history ${at(body, "status")}`)
  if (at(body, "refundReason") != null) met.add(`history ${at(body, "refundReason")}`)
  const { createdAt, depositAddress, depositMemo = null, depositAddressAndMemo } = body as Record<string, string>
  checkAmount(what, body, "amountIn", at(body, "originAsset"))
  checkAmount(what, body, "amountOut", at(body, "destinationAsset"))
  assert.strictEqual(at(body, "createdAtTimestamp"), Math.floor(Date.parse(createdAt ?? "") / 1000))
  assert.match(createdAt ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.strictEqual(depositAddressAndMemo, depositMemo === null ? depositAddress : `${depositAddress}_${depositMemo}`)
}

const checks: Readonly<Record<string, (what: string, body: unknown) => void>> = {
  "GET /v0/tokens": (what, body) => {
    decoded(what, TokensResponse, body)
    for (const token of listAt(body, "")) has(what, token, Required.token)
  },
  "POST /v0/quote": (what, body) => {
    decoded(what, QuoteResponse, body)
    has(what, body, Required.quoteResponse)
    has(what, at(body, "quote"), Required.quote)
    has(what, at(body, "quoteRequest"), Required.quoteRequest)
    checkAmount(what, at(body, "quote"), "amountIn", at(at(body, "quoteRequest"), "originAsset"))
    checkAmount(what, at(body, "quote"), "amountOut", at(at(body, "quoteRequest"), "destinationAsset"))
  },
  "POST /v0/orders": (what, body) => {
    exact(what, toOrder(decoded(what, OrderResponse, body).data, 0))
    has(what, at(body, "meta"), Required.meta)
    checkOrder(what, at(body, "data"))
  },
  "GET /v0/orders": (what, body) => {
    for (const wire of decoded(what, OrderListResponse, body).data) exact(what, toOrder(wire, 0))
    has(what, at(body, "meta"), Required.meta)
    has(what, at(body, "links"), ["next"])
    for (const one of listAt(body, "data")) checkOrder(what, one)
  },
  "GET /v0/status": (what, body) => {
    exact(what, toSwap(decoded(what, SwapStatusResponse, body)))
    has(what, body, Required.status)
    has(what, at(body, "swapDetails"), Required.swapDetails)
    met.add(`swap ${at(body, "status")}`)
    const reason = at(at(body, "swapDetails"), "refundReason")
    if (reason !== undefined) met.add(`swap ${reason}`)
  },
  "POST /v0/generate-intent": (what, body) => void decoded(what, GenerateIntentResponse, body),
  "POST /v0/submit-intent": (what, body) => has(what, decoded(what, SubmitIntentResponse, body), ["intentHash"]),
  "POST /v0/auth/authenticate": (what, body) =>
    has(what, decoded(what, AuthenticateResponse, body), [
      "accessToken",
      "refreshToken",
      "expiresIn",
      "refreshExpiresIn"
    ]),
  "POST /v0/auth/refresh": (what, body) =>
    has(what, decoded(what, RefreshResponse, body), ["accessToken", "expiresIn"]),
  "GET /v0/account/balances": (what, body) => {
    decoded(what, BalancesResponse, body)
    for (const balance of listAt(body, "balances")) has(what, balance, ["tokenId", "available", "source"])
  },
  "GET /v0/account/history": (what, body) => {
    decoded(what, AccountHistoryResponse, body)
    for (const item of listAt(body, "items")) has(what, item, Required.historyItem)
  },
  "GET /api/v0/transactions": (what, body) => {
    decoded(what, TransactionsResponse, body)
    for (const record of listAt(body, "")) checkTransaction(what, record)
  },
  "GET /api/v0/transactions-pages": (what, body) => {
    decoded(what, TransactionPagesResponse, body)
    has(what, body, Required.pages)
    for (const record of listAt(body, "data")) checkTransaction(what, record)
  }
}
const sameAs: Readonly<Record<string, string>> = {
  "GET /v0/orders/{}": "POST /v0/orders",
  "POST /v0/orders/{}/cancel": "POST /v0/orders",
  "POST /v0/deposit/submit": "GET /v0/status"
}

const checkError = (what: string, status: number, body: unknown): void => {
  if (what.includes("/v0/orders")) {
    decoded(what, StructuredErrors, body)
    has(what, at(body, "meta"), Required.meta)
    for (const entry of listAt(body, "errors")) has(what, entry, ["status", "code", "title"])
  } else if (what.includes("/api/v0")) {
    assert.strictEqual(decoded(what, HistoryErrorBody, body).status, status)
  } else decoded(what, MessageBody, body)
}

/** The sandbox's client, each of whose answers is checked on its way. */
const checking = Effect.map(HttpClient.HttpClient, (real) =>
  HttpClient.make((request) =>
    Effect.gen(function* () {
      const response = yield* real.execute(request)
      const body = yield* response.json
      const path = new URL(request.url).pathname.replace(/^(\/v0\/orders\/)[^/]+/, "$1{}")
      const what = `${request.method} ${path}`
      if (!path.startsWith("/sandbox")) {
        if (response.status >= 400) checkError(what, response.status, body)
        else (checks[sameAs[what] ?? what] ?? (() => assert.fail(`nobody checks ${what}`)))(what, body)
        met.add(response.status >= 400 ? `${what} refused` : what)
      }
      const { headers, status } = response
      return HttpServerResponse.toClientResponse(HttpServerResponse.jsonUnsafe(body, { status, headers }), { request })
    })
  )
)

const watched = <A, E, R>(test: Effect.Effect<A, E, R>) =>
  Effect.provideServiceEffect(test, HttpClient.HttpClient, checking)

const swapRequest = (recipient: string, changes: object) =>
  request({ ...fromOtherChain, slippageTolerance: 500, recipient, deadline: iso(86_400_000), ...changes })

/** A swap only ever goes forward, and its end stays. */
const rankOf: Readonly<Record<string, number>> = {
  PENDING_DEPOSIT: 0,
  KNOWN_DEPOSIT_TX: 1,
  INCOMPLETE_DEPOSIT: 2,
  PROCESSING: 3,
  SUCCESS: 4,
  REFUNDED: 4,
  FAILED: 4
}

/** Pays a part of what is asked for, tells of it, and looks on until it is over. */
const swap = Effect.fnUntraced(function* (changes: object, parts = ["1000000"], looks = 100) {
  const { body } = yield* send("POST", "/v0/quote", swapRequest(yield* account, changes), yield* partner)
  const { depositAddress, depositMemo: memo } = at(body, "quote") as Record<string, string>
  const query = `/v0/status?depositAddress=${depositAddress}${memo === undefined ? "" : `&depositMemo=${memo}`}`
  let last = "PENDING_DEPOSIT"
  const look = Effect.gen(function* () {
    const now = String(at((yield* send("GET", query)).body, "status"))
    const [before, after] = [rankOf[last] ?? 9, rankOf[now] ?? -1]
    assert.isTrue(now === last || (before < 4 && before < after), `${last} became ${now}`)
    last = now
    return after === 4
  })
  yield* look
  for (const amount of parts) {
    const paid = yield* send("POST", "/sandbox/deposit", { depositAddress, memo, asset: btc, amount, sender: "bc1q" })
    yield* send("POST", "/v0/deposit/submit", { txHash: at(paid.body, "txHash"), depositAddress, memo })
    yield* Effect.sleep("100 millis")
    yield* look
  }
  for (let count = 0; count < looks && !(yield* look); count += 1) yield* Effect.sleep("60 millis")
  if (looks > 0) yield* Effect.andThen(Effect.sleep("200 millis"), look)
})

/** Both histories, every page of them in both forms. */
const histories = Effect.gen(function* () {
  const query = `statuses=${transactionStatuses.join(",")}`
  const { accessToken, refreshToken } = (yield* send("POST", "/v0/auth/authenticate", {
    signedData: yield* signMessage({ intents: [] })
  })).body as { accessToken: string; refreshToken: string }
  yield* send("POST", "/v0/auth/refresh", { refreshToken })
  const session = { "x-api-key": undefined, authorization: `Bearer ${accessToken}` }
  yield* send("GET", "/v0/account/balances", undefined, session)
  yield* send("GET", "/v0/account/history?limit=100", undefined, session)
  yield* send("GET", "/v0/account/history?limit=1", undefined, session)
  for (const path of [`transactions?numberOfTransactions=1000&${query}`, `transactions-pages?perPage=7&${query}`]) {
    yield* send("GET", `/api/v0/${path}`, undefined, yield* partner)
    yield* send("GET", `/api/v0/${path}`, undefined, yield* partner)
    yield* Effect.sleep("6 seconds")
  }
})

describe("the sandbox gives honest answers", () => {
  it.effect("about swaps in every state and for every reason", () =>
    play(
      watched(
        Effect.gen(function* () {
          met.clear()
          const wanted = [
            ...swapStatuses.map((status) => `swap ${status}`),
            ...refundReasons.map((reason) => `swap ${reason}`)
          ]
          yield* send("GET", "/v0/tokens")
          yield* send("POST", "/v0/quote", swapRequest(yield* account, { dry: true }), yield* partner)
          yield* swap({}, [], 0)
          yield* swap({}, ["400000"], 0)
          yield* createAndFund({ price: price("90000") })
          yield* swap({ depositMode: "MEMO", referral: "us" }, ["400000", "600000"])
          yield* swap({ deadline: new Date(start + 3_000).toISOString() }, ["400000"])
          for (let made = 0; made < 200 && !wanted.every((state) => met.has(state)); made += 1) yield* swap({})
          yield* histories
          const seen = [...wanted, ...transactionStatuses.map((status) => `history ${status}`)]
          const reasons = refundReasons.map((reason) => `history ${reason}`)
          assert.deepStrictEqual(
            [...seen, ...reasons].filter((state) => !met.has(state)),
            []
          )
        })
      ),
      {
        settings: {
          refundedSwapShare: 0.8,
          failedSwapShare: 0.1,
          recognitionMillis: [40, 40],
          swapMillis: [40, 40],
          payoutMillis: [40, 40]
        }
      }
    )
  )

  it.effect("about orders in every state, paid out, refunded and given up", () =>
    play(
      watched(
        Effect.gen(function* () {
          met.clear()
          const port = yield* Venue
          const wanted = [
            ...fillStatuses.filter((status) => status !== "UNTRIGGERED").map((status) => `order ${status}`),
            ...["NOT_STARTED", "IN_PROGRESS", "COMPLETED", "FAILED"].map((status) => `payout ${status}`),
            ...["withdrawal", "refund"].flatMap((leg) =>
              ["IN_PROGRESS", "COMPLETED", "FAILED"].map((status) => `${leg} ${status}`)
            )
          ]
          for (let made = 0; made < 40 && !wanted.every((state) => met.has(state)); made += 1) {
            const isBuy = made % 2 === 0
            const limit = made % 4 === 0 ? 60_000 : isBuy ? 59_950 - made : 60_050 + made
            const deadline = (yield* Effect.clockWith((clock) => clock.currentTimeMillis)) + 60_000
            const side = isBuy ? "BUY" : "SELL"
            const created = (yield* port.createOrder(order({ side, price: price(String(limit)), deadline }))).value
            yield* send("GET", `/v0/orders/${created.id}`)
            yield* port.submitIntent(yield* sign(created))
            for (let look = 0; look < 12; look += 1) {
              yield* Effect.sleep("200 millis")
              yield* send("GET", `/v0/orders/${created.id}`)
            }
            if (made % 3 === 0) yield* send("POST", `/v0/orders/${created.id}/cancel`)
            if (made % 3 === 0) yield* send("POST", `/v0/orders/${created.id}/cancel`)
            if (made % 5 === 0) yield* Effect.sleep("61 seconds")
            yield* send("GET", "/v0/orders?page[size]=20")
          }
          yield* send("GET", "/v0/orders?page[size]=1")
          yield* Effect.sleep("70 seconds")
          yield* histories
          assert.deepStrictEqual(
            wanted.filter((state) => !met.has(state)),
            []
          )
        })
      ),
      { speed: 60, settings: { partialFillShare: 1, failedPayoutShare: 0.4 } }
    )
  )
})
