/** How long a move of a price stays unseen: what counting every millisecond of it gives. */
import { assert, describe, it } from "@effect/vitest"
import * as Seeded from "../../src/domain/Seeded.ts"
import { makeSight } from "../../src/orderbook/MarketBook.ts"

const start = 1_700_000_000_000

/** Of a move in each millisecond between two questions, how long until the later one is answered. */
const counted = (looks: ReadonlyArray<readonly [askedAt: number, answeredAt: number]>): ReadonlyArray<number> =>
  looks.flatMap(([askedAt, answeredAt], index) => {
    const before = looks[index - 1]
    if (before === undefined) return []
    return Array.from({ length: askedAt - before[0] }, (_, after) => answeredAt - (before[0] + after))
  })

const atShare = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.ceil(share * sorted.length) - 1] ?? 0

describe("the delay until a price move is seen", () => {
  it("equals a count of every instant, for half of all moves and for 99 of 100", () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const draw = Seeded.seeded(seed)
      const sight = makeSight()
      let askedAt = start
      const looks = Array.from({ length: 2 + Math.floor(draw() * 40) }, () => {
        askedAt += 1 + Math.floor(draw() * (draw() < 0.1 ? 8_000 : 600))
        return [askedAt, askedAt + Math.floor(draw() * 250)] as const
      })
      for (const [asked, answered] of looks) sight.note(asked, answered)
      const all = counted(looks).toSorted((a, b) => a - b)
      assert.deepStrictEqual(sight.seenAfter(), { p50Millis: atShare(all, 0.5), p99Millis: atShare(all, 0.99) })
    }
  })

  it("is unknown before the second read, and a clock that is set back adds nothing", () => {
    const sight = makeSight()
    sight.note(start, start + 100)
    assert.isUndefined(sight.seenAfter())
    sight.note(start - 5_000, start - 4_900)
    assert.isUndefined(sight.seenAfter())
    sight.note(start - 4_000, start - 3_900)
    assert.deepStrictEqual(sight.seenAfter(), { p50Millis: 600, p99Millis: 1_090 })
  })
})
