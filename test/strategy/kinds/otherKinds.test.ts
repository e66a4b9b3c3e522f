import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { inputAmount } from "../../../src/domain/Market.ts"
import { armedLeg, type Decision, holds, type Memory } from "../../../src/strategy/Decision.ts"
import type { CandleColumns } from "../../../src/strategy/Indicators.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import type { View } from "../../../src/strategy/View.ts"
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
  strategyOf,
  viewAt
} from "../support.ts"

const file = (kind: string, section: string, budget = "{ base: 100, quote: 1000000 }") => `name: test
market: BTC/USDC
kind: ${kind}
limits:
  budget: ${budget}
${kind}: ${section}
`
const orders = ({ desired }: Decision) =>
  desired.map(({ slot, legs: [leg] }) => `${slot} ${leg.side} ${leg.quantity} at ${Decimal.format(leg.price)}`)
const hour = 3_600_000

describe("an iceberg", () => {
  it("shows one part after the other, and the parts sum to the total", () => {
    const strategy = strategyOf(
      file("iceberg", "{ side: sell, price: 70000, total: { base: 1 }, visible: { base: 0.3 } }")
    )
    const [slot] = decideAt(strategy, price("60000")).desired
    assert.deepStrictEqual(
      slot?.legs.map(({ quantity }) => quantity),
      [30_000_000n, 30_000_000n, 30_000_000n, 10_000_000n]
    )
    assert.isFalse(slot?.cycle)
  })
})

describe("a twap", () => {
  const strategy = strategyOf(
    file("twap", "{ side: buy, total: { base: 1 }, over: 10h, slices: 5, limit: 61000, reach: 10bps }")
  )

  it("starts slice after slice, each at its own price and within the limit", () => {
    const first = decideAt(strategy, price("60000"))
    assert.deepStrictEqual(orders(first), ["slice-00 BUY 20000000 at 60060"])
    assert.deepStrictEqual(first.until, { onFill: false, time: 2 * hour })
    const second = decideAt(strategy, price("62000"), first.memory, new Map(), 2 * hour)
    assert.deepStrictEqual(orders(second), ["slice-00 BUY 20000000 at 60060", "slice-01 BUY 20000000 at 61000"])
  })

  it("spreads slices evenly over the rest of the time if their times pass during a hold", () => {
    const held = (memory: Memory, hours: number, isHeld: boolean) =>
      strategy.decide({ ...viewAt(strategy, price("60000"), new Map(), hours * hour), isHeld }, memory)
    let { memory } = held(null, 0, false)
    for (const [hours, next] of [
      [2, 4],
      [4, 5.5],
      [5.5, 6.625]
    ] as const) {
      const waiting = held(memory, hours, true)
      assert.lengthOf(waiting.desired, 1)
      assert.strictEqual(waiting.until.time, next * hour)
      memory = waiting.memory
    }
    const begins: Array<number> = []
    for (let at = 6.625; at < 10; ) {
      const { desired, memory: now, until } = held(JSON.parse(JSON.stringify(memory)), at, false)
      begins.push(at)
      assert.lengthOf(desired, begins.length + 1)
      memory = now
      at = (until.time ?? assert.fail("no time")) / hour
    }
    assert.deepStrictEqual(begins, [6.625, 7.46875, 8.3125, 9.15625])
  })

  it("continues from the memory in a journal", () => {
    const before = { start: 0, "slice-00": "60060", "slice-01": "60500" }
    const third = decideAt(strategy, price("60000"), before, new Map(), 4 * hour)
    const prices = [
      "slice-00 BUY 20000000 at 60060",
      "slice-01 BUY 20000000 at 60500",
      "slice-02 BUY 20000000 at 60060"
    ]
    assert.deepStrictEqual(orders(third), prices)
    assert.deepStrictEqual(third.memory, { ...before, "slice-02": "60060" })
    const copied: Memory = JSON.parse(JSON.stringify(third.memory))
    assert.deepStrictEqual(orders(decideAt(strategy, price("61500"), copied, new Map(), 5 * hour)), prices)
  })

  it("gives slices new names and prices if an edit makes more of them", () => {
    const more = strategyOf(file("twap", "{ side: buy, total: { base: 1 }, over: 10h, slices: 200, limit: 61000 }"))
    const first = decideAt(strategy, price("60000"))
    const [edited] = orders(decideAt(more, price("59000"), first.memory, new Map(), 1000))
    assert.strictEqual(edited, "slice-000 BUY 500000 at 59000")
  })

  it("cancels the rest when the time is over", () => {
    const first = decideAt(strategy, price("60000"))
    const over = decideAt(strategy, price("60000"), first.memory, new Map(), 10 * hour)
    assert.deepStrictEqual([over.desired, over.absent.length, over.until], [[], 5, { onFill: false }])
  })

  it("varies sizes and times by the seed, and still sums exactly", () => {
    const varied = (seed: number) =>
      strategyOf(
        file(
          "twap",
          `{ side: sell, total: { base: 7.00000001 }, over: 10h, slices: 13, limit: 1, vary: 80%, seed: ${seed} }`
        )
      )
    const all = (seed: number) => decideAt(varied(seed), price("60000"), { start: 0 }, new Map(), 10 * hour - 1).desired
    assert.deepStrictEqual(all(7), all(7))
    assert.notDeepEqual(all(7), all(8))
    assert.strictEqual(
      all(7).reduce((sum, { legs: [leg] }) => sum + leg.quantity, 0n),
      700_000_001n
    )
  })
})

