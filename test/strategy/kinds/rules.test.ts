import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { armedLeg, type Decision, holds, type Memory } from "../../../src/strategy/Decision.ts"
import type { CandleColumns } from "../../../src/strategy/Indicators.ts"
import { endedByExit } from "../../../src/strategy/kinds/rules/rules.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import {
  type ClosedCandles,
  type OwnState,
  progressOf,
  type SlotProgress,
  type View
} from "../../../src/strategy/View.ts"
import {
  between,
  completed,
  integerBetween,
  laterProgress,
  pick,
  price,
  problemsOf,
  random,
  type Slots,
  strategyOf,
  viewAt
} from "../support.ts"

const file = (orders: string, names = "") => `name: test
market: BTC/USDC
kind: rules
limits:
  budget: { base: 10, quote: 100000 }
rules:
  timeframe: 1h
${names}  orders:
${orders}
`

const hour = 3_600_000
const columns = (closes: ReadonlyArray<number>): CandleColumns => {
  const close = Float64Array.from(closes)
  return { open: close, high: close.map((x) => x + 1), low: close.map((x) => x - 1), close, volume: close.map(() => 1) }
}
const rising = columns(Array.from({ length: 400 }, (_, index) => 1_000 + index))

const at = (strategy: Strategy, middle: string, now: number, slots: Slots = new Map(), closed = 400): View => ({
  ...viewAt(strategy, price(middle), slots, now),
  candles: new Map<string, ClosedCandles>([["1h", { columns: rising, closed }]])
})
const firstOrder = ({ desired }: Decision, slots: Slots = new Map()) => {
  const [slot] = desired
  const order = slot === undefined ? undefined : armedLeg(slot, slots.get(slot.slot) ?? completed(0))
  return order === undefined ? undefined : `${order.side} ${order.quantity} at ${Decimal.format(order.price)}`
}
const whyAbsent = ({ absent }: Decision) => absent.map(({ why }) => why.code)

const dip = file(`    dip:
      when: mid < sma(close, 3) * 0.9
      side: buy
      price: mid * (1 - 1%)
      size: { quote: 100 }
      cancelWhen: mid > 1300
      expireAfter: 6h
      times: 2
      then: { price: entry * (1 + 10%) }`)

