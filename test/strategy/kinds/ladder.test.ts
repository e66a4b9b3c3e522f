import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { inputAmount } from "../../../src/domain/Market.ts"
import { split } from "../../../src/strategy/kinds/ladder.ts"
import { checkBounds } from "../bounds.ts"
import { between, decideAt, integerBetween, pick, price, random, strategyOf } from "../support.ts"

const ladderFile = (ladder: string, budget = "{ base: 100, quote: 100000 }") => `name: test
market: BTC/USDC
kind: ladder
limits:
  budget: ${budget}
ladder: ${ladder}
`
const legsOf = (file: string) =>
  decideAt(strategyOf(file), price("1")).desired.map(({ legs }) =>
    legs.map(({ side, price, quantity }) => `${side} ${quantity} at ${Decimal.format(price)}`)
  )

describe("a ladder", () => {
  it("places its rungs from the first price to the last, both included", () => {
    assert.deepStrictEqual(
      legsOf(ladderFile("{ side: buy, from: 120, to: 100, rungs: 3, total: { base: 0.00000010 } }")),
      [["BUY 3 at 120"], ["BUY 3 at 110"], ["BUY 4 at 100"]]
    )
  })

  it("adds one opposite leg per rung with takeProfit, on the tick away from the market", () => {
    const rungs = legsOf(
      ladderFile("{ side: buy, from: 100.03, to: 90, rungs: 2, total: { base: 2 }, takeProfit: 25bps }")
    )
    assert.deepStrictEqual(rungs, [
      ["BUY 100000000 at 100.03", "SELL 100000000 at 100.29"],
      ["BUY 100000000 at 90", "SELL 100000000 at 90.23"]
    ])
    const sells = legsOf(
      ladderFile("{ side: sell, from: 100.03, to: 100.03, rungs: 1, total: { base: 1 }, takeProfit: 1% }")
    )
    assert.deepStrictEqual(sells, [["SELL 100000000 at 100.03", "BUY 100000000 at 99.02"]])
  })

  it("weighs rungs by profile", () => {
    assert.deepStrictEqual(split(60n, 3, "flat"), [20n, 20n, 20n])
    assert.deepStrictEqual(split(60n, 3, "linear"), [10n, 20n, 30n])
    assert.deepStrictEqual(split(190n, 3, "geometric"), [40n, 60n, 90n])
  })

  it("does not cycle, and its decision holds", () => {
    const { desired, until } = decideAt(
      strategyOf(ladderFile("{ side: sell, from: 100, to: 120, rungs: 7, total: { quote: 500 } }")),
      price("50")
    )
    assert.deepStrictEqual(until, { onFill: false })
    assert.isTrue(desired.every(({ cycle }) => !cycle))
  })
})

describe("any ladder", () => {
  it("splits every total exactly, and no rung is smaller than the one before", () => {
    for (let seed = 1; seed <= 500; seed++) {
      const next = random(seed)
      const total = BigInt(integerBetween(next, 1, 1e15))
      const profile = pick(next, ["flat", "linear", "geometric"] as const)
      const count = integerBetween(next, 1, 60)
      const sizes = split(total, count, profile)
      assert.strictEqual(sizes.length, count)
      assert.strictEqual(
        sizes.reduce((a, b) => a + b, 0n),
        total
      )
      sizes.forEach((size, index) => {
        assert.isTrue(index === 0 || size >= (sizes[index - 1] ?? 0n), `seed ${seed}`)
      })
    }
  })

  it("stays inside its budget and decides the same at every price", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const next = random(seed)
      const side = pick(next, ["buy", "sell"])
      const [from, to] = [between(next, 50, 100), between(next, 110, 300)]
      const range = side === "buy" ? [to, from] : [from, to]
      const total = pick(next, [
        `base: ${between(next, 0.01, 10).toFixed(8)}`,
        `quote: ${between(next, 50, 9000).toFixed(6)}`
      ])
      const profit = next() < 0.5 ? ", takeProfit: 3%" : ""
      const rungs = `rungs: ${integerBetween(next, 2, 12)}, profile: ${pick(next, ["flat", "linear", "geometric"])}`
      const ends = `from: ${range[0]?.toFixed(2)}, to: ${range[1]?.toFixed(2)}`
      const strategy = strategyOf(
        ladderFile(`{ side: ${side}, ${ends}, ${rungs}, total: { ${total} }${profit} }`, "{ base: 200, quote: 9000 }")
      )
      checkBounds(strategy, { low: 20, high: 400, seed })
      const { desired } = decideAt(strategy, price("100"))
      const needed = desired.reduce(
        (sum, { legs: [leg] }) => sum + inputAmount(strategy.market, leg.side, leg.quantity, leg.price),
        0n
      )
      assert.isTrue(
        needed <= (side === "buy" ? strategy.limits.budget.quote : strategy.limits.budget.base),
        `seed ${seed}`
      )
    }
  })
})
