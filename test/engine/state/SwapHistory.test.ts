/** One swap by hand as its placement tells it: how far it is, where its money is at each moment, and how it ended. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import type { BotEvent, Of, PlacementEvent, Recorded } from "../../../src/domain/BotEvent.ts"
import type { AgreedSwap, SwapReport } from "../../../src/domain/SwapRecord.ts"
import { unclearPayment } from "../../../src/engine/funding/Paying.ts"
import { about, startEvents } from "../../../src/engine/SwapsByHand.ts"
import * as SwapHistory from "../../../src/engine/state/swaps/SwapHistory.ts"

const asset = (symbol: string) => ({ symbol, id: symbol, decimals: 6 })
const agreed: AgreedSwap = {
  venue: "v",
  account: "a",
  swapType: "EXACT_INPUT",
  origin: asset("USDC"),
  destination: asset("BTC"),
  depositType: "INTENTS",
  depositAddress: "d",
  amountIn: 100n,
  amountOut: 10n,
  minAmountOut: 9n,
  refundFee: 5n,
  recipient: "r",
  recipientType: "INTENTS",
  refundTo: "r",
  refundType: "INTENTS",
  deadline: 1_000,
  quote: "{}",
  isSignatureVerified: true,
  correlationId: "c1"
}
const of = about("s1")
const payment = { ...of, orderId: "d", depositAddress: "d", asset: "USDC", amount: 100n, validUntil: 900 }
const bytes = { signed: Redacted.make("bytes"), intentHash: "h" }
const signed: BotEvent = { _tag: "FundingSigned", ...payment, ...bytes, correlationId: "c2" }
const asked: BotEvent = { _tag: "PaymentAsked", ...payment, wallet: "command" }
const money = { ...of, asset: "USDC", amount: 100n }
const doubt: BotEvent = { _tag: "FundingInDoubt", ...money, reason: "no answer" }
const unclear: ReadonlyArray<BotEvent> = [{ _tag: "PaymentUnclear", ...of, text: "?" }, doubt]
const again: BotEvent = { _tag: "PaymentAskedAgain", ...of, attempt: 2 }
const made: BotEvent = { _tag: "PaymentMade", ...of, txHash: "t" }
const dead: BotEvent = { _tag: "FundingDead", ...money, reason: "expired" }
const dropped: BotEvent = { _tag: "Abandoned", ...of, reason: "r" }
const settled: BotEvent = { _tag: "Settled", ...of }
const wrong: BotEvent = { _tag: "Contradiction", ...of, what: "less than before", evidence: "e", correlationId: "c2" }
const failed: BotEvent = { _tag: "LegFailed", ...money, leg: "refund", reason: "gave up" }
const hashes = { intentHashes: ["i"], ledgerTxHashes: ["l"], originTxHashes: ["o"], destinationTxHashes: ["x"] }
const seen = (report: Partial<SwapReport>): BotEvent => ({
  _tag: "SwapReported",
  ...of,
  status: "PROCESSING",
  ...hashes,
  ...report
})
const deposit = (total: bigint): BotEvent => ({ _tag: "DepositSeen", ...of, asset: "USDC", total, fresh: total })
const closed: BotEvent = { _tag: "Closed", ...of, status: "SUCCESS", inputAsset: "USDC", unspent: 0n }
const said = (word: Of<"Resolved">["word"], received?: bigint): BotEvent => ({
  _tag: "Resolved",
  ...of,
  word,
  text: "looked",
  ...(received === undefined ? {} : { received })
})

const recorded = (events: ReadonlyArray<BotEvent>): ReadonlyArray<Recorded> =>
  events.map((event, index) => ({ sequence: index + 1, at: 10 * (index + 1), event }))
const told = (events: ReadonlyArray<BotEvent>, terms = agreed): SwapHistory.SwapHistory => {
  const swaps = new Map<string, SwapHistory.SwapHistory>()
  for (const entry of recorded([...startEvents("s1", terms), ...events])) SwapHistory.apply(swaps, entry)
  return swaps.get("s1") ?? assert.fail("no swap")
}
const fold = (...events: ReadonlyArray<BotEvent>): SwapHistory.SwapHistory => told(events)
const phase = (...events: ReadonlyArray<BotEvent>) => SwapHistory.phaseOf(fold(...events))
/** Where its input is, place by place as surfaces list them, zeros left out. */
const placesOf = (swap: SwapHistory.SwapHistory) => {
  const { input } = SwapHistory.moneyOf(swap)
  return Object.fromEntries(
    SwapHistory.swapPlaces.filter((place) => input[place] !== 0n).map((place) => [place, input[place]])
  )
}
const places = (...events: ReadonlyArray<BotEvent>) => placesOf(fold(...events))

