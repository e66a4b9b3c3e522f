/** Details of the interface that are easy to keep only nearly, each with its own case. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { SandboxConnection } from "../../src/sandbox/SandboxServer.ts"
import { account, btc, orderBody, send, signMessage, usdc } from "../world/service/clients.ts"
import { play } from "../world/service/play.ts"
import { iso, quote as makeQuote, payByIntent, payOnChain } from "../world/service/playedSwaps.ts"

const raw = Effect.fnUntraced(function* (method: "GET" | "POST" | "DELETE", path: string, type?: string, body = "{}") {
  const { apiKey, url } = yield* SandboxConnection
  const client = yield* HttpClient.HttpClient
  const request = HttpClientRequest.make(method)(url + path).pipe(HttpClientRequest.setHeader("x-api-key", apiKey))
  const response = yield* client.execute(type === undefined ? request : HttpClientRequest.bodyText(request, body, type))
  const text = yield* response.text
  return { status: response.status, text, type: response.headers["content-type"] ?? "" }
})

const partner = Effect.map(SandboxConnection, ({ partnerJwt }) => ({ authorization: `Bearer ${partnerJwt}` }))

const history = Effect.fnUntraced(function* (query: string) {
  yield* Effect.sleep("5 seconds")
  const { body, status } = yield* send("GET", `/api/v0/transactions${query}`, undefined, yield* partner)
  return { status, lines: body as ReadonlyArray<{ readonly depositAddress: string; readonly status: string }> }
})

const fromChain = (changes: object = {}) =>
  Effect.flatMap(account, (recipient) =>
    makeQuote({
      depositType: "ORIGIN_CHAIN",
      refundType: "ORIGIN_CHAIN",
      refundTo: "bc1qme",
      recipient,
      recipientType: "INTENTS",
      deadline: iso(86_400_000),
      ...changes
    })
  )

describe("the sandbox follows the specification:", () => {
  const noEndpoints = [
    ["an unknown route", "GET", "/v0/nothing", undefined],
    ["an unknown order route", "POST", "/v0/orders/x/y/z", "application/json"],
    ["an over-long order id", "GET", `/v0/orders/${"a".repeat(300)}`, undefined],
    ["an unknown method", "DELETE", "/v0/orders", undefined],
    ["a body of another type", "POST", "/v0/orders", "text/plain"],
    ["a quote of another type", "POST", "/v0/quote", "text/xml"],
    ["an unknown history route", "GET", "/api/v0/nothing", undefined]
  ] as const
  it.effect.each(noEndpoints)("the body is JSON for %s", ([, method, path, type]) =>
    play(
      Effect.gen(function* () {
        const answer = yield* raw(method, path, type)
        assert.isAtLeast(answer.status, 400)
        assert.match(answer.type, /json/)
        const body = JSON.parse(answer.text)
        if (path.startsWith("/v0/orders")) {
          assert.isString(body.meta.correlationId)
          assert.strictEqual(body.errors[0].status, String(answer.status))
        } else if (path.startsWith("/api")) assert.strictEqual(body.status, answer.status)
        else assert.isString(body.message)
      })
    )
  )

  it.effect("the content type of JSON:API is accepted", () =>
    play(
      Effect.gen(function* () {
        const { status, text } = yield* raw(
          "POST",
          "/v0/orders",
          "application/vnd.api+json",
          JSON.stringify(orderBody())
        )
        assert.strictEqual(status, 201, text)
      })
    )
  )

  it.effect("the quote example of the specification is accepted with its nine fields", () =>
    play(
      Effect.gen(function* () {
        const me = yield* account
        const body = {
          dry: true,
          swapType: "EXACT_INPUT",
          originAsset: btc,
          destinationAsset: usdc,
          amount: "1000000",
          recipient: me,
          recipientType: "INTENTS",
          refundTo: "bc1qme",
          refundType: "ORIGIN_CHAIN"
        }
        const answer = yield* send("POST", "/v0/quote", body, yield* partner)
        assert.isBelow(answer.status, 300, JSON.stringify(answer.body))
        const { quoteRequest } = answer.body as { readonly quoteRequest: Readonly<Record<string, unknown>> }
        assert.deepInclude(quoteRequest, { ...body, depositType: "ORIGIN_CHAIN", slippageTolerance: 100 })
        assert.isAbove(Date.parse(String(quoteRequest["deadline"])), Date.parse("2026-01-01"))
      })
    )
  )

  it.effect("a cursor stays valid when its record leaves the filter", () =>
    play(
      Effect.gen(function* () {
        const made: Array<string> = []
        for (let index = 0; index < 3; index += 1) {
          const { quote } = yield* fromChain()
          made.push(quote.depositAddress)
          yield* Effect.sleep("10 millis")
        }
        const before = yield* history("?statuses=PENDING_DEPOSIT&numberOfTransactions=1")
        assert.strictEqual(before.lines[0]?.depositAddress, made[2])
        yield* payOnChain(made[2] ?? "", "1000000")
        yield* Effect.sleep("30 seconds")
        const older = yield* history(`?statuses=PENDING_DEPOSIT&lastDepositAddress=${made[2]}`)
        assert.strictEqual(older.status, 200, JSON.stringify(older.lines))
        assert.deepStrictEqual(
          older.lines.map(({ depositAddress }) => depositAddress),
          [made[1], made[0]]
        )
        const newer = yield* history(`?statuses=SUCCESS&direction=prev&lastDepositAddress=${made[0]}`)
        assert.deepStrictEqual(
          newer.lines.map(({ depositAddress }) => depositAddress),
          [made[2]]
        )
      })
    )
  )

  const badQueries = [
    "?toChainId=near",
    "?fromChainId=near",
    "?minUsdPrice=",
    "?minUsdPrice=0x10",
    "?maxUsdPrice=%205",
    "?numberOfTransactions=",
    "?startTimestampUnix="
  ]
  it.effect.each(badQueries)("a history query is refused: %s", (query) =>
    play(Effect.map(history(query), ({ status }) => assert.strictEqual(status, 400)))
  )

  it.effect("a page past the end is empty, and the page before it is the last", () =>
    play(
      Effect.gen(function* () {
        yield* fromChain()
        const path = "/api/v0/transactions-pages?page=9&statuses=PENDING_DEPOSIT"
        const { body, status } = yield* send("GET", path, undefined, yield* partner)
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(body as object, {
          data: [],
          totalPages: 1,
          page: 9,
          perPage: 50,
          total: 1,
          nextPage: null,
          prevPage: 1
        })
      })
    )
  )

  it.effect("a price keeps its spelling", () =>
    play(
      Effect.gen(function* () {
        const { body } = yield* send("POST", "/v0/orders", orderBody({ price: "60000.50" }))
        assert.nestedPropertyVal(body, "data.attributes.price", "60000.50")
      })
    )
  )

  it.effect("a memo with a deposit by intent is refused", () =>
    play(
      Effect.gen(function* () {
        const order = yield* send("POST", "/v0/orders", orderBody({ depositMode: "MEMO" }))
        assert.strictEqual(order.status, 400)
        assert.nestedPropertyVal(order.body, "errors[0].source.pointer", "/data/attributes/depositMode")
        const me = yield* account
        const quoted = yield* send("POST", "/v0/quote", {
          dry: false,
          swapType: "EXACT_INPUT",
          originAsset: btc,
          depositType: "INTENTS",
          depositMode: "MEMO",
          destinationAsset: usdc,
          amount: "1000000",
          recipient: me,
          recipientType: "INTENTS",
          refundTo: me,
          refundType: "INTENTS"
        })
        assert.strictEqual(quoted.status, 400)
      })
    )
  )

  const standards = ["erc191", "tip191", "raw_ed25519", "webauthn", "ton_connect", "sep53"]
  it.effect.each(standards)("a payload signed by %s is refused with that name", (standard) =>
    play(
      Effect.gen(function* () {
        const signedData = { standard, payload: "0x", signature: "secp256k1:abc" }
        const { body, status } = yield* send("POST", "/v0/submit-intent", { type: "swap_transfer", signedData })
        assert.deepStrictEqual(
          [status, body],
          [400, { message: `standard ${standard} is not supported here, use nep413` }]
        )
      })
    )
  )

  it.effect("an invented transaction hash moves nothing", () =>
    play(
      Effect.gen(function* () {
        const { quote } = yield* fromChain()
        const { depositAddress } = quote
        const told = yield* send("POST", "/v0/deposit/submit", { depositAddress, txHash: "invented" })
        assert.nestedPropertyVal(told.body, "status", "PENDING_DEPOSIT")
        assert.nestedPropertyVal(told.body, "swapDetails.originChainTxHashes.length", 0)
      })
    )
  )

  it.effect("a login's nonce is valid once", () =>
    play(
      Effect.gen(function* () {
        const signedData = yield* signMessage({ intents: [] })
        assert.isBelow((yield* send("POST", "/v0/auth/authenticate", { signedData })).status, 300)
        const again = yield* send("POST", "/v0/auth/authenticate", { signedData })
        assert.deepStrictEqual([again.status, again.body], [400, { message: "nonce was already used" }])
      })
    )
  )

  it.effect("a bad token beside a valid key is refused for a quote", () =>
    play(
      Effect.gen(function* () {
        const { status } = yield* send("POST", "/v0/quote", {}, { authorization: "Bearer nonsense" })
        assert.strictEqual(status, 401)
      })
    )
  )

  it.effect("app fees have the same cap for swaps and orders", () =>
    play(
      Effect.gen(function* () {
        const appFees = ["a.native", "b.native", "c.native"].map((recipient) => ({ recipient, fee: 200 }))
        const order = yield* send("POST", "/v0/orders", orderBody({ appFees }))
        const quoted = yield* send("POST", "/v0/quote", {
          dry: true,
          swapType: "EXACT_INPUT",
          originAsset: btc,
          destinationAsset: usdc,
          amount: "1000000",
          recipient: "alice.native",
          recipientType: "INTENTS",
          refundTo: "bc1q",
          refundType: "ORIGIN_CHAIN",
          appFees
        })
        assert.deepStrictEqual([order.status, quoted.status], [400, 400])
      })
    )
  )

  it.effect("the first page of an account's history can be polled forward, and unknown cursors are refused", () =>
    play(
      Effect.gen(function* () {
        const first = yield* fromChain()
        const signedData = yield* signMessage({ intents: [] })
        const session = (yield* send("POST", "/v0/auth/authenticate", { signedData })).body as { accessToken: string }
        const ask = Effect.fnUntraced(function* (query: string) {
          const credential = { authorization: `Bearer ${session.accessToken}`, "x-api-key": undefined }
          const { body, status } = yield* send("GET", `/v0/account/history${query}`, undefined, credential)
          return { status, ...(body as { items: ReadonlyArray<{ depositAddress: string }>; nextCursor?: string }) }
        })
        const page = yield* ask("")
        assert.strictEqual(page.nextCursor, first.quote.depositAddress)
        const nothing = yield* ask(`?nextCursor=${page.nextCursor}`)
        assert.deepStrictEqual([nothing.items.length, nothing.nextCursor], [0, page.nextCursor])
        yield* Effect.sleep("10 millis")
        const second = yield* fromChain()
        const newer = yield* ask(`?nextCursor=${nothing.nextCursor}`)
        assert.deepStrictEqual(
          newer.items.map(({ depositAddress }) => depositAddress),
          [second.quote.depositAddress]
        )
        assert.strictEqual((yield* ask("?nextCursor=nowhere")).status, 400)
        assert.strictEqual((yield* ask("?prevCursor=nowhere")).status, 400)
        const cursor = Buffer.from("order 99").toString("base64url")
        assert.strictEqual((yield* send("GET", `/v0/orders?page[after]=${cursor}`)).status, 400)
      })
    )
  )

  const outcomes = ["FAILED", "NO_LIQUIDITY", "CIRCUIT_BREAKER_BLOCKED", "INTENT_SUBMIT_FAILED", "REFUND_ADD_FAILED"]
  it.effect.each(outcomes)("a swap ends as %s on command", (outcome) =>
    play(
      Effect.gen(function* () {
        const { quote } = yield* fromChain()
        const { depositAddress } = quote
        assert.isBelow((yield* send("POST", "/sandbox/outcome", { depositAddress, outcome })).status, 300)
        yield* payOnChain(depositAddress, "1000000")
        yield* Effect.sleep("30 seconds")
        const { body } = yield* send("GET", `/v0/status?depositAddress=${depositAddress}`)
        assert.nestedPropertyVal(body, "status", outcome === "FAILED" ? "FAILED" : "REFUNDED")
        if (outcome !== "FAILED") assert.nestedPropertyVal(body, "swapDetails.refundReason", outcome)
      })
    )
  )

  const legs = [
    ["FAILED_WITHDRAWAL", "40000", "withdrawal"],
    ["FAILED_REFUND", "90000", "refund"]
  ] as const
  it.effect.each(legs)("a payout leg ends as %s on command", ([outcome, price, leg]) =>
    play(
      Effect.gen(function* () {
        const { body } = yield* send("POST", "/v0/orders", orderBody({ price }))
        const { attributes, id } = (body as { data: { id: string; attributes: Record<string, string> } }).data
        const { depositAddress = "", quantity = "" } = attributes
        yield* send("POST", "/sandbox/outcome", { depositAddress, outcome })
        yield* payByIntent(depositAddress, quantity)
        yield* Effect.sleep("10 seconds")
        if (leg === "refund") yield* send("POST", `/v0/orders/${id}/cancel`)
        yield* Effect.sleep("30 seconds")
        const over = yield* send("GET", `/v0/orders/${id}`)
        assert.nestedPropertyVal(over.body, `data.attributes.payouts.${leg}.status`, "FAILED")
        assert.nestedPropertyVal(over.body, "data.attributes.payoutStatus", "FAILED")
        assert.nestedPropertyVal(over.body, "data.attributes.isPayoutStatusFinal", true)
        const told = yield* send("POST", "/sandbox/outcome", { depositAddress, outcome: "NO_LIQUIDITY" })
        assert.strictEqual(told.status, 400, "an order has no reason for a refund")
      })
    )
  )

  it.effect("the public client's token alone opens what the specification leaves open", () =>
    play(
      Effect.gen(function* () {
        const { quote } = yield* fromChain()
        const tokenOnly = { ...(yield* partner), "x-api-key": undefined }
        const status = yield* send("GET", `/v0/status?depositAddress=${quote.depositAddress}`, undefined, tokenOnly)
        assert.strictEqual(status.status, 200)
        const nobody = yield* send("GET", `/v0/status?depositAddress=${quote.depositAddress}`, undefined, {
          "x-api-key": undefined
        })
        assert.strictEqual(nobody.status, 401)
        assert.strictEqual((yield* send("POST", "/v0/orders", orderBody(), tokenOnly)).status, 401)
      })
    )
  )
})
