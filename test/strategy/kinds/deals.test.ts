/** Deals against an account of them that is as naive as can be: one list of fills, one position, one average. */
import { assert, describe, it } from "@effect/vitest"
import * as Candles from "../../../src/candles/Candles.ts"
import * as TimeAxis from "../../../src/candles/TimeAxis.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Decision, DesiredOrder, Memory } from "../../../src/strategy/Decision.ts"
import { numberIn } from "../../../src/strategy/kinds/Memory.ts"
import { type OwnState, untouchedSlot, type View } from "../../../src/strategy/View.ts"
import { checkBounds } from "../bounds.ts"
import { SlowVenue } from "../slowVenue.ts"
import { between, decideAt, integerBetween, pick, price, problemsOf, random, strategyOf, viewAt } from "../support.ts"

const minute = 60_000

const file = (section: string, quote = 2_000) => `name: test
market: BTC/USDC
kind: deals
limits: { budget: { quote: ${quote} } }
deals:
${section}
`

const whole = file(`  size: { quote: 100 }
  safety: { orders: 3, size: { quote: 200 }, distance: 2%, sizeScale: 1.5, distanceScale: 2, active: 2 }
  takeProfit: 1.5%
  stop: 20%
  cooldown: 10m
  times: 3`)

/** What the fills came to since nothing was held. */
const accountOf = (venue: SlowVenue) => {
  let [position, cost] = [0, 0]
  for (const { side, base, price: at } of venue.fills) {
    const units = Number(base) / 1e8
    if (side === "BUY") [position, cost] = [position + units, cost + units * at]
    else [position, cost] = [position - units, cost * (1 - units / position)]
    if (position < 1e-9) [position, cost] = [0, 0]
  }
  return { position, average: position === 0 ? undefined : cost / position }
}

/** What the deal under way entered at; `from`: its first fill, where base of the deals before was left. */
const averageOf = (venue: SlowVenue, from: number | undefined): number | undefined => {
  const entries = from === undefined ? [] : venue.fills.slice(from).filter(({ side }) => side === "BUY")
  const base = entries.reduce((sum, fill) => sum + Number(fill.base), 0)
  const cost = entries.reduce((sum, fill) => sum + Number(fill.base) * fill.price, 0)
  return base === 0 ? accountOf(venue).average : cost / base
}

const look = (venue: SlowVenue, middle: number, now: number) => {
  const { average, position } = accountOf(venue)
  const own: OwnState = {
    openOrders: 0,
    position: BigInt(Math.round(position * 1e8)),
    freeBase: venue.paidBase(),
    freeQuote: 0n,
    realisedProfit: 0n,
    ...(average === undefined ? {} : { averageEntry: Decimal.fromNumber(average, 12) })
  }
  const at = price(middle.toFixed(2))
  const view: Omit<View, "slots"> = { now, market: venue.strategy.market, price: { bid: at, ask: at, at: now }, own }
  const placedBefore = venue.placed.length
  const decision = venue.decide(view)
  return { decision, placed: venue.placed.slice(placedBefore) }
}

const said = ({ slot, side, price: at, quantity }: DesiredOrder) =>
  `${slot} ${side} ${quantity} at ${Decimal.format(at)}`

