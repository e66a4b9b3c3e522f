/** The small values that money is reckoned with: amounts, medians, cost, fees to others, states, days and text. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import * as Amount from "../../src/domain/Amount.ts"
import { median, medianAmount } from "../../src/domain/Amount.ts"
import * as Book from "../../src/domain/Book.ts"
import * as CostBasis from "../../src/domain/CostBasis.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import { cacheFor, dayMillis, elapsedMillis, monotonicMillis, utcDay } from "../../src/domain/Durations.ts"
import * as Market from "../../src/domain/Market.ts"
import * as Order from "../../src/domain/Order.ts"
import * as Placement from "../../src/domain/Placement.ts"
import { seeded } from "../../src/domain/Seeded.ts"
import * as Text from "../../src/domain/Text.ts"
import { frameStart } from "../../src/domain/Timeframe.ts"
import { price } from "../strategy/support.ts"

describe("amounts", () => {
  const asset = { symbol: "USDC", id: "usdc", decimals: 6 }

  it("come from decimals exactly or not at all, and are found by symbol", () => {
    assert.strictEqual(Amount.fromDecimal(price("1.5"), 6), 1_500_000n)
    assert.strictEqual(Amount.fromDecimal(price("0.000001"), 6), 1n)
    assert.strictEqual(Amount.fromDecimal(price("0.0000001"), 6), undefined)
    assert.strictEqual(Amount.floorOf(price("1.23456789"), 6), 1_234_567n)
    assert.strictEqual(Amount.floorOf(price("0.0000009"), 6), 0n)
    assert.strictEqual(Amount.floorOf(price("-0.0000009"), 6), -1n)
    assert.strictEqual(Amount.floorOf(price("12"), 6), 12_000_000n)
    assert.deepStrictEqual([Amount.magnitude(-2n), Amount.magnitude(2n), Amount.magnitude(0n)], [2n, 2n, 0n])
    assert.strictEqual(Amount.format(1_500_000n, 6), "1.5")
    assert.strictEqual(Amount.formatWithSymbol(-1n, asset), "-0.000001 USDC")
    assert.deepStrictEqual([...Amount.bySymbol([asset])], [["USDC", asset]])
    assert.deepStrictEqual(
      [Amount.min(1n, 2n), Amount.min(2n, 1n), Amount.max(1n, 2n), Amount.max(2n, 1n)],
      [1n, 1n, 2n, 2n]
    )
  })

  it("have a median: the middle one, or the mean of the middle two, of amounts rounded down", () => {
    assert.deepStrictEqual([median([]), median([3]), median([10, 2, 9]), median([10, 1, 2, 9])], [undefined, 3, 9, 5.5])
    assert.deepStrictEqual(
      [medianAmount([]), medianAmount([3n]), medianAmount([10n, 2n, 9n]), medianAmount([10n, 1n, 2n, 9n])],
      [0n, 3n, 9n, 5n]
    )
    assert.strictEqual(medianAmount([7n, 7n, 1n, 100n]), 7n)
  })
})

describe("decimals", () => {
  const [small, large] = [price("-1.5"), price("2.25")]

  it("compare, and the smaller and the larger of two are one of them", () => {
    assert.deepStrictEqual([Decimal.min(small, large), Decimal.min(large, small)], [small, small])
    assert.deepStrictEqual([Decimal.max(small, large), Decimal.max(large, small)], [large, large])
    assert.deepStrictEqual(
      [Decimal.isLess(small, large), Decimal.isLess(large, large), Decimal.isGreater(large, small)],
      [true, false, true]
    )
    assert.deepStrictEqual([small, Decimal.zero, Decimal.one].map(Decimal.isPositive), [false, false, true])
    assert.isFalse(Decimal.equals(price("1.5"), price("15")))
    assert.isFalse(Decimal.equals(price("1.5"), price("1.6")))
  })

  it("are read up to a hundred characters, and written as read", () => {
    for (const text of ["0", "-1", "1", "0.5", "-0.05", "9".repeat(100), `0.${"0".repeat(97)}1`])
      assert.strictEqual(Decimal.format(price(text)), text)
    assert.deepStrictEqual(
      [price("+3."), price(".5"), price("-.5"), price("00.50")],
      [price("3"), price("0.5"), price("-0.5"), price("0.5")]
    )
  })

  it("divide to either side of zero as the rounding says", () => {
    const divided = (numerator: bigint, rounding: Decimal.Rounding) => Decimal.divideInteger(numerator, 2n, rounding)
    assert.deepStrictEqual(
      [divided(3n, "down"), divided(3n, "up"), divided(-3n, "down"), divided(-3n, "up")],
      [1n, 2n, -2n, -1n]
    )
    assert.deepStrictEqual([divided(4n, "up"), divided(-4n, "down"), divided(0n, "up")], [2n, -2n, 0n])
    assert.deepStrictEqual(Decimal.divide(price("0.001"), price("1000"), 0, "up"), Decimal.one)
    assert.deepStrictEqual(Decimal.divide(price("0.015"), price("10"), 3, "down"), price("0.001"))
    assert.deepStrictEqual(Decimal.divide(price("1"), price("0.003"), 1, "up"), price("333.4"))
  })

  it("multiply by a power of ten if the scale is below zero", () => {
    assert.deepStrictEqual(Decimal.make(12n, -3), { digits: 12_000n, scale: 0 })
    assert.deepStrictEqual(Decimal.make(1_200n, 1), { digits: 120n, scale: 0 })
    assert.deepStrictEqual(Decimal.make(0n, 5), Decimal.zero)
    assert.deepStrictEqual(Decimal.make(10n, 0), { digits: 10n, scale: 0 })
    assert.deepStrictEqual(Decimal.make(0n, -5), Decimal.zero)
    assert.strictEqual(Decimal.powerOfTen(3), 1_000n)
    assert.strictEqual(Decimal.powerOfTen(120), 10n ** 120n)
  })

  it("are written for people: few digits, and ratios as percents", () => {
    assert.strictEqual(Decimal.short(price("1234.56789012")), "1234.5679")
    assert.strictEqual(Decimal.percent(price("0.055")), "5.5%")
    assert.throws(() => Decimal.fromNumber(Number.POSITIVE_INFINITY), /Not a finite number/)
  })
})

describe("cost", () => {
  const holding = (...trades: ReadonlyArray<readonly [side: "BUY" | "SELL", base: bigint, quote: bigint]>) =>
    trades.reduce((basis, [side, base, quote]) => CostBasis.trade(basis, side, base, quote), CostBasis.empty)

  it("grows with purchases, and a sale takes its share, rounded down", () => {
    assert.deepStrictEqual(holding(["BUY", 3n, 10n], ["BUY", 1n, 1n]), { position: 4n, cost: 11n, realised: 0n })
    assert.deepStrictEqual(holding(["BUY", 3n, 10n], ["SELL", 1n, 5n]), { position: 2n, cost: 7n, realised: 2n })
    assert.deepStrictEqual(holding(["BUY", 1n, 10n], ["SELL", 1n, 5n]), { position: 0n, cost: 0n, realised: -5n })
  })

  it("of a short sale is its proceeds; a purchase closes it, and the rest opens a position", () => {
    assert.deepStrictEqual(holding(["SELL", 2n, 10n], ["SELL", 1n, 2n]), { position: -3n, cost: 12n, realised: 0n })
    assert.deepStrictEqual(holding(["SELL", 2n, 10n], ["BUY", 1n, 4n]), { position: -1n, cost: 5n, realised: 1n })
    assert.deepStrictEqual(holding(["SELL", 1n, 10n], ["BUY", 3n, 9n]), { position: 2n, cost: 6n, realised: 7n })
    assert.deepStrictEqual(holding(["BUY", 1n, 10n], ["SELL", 3n, 36n]), { position: -2n, cost: 24n, realised: 2n })
    assert.deepStrictEqual(holding(["BUY", 4n, 12n], ["SELL", 2n, 10n]), { position: 2n, cost: 6n, realised: 4n })
    assert.deepStrictEqual(holding(["BUY", 2n, 10n], ["SELL", 4n, 36n]), { position: -2n, cost: 18n, realised: 8n })
  })

  it("of a fill without base counts as a complete loss or gain", () => {
    assert.deepStrictEqual(holding(["BUY", 2n, 10n], ["BUY", 0n, 3n]), { position: 2n, cost: 10n, realised: -3n })
    assert.deepStrictEqual(holding(["BUY", 2n, 10n], ["SELL", 0n, 3n]), { position: 2n, cost: 10n, realised: 3n })
  })

  it("falls by fees, and has an average per unit on either side of zero", () => {
    const market = {
      name: "BTC/USDC",
      base: { symbol: "BTC", id: "b", decimals: 2 },
      quote: { symbol: "USDC", id: "q", decimals: 3 }
    }
    assert.strictEqual(CostBasis.charge({ ...CostBasis.empty, realised: 5n }, 2n).realised, 3n)
    assert.strictEqual(CostBasis.averagePrice(CostBasis.empty, market), undefined)
    assert.strictEqual(CostBasis.breakEven(CostBasis.empty, market), undefined)
    assert.deepStrictEqual(
      CostBasis.breakEven({ ...holding(["BUY", 200n, 3_000n]), realised: 1_000n }, market),
      price("1")
    )
    assert.strictEqual(CostBasis.breakEven({ ...holding(["BUY", 200n, 3_000n]), realised: 3_000n }, market), undefined)
    assert.deepStrictEqual(CostBasis.averagePrice(holding(["BUY", 200n, 3_000n]), market), price("1.5"))
    assert.deepStrictEqual(CostBasis.averagePrice(holding(["SELL", 200n, 3_000n]), market), price("1.5"))
    assert.deepStrictEqual(CostBasis.averagePrice(holding(["SELL", 1n, 1n]), market), price("0.1"))
    assert.deepStrictEqual(CostBasis.averagePrice(holding(["BUY", 1n, 1n]), market), price("0.1"))
  })
})

describe("a market", () => {
  const market = {
    name: "B/Q",
    base: { symbol: "B", id: "b", decimals: 3 },
    quote: { symbol: "Q", id: "q", decimals: 2 }
  }

  it("pays with one asset and receives the other", () => {
    assert.deepStrictEqual(
      ["BUY", "SELL"].map((side) => Market.opposite(side === "BUY" ? "BUY" : "SELL")),
      ["SELL", "BUY"]
    )
    assert.deepStrictEqual(
      [Market.inputAsset(market, "BUY"), Market.outputAsset(market, "BUY")],
      [market.quote, market.base]
    )
    assert.deepStrictEqual(
      [Market.inputAsset(market, "SELL"), Market.outputAsset(market, "SELL")],
      [market.base, market.quote]
    )
  })

  it("rounds only what does not come out even, for any decimals of price and assets", () => {
    const coarse = { ...market, base: { ...market.base, decimals: 0 } }
    assert.strictEqual(Market.quoteAmount(coarse, 3n, price("2"), "up"), 600n)
    assert.strictEqual(Market.quoteAmount(coarse, 3n, price("2.25"), "up"), 675n)
    assert.strictEqual(Market.quoteAmount(coarse, 3n, price("2.255"), "down"), 676n)
    assert.strictEqual(Market.baseQuantity(coarse, 675n, price("2.25"), "down"), 3n)
    assert.strictEqual(Market.baseQuantity(coarse, 674n, price("2.25"), "down"), 2n)
    assert.strictEqual(Market.baseQuantity(coarse, 601n, price("2"), "up"), 4n)
    assert.strictEqual(Market.baseQuantity(market, 675n, price("2.25"), "down"), 3_000n)
  })

  it("has prices at its tick, down for purchases and up for sales, or unchanged without a tick", () => {
    const ticked = { ...market, tick: price("0.5") }
    assert.deepStrictEqual(
      [Market.toTick(ticked, "BUY", price("1.7")), Market.toTick(ticked, "SELL", price("1.7"))],
      [price("1.5"), price("2")]
    )
    assert.deepStrictEqual(Market.toTick(market, "BUY", price("1.7")), price("1.7"))
    assert.deepStrictEqual(Market.mid({ bid: price("1"), ask: price("2") }), price("1.5"))
  })

  it("gains by moving an order the difference in price and size, less the time that it takes", () => {
    const at = (text: string, quantity: bigint) => ({ price: price(text), quantity })
    const gain = (present: string, size: bigint, wanted: string, other: bigint, out?: number) =>
      Market.gainOfMoving(market, at(present, size), at(wanted, other), out)
    assert.strictEqual(gain("100", 1_000n, "100", 1_000n), 0n)
    assert.strictEqual(gain("100", 1_000n, "110", 1_000n), 1_000n)
    assert.strictEqual(gain("110", 1_000n, "100", 1_000n), 1_000n)
    assert.strictEqual(gain("100", 1_000n, "100", 1_100n), 1_000n)
    assert.strictEqual(gain("100", 1_100n, "100", 1_000n), 1_000n)
    assert.strictEqual(gain("100", 1_000n, "110", 2_000n), 2_000n + 10_000n)
    assert.strictEqual(gain("100", 1_000n, "110", 1_000n, 1_000), 900n)
    assert.strictEqual(gain("100", 1_000n, "100.01", 1_000n), 1n)
  })
})

describe("order states", () => {
  it("are final when filled, cancelled or expired", () => {
    assert.deepStrictEqual(Order.fillStatuses.filter(Order.isTerminal), ["FILLED", "CANCELED", "EXPIRED"])
    assert.isFalse(Order.isTerminal("INVENTED"))
    for (const [from, all] of Object.entries(Order.fillStatusTransitions)) {
      assert.strictEqual(all.length === 0, Order.isTerminal(from), from)
      if (all.length > 0) assert.includeMembers([...all], ["CANCELED", "FILLED", "EXPIRED"])
      assert.isFalse(all.includes(from), `${from} to itself`)
    }
    assert.sameMembers(Object.keys(Order.fillStatusTransitions), [...Order.fillStatuses])
  })

  it("count the fees that go to others as a cost, and not those that come back", () => {
    assert.strictEqual(Order.feesToOthers({}), 0)
    const appFees = [
      { recipient: "other", fee: 3 },
      { recipient: "self", fee: 10 },
      { recipient: "another", fee: 4 }
    ]
    assert.strictEqual(Order.feesToOthers({ appFees }), 7)
  })

  it("of a placement hold money from the signature until it is settled", () => {
    const states = Object.keys(Placement.placementTransitions)
    const all = states.flatMap((state) =>
      Object.values(Placement.placementTransitions)
        .flat()
        .filter((to) => to === state)
        .slice(0, 1)
    )
    assert.deepStrictEqual(all.filter(Placement.isFunded), ["funding", "in doubt", "open", "closing"])
    assert.deepStrictEqual(all.filter(Placement.isFinished), ["settled", "abandoned", "dead", "given up"])
    assert.isFalse(Placement.isFunded("planned"))
    assert.isFalse(Placement.isFinished("planned"))
  })
})

describe("the book", () => {
  const level = (quantity: bigint, bid?: string, ask?: string) => ({
    quantity,
    at: 1,
    ...(bid === undefined ? {} : { bid: price(bid) }),
    ...(ask === undefined ? {} : { ask: price(ask) })
  })
  const depth = [level(10n, "99", "101"), level(20n, "98"), level(30n, "90", "110"), level(40n, undefined, "120")]

  it("has the impact of the next larger quantity that is quoted on both sides", () => {
    const impact = (quantity: bigint) => Book.impactOf(depth, quantity)
    assert.deepStrictEqual(impact(10n), price("0.01"))
    assert.deepStrictEqual(impact(11n), price("0.1"))
    assert.deepStrictEqual(impact(30n), price("0.1"))
    assert.strictEqual(impact(31n), undefined)
    assert.deepStrictEqual(Book.impactOf([level(1n, "1", "2")], 1n), price("0.33333334"))
    assert.deepStrictEqual(
      [Book.mostQuoted(depth, "bid"), Book.mostQuoted(depth, "ask"), Book.mostQuoted([], "ask")],
      [30n, 40n, undefined]
    )
    const [sea] = Book.bottomless({ bid: price("5"), ask: price("5"), at: 7 })
    assert.deepStrictEqual([sea?.bid, sea?.ask, sea?.at], [price("5"), price("5"), 7])
    assert.deepStrictEqual(
      Book.impactOf(Book.bottomless({ bid: price("5"), ask: price("5"), at: 7 }), 10n ** 40n),
      Decimal.zero
    )
  })

  it("says how far each side is from a mid, rounded up", () => {
    assert.deepStrictEqual(Book.distances(level(1n, "99", "102"), price("100")), {
      buy: price("0.02"),
      sell: price("0.01")
    })
    assert.deepStrictEqual(Book.distances(level(1n), price("100")), { buy: undefined, sell: undefined })
    assert.deepStrictEqual(Book.distances(level(1n, "3.5", "4"), price("3")), {
      buy: price("0.33333334"),
      sell: price("-0.16666666")
    })
  })

  it("shows the best orders first: bids from the highest down, then asks from the lowest up", () => {
    const order = (side: "BUY" | "SELL", at: string) => ({
      side,
      price: price(at),
      quantity: 1n,
      slot: `${side} ${at}`
    })
    const orders = [
      order("SELL", "12"),
      order("BUY", "8"),
      order("SELL", "11"),
      order("BUY", "9"),
      order("BUY", "7"),
      order("SELL", "13")
    ]
    const best = ["BUY 9", "BUY 8", "BUY 7", "SELL 11", "SELL 12", "SELL 13"]
    for (const mixed of [orders, orders.toReversed()])
      assert.deepStrictEqual(
        Book.bestFirst(mixed).map(({ slot }) => slot),
        best
      )
  })
})

describe("time and text", () => {
  it("days are in UTC, and a clock that goes back adds no time", () => {
    assert.deepStrictEqual([utcDay(0), utcDay(dayMillis - 1), utcDay(dayMillis), utcDay(-1)], [0, 0, 1, -1])
    assert.deepStrictEqual(
      [elapsedMillis(5, 7), elapsedMillis(5, 5), elapsedMillis(5, 4)],
      [2, 0, Number.POSITIVE_INFINITY]
    )
    assert.strictEqual(frameStart(dayMillis, 7 * dayMillis), -3 * dayMillis, "the week of 1970 began before it")
    assert.strictEqual(frameStart(5 * dayMillis, 7 * dayMillis), 4 * dayMillis)
  })

  it.effect("waiting is measured in milliseconds", () =>
    Effect.gen(function* () {
      const before = yield* monotonicMillis
      yield* TestClock.adjust(Duration.millis(1_500))
      assert.strictEqual((yield* monotonicMillis) - before, 1_500)
    })
  )

  it.effect("an answer is cached for its time, even if the wall clock is set back by an hour", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-02-01T00:00:00.001Z"))
      let asks = 0
      const answer = yield* cacheFor(
        Effect.sync(() => ++asks),
        1_000
      )
      assert.strictEqual(yield* answer, 1)
      yield* TestClock.setTime(Date.parse("2026-01-31T23:00:00Z"))
      yield* TestClock.adjust(999)
      assert.strictEqual(yield* answer, 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* answer, 2)
    })
  )

  it.effect("a caller that leaves early does not end the read that others wait for", () =>
    Effect.gen(function* () {
      let asks = 0
      const answer = yield* cacheFor(
        Effect.andThen(
          Effect.sleep(10),
          Effect.sync(() => ++asks)
        ),
        1_000
      )
      const impatient = yield* Effect.forkChild(Effect.timeoutOption(answer, 5))
      const patient = yield* Effect.forkChild(answer)
      yield* TestClock.adjust(10)
      assert.deepStrictEqual([yield* Fiber.join(patient), asks], [1, 1])
      assert.isTrue(Option.isNone(yield* Fiber.join(impatient)))
    })
  )

  it.effect("callers at one time share a cached failure, but not the interruption of another caller", () =>
    Effect.gen(function* () {
      let asks = 0
      const failing = Effect.andThen(
        Effect.sleep(10),
        Effect.suspend(() => Effect.fail(++asks))
      )
      const failure = Effect.flip(yield* cacheFor(failing, 1_000))
      const left = yield* Effect.forkChild(failure)
      yield* TestClock.adjust(5)
      yield* Fiber.interrupt(left)
      const both = yield* Effect.forkChild(Effect.all([failure, failure], { concurrency: 2 }))
      yield* TestClock.adjust(10)
      assert.deepStrictEqual(yield* Fiber.join(both), [1, 1])
    })
  )

  it("figures and mistakes are written for people", () => {
    assert.deepStrictEqual(["1234567.8912", "123", "1234", "-1234.5"].map(Text.grouped), [
      "1,234,567.8912",
      "123",
      "1,234",
      "-1,234.5"
    ])
    assert.deepStrictEqual([Text.messageOf(new Error("e")), Text.messageOf("s"), Text.messageOf(5)], ["e", "s", "5"])
    assert.strictEqual(Text.plainJson({ a: 5n, b: [1, "x"] }), '{"a":"5","b":[1,"x"]}')
    assert.strictEqual(Text.plainJson(undefined), "")
    assert.deepStrictEqual([Text.percent(0.12345), Text.percent(0.5, 0)], ["12.35 %", "50 %"])
    assert.deepStrictEqual([Text.percent(-0.00004), Text.percent(-0.004, 0)], ["0.00 %", "0 %"], "zero has no sign")
    assert.deepStrictEqual(
      [-0.004, -0.006, -10].map((value) => Text.fixed(value)),
      ["0.00", "-0.01", "-10.00"]
    )
    assert.deepStrictEqual(
      [Text.iso(1), Text.utc(999), Text.utcDate(0)],
      ["1970-01-01T00:00:00.001Z", "1970-01-01 00:00:00 UTC", "1970-01-01"]
    )
  })

  it("the same seed gives the same numbers on every machine, from zero up to one", () => {
    const next = seeded(42)
    assert.deepStrictEqual(
      [next(), next(), next()],
      [0.6011037519201636, 0.44829055899754167, 0.8524657934904099],
      "the published sequence of mulberry32"
    )
    const other = seeded(43)
    assert.notStrictEqual(other(), seeded(42)())
  })
})
