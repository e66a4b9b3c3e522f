/** `signal("trend", 2h)`: counts from its time on until it is too old, and an answer holds no longer than what it saw. */
import { assert, describe, it } from "@effect/vitest"
import { historyOf, type Signals } from "../../../src/domain/Signal.ts"
import { holds } from "../../../src/strategy/Decision.ts"
import type { View } from "../../../src/strategy/View.ts"
import { between, integerBetween, pick, price, problemsOf, random, strategyOf, viewAt } from "../support.ts"

const hour = 3_600_000
const noon = 1_700_000_000_000

const file = (condition: string) => `name: test
market: BTC/USDC
kind: rules
limits:
  budget: { base: 10, quote: 100000 }
rules:
  timeframe: 1h
  orders:
    buy: { when: '${condition}', side: buy, price: mid * (1 - 1%), size: { quote: 100 }, cancelWhen: 'not (${condition})' }
`
const strategy = strategyOf(file('signal("trend", 2h) > 0.5'))

const at = (now: number, signals: Signals | undefined, middle = "1200"): View => ({
  ...viewAt(strategy, price(middle), new Map(), now),
  ...(signals === undefined ? {} : { signals })
})
const sent = (value: number, at: number): Signals => new Map([["trend", { value, at }]])
const wishes = (view: View, memory = strategy.initialMemory) => strategy.decide(view, memory)

