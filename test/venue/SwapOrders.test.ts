/** Swaps as orders over the real client: what is asked, what is refused before any money follows, and what a status means. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Decimal from "../../src/domain/Decimal.ts"
import { type CreateSwap, Venue } from "../../src/venue/Venue.ts"
import { bodyText, json, scripted, testAccount, text } from "../world/service/scriptedVenue.ts"

/** One base for at least 990 of the quote. */
const swap: CreateSwap = {
  side: "SELL",
  baseAsset: "base",
  quoteAsset: "quote",
  quantity: 1000n,
  price: Decimal.make(99n, 2),
  deadline: Date.UTC(2026, 1, 3),
  inputAmount: 1000n,
  outputAmount: 990n
}

interface Request {
  readonly [field: string]: unknown
  readonly dry: boolean
  readonly slippageTolerance: number
}

/** Answers like the venue: the request as it was, and amounts by the tolerance. */
const quoted = (request: Request, amountOut: bigint, change: object = {}) => ({
  timestamp: "2026-02-02T00:00:00.000Z",
  quoteRequest: request,
  quote: {
    amountIn: "1000",
    amountOut: String(amountOut),
    minAmountOut: String((amountOut * BigInt(10_000 - request.slippageTolerance)) / 10_000n),
    ...(request.dry ? {} : { depositAddress: "deposit-1" }),
    refundFee: "3",
    ...change
  }
})

const create = (
  answer: (request: Request, attempt: number) => object,
  asked: CreateSwap = swap
): Effect.Effect<{ readonly said: string; readonly requests: ReadonlyArray<Request> }> =>
  Effect.suspend(() => {
    const { layer, sent } = scripted((request, attempt) => json(answer(JSON.parse(bodyText(request)), attempt), 201))
    return Venue.use((venue) => venue.createSwap(asked)).pipe(
      Effect.provide(layer),
      Effect.map(({ value }) => `${value.id} ${value.inputAmount} ${value.outputAmount} ${value.fillStatus}`),
      Effect.catch(({ reason }) => Effect.succeed(`${reason._tag} ${reason.message}`)),
      Effect.map((said) => ({ said, requests: sent.map((each) => JSON.parse(bodyText(each))) }))
    )
  })

/** Terms that every status repeats. */
const fixed = { deadline: "2026-02-03T00:00:00.000Z" }

const status = (word: string, details: object, change: object = {}) =>
  Effect.suspend(() => {
    const request = {
      dry: false,
      slippageTolerance: 50,
      originAsset: "base",
      destinationAsset: "quote",
      ...fixed,
      ...change
    }
    const answer = { quoteResponse: quoted(request, 1000n), status: word, swapDetails: details }
    const { layer } = scripted(() => json(answer))
    return Venue.use((venue) => venue.getSwap("deposit-1")).pipe(
      Effect.provide(layer),
      Effect.map(({ value }) => ({
        status: value.fillStatus,
        deposited: value.depositedAmount,
        fills: value.fills.map(({ amountIn, amountOut }) => [amountIn, amountOut]),
        paid: value.withdrawals.map((leg) => `${leg.status} ${leg.txHash ?? ""}`.trim()),
        refund: value.refund?.status,
        refundFee: value.estimatedRefundFee,
        isFinal: value.payoutIsFinal
      }))
    )
  })

const nothing = { fills: [], paid: [], refund: undefined, refundFee: 3n, isFinal: false }