describe("a dca", () => {
  const strategy = strategyOf(
    file("dca", "{ every: 6h, size: { quote: 60 }, times: 4, drop: 5%, pauseAbove: 80000, reach: 0.1% }")
  )

  it("skips times and price drops during a hold, and buys at the next ones", () => {
    const at = (memory: Memory, hours: number, isHeld: boolean, mid = "60000") =>
      strategy.decide({ ...viewAt(strategy, price(mid), new Map(), hours * hour), isHeld }, memory)
    const first = at(null, 0, false)
    const held = at(first.memory, 6, true)
    assert.deepStrictEqual(orders(held), orders(first))
    assert.deepInclude(held.absent[0]?.why, { code: "skipped" })
    assert.strictEqual(held.until.time, 12 * hour)
    const fallen = at(held.memory, 7, true, "57000")
    assert.deepStrictEqual(orders(fallen), orders(first))
    assert.deepStrictEqual(fallen.until, { onFill: false, time: 12 * hour, priceBelow: price("54150") })
    assert.lengthOf(at(fallen.memory, 8, false, "57000").desired, 1)
    assert.lengthOf(at(fallen.memory, 12, false, "57000").desired, 2)
  })

  it("buys at once and then at each interval", () => {
    const first = decideAt(strategy, price("60000"))
    assert.deepStrictEqual(orders(first), ["purchase-000 BUY 99900 at 60060"])
    assert.deepStrictEqual(first.until, { onFill: false, time: 6 * hour, priceBelow: price("57000") })
    const second = decideAt(strategy, price("61000"), first.memory, new Map(), 6 * hour)
    assert.deepStrictEqual(
      second.desired.map(({ slot }) => slot),
      ["purchase-000", "purchase-001"]
    )
    assert.strictEqual(second.until.time, 12 * hour)
  })

  it("buys after a price drop, skips missed times, and forgets filled orders", () => {
    const first = decideAt(strategy, price("60000"))
    const dropped = decideAt(strategy, price("57000"), first.memory, new Map([["purchase-000", completed(1)]]), hour)
    assert.deepStrictEqual(orders(dropped), ["purchase-001 BUY 105157 at 57057"])
    const late = decideAt(strategy, price("60000"), dropped.memory, new Map(), 20 * hour)
    assert.strictEqual(late.desired.length, 2)
    assert.strictEqual(late.until.time, 24 * hour)
  })

  it("pauses above a price and ends after a number of purchases", () => {
    const paused = decideAt(strategy, price("90000"))
    assert.deepStrictEqual(
      paused.absent.map(({ why }) => why.code),
      ["paused"]
    )
    let decision = decideAt(strategy, price("60000"))
    for (let step = 1; step <= 6; step++) {
      decision = decideAt(strategy, price("60000"), decision.memory, new Map(), step * 6 * hour)
    }
    assert.strictEqual(decision.desired.length, 4)
    assert.deepStrictEqual([decision.absent, decision.until], [[], { onFill: false }])
  })
})