describe("rules", () => {
  it("wait for their condition and say at which price it would hold", () => {
    const strategy = strategyOf(dip)
    const decision = strategy.decide(at(strategy, "1260", 0), null)
    assert.deepStrictEqual([decision.desired, whyAbsent(decision)], [[], ["condition"]])
    assert.closeTo(Decimal.toNumber(decision.until.priceBelow ?? Decimal.zero), 1398 * 0.9, 1e-4)
    assert.strictEqual(decision.until.barClose, "1h")
    assert.deepStrictEqual(strategy.candles, new Map([["1h", 4]]))
  })

  it("wait for a price that is not warm yet while the condition holds", () => {
    const unready = (more: string) => {
      const strategy = strategyOf(
        file(`    any:\n      when: mid > 0\n      side: buy\n      size: { quote: 100 }\n${more}`)
      )
      const decision = strategy.decide(at(strategy, "1260", 0, new Map(), 1), null)
      assert.isTrue(holds(decision.until, at(strategy, "1270", 1), false), "no other price makes it warm")
      return [whyAbsent(decision), decision.absent[0]?.why.source, decision.until.barClose]
    }
    assert.deepStrictEqual(unready("      price: sma(close, 3)"), [["warming-up"], "test.yaml:13", "1h"])
    const exit = '      price: mid\n      then: { price: entry * 2, stop: "sma(close, 3)" }'
    assert.deepStrictEqual(unready(exit), [["warming-up"], "test.yaml:14", "1h"])
  })

  it.each([
    "sma(close, 3) < 30",
    "close > 1 and sma(close, 3) < 30",
    "close > 1 or sma(close, 3) < 30",
    "not (sma(close, 3) < 30)",
    "crossover(sma(close, 3), close)"
  ])("take no branch of an if while %s is not warm: in sizes, prices and exits", (cold) => {
    const waits = (price: string, size: string, exit: string) => {
      const order = `when: mid > 0, side: buy, price: ${price}, size: { quote: ${size} }, then: { price: ${exit} }`
      const strategy = strategyOf(file(`    any: { ${order} }`))
      const decision = strategy.decide(at(strategy, "1260", 0, new Map(), 1), null)
      return [decision.desired.length, ...whyAbsent(decision)]
    }
    assert.deepStrictEqual(waits("mid", `"if ${cold} then 100 USDC else 50 USDC"`, "entry * 2"), [0, "warming-up"])
    assert.deepStrictEqual(waits(`"if ${cold} then 1000 else 1100"`, "100", "entry * 2"), [0, "warming-up"])
    assert.deepStrictEqual(waits("mid", "100", `"entry * (if ${cold} then 2 else 3)"`), [0, "warming-up"])
    assert.deepStrictEqual(waits("mid", "100", "entry * 2"), [1])
  })

  it("name their condition as the reason of an order, but none that always holds", () => {
    const whyOf = (when: string) => {
      const order = `    any:\n      when: ${when}\n      side: buy\n      price: 1000\n      size: { base: 1 }`
      const strategy = strategyOf(file(order))
      return strategy.decide(at(strategy, "1260", 0), null).desired[0]?.why.text
    }
    assert.strictEqual(whyOf("mid > 1"), "buys 1 BTC at 1000: mid > 1")
    assert.strictEqual(whyOf("mid > 0"), "buys 1 BTC at 1000")
    const order = "    any:\n      when: mid > 0\n      side: buy\n      price: 1000\n      size: { base: 1 }"
    const strategy = strategyOf(file(order))
    assert.deepStrictEqual(strategy.inputs?.(at(strategy, "1260", 0), null), new Map([["any", []]]))
  })

  it("named skim are refused in a file that skims", () => {
    const orders = "    skim:\n      when: mid > 0\n      side: buy\n      price: mid\n      size: { quote: 100 }"
    const skimmed = file(orders).replace("rules:\n  timeframe", "skim: 200000\nrules:\n  timeframe")
    assert.deepStrictEqual(
      problemsOf(skimmed).map(({ message }) => message),
      ["beside the key skim no rule can have this name: both would be remembered in one place"]
    )
    assert.deepStrictEqual(problemsOf(file(orders)), [])
  })

  it("have no warning because of a name that is called reach", () => {
    const order =
      "    any:\n      when: mid > 0\n      side: buy\n      price: mid * (1 - reach)\n      size: { quote: 100 }"
    assert.isUndefined(strategyOf(file(order, "  let: { reach: 20% }\n")).warnings)
    const exit = order.replace("mid * (1 - reach)", "mid\n      then: { price: entry * 2, reach: 20% }")
    assert.strictEqual(strategyOf(file(exit)).warnings?.length, 1)
  })

  it("whose divisor is zero now decide again at the next price and time", () => {
    const strategy = strategyOf(
      file(`    any:
      when: position < 1 BTC
      side: buy
      price: mid
      size: { quote: 1 USDC / (abs(mid - close) / close) }`)
    )
    const decision = strategy.decide(at(strategy, "1399", 0), null)
    assert.deepStrictEqual(whyAbsent(decision), ["not-known"])
    assert.isFalse(holds(decision.until, at(strategy, "1398", 0), false))
    assert.isFalse(holds(decision.until, at(strategy, "1399", 1), false))
  })

  it("judge a comparison within a comparison by its own sides", () => {
    const cold = strategyOf(
      file(`    any:
      when: not (mid > ema(close, 200) * (if mid > averageEntry then 1 else 2))
      side: buy
      price: mid
      size: { quote: 100 }`)
    )
    const own: OwnState = { openOrders: 0, freeBase: 0n, freeQuote: 0n, position: 0n, realisedProfit: 0n }
    const decision = cold.decide({ ...at(cold, "1260", 0, new Map(), 5), own }, null)
    assert.deepStrictEqual(whyAbsent(decision), ["warming-up"])
  })

  it("whose price is zero now decide again at each price", () => {
    const strategy = strategyOf(
      file(
        "    any:\n      when: position < 1 BTC\n      side: buy\n      price: mid + 100 - 1400\n      size: { quote: 100 }"
      )
    )
    const decision = strategy.decide(at(strategy, "1260", 0), null)
    assert.deepStrictEqual(whyAbsent(decision), ["no-order"])
    assert.isFalse(holds(decision.until, at(strategy, "1260.01", 1), false))
  })

  it("decide again when a candle closes that they use, and at no other", () => {
    const strategy = strategyOf(
      file(`    any:
      when: close(4h) > 0 and close(6h) < 0
      side: buy
      price: mid
      size: { quote: 100 }
    resting:
      when: mid > 0
      side: buy
      price: mid * (1 - 1%)
      size: { quote: 100 }`)
    )
    const seen = { columns: rising, closed: 400 }
    const view = {
      ...at(strategy, "1260", 0),
      candles: new Map([
        ["4h", seen],
        ["6h", seen]
      ])
    }
    assert.strictEqual(strategy.decide(view, null).until.barClose, "2h")
    const resting = strategyOf(dip.replace("      cancelWhen: mid > 1300\n", ""))
    const fired = resting.decide(at(resting, "1200", 0), null)
    assert.strictEqual(resting.decide(at(resting, "1200", 1), fired.memory).until.barClose, undefined)
  })

  it("fire once, keep their price, and exit after the entry", () => {
    const strategy = strategyOf(dip)
    const fired = strategy.decide(at(strategy, "1200", 0), null)
    assert.strictEqual(firstOrder(fired), "BUY 8417508 at 1188")
    assert.include(fired.desired[0]?.why.text, "mid < sma(close, 3) * 0.9")
    assert.strictEqual(fired.desired[0]?.why.source, "test.yaml:10", "the key when")
    const later = strategy.decide(at(strategy, "1100", hour), fired.memory)
    assert.strictEqual(firstOrder(later), "BUY 8417508 at 1188")
    const bought = new Map([["dip", completed(1, 8_400_000n)]])
    const holding = strategy.decide(at(strategy, "1400", 2 * hour, bought), later.memory)
    assert.strictEqual(firstOrder(holding, bought), "SELL 8400000 at 1306.8")
  })

  it("are cancelled by cancelWhen or in time, while nothing has filled", () => {
    const strategy = strategyOf(dip)
    const { memory } = strategy.decide(at(strategy, "1200", 0), null)
    assert.deepStrictEqual(whyAbsent(strategy.decide(at(strategy, "1301", hour), memory)), ["paused"])
    assert.deepStrictEqual(whyAbsent(strategy.decide(at(strategy, "1200", 6 * hour), memory)), ["paused"])
    const partly: Slots = new Map([["dip", { ...completed(0), filledInLeg: 1n }]])
    assert.strictEqual(strategy.decide(at(strategy, "1301", 7 * hour, partly), memory).desired.length, 1)
  })

  it("fire again after a pause, and only a limited number of times", () => {
    const strategy = strategyOf(dip)
    const first = strategy.decide(at(strategy, "1200", 0), null)
    const done = new Map([["dip", completed(2)]])
    const ended = strategy.decide(at(strategy, "1200", hour, done), first.memory)
    assert.deepStrictEqual([whyAbsent(ended), ended.until.time], [["paused"], 2 * hour])
    const second = strategy.decide(at(strategy, "1100", 2 * hour, done), ended.memory)
    assert.strictEqual(firstOrder(second, done), "BUY 9182736 at 1089")
    const over = strategy.decide(at(strategy, "1100", 3 * hour, new Map([["dip", completed(4)]])), second.memory)
    assert.deepStrictEqual(whyAbsent(over), ["used-up"])
  })

  it("know what they have bought on balance", () => {
    const strategy = strategyOf(
      file(`    more:
      when: position < 0.5 BTC
      side: buy
      price: mid
      size: { base: 0.3 }
      pause: 1m
    less:
      when: position >= 0.6 BTC
      side: sell
      price: mid
      size: { base: 0.6 }
      pause: 1m`)
    )
    let memory: Memory = null
    const fired: Array<string> = []
    for (let bought = 0; bought <= 2; bought++) {
      const slots = new Map([["more", { ...completed(bought), bought: BigInt(bought) * 30_000_000n }]])
      for (const minute of [10 * bought, 10 * bought + 1]) {
        const decision = strategy.decide(at(strategy, "1000", minute * 60_000, slots), memory)
        fired.push(decision.desired.map(({ slot }) => slot).join())
        memory = decision.memory
      }
    }
    assert.deepStrictEqual(fired, ["more", "more", "", "more", "less", "less"])
  })

  it("see their own trading, and say if it is not recorded", () => {
    const strategy = strategyOf(
      file(`    add:
      when: openOrders < 2 and since(fill) > 2h
      side: buy
      price: min(last, mid) * 0.99
      size: { base: 0.1 }
    take:
      when: mid > averageEntry * 1.05
      side: sell
      price: averageEntry * 1.06
      size: { base: 0.1 }`)
    )
    const seen = (own: OwnState | undefined, now = 0): View => ({
      ...at(strategy, "1000", now),
      ...(own ? { own } : {})
    })
    const idle: OwnState = { openOrders: 0, freeBase: 0n, freeQuote: 0n, position: 0n, realisedProfit: 0n }
    assert.deepStrictEqual(whyAbsent(strategy.decide(seen(undefined), null)), ["not-known", "not-known"])
    const first = strategy.decide(seen(idle), null)
    assert.deepStrictEqual([firstOrder(first), whyAbsent(first)], ["BUY 10000000 at 990", ["condition"]])

    const filled = { ...idle, averageEntry: price("900"), lastFill: { price: price("800"), at: 5 * hour } }
    const later = strategy.decide(seen(filled, 6 * hour), null)
    assert.deepStrictEqual([firstOrder(later), whyAbsent(later)], ["SELL 10000000 at 954", ["condition"]])
    assert.isTrue(later.until.onFill)
    assert.strictEqual(later.until.time, 7 * hour - 1)
    const again = strategy.decide(seen(filled, 7 * hour + 1), later.memory)
    assert.strictEqual(firstOrder(again), "BUY 10000000 at 792")
  })

  it("know how long they have run, also over restarts", () => {
    const strategy = strategyOf(
      file(`    more:
      when: position * close < since(start) / 1d * 50 USDC
      side: buy
      price: mid
      size: { quote: (since(start) / 1d + 1) * 50 USDC }
      pause: 1m`)
    )
    const day = 24 * hour
    const began = 1_700_000_000_000
    const first = strategy.decide(at(strategy, "1000", began), null)
    assert.deepStrictEqual(whyAbsent(first), ["condition"])
    assert.deepInclude(first.memory as object, { startedAt: began })
    // What a journal gives back.
    const memory = JSON.parse(JSON.stringify(first.memory)) as Memory
    const later = strategy.decide(at(strategy, "1000", began + 3 * day), memory)
    assert.strictEqual(firstOrder(later), "BUY 20000000 at 1000")
    assert.deepInclude(later.memory as object, { startedAt: began })
    const other = strategyOf(file(`    more: { when: hour == 1, side: buy, price: mid, size: { quote: 50 } }`))
    assert.notProperty(other.decide(at(other, "1000", began), null).memory, "startedAt")
  })

  it.each([
    ["mid / 0 > 5", "mid", "10:13", "this divides by zero: mid / 0"],
    ["mid / (100% - 1) > 5", "mid", "10:13", "this divides by zero: mid / (100% - 1)"],
    ["mid > 5", "close / (2 - 2)", "12:14", "this divides by zero: close / (2 - 2)"],
    ["mid > 5", "0", "12:14", "expected a price above zero, found 0"],
    ["mid > 5", "-5", "12:14", "expected a price above zero, found -5"]
  ])(
    "with %s, price %s: a division by zero and a price of zero are refused with their place",
    (when, price, place, message) => {
      const problems = problemsOf(
        file(`    one:
      when: ${when}
      side: buy
      price: ${price}
      size: { quote: 100 }`)
      )
      assert.deepStrictEqual(
        problems.map((problem) => [`${problem.line}:${problem.column}`, problem.message]),
        [[place, message]]
      )
    }
  )

  it("decide nothing on a division by zero, and the reason names it", () => {
    const reasons = (when: string, price: string, shut = columns([5, 5, 5])) => {
      const strategy = strategyOf(file(`    one: { when: ${when}, side: buy, price: ${price}, size: { quote: 100 } }`))
      const candles = new Map<string, ClosedCandles>([["1h", { columns: shut, closed: 3 }]])
      const { absent } = strategy.decide({ ...at(strategy, "1000", 0), candles }, null)
      return absent.map(({ why }) => `${why.code}: ${why.text}`)
    }
    for (const when of ["mid / (close - open) > 5", "close / (close - open) > 5", "1 / (position / 1 BTC) > 5"]) {
      const divided = when.replace(/ > .*/, "")
      assert.deepStrictEqual(reasons(when, "mid"), [`not-known: cannot be decided: ${divided} divides by zero now`])
    }
    assert.deepStrictEqual(reasons("mid > 5", "mid / (position / 1 BTC)"), [
      "not-known: cannot be decided: mid / (position / 1 BTC) divides by zero now"
    ])
    const text = "no-order: its price comes to 0: a price must be above zero"
    assert.deepStrictEqual(reasons("mid > 5", "close - 5"), [text])
    // What is not looked at decides nothing.
    assert.deepStrictEqual(reasons("(if close == open then 1 else close / (close - open)) > 5", "mid"), [
      "condition: its condition does not hold: (if close == open then 1 else close / (close - open)) > 5"
    ])
  })

  it("decide nothing on indicators that are not warm", () => {
    const strategy = strategyOf(dip)
    assert.deepStrictEqual(whyAbsent(strategy.decide(at(strategy, "1", 0, new Map(), 2), null)), ["warming-up"])
    assert.deepStrictEqual(whyAbsent(strategy.decide(viewAt(strategy, price("1")), null)), ["warming-up"])
  })

  it("have a warning about conditions that cannot be true", () => {
    const warned = (when: string) =>
      strategyOf(file(`    one: { when: "${when}", side: buy, price: mid, size: { quote: 1 } }`)).warnings?.map(
        ({ line, column, message }) => `${line}:${column} ${message}`
      )
    assert.deepStrictEqual(warned("rsi(close, 14) > 100"), [
      "9:18 this can never be true: rsi(close, 14) is always from 0 to 100"
    ])
    assert.deepStrictEqual(warned("hour < 3 and mid > 1 and 5 < hour"), [
      "9:18 this can never be true: hour cannot meet both conditions at once"
    ])
    for (const never of ["mid < 0", "weekday == 0", "since(fill) < 0h", "close < 1 and close >= 1"])
      assert.strictEqual(warned(never)?.length, 1, never)
    for (const possible of [
      "rsi(close, 14) >= 100",
      "hour < 3 or hour > 5",
      "not (hour > 99)",
      "close <= 1 and close >= 1"
    ])
      assert.isUndefined(warned(possible), possible)
  })

  it("may sell what another rule buys, without a budget of base", () => {
    const text = file(`    in: { when: hour == 1, side: buy, price: mid, size: { quote: 100 } }
    out: { when: hour == 2 and position > 0 BTC, side: sell, price: mid, size: { base: 0.1 } }`)
    assert.deepStrictEqual(problemsOf(text.replace("base: 10, ", "")), [])
    const alone = text.replace("base: 10, ", "").replace("side: buy", "side: sell")
    assert.strictEqual(problemsOf(alone).length, 2)
  })

  it("name mistakes at their exact columns", () => {
    const text = file(
      `    dip:
      when: rsi(clsoe, 14) < 30
      side: buy
      price: mid + 5%
      size: { quote: 100 }
      then: { price: "enter * 2" }
    rise:
      when: mid * 2
      side: sell
      price: entry
      size: { base: 11 }`,
      "  let:\n    close: 5\n    Big: 7\n    trend: ema(close, 9)\n"
    )
    assert.deepStrictEqual(
      problemsOf(text).map(({ line, column, message }) => `${line}:${column} ${message}`),
      [
        '9:5 "close" means something already: take another name',
        "10:5 a name has a lower-case letter, then at most 40 letters, digits and _",
        '14:17 unknown name "clsoe"',
        "16:14 these do not fit together: a price + a ratio",
        '18:23 unknown name "enter"',
        "20:13 expected a condition, found a price",
        '22:14 unknown name "entry"'
      ]
    )
  })
})

