/** When a bot counts as hanging, whatever happens to the clock. */
import { assert, describe, it } from "@effect/vitest"
import { silentBecause } from "../../src/control/notify/Heartbeat.ts"
import * as BotState from "../../src/engine/state/BotState.ts"
import { lateSince } from "../../src/views/Pulse.ts"

const minute = 60_000
const start = 1_000 * minute

const hung = (turned: number) => {
  const state = BotState.make()
  state.runStartedAt = start
  return { state, pulse: { turnedAt: () => turned, pollMaxMillis: 5_000, leaving: () => undefined } }
}

describe("a bot whose turns end no more", () => {
  it.each([0, start + minute])("is late a minute after the clock was set back (last turn at %i)", (turned) => {
    const { pulse, state } = hung(turned)
    const setBack = start - 180 * minute
    assert.isUndefined(lateSince(state, pulse, setBack))
    assert.isUndefined(lateSince(state, pulse, setBack + minute))
    assert.strictEqual(lateSince(state, pulse, setBack + minute + 1), setBack)
  })

  it("sends no sign of life once a period has passed after the clock is set back", () => {
    const { pulse, state } = hung(start + minute)
    const setBack = start - 180 * minute
    assert.isUndefined(silentBecause(state, pulse, setBack, 5 * minute))
    assert.isUndefined(silentBecause(state, pulse, setBack + 5 * minute, 5 * minute))
    assert.match(silentBecause(state, pulse, setBack + 5 * minute + 1, 5 * minute) ?? "", /^no turn has ended for/)
  })

  it("is not late while turns end, although the clock is set back after the start", () => {
    const { pulse, state } = hung(start - 180 * minute)
    assert.isUndefined(lateSince(state, pulse, start - 180 * minute + 30_000))
    assert.isDefined(lateSince(state, pulse, start - 178 * minute))
  })
})