describe("a bracket", () => {
  const strategy = strategyOf(
    file(
      "bracket",
      "{ side: buy, size: { base: 1 }, entry: 60000, takeProfit: 66000, stop: 58000, trail: 4%, trailStep: 1%, breakevenAt: 61000, reach: 1% }"
    )
  )
  const held = new Map([["position", completed(1, 100_000_000n)]])
  const exitOf = (decision: Decision, slots = held) => {
    const [slot] = decision.desired
    const progress = slots.get("position")
    const order = slot === undefined || progress === undefined ? undefined : armedLeg(slot, progress)
    return order === undefined ? undefined : `${order.side} ${Decimal.format(order.price)}`
  }

  it("exits at the take-profit until the stop is reached, then beyond the market, for good", () => {
    const filled = decideAt(strategy, price("60000"), null, held)
    assert.strictEqual(exitOf(filled), "SELL 66000")
    assert.deepStrictEqual(filled.until, { onFill: true, priceAbove: price("60600"), priceBelow: price("58000") })
    const stopped = decideAt(strategy, price("57900"), filled.memory, held)
    assert.strictEqual(exitOf(stopped), "SELL 57321")
    assert.strictEqual(exitOf(decideAt(strategy, price("65000"), stopped.memory, held)), "SELL 64350")
  })

  it("says the amount of its entry after its exit has filled", () => {
    // The exit received 66,000 USDC, which is no amount of BTC.
    const over = new Map([["position", completed(2, 66_000_000_000n)]])
    const [slot] = decideAt(strategy, price("60000"), null, over).desired
    assert.match(slot?.why.text ?? "", /^buys 1 BTC at 60000;/)
  })

  it("moves the stop to the entry price, and then behind the best price", () => {
    const filled = decideAt(strategy, price("60000"), null, held)
    const breakeven = decideAt(strategy, price("61000"), filled.memory, held)
    assert.deepStrictEqual(breakeven.until.priceBelow, price("60000"))
    const higher = decideAt(strategy, price("64000"), breakeven.memory, held)
    assert.deepStrictEqual(higher.until.priceBelow, price("61440"))
    const stopped = decideAt(strategy, price("61000"), higher.memory, held)
    assert.strictEqual(exitOf(stopped), "SELL 60390")
  })

  it("moves its stop once a part of its exit has filled at a price at which it moves", () => {
    const filled = decideAt(strategy, price("60000"), null, held)
    const part = { ...completed(1, 100_000_000n), filledInLeg: 1n, filledAt: price("66000") }
    const after = decideAt(strategy, price("65000"), filled.memory, new Map([["position", part]]))
    assert.deepStrictEqual(after.until.priceBelow, price("63360"))
    const fallen = decideAt(strategy, price("60000"), filled.memory, new Map([["position", part]]))
    assert.strictEqual(exitOf(fallen), "SELL 59400")
  })

  it("keeps the stop in place until the price has reached `trailFrom`", () => {
    const section =
      "{ side: buy, size: { base: 1 }, entry: 60000, takeProfit: 66000, stop: 58000, trail: 2%, trailFrom: 63000 }"
    const waiting = strategyOf(file("bracket", section))
    const filled = decideAt(waiting, price("60000"), null, held)
    assert.deepStrictEqual(filled.until, { onFill: true, priceAbove: price("63000"), priceBelow: price("58000") })
    const higher = decideAt(waiting, price("62999"), filled.memory, held)
    assert.deepStrictEqual(higher.until, filled.until)
    const begun = decideAt(waiting, price("63000"), higher.memory, held)
    assert.deepStrictEqual(begun.until.priceBelow, price("61740"))
    assert.strictEqual(exitOf(decideAt(waiting, price("61700"), begun.memory, held)), "SELL 61391.5")
    const wrong = (keys: string) =>
      problemsOf(file("bracket", section.replace("trail: 2%, trailFrom: 63000", keys))).map(({ message }) => message)
    assert.deepStrictEqual(wrong("trailFrom: 63000"), ["trailFrom without trail does nothing"])
    assert.deepStrictEqual(wrong("trail: 2%, trailFrom: 59000"), ["trailFrom must be above the entry price 60000"])
  })

  it("exits by a swap at the stop on request, and at the take-profit by an order", () => {
    const swapping = strategyOf(
      file("bracket", "{ side: buy, size: { base: 1 }, entry: 60000, takeProfit: 66000, stop: 58000, stopBy: swap }")
    )
    const filled = decideAt(swapping, price("60000"), null, held)
    const stopped = decideAt(swapping, price("57900"), filled.memory, held)
    const exits = [filled, stopped].map(({ desired: [slot] }) => slot?.legs.map(({ by }) => by))
    assert.deepStrictEqual(exits, [
      [undefined, undefined],
      [undefined, "swap"]
    ])
    assert.include(stopped.desired[0]?.why.text, "exits by a swap at 57610.5 or better")
  })

  it("mirrors all of it for a sale", () => {
    const short = strategyOf(
      file("bracket", "{ side: sell, size: { base: 1 }, entry: 60000, takeProfit: 55000, stop: 62000, trail: 2% }")
    )
    const filled = decideAt(short, price("60000"), null, held)
    assert.strictEqual(exitOf(filled), "BUY 55000")
    assert.deepStrictEqual(filled.until, { onFill: true, priceBelow: price("59940"), priceAbove: price("61200") })
    assert.strictEqual(exitOf(decideAt(short, price("61200"), filled.memory, held)), "BUY 61506")
  })
})