const conditions = [
  "mid < sma(close, 5)",
  "mid > 1.02 * highest(close, 9) or mid < lowest(low, 9)",
  "not (mid * 2 < close + 1100) and hour >= 3",
  "rsi(close, 5) > 50 and close(1h) > mid",
  "mid - atr(3) > 1250",
  "crossover(close, sma(close, 4)) or mid < 900",
  "crossunder(close, last * 1.01) or crossover(close, mid * 1.05)",
  "position < 0.2 BTC and mid < 1200",
  "openOrders < 3 and since(fill) > 2h",
  "since(start) > 3h or since(start) / 1h * 50 USDC > freeQuote",
  "mid < averageEntry * 0.98 or since(placement) / 1h + 1 >= 3",
  "exposure < 98.5% or exposure > close / close[1] * 100%",
  "last < mid and realisedProfit > 0 USDC",
  "freeQuote > 100 USDC and not (since(fill) < 30m)",
  "mid > (if mid < 1200 then 1100 else 1300)",
  "mid < (if since(fill) > 1h then 1400 else 1100)",
  "since(placement) > (if since(fill) > 1h then 2h else 30m)",
  "exposure < 1% * (if mid > 1250 then 97 else 100)"
] as const

/** On the sides of the entry where they belong. */
const exitsOf = (side: "buy" | "sell") => {
  const [profit, loss] = side === "buy" ? ["+", "-"] : ["-", "+"]
  return [
    `then: { price: entry * (1 ${profit} 5%) }`,
    `then: { stop: entry * (1 ${loss} 3%) }`,
    `then: { price: entry * (1 ${profit} 5%), stop: entry ${loss} 2 * atr(5), trail: 3%, after: 5h }`,
    `then: { trail: 2%, trailFrom: entry * (1 ${profit} 3%), reach: 1% }`,
    'then: { trail: 2%, when: "crossunder(close, sma(close, 3)) or mid > entry * 1.1", reach: 0% }'
  ]
}

