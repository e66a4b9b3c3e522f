/** What slots, strategies and limits remember of orders: legs and holdings, refusals and pauses, and what open orders use up. */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { noPosition } from "../../../src/domain/CostBasis.ts"
import { byHand } from "../../../src/domain/Placement.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { afterTakingBack, progressOf } from "../../../src/engine/state/SlotFold.ts"
import * as Tally from "../../../src/engine/state/Tally.ts"
import { netOf } from "../../../src/strategy/View.ts"
import { orderOf } from "../../world/journalRows.ts"
import { order, placementAfter, remembered, startedAnew, until } from "../firstOrder.ts"

const value = order.inputAmount
const slotOf = (events: ReadonlyArray<BotEvent>) => remembered(events).slots.get("grid/cell-02")

/** The same order once more as a sale of what was bought, for a price of its own. */
const about = { strategy: "grid", slot: "cell-02", placement: "p2" }
const sale = (amountIn: bigint, amountOut: bigint, status: string): ReadonlyArray<BotEvent> => [
  ...until("Planned").map((event) =>
    event._tag === "Planned"
      ? { ...event, ...about, side: "SELL" as const, inputAsset: "BTC", inputAmount: 200_000n, outputAsset: "USDC" }
      : event
  ),
  { _tag: "CreateSent", ...about, attempt: 1 },
  {
    _tag: "Bound",
    ...about,
    orderId: "order-2",
    depositAddress: "address-2",
    via: "reply",
    estimatedWithdrawFee: 0n,
    estimatedRefundFee: 0n
  },
  { _tag: "DepositSeen", ...about, asset: "BTC", total: 200_000n, fresh: 200_000n },
  {
    _tag: "FillSeen",
    ...about,
    fillId: "f",
    side: "SELL",
    price: order.price,
    inputAsset: "BTC",
    amountIn,
    outputAsset: "USDC",
    amountOut,
    filledAt: 1
  },
  { _tag: "Closed", ...about, status, inputAsset: "BTC", unspent: 200_000n - amountIn },
  { _tag: "PaidOut", ...about, asset: "USDC", amount: amountOut - 5n, fee: 5n, txHashes: [] },
  { _tag: "Settled", ...about }
]

