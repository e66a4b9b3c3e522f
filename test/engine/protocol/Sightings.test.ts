/**
 * What it means that an order is shown, row by row: each row of the table has a case that needs it, and each two neighbours that can
 * both hold have one that needs their order, unless both say the same.
 */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import type { Order } from "../../../src/domain/Order.ts"
import { meaning, rows, type Sighting, type SightingRow } from "../../../src/engine/protocol/Sightings.ts"
import { firstOf } from "../../../src/engine/protocol/TableRow.ts"
import type { Placement } from "../../../src/engine/state/Placement.ts"
import { about, market, order, placementAfter } from "../firstOrder.ts"

const expected = { signerId: "me", depositType: "INTENTS" as const, maxAppFeeBasisPoints: 100 }
const givenUp: BotEvent = { _tag: "Abandoned", ...about, reason: "test" }

const planned = placementAfter("Planned")
const creating = placementAfter("CreateSent")
const created = placementAfter("Bound")
const sent = placementAfter("FundingSent")
const resting = placementAfter("StatusSeen")
const abandoned = placementAfter("Bound", givenUp)
const withSpare: Placement = { ...created, spares: new Map([["order-2", false]]) }
const fundedWithSpare: Placement = { ...resting, spares: new Map([["order-2", false]]) }

const creatingWithSpare: Placement = { ...creating, spares: new Map([["order-2", false]]) }
const dead = placementAfter("FundingSent", {
  _tag: "FundingDead",
  ...about,
  ...{ asset: "USDC", amount: order.inputAmount, reason: "test" }
})

const matching: Order = { ...order, deadline: created.deadline }
const empty: Order = { ...matching, depositedAmount: 0n, fillStatus: "AWAITING_DEPOSIT" }
const leaving: Order = { ...empty, fillStatus: "PENDING_CANCEL" }
const other = (shown: Order): Order => ({ ...shown, id: "order-2", depositAddress: "address-2" })

type Case = readonly [
  when: string,
  placement: Placement,
  order: Order,
  said: string,
  via?: Sighting["via"],
  facts?: Partial<Sighting>
]

const cases: ReadonlyArray<Case> = [
  // Nothing tells that the order is of the placement but that this was made of it: not its deadline, no market.
  ["its placement was made of it", creating, { ...matching, deadline: 1 }, "Bound order-1", "taken in"],
  ["a spare order has the money", withSpare, other(matching), "Bound order-2", "cancel"],
  ["a spare order has the money", creating, other(matching), "Bound order-2", "cancel"],
  ["a spare order has the money", abandoned, { ...matching, fillStatus: "PENDING_CANCEL" }, "Bound order-1", "cancel"],
  ["a spare order leaves", withSpare, other(leaving), "OrphanCancelled order-2", "cancel"],
  ["a spare order leaves", abandoned, { ...empty, fillStatus: "CANCELED" }, "OrphanCancelled order-1", "cancel"],
  ["", abandoned, empty, "", "cancel"],
  ["", creatingWithSpare, other(empty), "", "cancel"],
  // Its own order has money of ours as well, and must not be forgotten for that of another.
  ["", fundedWithSpare, other(matching), "", "cancel"],
  [
    "a spare order leaves",
    fundedWithSpare,
    other({ ...matching, fillStatus: "CANCELED" }),
    "OrphanCancelled order-2",
    "cancel"
  ],
  ["it is over, and its order is empty", abandoned, { ...empty, estimatedRefundFee: 11n, fillStatus: "CANCELED" }, ""],
  ["it is over, and its order is empty", dead, { ...empty, fillStatus: "CANCELED" }, ""],
  ["its order is shown", resting, { ...matching, fillStatus: "PENDING_CANCEL" }, "StatusSeen"],
  ["its order is shown", created, { ...empty, estimatedRefundFee: 11n }, "FeesEstimated, StatusSeen"],
  ["its order is shown", sent, matching, "DepositSeen, StatusSeen", "look", { market: undefined }],
  ["its create is answered", creating, empty, "Bound order-1, StatusSeen", "create"],
  ["its create is answered", creating, matching, "OrphanSeen order-1, Contradiction, Abandoned", "create"],
  ["the order is not of its create", creating, { ...empty, deadline: 1 }, ""],
  ["the order is not of its create", creating, empty, "", "look", { market: undefined }],
  ["the order is not of its create", planned, empty, ""],
  ["an order is found that the journal has lost", { ...planned, mayBePaid: true }, empty, "CreateSent, Bound order-1"],
  ["an order is found that the journal has lost", creating, matching, "Bound order-1"],
  ["its order is found", creating, empty, "Bound order-1, StatusSeen"],
  ["its order is found", creating, { ...empty, recipient: "you" }, "OrphanSeen order-1, Contradiction, Abandoned"],
  ["a twin of its order has the money", created, other(matching), "Bound order-2"],
  ["a twin of its order has the money", withSpare, other(matching), "Bound order-2"],
  ["a spare order is known", withSpare, other(empty), ""],
  ["a spare order is shown", created, other(empty), "OrphanSeen order-2"],
  ["a spare order is shown", resting, other(matching), "OrphanSeen order-2"]
]

const knownFrom = ([, placement, shown, , via = "look", facts]: Case) =>
  [placement, { order: shown, via, correlationId: undefined, market, expected, ...facts }] as const
const holdsIn = (row: SightingRow, each: Case): boolean => {
  const known = knownFrom(each)
  return firstOf([row], known[1].via, ...known) !== undefined
}
const saidIn = (each: Case, table: ReadonlyArray<SightingRow> = rows): string =>
  meaning(...knownFrom(each), table)
    .map((event) => ("orderId" in event ? `${event._tag} ${event.orderId}` : event._tag))
    .join(", ")
const isFound = (table: ReadonlyArray<SightingRow>): boolean => cases.some((each) => saidIn(each, table) !== each[3])

describe("the table of shown orders", () => {
  it.each(cases.map((each) => [each[0] || "in no row", each] as const))("%s", (_, each) => {
    assert.strictEqual(rows.find((row) => holdsIn(row, each))?.[1] ?? "", each[0])
    assert.strictEqual(saidIn(each), each[3])
  })

  it.each(rows.map(([, name], at) => [name, at] as const))("fails its checks without the row: %s", (_, at) => {
    assert.isTrue(isFound(rows.filter((_row, index) => index !== at)))
  })

  it.each(rows.slice(1).map(([, name], at) => [rows[at]?.[1], name, at] as const))(
    "fails its checks with these rows swapped, unless they never both hold or agree: %s, %s",
    (_, __, at) => {
      const [one, next] = [rows[at], rows[at + 1]]
      if (one === undefined || next === undefined) return assert.fail("there is no such row")
      const isAlike = cases.every(
        (each) =>
          rows.slice(0, at).some((row) => holdsIn(row, each)) ||
          !holdsIn(one, each) ||
          !holdsIn(next, each) ||
          saidIn(each, [one]) === saidIn(each, [next])
      )
      assert.isTrue(isAlike || isFound(rows.with(at, next).with(at + 1, one)))
    }
  )
})