describe("a swap by hand", () => {
  it("has all events recorded of it, and none of another placement", () => {
    const swap = fold(signed)
    assert.deepStrictEqual([swap.id, swap.placement.plannedAt, swap.agreed], ["s1", 10, agreed])
    assert.deepStrictEqual(
      swap.steps.map(({ at, event: { _tag }, sequence }) => [sequence, at, _tag]),
      [
        [1, 10, "Planned"],
        [2, 20, "CreateSent"],
        [3, 30, "Bound"],
        [4, 40, "FundingSigned"]
      ]
    )
    const swaps = new Map<string, SwapHistory.SwapHistory>()
    const isOther = (event: BotEvent): event is PlacementEvent => "placement" in event
    const others = startEvents("s1", agreed).flatMap((event) =>
      isOther(event) ? [{ ...event, strategy: "grid" }] : []
    )
    const stopped: BotEvent = { _tag: "BotStopped", reason: "r" }
    for (const entry of recorded([...others, stopped, signed])) SwapHistory.apply(swaps, entry)
    assert.strictEqual(swaps.size, 0)
  })

  it("has a phase by the state of its placement", () => {
    assert.strictEqual(phase(), "agreed")
    assert.strictEqual(phase(dropped), "dropped")
    assert.strictEqual(phase(signed), "funding")
    assert.strictEqual(phase(signed, doubt), "funding")
    assert.strictEqual(phase(asked, ...unclear), "funding")
    assert.strictEqual(phase(signed, seen({ deposited: 0n })), "funding")
    assert.strictEqual(phase(signed, deposit(100n)), "deposited")
    assert.strictEqual(phase(signed, deposit(100n), closed), "deposited")
    assert.strictEqual(phase(signed, deposit(100n), closed, failed), "ended")
    assert.strictEqual(phase(signed, deposit(100n), closed, settled), "ended")
    assert.strictEqual(phase(signed, dead), "ended")
  })

  it("continues if a deposit shows after an end without a payment", () => {
    assert.strictEqual(phase(dropped, deposit(1n)), "deposited")
    assert.strictEqual(phase(signed, dead, deposit(1n)), "deposited")
    assert.isUndefined(SwapHistory.endOf(fold(signed, dead, deposit(1n))))
  })

  it("is over once it has ended or is dropped", () => {
    assert.isFalse(SwapHistory.isOver(fold(signed)))
    assert.isTrue(SwapHistory.isOver(fold(signed, dead)))
    assert.isTrue(SwapHistory.isOver(fold(dropped)))
    assert.isUndefined(SwapHistory.endOf(fold(dropped)), "it was not paid, so nothing ended")
  })

  it("follows the operator's answer", () => {
    const paid = fold(signed, doubt, said("paid"))
    assert.deepStrictEqual([paid.placement.state, paid.placement.funding?.acknowledged], ["funding", true])
    assert.isDefined(unclearPayment(fold(asked, ...unclear).placement))
    assert.isUndefined(unclearPayment(fold(asked, ...unclear, said("paid")).placement), "somebody knows")
    for (const [word, outcome] of [
      ["not-paid", "unfunded"],
      ["forget", "unproven"]
    ] as const)
      assert.deepStrictEqual(SwapHistory.endOf(fold(signed, doubt, said(word))), { outcome, text: "looked" })
    assert.strictEqual(fold(signed, wrong).placement.contradiction, "less than before")
    assert.isUndefined(fold(signed, wrong, said("adopt")).placement.contradiction)
  })

  it("names its requests and transactions, once each", () => {
    const swap = fold(signed, seen({}), wrong)
    assert.deepStrictEqual(SwapHistory.correlationIdsOf(swap), ["c1", "c2"])
    assert.deepStrictEqual(SwapHistory.hashesOf(swap), ["i", "l", "o", "x"])
    assert.deepStrictEqual(SwapHistory.hashesOf(fold(signed)), [])
  })
})

