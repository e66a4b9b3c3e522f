/**
 * Which orders are to leave, row by row: each row of the table has a case that needs it, and each two neighbours that can both hold
 * have one that needs their order, unless both say the same.
 */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { defaults } from "../../../src/engine/EngineSettings.ts"
import {
  type CancelFacts,
  type CancelRow,
  dueCancel,
  type OrderThere,
  ordersOf,
  rows
} from "../../../src/engine/protocol/DueCancels.ts"
import { firstOf } from "../../../src/engine/protocol/TableRow.ts"
import type { Placement } from "../../../src/engine/state/Placement.ts"
import * as Tries from "../../../src/engine/state/process/Tries.ts"
import { about, placementAfter, startedAnew } from "../firstOrder.ts"

const settings = {
  ...defaults,
  account: { signerId: "me", depositType: "INTENTS" as const, maxAppFeeBasisPoints: 100 }
}
const pulled: BotEvent = { _tag: "CancelRequested", ...about, why: { code: "test", text: "pulled" } }
const asked = { _tag: "CancelSent", ...about, attempt: 1 } as const
const ended = { _tag: "Closed", ...about, status: "CANCELED", inputAsset: "USDC", unspent: 1n } as const

const own = (placement: Placement): OrderThere => ({ which: "own", orderId: "order-1", placement })
const resting = placementAfter("StatusSeen")
const wanted = placementAfter("StatusSeen", pulled)
const sent = placementAfter("StatusSeen", pulled, asked)
const sentAt = sent.cancel?.lastSentAt ?? 0
const unpaid = placementAfter("Bound", pulled)
const doubted = placementAfter("Bound", pulled, ...startedAnew)
const over = placementAfter("StatusSeen", pulled, ended)
const early = placementAfter("StatusSeen", ended)
const earlyAndWanted = placementAfter("StatusSeen", ended, pulled)
const givenUp = placementAfter("Bound", { _tag: "Abandoned", ...about, reason: "test" })
const spare: OrderThere = { which: "spare", orderId: "order-1", placement: givenUp }
const other: OrderThere = { which: "other", orderId: "order-9" }
const swap = { ...wanted, by: "swap" } as const

const soon = { now: sentAt + 999 }
const later = { now: sentAt + 1_000 }
const killed = { isKilled: true }
const unrecorded = { isUnrecorded: true }
const often = { cancelled: { attempts: 9, at: 0 } }

type Case = readonly [
  when: string,
  order: OrderThere,
  facts: Partial<CancelFacts>,
  due: "wait" | "cancel",
  tries?: Partial<Tries.Tries>
]

const cases: ReadonlyArray<Case> = [
  ["its cancel has no answer yet", own(wanted), { underWay: new Set(["order-1"]) }, "wait"],
  ["its cancel has no answer yet", own(resting), { underWay: new Set(["order-1"]), ...unrecorded }, "wait"],
  ["its cancel has no answer yet", spare, { underWay: new Set(["order-1"]) }, "wait"],
  ["its cancel has no answer yet", other, { ...killed, underWay: new Set(["order-9"]) }, "wait"],
  ["a swap ends without a cancel, and soon", own(swap), {}, "wait"],
  ["a swap ends without a cancel, and soon", own(swap), unrecorded, "wait"],
  ["it is over", own(over), {}, "wait"],
  ["it is over", own(over), unrecorded, "wait"],
  ["it is over", own(givenUp), unrecorded, "wait"],
  ["a cancel has ended it", own(wanted), {}, "wait", { endedLife: "order-1 0" }],
  ["a cancel has ended it", own(resting), unrecorded, "wait", { endedLife: "order-1 0" }],
  ["a cancel has ended it", other, killed, "wait", { endedLife: "order-9 0" }],
  ["only the kill switch cancels orders without a placement", other, {}, "wait"],
  ["only the kill switch cancels orders without a placement", other, unrecorded, "wait"],
  ["it may be open, and nothing can be recorded", own(resting), unrecorded, "cancel"],
  ["it may be open, and nothing can be recorded", own(early), unrecorded, "cancel"],
  ["it may be open, and nothing can be recorded", other, { ...killed, ...unrecorded, now: 1_000 }, "cancel", often],
  ["it is inert, and nothing can be recorded", spare, { ...killed, ...unrecorded }, "wait"],
  ["no cancel is requested", own(resting), killed, "wait"],
  ["none of our money can be in it", own(unpaid), {}, "wait"],
  ["it was requested recently", own(sent), soon, "wait"],
  ["it was requested recently", own(sent), { ...soon, hurriedAt: sentAt }, "wait"],
  ["it was requested recently", own(sent), { ...soon, hurriedAt: sentAt + 1 }, "wait", { isRefused: true }],
  ["it was requested recently", spare, soon, "wait", { spare: new Map([["order-1", { attempts: 1, at: sentAt }]]) }],
  ["it was requested recently", other, { ...killed, now: 4_999 }, "wait", often],
  ["it is to leave", own(wanted), {}, "cancel"],
  ["it is to leave", own(doubted), {}, "cancel"],
  ["it is to leave", own(earlyAndWanted), {}, "cancel"],
  ["it is to leave", own(over), {}, "cancel", { isAlive: true }],
  ["it is to leave", own({ ...wanted, lives: 1 }), {}, "cancel", { endedLife: "order-1 0" }],
  ["it is to leave", own(sent), later, "cancel"],
  ["it is to leave", own(sent), { ...soon, hurriedAt: sentAt + 1 }, "cancel"],
  ["it is to leave", own(sent), { now: sentAt - 1 }, "cancel"],
  ["it is to leave", spare, {}, "cancel"],
  ["it is to leave", spare, soon, "cancel", { spare: new Map([["order-2", { attempts: 1, at: sentAt }]]) }],
  ["it is to leave", other, { ...killed, now: 5_000 }, "cancel", often]
]

