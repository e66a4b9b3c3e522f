/** A strategy that is added, or named anew, while all that ran are paused by the operator. */

import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../src/domain/BotEvent.ts"
import { operatorLimit } from "../../src/domain/Text.ts"
import { pause } from "../../src/engine/holds/OperatorPause.ts"
import { loaded } from "../../src/engine/StartUp.ts"
import * as BotState from "../../src/engine/state/BotState.ts"
import { parse } from "../world/bot/botWorld.ts"
import { begin } from "../world/journalRows.ts"

const fresh = parse(`name: another
market: BTC/USDC
kind: grid
limits: { budget: { quote: 600 } }
grid: { lower: 59000, upper: 61000, levels: 11, size: { base: 0.001 } }
`)

const stateAfter = (...events: ReadonlyArray<BotEvent>) => {
  const state = BotState.make()
  const all = [...begin, ...events]
  all.forEach((event, index) => void BotState.apply(state, { sequence: index + 1, at: index + 1, event }))
  return state
}

describe("a strategy that is loaded while all others are paused", () => {
  it("is paused too", () => {
    const before = stateAfter()
    const state = stateAfter(...pause(before, "grid", "pause", "a look"))
    assert.deepInclude(
      loaded(state, fresh).find(({ _tag }) => _tag === "Paused"),
      { strategy: "another", limit: operatorLimit, action: "pause" }
    )
  })

  it("is not paused if another one runs, or none ran before", () => {
    for (const state of [stateAfter(), BotState.make()])
      assert.notInclude(
        loaded(state, fresh).map(({ _tag }) => _tag),
        "Paused"
      )
  })
})
