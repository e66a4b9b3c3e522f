/** What was bought is sold, whatever became of the size that was wanted: a leg that cannot fill to the last unit is closed. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as Ledger from "../../../src/domain/Ledger.ts"
import { closings, sweeps } from "../../../src/engine/planning/Remainders.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import type { Placement } from "../../../src/engine/state/Placement.ts"
import { afterOrder, emptySlot, progressOf, type Slot, slotKey } from "../../../src/engine/state/SlotFold.ts"
import { armedLeg, type Decision, type DesiredSlot } from "../../../src/strategy/Decision.ts"
import type { Limits, Strategy } from "../../../src/strategy/Strategy.ts"
import type { View } from "../../../src/strategy/View.ts"
import { market } from "../../world/bitcoin.ts"
import * as LedgerFaults from "../../world/bot/ledgerFaults.ts"
import { placementAfter } from "../firstOrder.ts"

const price = { bid: Decimal.make(60_000n), ask: Decimal.make(60_000n), at: 0 }
const strategyWith = (limits: Partial<Limits>): Strategy => ({
  name: "s",
  kind: "grid",
  file: "s.yaml",
  hash: "h",
  text: "",
  market,
  limits: {
    budget: { base: 0n, quote: 1_000_000_000n },
    maxOpenOrders: 1,
    maxPriceDeviation: Decimal.make(5n, 2),
    staleAfterMillis: 1000,
    ...limits
  },
  initialMemory: null,
  decide: () => ({ desired: [], absent: [], memory: null, reasons: [], until: { onFill: true } })
})

/** A purchase and then a sale, of this size. */
const cell = (quantity: bigint): DesiredSlot => ({
  slot: "cell",
  cycle: true,
  legs: [
    { side: "BUY", price: Decimal.make(50_000n), quantity },
    { side: "SELL", price: Decimal.make(55_000n), quantity }
  ],
  why: { code: "x", text: "x" }
})

/** A slot that bought 600,000 of a larger size before its order was withdrawn. */
const filled = (refusals = 0, failures = refusals) => {
  const state = BotState.make()
  const slot = { ...emptySlot("s", "cell"), filledInLeg: 600_000n, receivedInLeg: 599_970n, quoteInLeg: 300_000_000n }
  state.slots.set(slotKey("s", "cell"), { ...slot, failures, refusals })
  return state
}

const look = (state: BotState.BotState): View => {
  const slot = state.slots.get(slotKey("s", "cell"))
  const slots = new Map(slot === undefined ? [] : [["cell", progressOf(slot, undefined)]])
  const own = { openOrders: 0, freeBase: 0n, freeQuote: 0n, position: 0n, realisedProfit: 0n }
  return { now: 0, market, price, slots, own }
}

const close = (state: BotState.BotState, desired: DesiredSlot, limits: Partial<Limits> = {}) => {
  const events = closings(state, strategyWith(limits), { desired: [desired], absent: [] }, look(state), [])
  for (const event of events) BotState.apply(state, { sequence: state.sequence + 1, at: 0, event })
  return events
}

describe("a leg that cannot fill to the last unit", () => {
  it("sells everything bought after an edit to a smaller size", () => {
    const state = filled()
    assert.isUndefined(armedLeg(cell(400_000n), look(state).slots.get("cell") ?? assert.fail()))
    assert.strictEqual(close(state, cell(400_000n)).length, 1)
    const next = armedLeg(cell(1_000_000n), look(state).slots.get("cell") ?? assert.fail())
    assert.deepStrictEqual([next?.side, next?.quantity], ["SELL", 599_970n])
    assert.deepStrictEqual(close(state, cell(400_000n)), [])
  })

  it("sells the purchase beyond the smaller size", () => {
    const state = filled()
    close(state, cell(400_000n))
    const due = (desired: DesiredSlot) => armedLeg(desired, look(state).slots.get("cell") ?? assert.fail())?.quantity
    assert.strictEqual(due(cell(400_000n)), 599_970n, "all that came in")
    const [buy] = cell(400_000n).legs
    const sale = { side: "SELL", price: Decimal.make(55_000n), quantity: 390_000n } as const
    assert.strictEqual(due({ ...cell(400_000n), legs: [buy, sale] }), 590_000n, "a file that keeps 10,000 keeps them")
  })

  it("does not request a remainder below the minimum order", () => {
    const state = filled()
    assert.strictEqual(close(state, cell(600_100n), { minOrder: 1_000_000n })[0]?._tag, "LegClosed")
    assert.deepStrictEqual(look(state).slots.get("cell")?.forgone, { BUY: 100n, SELL: 0n }, "a total counts it as done")
    assert.deepStrictEqual(close(filled(), cell(1_000_000n), { minOrder: 1_000_000n }), [])
  })

  it("does not request a remainder again that the venue refuses", () => {
    assert.deepStrictEqual(close(filled(2), cell(600_100n)), [])
    assert.strictEqual(close(filled(3), cell(600_100n))[0]?._tag, "LegClosed")
    assert.deepStrictEqual(close(filled(3), cell(6_000_000n)), [], "what is most of the leg is not a rest")
    assert.deepStrictEqual(close(filled(2, 9), cell(600_100n)), [], "attempts that the bot gave up itself do not count")
  })

  it("the rest of an exit stays planned after any number of refusals, unless it is dust", () => {
    const selling = (filledInLeg: bigint, limits: Partial<Limits> = {}) => {
      const state = filled(3)
      const slot = state.slots.get(slotKey("s", "cell")) ?? assert.fail()
      const bought = { completedLegs: 1, lastLeg: { side: "BUY", quantity: 1_000_000n }, receivedByLastLeg: 1_000_000n }
      state.slots.set(slotKey("s", "cell"), { ...slot, ...bought, filledInLeg } as typeof slot)
      return close(state, cell(1_000_000n), limits)
    }
    const limits = { minOrder: 300_000_000n }
    assert.deepStrictEqual(selling(640_000n, limits), [], "nor if it is below the minimum order")
    assert.strictEqual(selling(995_000n, limits)[0]?._tag, "LegClosed")
    assert.deepStrictEqual(selling(640_000n), [])
    assert.deepStrictEqual(selling(960_000n), [])
    assert.strictEqual(selling(995_000n)[0]?._tag, "LegClosed")
  })
})

