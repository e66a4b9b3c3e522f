/** A fill is in the band when the recorded prices say that it could have come then. */
import { assert, describe, it } from "@effect/vitest"
import { judge } from "../../src/ledger/FillBand.ts"
import { price } from "../strategy/support.ts"

const minute = 60_000
const margin = { edgeBasisPoints: 10, delayMillis: 30_000 }
const minutes = (...lows: ReadonlyArray<number>) =>
  lows.map((low, index) => ({ openedAt: index * minute, low, high: low + 5 }))

describe("the band of fills", () => {
  const order = { side: "BUY", price: price("100"), restingAt: 0 } as const
  const falling = minutes(105, 102, 100, 98, 98, 98)

  it("begins when the price reaches the limit and ends when it passes it by the margin", () => {
    const at = (time: number) => judge({ at: time }, order, falling, margin)
    assert.strictEqual(at(minute), "too early")
    assert.strictEqual(at(2.5 * minute), "in band")
    assert.strictEqual(at(4.4 * minute), "in band")
    assert.strictEqual(at(4.6 * minute), "too late")
  })

  it("of a sale is mirrored", () => {
    const rising = minutes(90, 94, 96).map(({ openedAt, low }) => ({ openedAt, low, high: low + 4.5 }))
    const sale = { ...order, side: "SELL" } as const
    assert.strictEqual(judge({ at: 0.4 * minute }, sale, rising, margin), "too early")
    assert.strictEqual(judge({ at: 2.5 * minute }, sale, rising, margin), "in band")
  })

  it("is unknown without prices", () => {
    assert.strictEqual(judge({ at: 0 }, order, [], margin), "no prices")
    assert.strictEqual(judge({ at: 90 * minute }, { ...order, restingAt: 80 * minute }, falling, margin), "no prices")
  })

  /** One minute of prices, beginning at `openedAt`. */
  const during = (openedAt: number, low: number, high: number) => [{ openedAt, low, high }]

  it("begins as soon as the price is within the margin of the limit, on either side", () => {
    const verdict = (side: "BUY" | "SELL", seen: number) => {
      const [low, high] = side === "BUY" ? [seen, seen + 50] : [seen - 50, seen]
      return judge({ at: 30_000 }, { ...order, side }, during(0, low, high), margin)
    }
    assert.strictEqual(verdict("BUY", 100 * 1.001), "in band")
    assert.strictEqual(verdict("BUY", 100.11), "too early")
    assert.strictEqual(verdict("SELL", 100 * 0.999), "in band")
    assert.strictEqual(verdict("SELL", 99.89), "too early")
  })

  it("ends a delay after the price has passed the limit by the margin and the order is open, on either side", () => {
    const verdict = (side: "BUY" | "SELL", seen: number, at: number, restingAt = 0) => {
      const [low, high] = side === "BUY" ? [seen, seen + 50] : [seen - 50, seen]
      return judge({ at }, { ...order, side, restingAt }, during(0, low, high), margin)
    }
    const late = minute + margin.delayMillis + 1
    assert.strictEqual(verdict("BUY", 100 * 0.999, late), "too late")
    assert.strictEqual(verdict("BUY", 99.91, late), "in band")
    assert.strictEqual(verdict("SELL", 100 * 1.001, late), "too late")
    assert.strictEqual(verdict("SELL", 100.09, late), "in band")
    assert.strictEqual(verdict("BUY", 98, late - 1), "in band")
    assert.strictEqual(verdict("BUY", 98, late, 61_000), "in band", "it rested only since then")
    assert.strictEqual(verdict("BUY", 98, late + 1_000, 61_000), "too late")
  })

  it("covers prices from the deposit until the report of the fill, plus a delay at both ends", () => {
    const seen = (openedAt: number, at: number, restingAt: number | undefined) =>
      judge(
        { at },
        { side: "BUY", price: order.price, ...(restingAt === undefined ? {} : { restingAt }) },
        during(openedAt, 99.95, 120),
        margin
      )
    const rested = 10 * minute
    assert.strictEqual(seen(rested - minute - margin.delayMillis, rested, rested), "no prices")
    assert.strictEqual(seen(rested - minute - margin.delayMillis + 1, rested, rested), "in band")
    assert.strictEqual(seen(rested + margin.delayMillis, rested, rested), "in band")
    assert.strictEqual(seen(rested + margin.delayMillis + 1, rested, rested), "no prices")
    assert.strictEqual(seen(rested, rested, undefined), "no prices", "an order that never rested")
  })
})
