/** Wanted orders against own ones, slot by slot: nothing that rests is moved for less than it costs, and no slot holds two. */
import { assert, describe, it } from "@effect/vitest"
import type { Reason } from "../../../src/domain/BotEvent.ts"
import { type Change, diff, type SlotOrder } from "../../../src/engine/planning/OrderDiff.ts"
import type { DesiredOrder } from "../../../src/strategy/Decision.ts"
import { price } from "../../strategy/support.ts"
import { market } from "../../world/bitcoin.ts"

const why: Reason = { code: "cell", text: "buys below the mid", source: "grid.yaml:5:3" }
const free = { fees: 0n, outOfMarketBasisPoints: 0, text: "nothing is in it yet" }
const wanted: DesiredOrder = { slot: "a", side: "BUY", price: price("60000"), quantity: 200_000n, leg: 0, why }
const own: SlotOrder = {
  slot: "a",
  market: market.name,
  side: "BUY",
  price: price("60000"),
  quantity: 200_000n,
  state: "open",
  cancelRequested: false,
  replacement: free
}

const compare = (
  desired: ReadonlyArray<DesiredOrder>,
  orders: ReadonlyArray<SlotOrder>,
  whyNot = new Map<string, Reason>()
) => diff(market, { desired: new Map(desired.map((order) => [order.slot, order])), whyNot }, orders)
const change = (desired: Partial<DesiredOrder>, order: Partial<SlotOrder>): Change | undefined =>
  compare([{ ...wanted, ...desired }], [{ ...own, ...order }])[0]
const codeOf = (found: Change | undefined) => (found?._tag === "Cancel" ? found.why.code : found?._tag)

