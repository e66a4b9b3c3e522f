/** Market making by the model of Avellaneda and Stoikov, sizes by level and by inventory, and the delay after a fill. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { type Decision, holds, type Memory } from "../../../src/strategy/Decision.ts"
import type { CandleColumns } from "../../../src/strategy/Indicators.ts"
import { type OwnState, type SlotProgress, untouchedSlot, type View } from "../../../src/strategy/View.ts"
import { checkBounds } from "../bounds.ts"
import { decideAt, price, problemsOf, random, type Slots, strategyOf, viewAt } from "../support.ts"

const file = (section: string) => `name: test
market: BTC/USDC
kind: market-making
limits: { budget: { base: 5, quote: 100000 } }
market-making: ${section}
`
const modelSection =
  "{ levels: 1, size: 0.1, maxInventory: 1, requote: 0.01%, spread: { of: avellaneda-stoikov, length: 50, timeframe: 1m, riskAversion: 20, horizon: 1h, min: 0.01%, max: 9% } }"
const model = strategyOf(file(modelSection))
const bars = 80
const next = random(7)
const close = Float64Array.from({ length: bars }, () => 1000 + Math.round((next() - 0.5) * 20))
const columns: CandleColumns = {
  open: close,
  high: close.map((x) => x + 2 + Math.round(next() * 5)),
  low: close.map((x) => x - 2 - Math.round(next() * 5)),
  close,
  volume: close
}
const minute = 60_000
const monday = Date.UTC(2026, 0, 5)

const at = (now: number, slots: Slots = new Map()): View => ({
  ...viewAt(model, price("1000"), slots, now),
  candles: new Map([["1m", { columns, closed: bars }]])
})
const quotesIn = ({ desired }: Decision) => desired.map(({ legs: [leg] }) => Decimal.toNumber(leg.price))

/** As published, in numbers of the price itself. */
const published = (inventory: number, minutesLeft: number) => {
  const s = 1000
  const changes = Array.from({ length: 50 }, (_, back) => {
    const index = bars - 1 - back
    return (close[index] ?? 0) / (close[index - 1] ?? 0) - 1
  })
  const beyond = Array.from({ length: 50 }, (_, back) => {
    const before = close[bars - 2 - back] ?? 0
    const [up, down] = [(columns.high[bars - 1 - back] ?? 0) - before, before - (columns.low[bars - 1 - back] ?? 0)]
    return (Math.max(0, up) + Math.max(0, down)) / before / 2
  })
  const mean = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = mean(changes.map((change) => change ** 2)) * s ** 2
  const [gamma, kappa] = [20 / s, 1 / (mean(beyond) * s)]
  const reservation = s - inventory * gamma * variance * minutesLeft
  const width = gamma * variance * minutesLeft + (2 / gamma) * Math.log(1 + gamma / kappa)
  return { reservation, width }
}

describe("market making by the model of Avellaneda and Stoikov", () => {
  it.each([
    [0, 0, 60],
    [3, 0, 60],
    [-2, 0, 60],
    [3, 45, 15]
  ])("quotes as published with %s orders bought, %s minutes into the horizon", (inventory, minutes, left) => {
    const bought = { ...untouchedSlot, bought: BigInt(Math.max(0, inventory)) * 10_000_000n }
    const sold = { ...untouchedSlot, sold: BigInt(Math.max(0, -inventory)) * 10_000_000n }
    const slots: Slots = new Map([
      ["bid-00", bought],
      ["ask-00", sold]
    ])
    const decision = model.decide(at(monday + minutes * minute + 5_000, slots), null)
    const [bid = 0, ask = 0] = quotesIn(decision)
    const { reservation, width } = published(inventory, left)
    // A tick is 0.01, the spread is a share of the reservation price, and both are rounded to a millionth.
    assert.closeTo((bid + ask) / 2, reservation, 0.02)
    assert.closeTo((ask - bid) / (reservation / 1000), width, 0.03)
    assert.deepStrictEqual([decision.until.time, decision.until.barClose], [monday + (minutes + 1) * minute, "1m"])
  })

  it("quotes again when the horizon ends within a candle", () => {
    const text = modelSection.replace("horizon: 1h", "horizon: 90m").replace("timeframe: 1m", "timeframe: 1h")
    const uneven = strategyOf(file(text))
    const candles = new Map([["1h", { columns, closed: 60 }]])
    const decision = uneven.decide({ ...viewAt(uneven, price("1000"), new Map(), monday + 65 * minute), candles }, null)
    assert.strictEqual(decision.until.time, monday + 90 * minute)
  })

  it("quotes nothing before it has its candles, and needs one more than its length", () => {
    assert.deepStrictEqual(model.candles, new Map([["1m", 51]]))
    const cold = { ...at(monday), candles: new Map([["1m", { columns, closed: 50 }]]) }
    assert.deepStrictEqual(
      model.decide(cold, null).absent.map(({ why }) => why.code),
      ["warming-up", "warming-up"]
    )
  })
})

