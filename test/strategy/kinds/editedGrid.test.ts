/** A running grid whose file is changed: slots keep their identity by price, what they hold keeps its cost. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Decision } from "../../../src/strategy/Decision.ts"
import { armedAboveCost } from "../../../src/strategy/kinds/CostFloor.ts"
import { recordIn } from "../../../src/strategy/kinds/Memory.ts"
import { type SlotPast, type SlotProgress, untouchedSlot } from "../../../src/strategy/View.ts"
import { SlowVenue } from "../slowVenue.ts"
import { between, decideAt, integerBetween, pick, price, random, type Slots, strategyOf, viewAt } from "../support.ts"

const file = (levels: number, more = "") => `name: test
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.05, quote: 100000 } }
grid: { lower: 50000, upper: 70000, levels: ${levels}, size: { base: 0.002 }${more} }
`

const holding = (usdc: string): SlotPast => ({
  held: 200_000n,
  cost: BigInt(Math.round(Number(usdc) * 2_000)),
  lastOrder: { side: "BUY", price: price(usdc) }
})

/** Bought whole at a price, and paid out. */
const boughtAt = (usdc: string): SlotProgress => ({
  ...untouchedSlot,
  completedLegs: 1,
  receivedByLastLeg: 200_000n,
  bought: 200_000n,
  lastLeg: { side: "BUY" },
  past: holding(usdc)
})

const ordersOf = (text: string, decision: Decision, slots: Slots) => {
  const { market } = strategyOf(text)
  return decision.desired.flatMap((desired) => {
    const order = armedAboveCost(market, desired, slots.get(desired.slot) ?? untouchedSlot)
    return order === undefined ? [] : [order]
  })
}

const said = (text: string, decision: Decision, slots: Slots, slot: string): string | undefined => {
  const order = ordersOf(text, decision, slots).find((each) => each.slot === slot)
  return order === undefined ? undefined : `${order.side} ${order.quantity} at ${Decimal.format(order.price)}`
}

