/** The tracker against random lives of an order: whatever subset of reports is seen, in whatever order, the books close. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { learnedFor } from "../../../src/domain/EchoedFee.ts"
import * as Ledger from "../../../src/domain/Ledger.ts"
import type { Order } from "../../../src/domain/Order.ts"
import { present } from "../../../src/domain/Present.ts"
import type { Expectations } from "../../../src/engine/EngineSettings.ts"
import type { Placement } from "../../../src/engine/state/Placement.ts"
import { askedFor } from "../../../src/engine/tracking/MoneyPath.ts"
import { adopt, bind, lackingIn, observe } from "../../../src/engine/tracking/OrderTracker.ts"
import * as EventLine from "../../../src/report/text/EventLine.ts"
import { echoes } from "../../../src/venue/profile/Charges.ts"
import { factsOf } from "../../../src/venue/profile/Profiles.ts"
import { order, placementAfter } from "../firstOrder.ts"
import { budget, expected, type Life, market, quoteOf, reports, start } from "./orderLife.ts"

const Base = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10_000_000n }))
const Fee = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 5_000n }))
const RandomLife = Schema.Struct({
  side: Schema.Literals(["BUY", "SELL"]),
  fills: Schema.Array(Base).check(Schema.isMaxLength(4)),
  rest: Schema.Union([Schema.Literal(0n), Base]),
  withdrawFee: Fee,
  refundFee: Fee
})
/** Which report is looked at next; numbers beyond the newest seen so far are cut to it, smaller ones are old views. */
const Looks = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))).check(Schema.isMaxLength(12))

