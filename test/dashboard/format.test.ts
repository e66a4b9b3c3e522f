/** Money on the page is rounded, never cut, and sums of it are exact. */
import { assert, describe, it } from "@effect/vitest"
import {
  brief,
  cents,
  clock,
  decimal,
  gain,
  percent,
  pixelPrice,
  price,
  shortPrice,
  sum,
  timeOrDay,
  toneOf,
  trend
} from "../../src/dashboard/public/format.ts"
import { utc } from "../../src/domain/Text.ts"

describe("numbers on the page", () => {
  it("are rounded to the cent, half away from zero; zero has no sign and no colour", () => {
    assert.deepStrictEqual(["1.459911", "-5.255", "0.004999", "-0.004", "999.995", "12"].map(cents), [
      "1.46",
      "−5.26",
      "0.00",
      "0.00",
      "1,000.00",
      "12.00"
    ])
    assert.deepStrictEqual(["1.459911", "-5.255", "0", "-0.001"].map(gain), ["+1.46", "−5.26", "0.00", "0.00"])
    assert.deepStrictEqual(["0.004", "-0.004", "0.005", "-0.005"].map(toneOf), ["", "", "up", "down"])
    assert.deepStrictEqual([0.0146, -0.0146, 0].map(trend), ["▲ 1.46 %", "▼ 1.46 %", "0.00 %"])
    assert.deepStrictEqual([0.0146, -0.0146, -0.00004].map(percent), ["+1.46 %", "−1.46 %", "0.00 %"])
  })

  it("keep every digit if nothing is rounded", () => {
    assert.strictEqual(decimal("-1234567.890100"), "−1,234,567.890100")
    assert.strictEqual(decimal("1234"), "1,234")
    assert.strictEqual(price("58166.535"), "58,166.54")
  })

  it("have at most eight places in sentences", () => {
    assert.strictEqual(brief("paid out 0.019974987283945939 ETH at 2502.1284"), "paid out 0.01997499 ETH at 2502.1284")
    assert.strictEqual(brief("bought 12.500000000000000001 SOL"), "bought 12.5 SOL")
  })

  it("keep every digit of an amount to pay", () => {
    const sentences = [
      "PLEASE PAY exactly 12.019974987283945939 ETH to 0xabc",
      "Pay exactly  0.000000000000000001 ETH  (1 smallest units of eth)",
      "UNCLEAR whether the wallet paid exactly 1.000000000000000001 ETH to 0xabc: check"
    ]
    assert.deepStrictEqual(sentences.map(brief), sentences)
  })

  it("have no zeros at the end in a sentence or on an axis", () => {
    assert.deepStrictEqual(["160.23", "57000", "0.25"].map(shortPrice), ["160.23", "57,000", "0.25"])
  })

  it("have the digits that pixels of a chart can tell apart", () => {
    const prices = [pixelPrice(58_123.4, 20), pixelPrice(152.3456, 0.02), pixelPrice(0.123456, 0.0003)]
    assert.deepStrictEqual(prices, ["58120", "152.35", "0.1235"])
  })

  it("stand beside times as a clock shows them, with the date of another day", () => {
    const [now, other] = [Date.now(), Date.UTC(2001, 1, 3, 4, 5, 6, 789)]
    const today = new Date(now).toISOString()
    assert.strictEqual(brief(`due at ${today}, again`), `due at ${clock(now).slice(0, 5)}, again`)
    assert.match(brief(`since ${new Date(other).toISOString()}`), /^since \d Feb \d\d:\d\d$/)
    assert.strictEqual(brief(utc(other)), brief(new Date(other).toISOString()))
    assert.strictEqual(timeOrDay(now), clock(now).slice(0, 5))
    assert.match(timeOrDay(other), /^\d Feb$/)
  })

  it("are added up to the last digit", () => {
    assert.strictEqual(sum(["0.1", "0.2", "-0.30000000000000000001"]), "-0.00000000000000000001")
    assert.strictEqual(sum(["1", "2"]), "3")
    assert.strictEqual(sum(["0.00208555", "0.00208555"]), "0.0041711")
    assert.strictEqual(sum(["0.5", "0.5"]), "1")
    assert.strictEqual(sum([]), "0")
  })
})