describe("market-making", () => {
  const strategy = strategyOf(
    file("market-making", "{ levels: 2, spread: 1%, step: 1%, size: 0.1, requote: 0.5%, skew: 1%, maxInventory: 0.2 }")
  )

  it("quotes both sides of a centre that stays until the price has moved away", () => {
    const first = decideAt(strategy, price("60000"))
    assert.deepStrictEqual(orders(first), [
      "bid-00 BUY 10000000 at 59700",
      "ask-00 SELL 10000000 at 60300",
      "bid-01 BUY 10000000 at 59100",
      "ask-01 SELL 10000000 at 60900"
    ])
    assert.deepStrictEqual(first.until, {
      priceBelow: price("59700"),
      priceAbove: price("60300"),
      onFill: true,
      depth: true
    })
    assert.deepStrictEqual(decideAt(strategy, price("60299"), first.memory).desired, first.desired)
    assert.notDeepEqual(decideAt(strategy, price("60300"), first.memory).desired, first.desired)
  })

  it("quotes outside the market's own spread at its size, and keeps a wide one until it narrows", () => {
    const seen = (half: string, memory: Memory, quantity = 10_000_000n) => {
      const [middle, distance] = [price("60000"), price(half)]
      const level = { bid: Decimal.subtract(middle, distance), ask: Decimal.add(middle, distance), quantity, at: 0 }
      return strategy.decide({ ...viewAt(strategy, middle), depth: [level] }, memory)
    }
    assert.deepStrictEqual(strategy.depth, [10_000_000n])
    assert.strictEqual(orders(seen("60", null))[0], "bid-00 BUY 10000000 at 59700", "the market is narrower")
    const wide = seen("900", null)
    assert.strictEqual(orders(wide)[0], "bid-00 BUY 10000000 at 59100")
    assert.strictEqual(orders(seen("800", wide.memory))[0], "bid-00 BUY 10000000 at 59100", "worth less than a requote")
    assert.strictEqual(orders(seen("60", wide.memory))[0], "bid-00 BUY 10000000 at 59700")
    assert.strictEqual(
      orders(seen("900", null, 9_999_999n))[0],
      "bid-00 BUY 10000000 at 59700",
      "not quoted at this size"
    )
  })

  it("leans against its inventory and stops a full side", () => {
    const first = decideAt(strategy, price("60000"))
    const bought = new Map([["bid-00", { ...completed(1), bought: 10_000_000n }]])
    const leaning = decideAt(strategy, price("60000"), first.memory, bought)
    assert.deepStrictEqual(orders(leaning), [
      "bid-00 BUY 10000000 at 59401.5",
      "ask-00 SELL 10000000 at 59998.5",
      "ask-01 SELL 10000000 at 60595.5"
    ])
    assert.deepStrictEqual(
      leaning.absent.map(({ slot, why }) => `${slot} ${why.code}`),
      ["bid-01 inventory-full"]
    )
  })
})

