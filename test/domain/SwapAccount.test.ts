/** One swap as its steps tell it: what may follow what, where its money is at each of them, and how it ended. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import * as SwapAccount from "../../src/domain/SwapAccount.ts"
import type { SwapEvent, SwapEventOf } from "../../src/domain/SwapEvent.ts"

const asset = (symbol: string) => ({ symbol, id: symbol, decimals: 6 })
const agreed: SwapEventOf<"SwapAgreed"> = {
  _tag: "SwapAgreed",
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
  isSignatureVerified: true
}
const signed: SwapEvent = {
  _tag: "IntentSigned",
  amount: 100n,
  signed: Redacted.make("bytes"),
  intentHash: "h",
  validUntil: 900
}
const asked: SwapEvent = { _tag: "WalletAsked", attempt: 1, wallet: "command", amount: 100n }
const hashes = { intentHashes: [], ledgerTxHashes: [], originTxHashes: [], destinationTxHashes: [] }
const seen = (report: Partial<SwapEventOf<"SwapSeen">>): SwapEventOf<"SwapSeen"> => ({
  _tag: "SwapSeen",
  status: "PROCESSING",
  ...hashes,
  ...report
})
const ended = (outcome: SwapEventOf<"SwapEnded">["outcome"]): SwapEvent => ({ _tag: "SwapEnded", outcome, text: "t" })
const said = (word: SwapEventOf<"SwapResolved">["word"]): SwapEvent => ({ _tag: "SwapResolved", word, text: "looked" })

const steps = (events: ReadonlyArray<SwapEvent>) =>
  events.map((event, index) => ({ swap: "s1", step: index + 1, at: 10 * (index + 1), event }))
const fold = (...events: ReadonlyArray<SwapEvent>): SwapAccount.SwapAccount =>
  SwapAccount.fold(steps([agreed, ...events])) ?? assert.fail("no swap")
/** Where its input is, zeros left out. */
const places = (...events: ReadonlyArray<SwapEvent>) =>
  Object.fromEntries(Object.entries(SwapAccount.moneyOf(fold(...events)).input).filter(([, amount]) => amount !== 0n))

