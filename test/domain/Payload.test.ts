/** What is certain of a signed payment. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import * as Payload from "../../src/domain/Payload.ts"

const fresh = Payload.signed({ signed: Redacted.make("bytes"), intentHash: "h", amount: 5n, validUntil: 1_000 })
const sent = (attempts: number, clearRefusals = 0): Payload.Payload => ({ ...fresh, attempts, clearRefusals })

describe("a signed payment", () => {
  it("is neither sent, refused nor acknowledged at first", () => {
    assert.deepStrictEqual(fresh, {
      signed: "bytes",
      intentHash: "h",
      amount: 5n,
      validUntil: 1_000,
      attempts: 0,
      clearRefusals: 0,
      lastSentAt: 0,
      acknowledged: false
    })
    assert.strictEqual(Payload.certaintyOf(fresh), "unsent")
  })

  it("is executed once an answer says so; refusals count only if they rule out an execution", () => {
    const refusal = { code: "C", text: "words" }
    const answer = (verdict?: Payload.RefusalVerdict) =>
      Payload.answered({ ...fresh, clearRefusals: 1 }, verdict === undefined ? refusal : { ...refusal, verdict })
    const last = (verdict?: Payload.RefusalVerdict) => ({ lastAnswer: "C: words", lastVerdict: verdict })
    assert.deepStrictEqual(answer("executed"), { ...last("executed"), acknowledged: true })
    assert.deepStrictEqual(answer("not-executed"), { ...last("not-executed"), clearRefusals: 2 })
    assert.deepStrictEqual(answer("stale-salt"), { ...last("stale-salt"), clearRefusals: 2 })
    assert.deepStrictEqual(answer(), { ...last(), clearRefusals: 1 })
    assert.isTrue(Payload.isStale({ lastVerdict: "stale-salt" }))
    assert.isFalse(Payload.isStale({ lastVerdict: "not-executed" }))
  })

  it("is certain if acknowledged, or if each of two or more attempts is clearly refused", () => {
    assert.strictEqual(Payload.certaintyOf({ ...sent(3, 3), acknowledged: true, mayBeForgotten: true }), "executed")
    assert.strictEqual(Payload.certaintyOf({ ...sent(0), mayBeForgotten: true }), "doubtful")
    assert.strictEqual(Payload.certaintyOf({ ...sent(3, 3), mayBeForgotten: true }), "doubtful")
    for (const [attempts, refusals, fate] of [
      [1, 0, "doubtful"],
      [1, 1, "doubtful"],
      [2, 1, "doubtful"],
      [2, 2, "refused"],
      [3, 2, "doubtful"],
      [3, 3, "refused"]
    ] as const)
      assert.strictEqual(Payload.certaintyOf(sent(attempts, refusals)), fate, `${refusals} of ${attempts}`)
  })
})
