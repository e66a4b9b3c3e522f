/** Each kind of contradiction that the journal of one order can show is named. */
import { assert, describe, it } from "@effect/vitest"
import type { PlacementEvent } from "../../src/domain/BotEvent.ts"
import * as Evidence from "../../src/ledger/Evidence.ts"
import { price } from "../strategy/support.ts"

const { findings, make } = Evidence
const about = { strategy: "s", slot: "a", placement: "p1" }
const fill: PlacementEvent = {
  _tag: "FillSeen",
  ...about,
  fillId: "f",
  side: "SELL",
  price: price("100"),
  inputAsset: "BTC",
  amountIn: 10n,
  outputAsset: "USDC",
  amountOut: 1_000n,
  filledAt: 1
}
const paid = (amount: bigint): PlacementEvent => ({
  _tag: "PaidOut",
  ...about,
  asset: "USDC",
  amount,
  fee: 10n,
  txHashes: []
})
const closed: PlacementEvent = { _tag: "Closed", ...about, status: "FILLED", inputAsset: "BTC", unspent: 0n }
const refunded: PlacementEvent = { _tag: "Refunded", ...about, asset: "BTC", amount: 5n, fee: 0n, txHashes: [] }

const found = (...events: ReadonlyArray<PlacementEvent>) =>
  findings(events.map((event, index) => ({ sequence: index + 1, at: index, event })))

const said = (...events: ReadonlyArray<PlacementEvent>) =>
  found(...events)
    .map(({ text }) => text)
    .join("; ")
const kinds = (...events: ReadonlyArray<PlacementEvent>) => found(...events).map(({ kind }) => kind)

