/** One field in another form than described costs only itself, where nothing depends on it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { Venue } from "../../../src/venue/Venue.ts"
import { TransactionRecord } from "../../../src/venue/wire/WireHistory.ts"
import { SwapStatusResponse, toSwap } from "../../../src/venue/wire/WireSwap.ts"
import { type Attributes, withField } from "../../world/bot/orderReports.ts"
import * as Answers from "../../world/service/answers.ts"
import { json, scripted } from "../../world/service/scriptedVenue.ts"

const attributes = (said: Attributes): Attributes => said

const quoted = (changes: ReadonlyArray<readonly [path: string, value: unknown]>) => {
  const answer = changes.reduce((said, [path, value]) => withField(said, path, value), attributes(Answers.quoteAnswer))
  const { layer } = scripted(() => json(answer, 201))
  const ask = Venue.use((venue) => venue.dryQuote({ originAsset: "base", destinationAsset: "quote", amount: 1000n }))
  return Effect.result(Effect.provide(ask, layer))
}

const read = (venue: Parameters<typeof scripted>[0]) => {
  const { layer } = scripted(venue)
  return Effect.provide(Effect.result(Venue.use(({ getOrder }) => getOrder(Answers.wireOrder.id))), layer)
}

describe("an answer with an odd field", () => {
  it.effect("is read without it: an order whose links are objects and whose price text is a number", () =>
    Effect.gen(function* () {
      const odd = [
        ["data.links", { self: { href: "/v0/orders/1" } }],
        ["data.attributes.depositedAmountFormatted", 0],
        ["data.attributes.timeInForce", { kind: "GTC" }],
        ["meta.correlationId", 17]
      ] as const
      const answer = odd.reduce((said, [path, value]) => withField(said, path, value), attributes(Answers.orderAnswer))
      const [plain, changed] = [yield* read(() => json(Answers.orderAnswer)), yield* read(() => json(answer))]
      assert.deepStrictEqual(
        Result.map(changed, ({ value }) => value),
        Result.map(plain, ({ value }) => value)
      )
      assert.isTrue(Result.isSuccess(changed))
    })
  )

  it("is read without it: the status of a swap whose slippage is text and whose hashes are plain", () => {
    const status = {
      status: "SUCCESS",
      correlationId: { id: 1 },
      quoteResponse: {},
      swapDetails: {
        slippage: "0.5 %",
        amountOutUsd: 12,
        amountOut: "900",
        originChainTxHashes: ["0x01"],
        destinationChainTxHashes: [{ hash: "0x02", explorerUrl: null }, { hash: "0x03" }]
      }
    }
    const swap = Result.getOrThrow(Result.flatMap(Schema.decodeUnknownResult(SwapStatusResponse)(status), toSwap))
    assert.deepInclude(swap, {
      amountOut: 900n,
      originTxHashes: ["0x01"],
      destinationTxHashes: ["0x02", "0x03"]
    })
    const field = Schema.decodeUnknownSync(Schema.Struct({ hashes: TransactionRecord.fields.originChainTxHashes }))
    assert.deepStrictEqual(field({ hashes: ["0x01", { hash: "0x02" }] }), { hashes: ["0x01", "0x02"] })
  })

  it.effect("is read without it: balances whose source is null count as private", () =>
    Effect.gen(function* () {
      const { layer } = scripted((request) =>
        request.url.endsWith("/authenticate")
          ? json(Answers.sessionAnswer, 201)
          : json({ balances: [{ tokenId: "base", available: "5", source: null }] })
      )
      const found = yield* Effect.provide(
        Venue.use(({ balances }) => balances),
        layer
      )
      assert.deepStrictEqual(found, [{ tokenId: "base", available: 5n, source: "private" }])
    })
  )
})

describe("a quote", () => {
  it.effect("without amountOut is a temporary refusal, not an unknown outcome", () =>
    Effect.gen(function* () {
      const none = [
        ["quote.amountOut", undefined],
        ["quote.minAmountOut", undefined]
      ] as const
      const answer = yield* quoted(none)
      if (Result.isSuccess(answer)) assert.fail("it has no price")
      const { reason } = answer.failure
      assert.strictEqual(reason._tag, "Rejected")
      assert.match(reason.message, /no-price: its quote has no amountOut: the venue has no price of this now/)
    })
  )
})
