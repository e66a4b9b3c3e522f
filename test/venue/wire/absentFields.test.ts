/** Absent, null and empty are one thing in swaps, histories and payments as well: what can be told is told, the rest is named. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { Venue } from "../../../src/venue/Venue.ts"
import { entryOf, isOdd } from "../../../src/venue/wire/HistoryEntry.ts"
import { TransactionRecord } from "../../../src/venue/wire/WireHistory.ts"
import { ShownQuote } from "../../../src/venue/wire/WireQuote.ts"
import { SwapStatusResponse, toSwap, toWithdrawals } from "../../../src/venue/wire/WireSwap.ts"
import { type Attributes, withField } from "../../world/bot/orderReports.ts"
import { json, scripted } from "../../world/service/scriptedVenue.ts"

const quoteRequest = {
  dry: false,
  swapType: "EXACT_INPUT",
  originAsset: "base",
  destinationAsset: "quote",
  depositType: "INTENTS",
  recipient: "me",
  recipientType: "INTENTS",
  refundTo: "me",
  refundType: "INTENTS",
  deadline: "2026-02-03T00:00:00.000Z"
}
const quote = { amountIn: "1000", amountOut: "900", minAmountOut: "890", depositAddress: "deposit-1", refundFee: "3" }
const details = {
  depositedAmount: "1000",
  amountIn: "1000",
  amountOut: "900",
  refundedAmount: "0",
  withdrawFee: "1",
  refundReason: "UNKNOWN",
  intentHashes: ["hash"],
  nearTxHashes: ["hash"]
}
const status: Attributes = {
  correlationId: "1",
  quoteResponse: { timestamp: "2026-02-02T00:00:00.000Z", signature: "s", quoteRequest, quote },
  status: "SUCCESS",
  updatedAt: "2026-02-02T00:01:00.000Z",
  swapDetails: details
}

const swapOf = (said: Attributes) =>
  Effect.suspend(() => {
    const { layer } = scripted(() => json(said))
    return Venue.use((venue) => venue.getSwap("deposit-1")).pipe(
      Effect.provide(layer),
      Effect.map(({ value: { depositedAmount, fills, fillStatus } }) => ({ depositedAmount, fills, fillStatus })),
      Effect.match({ onFailure: ({ reason }) => reason.message, onSuccess: (value) => value })
    )
  })

describe("the status of a swap", () => {
  const lists = ["intentHashes", "nearTxHashes"]
  it.each([...Object.keys(details).map((name) => `swapDetails.${name}`), "updatedAt", "correlationId", "swapDetails"])(
    "may omit %s, in any way",
    (path) => {
      const read = (value: unknown) =>
        Result.flatMap(Schema.decodeUnknownResult(SwapStatusResponse)(withField(status, path, value)), toSwap)
      const absent = read(undefined)
      assert.isTrue(Result.isSuccess(absent), path)
      assert.deepStrictEqual(read(null), absent)
      const empty = path === "swapDetails" ? {} : lists.some((name) => path.endsWith(name)) ? [] : ""
      assert.deepStrictEqual(read(empty), path === "swapDetails.refundReason" ? read("") : absent)
    }
  )

  const echoed = [
    ...Object.keys(quoteRequest).filter((name) => name !== "dry"),
    ...Object.keys(ShownQuote.fields).map((name) => `/${name}`)
  ].map((name) => (name.startsWith("/") ? `quoteResponse.${name.slice(1)}` : `quoteResponse.quoteRequest.${name}`))
  const all = [...echoed, ...Object.keys(quote).map((name) => `quoteResponse.quote.${name}`), "quoteResponse"]
  it.effect.each(all.map((path) => [path] as const))("has its outcome without %s", ([path]) =>
    Effect.gen(function* () {
      const whole = yield* swapOf(status)
      const absent = yield* swapOf(withField(status, path, undefined))
      assert.deepStrictEqual(yield* swapOf(withField(status, path, null)), absent)
      const isNeeded = ["quoteResponse", "quoteResponse.quote", "quoteResponse.quote.depositAddress"].includes(path)
      if (isNeeded) assert.match(String(absent), /depositAddress is missing/)
      else assert.deepStrictEqual(absent, whole)
    })
  )

  it.effect("takes no absent amount for zero", () =>
    Effect.gen(function* () {
      const unknown = withField(withField(status, "swapDetails", null), "quoteResponse.quote.amountIn", "")
      for (const word of ["PROCESSING", "REFUNDED", "FAILED", "SUCCESS"])
        assert.match(String(yield* swapOf({ ...unknown, status: word })), /does not say what is to be deposited/)
      assert.deepInclude(yield* swapOf({ ...unknown, status: "PENDING_DEPOSIT" }), { depositedAmount: 0n })
    })
  )
})

describe("a record of the history", () => {
  const line: Attributes = {
    originAsset: "base",
    destinationAsset: "quote",
    depositAddress: "deposit-1",
    depositMemo: null,
    status: "SUCCESS",
    createdAt: "2026-02-02T00:00:00.000Z",
    intentHashes: "hash",
    referral: null,
    amountIn: "1000",
    amountOut: "900",
    refundFee: "3"
  }
  const needed = ["depositAddress", "status", "createdAt", "amountIn", "amountOut"]
  it.each(Object.keys(TransactionRecord.fields))("without %s shows the rest", (name) => {
    for (const value of [undefined, null, ""]) {
      const entry = entryOf(withField(line, name, value))
      if (needed.includes(name)) {
        assert.isTrue(isOdd(entry), name)
        assert.include(entry.problem ?? "", name)
      } else if (name !== "appFees" && !/Hashes$|senders|createdAtTimestamp/.test(name)) {
        assert.deepInclude(entry, { amountIn: 1000n, amountOut: 900n }, name)
      }
    }
  })
})

describe("a list of payments", () => {
  const payment = { status: "SUCCESS", amountOut: "5", withdrawFee: "1", timestamp: "2026-02-02T00:00:00.000Z" }
  it("shows the others if one of them lacks a field", () => {
    for (const name of Object.keys(payment))
      for (const value of [undefined, null, ""]) {
        const { odd, withdrawals } = toWithdrawals({ withdrawals: [withField(payment, name, value), payment] })
        assert.strictEqual(withdrawals.length + odd.length, 2, name)
        assert.strictEqual(withdrawals.at(-1)?.amountOut, 5n)
        if (name === "withdrawFee" || name === "timestamp") assert.lengthOf(odd, 0, name)
      }
  })
})