describe("the income of a small part of an entry", () => {
  const selling = (
    receivedByLastLeg: bigint,
    limits: Partial<Limits> = {},
    slot: Partial<Slot> = {},
    state = BotState.make()
  ) => {
    const lastLeg = { side: "BUY", quantity: receivedByLastLeg } as const
    state.slots.set(slotKey("s", "cell"), {
      ...emptySlot("s", "cell"),
      completedLegs: 1,
      lastLeg,
      receivedByLastLeg,
      ...slot
    })
    return close(state, { ...cell(1_000_000n), cycle: false }, limits)
  }
  const minOrder = 10_000_000n

  it("is dust below the minimum order, if it is below one percent of the planned exit", () => {
    assert.strictEqual(selling(9_000n, { minOrder })[0]?._tag, "LegClosed")
    assert.deepStrictEqual(selling(10_000n, { minOrder }), [])
  })

  it("is dust if its payout has cost more than the cap three times in a row", () => {
    const bound = placementAfter("Bound")
    const given = (failures: number, received = 9_000n) => {
      const state = BotState.make()
      const order = { ...bound?.order, estimatedWithdrawFee: bound?.outputAmount }
      state.placements.set("p1", { ...bound, order, state: "abandoned" } as Placement)
      return selling(received, {}, { failures, placement: "p1" }, state)
    }
    assert.deepStrictEqual(given(2), [])
    assert.deepInclude(given(3)[0], { rest: 9_000n, reason: "its remainder was too dear 3 times in a row" })
    assert.deepStrictEqual(given(3, 10_000n), [])
  })

  it("stays a position that the venue refuses, however large the file plans the exit", () => {
    assert.deepStrictEqual(selling(9_000n, {}, { refusals: 3, failures: 3 }), [])
  })
})

describe("the exit of an entry older than an edit that raises the size a hundredfold", () => {
  const entry = placementAfter("PaidOut") ?? assert.fail("it is paid out")
  const minOrder = 300_000_000n
  const soldAfter = (slot: Slot, edited: bigint, cycle: boolean) => {
    const state = BotState.make()
    state.slots.set(slotKey("s", "cell"), slot)
    return close(state, { ...cell(edited), cycle }, { minOrder })
  }
  const holding: Slot = { ...emptySlot("s", "cell"), ...afterOrder(emptySlot("s", "cell"), entry) }

  it.each([true, false])("is no dust below the minimum order (repeated: %s)", (cycle) => {
    assert.strictEqual(holding.receivedByLastLeg, 199_990n)
    assert.deepStrictEqual(soldAfter({ ...holding, filledInLeg: 1_000n }, 20_000_000n, cycle), [])
    assert.deepStrictEqual(soldAfter({ ...holding, filledInLeg: cycle ? 1_000n : 0n }, 20_000_000n, cycle), [])
    assert.strictEqual(soldAfter({ ...holding, filledInLeg: 199_000n }, 20_000_000n, cycle)[0]?._tag, "LegClosed")
  })
})

