/** When a price may be used: each line of the rule, and by random quotes that no short run of wrong ones ever is. */
import { assert, describe, it } from "@effect/vitest"
import { seeded } from "../../src/domain/Seeded.ts"
import * as SecondSource from "../../src/orderbook/SecondSource.ts"

const second = 1_000
const minute = 60 * second
const start = 1_000_000 * minute
const terms = SecondSource.defaultSecondSourceTerms

const make = (within = new Map<string, number>()) => SecondSource.make("BTC/USDC", { ...terms, withinOf: within })

type Source = SecondSource.SecondSource
const listed = (mid: number, at: number | undefined = undefined): SecondSource.Listed => ({ mid, at })

/** Whether it is used. */
const sees = (source: Source, atMillis: number, mid: number, list?: SecondSource.Listed): boolean =>
  source.judge({ mid, at: start + atMillis }, list) === undefined

describe("a price", () => {
  it("is near a second source within the bound, on both sides; a market may have its own bound", () => {
    for (const [mid, isUsed] of [
      [103, true],
      [103.01, false],
      [97.1, true],
      [97, false]
    ] as const) {
      assert.strictEqual(sees(make(), 0, mid, listed(100)), isUsed, String(mid))
    }
    assert.isTrue(sees(make(new Map([["BTC/USDC", 0.1]])), 0, 109, listed(100)))
    assert.isFalse(sees(make(new Map([["SOL/USDC", 0.1]])), 0, 109, listed(100)))
  })

  it("without any second source counts after a minute with at least five equal reads", () => {
    const fast = make()
    for (let at = 0; at < minute; at += second) assert.isFalse(sees(fast, at, 100))
    assert.isTrue(sees(fast, minute, 100))
    const slow = make()
    for (const at of [0, 1, 2, 3]) assert.isFalse(sees(slow, at * minute, 100), "four looks")
    assert.isTrue(sees(slow, 4 * minute, 100))
    const broken = make()
    for (let at = 0; at < minute; at += second) sees(broken, at, at === 40 * second ? 200 : 100)
    assert.isFalse(sees(broken, minute, 100), "one of them said something else")
    assert.isTrue([41, 60, 80, 101].some((at) => sees(broken, at * second + minute, 100)))
  })

  it("without any second source counts a minute after the clock is set back", () => {
    const source = make()
    for (let at = 0; at < 30 * second; at += second) assert.isFalse(sees(source, at, 100))
    for (let at = 0; at < minute; at += second) assert.isFalse(sees(source, at - 60 * minute, 100))
    assert.isTrue(sees(source, -59 * minute, 100))
  })

  it("that the token list contradicts does not count; an old list contradicts nothing", () => {
    const source = make()
    for (let at = 0; at < 60 * minute; at += 10 * second) assert.isFalse(sees(source, at, 1_000, listed(100)))
    const old = make()
    for (let at = 0; at < minute; at += second) sees(old, at, 1_000, listed(100, start - 15 * minute))
    assert.isTrue(sees(old, minute, 1_000, listed(100, start - 15 * minute)))
  })

  it("that is known needs no list while it is watched; after a gap the list may contradict it", () => {
    const source = make()
    sees(source, 0, 100, listed(100))
    assert.isTrue(source.isKnown({ mid: 102, at: start + 3 * minute }))
    assert.isFalse(source.isKnown({ mid: 102, at: start + 3 * minute + 1 }))
    assert.isFalse(sees(source, 4 * minute, 100, listed(50)))
    assert.isTrue(sees(source, 5 * minute, 100))
  })

  it("does not follow small steps away from the truth", () => {
    const source = make()
    sees(source, 0, 100, listed(100))
    let price = 100
    while (price < 110) {
      price *= 1.004
      const isUsed = sees(source, (price - 100) * second, price, listed(100))
      assert.strictEqual(isUsed, price <= 103, String(price))
    }
  })

  it("counts against a list only if the list is equally wrong about the last price", () => {
    const off = make()
    off.remember({ mid: 100, at: start - minute })
    assert.isTrue(sees(off, 0, 100, listed(150)))
    for (let at = second; at <= minute; at += second) sees(off, at, 105, listed(150))
    assert.isTrue(sees(off, 61 * second, 105, listed(150)))
    const candle = make()
    candle.remember({ mid: 100, at: 0 })
    assert.isFalse(sees(candle, 0, 100, listed(150)), "nobody watched it")
  })

  it("from a memory does not replace one that is known", () => {
    const source = make()
    sees(source, 0, 100, listed(100))
    source.remember({ mid: 1_000, at: start })
    assert.isFalse(sees(source, second, 1_000))
  })

  it("that is wrong three times at any time is not used, and the true one soon is", () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const draw = seeded(seed)
      const source = make()
      const hasList = draw() < 0.5
      if (draw() < 0.5) source.remember({ mid: 100, at: start - draw() * 600 * minute })
      const [from, factor] = [Math.floor(draw() * 100), draw() < 0.5 ? 1.2 + 9 * draw() : 0.8 * draw()]
      let at = 0
      let unused = 0
      for (let look = 0; look < 200; look += 1) {
        at += second * (draw() < 0.02 ? 300 : 1 + Math.floor(draw() * 3))
        const isWrong = look >= from && look < from + 3
        const mid = isWrong ? 100 * factor : 100 * (1 + 0.01 * draw())
        const isUsed = sees(source, at, mid, hasList ? listed(100) : undefined)
        if (isWrong) assert.isFalse(isUsed, `seed ${seed}, look ${look}`)
        unused = isUsed ? 0 : unused + 1
        if (!isWrong) assert.isAtMost(unused, hasList ? 3 : 70, `seed ${seed}, look ${look}`)
      }
    }
  })
})