describe("the comparison of desired orders with own orders", () => {
  it("places desired orders in empty slots, and cancels undesired ones before it places any", () => {
    assert.deepStrictEqual(compare([wanted], []), [{ _tag: "Place", desired: wanted }])
    assert.deepStrictEqual(compare([], []), [])
    const reason = { code: "end", text: "the grid has ended" }
    assert.deepStrictEqual(
      compare(
        [wanted],
        [
          { ...own, slot: "b" },
          { ...own, slot: "c" }
        ],
        new Map([["c", reason]])
      ),
      [
        { _tag: "Cancel", slot: "b", why: { code: "not-wanted", text: "The strategy no longer plans this slot" } },
        { _tag: "Cancel", slot: "c", why: reason },
        { _tag: "Place", desired: wanted }
      ]
    )
  })

  it("takes a slot for empty only once its order is over", () => {
    for (const state of ["settled", "abandoned", "dead"] as const)
      assert.strictEqual(codeOf(change({}, { state })), "Place", state)
    for (const state of ["planned", "creating", "created", "funding", "open"] as const)
      assert.strictEqual(codeOf(change({}, { state })), "Keep", state)
  })

  it("keeps an order that is not worth moving, but no more than is left of a total", () => {
    const dear = { replacement: { ...free, fees: 1_000_000_000n }, quantity: 200_001n }
    assert.strictEqual(codeOf(change({}, dear)), "Keep")
    assert.strictEqual(codeOf(change({ neverMore: true }, dear)), "requote")
    assert.strictEqual(codeOf(change({ neverMore: true }, { ...dear, quantity: 199_999n })), "Keep")
  })

  it("waits for money on its way back, cancelled, filled or in doubt, for any desired order", () => {
    const saidOf = (found: Change | undefined) => (found?._tag === "Wait" ? found.why : found?._tag)
    const better = { price: price("61000") }
    for (const desired of [{}, better]) {
      assert.strictEqual(saidOf(change(desired, { state: "closing" })), "Its money is on the way back")
      assert.strictEqual(saidOf(change(desired, { cancelRequested: true })), "Its cancel is under way")
      assert.strictEqual(saidOf(change(desired, { state: "in doubt" })), "Unclear whether it was paid")
      const unanswered = { state: "funding", isPaymentOpen: true } as const
      assert.strictEqual(saidOf(change(desired, unanswered)), "Its payment has no answer yet")
      assert.strictEqual(saidOf(change(desired, { state: "closing", quantity: 0n })), "Filled, payout pending")
    }
    const unwanted = (order: Partial<SlotOrder>) => saidOf(compare([], [{ ...own, ...order }])[0])
    assert.strictEqual(unwanted({ quantity: 0n }), "Filled, payout pending")
    assert.strictEqual(unwanted({ quantity: 1n }), "Cancel")
    assert.strictEqual(unwanted({ state: "closing" }), "Its money is on the way back")
    assert.strictEqual(unwanted({ cancelRequested: true }), "Its cancel is under way")
    assert.strictEqual(unwanted({}), "Cancel")
  })

  it("cancels an order of another market, side or way, and names the desired one", () => {
    const eth = { ...market, name: "ETH/USDC" }
    assert.deepStrictEqual(change({ market: eth }, {}), {
      _tag: "Cancel",
      slot: "a",
      why: { ...why, code: "other-market", text: "Switched to ETH/USDC" }
    })
    assert.strictEqual(codeOf(change({ market: eth }, { market: "ETH/USDC" })), "Keep")
    assert.deepStrictEqual(change({ side: "SELL" }, {}), {
      _tag: "Cancel",
      slot: "a",
      why: { ...why, code: "other-side", text: "Switched to its sell side" }
    })
    assert.deepStrictEqual(change({ by: "swap" }, {}), {
      _tag: "Cancel",
      slot: "a",
      why: { code: "other-way", text: "Switched to a swap" },
      successor: { ...wanted, by: "swap" }
    })
    assert.deepStrictEqual(change({}, { by: "swap" }), {
      _tag: "Cancel",
      slot: "a",
      why: { code: "other-way", text: "Switched to a resting order" }
    })
    assert.strictEqual(codeOf(change({ by: "swap" }, { by: "swap" })), "Keep")
  })

  it("moves an order if the gain exceeds the cost by a single unit, and names both", () => {
    // One cent per coin, on 0.002 of it: 20 units.
    const better = { price: price("60000.01") }
    const costing = (fees: bigint, outOfMarketBasisPoints = 0) => ({
      replacement: { fees, outOfMarketBasisPoints, text: "refund fee 0.00002 USDC" }
    })
    assert.strictEqual(codeOf(change(better, costing(20n))), "Keep")
    assert.deepStrictEqual(change(better, costing(19n)), {
      _tag: "Cancel",
      slot: "a",
      why: {
        ...why,
        code: "requote",
        text: "Moving from 0.002 BTC at 60000 to 0.002 BTC at 60000.01: gains 0.00002 USDC, more than replacing costs (refund fee 0.00002 USDC)"
      },
      successor: { ...wanted, ...better }
    })
    assert.strictEqual(codeOf(change(better, costing(19n, 500))), "Keep", "a twentieth of the time is lost")
    assert.strictEqual(codeOf(change({}, costing(0n))), "Keep", "nothing is gained")
  })

  it("moves an exit after a stop with the stop as its reason, and claims no gain", () => {
    const stopped = { price: price("59000"), why: { code: "stop", text: "the price reached the stop 59500" } }
    const moved = change(stopped, {})
    assert.strictEqual(
      moved?._tag === "Cancel" && moved.why.text,
      "Moving from 0.002 BTC at 60000 to 0.002 BTC at 59000: the price reached the stop 59500"
    )
  })

  it("keeps an order until its successor is placed only if that is no better and no smaller", () => {
    const mayStay = (desired: Partial<DesiredOrder>, order: Partial<SlotOrder>) => {
      const found = change(desired, order)
      return found?._tag === "Cancel" ? found.successor !== undefined : assert.fail(`${found?._tag}`)
    }
    assert.isTrue(mayStay({ price: price("61000") }, {}))
    assert.isFalse(mayStay({ price: price("59000") }, {}), "it would buy dearer than is wanted")
    const sells = { side: "SELL" } as const
    assert.isTrue(mayStay({ ...sells, price: price("59000") }, sells))
    assert.isFalse(mayStay({ ...sells, price: price("61000") }, sells), "it would sell cheaper than is wanted")
    assert.isFalse(mayStay({ price: price("61000") }, { quantity: 200_001n }), "it would buy more than is wanted")
    assert.isFalse(mayStay({}, { by: "swap" }))
    assert.isFalse(mayStay({ ...sells }, {}))
  })

  it("places exits first, so that entries leave them room under maxOpenOrders", () => {
    const named = (slot: string, isExit?: true) => ({ ...wanted, slot, ...(isExit ? { isExit } : {}) })
    const placed = compare([named("a"), named("b", true), named("c"), named("d", true)], [])
    assert.deepStrictEqual(
      placed.map((each) => (each._tag === "Place" ? each.desired.slot : each._tag)),
      ["b", "d", "a", "c"]
    )
  })

  it("compares each slot with its own order", () => {
    const other = { ...wanted, slot: "b", price: price("50000") }
    assert.deepStrictEqual(compare([wanted, other], [{ ...own, slot: "b", price: price("50000") }, own]), [
      { _tag: "Keep", slot: "a" },
      { _tag: "Keep", slot: "b" }
    ])
  })
})
