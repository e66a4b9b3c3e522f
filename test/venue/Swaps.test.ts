/** Quotes that may be funded, and what became of a swap: nothing that the amounts and the signature do not prove. */
import { generateKeyPairSync, sign } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Ed25519 from "../../src/signing/Ed25519.ts"
import * as QuoteSignature from "../../src/signing/QuoteSignature.ts"
import { QuoteRefused, Swaps } from "../../src/venue/Swaps.ts"
import { VenueConfig } from "../../src/venue/VenueConfig.ts"
import type { QuoteRequest } from "../../src/venue/wire/WireQuote.ts"
import { bodyText, config, json, type Script, scripted, text } from "../world/service/scriptedVenue.ts"
import { start } from "../world/service/venueCalls.ts"

const request: QuoteRequest = {
  dry: false,
  swapType: "EXACT_INPUT",
  slippageTolerance: 100,
  originAsset: "base",
  depositType: "ORIGIN_CHAIN",
  destinationAsset: "quote",
  amount: "1000",
  refundTo: "alice",
  refundType: "ORIGIN_CHAIN",
  recipient: "bob",
  recipientType: "DESTINATION_CHAIN",
  deadline: "2026-02-03T01:00:00.000Z",
  depositMode: "SIMPLE",
  confidentiality: "public",
  quoteWaitingTimeMs: 0,
  insured: false
}

const quote = {
  amountIn: "1000",
  amountInFormatted: "0.001",
  amountInUsd: "1",
  minAmountIn: "1000",
  amountOut: "995",
  amountOutFormatted: "0.000995",
  amountOutUsd: "0.99",
  minAmountOut: "990",
  timeEstimate: 10,
  depositAddress: "deposit-1",
  depositMemo: null,
  deadline: "2026-02-04T00:00:00.000Z",
  timeWhenInactive: "2026-02-04T00:00:00.000Z",
  withdrawFee: "5",
  refundFee: "0"
}

const { privateKey, publicKey } = generateKeyPairSync("ed25519")
const quoteKey = Ed25519.format(publicKey.export({ format: "der", type: "spki" }).subarray(-32))

const signedQuote = (changeRequest: object = {}, changeQuote: object = {}) => {
  const response = {
    correlationId: "corr-1",
    timestamp: "2026-02-03T00:00:00.000Z",
    quoteRequest: { ...request, ...changeRequest },
    quote: { ...quote, ...changeQuote }
  }
  const bytes = QuoteSignature.signedBytes(response) ?? new Uint8Array()
  return { ...response, signature: Ed25519.format(sign(null, bytes, privateKey)) }
}

const verifying = Layer.effect(
  VenueConfig,
  Effect.map(VenueConfig, (given) => ({ ...given, quoteKey, ledger: "near" as const }))
).pipe(Layer.provide(config))

const ask = (answer: unknown, asked: QuoteRequest = request, given = verifying) =>
  Effect.suspend(() => {
    const { layer, sent } = scripted(() => json(answer, 201), given)
    return Swaps.use((swaps) => swaps.quote(asked)).pipe(
      Effect.provide(layer),
      Effect.map((result) => ({ result, sent }))
    )
  })

