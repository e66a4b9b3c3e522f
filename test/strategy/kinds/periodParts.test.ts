/** Entries that have filled in part when an edit adds `from` or `when`, or when the strategy ends with `onEnd: leave`. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { dayMillis } from "../../../src/domain/Durations.ts"
import { opposite, type Side } from "../../../src/domain/Market.ts"
import { armedLeg, type Decision, type Memory, mayCloseLeg } from "../../../src/strategy/Decision.ts"
import { progressOf, type SlotProgress, untouchedSlot, type View } from "../../../src/strategy/View.ts"
import { decideAt, price, strategyOf, viewAt } from "../support.ts"

interface Form {
  readonly name: string
  readonly kind: string
  readonly section: string
  readonly side: Side
  readonly slot: string
  /** Missing if the kind has no stop of its own. */
  readonly stopped?: string
  /** Missing if no exit is open at a target. */
  readonly target?: string
  /** Missing if the entry is not cancelled at the target. */
  readonly isClosedAtTarget?: true
}

const whole = 2_000_000n

const rule = (side: string, at: string, then: string) =>
  `{ timeframe: 1h, orders: { position: { when: mid > 1, side: ${side}, price: ${at}, size: { base: 0.02 }, times: 1, then: { ${then} } } } }`

const buys = { side: "BUY", slot: "position", stopped: "56000", target: "64000", isClosedAtTarget: true } as const
const sells = { side: "SELL", slot: "position", stopped: "62000", target: "55000", isClosedAtTarget: true } as const
const stopOnly = { side: "BUY", slot: "position", stopped: "56000" } as const

const forms: ReadonlyArray<Form> = [
  {
    name: "a bracket by prices",
    kind: "bracket",
    section: "{ side: buy, size: { base: 0.02 }, entry: 59000, takeProfit: 64000, stop: 57000 }",
    ...buys
  },
  {
    name: "a bracket by prices that sells first",
    kind: "bracket",
    section: "{ side: sell, size: { base: 0.02 }, entry: 59000, takeProfit: 55000, stop: 61000 }",
    ...sells
  },
  {
    name: "a bracket by expressions",
    kind: "bracket",
    section: '{ side: buy, size: { base: 0.02 }, entry: "59000", takeProfit: "64000", stop: entry - 2000, times: 3 }',
    ...buys
  },
  {
    name: "a bracket by expressions that sells first",
    kind: "bracket",
    section: '{ side: sell, size: { base: 0.02 }, entry: "59000", takeProfit: "55000", stop: entry + 2000, times: 3 }',
    ...sells
  },
  {
    name: "a bracket whose stop follows",
    kind: "bracket",
    section: "{ side: buy, size: { base: 0.02 }, entry: 59000, takeProfit: 64000, stop: 50000, trail: 3% }",
    ...buys
  },
  { name: "a rule", kind: "rules", section: rule("buy", "59000", "price: 64000, stop: 57000"), ...buys },
  {
    name: "a rule that sells first",
    kind: "rules",
    section: rule("sell", "59000", "price: 55000, stop: 61000"),
    ...sells
  },
  { name: "a rule with a stop alone", kind: "rules", section: rule("buy", "59000", "stop: 57000"), ...stopOnly },
  { name: "a rule with a trail alone", kind: "rules", section: rule("buy", "59000", "trail: 3%"), ...stopOnly },
  { name: "a rule with a condition", kind: "rules", section: rule("buy", "59000", "when: mid < 57000"), ...stopOnly },
  {
    name: "a ladder",
    kind: "ladder",
    section: "{ side: buy, from: 59000, to: 58000, rungs: 2, total: { base: 0.04 }, takeProfit: 5% }",
    side: "BUY",
    slot: "rung-00",
    target: "61950"
  },
  {
    name: "a ladder that sells first",
    kind: "ladder",
    section: "{ side: sell, from: 59000, to: 60000, rungs: 2, total: { base: 0.04 }, takeProfit: 5% }",
    side: "SELL",
    slot: "rung-00",
    target: "56050"
  },
  {
    name: "a grid",
    kind: "grid",
    section: "{ levels: [57000, 58000, 59000, 62000], size: { base: 0.02 } }",
    side: "BUY",
    slot: "cell-02",
    target: "62000"
  }
]

