/** The cost of a position: averages, realised profit and dust, after purchases and sales in any order. */
import { assert, describe, it } from "@effect/vitest"
import type { Amount } from "../../src/domain/Amount.ts"
import * as CostBasis from "../../src/domain/CostBasis.ts"
import { seeded } from "../../src/domain/Seeded.ts"

const market = {
  name: "BTC/USDC",
  base: { symbol: "BTC", id: "b", decimals: 2 },
  quote: { symbol: "USDC", id: "q", decimals: 2 }
}

const none = CostBasis.noPosition
const bought = (before: CostBasis.HeldPosition, base: Amount, quote: Amount, least = 1n) =>
  CostBasis.traded(before, "BUY", { base, quote }, least)
const sold = (before: CostBasis.HeldPosition, base: Amount, quote: Amount, least = 1n) =>
  CostBasis.traded(before, "SELL", { base, quote }, least)

/** What came in less what went out, if everything held is worth its cost. */
const booked = ({ basis, dust }: CostBasis.HeldPosition): Amount =>
  basis.realised - (basis.position < 0n ? -basis.cost : basis.cost) - dust.cost

describe("a position", () => {
  it("shrinks by a fee in base at its cost, so that the average entry stays", () => {
    const whole = bought(none, 1_000n, 150_000n)
    const net = CostBasis.feeTaken(whole, 1n, { base: 1_000n, quote: 150_000n }, 1n)
    assert.deepStrictEqual(net.basis, { position: 999n, cost: 149_850n, realised: -150n })
    assert.deepStrictEqual(
      CostBasis.seenPosition(net, market).averageEntry,
      CostBasis.seenPosition(whole, market).averageEntry
    )
    assert.deepStrictEqual(sold(net, 999n, 149_850n), { ...none, basis: { ...none.basis, realised: -150n } })
  })

  it("below zero grows by a fee in base, at the price of its order", () => {
    const short = CostBasis.feeTaken(sold(none, 1_000n, 150_000n), 1n, { base: 100n, quote: 20_000n }, 1n)
    assert.deepStrictEqual(short.basis, { position: -1_001n, cost: 150_200n, realised: -200n })
  })

  it("becomes dust with its cost if a sale or a fee leaves a leftover smaller than the smallest order", () => {
    const left = sold(bought(none, 1_000n, 150_000n, 500n), 997n, 149_550n, 500n)
    assert.deepStrictEqual([left.basis.position, left.dust], [0n, { base: 3n, cost: 450n }])
    assert.isUndefined(CostBasis.seenPosition(left, market).averageEntry)
    const next = bought(left, 1_000n, 200_000n, 500n)
    assert.deepStrictEqual([next.basis.position, next.basis.cost, next.dust.base], [1_000n, 200_000n, 3n])
    const slices = sold(sold(bought(none, 1_000n, 150_000n, 500n), 900n, 135_000n, 500n), 97n, 14_550n, 500n)
    assert.deepStrictEqual([slices.basis.position, slices.dust.base], [0n, 3n])
    const small = CostBasis.feeTaken(bought(none, 3n, 450n, 500n), 1n, { base: 3n, quote: 450n }, 500n)
    assert.deepStrictEqual([small.basis.position, small.dust.base], [2n, 0n], "too small for an order, and no leftover")
    const most = sold(bought(none, 1_000n, 150_000n, 50_000n), 900n, 135_000n, 50_000n)
    assert.deepStrictEqual([most.basis.position, most.dust.base], [100n, 0n])
    const again = bought(sold(none, 1_000n, 150_000n, 500n), 1_003n, 150_450n, 500n)
    assert.deepStrictEqual([again.basis.position, again.dust.base, again.peak], [3n, 0n, 3n], "another position")
  })

  it("has as dust the fee of the order that bought all of it back", () => {
    const closed = bought(sold(none, 1_000n, 150_000n, 500n), 1_000n, 149_000n, 500n)
    const order = { base: 1_000n, quote: 149_000n }
    const left = CostBasis.feeTaken(closed, 2n, order, 500n)
    assert.deepStrictEqual([left.basis.position, left.dust.base], [0n, -2n])
    const dusty: CostBasis.HeldPosition = { ...CostBasis.noPosition, dust: { base: 5n, cost: 750n } }
    for (const fee of [8n, 3n]) {
      const after = CostBasis.feeTaken(dusty, fee, order, 500n)
      assert.deepStrictEqual([after.basis.position, after.dust.base], [0n, 5n - fee], "dust changes nothing")
    }
    assert.strictEqual(CostBasis.feeTaken(closed, 20n, order, 50_000n).basis.position, -20n, "two percent of the order")
  })

  it("includes dust once it is enough for an order, and sells from dust when it is short", () => {
    let known = none
    for (let round = 0; round < 4; round++) known = sold(bought(known, 1_000n, 150_000n, 500n), 999n, 149_850n, 500n)
    assert.deepStrictEqual([known.basis.position, known.basis.cost, known.dust], [4n, 600n, { base: 0n, cost: 0n }])
    const dusty = sold(bought(none, 1_000n, 150_000n, 500n), 997n, 149_550n, 500n)
    assert.deepStrictEqual(sold(dusty, 3n, 600n, 500n), { ...none, basis: { ...none.basis, realised: 150n } })
  })

  it("gives up as dust what a leg leaves unsold, and stays unchanged when that dust is sold", () => {
    const known = CostBasis.setAside(bought(none, 1_000n, 150_000n), 3n)
    assert.deepStrictEqual(
      [known.basis.position, known.basis.cost, known.dust],
      [997n, 149_550n, { base: 3n, cost: 450n }]
    )
    const swept = CostBasis.mapDust(known, (dust) => sold(dust, 3n, 600n))
    assert.deepStrictEqual(swept, { ...known, basis: { ...known.basis, realised: 150n }, dust: CostBasis.noDust })
  })

  it("keeps every unit, through any trades, fees and dust", () => {
    for (let seed = 1; seed <= 300; seed++) {
      const next = seeded(seed)
      const drawn = (most: number) => BigInt(Math.floor(next() * most))
      const least = drawn(3_000)
      let [known, held, money] = [none, 0n, 0n]
      for (let step = 0; step < 40; step++) {
        const [base, quote] = [1n + drawn(1_000), drawn(100_000)]
        const way = next()
        if (way < 0.2) {
          const fee = 1n + drawn(20)
          known = CostBasis.feeTaken(known, fee, { base, quote }, least)
          held -= fee
        } else if (way < 0.3) known = CostBasis.setAside(known, drawn(50))
        else if (way < 0.65) {
          known = bought(known, base, quote, least)
          held += base
          money -= quote
        } else {
          known = sold(known, base, quote, least)
          held -= base
          money += quote
        }
        assert.strictEqual(known.basis.position + known.dust.base, held, `seed ${seed}, step ${step}`)
        assert.strictEqual(booked(known), money, `seed ${seed}, step ${step}`)
        assert.isTrue(
          known.basis.cost >= 0n && (known.basis.position !== 0n || known.basis.cost === 0n),
          `seed ${seed}`
        )
      }
    }
  })
})