describe("a grid with new levels", () => {
  const held: Slots = new Map([
    ["cell-12", boughtAt("62000")],
    ["cell-50", boughtAt("62264")]
  ])

  it("keeps a slot for the cell at its price, and gives a new slot to the cell of its number", () => {
    const first = decideAt(strategyOf(file(21)), price("62500"))
    const edited = decideAt(strategyOf(file(61)), price("57000"), first.memory, held)
    assert.strictEqual(said(file(61), edited, held, "cell-12"), "SELL 200000 at 62333.33")
    assert.strictEqual(said(file(61), edited, held, "cell-12-v2"), "BUY 200000 at 54000")
    assert.strictEqual(said(file(61), edited, held, "cell-50"), "SELL 200000 at 62333.33")
    const back = decideAt(strategyOf(file(21)), price("57000"), edited.memory, held)
    assert.strictEqual(said(file(21), back, held, "cell-12"), "SELL 200000 at 63000")
    assert.strictEqual(said(file(21), back, held, "cell-50"), "SELL 200000 at 63000")
  })

  it("exits by the sales of what it holds, which no limit of hours or counts refuses", () => {
    const first = decideAt(strategyOf(file(21)), price("62500"))
    const edited = decideAt(strategyOf(file(61)), price("57000"), first.memory, held)
    const exits = ordersOf(file(61), edited, held).filter(({ isExit }) => isExit === true)
    assert.deepStrictEqual(exits.map(({ slot }) => slot).toSorted(), ["cell-12", "cell-50"])
  })

  it("cancels no order at a level of both", () => {
    const strategy = strategyOf(file(21))
    const first = decideAt(strategy, price("60500"))
    const resting: Slots = new Map(
      ordersOf(file(21), first, new Map()).map(({ slot, side, price, quantity }) => [
        slot,
        { ...untouchedSlot, live: { side, price, quantity } }
      ])
    )
    const finer = decideAt(strategyOf(file(41)), price("60500"), first.memory, resting)
    const after = new Map(ordersOf(file(41), finer, resting).map((order) => [order.slot, order]))
    for (const before of ordersOf(file(21), first, new Map())) {
      const { side, price: at, quantity } = after.get(before.slot) ?? {}
      assert.deepStrictEqual([side, at, quantity], [before.side, before.price, before.quantity], before.slot)
    }
  })

  it("sells what a removed cell bought, at the lowest level above its cost", () => {
    const first = decideAt(strategyOf(file(61)), price("66500"))
    const before: Slots = new Map([["cell-50", boughtAt("66666.67")]])
    const edited = decideAt(strategyOf(file(21)), price("57000"), first.memory, before)
    assert.strictEqual(said(file(21), edited, before, "cell-50"), "SELL 200000 at 67000")
    const { past: _, ...gone } = boughtAt("66666.67")
    const sold: Slots = new Map([["cell-50", { ...gone, completedLegs: 2, lastLeg: { side: "SELL" } }]])
    const after = decideAt(strategyOf(file(21)), price("57000"), edited.memory, sold)
    assert.isFalse(after.desired.some(({ slot }) => slot === "cell-50"))
  })

  it("sells the part that a cell bought before its removal", () => {
    const first = decideAt(strategyOf(file(61)), price("66500"))
    const part: SlotProgress = {
      ...untouchedSlot,
      filledInLeg: 50_000n,
      bought: 50_000n,
      past: { held: 50_000n, cost: 30_166_670n, lastOrder: { side: "BUY", price: price("60333.33") } }
    }
    const before: Slots = new Map([["cell-31", part]])
    const edited = decideAt(strategyOf(file(21)), price("57000"), first.memory, before)
    assert.strictEqual(said(file(21), edited, before, "cell-31"), "SELL 50000 at 61000")
  })

  it("sells its whole holding after its size is reduced, and below cost only on request", () => {
    const first = decideAt(strategyOf(file(21)), price("62500"))
    const lastOrder = { side: "BUY", price: price("62000") } as const
    const smaller = file(21).replace("0.002", "0.001")
    const edited = decideAt(strategyOf(smaller), price("57000"), first.memory, held)
    assert.strictEqual(said(smaller, edited, held, "cell-12"), "SELL 200000 at 63000")
    const dear: Slots = new Map([
      ["cell-12", { ...boughtAt("65000"), past: { held: 200_000n, cost: 130_000_000n, lastOrder } }]
    ])
    const known: Slots = new Map([
      ["cell-12", { ...boughtAt("65000"), live: { side: "SELL" as const, price: price("63000"), quantity: 200_000n } }]
    ])
    for (const slots of [dear, known]) {
      const refused = decideAt(strategyOf(smaller), price("57000"), first.memory, slots)
      for (const order of ordersOf(smaller, refused, slots).filter(({ slot }) => slots.has(slot)))
        assert.isFalse(Decimal.isLess(order.price, price("65000")), Decimal.format(order.price))
    }
    const losing = file(61, ", allowLoss: true")
    const allowed = decideAt(strategyOf(losing), price("57000"), first.memory, known)
    assert.strictEqual(said(losing, allowed, known, "cell-12"), "SELL 200000 at 63000")
  })
})

const randomFile = (next: () => number): string => {
  const [lower, upper] = [integerBetween(next, 45, 58) * 1_000, integerBetween(next, 60, 75) * 1_000]
  const size = pick(next, ["{ base: 0.002 }", "{ base: 0.0013 }", "{ quote: 120 }"])
  const shape = pick(next, [
    `lower: ${lower}, upper: ${upper}, levels: ${integerBetween(next, 2, 40)}`,
    `lower: ${lower}, upper: ${upper}, levels: ${integerBetween(next, 2, 40)}, trail: ${pick(next, ["up", "both"])}`,
    `levels: [${lower}, ${integerBetween(next, 58_100, 59_900)}, ${upper}]`,
    `step: ${pick(next, ["6", "9"])}%, fundNearest: 200`
  ])
  return `name: test
market: BTC/USDC
kind: grid
limits: { budget: { base: 0.01, quote: 200000 } }
grid: { ${shape}, size: ${size} }
`
}