describe("OrderTracker", () => {
  it.prop(
    "keeps the books balanced through any reports, and closes them at the end",
    [RandomLife, Looks],
    ([life, looks]) => {
      // Smallest units of quote that round to nothing are refused before they are placed.
      if (life.fills.length === 0 && life.rest === 0n) return
      const all = reports(life)
      const { state, record, placement, inputAsset, outputAsset, inputAmount } = start(life)
      for (const look of [...looks, all.length - 1]) {
        const seen = all[Math.min(look, all.length - 1)]
        const current = placement()
        if (seen !== undefined && current !== undefined) record(...observe(current, seen))
      }
      assert.isUndefined(placement(), "the placement is settled")
      const filledBase = life.fills.reduce((sum, fill) => sum + fill, 0n)
      const lastReport = all.at(-1)
      const out = lastReport?.fills.reduce((sum, fill) => sum + fill.amountOut, 0n) ?? 0n
      const spent = lastReport?.fills.reduce((sum, fill) => sum + fill.amountIn, 0n) ?? 0n
      const unspent = inputAmount - spent
      const least = (a: bigint, b: bigint) => (a < b ? a : b)
      const budgetOf = (asset: string) => (asset === "BTC" ? budget.base : budget.quote)
      const refundFee = unspent === 0n ? 0n : least(life.refundFee, unspent)
      assert.strictEqual(Ledger.freeOf(state.ledger, "s", inputAsset), budgetOf(inputAsset) - spent - refundFee)
      assert.strictEqual(
        Ledger.freeOf(state.ledger, "s", outputAsset),
        budgetOf(outputAsset) + out - least(life.withdrawFee, out)
      )
      const slot = state.slots.get("s/a")
      const isWhole = life.rest === 0n
      assert.strictEqual(slot?.completedLegs, isWhole ? 1 : 0)
      assert.strictEqual(slot?.filledInLeg, isWhole ? 0n : filledBase)
      assert.deepStrictEqual(
        Ledger.totals(state.ledger).filter(({ place }) => place !== "wallet" && place !== "fees"),
        []
      )
    }
  )

  it.each([
    [20, undefined],
    [20.01, undefined],
    [20.02, "not funded: the venue charges 20.02 basis points, the schedule says 20.01"],
    [21, "not funded: the venue charges 21 basis points, the schedule says 20.01"]
  ])("accepts or refuses an echo of %d basis points without freezing the slot", (fee, refused) => {
    const life: Life = { side: "SELL", fills: [], rest: 1_000_000n, withdrawFee: 0n, refundFee: 0n }
    const known = start(life).placement()
    if (known === undefined) throw new Error("there is no placement")
    const fresh = { ...(reports(life)[0] as Order), fillStatus: "AWAITING_DEPOSIT", depositedAmount: 0n }
    const { echoedBasisPoints } = echoes(factsOf("near-2026-11", "intents.near").fees, true, {})
    const scheduled = { ...expected, ...present({ echoedBasisPoints }) }
    const events = bind(known, market, { ...fresh, appFeeBasisPoints: fee }, scheduled, "reply", undefined)
    const tags = events.map(({ _tag }) => _tag)
    assert.deepStrictEqual(tags, refused === undefined ? ["Bound", "StatusSeen"] : ["OrphanSeen", "Abandoned"])
    for (const event of events) {
      Schema.encodeSync(BotEvent)(event)
      if (event._tag === "Abandoned") assert.include(event.reason, refused ?? "nothing")
    }
  })

  it.each([
    ["funded", 20, ["FeeEchoed", "Bound", "StatusSeen"]],
    ["refused for it", 30, ["FeeEchoed", "OrphanSeen", "Abandoned"]]
  ] as const)("records the fee in the echo of an order that is %s", (_, basisPoints, wanted) => {
    const life: Life = { side: "SELL", fills: [], rest: 1_000_000n, withdrawFee: 0n, refundFee: 0n }
    const { placement, record, state } = start(life)
    const known = placement()
    if (known === undefined) throw new Error("there is no placement")
    const answer = { ...(reports(life)[0] as Order), fillStatus: "AWAITING_DEPOSIT", depositedAmount: 0n }
    const fresh = { ...answer, appFeeBasisPoints: basisPoints, echoedBasisPoints: basisPoints }
    const scheduled: Expectations = {
      ...expected,
      echoedBasisPoints: () => 20,
      echoOf: () => ({ credential: "partner", askedBasisPoints: 0 })
    }
    const events = bind(known, market, fresh, scheduled, "reply", undefined)
    assert.deepStrictEqual(
      events.map(({ _tag }) => _tag),
      [...wanted]
    )
    record(...events.slice(0, 1))
    const learned = learnedFor(state.echoedFees, "BTC/USDC", { credential: "partner", askedBasisPoints: 0 })
    assert.deepStrictEqual([learned?.basisPoints, learned?.orders], [basisPoints, 1])
    // Another order's answer says nothing of this one.
    const another = { ...fresh, price: Decimal.make(49_999n) }
    const tags = bind(known, market, another, scheduled, "reply", undefined).map(({ _tag }) => _tag)
    assert.notInclude(tags, "FeeEchoed")
  })

  const wrongEchoes: ReadonlyArray<readonly [string, Partial<Order>]> = [
    ["another deposit type", { depositType: "ORIGIN_CHAIN" }],
    ["another recipient", { recipient: "thief" }],
    ["another recipient type", { recipientType: "DESTINATION_CHAIN" }],
    ["another refund account", { refundTo: "thief" }],
    ["another refund type", { refundType: "ORIGIN_CHAIN" }],
    ["swapped assets", { originAsset: "usdc", destinationAsset: "btc" }],
    ["more to deposit", { inputAmount: 2_000_000n }],
    ["less to receive", { outputAmount: 1n }],
    ["high app fees", { appFeeBasisPoints: 101 }],
    ["a memo that a transfer cannot carry", { depositMemo: "memo" }],
    ["money in it already", { depositedAmount: 1n }],
    ["a status it cannot have", { fillStatus: "OPEN" }],
    ["our own account as deposit address", { depositAddress: "me" }],
    ["another quantity", { quantity: 2_000_000n }],
    ["another price", { price: Decimal.make(49_999n) }],
    ["the other side", { side: "BUY" }],
    ["another deadline", { deadline: 604_802_001 }]
  ]
  for (const [what, change] of wrongEchoes) {
    it(`does not fund an order whose echo has ${what}`, () => {
      const life: Life = { side: "SELL", fills: [], rest: 1_000_000n, withdrawFee: 0n, refundFee: 0n }
      const { state, placement } = start(life)
      const known = placement()
      assert.isDefined(known)
      if (known === undefined) return
      const fresh = { ...(reports(life)[0] as Order), fillStatus: "AWAITING_DEPOSIT", depositedAmount: 0n }
      assert.deepStrictEqual(
        bind(known, market, fresh, expected, "reply", undefined).map(({ _tag }) => _tag),
        ["Bound", "StatusSeen"]
      )
      const events = bind(known, market, { ...fresh, ...change }, expected, "reply", undefined)
      assert.deepStrictEqual(
        events.map(({ _tag }) => _tag),
        ["OrphanSeen", "Contradiction", "Abandoned"]
      )
      assert.isDefined(state)
    })
  }

  const beforeMoney = new Set(["money in it already", "a status it cannot have"])
  /** Without these it is not recognised as ours. */
  const recognised = new Set(["another quantity", "another price", "the other side", "another deadline"])
  const sale: Life = { side: "SELL", fills: [], rest: 1_000_000n, withdrawFee: 0n, refundFee: 0n }
  const said = (known: Placement, order: Order, asked = expected) =>
    adopt(known, order, { market, expected: asked }).map(({ _tag }) => _tag)

  for (const [what, change] of wrongEchoes) {
    if (beforeMoney.has(what) || recognised.has(what)) continue
    it(`reports a funded order that returns with ${what}`, () => {
      const [open] = reports(sale)
      const known = start(sale).placement()
      if (known === undefined || open === undefined) return assert.fail("not placed")
      assert.deepStrictEqual(said(known, open), ["Bound"])
      assert.deepStrictEqual(said(known, { ...open, ...change }), ["Bound", "Contradiction"])
      assert.deepStrictEqual(said({ ...known, contradiction: "told" }, { ...open, ...change }), ["Bound"])
    })
  }

  it("pays an old order to the account of its create, even after the configuration changes", () => {
    const [open] = reports(sale)
    const known = start(sale).placement()
    if (known === undefined || open === undefined) return assert.fail("not placed")
    const old = { ...known, path: askedFor("SELL", market, expected) }
    const edited = { ...expected, signerId: "another" }
    assert.deepStrictEqual(said(old, open, edited), ["Bound"])
    assert.notInclude(
      observe(old, open).map(({ _tag }) => _tag),
      "Contradiction"
    )
    assert.include(
      observe(old, { ...open, recipient: "another" }).map(({ _tag }) => _tag),
      "Contradiction"
    )
  })

  it("accepts fills net of the echoed fee if the facts say so, and only then", () => {
    const echo = { credential: "partner", askedBasisPoints: 0, basisPoints: 20 } as const
    const placement = placementAfter("DepositSeen")
    const net = { ...placement, feeEcho: { ...echo, fillsNet: true as const } }
    const less = (order.outputAmount * 9_980n) / 10_000n
    const report = (amountOut: bigint) => ({
      ...order,
      fillStatus: "FILLED" as const,
      fills: [{ id: "f1", amountIn: order.inputAmount, amountOut, at: 1 }],
      withdrawals: [{ status: "COMPLETED" as const }],
      payoutIsFinal: true
    })
    const kindsOf = (of: typeof placement, amountOut: bigint) =>
      observe(of, report(amountOut)).flatMap((event) => (event._tag === "Contradiction" ? [event.what] : []))
    assert.deepStrictEqual(kindsOf(net, less), [])
    assert.match(kindsOf(net, less - 1_000n).join(), /worse than the limit price/)
    assert.match(kindsOf({ ...placement, feeEcho: echo }, less).join(), /worse than the limit price/, "the default")
  })

  it("accepts an honest slice of a BUY if the base is finer than the quote", () => {
    const { placement } = start({ side: "BUY", fills: [], rest: 1_000_000n, withdrawFee: 0n, refundFee: 0n })
    const [open] = reports({ side: "BUY", fills: [], rest: 1_000_000n, withdrawFee: 0n, refundFee: 0n })
    const known = placement()
    if (known?.funding === undefined || open === undefined) return assert.fail("not placed")
    // One unit of nine decimals at 171.16 of six: a third of it costs a sixth of a unit less than what is rounded up to.
    const amounts = { inputAmount: 171_160_000n, outputAmount: 1_000_000_000n }
    const fine = { ...known, ...amounts, funding: { ...known.funding, amount: amounts.inputAmount } }
    const third = { id: "f0", amountIn: 57_053_334n, amountOut: 333_333_333n, at: 0 }
    const report = { ...open, ...amounts, depositedAmount: amounts.inputAmount, fills: [third] }
    const said = (seen: Order) => observe(fine, seen).map(({ _tag }) => _tag)
    assert.notInclude(said(report), "Contradiction")
    assert.include(said({ ...report, fills: [{ ...third, amountIn: 57_053_336n }] }), "Contradiction")
  })

  it("does not describe a funded swap as resting", () => {
    const life: Life = { side: "SELL", fills: [], rest: 1_000_000n, withdrawFee: 0n, refundFee: 0n }
    const [open] = reports(life)
    const known = start(life).placement()
    if (known === undefined || open === undefined) return assert.fail("not placed")
    const assets = new Map([["BTC", market.base]])
    const said = (placement: Placement) =>
      observe(placement, open).flatMap((event) => EventLine.describe(event, assets)?.text ?? [])
    assert.deepStrictEqual(said(known), ["funded with 0.01 BTC, the order is open"])
    assert.deepStrictEqual(said({ ...known, by: "swap" }), ["funded with 0.01 BTC, the swap is under way"])
  })

  it("books a fill once that is listed twice in one answer", () => {
    const life: Life = { side: "SELL", fills: [500_000n], rest: 500_000n, withdrawFee: 0n, refundFee: 0n }
    const { record, placement } = start(life)
    const [, partial] = reports(life)
    const known = placement()
    if (known === undefined || partial === undefined) return assert.fail("not placed")
    const events = observe(known, { ...partial, fills: [...partial.fills, ...partial.fills] })
    assert.strictEqual(events.filter(({ _tag }) => _tag === "FillSeen").length, 1)
    record(...events)
    const different = partial.fills.map((fill) => ({ ...fill, amountOut: fill.amountOut - 1n }))
    const odd = observe(known, { ...partial, fills: [...partial.fills, ...different] })
    assert.strictEqual(odd[0]?._tag, "Contradiction")
  })

  it("corrects a failed payout and a failed refund when they complete after all", () => {
    const life: Life = { side: "SELL", fills: [500_000n], rest: 500_000n, withdrawFee: 7n, refundFee: 3n }
    const { state, record, placement } = start(life)
    const all = reports(life)
    const paid = all.at(-1)
    const failedLeg = { status: "FAILED", reason: "broken" }
    const see = (order: Order) => {
      const known = placement()
      if (known !== undefined) record(...observe(known, order))
    }
    for (const report of all.slice(0, -1)) see(report)
    if (paid === undefined) return assert.fail("no report")
    see({ ...paid, withdrawals: [failedLeg], refund: failedLeg })
    assert.include(state.slots.get("s/a")?.frozen ?? "", "failed")
    assert.strictEqual(Ledger.heldBy(state.ledger, "p1", "BTC", "residual"), 500_000n)
    see(paid)
    assert.isUndefined(placement())
    assert.isUndefined(state.slots.get("s/a")?.frozen)
    assert.strictEqual(Ledger.freeOf(state.ledger, "s", "BTC"), budget.base - 500_000n - 3n)
    assert.strictEqual(Ledger.freeOf(state.ledger, "s", "USDC"), budget.quote + quoteOf(500_000n) - 7n)
  })

  it("names a fill that an ended order no longer shows", () => {
    const life: Life = { side: "SELL", fills: [500_000n], rest: 500_000n, withdrawFee: 0n, refundFee: 0n }
    const { record, placement } = start(life)
    const [, partial, , , , paid] = reports(life)
    const first = placement()
    if (first === undefined || partial === undefined || paid === undefined) return assert.fail("not placed")
    record(...observe(first, partial))
    const known = placement()
    if (known === undefined) return assert.fail("it is gone")
    const emptied = { ...paid, fills: [] }
    assert.deepStrictEqual(observe(known, emptied), [])
    assert.match(lackingIn(known, emptied) ?? "", /partialFills lacks f0, which it had shown/)
    assert.isUndefined(lackingIn(known, paid))
    assert.isUndefined(lackingIn(known, { ...partial, fills: [] }), "an older view")
    assert.isUndefined(lackingIn(known, { ...emptied, id: "another" }))
  })

  it("books a report with another deposit address only if it has our deadline", () => {
    const life: Life = { side: "SELL", fills: [], rest: 1_000_000n, withdrawFee: 0n, refundFee: 0n }
    const [open] = reports(life)
    const { placement } = start(life)
    const known = placement()
    if (known === undefined || open === undefined) return assert.fail("not placed")
    const booked = (order: Order) => observe(known, order).map(({ _tag }) => _tag)
    const moved = { ...open, depositAddress: "elsewhere" }
    assert.deepStrictEqual(booked(moved), ["Contradiction", "DepositSeen", "StatusSeen"])
    assert.deepStrictEqual(booked({ ...moved, deadline: moved.deadline + 60_000 }), ["Contradiction"])
  })

  it("freezes the slot if a fill changes its amounts", () => {
    const life: Life = { side: "SELL", fills: [500_000n], rest: 500_000n, withdrawFee: 0n, refundFee: 0n }
    const { state, record, placement } = start(life)
    const [, partial] = reports(life)
    const first = placement()
    if (first !== undefined && partial !== undefined) record(...observe(first, partial))
    const second = placement()
    if (second !== undefined && partial !== undefined) {
      const changed = partial.fills.map((fill) => ({ ...fill, amountOut: fill.amountOut + 1n }))
      record(...observe(second, { ...partial, fills: changed }))
    }
    assert.include(state.slots.get("s/a")?.frozen ?? "", "changed its amounts")
  })
})
