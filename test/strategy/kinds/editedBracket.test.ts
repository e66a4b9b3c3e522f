/** A running bracket is edited between its fixed form and the one that follows the market: what it holds keeps its exits. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { armedLeg } from "../../../src/strategy/Decision.ts"
import { progressOf, type SlotProgress, untouchedSlot } from "../../../src/strategy/View.ts"
import { decideAt, price, strategyOf, viewAt } from "../support.ts"

const file = (section: string) =>
  strategyOf(`name: test
market: BTC/USDC
kind: bracket
limits: { budget: { base: 5, quote: 100000 } }
bracket: ${section}
`)

const one = 100_000_000n

const fixed = {
  BUY: file("{ side: buy, size: { base: 1 }, entry: 1000, takeProfit: 1100, stop: 900 }"),
  SELL: file("{ side: sell, size: { base: 1 }, entry: 1000, takeProfit: 900, stop: 1100 }")
}
const follows = {
  BUY: file(
    "{ side: buy, size: { base: 0.4 }, when: mid > 5000, entry: 1%, takeProfit: 5%, stop: 3%, times: 3, cooldown: 1h }"
  ),
  SELL: file(
    "{ side: sell, size: { base: 0.4 }, when: mid > 5000, entry: 1%, takeProfit: 5%, stop: 3%, times: 3, cooldown: 1h }"
  )
}
const loose = {
  BUY: file("{ side: buy, size: { base: 2 }, entry: 1%, takeProfit: 5%, stop: 3%, times: 3 }"),
  SELL: file("{ side: sell, size: { base: 2 }, entry: 1%, takeProfit: 5%, stop: 3%, times: 3 }")
}

/** So many legs are done, the last of which was an entry for one BTC at 1000. */
const entered = (side: "BUY" | "SELL", legs = 1): SlotProgress => ({
  ...untouchedSlot,
  completedLegs: legs,
  receivedByLastLeg: side === "BUY" ? one : 1_000_000_000n,
  lastLeg: { side, quantity: one },
  bought: side === "BUY" ? one : 0n,
  sold: side === "SELL" ? one : 0n,
  past: {
    held: side === "BUY" ? one : 0n,
    cost: side === "BUY" ? 1_000_000_000n : 0n,
    lastOrder: { side, price: price("1000") }
  }
})

type Given = Parameters<typeof decideAt>

const orderOf = (...[strategy, mid, memory, slots, now]: Given): string => {
  const decision = decideAt(strategy, mid, memory, slots, now)
  const view = viewAt(strategy, mid, slots, now)
  return decision.desired
    .flatMap((desired) => armedLeg(desired, progressOf(view, desired.slot)) ?? [])
    .map(({ side, price, quantity }) => `${side} ${quantity} at ${Decimal.format(price)}`)
    .join()
}

describe("a bracket whose stop costs more than its limit on prices allows", () => {
  const warned = (reach: string, limit: string) =>
    strategyOf(`name: test
market: BTC/USDC
kind: bracket
limits: { budget: { quote: 1000 }, maxPriceDeviation: ${limit} }
bracket: { side: buy, size: { quote: 500 }, entry: 1000, takeProfit: 1100, stop: 900, reach: ${reach} }
`).warnings?.map(({ message }) => message)

  it("has a warning that the stop order is not placed", () => {
    const text = "an order that gives away 20% is not placed: limits.maxPriceDeviation is 5%"
    assert.deepStrictEqual(warned("20%", "5%"), [text])
    assert.isUndefined(warned("5%", "5%"))
    assert.isUndefined(warned("20%", "25%"))
  })
})