describe("deals", () => {
  it("buy below, sell all above the average, pause, and begin again", () => {
    const venue = new SlowVenue(strategyOf(whole), () => 0)
    venue.requotes = true
    assert.deepStrictEqual(look(venue, 50_000, 0).placed.map(said), ["base BUY 200000 at 50000"])
    venue.pass(1)
    venue.pass(1)
    assert.deepStrictEqual(look(venue, 50_000, minute).placed.map(said), [
      "safety-01 BUY 408163 at 49000",
      "safety-02 BUY 638297 at 47000",
      "exit SELL 200000 at 50750"
    ])
    const fall = ({ slot }: DesiredOrder) => slot === "safety-01"
    venue.pass(1, fall)
    venue.pass(1, fall)
    const next = look(venue, 49_000, 2 * minute).placed.map(said)
    assert.deepStrictEqual(next, ["safety-03 BUY 1046511 at 43000"])
    venue.pass(0)
    // 0.002 at 50,000 and 0.00408163 at 49,000 cost 49,328.86 on average.
    const requoted = look(venue, 49_000, 3 * minute).placed.map(said)
    assert.deepStrictEqual(requoted, ["exit SELL 608163 at 50068.8"])
    const rise = ({ slot }: DesiredOrder) => slot === "exit"
    venue.pass(1, rise)
    venue.pass(1, rise)
    look(venue, 50_100, 4 * minute)
    for (let turn = 0; turn < 3; turn++) venue.pass(0)
    assert.strictEqual(venue.base, 0n)
    const ended = look(venue, 50_100, 5 * minute)
    assert.deepStrictEqual(
      ended.decision.absent.map(({ why }) => why.text),
      ["waits until its cooldown is over"]
    )
    assert.deepStrictEqual(look(venue, 50_100, 15 * minute).placed.map(said), ["base BUY 199600 at 50100"])
  })

  it("match an independent account in any order of fills, and lose no base", () => {
    let deals = 0
    for (let seed = 1; seed <= 35; seed++) {
      const next = random(seed)
      const [orders, active] = [integerBetween(next, 1, 5), integerBetween(next, 1, 5)]
      const [profit, distance] = [pick(next, [0.01, 0.03]), pick(next, [0.01, 0.02])]
      const stop = pick(next, ["", "  stop: 6%\n"])
      const strategy = strategyOf(
        file(`  size: { quote: 100 }
  safety: { orders: ${orders}, size: { quote: 150 }, distance: ${distance * 100}%, active: ${active} }
  takeProfit: ${profit * 100}%
${stop}  expireAfter: 30m
  cooldown: 5m`)
      )
      const venue = new SlowVenue(strategy, next)
      venue.requotes = true
      let [now, middle, begun] = [0, 50_000, 50_000]
      let from: number | undefined
      for (let step = 0; step < 80; step++) {
        now += integerBetween(next, 1, 10) * minute
        middle *= between(next, 0.985, 1.015)
        const about = `seed ${seed}, step ${step}`
        const { position } = accountOf(venue)
        const seen = venue.fills.length
        const { decision, placed } = look(venue, middle, now)
        const begins = numberIn(decision.memory, "startedAt") === now
        if (begins) from = position === 0 ? undefined : seen
        const average = averageOf(venue, from)
        for (const order of placed) {
          const at = Decimal.toNumber(order.price)
          if (order.slot === "base" && position === 0) {
            deals += 1
            if (venue.paidBase() === 0n) begun = at
            assert.isAtMost(at, Math.max(begun, middle) + 0.01, about)
          } else if (order.side === "SELL") {
            const isStop = stop !== "" && at < (average ?? 0)
            if (!isStop) assert.closeTo(at, (average ?? 0) * (1 + profit), 0.02, about)
            assert.isTrue(order.quantity <= BigInt(Math.round(position * 1e8)), about)
          }
        }
        venue.pass(0.7, ({ side, price: limit }) =>
          side === "BUY" ? Decimal.toNumber(limit) >= middle * 0.995 : Decimal.toNumber(limit) <= middle * 1.005
        )
      }
      for (let step = 0; step < 40; step++) {
        now += minute
        look(venue, 90_000, now)
        venue.pass(1, ({ side }) => side === "SELL")
      }
      assert.isBelow(Number(venue.base), 2_000, `seed ${seed}: base left`)
    }
    assert.isAbove(deals, 100)
  })

  it("decide the same anywhere inside their bounds", () => {
    const asked = whole.replace("  cooldown", "  when: mid < 58000\n  expireAfter: 1h\n  cooldown")
    for (let seed = 1; seed <= 15; seed++) checkBounds(strategyOf(asked), { low: 40_000, high: 60_000, seed })
  })

  it("trail the best price from the take-profit on without an open order, and exit at that distance", () => {
    const trailing = strategyOf(
      file(`  size: { quote: 100 }
  safety: { orders: 1, size: { quote: 100 }, distance: 5% }
  takeProfit: 2%
  trail: 1%
  stopReach: 0.2%`)
    )
    const venue = new SlowVenue(trailing, () => 0)
    venue.requotes = true
    look(venue, 50_000, 0)
    venue.pass(1)
    venue.pass(1)
    const why = ({ decision }: ReturnType<typeof look>) =>
      decision.absent.find(({ slot }) => slot === "exit")?.why.text ?? ""
    const held = look(venue, 50_000, minute)
    assert.deepStrictEqual(held.placed.map(said), ["safety-01 BUY 210526 at 47500"])
    assert.strictEqual(why(held), "waits until the price has come to 51000; then it trails the best price")
    assert.closeTo(Decimal.toNumber(held.decision.until.priceAbove ?? Decimal.zero), 51_000, 0.001)
    // Half of what it may give back is no reason to leave; a better price moves the line.
    assert.include(why(look(venue, 51_200, 2 * minute)), "trails the best price 51200, exits at 50688")
    assert.include(why(look(venue, 50_800, 3 * minute)), "trails the best price 51200")
    assert.include(why(look(venue, 52_000, 4 * minute)), "trails the best price 52000, exits at 51480")
    const left = look(venue, 51_400, 5 * minute)
    assert.deepStrictEqual(
      left.decision.desired.map(({ slot, legs: [leg] }) => `${slot} ${leg.side} at ${Decimal.format(leg.price)}`),
      ["exit SELL at 51297.2"]
    )
    assert.strictEqual(left.decision.desired[0]?.why.code, "trail")
  })

  it("decide the same anywhere inside their bounds with a trailing exit", () => {
    const trailing = whole.replace("  cooldown", "  trail: 2%\n  cooldown")
    for (let seed = 1; seed <= 15; seed++) checkBounds(strategyOf(trailing), { low: 40_000, high: 60_000, seed })
  })

  it("exit near the market at any price after their longest duration, and the next deal begins", () => {
    const strategy = strategyOf(whole.replace("  stop: 20%", "  exitAfter: 1h\n  stopReach: 0.2%"))
    const venue = new SlowVenue(strategy, () => 0)
    venue.requotes = true
    look(venue, 50_000, 0)
    venue.pass(1)
    venue.pass(1)
    const held = look(venue, 49_500, minute)
    assert.strictEqual(held.decision.until.time, 60 * minute)
    const left = look(venue, 49_500, 60 * minute)
    assert.deepStrictEqual(
      left.decision.desired.map(({ slot, legs: [leg], why }) => [slot, leg.side, Decimal.format(leg.price), why.code]),
      [["exit", "SELL", "49401", "stop"]]
    )
    assert.match(left.decision.desired[0]?.why.source ?? "", /:9$/)
    const moved = look(venue, 48_000, 61 * minute)
    assert.strictEqual(Decimal.format(moved.decision.desired[0]?.legs[0].price ?? Decimal.zero), "47904")
    for (let turn = 0; turn < 4; turn++) {
      venue.pass(1, ({ slot }) => slot === "exit")
      look(venue, 48_000, (62 + turn) * minute)
    }
    assert.strictEqual(venue.base, 0n)
    assert.deepStrictEqual(look(venue, 48_000, 90 * minute).placed.map(said), ["base BUY 208333 at 48000"])
  })

  it("decide the same anywhere inside their bounds with a limited duration", () => {
    const limited = whole.replace("  cooldown", "  exitAfter: 5h\n  cooldown")
    for (let seed = 1; seed <= 15; seed++) checkBounds(strategyOf(limited), { low: 40_000, high: 60_000, seed })
  })

  const partly = (more: string) =>
    file(`  size: { quote: 100 }
  safety: { orders: 1, size: { quote: 100 }, distance: 5% }
  takeProfit: [{ at: 4%, part: 40% }, { at: 2%, part: 60% }]
  stopReach: 0.2%${more}`)
  const exits = ({ decision }: Pick<ReturnType<typeof look>, "decision">) =>
    decision.desired.flatMap(({ slot, legs: [leg] }) =>
      slot.startsWith("exit") ? [`${slot} ${leg.quantity} at ${Decimal.format(leg.price)}`] : []
    )

  it("exit in parts at several targets; once one fills they enter no more, and the rest has its moved stop", () => {
    for (const [moves, at, leavesAt] of [
      ["\n  breakevenAt: 2%", 49_999, "49899.01"],
      ["\n  trail: 1%", 50_480, "50379.04"]
    ] as const) {
      const venue = new SlowVenue(strategyOf(partly(moves)), () => 0)
      venue.requotes = true
      look(venue, 50_000, 0)
      venue.pass(1, ({ slot }) => slot === "base")
      venue.pass(0)
      const held = look(venue, 50_000, minute)
      assert.deepStrictEqual(exits(held), ["exit-1 120000 at 51000", "exit-2 80000 at 52000"])
      venue.pass(1, ({ slot }) => slot === "exit-1")
      const part = look(venue, 51_000, 2 * minute)
      assert.deepStrictEqual([exits(part), part.decision.desired.length], [["exit-2 80000 at 52000"], 1])
      for (let turn = 0; turn < 3; turn++) venue.pass(0)
      assert.deepStrictEqual(exits(look(venue, 50_600, 3 * minute)), ["exit-2 80000 at 52000"])
      const left = look(venue, at, 4 * minute)
      assert.deepStrictEqual(exits(left), [`exit-2 80000 at ${leavesAt}`])
      const begins: Array<string> = []
      for (let turn = 0; turn < 9; turn++) {
        venue.pass(1, ({ slot }) => slot === "exit-2")
        begins.push(...look(venue, at, (5 + turn) * minute).placed.map(({ slot }) => slot))
      }
      assert.deepStrictEqual([venue.base, begins], [0n, ["base"]])
    }
  })

  it("keep the exit of what has filled when a large safety order begins to fill", () => {
    const safety = "{ orders: 1, size: { base: 1 }, distance: 2% }"
    const strategy = strategyOf(file(`  size: { base: 0.01 }\n  safety: ${safety}\n  takeProfit: 2%`, 60_000))
    const begun = decideAt(strategy, price("50000"))
    const bought = 1_000_000n
    const base = { ...untouchedSlot, completedLegs: 1, bought, receivedByLastLeg: bought }
    const filled = 1_000n
    const live = { side: "BUY", price: price("49000"), quantity: 99_999_000n } as const
    const safetyOrder = { ...untouchedSlot, bought: filled, filledInLeg: filled, live }
    const slots = new Map([
      ["base", base],
      ["safety-01", safetyOrder]
    ])
    assert.deepStrictEqual(exits({ decision: decideAt(strategy, price("49100"), begun.memory, slots) }), [
      "exit 1001000 at 51000"
    ])
  })

  it("move the stop once a target has filled at or beyond its price, wherever the market is then", () => {
    for (const [moves, stop] of [
      ["\n  breakevenAt: 2%", "50000"],
      ["\n  breakevenAt: 2.1%", undefined],
      ["\n  trail: 1%", "50490"]
    ] as const) {
      const venue = new SlowVenue(strategyOf(partly(moves)), () => 0)
      venue.requotes = true
      look(venue, 50_000, 0)
      venue.pass(1, ({ slot }) => slot === "base")
      venue.pass(0)
      look(venue, 50_000, minute)
      venue.pass(1, ({ slot }) => slot === "exit-1")
      const { stops } = look(venue, 50_600, 2 * minute).decision
      assert.strictEqual(stops?.priceBelow && Decimal.format(stops.priceBelow), stop)
    }
  })

  it("join a part below the minimum order with the next one", () => {
    const text = partly("").replace("budget: { quote: 2000 }", "budget: { quote: 2000 }, minOrder: 70")
    const venue = new SlowVenue(strategyOf(text), () => 0)
    venue.requotes = true
    look(venue, 50_000, 0)
    venue.pass(1, ({ slot }) => slot === "base")
    venue.pass(0)
    assert.deepStrictEqual(exits(look(venue, 50_000, minute)), ["exit-2 200000 at 52000"])
  })

  it("leave together after a stop if what is left of a part is below the minimum order", () => {
    const text = partly("\n  stop: 5%").replace("budget: { quote: 2000 }", "budget: { quote: 2000 }, minOrder: 30")
    let drawn = 0
    const venue = new SlowVenue(strategyOf(text), () => drawn)
    venue.requotes = true
    look(venue, 50_000, 0)
    venue.pass(1, ({ slot }) => slot === "base")
    venue.pass(0)
    look(venue, 50_000, minute)
    drawn = 0.7
    venue.pass(1, ({ slot }) => slot === "exit-1")
    drawn = 0
    assert.deepStrictEqual(exits(look(venue, 51_000, 2 * minute)), ["exit-1 36000 at 51000", "exit-2 80000 at 52000"])
    const sold = venue.slots().get("exit-1")?.sold ?? 0n
    assert.isTrue(sold > 70_000n && sold < 120_000n)
    look(venue, 40_000, 3 * minute)
    for (let turn = 0; turn < 3; turn++) venue.pass(0)
    assert.deepStrictEqual(
      look(venue, 40_000, 4 * minute).decision.desired.map(({ slot, legs: [leg] }) => [slot, leg.quantity]),
      [["exit-2", 200_000n - sold]]
    )
  })

  it("keep the exit of an order older than an edit that raises the size a hundredfold", () => {
    const sized = (quote: number) => strategyOf(file(`  size: { quote: ${quote} }\n  takeProfit: 2%`, 20_000))
    const [small, large] = [sized(100), sized(10_000)]
    const base = {
      ...untouchedSlot,
      completedLegs: 1,
      receivedByLastLeg: 199_900n,
      lastLeg: { side: "BUY", quantity: 200_000n, isWhole: true } as const,
      bought: 200_000n,
      paid: 100_000_000n
    }
    const own: OwnState = { openOrders: 0, freeBase: 199_900n, freeQuote: 0n, position: 199_900n, realisedProfit: 0n }
    const at = (strategy: typeof small, memory: Memory) => {
      const view = { ...viewAt(strategy, price("50000"), new Map([["base", base]])), own }
      return strategy.decide({ ...view, own: { ...own, averageEntry: price("50000") } }, memory)
    }
    const begun = decideAt(small, price("50000"))
    const held = at(small, begun.memory)
    const exits = ({ desired }: Decision) =>
      desired.flatMap(({ slot, legs: [leg] }) => (slot === "exit" ? [`${leg.side} ${leg.quantity}`] : []))
    assert.deepStrictEqual(exits(held), ["SELL 199900"])
    assert.deepStrictEqual(exits(at(large, held.memory)), ["SELL 199900"])
  })

  it("count the targets that an edit adds from the edit on", () => {
    const single = partly("").replace("[{ at: 4%, part: 40% }, { at: 2%, part: 60% }]", "4%")
    const venue = new SlowVenue(strategyOf(single), () => 0)
    venue.requotes = true
    look(venue, 50_000, 0)
    venue.pass(1, ({ slot }) => slot === "base")
    venue.pass(0)
    assert.deepStrictEqual(exits(look(venue, 50_000, minute)), ["exit 200000 at 52000"])
    venue.strategy = strategyOf(partly(""))
    look(venue, 50_000, 2 * minute)
    for (let turn = 0; turn < 3; turn++) venue.pass(0)
    assert.deepStrictEqual(exits(look(venue, 50_000, 3 * minute)), ["exit-1 120000 at 51000", "exit-2 80000 at 52000"])
    venue.pass(1, ({ slot }) => slot === "exit-1")
    assert.deepStrictEqual(exits(look(venue, 51_000, 4 * minute)), ["exit-2 80000 at 52000"])
  })

  it("decide the same anywhere inside their bounds with several targets and a moving stop", () => {
    for (const moves of ["\n  breakevenAt: 1.5%", "\n  trail: 1%\n  stop: 8%"])
      for (let seed = 1; seed <= 15; seed++)
        checkBounds(strategyOf(partly(moves)), { low: 40_000, high: 60_000, seed, steps: 12 })
  })

  it("space their safety orders by the volatility at the start of the deal", () => {
    const spaced = strategyOf(
      file(`  size: { quote: 100 }
  safety: { orders: 3, size: { quote: 100 }, distance: { of: atr, length: 2, timeframe: 1h, factor: 2, min: 0.5%, max: 9% }, distanceScale: 2 }
  takeProfit: 2%`)
    )
    assert.deepStrictEqual([...(spaced.candles ?? [])], [["1h", 13]])
    const candles = (range: number, bars = 20) => {
      const close = Candles.columnOf(Array.from({ length: bars }, () => 50_000))
      const made = {
        bars,
        time: TimeAxis.regular(bars, 0, 60 * minute),
        open: close,
        high: Candles.columnOf(Array.from({ length: bars }, () => 50_000 + range / 2)),
        low: Candles.columnOf(Array.from({ length: bars }, () => 50_000 - range / 2)),
        close,
        volume: close,
        priceScale: 2
      }
      return new Map([["1h", { columns: made, closed: bars }]])
    }
    const at = (known: View["candles"], slots: View["slots"], memory: Memory, own: Partial<OwnState> = {}) => {
      const whole = { openOrders: 0, freeBase: 0n, freeQuote: 0n, position: 0n, realisedProfit: 0n, ...own }
      const now = price("50000")
      const view: View = { now: 0, market: spaced.market, price: { bid: now, ask: now, at: 0 }, slots, own: whole }
      return spaced.decide(known === undefined ? view : { ...view, candles: known }, memory)
    }
    assert.include(at(undefined, new Map(), null).absent[0]?.why.text, "needs more candles")
    const begun = at(candles(500), new Map(), null)
    const bought = new Map([["base", { ...untouchedSlot, completedLegs: 1, bought: 200_000n, paid: 100_000_000n }]])
    // Twice 1 %, then twice and four times as wide; wider candles later change nothing.
    const prices = (decision: Decision) =>
      decision.desired.flatMap(({ slot, legs: [leg] }) =>
        slot.startsWith("safety") ? [Decimal.format(leg.price)] : []
      )
    const own = { freeBase: 200_000n, position: 200_000n, averageEntry: price("50000") }
    assert.deepStrictEqual(prices(at(candles(2000), bought, begun.memory, own)), ["49000", "47000", "43000"])
    const wide = at(candles(9000), new Map(), null)
    assert.deepStrictEqual(prices(at(candles(1), bought, wide.memory, own)), ["45500", "36500", "18500"])
  })

  it("exit above the average of their own purchases, whatever earlier deals have left", () => {
    const strategy = strategyOf(
      file("  size: { quote: 150 }\n  safety: { orders: 1, size: { quote: 100 }, distance: 5% }\n  takeProfit: 1%")
    )
    const at = price("150")
    const earlier = { ...untouchedSlot, completedLegs: 1, bought: 100_000_000n, paid: 100_000_000n }
    const left = { openOrders: 0, freeBase: 600_000n, freeQuote: 0n, realisedProfit: 0n }
    const view = (slots: View["slots"], own: OwnState): View => ({
      ...{ now: 0, market: strategy.market, price: { bid: at, ask: at, at: 0 } },
      ...{ slots, own }
    })
    const begun = strategy.decide(
      view(new Map([["base", earlier]]), { ...left, position: 600_000n, averageEntry: price("100") }),
      null
    )
    const again = { ...earlier, completedLegs: 2, bought: 200_000_000n, paid: 250_000_000n }
    const held = { ...left, freeBase: 100_600_000n, position: 100_600_000n, averageEntry: price("149.7017892") }
    const { desired } = strategy.decide(view(new Map([["base", again]]), held), begun.memory)
    const exit = desired.find(({ slot }) => slot === "exit")?.legs[0]
    assert.strictEqual(exit && `${exit.quantity} at ${Decimal.format(exit.price)}`, "100600000 at 151.5")
  })

  it("must be affordable to the last safety order, and have a price for it", () => {
    const messages = (text: string) => problemsOf(text).map(({ message }) => message)
    assert.match(messages(whole.replace("quote: 2000", "quote: 500"))[0] ?? "", /all orders of a deal need 1050 USDC/)
    assert.match(messages(whole.replace("2%", "40%"))[0] ?? "", /at a price of 0 or less/)
  })
})

