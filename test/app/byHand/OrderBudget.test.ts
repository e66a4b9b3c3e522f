/** The budget of orders by hand: enough for what they have to pay, and nothing that an exit of another order needs. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import {
  beyondFree,
  budgetWith,
  isCancelled,
  isOver,
  isOverOrClosed,
  largestBy,
  liveIn,
  needsIn,
  unendedIn,
  unfilledOf
} from "../../../src/app/byHand/OrderBudget.ts"
import { ruleOf, termsIn } from "../../../src/app/byHand/OrderRule.ts"
import { isShown } from "../../../src/app/order/Ordering.ts"
import type { OrderRequest } from "../../../src/control/api/Order.ts"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import * as ByHand from "../../../src/files/ByHand.ts"
import { market } from "../../world/bitcoin.ts"

const strategy = "by-hand-btc-usdc"

const order = (id: string, request: Omit<OrderRequest, "market" | "side">): readonly [string, string] => {
  const side = id.startsWith("buy") ? "buy" : "sell"
  const result = ruleOf({ side, market: market.name, ...request }, market)
  if ("why" in result) throw new Error(result.why)
  return [id, result.rule]
}
const stateAfter = (events: ReadonlyArray<BotEvent>) => {
  const state = BotState.make()
  for (const [index, event] of events.entries()) BotState.apply(state, { sequence: index + 1, at: 1_000, event })
  return state
}
const budgetOf = (
  events: ReadonlyArray<BotEvent>,
  orders: ReadonlyArray<readonly [string, string]>,
  cancelled?: string
) => {
  const { base, quote } = budgetWith(stateAfter(events), market, new Map(orders), cancelled)
  return [Number(base) / 1e8, Number(quote) / 1e6]
}

const allotted = (asset: string, amount: bigint): BotEvent => ({ _tag: "BudgetAllotted", strategy, asset, amount })
const price = Decimal.make(59_000n)
const path = { orderId: "o", depositAddress: "d" }
const purchaseIn = (slot: string) => {
  const about = { strategy, slot, placement: "p1" }
  return { about, of: { ...about, side: "BUY", inputAsset: "USDC", outputAsset: "BTC" } } as const
}
/** A purchase of 0.01 BTC for 590 USDC that is open. */
const openIn = ({ about, of }: ReturnType<typeof purchaseIn>): ReadonlyArray<BotEvent> => [
  { _tag: "StrategyLoaded", strategy, file: "f", kind: "rules", market: market.name, hash: "1", text: "" },
  allotted("USDC", 590_590_000n),
  {
    ...{ _tag: "Planned", ...of, market: market.name, price, quantity: 1_000_000n, inputAmount: 590_000_000n },
    ...{ outputAmount: 1_000_000n, deadline: 9_000_000, why: { code: "rule-fired", text: "" } }
  },
  { _tag: "CreateSent", ...about, attempt: 1 },
  { _tag: "Bound", ...about, ...path, via: "reply", estimatedWithdrawFee: 0n, estimatedRefundFee: 20_000n },
  {
    ...{ _tag: "FundingSigned", ...about, ...path, asset: "USDC", amount: 590_000_000n },
    ...{ signed: Redacted.make(""), intentHash: "", validUntil: 2_000 }
  },
  { _tag: "DepositSeen", ...about, asset: "USDC", total: 590_000_000n, fresh: 590_000_000n }
]
const filledIn = ({ about, of }: ReturnType<typeof purchaseIn>): ReadonlyArray<BotEvent> => [
  ...openIn({ about, of }),
  { _tag: "FillSeen", ...of, price, fillId: "f", amountIn: 590_000_000n, amountOut: 1_000_000n, filledAt: 1_000 },
  { _tag: "Closed", ...about, status: "FILLED", inputAsset: "USDC", unspent: 0n },
  { _tag: "PayoutStarted", ...about, asset: "BTC", amount: 1_000_000n },
  { _tag: "PaidOut", ...about, asset: "BTC", amount: 1_000_000n, fee: 0n, txHashes: [] },
  { _tag: "Settled", ...about }
]
const [open, filled] = [openIn(purchaseIn("buy-00000001")), filledIn(purchaseIn("buy-00000001"))]

const loadedAs = (text: string, hash: string): BotEvent => {
  return { _tag: "StrategyLoaded", strategy, file: "f", kind: "rules", market: market.name, hash, text }
}
const absentFor = (code: string): BotEvent => ({
  ...{ _tag: "Decided", strategy, bid: price, ask: price, priceAt: 1, reasons: [], until: { onFill: true } },
  ...{ memory: null, desired: [], absent: [{ slot: "buy-00000001", why: { code, text: "" } }] }
})

const first = order("buy-00000001", { amount: "0.01", price: "59000" })
const second = order("buy-00000002", { amount: "0.01", price: "58000" })

