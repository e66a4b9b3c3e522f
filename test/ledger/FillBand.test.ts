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

  it("begins when the price reaches the limit and ends when it is beyond it by the margin", () => {
    const at = (time: number) => judge({ at: time }, order, falling, margin)
    assert.strictEqual(at(minute), "too early")
    assert.strictEqual(at(2.5 * minute), "in band")
    assert.strictEqual(at(4.4 * minute), "in band")
    assert.strictEqual(at(4.6 * minute), "too late")
  })

  it("of a sale is the same the other way round", () => {
    const rising = minutes(90, 94, 96).map(({ openedAt, low }) => ({ openedAt, low, high: low + 4.5 }))
    const sale = { ...order, side: "SELL" } as const
    assert.strictEqual(judge({ at: 0.4 * minute }, sale, rising, margin), "too early")
    assert.strictEqual(judge({ at: 2.5 * minute }, sale, rising, margin), "in band")
  })

  it("is unknown without prices", () => {
    assert.strictEqual(judge({ at: 0 }, order, [], margin), "no prices")
    assert.strictEqual(judge({ at: 90 * minute }, { ...order, restingAt: 80 * minute }, falling, margin), "no prices")
  })
})
