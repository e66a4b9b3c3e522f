/** The reasons of attempts that are given up: each names the party that stopped the request. */
import { assert, describe, it } from "@effect/vitest"
import { createFailed } from "../../../src/engine/protocol/Answers.ts"
import { placementAfter } from "../firstOrder.ts"

describe("a failed create", () => {
  it.each([
    ["RetryLater", false, "its create was not sent, or not taken: text", ["Abandoned"]],
    ["invalid-request", false, "its create was not sent, or not taken: text", ["Abandoned"]],
    ["order-rejected", true, "the venue refused to create it: order-rejected: text", ["CreateRefused", "Abandoned"]]
  ])("with the code %s (by the venue: %s) is given up because %s", (code, isByVenue, reason, tags) => {
    const events = createFailed(placementAfter("CreateSent"), { code, isByVenue, text: "text" }, undefined)
    assert.deepEqual(
      events.map(({ _tag }) => _tag),
      tags
    )
    assert.deepInclude(events.at(-1), { _tag: "Abandoned", reason })
  })
})
