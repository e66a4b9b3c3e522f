/** What only several reports of an order together say: one may be old, and what lasts is meant. */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { memoryOf } from "../../../src/engine/observation/Reports.ts"
import * as Tries from "../../../src/engine/state/process/Tries.ts"
import { about, order, placementAfter, remembered, until } from "../firstOrder.ts"

const closed: BotEvent = { _tag: "Closed", ...about, status: "CANCELED", inputAsset: "USDC", unspent: 120_000_000n }
const ended = placementAfter("StatusSeen", closed)
const odd: BotEvent = { _tag: "Contradiction", ...about, what: "odd", evidence: "" }
const make = () => {
  const state = remembered(until("StatusSeen"))
  return memoryOf({ state, tries: Tries.make(state) })
}
const tags = (events: ReadonlyArray<BotEvent>) => events.map(({ _tag }) => _tag)

describe("an order that is shown alive after its end", () => {
  it("is cancelled again after ten seconds, and reported after a minute", () => {
    const { revived } = make()
    const seen = (now: number) => revived(ended, order, now)
    assert.deepStrictEqual(seen(1_000), { isAlive: false, events: [] })
    assert.isFalse(seen(10_999).isAlive)
    assert.isTrue(seen(11_000).isAlive)
    assert.deepStrictEqual(seen(60_999).events, [])
    assert.deepInclude(seen(61_000).events[0], {
      _tag: "Contradiction",
      kind: "changed-report",
      what: "it ended CANCELED, but the venue still shows it OPEN",
      evidence: "for 60 s"
    })
    assert.deepStrictEqual(tags(seen(61_000).events), ["Contradiction", "Reopened"])
    const told = revived(placementAfter("StatusSeen", closed, odd), order, 90_000).events
    assert.deepStrictEqual(tags(told), ["Reopened"], "told once")
  })

  it.each(["CANCELED", "PENDING_CANCEL"])("is over again once it is shown %s", (fillStatus) => {
    const { revived } = make()
    revived(ended, order, 0)
    assert.isFalse(revived(ended, { ...order, fillStatus }, 50_000).isAlive)
    assert.isFalse(revived(ended, order, 55_000).isAlive)
  })

  it("does not include one that has not ended", () => {
    const { revived } = make()
    const resting = placementAfter("StatusSeen")
    revived(resting, order, 0)
    assert.deepStrictEqual(revived(resting, order, 90_000), { isAlive: false, events: [] })
  })
})

describe("an order that shows less than before its end", () => {
  const filled = placementAfter("FillSeen")
  const lacking = { ...order, fillStatus: "FILLED", payoutIsFinal: true }
  it("is believed after a minute of finality, unless it shows its fills in between", () => {
    const { insists } = make()
    assert.isFalse(insists(filled, lacking, 0))
    assert.isFalse(insists(filled, lacking, 59_999))
    assert.isTrue(insists(filled, lacking, 60_000))
    const fills = [...filled.fills].map(([id, fill]) => ({ id, ...fill, at: 1 }))
    assert.isFalse(insists(filled, { ...lacking, fills }, 61_000))
    assert.isFalse(insists(filled, lacking, 62_000))
    assert.isFalse(insists(filled, { ...lacking, payoutIsFinal: false }, 200_000))
    assert.isFalse(insists(filled, lacking, 201_000))
  })
})

describe("an order that the venue denies", () => {
  const missed = (consistency: ReturnType<typeof make>, now: number, placement = placementAfter("StatusSeen")) =>
    tags(consistency.missed(placement, now, "not found"))

  it("is reported once, after a minute, if our money is in it", () => {
    const consistency = make()
    assert.deepStrictEqual(missed(consistency, 0), [])
    assert.deepStrictEqual(missed(consistency, 59_999), [])
    assert.deepStrictEqual(missed(consistency, 60_000), ["OrderMissing"])
    const told: BotEvent = { _tag: "OrderMissing", ...about, orderId: "order-1", text: "not found" }
    assert.deepStrictEqual(missed(consistency, 70_000, placementAfter("StatusSeen", told)), [])
    assert.deepStrictEqual(tags(consistency.shown(placementAfter("StatusSeen", told))), ["OrderBack"])
    assert.deepStrictEqual(missed(consistency, 80_000), [], "the minute begins anew")
    assert.deepStrictEqual(tags(consistency.shown(placementAfter("StatusSeen"))), [])
  })

  it("is also reported while it closes, and not if none of our money has been seen", () => {
    const consistency = make()
    missed(consistency, 0, ended)
    assert.deepStrictEqual(missed(consistency, 60_000, ended), ["OrderMissing"])
    for (const tag of ["CreateSent", "Bound", "FundingSent"] as const) {
      const early = make()
      missed(early, 0, placementAfter(tag))
      assert.deepStrictEqual(missed(early, 60_000, placementAfter(tag)), [], tag)
    }
  })
})