describe("any rules", () => {
  it("decide the same anywhere inside their bounds", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const next = random(seed)
      const orders = ["a", "b"].map((name) => {
        const side = pick(next, ["buy", "sell"] as const)
        return `    ${name}:
      when: ${pick(next, conditions)}
      side: ${side}
      price: ${pick(next, ["mid", "close * 0.99", "bid - 1"])}
      size: { base: 0.1 }
      cancelWhen: ${pick(next, conditions)}
      expireAfter: ${integerBetween(next, 1, 9)}h
      ${pick(next, ["pause: 30m", ...exitsOf(side)])}`
      })
      const strategy = strategyOf(file(orders.join("\n")))
      checkRules(strategy, seed)
    }
  })
})

/** What does not change inside the bounds: an order that moves on is asked about again. */
const ownAt = (next: () => number, now: number): OwnState | undefined =>
  next() < 0.1
    ? undefined
    : {
        openOrders: integerBetween(next, 0, 5),
        freeBase: 0n,
        freeQuote: BigInt(integerBetween(next, 0, 200_000_000)),
        position: 0n,
        realisedProfit: BigInt(integerBetween(next, -5, 5)),
        ...(next() < 0.5 ? {} : { averageEntry: Decimal.fromNumber(between(next, 900, 1_600), 8) }),
        ...(next() < 0.2
          ? {}
          : {
              lastFill: {
                price: Decimal.fromNumber(between(next, 900, 1_600), 8),
                at: now - integerBetween(next, 0, 3 * hour)
              }
            }),
        ...(next() < 0.2 ? {} : { lastPlacedAt: now - integerBetween(next, 0, 3 * hour) })
      }

