/** Brackets whose prices follow from the market when they begin. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { armedLeg } from "../../../src/strategy/Decision.ts"
import { type SlotProgress, untouchedSlot } from "../../../src/strategy/View.ts"
import { checkBounds } from "../bounds.ts"
import type { Slots } from "../support.ts"
import { completed, decideAt, price, problemsOf, strategyOf } from "../support.ts"

const file = (section: string) => `name: test
market: BTC/USDC
kind: bracket
limits: { budget: { base: 5, quote: 100000 } }
bracket: ${section}
`
const prices = ({ desired }: ReturnType<typeof decideAt>) =>
  desired.flatMap(({ legs }) => legs.map((leg) => `${leg.side} ${Decimal.format(leg.price)}`))

describe("a bracket by percentages", () => {
  it("enters below the mid and exits around the entry; a sale is mirrored", () => {
    const buys = strategyOf(file("{ side: buy, size: { base: 1 }, entry: 1%, takeProfit: 5%, stop: 3% }"))
    const first = decideAt(buys, price("1000"))
    assert.deepStrictEqual(prices(first), ["BUY 990", "SELL 1039.5"])
    const held: Slots = new Map([["position", completed(1, 100_000_000n)]])
    const holding = decideAt(buys, price("995"), first.memory, held)
    assert.strictEqual(Decimal.format(holding.until.priceBelow ?? Decimal.zero).slice(0, 5), "960.3")
    const stopped = decideAt(buys, price("960"), holding.memory, held)
    assert.deepStrictEqual(prices(stopped), ["BUY 990", "SELL 955.2"])
    const sells = strategyOf(file("{ side: sell, size: { base: 1 }, entry: 1%, takeProfit: 5%, stop: 3% }"))
    assert.deepStrictEqual(prices(decideAt(sells, price("1000"))), ["SELL 1010", "BUY 959.5"])
  })

  it("begins after its condition, and again after the cooldown, as often as the file says", () => {
    const text =
      "{ side: buy, size: { quote: 100 }, when: mid > 1100, entry: mid, takeProfit: 5%, stop: 3%, times: 2, cooldown: 1h }"
    const strategy = strategyOf(file(text))
    const waits = decideAt(strategy, price("1000"))
    assert.deepStrictEqual([prices(waits), waits.absent.map(({ why }) => why.code)], [[], ["condition"]])
    const began = decideAt(strategy, price("1200"), waits.memory)
    assert.deepStrictEqual(prices(began), ["BUY 1200", "SELL 1260"])
    const ended = (legs: number): Slots => new Map([["position", completed(legs, 1n)]])
    const over = decideAt(strategy, price("1300"), began.memory, ended(2), 1_000)
    assert.deepStrictEqual([prices(over), over.until.time], [[], 1_000 + 3_600_000])
    const again = decideAt(strategy, price("1300"), over.memory, ended(2), 3_601_000)
    assert.deepStrictEqual(prices(again), ["BUY 1300", "SELL 1365"])
    const last = decideAt(strategy, price("1300"), again.memory, ended(4), 9_999_000)
    assert.deepStrictEqual(
      last.absent.map(({ why }) => why.code),
      ["used-up"]
    )
  })

  it("moves its stop to the entry once the market has reached `breakevenAt`", () => {
    for (const [side, entry, at, back] of [
      ["buy", "990", "1019.8", "989.9"],
      ["sell", "1010", "989.7", "1010.1"]
    ] as const) {
      const section = `{ side: ${side}, size: { base: 1 }, entry: 1%, takeProfit: 9%, stop: 8%, breakevenAt: 2% }`
      const strategy = strategyOf(file(section))
      const held: Slots = new Map([["position", completed(1, side === "buy" ? 100_000_000n : 1_000_000_000n)]])
      const first = decideAt(strategy, price("1000"))
      const before = decideAt(strategy, price("1000"), first.memory, held)
      const left = ({ desired }: ReturnType<typeof decideAt>) => desired[0]?.why.code === "rule-left"
      assert.isFalse(left(decideAt(strategy, price(entry), before.memory, held)), "its own stop is further away")
      const moved = decideAt(strategy, price(at), before.memory, held)
      assert.isFalse(left(moved))
      assert.isTrue(left(decideAt(strategy, price(back), moved.memory, held)), side)
    }
  })

  describe("whose first target fills between two polls", () => {
    const targets = "[{ at: 2%, part: 50% }, { at: 6%, part: 50% }]"
    const stopAfter = (side: "buy" | "sell", filledAt: string, exit: Partial<SlotProgress>, keys: string) => {
      const strategy = strategyOf(
        file(`{ side: ${side}, size: { base: 1 }, entry: 1%, takeProfit: ${targets}, stop: 8%, ${keys} }`)
      )
      const part = (progress: Partial<SlotProgress> = {}) => ({ ...completed(1, 50_000_000_000n), ...progress })
      const slots = (first: SlotProgress): Slots =>
        new Map([
          ["position-1", first],
          ["position-2", part({ filledAt: price(side === "buy" ? "990" : "1010") })]
        ])
      const first = decideAt(strategy, price("1000"))
      const held = decideAt(strategy, price("1000"), first.memory, slots(part()))
      const at = slots(part({ ...exit, filledAt: price(filledAt) }))
      const after = decideAt(strategy, price("1000"), held.memory, at)
      const again = decideAt(strategy, price("1000"), after.memory, at)
      assert.deepStrictEqual([again.stops, again.memory], [after.stops, after.memory])
      const { priceAbove, priceBelow } = after.stops ?? {}
      const stop = side === "buy" ? priceBelow : priceAbove
      return stop && Decimal.format(stop)
    }
    const whole = { completedLegs: 2 }

    it("has its stop at the entry if the fill is at or beyond `breakevenAt`, whole or in part", () => {
      for (const exit of [whole, { filledInLeg: 1n }]) {
        assert.strictEqual(stopAfter("buy", "1009.8", exit, "breakevenAt: 2%"), "990")
        assert.strictEqual(stopAfter("sell", "989.8", exit, "breakevenAt: 2%"), "1010")
        assert.strictEqual(stopAfter("buy", "1009.7", exit, "breakevenAt: 2%"), "910.8")
      }
    })

    it("has its stop behind the price of the fill if it trails", () => {
      assert.strictEqual(stopAfter("buy", "1010", whole, "trail: 5%, trailFrom: 2%"), "959.5")
      assert.strictEqual(stopAfter("buy", "1009", whole, "trail: 5%, trailFrom: 2%"), "910.8")
      assert.strictEqual(stopAfter("sell", "980", whole, "trail: 5%"), "1029")
    })
  })

  it("exits in parts at several targets, and each part keeps the stop", () => {
    const targets = "[{ at: 2%, part: 50% }, { at: 4%, part: 30% }, { at: entry * 1.08, part: 20% }]"
    const strategy = strategyOf(
      file(`{ side: buy, size: { base: 0.33333333 }, entry: 1%, takeProfit: ${targets}, stop: 5% }`)
    )
    const first = decideAt(strategy, price("1000"))
    assert.deepStrictEqual(
      first.desired.map(({ slot, legs: [entry, exit] }) => [slot, entry.quantity, exit && Decimal.format(exit.price)]),
      [
        ["position-1", 16_666_666n, "1009.8"],
        ["position-2", 9_999_999n, "1029.6"],
        ["position-3", 6_666_668n, "1069.2"]
      ],
      "the parts are the whole"
    )
    const filled = (done: number): Slots =>
      new Map(
        first.desired.map(({ slot, legs: [{ quantity }] }, index) => [slot, completed(index < done ? 2 : 1, quantity)])
      )
    const rest = decideAt(strategy, price("1011"), first.memory, filled(1))
    assert.deepStrictEqual(
      rest.absent.map(({ slot, why }) => [slot, why.code]),
      [["position-1", "used-up"]]
    )
    const stopped = decideAt(strategy, price("940"), rest.memory, filled(1))
    assert.deepStrictEqual(
      stopped.desired.map(({ slot, why }) => [slot, why.code]),
      [
        ["position-2", "rule-left"],
        ["position-3", "rule-left"]
      ]
    )
    const one = strategyOf(file("{ side: buy, size: { base: 0.3 }, entry: 1%, takeProfit: 2%, stop: 5% }"))
    assert.match(one.unfit?.(filled(1), null) ?? "", /^position-2 holds a position: change the number of targets/)
    assert.isUndefined(strategy.unfit?.(filled(1), null))
  })

  it("buys nothing more once one of its targets begins to fill, or its stop is reached", () => {
    const strategy = strategyOf(
      file(
        "{ side: buy, size: { base: 3 }, entry: 1%, takeProfit: [{ at: 3%, part: 40% }, { at: 6%, part: 60% }], stop: 5% }"
      )
    )
    const first = decideAt(strategy, price("1000"))
    const open = { ...untouchedSlot, live: { side: "BUY", price: price("990"), quantity: 180_000_000n } } as const
    const bought = {
      ...untouchedSlot,
      completedLegs: 1,
      receivedByLastLeg: 120_000_000n,
      lastLeg: { side: "BUY" }
    } as const
    const isSelling = { filledInLeg: 1n, filledAt: price("1019.7") }
    for (const [at, one] of [
      ["930", bought],
      ["1000", { ...bought, ...isSelling }]
    ] as const) {
      const slots: Slots = new Map<string, SlotProgress>([
        ["position-1", one],
        ["position-2", open]
      ])
      const { absent, desired } = decideAt(strategy, price(at), first.memory, slots)
      assert.deepStrictEqual(
        [desired.map(({ slot }) => slot), absent.map(({ slot }) => slot)],
        [["position-1"], ["position-2"]]
      )
    }
  })

  it("buys nothing for a target that an edit adds once the bracket has begun", () => {
    const bracketTo = (targets: string) =>
      strategyOf(file(`{ side: buy, size: { base: 0.3 }, entry: 1%, takeProfit: ${targets}, stop: 5% }`))
    const first = decideAt(bracketTo("[{ at: 2%, part: 50% }, { at: 4%, part: 50% }]"), price("1000"))
    const more = bracketTo("[{ at: 2%, part: 40% }, { at: 4%, part: 30% }, { at: 6%, part: 30% }]")
    const quantities = first.desired.map(({ slot, legs: [{ quantity }] }): [string, bigint] => [slot, quantity])
    const filled: Slots = new Map(quantities.map(([slot, quantity]) => [slot, completed(1, quantity)]))
    for (const slots of [undefined, filled]) {
      const edited = decideAt(more, price("1000"), first.memory, slots)
      assert.deepStrictEqual(
        edited.desired.map(({ slot, legs: [{ quantity }] }) => [slot, quantity]),
        quantities,
        "the size in all is as it was"
      )
      assert.lengthOf(decideAt(more, price("1005"), edited.memory, slots).desired, 2)
    }
    assert.lengthOf(decideAt(more, price("1000")).desired, 3)
  })

  it("begins again with all its parts once the last of them has ended", () => {
    const targets = "[{ at: 2%, part: 50% }, { at: 4%, part: 50% }]"
    const section = `{ side: buy, size: { base: 1 }, entry: 1%, takeProfit: ${targets}, stop: 5%, times: 2, cooldown: 1h }`
    const strategy = strategyOf(file(section))
    const slots = (first: number, second: number): Slots =>
      new Map([
        ["position-1", completed(first, 50_000_000n)],
        ["position-2", completed(second, 50_000_000n)]
      ])
    const first = decideAt(strategy, price("1000"))
    const half = decideAt(strategy, price("1011"), first.memory, slots(2, 1), 1_000)
    const waits = decideAt(strategy, price("1011"), half.memory, slots(2, 1), 9_999_000)
    assert.deepStrictEqual(
      [waits.desired.map(({ slot }) => slot), waits.absent.map(({ slot, why }) => [slot, why.code])],
      [["position-2"], [["position-1", "in-parts"]]]
    )
    const over = decideAt(strategy, price("1031"), waits.memory, slots(2, 2), 10_000_000)
    assert.deepStrictEqual([prices(over), over.until.time], [[], 13_600_000], "one cooldown for all")
    const again = decideAt(strategy, price("2000"), over.memory, slots(2, 2), 13_600_000)
    assert.deepStrictEqual(prices(again), ["BUY 1980", "SELL 2019.6", "BUY 1980", "SELL 2059.2"])
    const last = decideAt(strategy, price("2000"), again.memory, slots(4, 4), 99_000_000)
    assert.deepStrictEqual(
      last.absent.map(({ why }) => why.code),
      ["used-up", "used-up"]
    )
  })

  it("says what is wrong with its targets", () => {
    const said = (targets: string) =>
      problemsOf(file(`{ side: buy, size: { base: 1 }, entry: 1%, takeProfit: ${targets}, stop: 5% }`)).map(
        ({ message }) => message
      )
    assert.deepStrictEqual(said("[{ at: 2%, part: 50% }, { at: 4%, part: 40% }]"), [
      "the parts of the targets add up to 90%, not to 100%"
    ])
    assert.match(said("[{ at: 2% }, { at: 4%, part: 50% }]").join("\n"), /part/)
    assert.deepStrictEqual(said("[{ at: entry * 0.98, part: 50% }, { at: 4%, part: 50% }]"), [
      "the take-profit must be above the entry price"
    ])
  })

  it("decides the same anywhere inside its bounds with several targets and a moving stop", () => {
    const targets = "[{ at: 2%, part: 50% }, { at: 4%, part: 50% }]"
    for (const side of ["buy", "sell"]) {
      const section = `{ side: ${side}, size: { base: 1 }, entry: 1%, takeProfit: ${targets}, stop: 5%, breakevenAt: 1.5% }`
      for (let seed = 1; seed <= 20; seed++) checkBounds(strategyOf(file(section)), { low: 900, high: 1100, seed })
    }
  })

  const either =
    "{ side: buy, size: { base: 1 }, entry: 1%, or: { entry: mid, when: mid >= 1050 }, takeProfit: 5%, stop: 3%, times: 2 }"
  const named = ({ desired, absent }: ReturnType<typeof decideAt>) => [
    ...desired.map(({ slot, legs: [leg] }) => `${slot} ${Decimal.format(leg.price)}`),
    ...absent.map(({ slot, why }) => `${slot} ${why.code}`)
  ]
  const open = (quantity: bigint, filledInLeg = 0n) => ({
    ...completed(0),
    filledInLeg,
    live: { side: "BUY", price: price("990"), quantity } as const
  })

  it("has two entries, and cancels the other one as soon as one of them fills", () => {
    const strategy = strategyOf(file(either))
    const first = decideAt(strategy, price("1000"))
    assert.deepStrictEqual(named(first), ["position 990", "position-or condition"])
    const both = decideAt(strategy, price("1060"), first.memory, new Map([["position", open(100_000_000n)]]))
    assert.deepStrictEqual(named(both), ["position 990", "position-or 1060"])
    const part = new Map([
      ["position", open(100_000_000n)],
      ["position-or", open(99_000_000n, 1_000_000n)]
    ])
    const filled = decideAt(strategy, price("1060"), both.memory, part)
    assert.deepStrictEqual(named(filled), ["position-or 1060", "position withdrawn"])
    const ended: Slots = new Map([
      ["position", completed(0)],
      ["position-or", completed(2)]
    ])
    const again = decideAt(strategy, price("1000"), filled.memory, ended)
    assert.deepStrictEqual(named(again), ["position 990", "position-or condition"])
    const over = decideAt(strategy, price("1000"), again.memory, new Map([...ended, ["position", completed(2)]]))
    assert.deepStrictEqual(named(over), ["position used-up", "position-or used-up"])
  })

  it("exits both entries if both fill before the cancel is through", () => {
    const strategy = strategyOf(file(either))
    const first = decideAt(strategy, price("1060"))
    assert.deepStrictEqual(named(first), ["position 1049.4", "position-or 1060"])
    const one = new Map([
      ["position", open(100_000_000n)],
      ["position-or", completed(1, 100_000_000n)]
    ])
    const cancels = decideAt(strategy, price("1060"), first.memory, one)
    assert.deepStrictEqual(named(cancels), ["position-or 1060", "position withdrawn"])
    const two: Slots = new Map([
      ["position", { ...open(0n, 40_000_000n) }],
      ["position-or", completed(1, 100_000_000n)]
    ])
    const held = decideAt(strategy, price("1055"), cancels.memory, two)
    assert.deepStrictEqual(prices(held), ["BUY 1049.4", "SELL 1101.87", "BUY 1060", "SELL 1113"])
    assert.strictEqual(held.desired[0]?.legs[0].quantity, 40_000_000n, "nothing more is bought")
    const stopped = decideAt(strategy, price("1000"), held.memory, two)
    assert.deepStrictEqual(
      stopped.desired.map(({ why, legs: [{ quantity }] }) => [why.code, quantity]),
      [
        ["rule-left", 40_000_000n],
        ["rule-left", 100_000_000n]
      ]
    )
  })

  it("exits all that an entry has filled after the other entry has replaced it", () => {
    const strategy = strategyOf(file(either))
    const replaced = completed(1, 100_000_000n)
    const beside = (progress: SlotProgress): Slots =>
      new Map([
        ["position", progress],
        ["position-or", replaced]
      ])
    const first = decideAt(strategy, price("1060"))
    const cancels = decideAt(strategy, price("1060"), first.memory, beside(open(100_000_000n)))
    const part = decideAt(strategy, price("1055"), cancels.memory, beside(open(60_000_000n, 40_000_000n)))
    for (const quantity of [40_000_000n, 70_000_000n, 100_000_000n]) {
      const progress = { ...completed(1, quantity), lastLeg: { side: "BUY", quantity } } as const
      const exits = decideAt(strategy, price("1055"), part.memory, beside(progress))
      assert.strictEqual(exits.desired[0] && armedLeg(exits.desired[0], progress)?.quantity, quantity)
    }
  })

  it("needs the budget for both entries, which are open at once", () => {
    const small = file(either.replace("base: 1 }", "quote: 60000 }"))
    assert.deepStrictEqual(
      problemsOf(small).map(({ message }) => message),
      ["its orders are together larger than the quote budget"]
    )
    assert.match(
      strategyOf(file(either.replace(/ or: .*?},/, ""))).unfit?.(new Map([["position-or", completed(1)]]), null) ?? "",
      /^position-or holds a position/
    )
  })

  it("decides the same anywhere inside its bounds with two entries", () => {
    const targets = "[{ at: 2%, part: 50% }, { at: 4%, part: 50% }]"
    for (const takeProfit of ["5%", targets])
      for (let seed = 1; seed <= 20; seed++)
        checkBounds(strategyOf(file(either.replace("5%", takeProfit))), { low: 900, high: 1100, seed, steps: 12 })
  })

  it("trails only from `trailFrom` on, which is a distance from the entry or a price", () => {
    const section = "{ side: buy, size: { base: 1 }, entry: 1%, takeProfit: 50%, stop: 30%, trail: 2%, trailFrom: 10% }"
    const strategy = strategyOf(file(section))
    const held: Slots = new Map([["position", completed(1, 100_000_000n)]])
    const first = decideAt(strategy, price("1000"))
    const waits = decideAt(strategy, price("1088"), first.memory, held)
    const near = (at: Decimal.Decimal | undefined, expected: number) =>
      assert.closeTo(Decimal.toNumber(at ?? Decimal.zero), expected, 1e-4)
    near(waits.until.priceAbove, 1089)
    near(waits.until.priceBelow, 693)
    const begun = decideAt(strategy, price("1089"), waits.memory, held)
    near(begun.until.priceBelow, 1067.22)
    const wrong = (keys: string) =>
      problemsOf(file(section.replace("entry: 1%", "entry: 1000").replace("trail: 2%, trailFrom: 10%", keys))).map(
        ({ line, column, message }) => [line, column, message]
      )
    assert.deepStrictEqual(wrong("trailFrom: 10%"), [[5, 94, "trailFrom without trail does nothing"]])
    assert.deepStrictEqual(wrong("trail: 2%, trailFrom: 900"), [
      [5, 105, "trailFrom must be above the entry price 1000"]
    ])
  })

  it.each([1, 2, 3])("decides the same anywhere inside its bounds (seed %s)", (seed) => {
    const text =
      "{ side: buy, size: { risk: 1% }, when: mid > 1000, entry: 1%, takeProfit: 5%, stop: 3%, trail: 2%, trailFrom: 1%, times: 9 }"
    checkBounds(strategyOf(file(text)), { low: 900, high: 1100, seed })
  })
})