describe("market making around a price of closed candles", () => {
  const section = (more: string) => file(`{ levels: 1, size: 0.1, spread: 2%, requote: 0.5%, ${more} }`)
  const averaged = strategyOf(section('centre: "sma(close, 4)", timeframe: 1m'))
  const seen = (closed: number, mid: string, memory: Memory = null) => {
    const view = { ...viewAt(averaged, price(mid), new Map(), monday), candles: new Map([["1m", { columns, closed }]]) }
    return averaged.decide(view, memory)
  }
  const mean = (closed: number) => close.slice(closed - 4, closed).reduce((sum, value) => sum + value, 0) / 4

  it("quotes around that price for any mid, and again once it has moved by requote", () => {
    assert.deepStrictEqual([...(averaged.candles ?? [])], [["1m", 5]])
    let decision = seen(10, "1000")
    let centre = mean(10)
    for (let closed = 10; closed < 60; closed++) {
      decision = seen(closed, closed % 2 === 0 ? "1030" : "970", decision.memory)
      if (Math.abs(mean(closed) / centre - 1) >= 0.005) centre = mean(closed)
      const [bid = 0, ask = 0] = quotesIn(decision)
      assert.closeTo(bid, centre * 0.99, 0.011)
      assert.closeTo(ask, centre * 1.01, 0.011)
      assert.deepStrictEqual(
        [decision.until.barClose, decision.until.priceBelow, decision.until.priceAbove],
        ["1m", undefined, undefined]
      )
    }
  })

  it("quotes nothing without its candles, and follows closed candles alone", () => {
    const early = averaged.decide(viewAt(averaged, price("1000")), null)
    assert.deepStrictEqual(
      early.absent.map(({ why }) => why.text),
      ["bid-00", "ask-00"].map(() => "needs more candles for its centre")
    )
    const said = (more: string) => problemsOf(section(more)).map(({ message }) => message)
    assert.deepStrictEqual(said("centre: (mid + close) / 2"), [
      "the centre follows closed candles, not prices between them"
    ])
    assert.deepStrictEqual(said('centre: "if mid > 900 then close else open"'), [
      "the centre follows closed candles, not prices between them"
    ])
    assert.deepStrictEqual(said("timeframe: 1m"), ["timeframe without centre does nothing"])
    const deep = strategyOf(section('centre: "close * (1 - depth(0.5 BTC))", timeframe: 1m'))
    assert.isTrue(deep.decide(viewAt(deep, price("1000")), null).until.depth, "its depth may come before a candle does")
    assert.match(said('centre: "rsi(close, 14)"')[0] ?? "", /expected a price/)
    const asksAt = (centre: string, spread: string) => {
      const both = strategyOf(
        section(`centre: "sma(close, 4)", timeframe: ${centre}`).replace(
          "spread: 2%",
          `spread: { of: stdev, length: 3, timeframe: ${spread}, factor: 1, min: 1%, max: 2% }`
        )
      )
      return both.decide(viewAt(both, price("1000"), new Map(), monday), null).until.barClose
    }
    assert.strictEqual(asksAt("5m", "1m"), "1m")
    assert.strictEqual(asksAt("10m", "15m"), "5m", "whenever a candle of either closes")
  })
})

