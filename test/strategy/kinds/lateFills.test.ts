/** Orders that fill while they are withdrawn, or in part: what strategies make of them, against what the venue says. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { SlowVenue } from "../slowVenue.ts"
import { between, integerBetween, pick, random, strategyOf, viewAt } from "../support.ts"

const hour = 3_600_000

const rule = (side: "buy" | "sell", exit: string, more = "") => `name: test
market: BTC/USDC
kind: rules
limits:
  budget: { base: 100, quote: 10000000 }
rules:
  orders:
    one:
      when: mid < 100
      side: ${side}
      price: mid
      size: { base: 1 }
      cancelWhen: mid > 101
      expireAfter: 3h
      pause: 30m
${exit}${more}`

const at = (strategy: ReturnType<typeof strategyOf>, middle: number, now: number) => {
  const { slots: _, ...view } = viewAt(strategy, Decimal.fromNumber(middle, 8), new Map(), now)
  return view
}

describe("a rule whose order fills while it is being cancelled", () => {
  it("continues with its exit, and buys only if its condition holds", () => {
    const strategy = strategyOf(rule("buy", "      then: { price: entry * (1 + 2%) }"))
    const venue = new SlowVenue(strategy, random(1))
    venue.decide(at(strategy, 99, 0))
    venue.decide(at(strategy, 102, hour))
    assert.deepStrictEqual(
      venue.decision?.absent.map(({ why }) => why.code),
      ["withdrawn"]
    )
    while (venue.slot("one").live !== undefined) venue.pass(1)
    venue.decide(at(strategy, 102, 2 * hour))
    assert.deepStrictEqual(
      venue.placed.map(({ side, price }) => `${side} at ${Decimal.format(price)}`),
      ["BUY at 99", "SELL at 100.98"]
    )
    while (venue.slot("one").live !== undefined) venue.pass(1)
    venue.decide(at(strategy, 102, 3 * hour))
    venue.decide(at(strategy, 102, 4 * hour))
    assert.strictEqual(venue.placed.length, 2)
    venue.decide(at(strategy, 98, 5 * hour))
    assert.strictEqual(venue.placed.at(-1)?.side, "BUY")
  })

  it("matches an independent account, for any timing and side", () => {
    let late = 0
    for (let seed = 1; seed <= 200; seed++) {
      const next = random(seed)
      const hasExit = next() < 0.7
      const side = pick<"buy" | "sell">(next, ["buy", "sell"])
      const exit = side === "buy" ? "entry * (1 + 2%)" : "entry * (1 - 2%)"
      const strategy = strategyOf(rule(side, hasExit ? `      then: { price: ${exit} }` : ""))
      const venue = new SlowVenue(strategy, next)
      let now = 0
      for (let step = 0; step < 60; step++) {
        now += integerBetween(next, 1, hour)
        const placedBefore = venue.placed.length
        const middle = between(next, 95, 104)
        venue.decide(at(strategy, middle, now))
        const placed = venue.placed.slice(placedBefore)
        checkPlaced(venue, placed, side === "buy" ? "BUY" : "SELL", { middle, hasExit }, `seed ${seed}, step ${step}`)
        venue.pass(0.25)
      }
      late += venue.fills.filter(({ wasWithdrawn }) => wasWithdrawn).length
    }
    assert.isAbove(late, 100)
  })
})

/**
 * By the venue's own account: with nothing held only an entry is placed, at the mid, while its condition holds; a part that
 * has filled is completed; what is held leaves at the price of its entry and 2 %, whole.
 */
const checkPlaced = (
  venue: SlowVenue,
  placed: SlowVenue["placed"],
  entrySide: "BUY" | "SELL",
  { middle, hasExit }: { readonly middle: number; readonly hasExit: boolean },
  about: string
): void => {
  const whole = 100_000_000n
  for (const order of placed) {
    const held = entrySide === "BUY" ? venue.base : -venue.base
    const open = hasExit ? held : held % whole
    if (order.side === entrySide) {
      assert.strictEqual(order.quantity, whole - open, about)
      if (open === 0n) assert.isTrue(middle < 100 && Decimal.toNumber(order.price) <= middle + 0.01, about)
    } else {
      const entry = venue.fills.findLast(({ side }) => side === entrySide)?.price ?? Number.NaN
      assert.isTrue(hasExit && order.quantity === held, `${about}: ${order.side} ${order.quantity} of ${held}`)
      assert.closeTo(Decimal.toNumber(order.price), entry * (entrySide === "BUY" ? 1.02 : 0.98), 0.01, about)
    }
  }
}

const rules = (side: "buy" | "sell", [price, exit, stop]: ReadonlyArray<number>) =>
  `{ timeframe: 1m, orders: { position: { when: mid > 1, side: ${side}, price: "${price}", size: { base: 1 }, times: 1, then: { price: "${exit}", stop: "${stop}", reach: 1% } } } }`
const bracket = (side: "buy" | "sell", [entry, takeProfit, stop]: ReadonlyArray<number>) =>
  `{ side: ${side}, size: { base: 1 }, entry: ${entry}, takeProfit: ${takeProfit}, stop: ${stop}, reach: 1% }`

/** An entry at 100, of which any part fills, with a target and a stop 5 away from it. */
const withStop = (kind: "rules" | "bracket", side: "buy" | "sell") => {
  const prices = side === "buy" ? [100, 105, 95] : [100, 95, 105]
  const section = (kind === "rules" ? rules : bracket)(side, prices)
  return strategyOf(
    `name: test\nmarket: BTC/USDC\nkind: ${kind}\nlimits: { budget: { base: 100, quote: 10000000 } }\n${kind}: ${section}\n`
  )
}

describe.each([
  ["bracket", "buy"],
  ["bracket", "sell"],
  ["rules", "buy"],
  ["rules", "sell"]
] as const)("a %s whose entry to %s fills in part", (kind, side) => {
  it("exits completely at its stop or target, enters once, and exits no more than it holds", () => {
    let parts = 0
    for (let seed = 1; seed <= 150; seed++) {
      const [next, isEntry] = [random(seed), ({ side: of }: { side: string }) => of.toLowerCase() === side]
      const venue = new SlowVenue(withStop(kind, side), next)
      venue.closes = true
      let now = 0
      const look = (middle: number, mayFill: (order: { side: string }) => boolean = () => true) => {
        now += integerBetween(next, 1, hour)
        venue.decide(at(venue.strategy, middle, now))
        venue.pass(0.3, mayFill)
      }
      for (let step = 0; step < 4; step++) look(between(next, 97, 103))
      const held = venue.base
      if (held === 0n || (held < 0n ? -held : held) === 100_000_000n) continue
      parts += 1
      const isUp = next() < 0.5
      look(isUp ? 106 : 94)
      const before = venue.placed.length
      for (let step = 0; step < 60; step++)
        look(isUp ? between(next, 104, 107) : between(next, 93, 96), (order) => !isEntry(order))
      assert.strictEqual(venue.base, 0n, `seed ${seed}`)
      assert.lengthOf(venue.placed.slice(before).filter(isEntry), 0, `seed ${seed}`)
    }
    assert.isAbove(parts, 20)
  })
})