describe("evidence", () => {
  it("accepts an order that is paid in full", () => {
    assert.strictEqual(said(fill, closed, paid(990n)), "")
  })

  it("names what does not add up", () => {
    assert.match(said(fill, closed), /filled, payout pending/)
    assert.match(said(fill, closed, paid(900n)), /amounts do not match fills: filled 1000, paid 910/)
    assert.match(said(fill, closed, paid(990n), refunded), /a filled order was refunded/)
    const failed: PlacementEvent = {
      _tag: "LegFailed",
      ...about,
      leg: "payout",
      asset: "USDC",
      amount: 7n,
      reason: "x"
    }
    assert.match(said(failed), /failed leg: payout of 7: x/)
    const contradiction: PlacementEvent = { _tag: "Contradiction", ...about, what: "less than before", evidence: "e" }
    assert.match(said(contradiction), /contradiction: less than before \(e\)/)
  })

  it("distinguishes the kinds", () => {
    const sent: PlacementEvent = { _tag: "FundingAcknowledged", ...about, intentHash: "h" }
    const deposited: PlacementEvent = { _tag: "DepositSeen", ...about, asset: "BTC", total: 10n, fresh: 10n }
    assert.deepStrictEqual(kinds(sent), ["deposit-unseen"])
    assert.deepStrictEqual(kinds(sent, deposited), [])
    assert.deepStrictEqual(kinds(sent, deposited, fill), ["filled-unpaid"])
    assert.deepStrictEqual(kinds(sent, deposited, closed), ["success-without-amounts"])
    assert.deepStrictEqual(kinds(sent, deposited, closed, refunded), [
      "success-without-amounts",
      "success-but-refunded"
    ])
    assert.deepStrictEqual(kinds(sent, deposited, fill, closed, paid(990n), refunded), ["refund-of-filled"])
    assert.deepStrictEqual(kinds(sent, deposited, fill, closed, paid(1n)), ["amounts-do-not-match"])
  })

  it("excludes the fills of an end that is taken back", () => {
    const takenBack: PlacementEvent = {
      _tag: "TakenBack",
      ...about,
      ...{ orderId: "o", market: "BTC/USDC", side: "SELL", price: price("100"), deadline: 1, deposited: 10n },
      ...{ inputAsset: "BTC", inputAmount: 10n, outputAsset: "USDC", outputAmount: 1_000n },
      ...{ estimatedWithdrawFee: 10n, estimatedRefundFee: 0n, payoutFee: 10n, refundFee: 0n },
      fills: [{ fillId: "f", amountIn: 10n, amountOut: 1_000n }]
    }
    const again: PlacementEvent = { ...fill, fillId: "g" }
    assert.strictEqual(said(fill, closed, takenBack, again, closed, paid(990n)), "")
    assert.strictEqual(
      said(fill, closed, paid(990n), takenBack, again, closed),
      "filled, payout pending: nothing was paid out yet"
    )
    const cancelled: PlacementEvent = { ...closed, status: "CANCELED", unspent: 10n }
    assert.strictEqual(said(fill, closed, takenBack, cancelled, refunded), "")
    const sent: PlacementEvent = { _tag: "FundingAcknowledged", ...about, intentHash: "h" }
    const deposited: PlacementEvent = { _tag: "DepositSeen", ...about, asset: "BTC", total: 10n, fresh: 10n }
    assert.strictEqual(said(sent, deposited, fill, closed, paid(990n), takenBack), "")
    const contradiction: PlacementEvent = { _tag: "Contradiction", ...about, what: "it lives on", evidence: "e" }
    assert.match(said(fill, closed, paid(990n), contradiction, takenBack), /it lives on/)
  })

  it("counts to the last unit, fees included", () => {
    const tiny: PlacementEvent = { ...fill, amountOut: 1n }
    const leg = (tag: "PaidOut" | "Refunded", amount: bigint, fee: bigint): PlacementEvent => ({
      _tag: tag,
      ...about,
      asset: "USDC",
      amount,
      fee,
      txHashes: []
    })
    assert.deepStrictEqual(kinds(tiny), ["filled-unpaid"])
    assert.deepStrictEqual(kinds(tiny, leg("PaidOut", 1n, 0n)), [])
    assert.deepStrictEqual(kinds(tiny, leg("PaidOut", 0n, 1n)), [])
    assert.deepStrictEqual(kinds(fill, leg("PaidOut", 0n, 1n)), ["amounts-do-not-match"])
    assert.deepStrictEqual(kinds(leg("PaidOut", 1n, 0n)), ["amounts-do-not-match"])
    // The fee of its refund took all that came back.
    const eaten = leg("Refunded", 0n, 1n)
    assert.deepStrictEqual(kinds(tiny, closed, leg("PaidOut", 1n, 0n), eaten), ["refund-of-filled"])
    assert.deepStrictEqual(kinds(closed, eaten), ["success-without-amounts", "success-but-refunded"])
    assert.deepStrictEqual(kinds(tiny, leg("PaidOut", 1n, 0n), closed, leg("Refunded", 0n, 0n)), [])
  })

  it("treats only complete successes as filled: cancelled or partly filled orders may be refunded", () => {
    const ended = (status: string, unspent: bigint): PlacementEvent => ({ ...closed, status, unspent })
    assert.deepStrictEqual(kinds(fill, ended("CANCELED", 0n), paid(990n), refunded), [])
    assert.deepStrictEqual(kinds(fill, ended("FILLED", 1n), paid(990n), refunded), [])
    assert.deepStrictEqual(kinds(fill, ended("SUCCESS", 0n), paid(990n), refunded), ["refund-of-filled"])
    assert.deepStrictEqual(kinds(ended("CANCELED", 0n)), [])
    assert.deepStrictEqual(kinds(ended("SUCCESS", 5n)), ["success-without-amounts"])
  })

  it("finds nothing open in a settled order, and treats a wallet's payment like a signed one", () => {
    const settled: PlacementEvent = { _tag: "Settled", ...about }
    const made: PlacementEvent = { _tag: "PaymentMade", ...about, txHash: "t" }
    const sent: PlacementEvent = { _tag: "FundingAcknowledged", ...about, intentHash: "h" }
    const deposited: PlacementEvent = { _tag: "DepositSeen", ...about, asset: "BTC", total: 10n, fresh: 10n }
    assert.deepStrictEqual(kinds(fill, settled), [])
    for (const payment of [made, sent]) {
      assert.deepStrictEqual(kinds(payment), ["deposit-unseen"])
      assert.deepStrictEqual(kinds(payment, settled), [])
      assert.deepStrictEqual(kinds(payment, deposited), [])
    }
    assert.strictEqual(said(made), "the payment was acknowledged, but the order shows no deposit")
    assert.strictEqual(said(fill, closed, paid(990n), refunded), "a filled order was refunded")
    assert.strictEqual(
      said(closed, refunded),
      "it ended FILLED, but no fill shows an amount; it ended FILLED, but was fully refunded"
    )
  })

  it("does not repeat what the bot has reported", () => {
    const noted: PlacementEvent = {
      _tag: "Contradiction",
      ...about,
      kind: "filled-unpaid",
      what: "filled, and not paid",
      evidence: "e"
    }
    assert.deepStrictEqual(kinds(fill, noted), ["filled-unpaid"])
    const { kind: _, ...other } = noted
    assert.deepStrictEqual(kinds(fill, other), ["contradiction", "filled-unpaid"])
  })

  it("has every request, correlation id, signature and hash once", () => {
    const events: ReadonlyArray<PlacementEvent> = [
      { _tag: "CreateSent", ...about, attempt: 1 },
      {
        _tag: "Bound",
        ...about,
        orderId: "o",
        depositAddress: "d",
        via: "reply",
        estimatedRefundFee: 0n,
        estimatedWithdrawFee: 0n,
        quoteSignature: "q",
        correlationId: "c1"
      },
      { _tag: "FundingSent", ...about, attempt: 1 },
      { _tag: "FundingAcknowledged", ...about, intentHash: "h1", correlationId: "c2" },
      { _tag: "FundingAcknowledged", ...about, intentHash: "h1", correlationId: "c2" },
      {
        _tag: "PaymentAsked",
        ...about,
        orderId: "o",
        depositAddress: "d",
        asset: "BTC",
        amount: 1n,
        wallet: "manual",
        validUntil: 1
      },
      { _tag: "PaymentAskedAgain", ...about, attempt: 2 },
      { _tag: "PaymentMade", ...about, txHash: "t0" },
      { _tag: "StatusSeen", ...about, status: "OPEN" },
      { _tag: "CancelSent", ...about, attempt: 1 },
      { _tag: "PaidOut", ...about, asset: "USDC", amount: 1n, fee: 0n, txHashes: ["t1", "t2"] }
    ]
    const moments = events.map((event, index) => ({ sequence: index + 1, at: index, event }))
    assert.deepStrictEqual(Evidence.correlationIds(moments), ["c1", "c2"])
    assert.deepStrictEqual(Evidence.quoteSignatures(moments), ["q"])
    assert.deepStrictEqual(Evidence.hashes(moments), ["h1", "t0", "t1", "t2"])
    assert.deepStrictEqual(
      Evidence.requestsOf(moments).map(({ event }) => event._tag),
      ["CreateSent", "FundingSent", "PaymentAsked", "PaymentAskedAgain", "CancelSent"]
    )
  })

  it("finds an order by any of its names, with all of its events, and no other order", () => {
    const placed = (placement: string): ReadonlyArray<PlacementEvent> => [
      { _tag: "CreateSent", ...about, placement, attempt: 1 },
      {
        _tag: "Bound",
        ...about,
        placement,
        orderId: `order-${placement}`,
        depositAddress: `deposit-${placement}`,
        via: "reply",
        estimatedRefundFee: 0n,
        estimatedWithdrawFee: 0n
      },
      { _tag: "FundingAcknowledged", ...about, placement, intentHash: `hash-${placement}` },
      { _tag: "Settled", ...about, placement }
    ]
    const events = [{ _tag: "BotStopped", reason: "signal" } as const, ...placed("1"), ...placed("2")]
    const search = (name: string) => {
      const fold = make(name)
      for (const [index, event] of events.entries()) fold.see({ sequence: index + 1, at: index, event })
      return fold.result().map(({ placement, moments }) => [placement, moments.length])
    }
    for (const name of ["2", "order-2", "deposit-2", "hash-2"]) assert.deepStrictEqual(search(name), [["2", 4]], name)
    assert.deepStrictEqual(search("order-3"), [])
    const fold = make("deposit-1")
    fold.see({ sequence: 1, at: 1, event: fill })
    fold.see({
      sequence: 2,
      at: 2,
      event: {
        _tag: "Bound",
        ...about,
        orderId: "o",
        depositAddress: "deposit-1",
        via: "reply",
        estimatedRefundFee: 0n,
        estimatedWithdrawFee: 0n
      }
    })
    fold.see({ sequence: 3, at: 3, event: { ...fill, placement: "p2" } })
    assert.deepStrictEqual(
      fold.result().map(({ placement, moments }) => [placement, moments.length]),
      [["p1", 2]]
    )
  })
})