describe("the budget of orders by hand", () => {
  it("is the payment and a thousandth of it for refund fees", () => {
    assert.deepStrictEqual(budgetOf([], [first]), [0, 590.59])
    assert.deepStrictEqual(budgetOf([], [first, second]), [0, 1171.17])
  })

  it("stays for an order that is open, and rises by another one", () => {
    assert.deepStrictEqual(budgetOf(open, [first]), [0, 590.59])
    assert.deepStrictEqual(budgetOf(open, [first, second]), [0, 1171.17])
  })

  it("pays the refund fee and the difference of an order that moves", () => {
    const moved = order("buy-00000001", { amount: "0.01", price: "59500" })
    // 5 USDC more and 0.02 of the refund, of which 0.59 are free; and the thousandth.
    assert.deepStrictEqual(budgetOf(open, [moved]), [0, 590.59 + 5 + 0.02 - 0.59 + 0.595])
    assert.deepStrictEqual(budgetOf(open, [order("buy-00000001", { amount: "0.01", price: "58000" })]), [0, 590.59])
  })

  it("stays for an open order whose written price is rounded, and the order is shown", () => {
    const long = order("buy-00000001", { amount: "0.01", price: "59000.00045" })
    assert.deepStrictEqual(budgetOf(open, [long]), [0, 590.59])
    const followed = { strategy, order: long[0], terms: termsIn(market, long[1]) }
    assert.isTrue(isShown(stateAfter(open), followed))
  })

  it("shrinks when an order is cancelled, to the refund fee and the amount that other orders need", () => {
    assert.deepStrictEqual(budgetOf(open, [], "buy-00000001"), [0, 0.02])
    assert.deepStrictEqual(budgetOf(open, [second], "buy-00000001"), [0, 580.6])
  })

  it("lets an order sell what an earlier one bought, but not what its exit needs", () => {
    const sale = order("sell-00000003", { amount: "0.01", price: "61000" })
    assert.deepStrictEqual(budgetOf(filled, [first, sale]), [0, 590.59])
    const withStop = order("buy-00000001", { amount: "0.01", price: "59000", stop: "57000" })
    assert.deepStrictEqual(budgetOf(filled, [withStop, sale]), [0.01001, 590.59])
  })

  it("has the quote with which a sale is bought back at its stop, however that is given", () => {
    for (const exits of [{ stop: "61000" }, { stop: "1.66666667%" }, { trail: "1.66666667%" }]) {
      const [base, quote = 0] = budgetOf([], [order("sell-00000003", { amount: "0.01", price: "60000", ...exits })])
      assert.strictEqual(base, 0.01001)
      assert.approximately(quote, 616.1 - 600, 0.05)
    }
  })
})

describe("orders by hand that have not ended", () => {
  const textOf = (...orders: ReadonlyArray<readonly [string, string]>) =>
    ByHand.edited("", market, { orders: new Map(orders), budget: { base: 0n, quote: 0n } })

  it("are those of the loaded file, without the ones that have filled", () => {
    const [both, last] = [loadedAs(textOf(first, second), "2"), loadedAs(textOf(second), "3")]
    assert.deepStrictEqual(unendedIn(stateAfter([...open, both])), ["buy-00000001", "buy-00000002"])
    assert.deepStrictEqual(unendedIn(stateAfter([...filled, both, absentFor("used-up")])), ["buy-00000002"])
    assert.deepStrictEqual(unendedIn(stateAfter([...filled, last])), ["buy-00000002"])
  })

  it("are also cancelled ones whose money is not back", () => {
    assert.deepStrictEqual(unendedIn(stateAfter([...open, loadedAs(textOf(), "2")])), ["buy-00000001"])
    assert.deepStrictEqual(unendedIn(stateAfter([...filled, loadedAs(textOf(), "2")])), [])
  })
})

describe("the needs of orders by hand", () => {
  const needsOf = (events: ReadonlyArray<BotEvent>, ...orders: ReadonlyArray<readonly [string, string]>) => {
    const text = ByHand.edited("", market, { orders: new Map(orders), budget: { base: 0n, quote: 0n } })
    const needs = needsIn(stateAfter(events), [{ market, name: strategy, text }]).get(strategy)
    return needs && [Number(needs.get("BTC")) / 1e8, Number(needs.get("USDC")) / 1e6]
  }
  const sale = order("sell-00000003", { amount: "0.01", price: "61000" })

  it("are the payments of orders that wait, and nothing for what is open or has filled", () => {
    assert.deepStrictEqual(needsOf([], first), [0, 590.59])
    assert.deepStrictEqual(needsOf(open, first, second), [0, 580 + 1.17])
    assert.deepStrictEqual(needsOf([...filled, absentFor("used-up")], first), [0, 0])
  })

  it("are the coins that a later order sells, or that an exit waits for", () => {
    assert.deepStrictEqual(needsOf([...filled, absentFor("used-up")], first, sale), [0.01001, 0])
    const withStop = order("buy-00000001", { amount: "0.01", price: "59000", stop: "57000" })
    assert.deepStrictEqual(needsOf(filled, withStop), [0.01, 0])
  })

  it("are unknown for a file of which a person has rewritten an order, or of another strategy", () => {
    assert.isUndefined(needsOf([], ["buy-00000001", "{ side: buy, price: last, size: { base: 1 } }"]))
    assert.strictEqual(needsIn(stateAfter([]), [{ market, name: "grid", text: "" }]).size, 0)
  })
})