const checkRules = (strategy: Strategy, seed: number): void => {
  const next = random(seed)
  const candles = columns(Array.from({ length: 200 }, () => between(next, 1_000, 1_500)))
  let memory: Memory = null
  let slots: ReadonlyMap<string, SlotProgress> = new Map()
  let now = 100 * hour
  for (let step = 0; step < 8; step++) {
    const closed = Math.floor(now / hour)
    const own = ownAt(next, now)
    const viewOf = (middle: number, time: number): View => ({
      ...viewAt(strategy, Decimal.fromNumber(middle, 9), slots, time),
      candles: new Map([["1h", { columns: candles, closed }]]),
      ...(own === undefined ? {} : { own })
    })
    const view = viewOf(between(next, 900, 1_600), now)
    const decision = strategy.decide(view, memory)
    for (let tried = 0; tried < 10; tried++) {
      const { priceBelow, priceAbove, time } = decision.until
      const low = priceBelow === undefined ? 900 : Decimal.toNumber(priceBelow)
      const high = priceAbove === undefined ? 1_600 : Decimal.toNumber(priceAbove)
      const barEnd = (closed + 1) * hour
      const there = viewOf(between(next, low, high), integerBetween(next, now, Math.min(time ?? barEnd, barEnd) - 1))
      if (!holds(decision.until, there, false)) continue
      const again = strategy.decide(there, decision.memory)
      assert.deepStrictEqual(again.desired, decision.desired, `seed ${seed}, step ${step}`)
      assert.deepStrictEqual(again.memory, decision.memory, `seed ${seed}, step ${step}`)
    }
    memory = decision.memory
    slots = laterProgress(next, decision, slots)
    assert.isTrue(decision.desired.every(({ slot }) => progressOf(view, slot).completedLegs >= 0))
    now += integerBetween(next, 1, 4) * hour
  }
}

