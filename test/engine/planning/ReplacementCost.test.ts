/** Whether a better price is worth it: by what refunds cost and by the time that earlier replacements took, both measured. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { dayMillis } from "../../../src/domain/Durations.ts"
import * as PlanWarnings from "../../../src/engine/planning/ahead/PlanWarnings.ts"
import { diff } from "../../../src/engine/planning/OrderDiff.ts"
import { replacementCost } from "../../../src/engine/planning/ReplacementCost.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { openQuantity } from "../../../src/engine/state/Placement.ts"
import { parse } from "../../world/bot/botWorld.ts"
import { begin, orderOf } from "../../world/journalRows.ts"

const grid = (more = "") =>
  parse(`name: grid
market: BTC/USDC
kind: grid
limits: { budget: { quote: 6000 }${more} }
grid: { lower: 59000, upper: 61000, levels: 11, size: { base: 0.005 } }
`)
const { market } = grid()
const ask = Decimal.make(60_000n)

/** Orders 3, 6 and 9 are moved; each slot has its next order `absence` later. Then order 4 rests. */
const folded = (absence: number) => {
  const state = BotState.make()
  let at = 0
  const see = (numbers: ReadonlyArray<number>, isWhole = true) => {
    for (const event of numbers.flatMap((number) => orderOf(number)).slice(0, isWhole ? undefined : 8))
      BotState.apply(state, { sequence: state.sequence + 1, at, event })
  }
  for (const event of begin) BotState.apply(state, { sequence: state.sequence + 1, at, event })
  see([3, 6, 9])
  at += absence
  see([23, 26, 29])
  see([4], false)
  const placement = state.placements.get("p4")
  if (placement === undefined) throw new Error("no order rests")
  return { state, placement, openedAt: at }
}

const changed = (absence: number, restedMillis: number, price: bigint) => {
  const { state, placement, openedAt } = folded(absence)
  const replacement = replacementCost(state, market, placement, { ask, now: openedAt + restedMillis })
  const { slot, side } = placement
  const desired = {
    slot,
    side,
    price: Decimal.make(price),
    quantity: placement.quantity,
    why: { code: "cell", text: "" }
  }
  const [change] = diff(market, { desired: new Map([[slot, { ...desired, leg: 0 }]]), whyNot: new Map() }, [
    { ...placement, quantity: openQuantity(placement), cancelRequested: false, replacement }
  ])
  return { change, replacement }
}

describe("the cost of moving an order", () => {
  it("has no time out of the market for an order that has just opened", () => {
    const { replacement } = changed(0, 0, 60_100n)
    assert.strictEqual(replacement.outOfMarketBasisPoints, 0)
  })

  it("is the measured refund fee and the measured time out of the market", () => {
    const { replacement } = changed(30_000, 90_000, 60_100n)
    assert.strictEqual(replacement.fees, 10n)
    assert.strictEqual(replacement.outOfMarketBasisPoints, 2_500)
    assert.match(replacement.text, /refund fee 0\.00001 USDC \(measured 3 times\), 30\.0 s out of the market, 25\.00 %/)
  })

  it("is the venue's estimate while nothing is measured", () => {
    const state = BotState.make()
    for (const event of [...begin, ...orderOf(1).slice(0, 8)])
      BotState.apply(state, { sequence: state.sequence + 1, at: 0, event })
    const placement = state.placements.get("p1") ?? assert.fail("no order rests")
    const cost = replacementCost(state, market, placement, { ask, now: 5 })
    assert.deepStrictEqual([cost.fees, cost.outOfMarketBasisPoints], [10n, 0])
    assert.match(cost.text, /the venue's estimate\), the time out of the market is not measured yet/)
  })

  it("decides whether a better price is worth it, and the reason names the figures", () => {
    const moved = changed(30_000, 600_000, 60_100n).change
    assert(moved?._tag === "Cancel")
    assert.match(moved.why.text, /gains 0\.19\d* USDC, more than replacing costs \(refund fee/)
    // A difference that does not pay for the refund; and an order that only just rests where replacing takes a minute.
    assert.strictEqual(changed(30_000, 600_000, 60_000n).change?._tag, "Keep")
    assert.strictEqual(changed(60_000, 0, 60_100n).change?._tag, "Keep")
  })
})

describe("the cost of renewing orders", () => {
  const resting = (strategy: string) => {
    const money = { asset: "USDC", amount: 100_000_000n }
    const order = { side: "BUY", price: ask, quantity: 1n, input: money, output: { asset: "BTC", amount: 1n } } as const
    const why = { code: "cell", text: "" }
    return {
      ...order,
      action: "create",
      strategy,
      slot: "cell-01",
      market: "BTC/USDC",
      reason: why,
      costs: []
    } as const
  }
  const fees = new Map([["USDC", { refund: 20_000n }]])

  it("is the refund fee per lifetime, counted per day, and too much of it is a warning", () => {
    const [week] = PlanWarnings.renewalsOf([grid()], [resting("grid")], fees, 7 * dayMillis)
    assert.deepStrictEqual(week?.perDay[0]?.amount, 2_857n)
    assert.deepStrictEqual(PlanWarnings.renewalWarnings(week === undefined ? [] : [week]), [])
    const short = PlanWarnings.renewalsOf([grid(", orderLifetime: 30m")], [resting("grid")], fees, 7 * dayMillis)
    assert.strictEqual(short[0]?.lifetimeMillis, 1_800_000)
    assert.strictEqual(short[0]?.perDay[0]?.amount, 960_000n)
    assert.match(PlanWarnings.renewalWarnings(short)[0]?.text ?? "", /0\.96 % of their money a day/)
  })

  it("is printed if it is known", () => {
    const [known] = PlanWarnings.renewalsOf([grid()], [resting("grid")], fees, 7 * dayMillis)
    const [unknown] = PlanWarnings.renewalsOf([grid()], [resting("grid")], new Map(), 7 * dayMillis)
    if (known === undefined || unknown === undefined) throw new Error("there is one strategy")
    const usdc = { symbol: "USDC", id: "usdc", decimals: 6 }
    const rests = "orders stay open for 7 d at most, then the venue refunds them"
    assert.strictEqual(
      PlanWarnings.sentenceOf(known, new Map([["USDC", usdc]])),
      `${rests}; renewing all of them costs about 0.002857 USDC a day`
    )
    assert.strictEqual(PlanWarnings.sentenceOf(unknown, new Map([["USDC", usdc]])), rests)
  })

  it("is limited: a lifetime of less than ten minutes or more than a week is refused", () => {
    for (const lifetime of ["9m", "8d"])
      assert.throws(() => grid(`, orderLifetime: ${lifetime}`), /an order lifetime is from 10m to 7d/)
  })
})