describe("the money of a swap", () => {
  it("is in no place until it is signed or requested from a wallet, then in flight or in doubt", () => {
    assert.deepStrictEqual(places(), {})
    assert.deepStrictEqual(places(dropped), {})
    assert.deepStrictEqual(places(signed), { "deposit in flight": 100n })
    assert.deepStrictEqual(places(signed, doubt), { "in doubt": 100n })
    assert.deepStrictEqual(places(signed, doubt, said("paid")), { "deposit in flight": 100n })
    assert.deepStrictEqual(places(asked), { "deposit in flight": 100n })
    assert.deepStrictEqual(places(asked, ...unclear), { "in doubt": 100n })
    assert.deepStrictEqual(places(asked, ...unclear, again), { "deposit in flight": 100n })
    assert.deepStrictEqual(places(asked, dead), {})
    assert.deepStrictEqual(places(asked, made), { "deposit in flight": 100n })
  })

  it("is in the swap as far as a deposit shows", () => {
    const shown = (deposited: bigint) => places(signed, seen({ deposited }), deposit(deposited))
    assert.deepStrictEqual(shown(70n), { "deposit in flight": 30n, "in swap": 70n })
    assert.deepStrictEqual(shown(130n), { "in swap": 130n })
    assert.deepStrictEqual(shown(100n), { "in swap": 100n })
  })

  const ended = (report: Partial<SwapReport>, terms = agreed) =>
    told([signed, seen(report), deposit(report.deposited ?? 0n), closed, settled], terms)

  it("is spent, returned, a fee or unexplained at the end, and adds up to the input", () => {
    const end = (report: Partial<SwapReport>) => placesOf(ended(report))
    assert.deepStrictEqual(end({ deposited: 100n, amountIn: 100n, amountOut: 10n }), { spent: 100n })
    assert.deepStrictEqual(end({ deposited: 100n, refunded: 95n }), { refunded: 95n, fees: 5n })
    assert.deepStrictEqual(end({ deposited: 100n, refunded: 97n }), { refunded: 97n, fees: 3n })
    assert.deepStrictEqual(end({ deposited: 100n, refunded: 1n }), { refunded: 1n, fees: 5n, residual: 94n })
    assert.deepStrictEqual(end({ deposited: 100n, amountIn: 60n, refunded: 30n }), {
      spent: 60n,
      refunded: 30n,
      fees: 5n,
      residual: 5n
    })
    assert.deepStrictEqual(end({ deposited: 100n, amountIn: 60n, refunded: 70n }), { spent: 60n, refunded: 40n })
    assert.deepStrictEqual(end({ deposited: 100n, amountIn: 130n }), { spent: 100n })
    assert.deepStrictEqual(end({ deposited: 130n, amountIn: 100n }), { spent: 100n, residual: 30n })
    assert.deepStrictEqual(end({}), { residual: 100n })
    assert.deepStrictEqual(places(signed, dead), {})
    const { refundFee: _, ...unsaid } = agreed
    for (const terms of [{ ...agreed, refundFee: 0n }, unsaid])
      assert.strictEqual(SwapHistory.moneyOf(ended({ deposited: 100n, refunded: 95n }, terms)).input.residual, 5n)
  })

  it("counts as received by proven amounts, or by the operator's answer, once the swap is over", () => {
    const received = (...events: ReadonlyArray<BotEvent>) => SwapHistory.moneyOf(fold(signed, ...events)).received
    const report = seen({ deposited: 100n, amountIn: 100n, amountOut: 10n })
    assert.strictEqual(received(report, deposit(100n)), 0n)
    assert.strictEqual(received(report, deposit(100n), closed, settled), 10n)
    assert.strictEqual(received(deposit(100n), closed, failed), 0n)
    assert.strictEqual(received(dead), 0n)
    const bare = seen({ status: "SUCCESS", deposited: 100n })
    const arrived = fold(signed, bare, deposit(100n), said("paid", 8n), closed, settled)
    assert.deepStrictEqual([placesOf(arrived), SwapHistory.moneyOf(arrived).received], [{ spent: 100n }, 8n])
    assert.strictEqual(SwapHistory.endOf(arrived)?.outcome, "paid")
  })
})

