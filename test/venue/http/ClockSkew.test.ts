/** How far our clock is from the venue's, by what its answers tell. */
import { assert, describe, it } from "@effect/vitest"
import * as ClockSkew from "../../../src/venue/http/ClockSkew.ts"

const now = Date.parse("2026-01-01T00:00:00Z")
const asked = { receivedAt: now, tookMillis: 100 }
const silent = { venueTime: undefined, date: undefined }

describe("the venue's clock", () => {
  it("is that of the bodies, whatever a proxy writes into the headers", () => {
    for (const date of ["Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "yesterday", ""]) {
      const skew = ClockSkew.make()
      const seen = Array.from({ length: 20 }, () => {
        const header = skew.note({ ...asked, venueTime: undefined, date })
        skew.note({ ...asked, venueTime: now - 50, date: undefined }, header)
        return skew.millis()
      })
      assert.deepStrictEqual(new Set(seen), new Set([0]), date)
    }
  })

  it("is that of the headers where bodies tell none, and one odd answer does not count", () => {
    const skew = ClockSkew.make()
    skew.note({ ...asked, ...silent })
    assert.isUndefined(skew.millis())
    for (const date of [
      "Wed, 31 Dec 2025 23:59:50 GMT",
      "Thu, 01 Jan 1970 00:00:00 GMT",
      "Wed, 31 Dec 2025 23:59:50 GMT"
    ]) {
      skew.note({ ...asked, venueTime: undefined, date })
    }
    assert.strictEqual(skew.millis(), 8_900)
  })
})
