/** The reasons of attempts that are given up: each names the party that stopped the request. */
import { assert, describe, it } from "@effect/vitest"
import { createRefused } from "../../../src/engine/protocol/Answers.ts"
import { placementAfter } from "../firstOrder.ts"

describe("a failed create", () => {
  it.each([
    ["RetryLater", false, "its create was not sent, or not taken: text"],
    ["invalid-request", true, "its create was not sent, or not taken: text"],
    ["order-rejected", true, "the venue refused to create it: order-rejected: text"]
  ])("with the code %s (certain: %s) is given up because %s", (code, certain, reason) => {
    const [, event] = createRefused(placementAfter("CreateSent"), { code, certain, text: "text" }, undefined)
    assert.deepInclude(event, { _tag: "Abandoned", reason })
  })
})
