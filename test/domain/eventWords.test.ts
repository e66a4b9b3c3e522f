/** Every word that an event may say comes back from the journal as it was written, and no other word gets in. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { type BotEvent, BotEvent as BotEvents, StoredEvent } from "../../src/domain/BotEvent.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import type { SwapReport } from "../../src/domain/SwapRecord.ts"
import { begin, orderOf } from "../world/journalRows.ts"

const about = { strategy: "s", slot: "a", placement: "p1" }
const money = { asset: "USDC", amount: 1n }
const price = Decimal.one
const order = {
  ...about,
  market: "BTC/USDC",
  price,
  quantity: 1n,
  inputAsset: "USDC",
  inputAmount: 1n,
  outputAsset: "BTC",
  outputAmount: 1n,
  deadline: 1,
  why: { code: "x", text: "x" }
}
const bound = { ...about, orderId: "o", depositAddress: "d", estimatedWithdrawFee: 0n, estimatedRefundFee: 0n }
const asked = { ...about, ...money, orderId: "o", depositAddress: "d", validUntil: 1 }
const leg = { side: "SELL", price, quantity: 1n, by: "swap", mayLose: true } as const
const decided = {
  strategy: "s",
  bid: price,
  ask: price,
  priceAt: 1,
  desired: [{ slot: "a", side: "BUY", price, quantity: 1n, by: "swap", legs: [leg], why: order.why }],
  absent: [],
  reasons: [],
  until: { onFill: true, depth: true },
  memory: null
} as const

const events: ReadonlyArray<BotEvent> = [
  ...begin,
  ...[1, 3, 5].flatMap(orderOf),
  { _tag: "Decided", ...decided },
  ...(["BUY", "SELL"] as const).map((side) => ({ _tag: "Planned", ...order, side, by: "swap" }) as const),
  ...(["paid", "not-paid", "adopt", "forget"] as const).map(
    (word) => ({ _tag: "Resolved", ...about, word, text: "" }) as const
  ),
  ...(["pause", "drain"] as const).map(
    (action) => ({ _tag: "Paused", strategy: "s", limit: "x", action, reason: "x", follows: "contradiction" }) as const
  ),
  ...(["drained", "left"] as const).map((orders) => ({ _tag: "StrategyRemoved", strategy: "s", orders }) as const),
  ...(["reply", "list"] as const).map((via) => ({ _tag: "Bound", ...bound, via }) as const),
  ...(["manual", "command"] as const).map((wallet) => ({ _tag: "PaymentAsked", ...asked, wallet }) as const),
  ...(["payout", "refund"] as const).map(
    (which) => ({ _tag: "LegFailed", ...about, ...money, leg: which, reason: "x", follows: "contradiction" }) as const
  ),
  { _tag: "Contradiction", ...about, kind: "changed-report", what: "x", evidence: "x" }
]

/** Whatever may be left out is there. */
const agreed = {
  venue: "v",
  account: "me",
  swapType: "EXACT_INPUT",
  origin: { symbol: "BTC", id: "btc", decimals: 8 },
  destination: { symbol: "USDC", id: "usdc", decimals: 6 },
  depositType: "INTENTS",
  depositAddress: "d",
  depositMemo: "m",
  amountIn: 1n,
  minAmountIn: 1n,
  amountOut: 1n,
  minAmountOut: 1n,
  refundFee: 1n,
  recipient: "me",
  recipientType: "INTENTS",
  refundTo: "me",
  refundType: "INTENTS",
  deadline: 1,
  quote: "{}",
  isSignatureVerified: true,
  correlationId: "c"
}
const report: Required<SwapReport> = {
  status: "SUCCESS",
  deposited: 1n,
  amountIn: 1n,
  amountOut: 1n,
  refunded: 1n,
  withdrawFee: 1n,
  refundReason: "x",
  figures: { slippagePercent: 0.1, depositedUsd: "1", amountInUsd: "1", amountOutUsd: "1", refundedUsd: "1" },
  intentHashes: ["i"],
  ledgerTxHashes: ["l"],
  originTxHashes: ["o"],
  destinationTxHashes: ["d"]
}
const byHand: ReadonlyArray<BotEvent> = [
  { _tag: "Planned", ...order, side: "SELL", by: "swap", swap: agreed },
  { _tag: "SwapReported", ...about, ...report, correlationId: "c" },
  {
    _tag: "FundingSigned",
    ...about,
    ...money,
    orderId: "o",
    depositAddress: "d",
    signed: Redacted.make("s"),
    intentHash: "h",
    validUntil: 1
  }
]

const Text = Schema.fromJsonString(StoredEvent)

describe("the text of events", () => {
  it.effect("is read back as written", () =>
    Effect.gen(function* () {
      for (const event of events) {
        const text = yield* Schema.encodeEffect(Text)(event)
        assert.strictEqual(yield* Schema.encodeEffect(Text)(yield* Schema.decodeEffect(Text)(text)), text)
        assert.deepInclude(JSON.parse(text), { _tag: event._tag })
      }
    })
  )

  it.effect("keeps every field of swaps by hand, and hides their bytes outside the journal", () =>
    Effect.gen(function* () {
      for (const event of byHand) {
        const text = yield* Schema.encodeEffect(Text)(event)
        const read = yield* Schema.decodeEffect(Text)(text)
        assert.deepStrictEqual(read, event)
        assert.strictEqual(yield* Schema.encodeEffect(Text)(read), text)
        const told = yield* Schema.encodeEffect(Schema.fromJsonString(BotEvents))(event)
        assert.strictEqual(told, text.replace('"signed":"s"', '"signed":"kept in the journal"'))
      }
    })
  )

  it.effect("has only the known resolutions", () =>
    Effect.gen(function* () {
      const known = yield* Schema.encodeEffect(Text)({ _tag: "Resolved", ...about, word: "paid", text: "" })
      const exit = yield* Effect.exit(Schema.decodeEffect(Text)(known.replace("paid", "perhaps")))
      assert.strictEqual(exit._tag, "Failure")
    })
  )
})
