/** How far our clock is from the venue's, by what its answers tell. */
import { assert, describe, it } from "@effect/vitest"
import * as ClockSkew from "../../src/venue/ClockSkew.ts"

const now = Date.parse("2026-01-01T00:00:00Z")
const asked = { receivedAt: now, tookMillis: 100 }
const silent = { venueTime: undefined, date: undefined }

describe("the venue's clock", () => {
  it("is that of the bodies, whatever a proxy writes into the headers", () => {
    for (const date of ["Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", "yesterday", ""]) {
      const skew = ClockSkew.make()
      const seen = Array.from({ length: 20 }, () => {
        skew.note({ ...asked, venueTime: undefined, date })
        skew.note({ ...asked, venueTime: now - 50, date: undefined })
        return skew.millis()
      })
      assert.deepStrictEqual(new Set(seen), new Set([0]), date)
    }
  })

  it("is that of the headers if bodies have none, and one odd answer does not count", () => {
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

  it("ignores a header that stands still if some bodies carry a time", () => {
    const skew = ClockSkew.make()
    const seen = Array.from({ length: 300 }, (_, second) => {
      const at = { receivedAt: now + second * 1_000, tookMillis: 100 }
      skew.note({ ...at, venueTime: undefined, date: "Thu, 01 Jan 2026 00:00:00 GMT" })
      if (second % 5 === 0) skew.note({ ...at, venueTime: at.receivedAt - 50, date: undefined })
      return skew.millis()
    })
    assert.deepStrictEqual(new Set(seen), new Set([0]))
  })

  it("is unknown if the only header stands still, and known again once it moves", () => {
    const skew = ClockSkew.make()
    const at = (second: number, date: number) =>
      skew.note({
        receivedAt: now + second * 1_000,
        tookMillis: 100,
        venueTime: undefined,
        date: new Date(now + date * 1_000).toUTCString()
      })
    for (let second = 0; second <= 100; second += 1) at(second, -3_600)
    assert.isUndefined(skew.millis())
    for (let second = 101; second <= 110; second += 1) at(second, second - 3_600)
    assert.closeTo(skew.millis() ?? 0, 3_600_000, 1_200)
  })
})