describe("signals", () => {
  it("count until they are too old, and then the decision no longer holds", () => {
    const decision = wishes(at(noon, sent(0.7, noon - hour)))
    assert.lengthOf(decision.desired, 1)
    assert.deepStrictEqual([decision.until.time, decision.until.signals], [noon + hour, true])
    assert.isFalse(holds(decision.until, at(noon + hour, undefined), false))
  })

  it("that are missing or too old leave the condition undecided, neither true nor false", () => {
    for (const signals of [undefined, new Map(), sent(0.7, noon - 2 * hour), sent(0.1, noon - 3 * hour)]) {
      const { absent, desired, until } = wishes(at(noon, signals))
      assert.deepStrictEqual([desired.length, absent.map(({ why }) => why.code)], [0, ["not-known"]])
      assert.include(absent[0]?.why.text, 'waits for a fresh signal "trend" (none within 2h)')
      assert.isTrue(until.signals)
      assert.isUndefined(until.time)
    }
  })

  it("that stop while an order is open leave it open; only a value can cancel it", () => {
    const fired = wishes(at(noon, sent(0.7, noon)))
    const silent = strategy.decide(at(noon + 3 * hour, sent(0.7, noon)), fired.memory)
    assert.lengthOf(silent.desired, 1)
    const withdrawn = strategy.decide(at(noon + 3 * hour, sent(0.2, noon + 3 * hour)), fired.memory)
    assert.lengthOf(withdrawn.desired, 0)
  })

  it("give the same decision anywhere inside its bounds, for any price and age", () => {
    const next = random(5)
    const conditions = [
      'signal("trend", 2h) > 0.5',
      'mid < 1000 * signal("trend", 90m)',
      'mid < signal("level", 90m)',
      'signal("trend", 1h) > signal("other", 30m) or mid > 1300',
      'mid > 1250 and signal("other", 10m) == 1'
    ] as const
    for (let turn = 0; turn < 300; turn++) {
      const one = strategyOf(file(pick(next, conditions)))
      const value = () => pick(next, [0, 0.4, 1, between(next, 0.8, 1.5)])
      const signals = new Map(
        ["trend", "other", "level"]
          .filter(() => next() < 0.8)
          .map((name) => [
            name,
            { value: name === "level" ? 1000 : value(), at: noon - integerBetween(next, 0, 2 * hour) }
          ])
      )
      const look = (middle: number, now: number): View => ({
        ...viewAt(one, price(middle.toFixed(4)), new Map(), now),
        signals
      })
      const decision = one.decide(look(between(next, 700, 1500), noon), null)
      for (let tried = 0; tried < 20; tried++) {
        const view = look(between(next, 700, 1500), noon + integerBetween(next, 0, 3 * hour))
        if (!holds(decision.until, view, false)) continue
        assert.deepStrictEqual(one.decide(view, decision.memory).desired, decision.desired, `turn ${turn}`)
      }
    }
  })

  it("of a centre of quotes are awaited, not only the next candle", () => {
    const quoting = strategyOf(`name: test
market: BTC/USDC
kind: market-making
limits:
  budget: { base: 10, quote: 100000 }
market-making:
  levels: 1
  spread: 1%
  size: 1
  centre: signal("level", 2h)
`)
    const waiting = quoting.decide(viewAt(quoting, price("1200"), new Map(), noon), null)
    assert.deepStrictEqual([waiting.desired.length, waiting.until.signals], [0, true])
    const known: Signals = new Map([["level", { value: 1000, at: noon }]])
    const quoted = quoting.decide({ ...viewAt(quoting, price("1200"), new Map(), noon), signals: known }, null)
    assert.deepStrictEqual([quoted.desired.length, quoted.until.signals], [2, true])
    assert.strictEqual(quoted.until.time, noon + 2 * hour)
  })

  it("take the type of what they are compared with, like a literal number", () => {
    assert.deepStrictEqual(strategyOf(file('signal("trend", 2h) > 0')).signals, new Map([["trend", 2 * hour]]))
    assert.deepStrictEqual(
      strategyOf(file('signal("a", 2h) > 0 and signal("a", 30m) < 5')).signals,
      new Map([["a", hour / 2]])
    )
    const level = strategyOf(file('mid < signal("level", 2h)'))
    const known = new Map([["level", { value: 1000, at: noon }]])
    const above = level.decide({ ...at(noon, known), price: viewAt(level, price("1200")).price }, null)
    assert.lengthOf(above.desired, 0)
    assert.closeTo(
      Number(above.until.priceBelow?.digits ?? 0n) / 10 ** (above.until.priceBelow?.scale ?? 0),
      1000,
      1e-5
    )
  })

  it.each([
    ['signal("trend") > 0', "signal takes a name in quotes and how old its value may be"],
    ["signal(trend, 2h) > 0", "signal takes a name in quotes and how old its value may be"],
    ['signal("trend", 2) > 0', "signal takes a name in quotes and how old its value may be"],
    ['signal("a trend", 2h) > 0', "signal takes a name in quotes and how old its value may be"],
    ['signals("trend", 2h) > 0', 'unknown function "signals"']
  ])("report what is wrong with %s", (condition, message) => {
    assert.include(problemsOf(file(condition))[0]?.message, message)
  })

  it("of a journal are known from their receipt on, and keep their own time", () => {
    const history = historyOf([
      { name: "a", value: 1, at: 10, receivedAt: 25 },
      { name: "a", value: 2, at: 20, receivedAt: 40 },
      { name: "b", value: 3, at: 30 }
    ])
    assert.deepStrictEqual([...history.at(24)], [])
    assert.deepStrictEqual([...history.at(25)], [["a", { value: 1, at: 10 }]])
    assert.strictEqual(history.at(39).get("a")?.value, 1)
    assert.strictEqual(history.at(40).get("a")?.at, 20)
    assert.deepStrictEqual([24, 25, 30, 40].map(history.nextAfter), [25, 30, 40, Number.POSITIVE_INFINITY])
  })

  it("of a past time are known from their time on, and not before", () => {
    const history = historyOf([
      { name: "b", value: 3, at: 30 },
      { name: "a", value: 1, at: 10 },
      { name: "a", value: 2, at: 20 },
      { name: "a", value: 2.5, at: 20 }
    ])
    assert.deepStrictEqual([...history.at(9)], [])
    assert.deepStrictEqual([...history.at(10)], [["a", { value: 1, at: 10 }]])
    assert.strictEqual(history.at(20).get("a")?.value, 2.5)
    assert.deepStrictEqual([...history.at(99).keys()], ["a", "b"])
    assert.deepStrictEqual([9, 10, 19, 29, 30].map(history.nextAfter), [10, 20, 20, 30, Number.POSITIVE_INFINITY])
  })
})
