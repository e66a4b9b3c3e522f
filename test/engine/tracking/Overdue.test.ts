/** Whose money has waited for longer than its term, for what, and when only a person can help. */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { defaultTerms, overdueIn, type StepTerms } from "../../../src/engine/tracking/Overdue.ts"
import { about, order, placementAfter, remembered, until } from "../firstOrder.ts"

const minute = 60_000
const input = { asset: "USDC", amount: 120_000_000n }
const closed: BotEvent = { _tag: "Closed", ...about, status: "CANCELED", inputAsset: "USDC", unspent: input.amount }
const doubt: BotEvent = { _tag: "FundingInDoubt", ...about, ...input, reason: "test" }

const overdue = (events: ReadonlyArray<BotEvent>, now: number) =>
  overdueIn(remembered(events), defaultTerms, now).map(({ since, term, text, waitsFor }) => ({
    since,
    term,
    text,
    waitsFor
  }))

describe("an order whose money waits", () => {
  type Row = readonly [waitsFor: keyof StepTerms, minutes: number, text: string, events: ReadonlyArray<BotEvent>]
  const rows: ReadonlyArray<Row> = [
    ["create", 10, "the venue's answer", until("CreateSent")],
    ["create", 10, "the venue's answer", until("Bound")],
    ["deposit", 15, "its deposit to show", until("FundingSent")],
    ["doubt", 30, "a decision on its funding: limitbot resolve", [...until("FundingSent"), doubt]],
    ["payout", 60, "its payout", until("Closed")],
    ["refund", 60, "its refund", [...until("StatusSeen"), closed]],
    ["refund", 60, "its refund", until("PaidOut")]
  ]
  it.each(rows)("may wait for %s for %i minutes", (waitsFor, minutes, text, events) => {
    const since = remembered(events).placements.get("p1")?.changedAt ?? 0
    const term = minutes * minute
    assert.deepStrictEqual(overdue(events, since + term), [])
    assert.deepStrictEqual(overdue(events, since + term + 1), [{ since, term, text, waitsFor }])
  })

  it.each(rows)(
    "counts its wait for %s anew, %i minutes long, once the clock was set back",
    (waitsFor, minutes, _, events) => {
      const state = remembered(events)
      const setBack = (state.placements.get("p1")?.changedAt ?? 0) - 180 * minute
      const at = (now: number) => overdueIn(state, defaultTerms, now).map((each) => [each.waitsFor, each.since])
      assert.deepStrictEqual(at(setBack), [])
      assert.deepStrictEqual(at(setBack + minutes * minute), [])
      assert.deepStrictEqual(at(setBack + minutes * minute + 1), [[waitsFor, setBack]])
    }
  )

  it("is overdue after its deadline by the venue's clock", () => {
    const state = remembered(until("StatusSeen"))
    state.clock = { skewMillis: -180 * minute, ok: false }
    const over = order.deadline + 15 * minute - 180 * minute
    assert.deepStrictEqual(overdueIn(state, defaultTerms, over), [])
    assert.strictEqual(overdueIn(state, defaultTerms, over + 1).length, 1)
  })

  it("may wait for its end until fifteen minutes after its deadline", () => {
    const rests = until("StatusSeen")
    assert.deepStrictEqual(overdue(rests, order.deadline + 15 * minute), [])
    const text = "the venue to end it after its deadline"
    assert.deepStrictEqual(overdue(rests, order.deadline + 15 * minute + 1), [
      { since: order.deadline, term: 15 * minute, text, waitsFor: "end" }
    ])
  })

  it("does not include one that has not begun, or is over", () => {
    const never = 2 * order.deadline
    assert.deepStrictEqual(overdue(until("Planned"), never), [])
    assert.deepStrictEqual(overdue([...until("Bound"), { _tag: "Abandoned", ...about, reason: "test" }], never), [])
    assert.deepStrictEqual(overdue(until("Settled"), never), [])
  })

  const forSomebody: ReadonlyArray<readonly [string, ReadonlyArray<BotEvent>]> = [
    ["the operator: odd", [...until("StatusSeen"), { _tag: "Contradiction", ...about, what: "odd", evidence: "" }]],
    [
      "the operator: its payout failed",
      [...until("Closed"), { _tag: "LegFailed", ...about, leg: "payout", asset: "BTC", amount: 1n, reason: "gone" }]
    ],
    [
      "the operator: its refund failed",
      [...until("StatusSeen"), closed, { _tag: "LegFailed", ...about, leg: "refund", ...input, reason: "gone" }]
    ],
    [
      "a usable answer of the venue; nothing of its order is booked until then: a list",
      [...until("StatusSeen"), { _tag: "OddOrderSeen", orderId: "order-1", reason: "a list" }]
    ]
  ]
  it.each(forSomebody)("that needs %s is reported at once", (text, events) => {
    assert.deepStrictEqual(
      overdue(events, 0).map((each) => each.text),
      [text]
    )
  })

  it.each(forSomebody)("that needs %s counts its wait from the first report", (_, events) => {
    const changedAt = remembered(events).sequence
    const again: BotEvent = { _tag: "OddOrderSeen", orderId: "order-1", reason: "a list" }
    const isUnreadable = events.at(-1)?._tag === "OddOrderSeen"
    const found = overdue(isUnreadable ? [...events, again] : events, order.deadline)
    assert.deepStrictEqual(
      found.map(({ since }) => since),
      [changedAt]
    )
  })

  it("comes first if it waits longest", () => {
    const state = remembered(until("Bound"))
    const later = { ...placementAfter("FundingSent"), id: "p2", changedAt: 1_000 }
    for (const each of [later, { ...placementAfter("Bound"), id: "p3", changedAt: 3_000 }])
      state.placements.set(each.id, each)
    assert.deepStrictEqual(
      overdueIn(state, defaultTerms, 60 * minute).map(({ placement }) => placement.id),
      ["p1", "p2", "p3"]
    )
  })
})