describe("an order by hand that ends elsewhere", () => {
  const id = "buy-00000001"

  it("is cancelled once the running file says so and its money is back", () => {
    const text = ByHand.edited("", market, { orders: new Map(), budget: { base: 0n, quote: 0n }, cancelled: id })
    const cancelled = loadedAs(text, "2")
    assert.isFalse(isCancelled(stateAfter(open), strategy, id))
    assert.isFalse(isCancelled(stateAfter([...open, cancelled]), strategy, id))
    assert.isTrue(isCancelled(stateAfter([...filled, cancelled]), strategy, id))
  })

  it("is closed once its strategy has ended and sold, until an edited file runs", () => {
    const isClosedAfter = (...events: ReadonlyArray<BotEvent>) => isOverOrClosed(stateAfter(events), strategy, id)
    assert.isFalse(isClosedAfter(...open, absentFor("period-over")))
    assert.isFalse(isClosedAfter(...filled, absentFor("period-sells")))
    assert.isTrue(isClosedAfter(...filled, absentFor("period-over")))
    assert.isFalse(isClosedAfter(...filled, absentFor("period-over"), loadedAs("", "2")))
    assert.isFalse(isOver(stateAfter([...filled, absentFor("period-over")]), strategy, id))
  })
})

describe("an order by hand with two targets", () => {
  const exits = { takeProfit: "2%:50%,5%:50%", stop: "57000" }
  const split = order("buy-00000001", { amount: "0.02", price: "59000", ...exits })
  const [first, second] = [purchaseIn("buy-00000001-1"), "buy-00000001-2"] as const
  const decided = (...ended: ReadonlyArray<string>): BotEvent => ({
    ...{ _tag: "Decided", strategy, bid: price, ask: price, priceAt: 1, reasons: [], until: { onFill: true } },
    ...{ memory: null, desired: [] },
    absent: ["buy-00000001-1", "buy-00000001-2"].map((slot) => {
      return { slot, why: { code: ended.includes(slot) ? "used-up" : "paused", text: "" } }
    })
  })

  it("has one budget for the entries of both targets", () => {
    assert.deepStrictEqual(budgetOf([], [split]), [0, 1181.18])
    assert.deepStrictEqual(budgetOf(openIn(first), [split]), [0, 1181.18])
    assert.deepStrictEqual(budgetOf(openIn(first), [], "buy-00000001"), [0, 0.02])
  })

  it("keeps what one target has bought for the exit of this target", () => {
    const sale = order("sell-00000003", { amount: "0.01", price: "61000" })
    assert.deepStrictEqual(budgetOf(filledIn(first), [split, sale]), [0.01001, 1180.59])
  })

  it("is unfilled by the part of the target that has not bought", () => {
    const terms = termsIn(market, split[1]) ?? assert.fail("no terms")
    assert.strictEqual(unfilledOf(stateAfter([]), strategy, "buy-00000001", terms), 2_000_000n)
    assert.strictEqual(unfilledOf(stateAfter(filledIn(first)), strategy, "buy-00000001", terms), 1_000_000n)
  })

  it("is live while one of its targets is, and over when both have ended", () => {
    const placements = liveIn(stateAfter(openIn(first)), strategy, "buy-00000001").map(({ slot }) => slot)
    assert.deepStrictEqual(placements, ["buy-00000001-1"])
    const isOverAfter = (...events: ReadonlyArray<BotEvent>) => isOver(stateAfter(events), strategy, "buy-00000001")
    assert.isFalse(isOverAfter(...openIn(first), decided("buy-00000001-1", second)))
    assert.isFalse(isOverAfter(...filledIn(first), decided("buy-00000001-1")))
    assert.isTrue(isOverAfter(...filledIn(first), decided("buy-00000001-1", second)))
  })
})

describe("the largest order by hand", () => {
  const sale = { side: "sell", market: market.name, amount: "1", price: "70000" } as const
  const purchase = { side: "buy", market: market.name, amount: "0.02", price: "50000" } as const

  it("leaves a thousandth of what it pays for refund fees, and takes back what is too much", () => {
    assert.strictEqual(largestBy(market, sale, "0", 100_100_000n), "1")
    assert.strictEqual(largestBy(market, sale, "1", -40_040_000n), "0.6")
    assert.strictEqual(largestBy(market, purchase, "0.02", -500_500_000n), "0.01")
    assert.strictEqual(largestBy(market, { ...purchase, parts: 3 }, "0.02", -500_500_000n), "0.00999999")
    assert.isUndefined(largestBy(market, sale, "1", -100_100_000n))
  })

  it("is found from the smallest order that exceeds the free money of orders by hand", () => {
    const state = BotState.make()
    assert.strictEqual(beyondFree(state, market, sale), "0.00000001")
    BotState.apply(state, { sequence: 1, at: 1, event: allotted("BTC", 50_000_000n) })
    assert.strictEqual(beyondFree(state, market, sale), "0.50000001")
    assert.strictEqual(beyondFree(state, market, { ...sale, parts: 2 }), "0.50000002")
  })
})