describe("a slot", () => {
  it("goes to its next leg when its order has filled, with what that brought in and cost", () => {
    const slot = slotOf(until("Settled"))
    assert.deepInclude(slot, {
      completedLegs: 1,
      filledInLeg: 0n,
      receivedInLeg: 0n,
      receivedByLastLeg: 199_990n,
      lastLeg: { side: "BUY", quantity: 200_000n, isWhole: true },
      bought: 200_000n,
      paid: value,
      sold: 0n,
      proceeds: 0n
    })
    assert.deepInclude(slot?.past, { held: 199_990n, cost: value })
  })

  it("stays at its leg when its order ends early, and its sale takes its share of the cost", () => {
    const slot = slotOf([...until("Settled"), ...sale(50_000n, 40_000_000n, "CANCELED")])
    assert.deepInclude(slot, {
      completedLegs: 1,
      filledInLeg: 50_000n,
      receivedInLeg: 39_999_995n,
      sold: 50_000n,
      proceeds: 40_000_000n,
      bought: 200_000n,
      paid: value
    })
    // 149,990 of 199,990 are left; their cost is rounded up.
    assert.deepInclude(slot?.past, { held: 149_990n, cost: (value * 149_990n + 199_989n) / 199_990n })
    assert.strictEqual(slot?.past?.lastOrder?.side, "SELL")
    const over = slotOf([...until("Settled"), ...sale(200_000n, 150_000_000n, "FILLED")])
    assert.deepInclude(over, {
      completedLegs: 2,
      receivedByLastLeg: 149_999_995n,
      lastLeg: { side: "SELL", quantity: 200_000n, isWhole: true }
    })
    assert.deepInclude(over?.past, { held: 0n, cost: 0n })
  })

  it("sells the whole position, less the refund fee of its cancelled sale", () => {
    const refunded: BotEvent = { _tag: "Refunded", ...about, asset: "BTC", amount: 149_970n, fee: 30n, txHashes: [] }
    const [settled, ...before] = sale(50_000n, 40_000_000n, "CANCELED").toReversed()
    if (settled === undefined) return assert.fail("it is over")
    const slot = slotOf([...until("Settled"), ...before.toReversed(), refunded, settled])
    assert.deepInclude(slot, { filledInLeg: 50_000n, receivedByLastLeg: 199_960n })
  })

  it("shows strategies what its live order has filled so far; a live purchase cannot be sold yet", () => {
    const [before, live] = [slotOf(until("FillSeen")), placementAfter("FillSeen")]
    if (before === undefined) return assert.fail("it has a slot")
    const progress = progressOf(before, live)
    assert.deepInclude(progress, { completedLegs: 0, filledInLeg: 200_000n, bought: 200_000n, paid: value })
    assert.deepStrictEqual(progress.live, { side: "BUY", price: order.price, quantity: 0n })
    assert.isUndefined(progress.past)
    const selling = [...until("Settled"), ...sale(50_000n, 40_000_000n, "CANCELED").slice(0, 5)]
    const [slot, sold] = [slotOf(selling), remembered(selling).placements.get("p2")]
    if (slot === undefined) return assert.fail("it has a slot")
    assert.deepInclude(progressOf(slot, sold).past, { held: 149_990n })
    assert.deepInclude(progressOf(slot, undefined), { filledInLeg: 0n, sold: 0n })
    assert.notProperty(progressOf(slot, undefined), "carried")
    assert.strictEqual(progressOf({ ...slot, carried: 1n }, undefined).carried, 1n)
  })

  it("adds to the holdings what the strategy's trading adds, after payout and refund fees", () => {
    const refunded: BotEvent = { _tag: "Refunded", ...about, asset: "BTC", amount: 149_970n, fee: 30n, txHashes: [] }
    const sold = sale(50_000n, 40_000_000n, "CANCELED")
    const events = [...until("Settled"), ...sold.slice(0, -1), refunded, ...sold.slice(-1)]
    const netAfter = (count: number) => {
      const { placements, slots, strategies } = remembered(events.slice(0, count))
      const slot = slots.get("grid/cell-02") ?? assert.fail("it has a slot")
      const { basis, dust } = strategies.get("grid")?.trading.get("BTC/USDC")?.position ?? noPosition
      const { base, quote } = netOf(progressOf(slot, placements.get(slot.placement ?? "")))
      assert.strictEqual(base, basis.position + dust.base, `${count} events`)
      return { base, quote }
    }
    for (let count = until("FillSeen").length; count <= events.length; count++) netAfter(count)
    assert.deepStrictEqual(netAfter(until("Settled").length), { base: 199_990n, quote: -value })
    assert.deepStrictEqual(netAfter(events.length), { base: 149_960n, quote: 39_999_995n - value })
    const [slot, ended] = [slotOf(events), remembered(events.slice(0, -1)).placements.get("p2")]
    if (slot === undefined || ended === undefined) return assert.fail("it has sold")
    const before = { ...slot, ...afterTakingBack(slot, ended) }
    assert.deepStrictEqual(netOf(progressOf(before, undefined)), { base: 199_990n, quote: -value })
  })

  it("counts failed attempts until a deposit or the end of a leg", () => {
    const first = { strategy: "grid", slot: "cell-02", placement: "p1" }
    const refused: ReadonlyArray<BotEvent> = [...until("Bound"), { _tag: "Abandoned", ...first, reason: "too dear" }]
    const slot = slotOf(refused)
    assert.deepInclude(slot, { failures: 1, refusals: 0, failedWhy: "too dear" })
    const reply = { _tag: "CreateRefused", ...first, code: "order-rejected", text: "too small" } as const
    const byVenue = slotOf([...until("CreateSent"), reply, { _tag: "Abandoned", ...first, reason: "refused" }])
    assert.deepInclude(byVenue, { failures: 1, refusals: 1 })
    const leg = {
      _tag: "LegClosed",
      strategy: "grid",
      slot: "cell-02",
      side: "BUY",
      asset: "BTC",
      rest: 1n,
      reason: "x"
    } as const
    assert.deepInclude(slotOf([...refused, { ...leg, carried: 3n }]), { failures: 0, completedLegs: 1, carried: 3n })
    assert.strictEqual(
      slotOf([...refused, { _tag: "DepositSeen", ...first, asset: "USDC", total: value, fresh: value }])?.failures,
      0
    )
  })
})

describe("the unfinished orders of a state", () => {
  it("are listed once for each event", () => {
    const [state, last] = [remembered(until("PaidOut")), orderOf(1).at(-1)]
    const before = BotState.unfinished(state)
    assert.strictEqual(BotState.unfinished(state), before)
    assert.deepStrictEqual([before.length, BotState.unfinishedOf(state, "grid").length], [1, 1])
    if (last !== undefined) BotState.apply(state, { sequence: state.sequence + 1, at: 0, event: last })
    assert.deepStrictEqual([BotState.unfinished(state), BotState.unfinishedOf(state, "grid")], [[], []])
  })
})

