/** A journal that its witness knows otherwise: nothing is paid until a person says that it is to go on, and that word is for it alone. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Problems from "../../../src/engine/funding/Problems.ts"
import { closedForAll, type Step } from "../../../src/engine/holds/Holds.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"

const disagreed = (head: string): BotEvent => ({ _tag: "WitnessDisagreed", size: 9, head, text: "it has 3 events" })
const started: BotEvent = { _tag: "BotStarted", pid: 1, version: "x", mode: "live", account: "a", venue: "v" }

const bot = () => {
  const state = BotState.make()
  const see = (...events: ReadonlyArray<BotEvent>) => {
    for (const event of events) BotState.apply(state, { sequence: state.sequence + 1, at: 1, event })
  }
  const closed = () =>
    (["create", "fund", "resend"] as const satisfies ReadonlyArray<Step>).filter(
      (step) => closedForAll(state, { leaseLost: undefined, stopped: undefined }, step) !== undefined
    )
  const say = (word: Problems.Word) => Problems.resolve(state, { placement: "witness", word, text: "Ada: go on" }, 2)
  return { state, see, closed, say }
}

describe("a journal that its witness contradicts", () => {
  it("pays nothing, also after a restart, until the operator accepts it", () => {
    const { closed, say, see, state } = bot()
    see(started)
    assert.isEmpty(closed())
    assert.isTrue(Result.isFailure(say("forget")), "there is nothing to decide")
    see(disagreed("aa"), started)
    assert.deepStrictEqual(closed(), ["create", "fund", "resend"])
    for (const word of ["paid", "not-paid", "adopt"] as const) assert.isTrue(Result.isFailure(say(word)), word)
    const said = say("forget")
    assert.isTrue(Result.isSuccess(said))
    if (Result.isFailure(said)) return
    assert.isUndefined(BotState.objection(state, said.success))
    see(...said.success, started)
    assert.isEmpty(closed())
  })

  it("is held again when the witness contradicts it again", () => {
    const { closed, say, see } = bot()
    see(started, disagreed("aa"))
    const said = say("forget")
    if (Result.isSuccess(said)) see(...said.success)
    see(disagreed("bb"))
    assert.deepStrictEqual(closed(), ["create", "fund", "resend"])
  })
})
