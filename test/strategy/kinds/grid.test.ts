import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { inputAmount } from "../../../src/domain/Market.ts"
import type { Decision } from "../../../src/strategy/Decision.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import { parse } from "../../../src/strategy/StrategyFile.ts"
import { untouchedSlot } from "../../../src/strategy/View.ts"
import { checkBounds } from "../bounds.ts"
import {
  between,
  decideAt,
  integerBetween,
  markets,
  pick,
  price,
  problemsOf,
  random,
  strategyOf,
  viewAt
} from "../support.ts"

const gridFile = (grid: string, budget = "{ base: 1, quote: 100000 }") => `name: test
market: BTC/USDC
kind: grid
limits:
  budget: ${budget}
grid: ${grid}
`
const five = "{ lower: 100, upper: 140, levels: 5, size: { base: 0.1 } }"

const firstLegs = ({ desired }: Decision) =>
  desired.map(({ slot, legs: [leg] }) => `${slot} ${leg.side} ${Decimal.format(leg.price)}`)
const absentCodes = ({ absent }: Decision) => absent.map(({ slot, why }) => `${slot} ${why.code}`)

describe("a grid with a stop and a take-profit", () => {
  const guarded = strategyOf(
    gridFile("{ lower: 100, upper: 140, levels: 5, size: { base: 0.1 }, stop: 90, takeProfit: 160, reach: 1% }")
  )
  const own = { openOrders: 0, freeBase: 70_000_000n, freeQuote: 0n, position: 0n, realisedProfit: 0n }

  it("is the same grid until one of them is reached", () => {
    const plain = decideAt(strategyOf(gridFile(five)), price("120"))
    const decision = decideAt(guarded, price("120"))
    assert.deepStrictEqual(decision.desired, plain.desired)
    assert.deepStrictEqual(decision.until, { onFill: false, priceBelow: price("90"), priceAbove: price("160") })
  })

  it.each([
    ["90", "SELL 70000000 at 89.1", "the stop 90"],
    ["161", "SELL 70000000 at 159.39", "the take-profit 160"]
  ])("at %s cancels all orders and sells everything, for good", (at, order, because) => {
    const first = decideAt(guarded, price("120"))
    const ended = guarded.decide({ ...viewAt(guarded, price(at)), own }, first.memory)
    const orders = (decision: Decision) =>
      decision.desired.map(({ legs: [leg] }) => `${leg.side} ${leg.quantity} at ${Decimal.format(leg.price)}`)
    assert.deepStrictEqual(orders(ended), [order])
    assert.deepStrictEqual(
      absentCodes(ended),
      ["00", "01", "02", "03"].map((cell) => `cell-${cell} grid-ended`)
    )
    assert.include(ended.desired[0]?.why.text, because)
    const later = guarded.decide({ ...viewAt(guarded, price("120")), own: { ...own, freeBase: 5n } }, ended.memory)
    assert.deepStrictEqual([orders(later), absentCodes(later)], [[], absentCodes(ended)])
  })

  it.each([1, 2, 3])("decides the same anywhere inside its bounds (seed %s)", (seed) => {
    checkBounds(guarded, { low: 85, high: 165, seed })
  })
})

