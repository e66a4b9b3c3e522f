/** After which starts events can be missing, and what is doubted then. */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Payload from "../../../src/domain/Payload.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { mayBePaidEarlier } from "../../../src/engine/state/orders/JournalIntegrity.ts"
import { begin, orderOf } from "../../world/journalRows.ts"

const started = (boot?: string, database?: string): BotEvent => ({
  _tag: "BotStarted",
  pid: 1,
  ...(boot === undefined ? {} : { boot }),
  ...(database === undefined ? {} : { database }),
  version: "0",
  mode: "live",
  account: "bot",
  venue: "http://127.0.0.1:1"
})
const stopped: BotEvent = { _tag: "BotStopped", reason: "test" }
const restored: BotEvent = { _tag: "JournalRestored", events: 1, head: "hash" }

const stateOf = (events: ReadonlyArray<BotEvent>) => {
  const state = BotState.make()
  for (const [index, event] of events.entries())
    BotState.apply(state, { sequence: index + 1, at: 1_000 + index, event })
  return state
}

/** The story of the first order up to an event of this kind. */
const until = (tag: BotEvent["_tag"]): ReadonlyArray<BotEvent> => {
  const [file, budget] = begin.slice(1)
  const story = orderOf(1)
  const length = story.findIndex(({ _tag }) => _tag === tag) + 1
  return file === undefined || budget === undefined ? [] : [started("a"), file, budget, ...story.slice(0, length)]
}

describe("the end of a journal", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<BotEvent>, boolean]> = [
    ["a new journal", [started("a")], false],
    ["killed, on the same machine", [started("a"), started("a")], false],
    ["killed, after a restart of the machine", [started("a"), started("b")], true],
    ["killed, on a machine without a boot id", [started(), started()], true],
    ["stopped in order, after a restart of the machine", [started("a"), stopped, started("b")], false],
    ["restored on the same machine", [started("a"), stopped, restored, started("a")], true],
    ["in a database, taken over by another machine", [started("a", "one"), started("b", "one")], false],
    ["in a database that is put back to its stop", [started("a", "one"), stopped, started("a", "two")], true],
    ["killed again before the check", [started("a"), started("b"), started("b")], true]
  ]
  for (const [what, events, isTorn] of cases)
    it(`${isTorn ? "may" : "cannot"} be missing: ${what}`, () => {
      assert.strictEqual(stateOf(events).integrity.isTorn, isTorn)
    })

  it("is checked from the last event before the first start that no order follows", () => {
    assert.strictEqual(stateOf([started("a"), started("b"), started("b")]).integrity.uncheckedSince, 1_000)
    assert.isUndefined(stateOf([started("a")]).integrity.uncheckedSince)
    assert.isUndefined(stateOf([started("a"), started("b"), ...until("Planned").slice(3)]).integrity.uncheckedSince)
  })

  it("keeps the deadlines of settled orders as used, so that none is drawn twice", () => {
    const story = [...begin, ...orderOf(1)]
    const state = stateOf(story)
    assert.deepStrictEqual([...state.placements.keys()], [])
    for (const event of story)
      if (event._tag === "Planned") assert.isTrue(state.integrity.usedDeadlines.has(event.deadline))
  })

  it("if it may be missing, unsigned work is in doubt and signed payments count as possibly sent", () => {
    for (const tag of ["Planned", "CreateSent", "Bound"] as const) {
      assert.isTrue([...stateOf([...until(tag), started("b")]).placements.values()].every(mayBePaidEarlier), tag)
      assert.isFalse([...stateOf([...until(tag), started("a")]).placements.values()].some(mayBePaidEarlier), tag)
    }
    const fateAfter = (boot: string) =>
      [...stateOf([...until("FundingSigned"), started(boot)]).placements.values()].map(({ funding }) =>
        funding === undefined ? undefined : Payload.certaintyOf(funding)
      )
    assert.deepStrictEqual(fateAfter("a"), ["unsent"])
    assert.deepStrictEqual(fateAfter("b"), ["doubtful"])
  })

  it("keeps every reported order until it is adopted or explained", () => {
    const [bound] = until("Bound").slice(-1)
    if (bound?._tag !== "Bound") throw new Error("the story binds no order")
    const told: BotEvent = {
      _tag: "JournalBehind",
      orderId: bound.orderId,
      depositAddress: "address",
      market: "BTC/USDC",
      asset: "USDC",
      amount: 1n,
      deposited: 1n,
      status: "OPEN"
    }
    const before = [...until("CreateSent"), told]
    assert.strictEqual(stateOf(before).integrity.forgotten.size, 1)
    assert.strictEqual(stateOf([...before, bound]).integrity.forgotten.size, 0)
    const word = { strategy: "recovered", slot: "x", placement: bound.orderId, word: "forget", text: "" } as const
    assert.strictEqual(stateOf([...before, { _tag: "Resolved", ...word }]).integrity.forgotten.size, 0)
  })

  it("may be missing once an order shows it, for all work begun before", () => {
    const cut: BotEvent = { _tag: "JournalCut", text: "order o of p1 is paid" }
    const state = stateOf([...until("Bound"), started("a"), cut])
    assert.isTrue(state.integrity.isTorn)
    assert.isTrue([...state.placements.values()].every(mayBePaidEarlier))
    assert.isTrue(stateOf([...until("Bound"), cut, started("a")]).integrity.isTorn)
  })
})