describe("market making", () => {
  it("takes a size for each level, and shrinks orders that add to the inventory", () => {
    const sized = strategyOf(file("{ levels: 2, spread: 1%, size: [0.1, 0.2], sizeSkew: 50%, maxInventory: 0.4 }"))
    const sizes = ({ desired }: Decision) => desired.map(({ slot, legs: [leg] }) => `${slot} ${leg.quantity}`)
    const empty = decideAt(sized, price("1000"))
    assert.deepStrictEqual(sizes(empty), ["bid-00 10000000", "ask-00 10000000", "bid-01 20000000", "ask-01 20000000"])
    const bought: Slots = new Map([["bid-00", { ...untouchedSlot, completedLegs: 1, bought: 20_000_000n }]])
    const skewed = decideAt(sized, price("1000"), empty.memory, bought)
    assert.deepStrictEqual(sizes(skewed), ["bid-00 7500000", "ask-00 12500000", "ask-01 25000000"])
  })

  it("chooses sizes that the market can bear again with every requote", () => {
    const strategy = strategyOf(file("{ levels: 1, spread: 2%, size: 0.8, maxImpact: 0.5%, requote: 1% }"))
    assert.deepStrictEqual(strategy.depth, [80_000_000n, 40_000_000n, 20_000_000n, 10_000_000n])
    const level = (quantity: bigint, impact: number) => ({
      quantity,
      bid: price(String(1000 - impact)),
      ask: price(String(1000 + impact)),
      at: 0
    })
    const shallow = [level(10_000_000n, 1), level(20_000_000n, 4), level(40_000_000n, 7), level(80_000_000n, 9)]
    const deep = [level(80_000_000n, 1)]
    const at = (middle: string, depth: View["depth"], memory: Decision["memory"]) =>
      strategy.decide({ ...viewAt(strategy, price(middle)), ...(depth === undefined ? {} : { depth }) }, memory)
    const sizes = ({ desired }: Decision) => desired.map(({ legs: [leg] }) => leg.quantity)
    assert.deepStrictEqual(at("1000", undefined, null).absent[0]?.why.code, "not-known")
    const first = at("1000", shallow, null)
    assert.deepStrictEqual(sizes(first), [20_000_000n, 20_000_000n])
    const same = at("1001", deep, first.memory)
    assert.deepStrictEqual(sizes(same), sizes(first))
    assert.deepStrictEqual(sizes(at("1020", deep, same.memory)), [80_000_000n, 80_000_000n])
    assert.deepStrictEqual(sizes(at("1020", undefined, same.memory)), sizes(first))
  })

  it("leaves the other side of a filled level open until it fills or is too far away", () => {
    const strategy = strategyOf(
      file("{ levels: 1, spread: 2%, size: 0.1, requote: 1%, maxInventory: 1, hanging: { distance: 5% } }")
    )
    const orders = ({ desired }: Decision) =>
      desired.map(({ slot, legs: [leg] }) => `${slot} ${leg.side} ${Decimal.format(leg.price)}`)
    const resting = (side: "BUY" | "SELL", at: string) => ({
      ...untouchedSlot,
      live: { side, price: price(at), quantity: 10_000_000n }
    })
    const first = decideAt(strategy, price("1000"))
    assert.deepStrictEqual(orders(first), ["bid-00 BUY 990", "ask-00 SELL 1010"])
    const sold = { ...untouchedSlot, completedLegs: 1, sold: 10_000_000n }
    const slots: Slots = new Map([
      ["bid-00", resting("BUY", "990")],
      ["ask-00", sold]
    ])
    const hung = decideAt(strategy, price("1015"), first.memory, slots)
    assert.deepStrictEqual(orders(hung), ["bid-00-2 BUY 1004.85", "bid-00 BUY 990", "ask-00 SELL 1025.15"])
    assert.deepStrictEqual(decideAt(strategy, price("1015"), hung.memory, slots), hung)
    // One at most hangs, so the next one follows the quotes.
    const more: Slots = new Map([
      ...slots,
      ["bid-00-2", resting("BUY", "1004.85")],
      ["ask-00", { ...sold, completedLegs: 2 }]
    ])
    const moved = decideAt(strategy, price("1030"), hung.memory, more)
    assert.deepStrictEqual(orders(moved), ["bid-00-2 BUY 1019.7", "bid-00 BUY 990", "ask-00 SELL 1040.3"])
    const far = decideAt(strategy, price("1039.5"), moved.memory, more)
    assert.deepStrictEqual(
      far.absent.map(({ slot, why }) => `${slot} ${why.code}`),
      ["bid-00 not-hanging"]
    )
    // What is too far away when the other side fills would hang for one decision only.
    const jumped = decideAt(strategy, price("1050"), first.memory, slots)
    assert.deepStrictEqual(orders(jumped), ["bid-00 BUY 1039.5", "ask-00 SELL 1060.5"])
    assert.isTrue(holds(jumped.until, viewAt(strategy, price("1050"), slots), false))
    const filled: Slots = new Map([...more, ["bid-00", { ...untouchedSlot, completedLegs: 1, bought: 10_000_000n }]])
    const over = decideAt(strategy, price("1030"), moved.memory, filled)
    assert.deepStrictEqual(orders(over), ["bid-00-2 BUY 1019.7", "ask-00 SELL 1040.3"])
  })

  it("quotes a filled order again after the delay", () => {
    const delayed = strategyOf(file("{ levels: 1, spread: 1%, size: 0.1, maxInventory: 1, filledDelay: 30s }"))
    const own: OwnState = { openOrders: 1, freeBase: 0n, freeQuote: 0n, position: 0n, realisedProfit: 0n }
    const first = decideAt(delayed, price("1000"), null, new Map(), monday)
    const filled: Slots = new Map([["bid-00", { ...untouchedSlot, completedLegs: 1, bought: 10_000_000n }]])
    const view = (now: number): View => ({
      ...viewAt(delayed, price("1000"), filled, now),
      own: { ...own, lastFill: { price: price("995"), at: monday + 10_000 } }
    })
    const waits = delayed.decide(view(monday + 12_000), first.memory)
    assert.deepStrictEqual([waits.desired.map(({ slot }) => slot), waits.until.time], [["ask-00"], monday + 40_000])
    const again = delayed.decide(view(monday + 40_000), waits.memory)
    assert.deepStrictEqual(
      again.desired.map(({ slot }) => slot),
      ["bid-00", "ask-00"]
    )
    assert.isUndefined(again.until.time)
  })

  it.each([1, 2])("decides the same anywhere inside its bounds (seed %s)", (seed) => {
    const section = "{ levels: 2, spread: 1%, size: [0.1, 0.2], sizeSkew: 50%, maxInventory: 0.5, filledDelay: 1h }"
    checkBounds(strategyOf(file(section)), { low: 900, high: 1100, seed })
  })
})