describe.each(["BUY", "SELL"] as const)("an edited bracket that began with a %s", (side) => {
  it("is decided again once the stop of its new form is warm, and gets a stop", () => {
    const warming = file(
      "{ side: buy, size: { base: 1 }, timeframe: 1h, entry: 1%, takeProfit: 5%, stop: entry - 2 * atr(14) }"
    )
    const slots = new Map([["position", entered("BUY")]])
    const { memory } = decideAt(fixed.BUY, price("1010"), null, slots, 0)
    const { until } = decideAt(warming, price("1010"), memory, slots, 1)
    assert.strictEqual(until.barClose, "1h")
  })

  const [exit, up] = side === "BUY" ? ["SELL", 1] : ["BUY", -1]
  const slots = new Map([["position", entered(side)]])
  const mid = price("1000")
  const began = decideAt(fixed[side], mid)
  const holding = decideAt(fixed[side], mid, began.memory, slots)

  it("is refused with a file of the other side, and says how to begin again", () => {
    const other = side === "BUY" ? "SELL" : "BUY"
    const { base, quote } = { base: "bought 1 BTC, and the file sells", quote: "sold 1 BTC, and the file buys" }
    const text = `position has ${side === "BUY" ? base : quote} first now: to begin anew, give the file another name`
    for (const files of [fixed, follows, loose]) {
      assert.strictEqual(files[other].unfit?.(slots, null), text)
      assert.isUndefined(files[side].unfit?.(slots, null))
    }
  })

  it("of fixed prices continues as one that follows the market, with exits for its position", () => {
    for (const edited of [follows[side], loose[side]]) {
      assert.strictEqual(orderOf(edited, mid, holding.memory, slots), `${exit} ${one} at ${1000 + up * 50}`)
      const next = decideAt(edited, mid, holding.memory, slots)
      const stop = price(`${1000 - up * 31}`)
      assert.match(orderOf(edited, stop, next.memory, slots), new RegExp(`^${exit} ${one} at 9|^${exit} ${one} at 10`))
      assert.strictEqual(decideAt(edited, stop, next.memory, slots).desired[0]?.why.code, "rule-left")
    }
  })

  it("that follows the market continues at fixed prices, in any round", () => {
    for (const rounds of [0, 2]) {
      const before = rounds === 0 ? new Map() : new Map([["position", { ...entered(side, 2 * rounds) }]])
      const open = new Map([["position", entered(side, 2 * rounds + 1)]])
      const fired = decideAt(loose[side], mid, loose[side].initialMemory, before)
      const held = decideAt(loose[side], mid, fired.memory, open)
      const at = 1000 + up * 100
      assert.strictEqual(orderOf(fixed[side], mid, held.memory, open), `${exit} ${one} at ${at}`)
      const next = decideAt(fixed[side], mid, held.memory, open)
      const [stopped, leaves] = side === "BUY" ? ["899", "894.51"] : ["1101", "1106.5"]
      assert.strictEqual(orderOf(fixed[side], price(stopped), next.memory, open), `${exit} ${one} at ${leaves}`)
      // And back again.
      assert.match(orderOf(follows[side], mid, next.memory, open), new RegExp(`^${exit} ${one} at`))
    }
  })

  it("sells or buys back its actual entry if only its size is edited", () => {
    const smaller = file(
      side === "BUY"
        ? "{ side: buy, size: { base: 0.2 }, entry: 1000, takeProfit: 1100, stop: 900 }"
        : "{ side: sell, size: { base: 0.2 }, entry: 1000, takeProfit: 900, stop: 1100 }"
    )
    assert.strictEqual(orderOf(smaller, mid, holding.memory, slots), `${exit} ${one} at ${1000 + up * 100}`)
  })

  it("has exits for an entry that the edit cancels and that fills meanwhile", () => {
    const live = { side, price: price("1000"), quantity: one }
    const resting = new Map([["position", { ...untouchedSlot, live }]])
    const withdrawn = decideAt(follows[side], mid, began.memory, resting)
    assert.deepStrictEqual(withdrawn.desired, [])
    const late = decideAt(follows[side], mid, withdrawn.memory, slots)
    assert.strictEqual(orderOf(follows[side], mid, late.memory, slots), `${exit} ${one} at ${1000 + up * 50}`)
    const gone = decideAt(follows[side], mid, withdrawn.memory, new Map([["position", untouchedSlot]]))
    assert.deepStrictEqual(
      gone.absent.map(({ why }) => why.code),
      ["condition"]
    )
  })

  it("that is over begins again", () => {
    const over = new Map([
      ["position", { ...entered(side, 2), lastLeg: { side: side === "BUY" ? "SELL" : "BUY" } as const }]
    ])
    const begins = decideAt(loose[side], mid, holding.memory, over)
    assert.strictEqual(begins.desired[0]?.why.code, "rule-fired")
    const done = decideAt(loose[side], mid, loose[side].initialMemory, over)
    assert.strictEqual(
      orderOf(fixed[side], mid, { position: { fired: 3, pausedUntil: 0 } }, over),
      `${side} ${one} at 1000`
    )
    assert.isAbove(done.desired.length, 0)
  })
})