describe("deals of sales", () => {
  const own: OwnState = { openOrders: 0, freeBase: 200_000_000n, freeQuote: 0n, position: 0n, realisedProfit: 0n }
  const sells = strategyOf(`name: test
market: BTC/USDC
kind: deals
limits: { budget: { base: 2 } }
deals: { side: sell, size: { base: 0.5 }, reach: 1%, safety: { orders: 2, size: { base: 0.5 }, distance: 2% }, takeProfit: 5%, stop: 10% }
`)
  const at = (middle: string, slots: View["slots"], now: OwnState): View => ({
    now: 0,
    market: sells.market,
    price: { bid: price(middle), ask: price(middle), at: 0 },
    slots,
    own: now
  })
  const orders = ({ desired }: ReturnType<typeof sells.decide>) =>
    desired.map(({ slot, legs: [leg] }) => `${slot} ${leg.side} ${leg.quantity} at ${Decimal.format(leg.price)}`)

  it("sell above, buy all back below the average, and exit at a stop above it", () => {
    const first = sells.decide(at("1000", new Map(), own), null)
    assert.deepStrictEqual(orders(first), ["base SELL 50000000 at 990"])
    const sold = { ...untouchedSlot, completedLegs: 1, sold: 50_000_000n, proceeds: 495_000_000n }
    const slots: View["slots"] = new Map([["base", sold]])
    const holding = {
      ...own,
      freeBase: 50_000_000n,
      freeQuote: 495_000_000n,
      position: -50_000_000n,
      averageEntry: price("990")
    }
    const going = sells.decide(at("1000", slots, holding), first.memory)
    assert.deepStrictEqual(orders(going).slice(1), [
      "safety-01 SELL 50000000 at 1009.8",
      "safety-02 SELL 50000000 at 1029.6",
      "exit BUY 50000000 at 940.5"
    ])
    const stopped = sells.decide(at("1090", slots, holding), going.memory)
    // What the sales brought in pays for less than was sold: the budget refuses the rest, and the alarm names it.
    assert.deepStrictEqual(orders(stopped), ["exit BUY 50000000 at 1095.45"])
    const bought = { ...untouchedSlot, completedLegs: 1, bought: 50_000_000n, paid: 470_250_000n }
    const over = sells.decide(at("940", new Map([...slots, ["exit", bought]]), own), going.memory)
    assert.include(orders(over)[0], "base SELL")
  })

  const sold = { ...untouchedSlot, completedLegs: 1, sold: 50_000_000n, proceeds: 495_000_000n }
  const short = {
    ...own,
    freeBase: 50_000_000n,
    freeQuote: 495_000_000n,
    position: -50_000_000n,
    averageEntry: price("990")
  }
  const bought = { ...untouchedSlot, completedLegs: 1, bought: 45_186_909n, paid: 494_999_999n }
  const begun = () =>
    sells.decide(at("1000", new Map([["base", sold]]), short), sells.decide(at("1000", new Map(), own), null).memory)
  const stopped = () => sells.decide(at("1090", new Map([["base", sold]]), short), begun().memory)

  it("buy back what the proceeds pay for while a sale may still bring in more", () => {
    const live = { side: "SELL", price: price("1009.8"), quantity: 50_000_000n } as const
    const slots: View["slots"] = new Map([
      ["base", sold],
      ["safety-01", { ...untouchedSlot, live }]
    ])
    assert.deepStrictEqual(orders(sells.decide(at("1090", slots, short), begun().memory)), [
      "exit BUY 45186909 at 1095.45"
    ])
  })

  it("are not over after a stop while the proceeds do not pay for the rest", () => {
    const slots: View["slots"] = new Map([
      ["base", sold],
      ["exit", bought]
    ])
    const rest = { ...short, freeBase: 95_186_909n, freeQuote: 1n, position: -4_813_091n }
    const decision = sells.decide(at("1090", slots, rest), stopped().memory)
    assert.deepStrictEqual(orders(decision), ["exit BUY 4813091 at 1095.45"])
  })

  it("are over after a stop once only a leftover is short, and the next deal has no exit for it", () => {
    const slots: View["slots"] = new Map([
      ["base", sold],
      ["exit", bought]
    ])
    const rest = { ...own, freeQuote: 500_000_000n, position: -7_000n, averageEntry: price("1095.45") }
    const decision = sells.decide(at("1090", slots, rest), stopped().memory)
    assert.deepStrictEqual(orders(decision), ["base SELL 50000000 at 1079.1"])
    assert.deepStrictEqual(orders(sells.decide(at("1090", slots, rest), decision.memory)), orders(decision))
  })

  it("are over once an exit has filled but for a leftover", () => {
    const exit = { ...untouchedSlot, filledInLeg: 49_900_000n, bought: 49_900_000n, paid: 469_309_500n }
    const slots: View["slots"] = new Map([
      ["base", sold],
      ["exit", exit]
    ])
    const rest = { ...own, freeQuote: 500_000_000n, position: -100_000n, averageEntry: price("990") }
    assert.deepStrictEqual(orders(sells.decide(at("940", slots, rest), begun().memory)), [
      "base SELL 50000000 at 930.6"
    ])
  })

  it("need base for all their orders", () => {
    const text =
      "  side: sell\n  size: { base: 1 }\n  safety: { orders: 1, size: { base: 1 }, distance: 2% }\n  takeProfit: 1%"
    assert.deepStrictEqual(
      problemsOf(file(text)).map(({ message }) => message),
      ["all orders of a deal need 2 BTC of base budget, and it has 0 BTC"]
    )
  })

  it("decide the same anywhere inside their bounds", () => {
    for (const seed of [1, 2, 3]) checkBounds(sells, { low: 900, high: 1100, seed })
  })
})
