/** Where an order's money goes: each part that is another one than was asked for is told, by its name and with both values. */
import { assert, describe, it } from "@effect/vitest"
import { type Course, pathMismatch } from "../../../src/engine/tracking/MoneyPath.ts"

const asked: Course = {
  side: "BUY",
  originAsset: "usdc",
  destinationAsset: "btc",
  recipient: "alice",
  recipientType: "INTENTS",
  refundTo: "bob",
  refundType: "INTENTS"
}

const others: ReadonlyArray<readonly [keyof Course, Partial<Course>, string]> = [
  ["side", { side: "SELL" }, "its side is SELL instead of BUY"],
  ["originAsset", { originAsset: "sol" }, "its asset to deposit is sol instead of usdc"],
  ["destinationAsset", { destinationAsset: "sol" }, "its asset to receive is sol instead of btc"],
  ["recipient", { recipient: "eve" }, "its recipient is eve instead of alice"],
  [
    "recipientType",
    { recipientType: "DESTINATION_CHAIN" },
    "its recipient type is DESTINATION_CHAIN instead of INTENTS"
  ],
  ["refundTo", { refundTo: "eve" }, "its refund account is eve instead of bob"],
  ["refundType", { refundType: "ORIGIN_CHAIN" }, "its refund type is ORIGIN_CHAIN instead of INTENTS"]
]

describe("the money path of an order", () => {
  it.each(others)("is reported if it shows another %s", (part, change, text) => {
    assert.strictEqual(pathMismatch(asked, { ...asked, ...change }), text)
    assert.isUndefined(pathMismatch(asked, { ...asked, ...change, unsaid: [part] }), "what is not said is no other")
  })

  it("is not reported if it matches the request", () => {
    assert.isUndefined(pathMismatch(asked, asked))
  })
})