describe("maxInventory", () => {
  const limited = (more: string) =>
    strategyOf(file(`{ levels: 3, spread: 1%, size: 0.1, requote: 1%, maxInventory: 0.3, ${more} }`))
  const slots = (each: Readonly<Record<string, Partial<SlotProgress>>>): Slots =>
    new Map(Object.entries(each).map(([name, progress]) => [name, { ...untouchedSlot, ...progress }]))
  const bought = (amount: bigint, completedLegs = 1) => ({ bought: amount, completedLegs })
  /** The bids that it wants, and what they wait for. */
  const bidsOf = ({ desired }: Decision) =>
    desired.flatMap(({ slot, yieldsTo = [] }) => (slot.startsWith("bid") ? [[slot, ...yieldsTo]] : []))

  it("lets the near bids wait for the far ones that no longer fit", () => {
    const one = slots({ "bid-00": bought(10_000_000n) })
    assert.deepStrictEqual(bidsOf(decideAt(limited("skew: 0%"), price("1000"), null, one)), [
      ["bid-00", "bid-02"],
      ["bid-01", "bid-02"]
    ])
    assert.deepStrictEqual(bidsOf(decideAt(limited("skew: 0%"), price("1000"))), [["bid-00"], ["bid-01"], ["bid-02"]])
  })

  it("counts what a far order has filled before its cancel", () => {
    const part = slots({ "bid-00": bought(20_000_000n, 2), "bid-02": { bought: 1n, filledInLeg: 1n } })
    assert.deepStrictEqual(bidsOf(decideAt(limited("skew: 0%"), price("1000"), null, part)), [])
  })

  it.each(["skew: 0%", "hanging: { distance: 5% }"])("counts what removed levels have bought: %s", (more) => {
    const gone = slots({ "bid-07": bought(20_000_000n, 2) })
    assert.deepStrictEqual(bidsOf(decideAt(limited(more), price("1000"), null, gone)), [["bid-00", "bid-01", "bid-02"]])
  })

  it("counts a larger open order until the smaller one replaces it", () => {
    const live = { side: "BUY", price: Decimal.make(990n), quantity: 19_000_000n } as const
    const larger = slots({ "bid-00": bought(10_000_000n), "bid-01": { live } })
    assert.deepStrictEqual(bidsOf(decideAt(limited("sizeSkew: 90%"), price("1000"), null, larger)), [
      ["bid-00", "bid-01", "bid-02"]
    ])
  })

  it("is kept if sizes grow with the inventory", () => {
    const sold = slots({ "ask-00": { sold: 30_000_000n, completedLegs: 3 } })
    const decision = decideAt(limited("sizeSkew: 90%"), price("1000"), null, sold)
    const sizes = decision.desired.flatMap(({ legs: [{ side, quantity }] }) => (side === "BUY" ? [quantity] : []))
    const sum = sizes.reduce((total, size) => total + size, 0n)
    assert.isTrue(sum > 0n && sum <= 60_000_000n, String(sizes))
  })
})