const factsWith = (facts: Partial<CancelFacts>): CancelFacts => ({
  ...{ now: 100_000, settings, isKilled: false, isUnrecorded: false, underWay: new Set<string>() },
  hurriedAt: Number.NEGATIVE_INFINITY,
  ...facts
})
const dueIn = ([, order, facts, , tries]: Case, table: ReadonlyArray<CancelRow> = rows): string =>
  dueCancel(order, { ...Tries.none, ...tries }, factsWith(facts), table)
const holdsIn = (row: CancelRow, [, order, facts, , tries]: Case): boolean =>
  firstOf([row], order.which, order, factsWith(facts), { ...Tries.none, ...tries }) !== undefined
const isFound = (table: ReadonlyArray<CancelRow>): boolean => cases.some((each) => dueIn(each, table) !== each[3])

describe("the table of due cancels", () => {
  it.each(cases.map((each) => [each[0], each] as const))("%s", (_, each) => {
    assert.strictEqual(rows.find((row) => holdsIn(row, each))?.[1], each[0])
    assert.strictEqual(dueIn(each), each[3])
  })

  it.each(rows.map(([, name], at) => [name, at] as const))("fails its checks without the row: %s", (_, at) => {
    assert.isTrue(isFound(rows.filter((_row, index) => index !== at)))
  })

  it.each(rows.flatMap(([kinds, name], at) => kinds.map((which) => [name, which, at] as const)))(
    "fails its checks if the row is not about these orders: %s, %s",
    (_, which, at) => {
      const narrowed = ([kinds, ...row]: CancelRow): CancelRow => [kinds.filter((each) => each !== which), ...row]
      assert.isTrue(isFound(rows.map((row, index) => (index === at ? narrowed(row) : row))))
    }
  )

  it.each(rows.slice(1).map(([, name], at) => [rows[at]?.[1], name, at] as const))(
    "fails its checks with these rows swapped, unless they agree: %s, %s",
    (_, __, at) => {
      const [one, next] = [rows[at], rows[at + 1]]
      if (one === undefined || next === undefined) return assert.fail("there is no such row")
      const isAlike = one[3] === next[3] || !one[0].some((which) => next[0].includes(which))
      assert.isTrue(isAlike || isFound(rows.with(at, next).with(at + 1, one)))
    }
  )

  it("covers all orders of a placement except those whose end is confirmed", () => {
    const spares = new Map([
      ["order-2", true],
      ["order-3", false]
    ])
    assert.deepStrictEqual(
      ordersOf({ ...resting, spares }).map(({ orderId, which }) => [which, orderId]),
      [
        ["own", "order-1"],
        ["spare", "order-3"]
      ]
    )
  })
})
