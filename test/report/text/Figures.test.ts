/** Figures on a terminal are rounded, never cut, and zero has no sign. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { toned } from "../../../src/report/text/Colours.ts"
import * as Figures from "../../../src/report/text/Figures.ts"

const assets = new Map([["USDC", { symbol: "USDC", id: "usdc", decimals: 6 }]])
const decimal = (text: string) => Decimal.parse(text) ?? assert.fail(text)

describe("figures on a terminal", () => {
  it("are rounded to the cent, half away from zero, and zero has no sign", () => {
    const texts = [1_459_911n, -5_255_000n, 4_999n, -4_000n, 999_995_000n, 1_284_604_000n, 0n]
    assert.deepStrictEqual(
      texts.map((amount) => Figures.gain(assets, "USDC", amount)),
      ["+1.46", "−5.26", "0.00", "0.00", "+1,000.00", "+1,284.60", "0.00"]
    )
    assert.deepStrictEqual([0.0418, -0.0106, 0.00001, -0.00001].map(Figures.share), [
      "+4.18 %",
      "−1.06 %",
      "0.00 %",
      "0.00 %"
    ])
    assert.deepStrictEqual([null, "-12.505", "0.0049"].map(Figures.gainText), ["", "−12.51", "0.00"])
  })

  it("are prices of six digits and at least two places", () => {
    assert.deepStrictEqual(
      ["59000", "58166.535", "146.66", "1.00005", "0.000012345678"].map((text) => Figures.price(decimal(text))),
      ["59,000.00", "58,166.54", "146.660", "1.00005", "0.0000123457"]
    )
  })

  it.prop("differ from the exact value by half a step at most", { digits: Schema.BigInt }, ({ digits }) => {
    const shown = BigInt(Figures.fixed(Decimal.make(digits, 6), 2).replaceAll(/[,.]/g, "").replace("−", "-"))
    const error = shown * 10_000n - digits
    assert.isTrue(error <= 5_000n && error >= -5_000n)
  })

  it("are coloured by their sign, sides by their name, and neither within words and shares", () => {
    const [green, red, end] = ["\u001B[32m", "\u001B[31m", "\u001B[0m"]
    assert.strictEqual(toned("BUY x +1,284.60 USDC"), `${green}BUY${end} x ${green}+1,284.60${end} USDC`)
    assert.strictEqual(toned("SELL −62.40"), `${red}SELL${end} ${red}−62.40${end}`)
    for (const text of ["a/BUY-1", "SELLS", "−0.40 %", "+12.34 %", "x+1.00y", "2026-11-29"])
      assert.strictEqual(toned(text), text)
  })
})