describe("a grid whose size is a share of its equity", () => {
  const growing = strategyOf(
    gridFile("{ lower: 100, upper: 140, levels: 5, size: { equity: 20% } }", "{ quote: 1000 }")
  )
  const own = { openOrders: 0, freeBase: 0n, freeQuote: 0n, position: 0n, realisedProfit: 100_000_000n }
  const nothing = { ...own, realisedProfit: 0n }
  const first = growing.decide({ ...viewAt(growing, price("125")), own: nothing }, growing.initialMemory)
  const costs = ({ desired }: Decision) =>
    desired.map(({ legs: [{ price, quantity }] }) => inputAmount(growing.market, "BUY", quantity, price) / 1_000_000n)

  it("begins with a share of the budget, and buys more when it has earned", () => {
    assert.deepStrictEqual(costs(first), [200n, 200n, 200n])
    assert.include(first.reasons.at(-1)?.text, "sizes are 20% of 1000 USDC")
    const later = growing.decide({ ...viewAt(growing, price("125")), own }, first.memory)
    assert.deepStrictEqual(costs(later), [220n, 219n, 219n])
    assert.isTrue(later.until.onFill)
    assert.include(later.desired[0]?.why.text, "buys 2.2 BTC at 100")
  })

  it("keeps the size of an open order, and sells all that it bought", () => {
    const slots = new Map([
      [
        "cell-00",
        { ...untouchedSlot, filledInLeg: 50n, live: { side: "BUY", price: price("100"), quantity: 150n } as const }
      ],
      [
        "cell-01",
        { ...untouchedSlot, completedLegs: 1, lastLeg: { side: "BUY" } as const, receivedByLastLeg: 777_777_777n }
      ]
    ])
    const [open, sale] = growing.decide({ ...viewAt(growing, price("125"), slots), own }, first.memory).desired
    assert.strictEqual(open?.legs[0].quantity, 200n)
    assert.strictEqual(sale?.legs[1]?.quantity, 777_777_777n)
  })

  it("with its profit in base, sells what the purchase cost, whatever it has earned or lost since", () => {
    const keeping = strategyOf(
      gridFile("{ lower: 100, upper: 140, levels: 5, size: { equity: 20% }, profit: base }", "{ quote: 1000 }")
    )
    const begun = keeping.decide({ ...viewAt(keeping, price("125")), own: nothing }, keeping.initialMemory)
    // Two coins for 200.
    const last = { completedLegs: 1, lastLeg: { side: "BUY" } as const, receivedByLastLeg: 200_000_000n }
    const slots = new Map([["cell-00", { ...untouchedSlot, ...last }]])
    for (const realisedProfit of [100_000_000n, -300_000_000n]) {
      const view = { ...viewAt(keeping, price("105"), slots), own: { ...own, realisedProfit } }
      const sale = keeping.decide(view, begun.memory).desired.find(({ slot }) => slot === "cell-00")?.legs[1]
      assert.strictEqual(sale && inputAmount(keeping.market, "BUY", sale.quantity, sale.price) / 1_000_000n, 200n)
    }
  })

  it("is refused where all cells together need more than there is", () => {
    const [problem] = problemsOf(
      gridFile("{ lower: 100, upper: 140, levels: 5, size: { equity: 26% } }", "{ quote: 100000 }")
    )
    const lacks = "4 buys resting at once need 104000 USDC of quote budget, and it has 100000 USDC"
    assert.strictEqual(problem?.message, lacks)
  })
})

describe("a grid that buys its base at the start", () => {
  const buying = strategyOf(
    gridFile("{ lower: 100, upper: 140, levels: 5, size: { base: 1 }, buyBase: true, reach: 1% }", "{ quote: 1000 }")
  )
  const first = decideAt(buying, price("115"))

  it("buys what the cells above the price sell, and these wait for it", () => {
    assert.deepStrictEqual(firstLegs(first), ["start BUY 116.15", "cell-00 BUY 100", "cell-01 BUY 110"])
    assert.strictEqual(first.desired[0]?.legs[0].quantity, 200_000_000n)
    assert.deepStrictEqual(absentCodes(first), ["cell-02 waits-for-base", "cell-03 waits-for-base"])
    assert.include(first.absent[0]?.why.text, "waits for the purchase of 2 BTC at 116.15")
    assert.isTrue(first.until.onFill)
  })

  it("works in all its cells once it has it, at any price", () => {
    const bought = new Map([["start", { ...untouchedSlot, completedLegs: 1, receivedByLastLeg: 200_000_000n }]])
    const later = decideAt(buying, price("105"), first.memory, bought)
    assert.deepStrictEqual(firstLegs(later), [
      "cell-00 BUY 100",
      "cell-01 BUY 110",
      "cell-02 SELL 130",
      "cell-03 SELL 140"
    ])
    assert.isFalse(later.until.onFill)
  })

  it("buys the nearest first, as far as the quote reaches beside the purchases below, and nothing that it has", () => {
    const at = (budget: string) =>
      decideAt(
        strategyOf(gridFile("{ lower: 100, upper: 140, levels: 5, size: { base: 1 }, buyBase: true }", budget)),
        price("115")
      )
    assert.deepStrictEqual(firstLegs(at("{ base: 0.5, quote: 460 }"))[0], "start BUY 115.57")
    assert.strictEqual(at("{ base: 0.5, quote: 460 }").desired[0]?.legs[0].quantity, 150_000_000n)
    assert.deepStrictEqual(firstLegs(at("{ base: 2, quote: 300 }")), [
      "cell-00 BUY 100",
      "cell-01 BUY 110",
      "cell-02 SELL 130",
      "cell-03 SELL 140"
    ])
  })

  it("buys more by the venue's share of the purchase", () => {
    const view = { ...viewAt(buying, price("115")), fillBasisPoints: 50 }
    const [start] = buying.decide(view, buying.initialMemory).desired
    assert.strictEqual(start?.legs[0].quantity, 201_005_026n)
  })

  it("buys nothing again when it is edited", () => {
    const bought = new Map([
      [
        "start",
        {
          ...untouchedSlot,
          completedLegs: 1,
          bought: 200_000_000n,
          paid: 232_300_000n,
          receivedByLastLeg: 200_000_000n
        }
      ]
    ])
    const text = gridFile("{ lower: 100, upper: 150, levels: 6, size: { base: 1 }, buyBase: true }", "{ quote: 1000 }")
    const edited = decideAt(strategyOf(text), price("105"), first.memory, bought)
    assert.notInclude(firstLegs(edited).join(), "start")
    assert.strictEqual(edited.desired.filter(({ legs: [leg] }) => leg.side === "SELL").length, 2)
  })

  it.each([1, 2, 3])("decides the same anywhere inside its bounds (seed %s)", (seed) => {
    checkBounds(buying, { low: 85, high: 165, seed })
  })
})

