/** Exact values from wire text: canonical in, the same text out, and `undefined` for everything else. */

import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as Timestamp from "../../../src/domain/Timestamp.ts"
import * as Wire from "../../../src/venue/wire/WireValue.ts"

const year2000 = Date.UTC(2000, 0, 1)
const year2100 = Date.UTC(2100, 0, 1)

describe("amounts", () => {
  it.prop("are read back as written", { amount: Schema.BigInt }, ({ amount }) => {
    const positive = (amount < 0n ? -amount : amount) % 2n ** 256n
    assert.strictEqual(Wire.parseAmount(String(positive)), positive)
    if (positive > 0n) assert.isUndefined(Wire.parseAmount(`-${positive}`))
    assert.isUndefined(Wire.parseAmount(`0${positive}`))
  })

  it.prop("are text that a bigint writes, or nothing", { text: Schema.String }, ({ text }) => {
    const amount = Wire.parseAmount(text)
    if (amount !== undefined) assert.strictEqual(String(amount), text)
  })

  it.each(["", " ", " 12 ", "0x10", "0b1", "1_000", "1e3", "+1", "1.0", "٣", "1n", "9".repeat(79)])(
    "refuse %j",
    (text) => assert.isUndefined(Wire.parseAmount(text))
  )
})

describe("prices", () => {
  it.each(["5", "5.0", "0.0001", ".5", "123456789.000000001"])("accept %s", (text) => {
    assert.isDefined(Wire.parsePrice(text))
    assert.isTrue(Decimal.equals(Wire.parsePrice(text) ?? Decimal.zero, Decimal.parse(text) ?? Decimal.one))
  })

  it.each(["", "0", "0.0", "-1", "+1", "1e3", "NaN", "Infinity", "1,5", " 1", "1 "])("refuse %j", (text) =>
    assert.isUndefined(Wire.parsePrice(text))
  )
})

describe("prices of requests", () => {
  it.each(["5", "5.0", "0.0001"])("accept %s", (text) => assert.isTrue(Schema.is(Wire.PriceText)(text)))
  it.each([".5", "5.", "0", "+1"])("refuse %j", (text) => assert.isFalse(Schema.is(Wire.PriceText)(text)))
})

describe("timestamps", () => {
  const Time = Schema.Int.check(Schema.isBetween({ minimum: year2000, maximum: year2100 }))

  it.prop("are read back as written", { time: Time }, ({ time }) => {
    assert.strictEqual(Timestamp.parse(Timestamp.format(time)), time)
  })

  it.each([
    ["2026-02-28T23:59:59Z", Date.UTC(2026, 1, 28, 23, 59, 59)],
    ["2024-02-29T00:00:00.5Z", Date.UTC(2024, 1, 29, 0, 0, 0, 500)],
    ["2026-02-03T01:30:00+01:30", Date.UTC(2026, 1, 3)],
    ["2026-02-03T00:00:00.123456789Z", Date.UTC(2026, 1, 3, 0, 0, 0, 123)]
  ])("read %s", (text, expected) => assert.strictEqual(Timestamp.parse(text), expected))

  it.each([
    "2026-02-29T00:00:00Z",
    "2100-02-29T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z",
    "2026-01-01T00:00:60Z",
    "2026-01-01T00:00:00",
    "2026-01-01 00:00:00Z",
    "2026-01-01",
    "1767225600000",
    "2026-01-01T00:00:00+25:00",
    " 2026-01-01T00:00:00Z",
    ""
  ])("refuse %j", (text) => assert.isUndefined(Timestamp.parse(text)))
})