const start = Date.UTC(2027, 0, 1)
const entry = price("59000")
const calm = { BUY: "59500", SELL: "58500" } as const
const atTarget = { BUY: "64100", SELL: "54900" } as const

const file = ({ kind, section, side }: Form, keys: string) =>
  strategyOf(`name: s
market: BTC/USDC
kind: ${kind}
limits: { budget: { ${side === "BUY" ? "" : "base: 1, "}quote: 9000 }, maxPriceDeviation: 60% }
${keys}
${kind}: ${section}
`)

const quoteOf = (base: bigint) => (base * 59_000n) / 100n

const pastOf = (side: Side, filled: bigint): Pick<SlotProgress, "bought" | "sold" | "paid" | "proceeds" | "past"> => {
  const [bought, sold] = side === "BUY" ? [filled, 0n] : [0n, filled]
  const lastOrder = { side, price: entry }
  const past = { held: bought, cost: quoteOf(bought), lastOrder }
  return { bought, sold, paid: quoteOf(bought), proceeds: quoteOf(sold), past }
}

/** Its entry is open, and so much of it has filled. */
const partly = ({ side }: Form, filled: bigint, isOpen = true): SlotProgress => ({
  ...untouchedSlot,
  ...pastOf(side, filled),
  filledInLeg: filled,
  filledAt: entry,
  ...(isOpen ? { live: { side, price: entry, quantity: whole - filled } } : {})
})

/** Its entry was closed with what had filled. */
const closed = ({ side }: Form, filled: bigint): SlotProgress => ({
  ...untouchedSlot,
  ...pastOf(side, filled),
  completedLegs: 1,
  receivedByLastLeg: side === "BUY" ? filled : quoteOf(filled),
  lastLeg: { side, quantity: filled }
})

const orders = (decision: Decision, view: View) =>
  decision.desired.flatMap((desired) => {
    const order = armedLeg(desired, progressOf(view, desired.slot))
    return order === undefined
      ? []
      : [`${order.slot} ${order.side} ${order.quantity} at ${Decimal.format(order.price)}`]
  })

/** True if the engine would close the leg with what has filled, once the slot has no order. */
const isClosing = ({ desired }: Decision, slot: string, view: View): boolean =>
  desired.some((each) => each.slot === slot && mayCloseLeg(each, progressOf(view, slot))) &&
  orders({ desired, absent: [], memory: null, reasons: [], until: { onFill: true } }, view).every(
    (order) => !order.startsWith(slot)
  )

const journaled = (memory: Memory): Memory => JSON.parse(JSON.stringify(memory))

/** Runs the file until its entry has filled in part; further decisions are by the file with these keys. */
const run = (form: Form, keys: string, filled: bigint, ended = false) => {
  const before = file(form, ended ? keys : "")
  const after = file(form, keys)
  const decided = (strategy: typeof after, mid: string, memory: Memory, progress: SlotProgress, days: number) => {
    const slots = new Map([[form.slot, progress]])
    const decision = decideAt(strategy, price(mid), journaled(memory), slots, start + days * dayMillis)
    const view = viewAt(strategy, price(mid), slots, start + days * dayMillis)
    return {
      decision,
      memory: decision.memory,
      orders: orders(decision, view),
      isClosing: isClosing(decision, form.slot, view)
    }
  }
  const { memory } = decideAt(before, price(calm[form.side]), undefined, new Map(), start)
  const filling = decided(before, calm[form.side], memory, partly(form, filled), 0)
  return {
    memory: filling.memory,
    decide: (mid: string, memory: Memory, progress: SlotProgress) => decided(after, mid, memory, progress, 2)
  }
}

const parts = [
  ["1 %", 20_000n],
  ["50 %", 1_000_000n],
  ["99 %", 1_980_000n],
  ["all but the smallest unit", whole - 1n]
] as const

