import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Decimal from "../../src/domain/Decimal.ts"

const Digits = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -(10n ** 30n), maximum: 10n ** 30n }))
const Scale = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 24 }))
const Value = Schema.Struct({ digits: Digits, scale: Scale })

const of = ({ digits, scale }: { readonly digits: bigint; readonly scale: number }) => Decimal.make(digits, scale)

/** The value times 10^60, exactly: an independent yardstick. */
const scaled = (value: Decimal.Decimal): bigint => value.digits * 10n ** BigInt(60 - value.scale)

describe("Decimal", () => {
  it.prop("parse inverts format", [Value], ([value]) => {
    assert.deepStrictEqual(Decimal.parse(Decimal.format(of(value))), of(value))
  })

  it.prop("equal numbers are structurally equal, with any trailing zeros", [Value], ([value]) => {
    assert.deepStrictEqual(Decimal.make(value.digits * 1000n, value.scale + 3), of(value))
  })

  it.prop("addition, subtraction, comparison and midpoint are exact", [Value, Value], ([left, right]) => {
    const [a, b] = [of(left), of(right)]
    assert.strictEqual(scaled(Decimal.add(a, b)), scaled(a) + scaled(b))
    assert.strictEqual(scaled(Decimal.subtract(a, b)), scaled(a) - scaled(b))
    assert.strictEqual(scaled(Decimal.midpoint(a, b)) * 2n, scaled(a) + scaled(b))
    assert.strictEqual(Math.sign(Decimal.compare(a, b)), scaled(a) < scaled(b) ? -1 : scaled(a) > scaled(b) ? 1 : 0)
  })

  it.prop("multiplication is exact", [Value, Value], ([left, right]) => {
    const product = Decimal.multiply(of(left), of(right))
    assert.strictEqual(
      product.digits * 10n ** BigInt(48 - product.scale),
      left.digits * right.digits * 10n ** BigInt(48 - left.scale - right.scale)
    )
  })

  it.prop(
    "division is off by less than one unit of the last place, to the stated side",
    [Value, Value],
    ([left, right]) => {
      const divisor = Decimal.make(right.digits < 0n ? -right.digits : right.digits || 1n, right.scale)
      const down = Decimal.divide(of(left), divisor, 10, "down")
      const up = Decimal.divide(of(left), divisor, 10, "up")
      const exceeds = (quotient: Decimal.Decimal) => Decimal.compare(Decimal.multiply(quotient, divisor), of(left))
      assert.isAtMost(exceeds(down), 0)
      assert.isAtLeast(exceeds(up), 0)
      assert.isAtMost(Decimal.compare(Decimal.subtract(up, down), Decimal.make(1n, 10)), 0)
    }
  )

  it.prop("rounding to a step gives a multiple of it, less than a step away", [Value, Value], ([left, right]) => {
    const step = Decimal.make(right.digits < 0n ? -right.digits : right.digits || 1n, right.scale)
    const down = Decimal.roundToStep(of(left), step, "down")
    const up = Decimal.roundToStep(of(left), step, "up")
    assert.isAtMost(Decimal.compare(down, of(left)), 0)
    assert.isAtLeast(Decimal.compare(up, of(left)), 0)
    const gap = Decimal.subtract(up, down)
    assert.isTrue(gap.digits === 0n || Decimal.equals(gap, step))
  })

  it("refuses everything that is not a plain decimal", () => {
    for (const text of [
      "",
      " 1",
      "1 ",
      "1e3",
      "0x10",
      "1_000",
      "NaN",
      "Infinity",
      ".",
      "-",
      "1.2.3",
      "१",
      "9".repeat(101)
    ]) {
      assert.isUndefined(Decimal.parse(text), text)
    }
  })

  it("converts between doubles and decimals by arithmetic exactly as by text", () => {
    let state = 1
    const next = () => {
      state = (state * 48271) % 2147483647
      return state / 2147483647
    }
    for (let turn = 0; turn < 5000; turn++) {
      const value = Number((next() * 10 ** Math.floor(next() * 14 - 4)).toPrecision(1 + Math.floor(next() * 15)))
      const [mantissa = "", exponent = ""] = value.toExponential(14).split("e")
      const parsed = Decimal.parse(mantissa) ?? Decimal.zero
      const expected = Decimal.make(parsed.digits, parsed.scale - Number(exponent))
      assert.deepStrictEqual(Decimal.fromNumber(value), expected, `${value}`)
      assert.strictEqual(Decimal.toNumber(expected), Number(Decimal.format(expected)))
      const wide = Decimal.make(BigInt(Math.floor(next() * 1e15)) * 10n ** BigInt(turn % 12) - 5n, turn % 30)
      assert.isTrue(wide.scale === 0 || wide.digits % 10n !== 0n, "without trailing zeros")
      assert.strictEqual(Decimal.toNumber(wide), Number(Decimal.format(wide)))
      const negative = Decimal.make(-wide.digits, wide.scale)
      assert.strictEqual(Decimal.toNumber(negative), Number(Decimal.format(negative)))
    }
  })

  it("reads a double with the digits that a person would write", () => {
    assert.strictEqual(Decimal.format(Decimal.fromNumber(0.1 + 0.2)), "0.3")
    assert.strictEqual(Decimal.format(Decimal.fromNumber(1e-9)), "0.000000001")
    assert.strictEqual(Decimal.format(Decimal.fromNumber(123456789, 3)), "123000000")
    assert.throws(() => Decimal.fromNumber(Number.NaN))
  })
})