describe("the steps of a swap", () => {
  it("begin with what was agreed, and follow each other without a gap", () => {
    assert.strictEqual(SwapAccount.fold([]), undefined)
    const account = fold(signed)
    assert.deepStrictEqual([account.id, account.steps, account.agreedAt, account.timeline.length], ["s1", 2, 10, 2])
    assert.deepStrictEqual(account.timeline, steps([agreed, signed]))
    const [first, second] = steps([agreed, signed])
    if (first === undefined || second === undefined) return assert.fail("no steps")
    const broken = /Broken invariant of the journal of swaps/
    assert.throws(() => SwapAccount.fold([{ ...second, step: 1 }]), broken)
    assert.throws(() => SwapAccount.fold([{ ...first, step: 2 }]), /step 2 of s1 \(SwapAgreed\) starts a swap/)
    assert.throws(
      () => SwapAccount.fold([first, { ...second, step: 3 }]),
      /step 3 of s1 \(IntentSigned\) follows step 1/
    )
    assert.throws(() => SwapAccount.fold([first, { ...second, step: 1 }]), broken)
    assert.throws(() => fold(agreed), broken)
  })

  it("sign once, drop only what nobody pays, and ask a wallet again only when it did not pay", () => {
    assert.throws(() => fold(signed, signed), /signed twice/)
    assert.strictEqual(fold({ _tag: "SwapDropped", reason: "r" }).phase, "dropped")
    assert.throws(() => fold(signed, { _tag: "SwapDropped", reason: "r" }), /dropped after it was funded/)
    const unclear: SwapEvent = { _tag: "WalletUnclear", text: "?" }
    const paid: SwapEvent = { _tag: "WalletPaid", txHash: "t" }
    for (const between of [[], [unclear], [paid]]) assert.throws(() => fold(asked, ...between, asked), /asked twice/)
    for (const between of [
      { _tag: "WalletRefused", text: "no" },
      { _tag: "WalletReleased", reason: "looked" }
    ] as const)
      assert.strictEqual(fold(asked, between, { ...asked, attempt: 2 }).wallet?.attempts, 2)
    for (const answer of [unclear, paid, { _tag: "DepositReported", txHash: "t" } as const])
      assert.throws(() => fold(answer), /whose wallet was never asked/)
  })

  it("tell how far its signed payment and its wallet are", () => {
    assert.deepInclude(fold(signed).intent, { amount: 100n, signed: "bytes", attempts: 0, acknowledged: false })
    const sent: SwapEvent = { _tag: "IntentSent", attempt: 2 }
    assert.deepInclude(fold(signed, sent).intent, { attempts: 2, lastSentAt: 30 })
    assert.isTrue(fold(signed, sent, { _tag: "IntentAcknowledged", intentHash: "h" }).intent?.acknowledged)
    const answered: SwapEvent = { _tag: "IntentAnswered", code: "C", text: "invalid signature" }
    assert.deepInclude(fold(signed, answered).intent, { lastAnswer: "C: invalid signature", clearRefusals: 1 })
    assert.strictEqual(fold(answered).intent, undefined)
    assert.strictEqual(fold(sent).intent, undefined)
    assert.deepStrictEqual(fold(signed, { _tag: "IntentDead", reason: "r" }).phase, "funding")

    assert.strictEqual(fold(asked).phase, "funding")
    assert.strictEqual(fold(seen({ deposited: 1n }), asked).phase, "deposited")
    assert.deepStrictEqual(fold(asked).wallet, {
      wallet: "command",
      amount: 100n,
      attempts: 1,
      askedAt: 20,
      state: "asked",
      isReported: false
    })
    assert.deepInclude(fold(asked, { _tag: "WalletPaid", txHash: "t", sender: "w" }).wallet, {
      state: "paid",
      txHash: "t",
      sender: "w"
    })
    assert.deepInclude(fold(asked, { _tag: "WalletRefused", text: "no" }).wallet, { state: "refused", text: "no" })
    assert.deepInclude(fold(asked, { _tag: "WalletUnclear", text: "?" }).wallet, { state: "unclear", text: "?" })
    assert.deepInclude(fold(asked, { _tag: "WalletReleased", reason: "l" }).wallet, { state: "released", text: "l" })
    assert.isTrue(fold(asked, { _tag: "DepositReported", txHash: "t" }).wallet?.isReported)
  })

  it("begin anew when a deposit shows after an end without a payment, and after no other end", () => {
    const phase = (...events: ReadonlyArray<SwapEvent>) => fold(...events).phase
    const deposit = seen({ deposited: 1n })
    assert.strictEqual(phase(seen({ deposited: 0n })), "agreed")
    assert.strictEqual(phase(seen({})), "agreed")
    assert.strictEqual(phase(deposit), "deposited")
    assert.strictEqual(phase({ _tag: "SwapDropped", reason: "r" }, deposit), "deposited")
    assert.strictEqual(phase({ _tag: "SwapDropped", reason: "r" }, seen({ deposited: 0n })), "dropped")
    assert.strictEqual(phase(signed, ended("unfunded"), deposit), "deposited")
    assert.strictEqual(fold(signed, ended("unfunded"), deposit).ended, undefined)
    assert.strictEqual(phase(signed, deposit, ended("paid"), deposit), "ended")
    assert.deepStrictEqual([fold(deposit).seenAt, fold(deposit).seen], [20, deposit])
  })

  it("take the operator's word", () => {
    const doubt: SwapEvent = { _tag: "SwapInDoubt", reason: "no answer" }
    const wrong: SwapEvent = { _tag: "SwapContradicted", what: "less than before", evidence: "e" }
    assert.strictEqual(fold(signed, doubt).doubt, "no answer")
    const paid = fold(signed, doubt, said("paid"))
    assert.deepStrictEqual([paid.doubt, paid.intent?.acknowledged, paid.wallet], [undefined, true, undefined])
    const wallet = fold(asked, { _tag: "WalletUnclear", text: "?" }, said("paid"))
    assert.deepStrictEqual([wallet.wallet?.state, wallet.intent], ["paid", undefined])
    for (const [word, outcome] of [
      ["not-paid", "unfunded"],
      ["forget", "unproven"]
    ] as const) {
      const over = fold(signed, doubt, said(word))
      assert.deepStrictEqual([over.phase, over.ended], ["ended", { _tag: "SwapEnded", outcome, text: "looked" }])
    }
    assert.strictEqual(fold(signed, wrong).contradiction, "less than before")
    const adopted = fold(signed, wrong, said("adopt"))
    assert.isTrue("contradiction" in adopted)
    assert.strictEqual(adopted.contradiction, undefined)
    assert.isFalse("contradiction" in fold(signed, said("adopt")))
  })

  it("are over when it ended or was dropped", () => {
    assert.isFalse(SwapAccount.isOver(fold(signed)))
    assert.isTrue(SwapAccount.isOver(fold(signed, ended("failed"))))
    assert.isTrue(SwapAccount.isOver(fold({ _tag: "SwapDropped", reason: "r" })))
  })
})