describe("rules that exit", () => {
  const rule = (then: string) =>
    strategyOf(
      file(`    in:
      when: mid < 1100
      side: buy
      price: mid
      size: { base: 0.1 }
      then: { ${then} }`)
    )
  const bought: Slots = new Map([["in", { ...completed(1, 10_000_000n), bought: 10_000_000n }]])
  /** The order at each of these prices, an hour apart, once the entry at 1000 has filled. */
  const played = (then: string, middles: ReadonlyArray<string>) => {
    const strategy = rule(then)
    let { memory } = strategy.decide(at(strategy, "1000", 0), null)
    return middles.map((middle, index) => {
      const decision = strategy.decide(at(strategy, middle, (index + 1) * hour, bought), memory)
      memory = decision.memory
      return firstOrder(decision, bought) ?? "none"
    })
  }

  it("leave at a stop, once and for all, beyond the market by reach", () => {
    assert.deepStrictEqual(played("price: entry * 1.1, stop: entry * 0.95, reach: 1%", ["1050", "949", "1060"]), [
      "SELL 10000000 at 1100",
      "SELL 10000000 at 939.51",
      "SELL 10000000 at 1049.4"
    ])
  })

  /** The order of the rule, after this many legs of its slot, at each of these prices. */
  const repeated = (then: string, steps: ReadonlyArray<readonly [middle: string, legs: number]>) => {
    const strategy = strategyOf(
      file(`    in:
      when: mid > 0
      side: buy
      price: 99
      size: { base: 0.1 }
      times: 3
      pause: 1s
      then: { price: 110, stop: 96, reach: 0%${then} }`)
    )
    let memory: Memory = null
    return steps.map(([middle, legs], index) => {
      const slots: Slots = new Map([["in", { ...completed(legs, 10_000_000n), bought: 10_000_000n }]])
      const decision = strategy.decide(at(strategy, middle, index * hour, slots), memory)
      memory = decision.memory
      return firstOrder(decision, slots) ?? decision.absent[0]?.why.text
    })
  }
  const bought99 = "BUY 10000000 at 99"

  const pausing = "waits until its pause is over"

  it("place nothing while the market is beyond their stop", () => {
    const stopped = "the market is beyond its stop 96"
    const steps = [
      ["99", 0],
      ["95", 1],
      ["95", 2],
      ["95", 2],
      ["96", 2],
      ["97", 2]
    ] as const
    const orders = [bought99, "SELL 10000000 at 95", pausing, stopped, stopped, bought99]
    assert.deepStrictEqual(repeated("", steps), orders)
  })

  it("fire no more after a stop that ends them, wherever the market goes", () => {
    const steps = [
      ["99", 0],
      ["99", 1],
      ["110", 2],
      ["99", 2],
      ["99", 3],
      ["95", 3],
      ["97", 4],
      ["99", 4]
    ] as const
    const [sold, stopped] = ["SELL 10000000 at 110", "SELL 10000000 at 95"]
    const orders = [bought99, sold, pausing, bought99, sold, stopped, endedByExit, endedByExit]
    assert.deepStrictEqual(repeated(", ends: true", steps), orders)
  })

  it("leave behind the best price, by a condition, and after a time", () => {
    assert.deepStrictEqual(played("trail: 5%, reach: 0%", ["1000", "1200", "1150", "1139"]), [
      "none",
      "none",
      "none",
      "SELL 10000000 at 1139"
    ])
    assert.deepStrictEqual(played("when: mid > entry * 1.2, reach: 0%", ["1199", "1201"]), [
      "none",
      "SELL 10000000 at 1201"
    ])
    assert.deepStrictEqual(played("after: 90m, reach: 0%", ["1000", "1000", "990"]), [
      "none",
      "none",
      "SELL 10000000 at 990"
    ])
  })

  it("leave when a candle closes under a part of their entry", () => {
    const strategy = rule('price: entry * 2, when: "crossunder(close, entry * (1 - 3%))", reach: 0%')
    const falling = columns([1_000, 1_000, 980, 960, 950])
    const seen = (middle: string, closed: number, slots?: Slots): View => ({
      ...at(strategy, middle, closed * hour, slots),
      candles: new Map<string, ClosedCandles>([["1h", { columns: falling, closed }]])
    })
    const entered = strategy.decide(seen("1000", 2), null)
    const held = strategy.decide(seen("980", 3, bought), entered.memory)
    const left = strategy.decide(seen("960", 4, bought), held.memory)
    assert.deepStrictEqual(
      [held, left].map((decision) => firstOrder(decision, bought)),
      ["SELL 10000000 at 2000", "SELL 10000000 at 960"]
    )
  })

  it("trail behind the best price only from `trailFrom` on", () => {
    const trailing = "trail: 5%, trailFrom: entry * 1.1, reach: 0%"
    assert.deepStrictEqual(played(trailing, ["1099", "900", "1101", "1047", "1045"]), [
      "none",
      "none",
      "none",
      "none",
      "SELL 10000000 at 1045"
    ])
    const strategy = rule(trailing)
    const entered = strategy.decide(at(strategy, "1000", 0), null)
    const waits = strategy.decide(at(strategy, "1099", hour, bought), entered.memory)
    assert.closeTo(Decimal.toNumber(waits.until.priceAbove ?? Decimal.zero), 1100, 1e-4)
    assert.isUndefined(waits.until.priceBelow)
    const text = file(
      "    in: { when: mid < 1, side: buy, price: mid, size: { base: 1 }, then: { trailFrom: 9, after: 1h } }"
    )
    assert.deepStrictEqual(
      problemsOf(text).map(({ line, column, message }) => [line, column, message]),
      [[9, 87, "trailFrom without trail does nothing"]]
    )
  })

  it("exit in parts at several targets, and fire again only when all parts have ended", () => {
    const targets = "[{ at: entry * 1.02, part: 50% }, { at: entry * 1.04, part: 50% }]"
    const text = (price: string, more = "") =>
      file(
        `    in: { when: mid < 2000, side: buy, price: mid, size: { base: 0.33333333 }, pause: 1h, then: { price: ${price}, stop: entry * 0.9 } }${more}`
      )
    const strategy = strategyOf(text(targets))
    const orders = ({ desired }: Decision) =>
      desired.map(({ slot, legs: [{ quantity }, exit] }) => `${slot} ${quantity} ${exit && Decimal.format(exit.price)}`)
    const first = strategy.decide(at(strategy, "1000", 0), null)
    assert.deepStrictEqual(orders(first), ["in-1 16666666 1020", "in-2 16666667 1040"])
    const slots = (one: number, two: number): Slots =>
      new Map([
        ["in-1", completed(one, 16_666_666n)],
        ["in-2", completed(two, 16_666_667n)]
      ])
    const half = strategy.decide(at(strategy, "1021", 1, slots(2, 1)), first.memory)
    const waits = strategy.decide(at(strategy, "1021", 2 * hour, slots(2, 1)), half.memory)
    assert.deepStrictEqual([orders(waits), whyAbsent(waits)], [["in-2 16666667 1040"], ["in-parts"]])
    const over = strategy.decide(at(strategy, "1041", 3 * hour, slots(2, 2)), waits.memory)
    assert.deepStrictEqual([orders(over), over.until.time], [[], 4 * hour])
    const again = strategy.decide(at(strategy, "1500", 4 * hour, slots(2, 2)), over.memory)
    assert.deepStrictEqual(orders(again), ["in-1 16666666 1530", "in-2 16666667 1560"])

    const [single, split] = ["entry * 1.02", targets].map((price) =>
      strategyOf(text(price).replace("pause: 1h", "times: 1"))
    )
    const fired = single?.decide(at(single, "1000", 0), null).memory ?? null
    const ended = new Map([["in", completed(2, 0n)]])
    const done = single?.decide(at(single, "1021", 1, ended), fired).memory ?? null
    assert.isDefined(split)
    const used = split?.decide(at(split, "1000", 2, ended), done)
    assert.deepStrictEqual(used && [orders(used), whyAbsent(used)], [[], ["used-up", "used-up"]])
    const taken = "\n    in-2: { when: mid > 9, side: buy, price: mid, size: { base: 1 } }"
    assert.deepStrictEqual(
      problemsOf(text(targets, taken)).map(({ line, message }) => [line, message]),
      [[9, "another rule has the name in-2, which one of its parts needs"]]
    )
    assert.deepStrictEqual(
      problemsOf(text("[{ at: entry * 1.02, part: 50% }, { at: entry * 0.98, part: 40% }]")).map(
        ({ message }) => message
      ),
      ["the parts of the targets add up to 90%, not to 100%"]
    )
  })

  it("fire all parts or none: while one target is on the wrong side, none is placed", () => {
    const targets = "[{ at: entry * 1.02, part: 50% }, { at: 1100, part: 50% }]"
    const strategy = strategyOf(
      file(`    in: { when: mid > 1, side: buy, price: mid, size: { base: 1 }, then: { price: ${targets} } }`)
    )
    const waits = strategy.decide(at(strategy, "1200", 0), null)
    assert.deepStrictEqual([waits.desired.length, whyAbsent(waits)], [0, ["no-order", "no-order"]])
    assert.lengthOf(strategy.decide(at(strategy, "1000", 1), waits.memory).desired, 2)
  })

  it("must name a way to exit", () => {
    const text = file("    in: { when: mid < 1, side: buy, price: mid, size: { base: 1 }, then: { by: swap } }")
    assert.match(problemsOf(text)[0]?.message ?? "", /there is no way to exit/)
  })
})