describe("market-making by volatility", () => {
  const quotes = (of: string, requote = "0.5%") =>
    strategyOf(
      file(
        "market-making",
        `{ levels: 2, spread: { of: ${of}, length: 5, timeframe: 1h, factor: 2, min: 0.4%, max: 5% }, size: 0.1, requote: ${requote} }`
      )
    )
  /** Candles of a range of `width` around 100. */
  const candlesOf = (...widths: ReadonlyArray<number>): CandleColumns => {
    const close = Float64Array.from(widths, () => 100)
    const [high, low] = [1, -1].map((sign) => Float64Array.from(widths, (width) => 100 + (sign * width) / 2))
    return { open: close, high: high ?? close, low: low ?? close, close, volume: close }
  }
  const view = (strategy: Strategy, columns: CandleColumns, closed: number, at = "100"): View => ({
    ...viewAt(strategy, price(at)),
    candles: new Map([["1h", { columns, closed }]])
  })
  const calm = Array.from({ length: 40 }, () => 1)

  it("waits for its candles, then quotes as wide as they are", () => {
    const strategy = quotes("atr")
    assert.deepStrictEqual(strategy.candles, new Map([["1h", 31]]))
    const cold = strategy.decide(view(strategy, candlesOf(...calm), 30), null)
    assert.deepStrictEqual([cold.desired, cold.absent.length, cold.absent[0]?.why.code], [[], 4, "warming-up"])
    assert.deepStrictEqual(cold.until, { onFill: false, barClose: "1h" })
    const warm = strategy.decide(view(strategy, candlesOf(...calm), 31), cold.memory)
    assert.deepStrictEqual(orders(warm), [
      "bid-00 BUY 10000000 at 99",
      "ask-00 SELL 10000000 at 101",
      "bid-01 BUY 10000000 at 97",
      "ask-01 SELL 10000000 at 103"
    ])
    assert.deepStrictEqual(warm.until, {
      priceBelow: price("99.5"),
      priceAbove: price("100.5"),
      onFill: true,
      depth: true,
      barClose: "1h"
    })
  })

  it("keeps its spread until a new one moves the quotes by requote, and stays within its limits", () => {
    const strategy = quotes("atr")
    const first = strategy.decide(view(strategy, candlesOf(...calm), 40), null)
    const restless = candlesOf(...calm, 1.5, 9, 99, 999)
    assert.deepStrictEqual(strategy.decide(view(strategy, restless, 41), first.memory).desired, first.desired)
    const wider = strategy.decide(view(strategy, restless, 42), first.memory)
    assert.strictEqual(orders(wider)[0], "bid-00 BUY 10000000 at 97.5")
    const widest = strategy.decide(view(strategy, restless, 44), wider.memory)
    assert.strictEqual(orders(widest)[0], "bid-00 BUY 10000000 at 97.5")
    const still = quotes("stdev")
    const narrow = still.decide(view(still, candlesOf(...calm), 40), null)
    assert.strictEqual(orders(narrow)[0], "bid-00 BUY 10000000 at 99.8")
  })

  it("keeps the last spread if its candles are missing", () => {
    const strategy = quotes("atr")
    const first = strategy.decide(view(strategy, candlesOf(...calm), 40), null)
    assert.deepStrictEqual(strategy.decide(view(strategy, candlesOf(), 0), first.memory).desired, first.desired)
  })

  it("decides the same anywhere inside its bounds, of which the candle is one", () => {
    for (let seed = 1; seed <= 15; seed++) {
      const next = random(seed)
      const strategy = quotes(pick(next, ["atr", "stdev"]), pick(next, ["0.1%", "1%"]))
      const columns = candlesOf(...Array.from({ length: 60 }, () => between(next, 0, 6)))
      let memory: Memory = null
      for (let closed = 25; closed <= 60; closed++) {
        const seen = (at: number) => view(strategy, columns, closed, at.toFixed(8))
        const decision = strategy.decide(seen(between(next, 90, 110)), memory)
        const { priceBelow, priceAbove } = decision.until
        const low = priceBelow === undefined ? 90 : Decimal.toNumber(priceBelow)
        const high = priceAbove === undefined ? 110 : Decimal.toNumber(priceAbove)
        for (let tried = 0; tried < 4; tried++) {
          const there = seen(between(next, low, high))
          if (!holds(decision.until, there, false)) continue
          assert.deepStrictEqual(strategy.decide(there, decision.memory).desired, decision.desired, `seed ${seed}`)
        }
        memory = decision.memory
      }
    }
  })

  it("names what is wrong with it", () => {
    const said = (spread: string) =>
      problemsOf(file("market-making", `{ levels: 1, spread: ${spread}, size: 0.1 }`)).map(({ message }) => message)
    assert.deepStrictEqual(said("{ of: atr, length: 5, timeframe: 1h, factor: 2, min: 2%, max: 1% }"), [
      "min is above max"
    ])
    assert.deepStrictEqual(said("{ of: art, length: 5, timeframe: 1y, factor: 0, min: 1%, max: 200% }"), [
      'expected atr or stdev, found "art"',
      'expected a timeframe such as 15m, 4h or 1d, found "1y"',
      'expected a number above zero, found "0"'
    ])
    assert.deepStrictEqual(said("{ of: atr, length: 5, timeframe: 1h, factor: 2, min: 1%, max: 200% }"), [
      "the widest bid would be at a price of 0 or less: spread, step and skew reach 100%"
    ])
  })
})