describe("the use of the limits by open orders", () => {
  const now = Date.parse("2026-01-01T00:00:00Z")
  it("is their number, their value in quote, and what is still in the wallet", () => {
    const planned = Tally.of(remembered(until("Bound")), "grid", 1)
    assert.deepInclude(planned.own, { openOrders: 1, lastHour: 1, notional: value })
    assert.deepStrictEqual([...planned.own.exposure], [["USDC", value]])
    assert.deepStrictEqual([...planned.own.reserved], [["USDC", value]])
    const signed = Tally.of(remembered(until("FundingSigned")), "grid", 1)
    assert.deepStrictEqual([[...signed.own.exposure], [...signed.own.reserved]], [[["USDC", value]], []])
  })

  it("counts the plans of the last hour, and other strategies' orders only in the total", () => {
    const state = remembered(until("Bound"))
    const at = placementAfter("Bound").plannedAt
    assert.strictEqual(Tally.of(state, "grid", at + 3_599_999).own.lastHour, 1)
    assert.strictEqual(Tally.of(state, "grid", at + 3_600_000).all.lastHour, 0)
    const other = Tally.of(state, "other", at)
    assert.deepStrictEqual([other.own.openOrders, other.own.lastHour], [0, 0])
    assert.deepStrictEqual([other.all.openOrders, other.all.lastHour], [1, 1])
    const ofHand = { ...state, placements: new Map([["p1", { ...placementAfter("Bound"), strategy: byHand }]]) }
    assert.strictEqual(Tally.of(ofHand, "grid", at).all.openOrders, 0, "what the operator does by hand")
    assert.strictEqual(Tally.of(remembered(until("Settled")), "grid", now).all.openOrders, 0)
  })

  it("grows with each order that a plan adds, by its deposit", () => {
    const tally = Tally.of(remembered([]), "grid", now)
    const asked = { ...placementAfter("Planned"), inputAsset: "USDC", inputAmount: 7n, outputAmount: 3n }
    Tally.add(tally, { ...asked, side: "BUY" })
    Tally.add(tally, { ...asked, side: "SELL", inputAsset: "BTC" })
    for (const usage of [tally.own, tally.all]) {
      assert.deepInclude(usage, { openOrders: 2, lastHour: 2, notional: 10n })
      assert.deepStrictEqual(
        [...usage.reserved],
        [
          ["USDC", 7n],
          ["BTC", 7n]
        ]
      )
    }
  })
})

describe("a strategy", () => {
  const strategyOf = (...events: ReadonlyArray<BotEvent>) => remembered(events).strategies.get("grid")
  const allot = (amount: bigint): BotEvent => ({ _tag: "BudgetAllotted", strategy: "grid", asset: "USDC", amount })
  const marked: BotEvent = { _tag: "EquityMarked", strategy: "grid", asset: "USDC", day: 3, equity: 5n, peak: 9n }
  it("has its latest budget, and a change after the first mark counts as capital", () => {
    assert.isEmpty(strategyOf(allot(7n))?.flows)
    const changed = strategyOf(allot(10n), marked, allot(12n), allot(9n))
    assert.deepStrictEqual([...(changed?.flows ?? [])], [["USDC", -1n]])
    assert.deepStrictEqual(changed?.equity, { day: 3, atStart: 5n, peak: 9n })
    assert.isEmpty(strategyOf(allot(10n), marked, allot(12n), marked)?.flows)
    assert.strictEqual(changed?.budget.get("USDC"), 9n)
  })

  it("is paused until it is resumed", () => {
    const paused: BotEvent = { _tag: "Paused", strategy: "grid", limit: "dailyLoss", action: "drain", reason: "lost" }
    assert.deepInclude(strategyOf(paused)?.paused, { limit: "dailyLoss", action: "drain", reason: "lost", day: 0 })
    const resumed = strategyOf(paused, { _tag: "Resumed", strategy: "grid", reason: "looked" })
    assert.notProperty(resumed, "paused")
  })

  it("keeps its text while its file is unchanged, and counts as loaded only once this run loads it", () => {
    const loaded = (hash: string): BotEvent => ({
      _tag: "StrategyLoaded",
      strategy: "grid",
      file: "grid.yaml",
      kind: "grid",
      market: "BTC/USDC",
      hash
    })
    assert.deepInclude(strategyOf(loaded("a"))?.loaded, { text: "name: grid", hash: "a" })
    assert.notProperty(strategyOf(loaded("b"))?.loaded, "text")
    const started = remembered(startedAnew)
    assert.isFalse(started.strategies.get("grid")?.isLoaded)
    assert.isTrue(remembered([loaded("a")]).strategies.get("grid")?.isLoaded)
  })

  it("remembers the reason of a refusal until the slot is planned", () => {
    const denied: BotEvent = { _tag: "Denied", strategy: "grid", slot: "cell-02", limit: "budget", reason: "too much" }
    const deferred: BotEvent = { _tag: "Deferred", strategy: "grid", slot: "cell-03", reason: "no price" }
    const refusals = (...events: ReadonlyArray<BotEvent>) => Object.fromEntries(strategyOf(...events)?.refusals ?? [])
    assert.deepStrictEqual(refusals(denied, deferred), { "cell-02": "budget: too much", "cell-03": "no price" })
    assert.deepStrictEqual(refusals(denied, deferred, ...until("Planned")), { "cell-03": "no price" })
  })
})
