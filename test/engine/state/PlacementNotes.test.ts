/** A process that lives long remembers something of each placement, and must not remember all that ever were. */
import { assert, describe, it } from "@effect/vitest"
import * as BotState from "../../../src/engine/state/BotState.ts"
import * as PlacementNotes from "../../../src/engine/state/process/PlacementNotes.ts"
import { begin, orderOf } from "../../world/journalRows.ts"

describe("notes about placements", () => {
  it("last as long as their placements, for any number of placements", () => {
    const state = BotState.make()
    const notes = PlacementNotes.make<number>(state)
    const events = [...begin, ...Array.from({ length: 3_000 }, (_, number) => orderOf(number + 1)).flat()]
    for (const [index, event] of events.entries()) {
      BotState.apply(state, { sequence: index + 1, at: index * 10_000, event })
      if (event._tag === "CreateSent") notes.set(event.placement, index)
      if (index % 100 > 0) continue
      if (event._tag === "DepositSeen") assert.isDefined(notes.get(event.placement))
      assert.isAtMost(notes.size(), state.placements.size + 64)
    }
    assert.isAbove(state.placementCount, 2_900)
    assert.isBelow(notes.size(), 150)
  })
})
