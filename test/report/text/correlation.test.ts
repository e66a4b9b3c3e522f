/** Refusals name the id by which the venue finds the request again, wherever people read them. */
import { assert, describe, it } from "@effect/vitest"
import { describe as lineOf } from "../../../src/report/text/EventLine.ts"
import { RetryLater, VenueError } from "../../../src/venue/VenueError.ts"

const place = { strategy: "grid", slot: "cell-1", placement: "p1" } as const

describe("the text of a refusal", () => {
  it("has the correlation id after the sentence of its event", () => {
    const refused = { _tag: "CreateRefused", ...place, code: "order-rejected", text: "too small (at /data)" } as const
    const assets = new Map()
    assert.strictEqual(
      lineOf({ ...refused, correlationId: "corr-7" }, assets)?.text,
      "the venue refused to create the order: order-rejected: too small (at /data) (correlation id corr-7)"
    )
    assert.notInclude(lineOf(refused, assets)?.text ?? "", "correlation")
  })

  it("names the time of the next try if it is temporary", () => {
    const reason = new RetryLater({ operation: "quote", afterMillis: 2000, text: "429 slow down" })
    assert.strictEqual(
      new VenueError({ reason }).message,
      "The venue cannot quote now (429 slow down): it may be asked again after 2 s"
    )
  })
})
