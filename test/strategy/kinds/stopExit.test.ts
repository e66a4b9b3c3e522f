/** One rule for the exit after a stop, for every kind and form that has one: it rests beyond the present market, and follows it. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { inputAmount } from "../../../src/domain/Market.ts"
import { badDeviation } from "../../../src/engine/holds/MarketLimits.ts"
import { armedLeg, type Decision, holds, type Memory } from "../../../src/strategy/Decision.ts"
import { stopExit } from "../../../src/strategy/kinds/StopExit.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import { type OwnState, progressOf, type SlotProgress, untouchedSlot, type View } from "../../../src/strategy/View.ts"
import { between, price, problemsOf, random, strategyOf } from "../support.ts"

type Side = "BUY" | "SELL"

const one = 100_000_000n

/** `keys`: such as a floor. All enter at 1000 and have their stop 50 behind it, unless they trail from the best price by 5%. */
interface Form {
  readonly name: string
  readonly kind: string
  readonly section: (side: Side, keys: string) => string
  readonly entry: string
  readonly exit: string
  readonly sides: ReadonlyArray<Side>
}

const sign = (side: Side) => (side === "BUY" ? 1 : -1)
const word = (side: Side) => side.toLowerCase()
const both: ReadonlyArray<Side> = ["BUY", "SELL"]
const rule = (side: Side, exit: string, keys: string) =>
  `\n  timeframe: 1m\n  orders:\n    in: { when: "mid > 1", side: ${word(side)}, price: "1000", size: { base: 1 }, times: 1, then: { ${exit}, reach: 1%${keys} } }`

const forms: ReadonlyArray<Form> = [
  {
    name: "a bracket by prices",
    kind: "bracket",
    section: (side, keys) =>
      `{ side: ${word(side)}, size: { base: 1 }, entry: 1000, takeProfit: ${1000 + sign(side) * 500}, stop: ${1000 - sign(side) * 50}, reach: 1%${keys} }`,
    entry: "position",
    exit: "position",
    sides: both
  },
  {
    name: "a bracket by prices that trails",
    kind: "bracket",
    section: (side, keys) =>
      `{ side: ${word(side)}, size: { base: 1 }, entry: 1000, takeProfit: ${1000 + sign(side) * 500}, stop: ${1000 - sign(side) * 400}, trail: 5%, reach: 1%${keys} }`,
    entry: "position",
    exit: "position",
    sides: both
  },
  {
    name: "a bracket by percentages",
    kind: "bracket",
    section: (side, keys) =>
      `{ side: ${word(side)}, size: { base: 1 }, entry: "1000", when: "mid > 1", takeProfit: 50%, stop: 5%, reach: 1%${keys} }`,
    entry: "position",
    exit: "position",
    sides: both
  },
  {
    name: "a rule's stop",
    kind: "rules",
    section: (side, keys) => rule(side, `stop: entry * (1 ${side === "BUY" ? "-" : "+"} 5%)`, keys),
    entry: "in",
    exit: "in",
    sides: both
  },
  {
    name: "a rule that trails",
    kind: "rules",
    section: (side, keys) => rule(side, "trail: 5%", keys),
    entry: "in",
    exit: "in",
    sides: both
  },
  {
    name: "a rule's condition",
    kind: "rules",
    section: (side, keys) => rule(side, `when: "mid ${side === "BUY" ? "< entry * 0.95" : "> entry * 1.05"}"`, keys),
    entry: "in",
    exit: "in",
    sides: both
  },
  {
    name: "a deal",
    kind: "deals",
    section: (side, keys) =>
      `{ side: ${word(side)}, size: { base: 1 }, takeProfit: 50%, stop: 5%, stopReach: 1%${keys} }`,
    entry: "base",
    exit: "exit",
    sides: both
  },
  {
    name: "a grid's end",
    kind: "grid",
    section: (_, keys) => `{ levels: [1000, 1200], size: { base: 1 }, stop: 950, reach: 1%${keys} }`,
    entry: "cell-00",
    exit: "exit",
    sides: ["BUY"]
  }
]

const fileOf = ({ kind, section }: Form, side: Side, keys = "", limits = "maxPriceDeviation: 3%") =>
  `name: test\nmarket: BTC/USDC\nkind: ${kind}\nlimits: { budget: { base: 1, quote: 3000 }, ${limits} }\n${kind}: ${section(side, keys)}\n`