describe("rules of computed sizes", () => {
  const sized = (size: string, position: bigint) => {
    const strategy = strategyOf(file(`    one: { when: mid > 1, side: sell, price: mid, size: ${size} }`))
    const own: OwnState = {
      openOrders: 0,
      freeBase: 20_000_000n,
      freeQuote: 500_000_000n,
      position,
      realisedProfit: 0n
    }
    return firstOrder(strategy.decide({ ...at(strategy, "1000", 0), own }, null))
  }

  it("sell the whole purchase, or a part of what is free", () => {
    assert.strictEqual(sized("{ base: position }", 12_345_678n), "SELL 12345678 at 1000")
    assert.strictEqual(sized("{ quote: freeQuote * 10% }", 0n), "SELL 5000000 at 1000")
    assert.strictEqual(sized("{ quote: position * mid / 2 }", 10_000_000n), "SELL 5000000 at 1000")
    assert.isUndefined(sized("{ base: position }", 0n))
  })

  it("use at most what is free", () => {
    const own: OwnState = { openOrders: 0, freeBase: 99n, freeQuote: 0n, position: 100n, realisedProfit: 0n }
    for (const size of ["{ base: position }", "{ position: 100% }", "{ base: position * 2 }"]) {
      const strategy = strategyOf(file(`    one: { when: mid > 1, side: sell, price: mid, size: ${size} }`))
      const order = firstOrder(strategy.decide({ ...at(strategy, "1000", 0), own }, null))
      assert.strictEqual(order, "SELL 99 at 1000", size)
    }
  })

  it("use a share of the budget, the equity, the position, or of what the stop may lose", () => {
    const own: OwnState = {
      openOrders: 0,
      freeBase: 0n,
      freeQuote: 100_000_000_000n,
      position: 200_000_000n,
      realisedProfit: 2_000_000_000n,
      averageEntry: price("900")
    }
    const order = (size: string, rest = "") => {
      const strategy = strategyOf(file(`    one: { when: mid > 1, side: buy, price: mid, size: ${size}${rest} }`))
      return firstOrder(strategy.decide({ ...at(strategy, "1000", 0), own }, null))
    }
    assert.strictEqual(order("{ budget: 1% }"), "BUY 100000000 at 1000")
    assert.strictEqual(order("{ position: 50% }"), "BUY 100000000 at 1000")
    // 100,000 and 10 of base at 1,000; 2,000 realised; two bought at 900 gained 200.
    assert.strictEqual(order("{ equity: 10% }"), "BUY 1122000000 at 1000")
    assert.strictEqual(order("{ risk: 1% }", ", then: { stop: entry - 50 }"), "BUY 2244000000 at 1000")
    assert.strictEqual(order("{ equity: 90% }"), "BUY 10000000000 at 1000")
    const without = problemsOf(file("    one: { when: mid > 1, side: buy, price: mid, size: { risk: 1% } }"))
    assert.match(without[0]?.message ?? "", /a size by risk needs a stop/)
  })

  it("are checked like any expression", () => {
    const text = file("    one: { when: mid > 1, side: sell, price: mid, size: { quote: position } }")
    assert.match(problemsOf(text)[0]?.message ?? "", /expected an amount of USDC, found an amount of BTC/)
  })
})

describe("rules by swaps", () => {
  it("apply `by` to the entry and to the exit separately", () => {
    const rule = (by: string, exitBy: string) =>
      strategyOf(
        file(`    all:
      when: mid > 1
      side: buy
      price: mid * (1 + 1%)
      size: { base: 1 }${by}
      then: { price: entry * 2${exitBy} }`)
      )
    const legsOf = (strategy: Strategy) =>
      strategy
        .decide(at(strategy, "50000", 0), null)
        .desired[0]?.legs.map(({ by, price }) => [by, Decimal.format(price)])
    const swap = "\n      by: swap"
    assert.deepStrictEqual(legsOf(rule(swap, "")), [
      ["swap", "50500"],
      [undefined, "101000"]
    ])
    assert.deepStrictEqual(legsOf(rule("", ", by: swap")), [
      [undefined, "50500"],
      ["swap", "101000"]
    ])
    assert.deepStrictEqual(
      legsOf(rule("\n      by: order", ", by: order"))?.map(([by]) => by),
      [undefined, undefined]
    )
  })
})