describe("the conclusion of a swap", () => {
  const conclusion = (report: Partial<SwapReport> | undefined, terms: Partial<AgreedSwap> = {}) =>
    SwapHistory.conclusion({ ...agreed, ...terms }, report && { status: "PROCESSING", ...report })

  it("follows the amounts, not the venue's status", () => {
    const outcome = (...args: Parameters<typeof conclusion>) => conclusion(...args).outcome
    assert.strictEqual(outcome({ status: "SUCCESS", amountIn: 100n, amountOut: 9n }), "paid")
    assert.strictEqual(outcome({ status: "SUCCESS", amountIn: 1n, amountOut: 9n }), "paid")
    assert.strictEqual(outcome({ status: "SUCCESS", amountIn: 100n, amountOut: 8n }), "unproven")
    assert.strictEqual(outcome({ amountIn: 100n, amountOut: 8n }, { swapType: "FLEX_INPUT" }), "paid")
    assert.strictEqual(outcome({ status: "SUCCESS", amountOut: 9n }), "unproven")
    assert.strictEqual(outcome({ status: "REFUNDED", amountIn: 100n, amountOut: 9n }), "unproven")
    assert.strictEqual(outcome({ status: "FAILED", amountIn: 100n, amountOut: 9n }), "failed")
    assert.strictEqual(outcome({ status: "REFUNDED", refunded: 1n }), "refunded")
    assert.strictEqual(outcome({ status: "REFUNDED", refunded: 0n }), "unproven")
    assert.strictEqual(outcome({ status: "SUCCESS", amountIn: 100n, amountOut: 0n }), "unproven")
    assert.strictEqual(outcome(undefined), "unproven")
    const { minAmountOut: _, ...open } = agreed
    assert.strictEqual(SwapHistory.conclusion(open, { amountIn: 100n, amountOut: 1n }).outcome, "paid")
  })

  it("gives the reason, with the venue's reason for a refund", () => {
    const text = (...args: Parameters<typeof conclusion>) => conclusion(...args).text
    assert.strictEqual(text({ refunded: 1n }), "the input came back")
    assert.strictEqual(text({ refunded: 1n, refundReason: "too late" }), "the input came back (too late)")
    assert.strictEqual(text({ status: "FAILED", refundReason: "x" }), "the venue gave it up (x)")
    assert.strictEqual(text({ status: "ODD" }), "the venue says ODD without an amount that proves it")
    assert.strictEqual(text(undefined), "the venue says nothing without an amount that proves it")
    assert.strictEqual(text({ amountIn: 1n, amountOut: 8n }), "it paid 8, less than the least of 9")
  })

  it("is the final text about it", () => {
    const left = [signed, seen({ deposited: 100n, status: "FAILED" }), deposit(100n), closed, failed]
    assert.deepStrictEqual(SwapHistory.endOf(told(left)), { outcome: "failed", text: "the venue gave it up: gave up" })
    assert.strictEqual(SwapHistory.endOf(told([...left, settled]))?.text, "the venue gave it up")
    assert.strictEqual(SwapHistory.endOf(fold(signed, dead))?.text, "expired")
  })
})