describe("a rebalance", () => {
  const strategy = strategyOf(file("rebalance", "{ target: 50%, band: 5% }", "{ base: 1, quote: 60000 }"))

  it("places one order on each side where the share leaves the band, of the size that restores the target", () => {
    const [buy, sell] = decideAt(strategy, price("60000")).desired
    assert.strictEqual(Decimal.format(sell?.legs[0].price ?? Decimal.zero), "73333.34")
    assert.strictEqual(Decimal.format(buy?.legs[0].price ?? Decimal.zero), "49090.9")
    const value = 73_333.34 + 60_000
    assert.closeTo(Number(sell?.legs[0].quantity) / 1e8, 1 - value / 2 / 73_333.34, 1e-6)
  })

  it("continues from its holdings after a fill", () => {
    const first = decideAt(strategy, price("60000"))
    const { quantity = 0n } = first.desired[1]?.legs[0] ?? {}
    const filled = { ...completed(1), sold: quantity, proceeds: (quantity * 7_333_334n) / 10_000n }
    const sold = decideAt(strategy, price("73333.34"), first.memory, new Map([["sell", filled]]))
    const [buy, sell] = sold.desired.map(({ legs: [leg] }) => Decimal.toNumber(leg.price))
    assert.isTrue((sell ?? 0) > 73_333 && (buy ?? 0) > 49_091)
    assert.deepStrictEqual(
      decideAt(strategy, price("65000"), sold.memory, new Map([["sell", filled]])).desired,
      sold.desired
    )
  })
})

/** A random good section of each kind. */
const sections: Readonly<Record<string, (next: () => number) => string>> = {
  iceberg: (next) =>
    `{ side: ${pick(next, ["buy", "sell"])}, price: 60000, total: { base: 2 }, visible: { base: ${between(next, 0.1, 1).toFixed(8)} } }`,
  twap: (next) =>
    `{ side: ${pick(next, ["buy", "sell"])}, total: { base: 2 }, over: ${integerBetween(next, 1, 200)}h, slices: ${integerBetween(next, 1, 20)}, limit: ${integerBetween(next, 40_000, 80_000)}, vary: 50%, seed: ${integerBetween(next, 0, 99)} }`,
  dca: (next) =>
    `{ side: ${pick(next, ["buy", "sell"])}, every: ${integerBetween(next, 1, 30)}h, size: { base: 0.1 }, times: ${integerBetween(next, 1, 9)}, drop: 3%, pauseAbove: 75000, pauseBelow: 45000 }`,
  bracket: (next) =>
    pick(next, ["trail: 3%, ", "breakevenAt: 61000, ", "", "trail: 2%, breakevenAt: 62000, "]) === ""
      ? "{ side: sell, size: { base: 1 }, entry: 60000, takeProfit: 50000, stop: 65000, trail: 2% }"
      : `{ side: buy, size: { base: 1 }, entry: 60000, takeProfit: 70000, ${pick(next, ["trail: 3%, ", "trail: 2%, trailFrom: 62000, ", "breakevenAt: 61000, ", ""])}stop: 55000 }`,
  "market-making": (next) =>
    `{ levels: ${integerBetween(next, 1, 5)}, spread: 1%, step: 0.7%, size: 0.1, skew: ${pick(next, ["1%", "20bps"])}, requote: ${pick(next, ["0.2%", "3%"])} }`,
  rebalance: (next) => `{ target: ${integerBetween(next, 20, 80)}%, band: ${integerBetween(next, 1, 15)}% }`
}

describe.each(Object.keys(sections))("any %s", (kind) => {
  it("decides the same anywhere inside its bounds", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const strategy = strategyOf(file(kind, sections[kind]?.(random(seed)) ?? ""))
      checkBounds(strategy, { low: 40_000, high: 80_000, seed, steps: 8 })
    }
  })

  it("desires positive sizes at positive prices, inside its budget", () => {
    for (let seed = 1; seed <= 10; seed++) {
      const next = random(seed)
      const strategy = strategyOf(file(kind, sections[kind]?.(next) ?? ""))
      const { desired } = decideAt(strategy, Decimal.fromNumber(between(next, 40_000, 80_000), 8))
      const needed = { BUY: 0n, SELL: 0n }
      for (const { legs } of desired) {
        const [{ side, price, quantity }] = legs
        assert.isTrue(quantity > 0n && Decimal.isPositive(price), `seed ${seed}`)
        needed[side] += inputAmount(strategy.market, side, quantity, price)
      }
      assert.isTrue(needed.BUY <= strategy.limits.budget.quote && needed.SELL <= strategy.limits.budget.base)
    }
  })
})
