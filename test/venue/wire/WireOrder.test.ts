/** Absent, null and empty are one thing, whichever field of an order it is; and a page is read order by order. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { fromList } from "../../../src/venue/wire/WireOrder.ts"
import { type Attributes, fieldsOfOrders, withField } from "../../world/bot/orderReports.ts"

const leg = { status: "COMPLETED", txHash: "hash" }
const order: Attributes = {
  orderType: "LIMIT",
  depositAddress: "deposit-1",
  depositMode: "SIMPLE",
  depositType: "INTENTS",
  fillStatus: "CANCELED",
  payoutStatus: "COMPLETED",
  isPayoutStatusFinal: true,
  payouts: { withdrawal: leg, allWithdrawals: [leg], refund: leg },
  depositedAmount: "1000",
  baseAsset: "base",
  quoteAsset: "quote",
  quantity: "1000",
  swapView: {
    swapType: "EXACT_INPUT",
    originAsset: "base",
    destinationAsset: "quote",
    amountIn: "1000",
    minAmountOut: "900"
  },
  side: "SELL",
  price: "0.9",
  appFees: [],
  recipient: "me",
  recipientType: "INTENTS",
  refundTo: "me",
  refundType: "INTENTS",
  estimatedWithdrawFee: "1",
  estimatedRefundFee: "1",
  confidentiality: "basic",
  timeInForce: "GTC",
  deadline: "2026-01-08T00:00:00.000Z",
  createdAt: "2026-01-01T00:00:00.000Z",
  partialFills: [{ id: "f1", amountIn: "500", amountOut: "450", createdAt: "2026-01-01T00:00:01.000Z" }]
}
const states: Readonly<Record<string, Attributes>> = {
  waiting: {
    ...order,
    fillStatus: "AWAITING_DEPOSIT",
    depositedAmount: "0",
    partialFills: [],
    payoutStatus: "NOT_STARTED",
    isPayoutStatusFinal: false,
    payouts: { withdrawal: null, allWithdrawals: [], refund: null }
  },
  "partly filled, and cancelled": order,
  cancelled: { ...order, partialFills: [], payouts: { withdrawal: null, allWithdrawals: [], refund: leg } }
}

const read = (attributes: Attributes, owner?: string) => fromList({ type: "orders", id: "o1", attributes }, 5, owner)
const lists: Readonly<Record<string, unknown>> = {
  partialFills: [],
  appFees: [],
  swapView: {},
  payouts: {},
  "payouts.allWithdrawals": []
}
/** An object of a payment says that there is one. */
const isPayment = (path: string) => path === "payouts.withdrawal" || path === "payouts.refund"

describe.each(Object.entries(states))("a missing field of an order that is %s", (_, said) => {
  it.each(fieldsOfOrders)("has one meaning if absent, null or empty: %s", (path) => {
    const absent = read(withField(said, path, undefined))
    assert.deepStrictEqual(read(withField(said, path, null)), absent)
    const isFilled = path === "partialFills" && Result.isFailure(absent)
    if (path !== "isPayoutStatusFinal" && !isPayment(path) && !isFilled)
      assert.deepStrictEqual(read(withField(said, path, lists[path] ?? "")), absent)
    if (Result.isFailure(absent)) assert.match(absent.failure.why, /^[\w.]+ is missing$/)
  })
})

describe("a missing list of fills", () => {
  it("counts as empty, unless something is filled", () => {
    const without = (change: Attributes) => read({ ...order, ...change, partialFills: null })
    const unpaid = { payouts: { withdrawal: null, allWithdrawals: [], refund: null } }
    for (const fillStatus of [
      "AWAITING_DEPOSIT",
      "OPEN",
      "PENDING_CANCEL",
      "CANCELED",
      "EXPIRED",
      "HELD",
      "UNTRIGGERED"
    ])
      assert.isTrue(Result.isSuccess(without({ fillStatus, ...unpaid })), fillStatus)
    for (const fillStatus of ["PARTIALLY_FILLED", "FILLED"])
      assert.isTrue(Result.isFailure(without({ fillStatus, ...unpaid })), fillStatus)
    assert.isTrue(Result.isFailure(without({ fillStatus: "CANCELED" })), "paid out, so something was filled")
  })
})

describe("app fees of an order", () => {
  it("leave out our own account, also if the order pays from a chain and to a chain", () => {
    const appFees = [
      { recipient: "alice.near", fee: 10 },
      { recipient: "partner.near", fee: 20.01 }
    ]
    const chains = { recipient: "bc1qours", recipientType: "DESTINATION_CHAIN", refundTo: "0xours" }
    const feesOf = (attributes: Attributes) =>
      Result.getOrThrow(read({ ...order, ...attributes, appFees }, "alice.near")).appFeeBasisPoints
    assert.strictEqual(feesOf({}), 20.01)
    assert.strictEqual(feesOf({ ...chains, refundType: "ORIGIN_CHAIN", depositType: "ORIGIN_CHAIN" }), 20.01)
  })
})