describe("a grid with a size scale", () => {
  const scaled = (more: string, budget?: string) =>
    gridFile(`{ lower: 100, upper: 140, levels: 5, size: { quote: 100 }, ${more} }`, budget)

  it("buys in each cell a multiple of the cell above it, and sells what it bought", () => {
    const { desired } = decideAt(strategyOf(scaled("sizeScale: 2", "{ quote: 1500 }")), price("150"))
    assert.deepStrictEqual(
      desired.map(({ legs: [buy] }) => Decimal.format(buy.price)),
      ["100", "110", "120", "130"]
    )
    const costs = desired.map(({ legs: [{ price, quantity }] }) =>
      inputAmount(strategyOf(scaled("stop: 90")).market, "BUY", quantity, price)
    )
    for (const [index, cost] of costs.entries()) {
      const wanted = 100_000_000n * 2n ** BigInt(3 - index)
      assert.isTrue(wanted - cost >= 0n && wanted - cost < 200n, `${cost}`)
    }
    for (const { legs } of desired) assert.strictEqual(legs[1]?.quantity, legs[0].quantity)
  })

  it("says what the budget lacks, and when a scale is not useful", () => {
    const said = (text: string) => problemsOf(text).map(({ message }) => message)
    assert.match(said(scaled("sizeScale: 2", "{ quote: 1499 }"))[0] ?? "", /4 buys resting at once need 1499\.99/)
    // The two lowest cells are the dearest window.
    assert.match(said(scaled("sizeScale: 2, fundNearest: 2", "{ quote: 1000 }"))[0] ?? "", /2 buys .* need 1200 USDC/)
    assert.match(said(scaled("sizeScale: 30"))[0] ?? "", /more than 1000 times the smallest/)
    assert.match(said(scaled("sizeScale: 2, trail: up"))[0] ?? "", /has no highest cell/)
    assert.match(said(gridFile("{ step: 1%, size: { quote: 10 }, fundNearest: 2, sizeScale: 2 }"))[0] ?? "", /no ends/)
  })

  it.each([1, 2, 3])("decides the same anywhere inside its bounds (seed %s)", (seed) => {
    checkBounds(strategyOf(scaled("sizeScale: 1.3")), { low: 85, high: 165, seed })
  })
})