const lastOrder = { side: "BUY", price: Decimal.make(50_000n) } as const
/** Its end sold 599,900 in the slot `exit`, by order 7; the slot's own last order was 3. */
const ended = (slot: Partial<Slot>, position = 0n, absent: Decision["absent"] = []) => {
  const state = BotState.make()
  const cellSlot = {
    ...emptySlot("s", "cell"),
    placement: "p3",
    past: { held: 599_970n, cost: 300_000_000n, lastOrder }
  }
  state.slots.set(slotKey("s", "cell"), { ...cellSlot, ...slot } as Slot)
  state.slots.set(slotKey("s", "exit"), { ...emptySlot("s", "exit"), placement: "p7", sold: 599_900n })
  const own = { openOrders: 0, freeBase: 1_000_000n, freeQuote: 0n, position, realisedProfit: 0n }
  const due = () => armedLeg(cell(600_000n), look(state).slots.get("cell") ?? assert.fail())
  const events = closings(state, strategyWith({}), { desired: [cell(600_000n)], absent }, { ...look(state), own }, [])
  for (const event of events) BotState.apply(state, { sequence: state.sequence + 1, at: 0, event })
  return { due, events, past: state.slots.get(slotKey("s", "cell"))?.past }
}
const bought = { completedLegs: 1, lastLeg: { side: "BUY", quantity: 600_000n }, receivedByLastLeg: 599_970n } as const

describe("what the end of a strategy has sold", () => {
  it("is not sold once more if the file loses its end", () => {
    const { due, past } = ended(bought)
    assert.deepStrictEqual([due()?.side, due()?.quantity], ["BUY", 600_000n])
    assert.deepStrictEqual([past?.held, past?.cost], [0n, 0n], "nor is its cost that of the next purchase")
  })

  it("counts as sold after a purchase in part", () => {
    const { due } = ended({
      filledInLeg: 300_000n,
      receivedInLeg: 299_970n,
      past: { held: 299_970n, cost: 1n, lastOrder }
    })
    assert.deepStrictEqual([due()?.side, due()?.quantity], ["BUY", 600_000n])
  })

  it("is neither what the slot bought afterwards nor what is not sold yet", () => {
    assert.strictEqual(ended({ ...bought, placement: "p8" }).due()?.side, "SELL")
    assert.strictEqual(ended(bought, 200_000n).due()?.side, "SELL")
  })

  it("is not the sale of a rule named exit, nor a position sold beyond its size", () => {
    const absent = [{ slot: "exit", why: { code: "condition", text: "its condition does not hold" } }]
    assert.strictEqual(ended(bought, 0n, absent).due()?.side, "SELL")
    assert.strictEqual(ended(bought, -400_000n).due()?.side, "SELL")
  })
})

describe("dust", () => {
  const record = (state: BotState.BotState, event: BotEvent) =>
    BotState.apply(state, { sequence: state.sequence + 1, at: 0, event })
  const dust = (state: BotState.BotState) => Ledger.dustOf(state.ledger, "s", "BTC")
  const free = (state: BotState.BotState) => Ledger.freeOf(state.ledger, "s", "BTC")
  const closed = (rest: bigint): BotEvent => ({
    _tag: "LegClosed",
    strategy: "s",
    slot: "cell",
    side: "SELL",
    asset: "BTC",
    rest,
    reason: "too small"
  })
  const sweep = (state: BotState.BotState, limits: Partial<Limits>) =>
    sweeps(state, strategyWith(limits), [cell(400_000n)], look(state), [])

  it("is named, and sold once it is enough for an order", () => {
    const state = BotState.make()
    record(state, { _tag: "BudgetAllotted", strategy: "s", asset: "BTC", amount: 1_000_000n })
    record(state, closed(1_000n))
    assert.deepStrictEqual([dust(state), free(state)], [1_000n, 999_000n])
    const limits = { minOrder: 1_000_000n }
    assert.deepStrictEqual(sweep(state, limits), [])
    record(state, closed(700n))
    const [order] = sweep(state, limits)
    assert.deepStrictEqual([order?.slot, order?.side, order?.quantity], ["dust:BTC", "SELL", 1_700n])
    assert.deepStrictEqual(sweep(state, {}), [], "smaller than what the strategy wants")
    assert.deepStrictEqual([...LedgerFaults.sums(state.ledger).values()], [0n])
  })

  it("pays the deposit of its order, and gets back what returns", () => {
    const state = BotState.make()
    record(state, { _tag: "BudgetAllotted", strategy: "s", asset: "BTC", amount: 1_000_000n })
    record(state, closed(1_700n))
    const about = { strategy: "s", slot: Ledger.dustSlot("BTC"), placement: "p1" }
    const money = { asset: "BTC", amount: 1_700n }
    const bytes = { orderId: "o", depositAddress: "a", signed: Redacted.make(""), intentHash: "h", validUntil: 1 }
    Ledger.apply(state.ledger, { _tag: "FundingSigned", ...about, ...money, ...bytes })
    assert.deepStrictEqual([dust(state), free(state)], [0n, 998_300n])
    Ledger.apply(state.ledger, { _tag: "FundingDead", ...about, ...money, reason: "x" })
    assert.deepStrictEqual([dust(state), free(state)], [1_700n, 998_300n])
  })
})