const beginnings = ["when: mid > 90000", "from: 2027-03-01"] as const
const leaves = "until: 2027-01-02\nonEnd: leave"

const exitOf = ({ side, slot, target }: Form, filled: bigint) =>
  target === undefined ? [] : [`${slot} ${opposite(side)} ${filled} at ${target}`]

describe.each(parts)("an entry of which %s has filled", (_, filled) => {
  describe.each(beginnings)("and whose strategy gets `%s`", (keys) => {
    it.each(forms)("is cancelled, and exits at the target of $name", (form) => {
      const { decide, memory } = run(form, keys, filled)
      const waits = decide(calm[form.side], memory, partly(form, filled))
      assert.deepStrictEqual(waits.orders, [])
      if (form.target === undefined) return
      assert.isTrue(waits.isClosing)
      const exits = decide(calm[form.side], waits.memory, closed(form, filled))
      assert.deepStrictEqual(exits.orders, exitOf(form, filled))
      assert.isTrue(exits.decision.until.onFill)
    })

    it.each(forms.filter(({ stopped }) => stopped !== undefined))("exits at the stop of $name", (form) => {
      const { decide, memory } = run(form, keys, filled)
      const waits = decide(calm[form.side], memory, partly(form, filled))
      for (const progress of [partly(form, filled), partly(form, filled, false)]) {
        const stopped = decide(form.stopped ?? "", waits.memory, progress)
        assert.deepStrictEqual(stopped.orders, [])
        assert.isTrue(stopped.isClosing)
        const exits = decide(form.stopped ?? "", stopped.memory, closed(form, filled))
        assert.lengthOf(exits.orders, 1)
        assert.match(exits.orders[0] ?? "", new RegExp(`^${form.slot} ${opposite(form.side)} ${filled} at `))
      }
      const later = decide(form.stopped ?? "", waits.memory, closed(form, filled))
      assert.match(later.orders.join(), new RegExp(`^${form.slot} ${opposite(form.side)} ${filled} at `))
    })
  })

  describe("and whose strategy ends with `onEnd: leave`", () => {
    it.each(forms)("stays open until it has filled: $name", (form) => {
      const { decide, memory } = run(form, leaves, filled, true)
      const over = decide(calm[form.side], memory, partly(form, filled))
      assert.deepStrictEqual(over.orders, [`${form.slot} ${form.side} ${whole - filled} at 59000`])
      const entered = decide(calm[form.side], over.memory, closed(form, whole))
      assert.deepStrictEqual(entered.orders, exitOf(form, whole))
    })

    it.each(forms.filter(({ target }) => target !== undefined))("exits if its order has ended: $name", (form) => {
      const { decide, memory } = run(form, leaves, filled, true)
      const over = decide(calm[form.side], memory, partly(form, filled, false))
      assert.deepStrictEqual(over.orders, [])
      assert.isTrue(over.isClosing)
      const exits = decide(calm[form.side], over.memory, closed(form, filled))
      assert.deepStrictEqual(exits.orders, exitOf(form, filled))
    })

    it.each(forms.filter(({ stopped }) => stopped !== undefined))(
      "is cancelled and exits at the stop of $name",
      (form) => {
        const { decide, memory } = run(form, leaves, filled, true)
        const stopped = decide(form.stopped ?? "", memory, partly(form, filled))
        assert.deepStrictEqual(stopped.orders, [])
        assert.isTrue(stopped.isClosing)
        const exits = decide(form.stopped ?? "", stopped.memory, closed(form, filled))
        assert.lengthOf(exits.orders, 1)
        assert.match(exits.orders[0] ?? "", new RegExp(`^${form.slot} ${opposite(form.side)} ${filled} at `))
      }
    )

    it.each(forms.filter((form) => form.isClosedAtTarget))("is cancelled and exits at the target of $name", (form) => {
      const { decide, memory } = run(form, leaves, filled, true)
      const reached = decide(atTarget[form.side], memory, partly(form, filled))
      assert.deepStrictEqual(reached.orders, [])
      assert.isTrue(reached.isClosing)
      const exits = decide(atTarget[form.side], reached.memory, closed(form, filled))
      assert.deepStrictEqual(exits.orders, exitOf(form, filled))
    })
  })
})