describe("a grid", () => {
  it("starts each cell with the buy below the price and with the sell from the price on", () => {
    const decision = decideAt(strategyOf(gridFile(five)), price("120"))
    assert.deepStrictEqual(firstLegs(decision), [
      "cell-00 BUY 100",
      "cell-01 BUY 110",
      "cell-02 SELL 130",
      "cell-03 SELL 140"
    ])
    assert.deepStrictEqual(decision.until, { onFill: false })
  })

  it("lets a cell without inventory wait until the price has risen to its buy price", () => {
    const strategy = strategyOf(gridFile(five, "{ base: 0.1, quote: 100 }"))
    const start = decideAt(strategy, price("105"))
    assert.deepStrictEqual(firstLegs(start), ["cell-00 BUY 100", "cell-01 SELL 120"])
    assert.deepStrictEqual(absentCodes(start), ["cell-02 waits-for-price", "cell-03 waits-for-price"])
    assert.deepStrictEqual(start.until, { onFill: false, priceAbove: price("120") })

    const reached = decideAt(strategy, price("125"), start.memory)
    assert.deepStrictEqual(firstLegs(reached), ["cell-00 BUY 100", "cell-01 SELL 120", "cell-02 BUY 120"])
    const fallen = decideAt(strategy, price("90"), reached.memory)
    assert.deepStrictEqual(fallen.desired, reached.desired)
    assert.deepStrictEqual(fallen.until.priceAbove, price("130"))
  })

  it("says what a round of its cells earns after fees", () => {
    assert.strictEqual(strategyOf(gridFile(five)).earns, "each of its 4 cells earns 1 USDC a round, before fees")
    const costs = { fillBasisPoints: 100, payouts: new Map([["USDC", 100_000n]]) }
    const parsed = Result.getOrThrow(parse(gridFile(five), "test.yaml", { ...markets, costs }))
    // A fee of 0.1 USDC, and of 1% of 0.1 BTC and of what is left of it, at prices from 110 to 140.
    assert.strictEqual(parsed.earns, "each of its 4 cells earns 0.621 to 0.681 USDC a round, after fees")
  })

  it("keeps its anchor when the price moves", () => {
    const strategy = strategyOf(gridFile(five))
    const first = decideAt(strategy, price("120"))
    assert.deepStrictEqual(decideAt(strategy, price("200"), first.memory), first)
  })

  it("funds only the nearest cells on request, by the next order of each cell", () => {
    const strategy = strategyOf(
      gridFile("{ lower: 100, upper: 200, levels: 11, size: { base: 0.01 }, fundNearest: 2 }")
    )
    const first = decideAt(strategy, price("151"))
    assert.deepStrictEqual(firstLegs(first), [
      "cell-04 BUY 140",
      "cell-05 BUY 150",
      "cell-06 SELL 170",
      "cell-07 SELL 180"
    ])
    assert.isTrue(first.until.onFill)
    const filled = new Map([["cell-05", { ...untouchedSlot, completedLegs: 1, receivedByLastLeg: 1_000_000n }]])
    const second = decideAt(strategy, price("149"), first.memory, filled)
    assert.deepStrictEqual(
      second.desired.map(({ slot }) => slot),
      ["cell-03", "cell-04", "cell-05", "cell-06"]
    )
  })

  it("takes listed levels exactly, and each reason names the line of its level", () => {
    const strategy = strategyOf(gridFile("\n  levels:\n    - 100.10\n    - 100.2\n    - 105\n  size: { quote: 50 }"))
    const { desired } = decideAt(strategy, price("200"))
    assert.deepStrictEqual(
      desired.map(({ legs }) => legs.map((leg) => Decimal.format(leg.price))),
      [
        ["100.1", "100.2"],
        ["100.2", "105"]
      ]
    )
    assert.deepStrictEqual(
      desired.map(({ why }) => why.source),
      ["test.yaml:8", "test.yaml:9"]
    )
    assert.strictEqual(desired[0]?.legs[0].quantity, 49_950_049n)
  })

  it("keeps the profit in base on request: it sells only what pays for the next purchase", () => {
    const strategy = strategyOf(gridFile("{ lower: 100, upper: 125, levels: 2, size: { base: 1 }, profit: base }"))
    const [cell] = decideAt(strategy, price("110")).desired
    assert.deepStrictEqual(
      cell?.legs.map(({ quantity }) => quantity),
      [100_000_000n, 80_000_000n]
    )
  })

  it("follows the price without limit if it has a step instead of levels", () => {
    const strategy = strategyOf(
      gridFile("{ step: 10%, size: { quote: 100 }, fundNearest: 2 }", "{ base: 0, quote: 250 }")
    )
    const prices = (decision: Decision) => decision.desired.map(({ legs: [leg] }) => Decimal.format(leg.price))
    const first = decideAt(strategy, price("1000"))
    assert.deepStrictEqual(prices(first), ["909.09", "1000"])
    assert.deepStrictEqual(first.until, { onFill: true, priceAbove: price("1100") })
    const risen = decideAt(strategy, price("5000"), first.memory)
    assert.deepStrictEqual(prices(risen), ["4177.25", "4594.97"])
    const [cell] = risen.desired
    const bought = new Map([[cell?.slot ?? "", { ...untouchedSlot, completedLegs: 1, receivedByLastLeg: 1n }]])
    const fallen = decideAt(strategy, price("4100"), risen.memory, bought)
    assert.deepStrictEqual(prices(fallen), ["3797.5", "4177.25", "4594.97"])
    assert.isTrue(fallen.absent.length < 10)
  })

  it("rounds geometric levels to the tick and keeps the ends", () => {
    const strategy = strategyOf(
      gridFile("{ lower: 100.5, upper: 400.25, levels: 9, spacing: geometric, size: { base: 0.1 } }")
    )
    const prices = decideAt(strategy, price("1000")).desired.map(({ legs }) => Decimal.toNumber(legs[0].price))
    assert.strictEqual(prices[0], 100.5)
    const ratio = (400.25 / 100.5) ** (1 / 8)
    prices.forEach((level, index) => {
      assert.closeTo(level, 100.5 * ratio ** index, 0.005)
      assert.strictEqual(Math.round(level * 100) / 100, level)
    })
  })
})