describe("quotes", () => {
  it.effect("with the right echo and signature are accepted, and every field of the request is sent", () =>
    Effect.gen(function* () {
      const asked = {
        ...request,
        referral: "me",
        appFees: [{ recipient: "me", fee: 5 }],
        rebates: [{ recipient: "me", share: 100 }],
        connectedWallets: ["w"],
        sessionId: "s",
        customRecipientMsg: "hello",
        virtualChainRecipient: "0x1",
        virtualChainRefundRecipient: "0x2",
        insured: true,
        depositMode: "MEMO" as const
      }
      const { result, sent } = yield* ask(signedQuote(asked), asked)
      assert.strictEqual(result.value.quote.depositAddress, "deposit-1")
      assert.deepStrictEqual(JSON.parse(bodyText(sent[0])), asked)
      assert.strictEqual(sent[0]?.headers["authorization"], "Bearer the-jwt")
    })
  )

  it.effect.each([
    ["a number written as text", () => signedQuote({ slippageTolerance: "100" })],
    ["null", () => signedQuote({}, { amountInUsd: null, minAmountIn: null })],
    ["an informal field of another form", () => signedQuote({}, { amountInFormatted: 0.001, timeEstimate: "10" })]
  ] as const)("are accepted with a signature over what was sent: %s", ([, answer]) =>
    Effect.gen(function* () {
      const { result } = yield* ask(answer())
      assert.strictEqual(result.value.quote.depositAddress, "deposit-1")
      assert.notProperty(result.value, "said")
    })
  )

  const refused: ReadonlyArray<readonly [string, () => unknown]> = [
    ["a changed deposit address", () => ({ ...signedQuote(), quote: { ...quote, depositAddress: "mallory" } })],
    ["a changed amount", () => ({ ...signedQuote(), quote: { ...quote, amountOut: "1" } })],
    ["a changed time", () => ({ ...signedQuote(), timestamp: "2026-02-03T00:00:01.000Z" })],
    ["no signature", () => ({ ...signedQuote(), signature: null })],
    ["a malformed signature", () => ({ ...signedQuote(), signature: "ed25519:0OIl" })],
    ["another's recipient, well signed", () => signedQuote({ recipient: "mallory" })],
    ["another refund, well signed", () => signedQuote({ refundTo: "mallory" })],
    ["another asset, well signed", () => signedQuote({ destinationAsset: "worthless" })],
    ["another amount, well signed", () => signedQuote({ amount: "2000" })],
    ["another deadline, well signed", () => signedQuote({ deadline: "2026-02-03T02:00:00.000Z" })],
    ["a dry answer to a real request", () => signedQuote({ dry: true })],
    ["no deposit address, well signed", () => signedQuote({}, { depositAddress: null })],
    ["an impossible amount, well signed", () => signedQuote({}, { minAmountOut: "-1" })],
    ["a minimum output of one unit, well signed", () => signedQuote({}, { minAmountOut: "1" })]
  ]

  it.effect.each(refused)("are refused for %s", ([, answer]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(ask(answer()))
      assert.instanceOf(error, QuoteRefused)
      assert.strictEqual(error instanceof QuoteRefused && error.correlationId, "corr-1")
    })
  )

  it.effect("are refused with a minimum output below the tolerance, and may round it down by one unit", () =>
    Effect.gen(function* () {
      // 995 less 1 % is 985.05.
      for (const minAmountOut of ["984", "985", "995"]) yield* ask(signedQuote({}, { minAmountOut }))
      const below = yield* Effect.flip(ask(signedQuote({}, { minAmountOut: "983" })))
      assert.include(
        below.message,
        "it pays out 995 but promises only 983: with the agreed tolerance of 1 % it must promise 985"
      )
      const [fixed, open] = (["EXACT_OUTPUT", "FLEX_INPUT"] as const).map((swapType) => ({
        ...request,
        swapType,
        amount: swapType === "EXACT_OUTPUT" ? "995" : "1000"
      }))
      if (fixed === undefined || open === undefined) return assert.fail()
      yield* Effect.flip(ask(signedQuote(fixed, { minAmountOut: "983" }), fixed))
      // Its least output is that of its least deposit: 900 for 1,000 is 895.5, less 1 % is 886.5.
      for (const minAmountOut of ["885", "886"])
        yield* ask(signedQuote(open, { minAmountIn: "900", minAmountOut }), open)
      for (const minAmountOut of ["1", "884"])
        yield* Effect.flip(ask(signedQuote(open, { minAmountIn: "900", minAmountOut }), open))
      yield* Effect.flip(ask(signedQuote(open, { minAmountOut: "1" }), open))
      const dry = { ...request, dry: true }
      yield* ask(signedQuote(dry, { minAmountOut: "1" }), dry)
    })
  )

  it.effect("of a venue without a configured key are accepted unsigned", () =>
    Effect.gen(function* () {
      const { result } = yield* ask({ ...signedQuote(), signature: null }, request, config)
      assert.strictEqual(result.value.quote.depositAddress, "deposit-1")
    })
  )

  it.effect("are requested once if real, and repeatedly if dry", () =>
    Effect.gen(function* () {
      for (const [dry, attempts] of [
        [false, 1],
        [true, 4]
      ] as const) {
        const { layer, sent } = scripted(() => text("", 503))
        const call = Effect.exit(Swaps.use((swaps) => swaps.quote({ ...request, dry })).pipe(Effect.provide(layer)))
        yield* Effect.forkChild(call)
        yield* TestClock.adjust("10 minutes")
        assert.lengthOf(sent, attempts)
      }
    })
  )
})

describe("the signature of a quote", () => {
  it("treats null, absent and zero options alike, and omits what a dry quote does not promise", () => {
    const { signature, ...response } = signedQuote()
    const noise = { referral: null, quoteWaitingTimeMs: undefined, appFees: [], confidentiality: "basic" }
    assert.isTrue(QuoteSignature.verify(quoteKey, { ...response, signature, quoteRequest: { ...request, ...noise } }))
    const dry = signedQuote({ dry: true })
    assert.isTrue(
      QuoteSignature.verify(quoteKey, { ...dry, quote: { ...dry.quote, depositAddress: "x", withdrawFee: "9" } })
    )
    assert.isFalse(QuoteSignature.verify(quoteKey, { ...dry, quote: { ...dry.quote, amountOut: "9" } }))
  })

  it("is invalid for anything but a quote", () => {
    for (const value of [null, undefined, 5, "x", [], {}, { quote: {} }, { quote: [], quoteRequest: {} }]) {
      assert.isFalse(QuoteSignature.verify(quoteKey, value))
    }
  })
})

const details = {
  intentHashes: ["h1"],
  originChainTxHashes: [{ hash: "o1", explorerUrl: "https://x" }],
  destinationChainTxHashes: [],
  nearTxHashes: ["n1"]
}

const record = (change: object = {}, swapDetails: object | null = details) => ({
  correlationId: "corr-1",
  quoteResponse: signedQuote(),
  status: "PROCESSING",
  updatedAt: "2026-02-03T00:00:05.000Z",
  swapDetails,
  ...change
})