describe("a swap as an order", () => {
  it.effect("is checked by a dry quote first, then quoted with most of the room that its limit leaves", () =>
    Effect.gen(function* () {
      const { said, requests } = yield* create((request) => quoted(request, 1010n))
      assert.strictEqual(said, "deposit-1 1000 992 AWAITING_DEPOSIT")
      assert.deepStrictEqual(
        requests.map(({ dry, slippageTolerance }) => [dry, slippageTolerance]),
        [
          [true, 0],
          [false, 178]
        ]
      )
      assert.deepInclude(requests[1], {
        swapType: "EXACT_INPUT",
        originAsset: "base",
        destinationAsset: "quote",
        amount: "1000",
        recipient: testAccount,
        refundTo: testAccount,
        deadline: "2026-02-03T00:00:00.000Z"
      })
    })
  )

  it.effect("buys with the quote", () =>
    Effect.gen(function* () {
      const buying = { ...swap, side: "BUY", inputAmount: 1000n, outputAmount: 900n } as const
      const { requests } = yield* create((request) => quoted(request, 1000n), buying)
      assert.deepInclude(requests[1], { originAsset: "quote", destinationAsset: "base", slippageTolerance: 900 })
    })
  )

  it.effect("is refused before any payment if it returns less than the limit, now or a little later", () =>
    Effect.gen(function* () {
      const worse = yield* create((request) => quoted(request, 986n))
      assert.strictEqual(
        worse.said,
        "Rejected The venue refused to quote a swap: worse-price: the swap would bring 0.41 % less than allowed"
      )
      assert.lengthOf(worse.requests, 1)
      const moved = yield* create((request, attempt) => quoted(request, attempt === 1 ? 1010n : 1005n))
      assert.include(moved.said, "worse-price: the swap would bring 0.3")
      const silent = yield* create((request) => quoted(request, 1010n, { minAmountOut: null }))
      assert.include(silent.said, "it pays out 1010 but promises only nothing: with the agreed tolerance of 1.78 %")
    })
  )

  it.effect("is not trusted with another's echo, and is refused without an address", () =>
    Effect.gen(function* () {
      const other = yield* create((request) => quoted({ ...request, ...{ recipient: "mallory" } }, 1010n))
      assert.include(other.said, "quote cannot be trusted: it answers another recipient")
      const nowhere = yield* create((request) => quoted(request, 1010n, { depositAddress: null }))
      assert.include(nowhere.said, "quote cannot be trusted: it has no deposit address")
    })
  )

  it.effect("has an unknown outcome if the answer is lost", () =>
    Effect.gen(function* () {
      const { layer } = scripted((request) => {
        const asked: Request = JSON.parse(bodyText(request))
        return asked.dry ? json(quoted(asked, 1010n)) : text("gateway", 504)
      })
      const failure = yield* Venue.use((venue) => venue.createSwap(swap)).pipe(Effect.provide(layer), Effect.flip)
      assert.strictEqual(failure.reason._tag, "OutcomeUnknown")
    })
  )
})

describe("the status of a swap", () => {
  it.effect("becomes an order that waits, is known, is open, and fills", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* status("PENDING_DEPOSIT", {}), {
        ...nothing,
        status: "AWAITING_DEPOSIT",
        deposited: 0n
      })
      assert.deepStrictEqual(yield* status("KNOWN_DEPOSIT_TX", {}), {
        ...nothing,
        status: "KNOWN_DEPOSIT_TX",
        deposited: 0n
      })
      assert.deepStrictEqual(yield* status("PROCESSING", { depositedAmount: "1000" }), {
        ...nothing,
        status: "OPEN",
        deposited: 1000n
      })
      const done = { depositedAmount: "1000", amountIn: "1000", amountOut: "1002", nativeTxHashes: ["hash"] }
      assert.deepStrictEqual(yield* status("SUCCESS", done), {
        ...nothing,
        status: "FILLED",
        deposited: 1000n,
        fills: [[1000n, 1002n]],
        paid: ["COMPLETED hash"],
        isFinal: true
      })
    })
  )

  it.effect("that nobody paid is over after its deadline", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 1, 3))
      assert.strictEqual((yield* status("PENDING_DEPOSIT", {})).status, "AWAITING_DEPOSIT")
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* status("PENDING_DEPOSIT", {})).status, "EXPIRED")
      assert.strictEqual((yield* status("KNOWN_DEPOSIT_TX", {})).status, "KNOWN_DEPOSIT_TX")
    })
  )

  it.effect("becomes a refund in full or less a fee", () =>
    Effect.gen(function* () {
      const back = { ...nothing, status: "CANCELED", deposited: 1000n, refund: "COMPLETED", isFinal: true }
      const amounts = { depositedAmount: "1000", amountIn: "0", amountOut: "0" }
      assert.deepStrictEqual(yield* status("REFUNDED", { ...amounts, refundedAmount: "1000" }), {
        ...back,
        refundFee: 0n
      })
      assert.deepStrictEqual(yield* status("REFUNDED", amounts), back, "the fee of the quote, where none is told")
    })
  )

  it.effect("counts by its amounts: a claim without them closes nothing, and a deposit is not forgotten", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* status("SUCCESS", {}), { ...nothing, status: "SUCCESS", deposited: 1000n })
      assert.deepStrictEqual(yield* status("PROCESSING", {}), { ...nothing, status: "OPEN", deposited: 1000n })
      assert.deepStrictEqual(yield* status("HALTED", { depositedAmount: "1000" }), {
        ...nothing,
        status: "HALTED",
        deposited: 1000n
      })
    })
  )

  it.effect("that is given up names what is lost", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* status("FAILED", { depositedAmount: "1000" }), {
        ...nothing,
        status: "CANCELED",
        deposited: 1000n,
        refund: "FAILED",
        isFinal: true
      })
    })
  )

  it.effect("of another swap does not count as an answer", () =>
    Effect.gen(function* () {
      const { layer } = scripted(() =>
        json({
          quoteResponse: quoted({ dry: false, slippageTolerance: 0 }, 1000n, { depositAddress: "deposit-2" }),
          status: "SUCCESS"
        })
      )
      const failure = yield* Venue.use((venue) => venue.getSwap("deposit-1")).pipe(Effect.provide(layer), Effect.flip)
      assert.strictEqual(failure.reason._tag, "OutcomeUnknown")
    })
  )
})