/** Its entry at 1000 has filled: the strategy is asked at these prices, one after the other. */
const played = (form: Form, side: Side, keys = "", limits?: string) => {
  const strategy = strategyOf(fileOf(form, side, keys, limits))
  const filled: SlotProgress = {
    ...untouchedSlot,
    completedLegs: 1,
    receivedByLastLeg: side === "BUY" ? one : 1_000_000_000n,
    lastLeg: { side },
    ...(side === "BUY" ? { bought: one, paid: 1_000_000_000n } : { sold: one, proceeds: 1_000_000_000n })
  }
  const own: OwnState = {
    openOrders: 0,
    position: side === "BUY" ? one : -one,
    freeBase: side === "BUY" ? one : 0n,
    freeQuote: 3_000_000_000n,
    realisedProfit: 0n,
    averageEntry: price("1000")
  }
  const view = (middle: Decimal.Decimal, slots: View["slots"], now: OwnState): View => ({
    now: 0,
    market: strategy.market,
    price: { bid: middle, ask: middle, at: 0 },
    slots,
    own: now
  })
  const none: OwnState = { openOrders: 0, position: 0n, freeBase: 0n, freeQuote: 3_000_000_000n, realisedProfit: 0n }
  const slots: View["slots"] = new Map([[form.entry, filled]])
  const began = strategy.decide(view(price("1000"), new Map(), none), strategy.initialMemory)
  let { memory } = strategy.decide(view(price("1000"), slots, own), began.memory)
  const decide = (middle: Decimal.Decimal, remembered: Memory = memory): Decision =>
    strategy.decide(view(middle, slots, own), remembered)
  const exitOf = (decision: Decision) => {
    const desired = decision.desired.find(({ slot }) => slot === form.exit)
    return desired && armedLeg(desired, progressOf({ slots }, form.exit))
  }
  return {
    strategy,
    decide,
    exitOf,
    view: (middle: Decimal.Decimal) => view(middle, slots, own),
    at: (middle: string) => {
      const decision = decide(price(middle))
      memory = decision.memory
      const exit = exitOf(decision)
      return exit === undefined ? "none" : `${exit.side} at ${Decimal.format(exit.price)}`
    }
  }
}

const cases = forms.flatMap((form) => form.sides.map((side) => [form.name, side, form] as const))
const text = (side: Side, price: string) => `${side === "BUY" ? "SELL" : "BUY"} at ${price}`
/** The price so far behind the entry: below a purchase, above a sale. */
const behind = (side: Side, distance: number) => `${1000 - sign(side) * distance}`

describe.each(cases)("%s, entered by a %s", (_, side, form) => {
  it("exits beyond the market after a gap of any width through the stop", () => {
    const { at } = played(form, side)
    assert.strictEqual(at(behind(side, 200)), text(side, side === "BUY" ? "792" : "1212"))
  })

  it("follows the market down and up again, and a recovery does not undo the stop", () => {
    const { at } = played(form, side)
    const prices = [60, 100, 300, -100, 60].map((distance) => at(behind(side, distance)))
    const expected = side === "BUY" ? [930.6, 891, 693, 1089, 930.6] : [1070.6, 1111, 1313, 909, 1070.6]
    assert.deepStrictEqual(
      prices,
      expected.map((each) => text(side, `${each}`))
    )
  })

  it("is not moved by a tick", () => {
    const { at } = played(form, side)
    const first = at(behind(side, 100))
    assert.strictEqual(at(behind(side, 99.5)), first)
    assert.strictEqual(at(behind(side, 100.5)), first)
    assert.notStrictEqual(at(behind(side, 97)), first)
  })

  it("waits at a floor that is a price while the market is beyond it", () => {
    const { at } = played(form, side, `, floor: ${behind(side, 80)}`)
    const prices = [60, 200, 300, 76, 0].map((distance) => at(behind(side, distance)))
    const expected = side === "BUY" ? ["930.6", "920", "920", "920", "990"] : ["1070.6", "1080", "1080", "1080", "1010"]
    assert.deepStrictEqual(
      prices,
      expected.map((each) => text(side, each))
    )
  })

  it("measures a floor that is a ratio from the stop", () => {
    const { at } = played(form, side, ", floor: 2%")
    // A condition has no stop: it counts from the market where it held.
    const isCondition = form.name.includes("condition")
    const worst = { BUY: isCondition ? 784 : 931, SELL: isCondition ? 1224 : 1071 }[side]
    at(behind(side, 200))
    assert.strictEqual(at(behind(side, 300)), text(side, `${worst}`))
  })

  it("decides the same anywhere inside its bounds, at its floor as well", () => {
    for (const keys of ["", `, floor: ${behind(side, 80)}`, ", floor: 3%"]) {
      const { at, decide, exitOf, view } = played(form, side, keys)
      at(behind(side, 60))
      const next = random(7)
      for (let tried = 0; tried < 60; tried++) {
        const middle = Decimal.fromNumber(between(next, 700, 1300), 9)
        const decision = decide(middle)
        at(Decimal.format(middle))
        const { priceAbove, priceBelow } = decision.until
        assert.isFalse(priceAbove === undefined && priceBelow === undefined)
        const [low, high] = [priceBelow ?? price("600"), priceAbove ?? price("1400")].map(Decimal.toNumber)
        const inside = Decimal.fromNumber(between(next, low ?? 0, high ?? 0), 9)
        if (!holds(decision.until, view(inside), false)) continue
        const again = exitOf(decide(inside, decision.memory))
        assert.deepStrictEqual(again?.price, exitOf(decision)?.price)
      }
    }
  })

  it("passes maxPriceDeviation at every price, even if that equals the reach", () => {
    const { decide, exitOf, strategy, at } = played(form, side, "", "maxPriceDeviation: 1%")
    at(behind(side, 60))
    const next = random(11)
    let middle = 1000 - sign(side) * 60
    for (let tried = 0; tried < 80; tried++) {
      middle *= 1 + (next() - 0.5) * 0.002
      const now = Decimal.fromNumber(middle, 9)
      const exit = exitOf(decide(now))
      at(Decimal.format(now))
      if (exit === undefined) assert.fail()
      assert.isAbove(Number(inputAmount(strategy.market, exit.side, exit.quantity, exit.price)), 0)
      assert.isUndefined(badDeviation(exit, { price: { bid: now, ask: now }, limits: strategy.limits }))
    }
  })
})