const withoutExit: Form = {
  name: "a rule without an exit",
  kind: "rules",
  section: rule("buy", "59000", "").replace(", then: {  }", ""),
  side: "BUY",
  slot: "position"
}

describe("an entry of which a half has filled before its strategy waits", () => {
  const half = 1_000_000n
  it.each([...forms.filter(({ kind }) => kind === "rules"), withoutExit])(
    "buys and sells nothing of its rest after the beginning: $name",
    (form) => {
      const { decide, memory } = run(form, "when: mid > 58800 and mid < 59400", half)
      const waits = decide(calm[form.side], memory, partly(form, half))
      const begun = decide("59100", waits.memory, partly(form, half, false))
      assert.deepStrictEqual(
        begun.orders.filter((order) => order.includes(` ${form.side} `)),
        []
      )
      assert.isTrue(begun.isClosing)
    }
  )
})

describe("a swap that enters", () => {
  it("stays a swap at an end with `leave`", () => {
    const section = rule("buy", "59000", "stop: 57000").replace("price:", "by: swap, price:")
    const form: Form = { name: "a swap", kind: "rules", section, side: "BUY", slot: "position" }
    const { decide, memory } = run(form, leaves, 0n, true)
    const over = decide(calm.BUY, memory, partly(form, 0n))
    assert.deepStrictEqual(
      over.decision.desired.flatMap(({ legs }) => legs.map(({ by }) => by)),
      ["swap"]
    )
  })
})

describe("an entry of which nothing has filled", () => {
  it.each(forms)("is cancelled by a beginning, and stays open at an end with `leave`: $name", (form) => {
    const waiting = run(form, "when: mid > 90000", 0n)
    assert.isEmpty(waiting.decide(calm[form.side], waiting.memory, partly(form, 0n)).decision.desired)
    const leaving = run(form, leaves, 0n, true)
    const over = leaving.decide(calm[form.side], leaving.memory, partly(form, 0n))
    assert.deepStrictEqual(over.orders, [`${form.slot} ${form.side} ${whole} at 59000`])
    assert.isEmpty(leaving.decide(calm[form.side], over.memory, untouchedSlot).decision.desired)
  })
})

describe("a deal whose base order has bought a half", () => {
  const form: Form = {
    name: "a deal",
    kind: "deals",
    section: "{ size: { base: 0.02 }, reach: 0.1%, takeProfit: 5%, stop: 3%, stopReach: 1% }",
    side: "BUY",
    slot: "base"
  }

  it.each([...beginnings, leaves])("keeps its exit at the target and at the stop with `%s`", (keys) => {
    const { decide, memory } = run(form, keys, 1_000_000n, keys === leaves)
    const before = decide("59500", memory, partly(form, 1_000_000n))
    const isLeft = keys === leaves
    assert.deepStrictEqual(
      before.orders.filter((order) => order.startsWith("base")),
      isLeft ? ["base BUY 1000000 at 59000"] : []
    )
    assert.match(before.orders.at(-1) ?? "", /^exit SELL 1000000 at 6\d{4}/)
    const stopped = decide("56000", before.memory, partly(form, 1_000_000n))
    assert.deepStrictEqual(stopped.orders, ["exit SELL 1000000 at 55440"])
  })
})

describe("a cell that has sold in part first", () => {
  const form: Form = {
    name: "a grid that sells first",
    kind: "grid",
    section: "{ levels: [58700, 59000], size: { base: 0.02 } }",
    side: "SELL",
    slot: "cell-00"
  }

  it("buys nothing back before its sale is whole, because a repeated purchase is always whole", () => {
    const waiting = run(form, "when: mid > 90000", 1_000_000n)
    assert.isEmpty(waiting.decide("58500", waiting.memory, partly(form, 1_000_000n)).decision.desired)
    const leaving = run(form, leaves, 1_000_000n, true)
    assert.isEmpty(leaving.decide("58500", leaving.memory, partly(form, 1_000_000n, false)).decision.desired)
  })
})
