/** What holds money is what people are told: alarms, health, explanations and slots name the very rows that close the gate. */
import { assert, describe, it } from "@effect/vitest"
import * as Health from "../../../src/control/view/Health.ts"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { defaults } from "../../../src/engine/EngineSettings.ts"
import { holdsOnBot, holdsOnSlot, ofBot, ofSlot } from "../../../src/engine/holds/Holds.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { defaultTerms } from "../../../src/engine/tracking/Overdue.ts"
import { explain } from "../../../src/views/Explanation.ts"
import { problemsOf } from "../../../src/views/Problems.ts"
import { slotsOf } from "../../../src/views/Slots.ts"
import { assetsBySymbol as assets } from "../../world/bitcoin.ts"
import { troubles } from "../../world/bot/troubles.ts"

const now = 10_000_000
const settings = { ...defaults, account: { signerId: "a", depositType: "INTENTS" as const, maxAppFeeBasisPoints: 0 } }
const pulse = { turnedAt: () => 1, pollMaxMillis: 1_000, leaving: () => undefined }

const stateOf = (events: ReadonlyArray<BotEvent>): BotState.BotState => {
  const state = BotState.make()
  for (const [index, event] of events.entries()) BotState.apply(state, { sequence: index + 1, at: index, event })
  return state
}

describe("a hold on money", () => {
  for (const [name, events] of Object.entries(troubles)) {
    it(`of the whole bot is an alarm, and health reports it: ${name}`, () => {
      const state = stateOf(events)
      const kinds = new Set(problemsOf(state, assets, { now, pulse, stuckAfter: defaultTerms }).map(({ kind }) => kind))
      const ready = Health.ready(state, pulse, now)
      for (const { code, inShort } of holdsOnBot(state)) {
        assert.include([...kinds], code)
        assert.include(ready, inShort)
      }
    })

    it(`of a slot explains why it waits: ${name}`, () => {
      const state = stateOf(events)
      const explained = explain({
        state,
        assets,
        now,
        strategies: new Map(),
        seen: new Map(),
        removed: new Map(),
        stopped: undefined,
        settings,
        touched: new Map(),
        lately: new Map()
      })
      for (const { because, slot: key } of explained) {
        const [strategy = "", slot = ""] = key.split("/")
        for (const { text } of holdsOnSlot(state, strategy, slot))
          assert.isTrue(
            because.some((line) => line.includes(text)),
            `${key}: ${text}`
          )
      }
      const empty = slotsOf(state, assets, new Map()).filter(({ state: stage }) => stage === "empty")
      for (const { slot: key, why } of empty) {
        const [strategy = "", slot = ""] = key.split("/")
        const holds = holdsOnSlot(state, strategy, slot)
        if (holds.length > 0) assert.notStrictEqual(why, "waits to be placed")
      }
    })
  }

  it("of a slot comes only from rows that stop it", () => {
    for (const { code, stops } of [...ofBot, ...ofSlot]) assert.includeMembers([...stops], ["create", "fund"], code)
  })

  it("of at least five kinds is in these journals", () => {
    const codes = Object.values(troubles).flatMap((events) => holdsOnBot(stateOf(events)).map(({ code }) => code))
    assert.isAbove(new Set(codes).size, 4)
  })
})