describe("the money of a swap", () => {
  it("is nowhere until it was signed for or asked of a wallet, and then on its way or in doubt", () => {
    assert.deepStrictEqual(places(), {})
    assert.deepStrictEqual(places(signed), { "deposit in flight": 100n })
    assert.deepStrictEqual(places(signed, { _tag: "SwapInDoubt", reason: "r" }), { "in doubt": 100n })
    assert.deepStrictEqual(places(asked), { "deposit in flight": 100n })
    assert.deepStrictEqual(places(asked, { _tag: "WalletUnclear", text: "?" }), { "in doubt": 100n })
    assert.deepStrictEqual(places(asked, { _tag: "WalletRefused", text: "no" }), {})
    assert.deepStrictEqual(places(asked, { _tag: "WalletReleased", reason: "l" }), {})
    assert.deepStrictEqual(places(asked, { _tag: "WalletPaid", txHash: "t" }), { "deposit in flight": 100n })
  })

  it("is in the swap as far as a deposit shows", () => {
    assert.deepStrictEqual(places(signed, seen({ deposited: 70n })), { "deposit in flight": 30n, "in swap": 70n })
    assert.deepStrictEqual(places(signed, seen({ deposited: 130n })), { "in swap": 130n })
    assert.deepStrictEqual(places(signed, seen({ deposited: 100n })), { "in swap": 100n })
  })

  it("is spent, came back, or is named as a fee or unexplained when it ended, and adds up to what left", () => {
    const end = (report: Partial<SwapEventOf<"SwapSeen">>) => places(signed, seen(report), ended("unproven"))
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
    assert.deepStrictEqual(places(signed, ended("unfunded")), {})
    const free = SwapAccount.fold(
      steps([{ ...agreed, refundFee: 0n }, signed, seen({ deposited: 100n, refunded: 95n }), ended("refunded")])
    )
    assert.strictEqual(free && SwapAccount.moneyOf(free).input.residual, 5n)
    const { refundFee: _, ...unsaid } = agreed
    const unknown = SwapAccount.fold(
      steps([unsaid, signed, seen({ deposited: 100n, refunded: 95n }), ended("refunded")])
    )
    assert.strictEqual(unknown && SwapAccount.moneyOf(unknown).input.residual, 5n)
  })

  it("received is what amounts prove, once it is over", () => {
    const received = (...events: ReadonlyArray<SwapEvent>) => SwapAccount.moneyOf(fold(signed, ...events)).received
    const report = seen({ deposited: 100n, amountIn: 100n, amountOut: 10n })
    assert.strictEqual(received(report), 0n)
    assert.strictEqual(received(report, ended("paid")), 10n)
    assert.strictEqual(received(ended("failed")), 0n)
    assert.strictEqual(received(ended("unfunded")), 0n)
  })
})

describe("the conclusion of a swap", () => {
  const conclusion = (report: Partial<SwapEventOf<"SwapSeen">> | undefined, terms: Partial<typeof agreed> = {}) =>
    SwapAccount.conclusion({
      agreed: { ...agreed, ...terms },
      ...(report === undefined ? {} : { seen: seen(report) })
    })

  it("is by amounts, not by the venue's word", () => {
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
    const least = { agreed: open, seen: seen({ amountIn: 100n, amountOut: 1n }) }
    assert.strictEqual(SwapAccount.conclusion(least).outcome, "paid")
  })

  it("says why, with the venue's reason for a refund", () => {
    const text = (...args: Parameters<typeof conclusion>) => conclusion(...args).text
    assert.strictEqual(text({ refunded: 1n }), "the input came back")
    assert.strictEqual(text({ refunded: 1n, refundReason: "too late" }), "the input came back (too late)")
    assert.strictEqual(text({ status: "FAILED", refundReason: "x" }), "the venue gave it up (x)")
    assert.strictEqual(text({ status: "ODD" }), "the venue says ODD without an amount that proves it")
    assert.strictEqual(text(undefined), "the venue says nothing without an amount that proves it")
    assert.strictEqual(text({ amountIn: 1n, amountOut: 8n }), "it paid 8, less than the least of 9")
  })
})
