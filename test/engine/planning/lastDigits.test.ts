import { assert, describe, it } from "@effect/vitest"
import { areLastDigits } from "../../../src/engine/explain/Replay.ts"

const decision = (price: string, memory: number | string) =>
  JSON.stringify({ desired: [{ slot: "dip", price, quantity: "1234567890123456" }], memory: { band: memory } })
const recorded = decision("60164.5212345678", 0.30000000000000004)

describe("a repeated decision", () => {
  it("differs only in the last digits if a function of Math rounds differently", () => {
    assert.isTrue(areLastDigits(recorded, decision("60164.5212345679", 0.3)))
  })

  it.each([
    ["a price", decision("60164.5312345678", 0.3)],
    ["a number in its memory", decision("60164.5212345678", 0.31)],
    ["a word", decision("60164.5212345678", "none")],
    ["a slot", recorded.replace("dip", "top")]
  ])("is different if it differs in %s", (_, again) => {
    assert.isFalse(areLastDigits(recorded, again))
  })
})
