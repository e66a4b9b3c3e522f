/** What the port sends and what it makes of an answer: exact values out, nothing impossible in. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { pathBetween } from "../../src/domain/MoneyPath.ts"
import { Venue } from "../../src/venue/Venue.ts"
import { VenueConfig } from "../../src/venue/VenueConfig.ts"
import type { VenueError } from "../../src/venue/VenueError.ts"
import * as Answers from "../world/service/answers.ts"
import { bodyText, config, json, scripted, testAccount, text } from "../world/service/scriptedVenue.ts"
import { order, reads, reasonOf, run, signed, start, structured, writes } from "../world/service/venueCalls.ts"

describe("a body", () => {
  it.effect("without an end is cut off", () =>
    Effect.gen(function* () {
      let chunks = 0
      const chunk = Effect.sync(() => {
        chunks += 1
        return new Uint8Array(64 * 1024)
      })
      const endless = Stream.fromEffectRepeat(chunk)
      const { exit, sent } = yield* run<unknown>(reads.getOrder[0], () =>
        Effect.succeed(HttpServerResponse.stream(endless))
      )
      const reason = reasonOf(exit)
      assert.strictEqual(reason?._tag, "OutcomeUnknown")
      assert.include(
        String(reason?.message),
        "the answer is longer than 4096 KiB, so it was not read; check that the address is the venue's"
      )
      assert.isBelow(chunks, 80)
      assert.lengthOf(sent, 1)
    })
  )

  it.effect("with three thousand fills and as many payouts is read", () =>
    Effect.gen(function* () {
      const { attributes } = Answers.wireOrder
      const at = "2026-01-01T00:00:00.000Z"
      const partialFills = Array.from({ length: 3_000 }, (_, index) => ({
        id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
        amountIn: "1",
        amountOut: "1",
        createdAt: at,
        updatedAt: at
      }))
      const allWithdrawals = partialFills.map(({ id }) => ({ status: "COMPLETED", txHash: `${id}${id}` }))
      const many = {
        ...attributes,
        fillStatus: "PARTIALLY_FILLED",
        partialFills,
        payouts: { withdrawal: allWithdrawals[0], allWithdrawals, refund: null }
      }
      const body = { data: { ...Answers.wireOrder, attributes: many }, meta: {} }
      assert.isAbove(JSON.stringify(body).length, 512 * 1024)
      for (const call of [reads.getOrder[0], writes.cancelOrder[0]]) {
        const { exit } = yield* run<{ value: { fills: ReadonlyArray<unknown> } }>(call, () => json(body))
        assert.strictEqual(Exit.isSuccess(exit) ? exit.value.value.fills.length : String(exit), 3_000)
      }
    })
  )

  const impossible: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
    ["another order", { id: "order-2" }],
    ["negative deposit", { attributes: { depositedAmount: "-1" } }],
    ["empty deposit", { attributes: { depositedAmount: "" } }],
    ["padded deposit", { attributes: { depositedAmount: " 12 " } }],
    ["hexadecimal deposit", { attributes: { depositedAmount: "0x10" } }],
    ["exponent", { attributes: { depositedAmount: "1e24" } }],
    ["leading zero", { attributes: { depositedAmount: "007" } }],
    ["deposit as a number", { attributes: { depositedAmount: 12 } }],
    ["no deposit of a terminal order", { attributes: { depositedAmount: null, fillStatus: "CANCELED" } }],
    ["no fills of a filled order", { attributes: { partialFills: null, fillStatus: "FILLED" } }],
    ["an address of several lines", { attributes: { depositAddress: "a\nb" } }],
    ["30 February", { attributes: { deadline: "2026-02-30T00:00:00Z" } }],
    ["local time", { attributes: { deadline: "2026-02-03T00:00:00" } }],
    ["price 0", { attributes: { price: "0" } }],
    ["price -5", { attributes: { price: "-5" } }],
    ["no status", { attributes: { fillStatus: null } }],
    ["negative fee", { attributes: { appFees: [{ recipient: "venue", fee: -1 }] } }]
  ]

  it.effect.each(impossible)("of an impossible order does not count as an answer: %s", ([, change]) =>
    Effect.gen(function* () {
      const data = {
        ...Answers.wireOrder,
        ...change,
        attributes: { ...Answers.wireOrder.attributes, ...(change["attributes"] as object) }
      }
      for (const [call] of [reads.getOrder, writes.cancelOrder]) {
        const { exit } = yield* run<unknown>(call, () => json({ data, meta: Answers.meta }))
        assert.strictEqual(reasonOf(exit)?._tag, "OutcomeUnknown")
      }
    })
  )

  it.effect("with another spelling of an asset means the same asset, and another asset does not", () =>
    Effect.gen(function* () {
      const { attributes } = Answers.wireOrder
      const swapView = { ...attributes.swapView, originAsset: "1cs_v1:near:nep141:quote", destinationAsset: "other" }
      const respelled = { ...Answers.wireOrder, attributes: { ...attributes, baseAsset: "ALIAS", swapView } }
      const aliased = Layer.effect(
        VenueConfig,
        Effect.map(VenueConfig, (given) => ({ ...given, assetSpellings: new Map([["ALIAS", "base"]]) }))
      ).pipe(Layer.provide(config))
      const { layer } = scripted(() => json({ data: respelled, meta: Answers.meta }), aliased)
      const { value } = yield* Effect.provide(
        Venue.use((venue) => venue.getOrder("order-1")),
        layer
      )
      assert.deepInclude(value, { baseAsset: "base", originAsset: "nep141:quote", destinationAsset: "other" })
    })
  )

  const links: ReadonlyArray<readonly [string, object, string | undefined]> = [
    ["its own cursor", { meta: { nextCursor: "c1" }, links: { next: "/v0/orders?page[after]=c2" } }, "c1"],
    ["the link", { meta: {}, links: { next: "/v0/orders?page%5Bsize%5D=50&page%5Bafter%5D=c2" } }, "c2"],
    ["a link with an address", { links: { next: "https://venue.example/v0/orders?page[after]=c%2B2" } }, "c+2"],
    ["nothing without a next page", { meta: {}, links: { next: null } }, undefined],
    ["nothing with an empty link", { links: { next: "/v0/orders" } }, undefined]
  ]
  it.effect.each(links)("of a list leads to its next page by %s", ([, frame, expected]) =>
    Effect.gen(function* () {
      const { exit } = yield* run(reads.listOrders[0], () => json({ data: [], ...frame }))
      assert.strictEqual(Exit.isSuccess(exit) ? exit.value.value.nextCursor : "failed", expected)
    })
  )

  it.effect("with odd elements of a list has them named, and the others are read", () =>
    Effect.gen(function* () {
      const numeric = { ...Answers.wireOrder.attributes, depositedAmount: 5 }
      const data = [null, { id: "x", attributes: {} }, Answers.wireOrder, { id: "y", attributes: numeric }, "order", []]
      const { exit } = yield* run(reads.listOrders[0], () => json({ ...Answers.listAnswer, data }))
      const page = Exit.isSuccess(exit) ? exit.value.value : undefined
      assert.deepStrictEqual(
        page?.orders.map(({ id }) => id),
        ["order-1"]
      )
      assert.deepStrictEqual(
        page?.odd?.map(({ id }) => id),
        [undefined, "x", "y", undefined, undefined]
      )
      assert.include(page?.odd?.[2]?.why, "depositedAmount")
    })
  )

  it.effect("that acknowledges another intent does not count as an acknowledgement", () =>
    Effect.gen(function* () {
      const { exit } = yield* run<unknown>(writes.submitIntent[0], () => json({ intentHash: "other" }))
      assert.strictEqual(reasonOf(exit)?._tag, "OutcomeUnknown")
    })
  )

  it.effect("about another deposit does not count, and our report is repeated", () =>
    Effect.gen(function* () {
      const report = Venue.use((venue) => venue.submitDeposit({ txHash: "tx", depositAddress: "deposit-1" }))
      const about = (depositAddress: string) =>
        run<unknown>(report, () =>
          json({ status: "KNOWN_DEPOSIT_TX", quoteResponse: { quote: { depositAddress } } }, 201)
        )
      assert.strictEqual(reasonOf((yield* about("deposit-2")).exit)?._tag, "OutcomeUnknown")
      assert.isTrue(Exit.isSuccess((yield* about("deposit-1")).exit))
    })
  )

  it.effect("of a quote without a positive amount is not a price", () =>
    Effect.gen(function* () {
      const wrong = [{ amountIn: "0" }, { amountIn: "999" }, { amountOut: "0" }, { amountOut: "-1" }]
      for (const quote of [...wrong, { amountInFormatted: null }]) {
        const answer = { ...Answers.quoteAnswer, quote: { ...Answers.quoteAnswer.quote, ...quote } }
        const { exit } = yield* run<unknown>(reads.dryQuote[0], () => json(answer))
        assert.include(["OutcomeUnknown", "Rejected"], reasonOf(exit)?._tag)
      }
    })
  )
})

describe("a request", () => {
  it.effect("to create an order contains everything exactly", () =>
    Effect.gen(function* () {
      const { sent } = yield* run(writes.createOrder[0], () => json(Answers.orderAnswer, 201))
      assert.strictEqual(sent[0]?.url, "http://venue/v0/orders")
      assert.strictEqual(sent[0]?.headers["x-api-key"], "the-api-key")
      assert.isUndefined(sent[0]?.headers["traceparent"])
      assert.deepStrictEqual(JSON.parse(bodyText(sent[0])), {
        data: {
          type: "orders",
          attributes: {
            orderType: "LIMIT",
            baseAsset: "base",
            quoteAsset: "quote",
            quantity: "1000000000000000000000000",
            side: "BUY",
            price: "5.0001",
            depositType: "INTENTS",
            refundTo: testAccount,
            refundType: "INTENTS",
            recipient: testAccount,
            recipientType: "INTENTS",
            confidentiality: "basic",
            deadline: "2026-03-01T00:00:00.123Z",
            depositMode: "SIMPLE",
            timeInForce: "GTC",
            appFees: []
          }
        }
      })
    })
  )

  it.effect("to create an order uses the recorded money path, whatever the account's configuration is", () =>
    Effect.gen(function* () {
      const path = pathBetween({ signerId: "another", depositType: "CONFIDENTIAL_INTENTS" }, "quote", "base")
      const create = Venue.use((venue) => venue.createOrder({ ...order, path }))
      const { sent } = yield* run(create, () => json(Answers.orderAnswer, 201))
      const { originAsset: _, destinationAsset: __, ...parties } = path
      assert.deepInclude(JSON.parse(bodyText(sent[0])).data.attributes, { ...parties, depositType: path.refundType })
    })
  )

  it.effect("with signed bytes sends them unchanged", () =>
    Effect.gen(function* () {
      const { sent } = yield* run(writes.submitIntent[0], () => json(Answers.submitAnswer))
      assert.strictEqual(bodyText(sent[0]), signed.body)
      assert.strictEqual(sent[0]?.headers["content-type"], "application/json")
      assert.strictEqual(sent[0]?.headers["x-api-key"], "the-api-key")
    })
  )

  it.effect("has the API key for orders, the partner's JWT for quotes, and neither for tokens", () =>
    Effect.gen(function* () {
      const headers = (call: Effect.Effect<unknown, VenueError, Venue>, answer: unknown) =>
        Effect.map(
          run(call, () => json(answer)),
          ({ sent }) => [sent[0]?.headers["x-api-key"], sent[0]?.headers["authorization"]]
        )
      assert.deepStrictEqual(yield* headers(...reads.getOrder), ["the-api-key", undefined])
      assert.deepStrictEqual(yield* headers(...reads.dryQuote), [undefined, "Bearer the-jwt"])
      assert.deepStrictEqual(yield* headers(...reads.tokens), [undefined, undefined])
    })
  )

  it.effect("that cannot be valid is not sent", () =>
    Effect.gen(function* () {
      const bad = [
        Venue.use((venue) => venue.createOrder({ ...order, quantity: 0n })),
        Venue.use((venue) => venue.createOrder({ ...order, quantity: -1n })),
        Venue.use((venue) => venue.getOrder("..")),
        Venue.use((venue) => venue.getOrder("")),
        Venue.use((venue) => venue.cancelOrder("\ud800"))
      ]
      for (const call of bad) {
        const { exit, sent } = yield* run<unknown>(call, () => json(Answers.orderAnswer))
        const reason = reasonOf(exit)
        assert.strictEqual(reason?._tag === "Rejected" && reason.code, "invalid-request")
        assert.match(reason?.message ?? "", /^limitbot did not send "/)
        assert.lengthOf(sent, 0)
      }
    })
  )

  it.effect("pages and filters lists", () =>
    Effect.gen(function* () {
      const call = Venue.use((venue) =>
        venue.listOrders({ cursor: "c/1", unfinishedOnly: true, statuses: ["FILLED", "OPEN"] })
      )
      const { exit, sent } = yield* run(call, () => json(Answers.listAnswer))
      assert.deepStrictEqual([...(sent[0]?.urlParams ?? [])].map(String).sort(), [
        "filter[fillStatus],FILLED",
        "filter[fillStatus],OPEN",
        "filter[isPayoutStatusFinal],false",
        "page[after],c/1",
        "page[size],50"
      ])
      assert.strictEqual(Exit.isSuccess(exit) && exit.value.value.nextCursor, "c2")
    })
  )
})

describe("an answer", () => {
  it.effect("carries values, correlation id and the venue's time", () =>
    Effect.gen(function* () {
      const { exit } = yield* run(reads.getOrder[0], () => json(Answers.orderAnswer))
      assert.isTrue(Exit.isSuccess(exit))
      if (!Exit.isSuccess(exit)) return
      assert.strictEqual(exit.value.correlationId, "corr-1")
      assert.strictEqual(exit.value.venueTime, start)
      assert.deepInclude(exit.value.value, {
        id: "order-1",
        side: "SELL",
        inputAmount: 1_000_000_000_000_000_000_000_000n,
        outputAmount: 5_000_000n,
        price: { digits: 5n, scale: 0 },
        fillStatus: "PARTIALLY_FILLED",
        appFeeBasisPoints: 20,
        payoutIsFinal: false,
        deadline: Date.parse("2026-03-01T00:00:00.123Z"),
        fills: [
          {
            id: "fill-1",
            amountIn: 500_000_000_000_000_000_000_000n,
            amountOut: 2_500_000n,
            at: Date.parse("2026-02-02T00:00:00Z"),
            updatedAt: Date.parse("2026-02-02T00:00:01Z")
          }
        ],
        withdrawals: [{ status: "COMPLETED", txHash: "0xabc" }, { status: "IN_PROGRESS" }]
      })
    })
  )

  it.effect("keeps the text of a refusal", () =>
    Effect.gen(function* () {
      const { exit } = yield* run<unknown>(writes.createOrder[0], () => json(structured("brand-new", 400), 400))
      assert.deepInclude(reasonOf(exit), {
        code: "brand-new",
        text: "Detail (at /data/attributes/price)",
        pointer: "/data/attributes/price",
        status: 400,
        correlationId: "corr-1"
      })
      const { exit: traced } = yield* run<unknown>(writes.createOrder[0], () =>
        text("", 500, { "x-request-id": "req-9" })
      )
      assert.deepInclude(reasonOf(traced), { status: 500, correlationId: "req-9" })
    })
  )
})