describe.each(["buy", "sell"] as const)("a bracket of fixed prices that begins with a %s", (side) => {
  const sign = side === "buy" ? 1 : -1
  const numbers = `takeProfit: ${1000 + sign * 100}, stop: ${1000 - sign * 100}, breakevenAt: ${1000 + sign * 20}`
  const at = (entry: number) => file(`{ side: ${side}, size: { base: 1 }, entry: ${entry}, ${numbers} }`)
  const [first, moved] = [at(1000), at(1000 - sign * 20)]
  const mid = price(String(1000 + sign * 10))
  const stopOf = ({ stops }: ReturnType<typeof decideAt>) => stops?.priceBelow ?? stops?.priceAbove

  it("breaks even at the average of its fills after an edit moves its entry", () => {
    const part = { ...untouchedSlot, filledInLeg: 60_000_000n, filledAt: price("1000") }
    const slots = new Map([["position", part]])
    const touched = decideAt(first, mid, decideAt(first, mid).memory, slots)
    const edited = decideAt(moved, mid, touched.memory, slots)
    const whole = { ...entered(side === "buy" ? "BUY" : "SELL"), filledAt: price(String(1000 - sign * 20)) }
    const held = new Map([["position", whole]])
    const even = decideAt(moved, price(String(1000 + sign * 25)), edited.memory, held)
    // 0.6 at 1000 and 0.4 at the new price.
    assert.strictEqual(Decimal.format(stopOf(even) ?? Decimal.zero), side === "buy" ? "992" : "1008")
    const later = decideAt(moved, mid, even.memory, held)
    assert.strictEqual(Decimal.format(stopOf(later) ?? Decimal.zero), side === "buy" ? "992" : "1008")
  })

  it("places no entry while the market is beyond its stop, and keeps an open one", () => {
    const beyond = price(String(1000 - sign * 101))
    const waits = decideAt(first, beyond)
    assert.isEmpty(waits.desired)
    assert.deepStrictEqual(
      waits.absent.map(({ why }) => why.text),
      [`waits: the market is beyond its stop ${1000 - sign * 100}`]
    )
    const bound = side === "buy" ? waits.until.priceAbove : waits.until.priceBelow
    assert.strictEqual(Decimal.format(bound ?? Decimal.zero), String(1000 - sign * 100))
    assert.lengthOf(decideAt(first, price(String(1000 - sign * 99)), waits.memory).desired, 1)
    const live = { side: side === "buy" ? "BUY" : "SELL", price: price("1000"), quantity: one } as const
    assert.lengthOf(decideAt(first, beyond, null, new Map([["position", { ...untouchedSlot, live }]])).desired, 1)
  })
})

