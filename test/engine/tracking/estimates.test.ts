/** What payouts and refunds may cost: as much as the order was paid under, and never more than the cap. */
import { assert, describe, it } from "@effect/vitest"
import type { AgreedSwap } from "../../../src/domain/SwapRecord.ts"
import { credible, payoutCost, refundCost, tooDear } from "../../../src/engine/tracking/amounts/Fees.ts"
import { market, order, placementAfter } from "../firstOrder.ts"

/** 120 USDC for 200,000 units; estimated 10 units each. */
const placement = placementAfter("StatusSeen")
const [mostPayout, mostRefund] = [10_000n, 6_000_000n]

const swap: AgreedSwap = {
  venue: "http://venue.test",
  account: "me",
  swapType: "EXACT_INPUT",
  origin: market.quote,
  destination: market.base,
  depositType: "INTENTS",
  depositAddress: "address-1",
  amountIn: placement.inputAmount,
  amountOut: placement.outputAmount,
  minAmountOut: placement.outputAmount,
  refundFee: 0n,
  recipient: "me",
  recipientType: "INTENTS",
  refundTo: "me",
  refundType: "INTENTS",
  deadline: placement.deadline,
  quote: "{}",
  isSignatureVerified: true
}

describe("an order that is too expensive", () => {
  it("costs more than 5 % to pay out or to refund, by the estimate", () => {
    assert.isUndefined(tooDear(placement, { estimatedRefundFee: mostRefund, estimatedWithdrawFee: mostPayout }))
    assert.strictEqual(
      tooDear(placement, { estimatedWithdrawFee: mostPayout + 2_000n }),
      "its payout would cost 6 %, more than 5 %"
    )
    assert.include(tooDear(placement, { estimatedWithdrawFee: mostPayout + 1n }), "its payout")
    assert.include(tooDear(placement, { estimatedRefundFee: mostRefund + 1n }), "its refund would cost 5 %")
  })

  it("is none without an estimate, nor one with agreed terms", () => {
    assert.isUndefined(tooDear({ ...placement, inputAmount: 0n, outputAmount: 0n }, {}))
    assert.include(tooDear({ ...placement, outputAmount: 0n }, { estimatedWithdrawFee: 1n }), "100 %")
    assert.isUndefined(tooDear({ ...placement, swap }, { estimatedWithdrawFee: mostPayout + 1n }))
  })
})

describe("the fee estimates of a recovered order with money in it", () => {
  it("are believed up to what an order may cost", () => {
    const most = { estimatedRefundFee: mostRefund, estimatedWithdrawFee: mostPayout }
    assert.deepStrictEqual(credible(placement, most), most)
    const more = { estimatedRefundFee: mostRefund + 1n, estimatedWithdrawFee: mostPayout + 1n }
    assert.deepStrictEqual(credible(placement, more), { estimatedRefundFee: 0n, estimatedWithdrawFee: 0n })
    assert.deepStrictEqual(credible(placement, {}), { estimatedRefundFee: 0n, estimatedWithdrawFee: 0n })
  })
})

describe("the cost of a leg", () => {
  const fill = (id: string) => ({ id, amountIn: 60_000_000n, amountOut: 100_000n, at: 1 })
  const leg = (txHash?: string) => ({ status: "COMPLETED", ...(txHash === undefined ? {} : { txHash }) })
  const paid = (estimate: bigint | undefined, fills: number, ...hashes: ReadonlyArray<string | undefined>) =>
    payoutCost(
      placement,
      {
        ...order,
        ...(estimate === undefined ? {} : { estimatedWithdrawFee: estimate }),
        fills: ["a", "b", "c"].slice(0, fills).map(fill),
        withdrawals: hashes.map(leg)
      },
      200_000n
    )

  it("is the estimate once for each payout of a fill, and for each named transaction", () => {
    assert.deepStrictEqual(paid(10n, 1, "x"), { claimed: 10n, fee: 10n })
    assert.deepStrictEqual(paid(10n, 2, undefined, undefined), { claimed: 20n, fee: 20n })
    assert.deepStrictEqual(paid(10n, 1, undefined, undefined), { claimed: 20n, fee: 10n })
    assert.deepStrictEqual(paid(10n, 1, "x", "y", "z"), { claimed: 30n, fee: 30n })
    assert.deepStrictEqual(paid(10n, 1, "x", "x", "x"), { claimed: 30n, fee: 10n })
    assert.deepStrictEqual(paid(10n, 3, "x"), { claimed: 10n, fee: 10n })
  })

  it("is at most the estimate at funding, even if later claims are higher, and at most the filled amount", () => {
    assert.deepStrictEqual(paid(11n, 1, "x"), { claimed: 11n, fee: 10n })
    assert.deepStrictEqual(paid(4n, 1, "x"), { claimed: 4n, fee: 4n })
    assert.deepStrictEqual(paid(10n ** 9n, 1, "x"), { claimed: 200_000n, fee: 10n })
    const { estimatedWithdrawFee: _, ...silent } = order
    const silence = payoutCost(placement, { ...silent, fills: [fill("a")], withdrawals: [leg("x")] }, 200_000n)
    assert.deepStrictEqual(silence, { claimed: 10n, fee: 10n })
  })

  it("of all named transactions together is at most what an order may cost", () => {
    if (placement.state !== "open") return assert.fail("it rests")
    const dear = { ...placement, order: { ...placement.order, estimatedWithdrawFee: 9_000n } }
    const withdrawals = ["x", "y", "z"].map(leg)
    const cost = payoutCost(dear, { ...order, estimatedWithdrawFee: 9_000n, fills: [fill("a")], withdrawals }, 200_000n)
    assert.deepStrictEqual(cost, { claimed: 27_000n, fee: mostPayout })
  })

  it("of a refund is the estimate, at most the unspent amount; its fee is at most the funding estimate", () => {
    const refund = (estimate: bigint, unspent: bigint) =>
      refundCost(placement, { ...order, estimatedRefundFee: estimate }, unspent)
    assert.deepStrictEqual(refund(7n, 100n), { claimed: 7n, fee: 7n })
    assert.deepStrictEqual(refund(12n, 100n), { claimed: 12n, fee: 10n })
    assert.deepStrictEqual(refund(12n, 5n), { claimed: 5n, fee: 5n })
    const { estimatedRefundFee: _, ...silent } = order
    assert.deepStrictEqual(refundCost(placement, silent, 100n), { claimed: 10n, fee: 10n })
    assert.deepStrictEqual(refundCost(placementAfter("CreateSent"), silent, 100n), { claimed: 0n, fee: 0n })
    assert.deepStrictEqual(
      payoutCost(placementAfter("CreateSent"), { ...silent, estimatedWithdrawFee: 5n, withdrawals: [leg("x")] }, 9n),
      { claimed: 5n, fee: 0n }
    )
  })
})