describe("a triggered stop", () => {
  const [byPrices] = forms
  if (byPrices === undefined) throw new Error("there is no form")

  it("exits at the market if an edit puts it above the market", () => {
    const { decide } = played(byPrices, "BUY")
    const { memory } = decide(price("1010"))
    const edited: Strategy = strategyOf(fileOf(byPrices, "BUY").replace("stop: 950", "stop: 990"))
    const { view } = played(byPrices, "BUY")
    const decision = edited.decide(view(price("960")), memory)
    assert.deepStrictEqual(decision.desired[0]?.legs[1]?.price, price("950.4"))
  })

  it("stays triggered if an edit changes the form of the bracket", () => {
    const { at, decide, view } = played(byPrices, "BUY")
    at("940")
    const [, , byPercent] = forms
    if (byPercent === undefined) throw new Error("there is no other form")
    const follows = strategyOf(fileOf(byPercent, "BUY"))
    const decision = follows.decide(view(price("990")), decide(price("940")).memory)
    assert.deepStrictEqual(decision.desired[0]?.legs[1]?.price, price("980.1"))
  })

  it("in the memory of an older version follows the market from the first decision on", () => {
    const { exitOf, decide } = played(byPrices, "BUY")
    const old = { best: "1000", isBreakeven: false, isStopped: true }
    assert.deepStrictEqual(exitOf(decide(price("900"), old))?.price, price("891"))
  })

  it("must have a floor beyond it", () => {
    for (const [keys, stop] of [
      [", floor: 960", "950"],
      [", floor: 950", "950"]
    ] as const)
      assert.deepStrictEqual(
        problemsOf(fileOf(byPrices, "BUY", keys)).map(({ message }) => message),
        [`the floor must be below the stop ${stop}`]
      )
    assert.deepStrictEqual(
      problemsOf(fileOf(byPrices, "SELL", ", floor: 1040")).map(({ message }) => message),
      ["the floor must be above the stop 1050"]
    )
    assert.deepStrictEqual(
      problemsOf(fileOf(byPrices, "BUY", ", floor: 100%")).map(({ message }) => message),
      ["no price falls by 100%"]
    )
  })
})

describe("a price step wider than reach", () => {
  const market = {
    ...strategyOf(`name: s
market: BTC/USDC
kind: grid
limits: { budget: { base: 1, quote: 60000 } }
grid: { levels: [50000, 55000], size: { base: 0.1 } }
`).market,
    tick: price("1")
  }
  it.each([
    ["SELL", "94", undefined, "93"],
    ["BUY", "106", undefined, "107"],
    ["SELL", "94", "93.5", "94"],
    ["BUY", "106", "106.5", "106"],
    ["SELL", "1000.2", undefined, "996"]
  ] as const)(
    "lets a %s exit at mid %s reach the market, and never go beyond its floor (%s)",
    (side, mid, floor, at) => {
      const terms = { reach: Decimal.make(5n, 3), floor: floor === undefined ? undefined : { price: price(floor) } }
      const exit = stopExit(market, side, terms, {})
      assert.strictEqual(Decimal.format(exit.price(exit.left(price(mid), price(mid)))), at)
    }
  )
})