const randomEndless = (
  next: () => number
): { readonly strategy: Strategy; readonly low: number; readonly high: number } => {
  const middle = between(next, 10, 1000)
  const grid = `{ step: ${between(next, 0.5, 9).toFixed(2)}%, size: { quote: 50 }, fundNearest: ${integerBetween(next, 1, 5)} }`
  const budget = `{ base: ${between(next, 0, 2).toFixed(8)}, quote: 5000 }`
  return { strategy: strategyOf(gridFile(grid, budget)), low: middle, high: middle * 4 }
}

const randomGrid = (
  next: () => number
): { readonly strategy: Strategy; readonly low: number; readonly high: number } => {
  if (next() < 0.2) return randomEndless(next)
  const low = between(next, 10, 1000)
  const high = low * between(next, 1.05, 4)
  const cells = integerBetween(next, 1, 30)
  const size = pick(next, [
    `{ base: ${between(next, 0.001, 0.1).toFixed(8)} }`,
    `{ quote: ${between(next, 1, 50).toFixed(6)} }`
  ])
  const nearest = next() < 0.4 ? `, fundNearest: ${integerBetween(next, 1, 5)}` : ""
  const profit = pick(next, ["", ", profit: base"])
  const spacing = pick(next, ["arithmetic", "geometric"])
  const range = `lower: ${low.toFixed(2)}, upper: ${high.toFixed(2)}, levels: ${cells + 1}, spacing: ${spacing}`
  const budget = `{ base: ${between(next, 0, 2).toFixed(8)}, quote: ${between(next, 5_000, 200_000).toFixed(6)} }`
  return {
    strategy: strategyOf(gridFile(`{ ${range}, size: ${size}${nearest}${profit} }`, budget)),
    low: low * 0.8,
    high: high * 1.2
  }
}

describe("any grid", () => {
  it("decides the same anywhere inside its bounds", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { strategy, low, high } = randomGrid(random(seed))
      checkBounds(strategy, { low, high, seed })
    }
  })

  it("needs at most its budget, for any start and path of the price", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const next = random(seed)
      const { strategy, low, high } = randomGrid(next)
      let memory = strategy.initialMemory
      for (let step = 0; step < 5; step++) {
        const decision = decideAt(strategy, Decimal.fromNumber(between(next, low, high), 8), memory)
        memory = decision.memory
        const needed = (side: "BUY" | "SELL") =>
          decision.desired
            .filter(({ legs: [leg] }) => leg.side === side)
            .reduce((sum, { legs: [leg] }) => sum + inputAmount(strategy.market, side, leg.quantity, leg.price), 0n)
        assert.isTrue(needed("BUY") <= strategy.limits.budget.quote, `seed ${seed}`)
        assert.isTrue(needed("SELL") <= strategy.limits.budget.base, `seed ${seed}`)
      }
    }
  })

  it("sells each cell above its purchase price, and names every cell once", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const next = random(seed)
      const { strategy, low, high } = randomGrid(next)
      const { desired, absent } = decideAt(strategy, Decimal.fromNumber(between(next, low, high), 8))
      for (const { legs } of desired) {
        const [buy, sell] = legs[0].side === "BUY" ? legs : [legs[1], legs[0]]
        assert.isTrue(buy !== undefined && sell !== undefined && Decimal.isLess(buy.price, sell.price))
      }
      const names = [...desired, ...absent].map(({ slot }) => slot)
      assert.strictEqual(new Set(names).size, names.length)
    }
  })
})