describe("a grid whose size an edit raises a hundredfold", () => {
  const sized = (base: string) => `name: test
market: BTC/USDC
kind: grid
limits: { budget: { quote: 100000 } }
grid: { levels: [50000, 60000, 70000], size: { base: ${base} }, stop: 45000 }
`
  const held: Slots = new Map([
    [
      "cell-00",
      {
        ...boughtAt("50000"),
        lastLeg: { side: "BUY", quantity: 200_000n, isWhole: true },
        past: { ...holding("50000"), held: 199_900n }
      }
    ]
  ])
  const first = decideAt(strategyOf(sized("0.002")), price("62500"))

  it("sells what a cell bought in the old size", () => {
    const edited = decideAt(strategyOf(sized("0.2")), price("57000"), first.memory, held)
    assert.strictEqual(said(sized("0.2"), edited, held, "cell-00"), "SELL 199900 at 60000")
  })

  it("sells it at its stop as well", () => {
    const own = { openOrders: 0, freeBase: 199_900n, freeQuote: 0n, position: 199_900n, realisedProfit: 0n }
    const strategy = strategyOf(sized("0.2"))
    const stopped = strategy.decide({ ...viewAt(strategy, price("44000"), held), own }, first.memory)
    assert.deepStrictEqual(
      stopped.desired.map(({ slot, legs: [leg] }) => [slot, leg.quantity]),
      [["exit", 199_900n]]
    )
  })
})

describe("any grid that is edited again and again while its orders fill", () => {
  it("loses no base, sells none twice and none below its cost", () => {
    let sales = 0
    for (let seed = 1; seed <= 12; seed++) {
      const next = random(seed)
      const venue = new SlowVenue(strategyOf(randomFile(next)), next)
      const { budget } = venue.strategy.limits
      venue.requotes = true
      venue.funds = budget.base
      let middle = between(next, 55_000, 65_000)
      let now = 0
      const look = () => {
        const at = { bid: price(middle.toFixed(2)), ask: price(middle.toFixed(2)), at: now }
        return venue.decide({ now, market: venue.strategy.market, price: at })
      }
      for (let step = 0; step < 45; step++) {
        const about = `seed ${seed}, step ${step}`
        now += 60_000
        middle = Math.min(80_000, Math.max(40_000, middle * between(next, 0.96, 1.04)))
        if (next() < 0.15) venue.strategy = strategyOf(randomFile(next))
        const placedBefore = venue.placed.length
        const decision = look()
        const isEdited = recordIn(decision.memory, "start") === Decimal.format(price(middle.toFixed(2)))
        for (const { slot, side, price: at } of venue.placed.slice(placedBefore)) {
          const past = venue.slot(slot).past
          if (isEdited && side === "BUY")
            assert.isFalse(Decimal.toNumber(at) > middle * 1.0001, `${about}: ${slot} buys above`)
          if (side === "BUY" || past === undefined || past.held === 0n) continue
          sales += 1
          assert.isAtLeast(
            Decimal.toNumber(at),
            (Number(past.cost) * 100) / Number(past.held) - 1e-6,
            `${about}: ${slot}`
          )
        }
        assert.isTrue(venue.base + budget.base >= 0n, `${about}: sold more than there was`)
        checkHeld(venue, decision, about)
        venue.pass(0.6, ({ side, price: at }) =>
          side === "BUY" ? Decimal.toNumber(at) >= middle * 0.99 : Decimal.toNumber(at) <= middle * 1.01
        )
      }
    }
    assert.isAbove(sales, 100)
  })
})

/** Whatever a slot holds is offered, or is about to be: its purchase goes on, or its last order is on its way out. */
const checkHeld = (venue: SlowVenue, decision: Decision, about: string): void => {
  const desired = new Map(decision.desired.map((each) => [each.slot, each]))
  for (const [slot, progress] of venue.slots()) {
    const held = progress.past?.held ?? 0n
    if (held < 3_000n || progress.live !== undefined) continue
    const order = armedAboveCost(venue.strategy.market, desired.get(slot) ?? { ...idle, slot }, progress)
    const isGoingOn = order?.side === "BUY" && progress.filledInLeg > 0n
    assert.isTrue(order?.quantity === held || isGoingOn, `${about}: ${slot} holds ${held}, not sold`)
  }
}

const idle = {
  legs: [{ side: "BUY", price: price("1"), quantity: 0n }],
  cycle: false,
  why: { code: "", text: "" }
} as const