describe.each(["buy", "sell"] as const)(
  "a bracket that begins with a %s, whose entry is moved after a part of it has filled",
  (side) => {
    const [sign, exit] = side === "buy" ? [1, "SELL"] : [-1, "BUY"]
    const at = (entry: number) =>
      file(`{ side: ${side}, size: { base: 1 }, entry: ${entry}, takeProfit: 2%, stop: 6%, breakevenAt: 1% }`)
    const [first, moved] = [at(1000), at(1000 - sign * 30)]
    const filled = (quantity: bigint): SlotProgress => ({ ...untouchedSlot, filledInLeg: quantity })
    const mid = price(String(1000 + sign * 10))
    const began = decideAt(first, mid)
    const touched = decideAt(first, mid, began.memory, new Map([["position", filled(60_000_000n)]]))
    const legsAt = (quantity: bigint, memory: Parameters<typeof decideAt>[2]) => {
      const decision = decideAt(moved, mid, memory, new Map([["position", filled(quantity)]]))
      const [desired] = decision.desired
      return {
        memory: decision.memory,
        stops: decision.stops,
        legs: desired?.legs.map((leg) => `${leg.side} ${leg.quantity} at ${Decimal.format(leg.price)}`)
      }
    }

    it("places the rest at its new price, and keeps the exits of what has filled", () => {
      const next = legsAt(60_000_000n, touched.memory)
      const [entry, target] = side === "buy" ? ["BUY", 1020] : ["SELL", 980]
      assert.deepStrictEqual(next.legs, [`${entry} ${one} at ${1000 - sign * 30}`, `${exit} ${one} at ${target}`])
      assert.deepStrictEqual(next.stops, touched.stops)
    })

    it("counts its exits from the old price if the old order fills whole before its cancel", () => {
      const resting = new Map([
        [
          "position",
          {
            ...untouchedSlot,
            live: { side: side === "buy" ? "BUY" : "SELL", price: price("1000"), quantity: one } as const
          }
        ]
      ])
      const edited = decideAt(moved, mid, began.memory, resting)
      const filledAt = price("1000")
      const target = `${exit} ${one} at ${side === "buy" ? "1020" : "980"}`
      const whole = new Map([["position", { ...entered(side === "buy" ? "BUY" : "SELL"), filledAt }]])
      assert.strictEqual(orderOf(moved, mid, edited.memory, whole), target)
      const inPart = new Map([["position", { ...filled(80_000_000n), filledAt }]])
      const later = decideAt(moved, mid, edited.memory, inPart)
      assert.strictEqual(orderOf(moved, mid, later.memory, whole), target)
    })

    it("counts what the old order fills until its cancel at the old price, and later fills at the new one", () => {
      const at = (quantity: bigint, entry: number) =>
        new Map([["position", { ...filled(quantity), filledAt: price(String(entry)) }]])
      const edited = decideAt(moved, mid, touched.memory, at(60_000_000n, 1000))
      const late = decideAt(moved, mid, edited.memory, at(80_000_000n, 1000))
      const filledAt = price(String(1000 - sign * 30))
      const whole = new Map([["position", { ...entered(side === "buy" ? "BUY" : "SELL"), filledAt }]])
      // 0.8 at 1000 and 0.2 at the new price: 994 or 1006.
      assert.strictEqual(
        orderOf(moved, mid, late.memory, whole),
        `${exit} ${one} at ${side === "buy" ? "1013.88" : "985.88"}`
      )
    })

    it("counts its exits from the average price, as fills at the new price follow", () => {
      const next = legsAt(60_000_000n, touched.memory)
      // 0.6 at 1000 and 0.2 at the new price: 992.5 or 1007.5.
      const later = legsAt(80_000_000n, next.memory)
      assert.strictEqual(later.legs?.[1], `${exit} ${one} at ${side === "buy" ? "1012.35" : "987.35"}`)
      // 0.6 at 1000 and 0.4 at the new price: 988 or 1012.
      const holding = new Map([["position", { ...entered(side === "buy" ? "BUY" : "SELL") }]])
      const held = decideAt(moved, mid, later.memory, holding)
      assert.strictEqual(
        orderOf(moved, mid, later.memory, holding),
        `${exit} ${one} at ${side === "buy" ? "1007.76" : "991.76"}`
      )
      assert.strictEqual(
        orderOf(moved, mid, held.memory, holding),
        `${exit} ${one} at ${side === "buy" ? "1007.76" : "991.76"}`
      )
    })
  }
)