const status = (script: Script) =>
  Effect.suspend(() => {
    const { layer, sent } = scripted(script, verifying)
    const call = Swaps.use((swaps) => swaps.status("deposit-1", "memo-1"))
    return Effect.map(Effect.result(Effect.provide(call, layer)), (result) => ({ result, sent }))
  })

describe("the status of a swap", () => {
  it.effect("is requested by address and memo, and read in either spelling, with nothing invented", () =>
    Effect.gen(function* () {
      const { result, sent } = yield* status(() => json(record()))
      assert.deepStrictEqual(Object.fromEntries(sent[0]?.urlParams ?? []), {
        depositAddress: "deposit-1",
        depositMemo: "memo-1"
      })
      assert.strictEqual(sent[0]?.headers["x-api-key"], "the-api-key")
      assert.isTrue(result._tag === "Success")
      if (result._tag !== "Success") return
      assert.deepInclude(result.success.value, {
        status: "PROCESSING",
        depositAddress: "deposit-1",
        updatedAt: start + 5000,
        ledgerTxHashes: ["n1"],
        originTxHashes: ["o1"],
        amountOut: undefined,
        refundedAmount: undefined
      })
      const { nearTxHashes, ...rest } = details
      const native = yield* status(() => json(record({}, { ...rest, nativeTxHashes: nearTxHashes })))
      assert.deepStrictEqual(native.result._tag === "Success" && native.result.success.value.ledgerTxHashes, ["n1"])
    })
  )

  it.effect("proves no amount as a SUCCESS without amounts", () =>
    Effect.gen(function* () {
      for (const swapDetails of [null, {}, { ...details, amountOut: null }]) {
        const { result } = yield* status(() => json(record({ status: "SUCCESS" }, swapDetails)))
        assert.isTrue(result._tag === "Success" && result.success.value.amountOut === undefined)
      }
    })
  )

  it.effect("of another swap, or with an impossible amount, does not count as an answer", () =>
    Effect.gen(function* () {
      const wrong = [
        record({ quoteResponse: signedQuote({}, { depositAddress: "deposit-2" }) }),
        record({}, { ...details, amountOut: "-5" }),
        record({}, { ...details, refundedAmount: "1.5" })
      ]
      for (const answer of wrong) {
        const { result } = yield* status(() => json(answer))
        assert.isTrue(result._tag === "Failure" && result.failure.reason._tag === "OutcomeUnknown")
      }
    })
  )

  it.effect("of an unknown address is a refusal with the venue's text", () =>
    Effect.gen(function* () {
      const { result } = yield* status(() => json({ message: "Deposit address not found" }, 404))
      assert.isTrue(result._tag === "Failure" && result.failure.reason._tag === "Rejected")
      assert.include(result._tag === "Failure" ? result.failure.message : "", "Deposit address not found")
    })
  )
})

describe("reports of deposits", () => {
  it.effect("use the ledger's spelling, and are sent once", () =>
    Effect.gen(function* () {
      const deposit = { txHash: "tx", depositAddress: "deposit-1", memo: "m", senderAccount: "bob.near" }
      const call = Swaps.use((swaps) => swaps.submitDeposit(deposit))
      const near = scripted(() => json(record({ status: "KNOWN_DEPOSIT_TX" }), 201), verifying)
      const { value } = yield* Effect.provide(call, near.layer)
      assert.strictEqual(value.status, "KNOWN_DEPOSIT_TX")
      const body = { txHash: "tx", depositAddress: "deposit-1", memo: "m" }
      assert.deepStrictEqual(JSON.parse(bodyText(near.sent[0])), { ...body, nearSenderAccount: "bob.near" })
      const native = scripted(() => text("", 502))
      const byKey = { ...deposit, senderAccount: "a".repeat(64) }
      const error = yield* Effect.flip(
        Effect.provide(
          Swaps.use((swaps) => swaps.submitDeposit(byKey)),
          native.layer
        )
      )
      assert.strictEqual(error.reason._tag, "OutcomeUnknown")
      assert.deepStrictEqual(
        native.sent.map((sent) => JSON.parse(bodyText(sent))),
        [{ ...body, nativeSenderAccount: "a".repeat(64) }]
      )
    })
  )

  const elsewhere = [
    "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq",
    `0x${"a".repeat(40)}`,
    "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8"
  ]
  it.effect.each(elsewhere)("do not name a sender of another chain as an account of the ledger: %s", (senderAccount) =>
    Effect.gen(function* () {
      const { layer, sent } = scripted(() => json(record({ status: "KNOWN_DEPOSIT_TX" }), 201), verifying)
      const deposit = { txHash: "tx", depositAddress: "deposit-1", senderAccount }
      yield* Effect.provide(
        Swaps.use((swaps) => swaps.submitDeposit(deposit)),
        layer
      )
      assert.deepStrictEqual(JSON.parse(bodyText(sent[0])), { txHash: "tx", depositAddress: "deposit-1" })
    })
  )
})
