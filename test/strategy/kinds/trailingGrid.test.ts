import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { inputAmount } from "../../../src/domain/Market.ts"
import { armedLeg, type Decision } from "../../../src/strategy/Decision.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import { progressOf, type SlotProgress } from "../../../src/strategy/View.ts"
import { checkBounds } from "../bounds.ts"
import {
  between,
  completed,
  decideAt,
  integerBetween,
  pick,
  price,
  problemsOf,
  random,
  type Slots,
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
const five = (trail: string) => gridFile(`{ lower: 100, upper: 140, levels: 5, size: { base: 0.1 }, trail: ${trail} }`)
const orders = (decision: Decision, slots: Slots = new Map()) =>
  decision.desired.map((desired) => {
    const order = armedLeg(desired, slots.get(desired.slot) ?? completed(0))
    return `${desired.slot} ${order?.side} ${Decimal.format(order?.price ?? Decimal.zero)}`
  })
const codes = ({ absent }: Decision) => absent.map(({ slot, why }) => `${slot} ${why.code}`)
const tenth = 10_000_000n

describe("a trailing grid", () => {
  it("moves up by whole cells when the price is a cell above it, and remaining cells keep their slots", () => {
    const strategy = strategyOf(five("up"))
    const first = decideAt(strategy, price("125"))
    assert.deepStrictEqual(orders(first), ["cell-00 BUY 100", "cell-01 BUY 110", "cell-02 BUY 120", "cell-03 SELL 140"])
    assert.deepStrictEqual(first.until, { priceAbove: price("150"), onFill: true })
    const sold = new Map([["cell-03", completed(1, 14_000_000n)]])
    const risen = decideAt(strategy, price("152"), first.memory, sold)
    assert.deepStrictEqual(orders(risen, sold), [
      "cell-01 BUY 110",
      "cell-02 BUY 120",
      "cell-03 BUY 130",
      "cell-04 BUY 140"
    ])
    assert.deepStrictEqual(risen.desired[0], first.desired[1])
    assert.deepStrictEqual(risen.until.priceAbove, price("160"))
    const jumped = decideAt(strategy, price("185"), risen.memory, sold)
    assert.deepStrictEqual(orders(jumped, sold)[0], "cell-04 BUY 140")
    assert.deepStrictEqual(decideAt(strategy, price("20"), jumped.memory, sold).desired, jumped.desired)
  })

  it("leaves nothing unsold", () => {
    const strategy = strategyOf(five("up"))
    const first = decideAt(strategy, price("125"))
    const slots = new Map([
      ["cell-00", completed(1, tenth)],
      ["cell-01", { ...completed(2), filledInLeg: 1n }]
    ])
    const risen = decideAt(strategy, price("250"), first.memory, slots)
    assert.deepStrictEqual(orders(risen, slots).slice(0, 2), ["cell-00 SELL 110", "cell-01 BUY 110"])
    const later = decideAt(strategy, price("250"), risen.memory, new Map([["cell-00", completed(2)]]))
    assert.include(codes(later), "cell-00 left-behind")
  })

  it("moves down until a level is below the price, keeps its sales, and waits with the cells above", () => {
    const strategy = strategyOf(five("down"))
    const first = decideAt(strategy, price("115"))
    const bought = new Map<string, SlotProgress>([
      ["cell-00", completed(1, tenth)],
      ["cell-01", completed(1, tenth)]
    ])
    assert.deepStrictEqual(first.until, { priceBelow: price("90"), onFill: true })
    const fallen = decideAt(strategy, price("85"), first.memory, bought)
    assert.deepStrictEqual(orders(fallen, bought), [
      "cell-below-02 BUY 80",
      "cell-00 SELL 110",
      "cell-01 SELL 120",
      "cell-02 SELL 130",
      "cell-03 SELL 140"
    ])
    assert.deepStrictEqual(codes(fallen), ["cell-below-01 waits-for-price"])
    assert.deepStrictEqual(fallen.until, { priceBelow: price("70"), priceAbove: price("90"), onFill: true })
    const back = decideAt(strategy, price("91"), fallen.memory, bought)
    assert.include(orders(back, bought), "cell-below-01 BUY 90")
    assert.deepStrictEqual(back.until, { priceBelow: price("70"), priceAbove: price("100"), onFill: true })
  })

  it("ends at the lowest possible price", () => {
    const strategy = strategyOf(five("both"))
    const first = decideAt(strategy, price("120"))
    const crashed = decideAt(strategy, price("15"), first.memory)
    assert.strictEqual(orders(crashed)[0], "cell-below-09 BUY 10")
    assert.isUndefined(crashed.until.priceBelow)
  })

  it("accepts only its own range, and no window", () => {
    const said = (grid: string) => problemsOf(gridFile(grid)).map(({ message }) => message.split(":")[0])
    assert.deepStrictEqual(said("{ lower: 1, upper: 2, levels: 3, size: { base: 1 }, trail: up, fundNearest: 1 }"), [
      "a grid with trail funds all its cells"
    ])
    assert.deepStrictEqual(said("{ levels: [1, 2, 3], size: { base: 1 }, trail: up }"), ["listed levels cannot move"])
    assert.deepStrictEqual(said("{ step: 1%, size: { base: 1 }, fundNearest: 1, trail: up }"), [
      "a grid with a step has no ends"
    ])
    assert.deepStrictEqual(said("{ lower: 1, upper: 2, levels: 3, size: { base: 1 }, trail: upp }"), [
      'expected up or down or both, found "upp"'
    ])
  })
})

const randomGrid = (next: () => number) => {
  const low = between(next, 10, 1000)
  const high = low * between(next, 1.05, 2)
  const size = pick(next, [
    `{ base: ${between(next, 0.001, 0.1).toFixed(8)} }`,
    `{ quote: ${between(next, 1, 50).toFixed(6)} }`
  ])
  const shape = `${size}, trail: ${pick(next, ["up", "down", "both"])}${pick(next, ["", ", profit: base"])}`
  const range = `lower: ${low.toFixed(2)}, upper: ${high.toFixed(2)}, levels: ${integerBetween(next, 2, 20)}`
  const spacing = pick(next, ["arithmetic", "geometric"])
  const budget = `{ base: ${between(next, 0, 1).toFixed(8)}, quote: ${between(next, 2_000, 5_000).toFixed(6)} }`
  const strategy = strategyOf(gridFile(`{ ${range}, spacing: ${spacing}, size: ${shape} }`, budget))
  return { strategy, low: low * 0.4, high: high * 2 }
}

/** Prices as a walk, orders filled as a market would: purchases above the price, sales below it. */
const walk = (strategy: Strategy, next: () => number, low: number, high: number, visit: (money: Money) => void) => {
  let slots: Slots = new Map()
  let memory = strategy.initialMemory
  const { base, quote } = strategy.limits.budget
  const wallet = { base, quote }
  for (let step = 0; step < 40; step++) {
    const at = Decimal.fromNumber(between(next, low, high), 8)
    const decision = decideAt(strategy, at, memory, slots)
    memory = decision.memory
    const view = viewAt(strategy, at, slots)
    const open = decision.desired.flatMap((desired) => armedLeg(desired, progressOf(view, desired.slot)) ?? [])
    const needs = { BUY: 0n, SELL: 0n }
    for (const order of open) needs[order.side] += inputAmount(strategy.market, order.side, order.quantity, order.price)
    visit({ needs, wallet })
    const after = new Map(slots)
    for (const { slot, side, price: limit, quantity } of open) {
      if (side === "BUY" ? !Decimal.isGreater(limit, at) : !Decimal.isLess(limit, at)) continue
      const worth = inputAmount(strategy.market, "BUY", quantity, limit)
      wallet.base += side === "BUY" ? quantity : -quantity
      wallet.quote += side === "BUY" ? -worth : worth
      const { completedLegs } = progressOf(view, slot)
      after.set(slot, completed(completedLegs + 1, side === "BUY" ? quantity : worth))
    }
    slots = after
  }
}

interface Money {
  readonly needs: { readonly BUY: bigint; readonly SELL: bigint }
  readonly wallet: { readonly base: bigint; readonly quote: bigint }
}

describe("any trailing grid", () => {
  it("decides the same anywhere inside its bounds", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const { strategy, low, high } = randomGrid(random(seed))
      checkBounds(strategy, { low, high, seed })
    }
  })

  it("needs at most its holdings, for any path of the price", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const next = random(seed)
      const { strategy, low, high } = randomGrid(next)
      walk(strategy, next, low, high, ({ needs, wallet }) => {
        assert.isTrue(needs.BUY <= wallet.quote, `seed ${seed}: ${needs.BUY} of ${wallet.quote} quote`)
        assert.isTrue(needs.SELL <= wallet.base, `seed ${seed}: ${needs.SELL} of ${wallet.base} base`)
      })
    }
  })

  it("names every cell once", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const next = random(seed)
      const { strategy, low, high } = randomGrid(next)
      const { memory } = decideAt(strategy, Decimal.fromNumber(between(next, low, high), 8))
      const { desired, absent } = decideAt(strategy, Decimal.fromNumber(between(next, low, high), 8), memory)
      const names = [...desired, ...absent].map(({ slot }) => slot)
      assert.strictEqual(new Set(names).size, names.length)
    }
  })
})
