/**
 * What the venue takes back: orders that it had said to be filled or cancelled, paid out or refunded, and that live on. Whatever
 * it said in between, the books are in the end what it has.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Result, Schema } from "effect"
import * as Ledger from "../../../src/domain/Ledger.ts"
import { isTerminal, type Order } from "../../../src/domain/Order.ts"
import * as Problems from "../../../src/engine/funding/Problems.ts"
import { memoryOf } from "../../../src/engine/observation/Reports.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { unfinished } from "../../../src/engine/state/BotState.ts"
import * as EndedOrders from "../../../src/engine/state/orders/EndedOrders.ts"
import * as Tries from "../../../src/engine/state/process/Tries.ts"
import { takenBack } from "../../../src/engine/tracking/amounts/TakingBack.ts"
import { observe } from "../../../src/engine/tracking/OrderTracker.ts"
import { inVirtualTime, isCancel, ladder, openOrders, type Running, resting, until } from "../../world/bot/botWorld.ts"
import { rewriteOrders } from "../../world/bot/orderReports.ts"
import { budget, type Life, quoteOf, reports, start } from "./orderLife.ts"

const quantity = 1_000_000n
const fees = { withdrawFee: 300n, refundFee: 200n }
const lifeOf = (side: Life["side"], percents: ReadonlyArray<number>): Life => {
  const fills = percents.map((percent) => (quantity * BigInt(percent)) / 100n)
  return { side, fills, rest: quantity - fills.reduce((sum, fill) => sum + fill, 0n), ...fees }
}

/** An order of which the venue says one thing after the other; each is its word for minutes. */
const lived = (life: Life) => {
  const world = start(life)
  const { state } = world
  const consistency = memoryOf({ state, tries: Tries.make(state) })
  let now = 10_000
  const minute = 60_001
  /** As `Observation` and `Afterlife` take a report. */
  const take = (order: Order): void => {
    const known = world.placement()
    const closed = EndedOrders.ofPlacement(state.ended, "p1")
    if (known !== undefined) {
      const manner = { insists: consistency.insists(known, order, now) }
      const { events } = consistency.revived(known, order, now)
      world.record(...(events.length > 0 ? events : observe(known, order, undefined, manner)))
    } else if (closed !== undefined && !isTerminal(order.fillStatus)) {
      const about = { strategy: "s", slot: "a", placement: "p1" }
      const told = { _tag: "Contradiction", ...about, what: `it ended ${closed.last.status}`, evidence: "" } as const
      world.record(told, ...takenBack(closed.last))
    }
  }
  const see = (order: Order, times = 3): void => {
    for (let time = 0; time < times; time += 1) {
      take(order)
      now += minute
    }
  }
  const adopt = (): void => {
    const word = Problems.resolve(state, { placement: "p1", word: "adopt", text: "the venue is right" }, now)
    if (Result.isSuccess(word)) world.record(...word.success)
  }
  const places = (): Record<string, bigint> =>
    Object.fromEntries(Ledger.totals(state.ledger).map(({ asset, amount, place }) => [`${asset} ${place}`, amount]))
  return { ...world, see, adopt, places }
}

/** Of what was given, after an order that has lived like this. */
const truth = ({ fills, rest, side }: Life): Record<string, bigint> => {
  const base = fills.reduce((sum, fill) => sum + fill, 0n)
  const quote = fills.reduce((sum, fill) => sum + quoteOf(fill), 0n)
  const isSale = side === "SELL"
  const sign = isSale ? 1n : -1n
  const [payoutFee, refundFee] = [base > 0n ? fees.withdrawFee : 0n, rest > 0n ? fees.refundFee : 0n]
  const [baseFee, quoteFee] = isSale ? [refundFee, payoutFee] : [payoutFee, refundFee]
  const all = {
    "BTC wallet": budget.base - sign * base - baseFee,
    "BTC fees": baseFee,
    "USDC wallet": budget.quote + sign * quote - quoteFee,
    "USDC fees": quoteFee
  }
  return Object.fromEntries(Object.entries(all).filter(([, amount]) => amount !== 0n))
}

/** What a lying venue shows of the order: how it would be at some step of another life, with fills of its own or of the same name. */
const Lie = Schema.Struct({
  percents: Schema.Literals(["", "100", "30", "30 70", "10 20", "60 40", "1"]),
  step: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 6 })),
  isRenamed: Schema.Boolean,
  times: Schema.Literals([1, 2, 3])
})
const Truth = Schema.Literals(["", "100", "30", "30 20", "30 70"])
const percentsOf = (text: string): ReadonlyArray<number> => (text === "" ? [] : text.split(" ").map(Number))

describe("a fill or payout that the venue takes back", () => {
  it("leaves the books of a living order, whose refund is then booked", () => {
    const life = lifeOf("SELL", [])
    const { adopt, placement, places, see, state } = lived(life)
    const [open, ...later] = reports(life)
    const [, partial] = reports(lifeOf("SELL", [90]))
    if (open === undefined || partial === undefined) return assert.fail("no report")
    see(open, 1)
    const before = places()
    see({ ...partial, fillStatus: "PARTIALLY_FILLED" }, 1)
    assert.notDeepEqual(places(), before)
    see(open, 1)
    assert.notDeepEqual(places(), before, "one report may be an old view")
    assert.isUndefined(state.slots.get("s/a")?.frozen)
    see(open, 2)
    assert.deepStrictEqual(places(), before)
    assert.match(state.slots.get("s/a")?.frozen ?? "", /it is OPEN, and partialFills lacks f0, which it had shown/)
    adopt()
    assert.isUndefined(state.slots.get("s/a")?.frozen)
    for (const order of later) see(order)
    assert.isUndefined(placement())
    assert.deepStrictEqual(places(), truth(life))
  })

  it("after a contradiction and a failed refund can be adopted, and the order settles", () => {
    const life = lifeOf("SELL", [100])
    const { adopt, inJournal, placement, places, see, state } = lived(life)
    const all = reports(life)
    const [open, ...later] = all
    const renamed = (order: Order | undefined) => ({
      ...(order ?? assert.fail("no report")),
      fills: order?.fills.map((fill) => ({ ...fill, id: `x${fill.id}` })) ?? []
    })
    if (open === undefined) return assert.fail("no report")
    see(open, 1)
    see(renamed(reports(lifeOf("SELL", [10, 20]))[4]), 2)
    see(renamed(reports(lifeOf("SELL", [60, 40]))[5]), 1)
    assert.match(state.slots.get("s/a")?.frozen ?? "", /refund failed/)
    see(open)
    adopt()
    assert.isUndefined(state.slots.get("s/a")?.frozen)
    for (const order of later) see(order)
    assert.isUndefined(placement())
    assert.deepStrictEqual(places(), truth(life))
    assert.isUndefined(inJournal.get("p1")?.contradiction)
  })

  it("and shows again is ignored in between as an older view", () => {
    const { places, see, state } = lived(lifeOf("SELL", [90]))
    const [open, partial] = reports(lifeOf("SELL", [90]))
    if (open === undefined || partial === undefined) return assert.fail("no report")
    see(open, 1)
    see(partial, 1)
    const traded = places()
    for (let time = 0; time < 10; time += 1) {
      see({ ...partial, fills: [] }, 1)
      see(partial, 1)
    }
    assert.deepStrictEqual(places(), traded)
    assert.isUndefined(state.slots.get("s/a")?.frozen)
  })

  it.prop(
    "leaves the books when the venue's report is adopted",
    [Schema.Literals(["BUY", "SELL"]), Truth, Schema.Array(Lie).check(Schema.isMaxLength(4))],
    ([side, percents, lies]) => {
      const life = lifeOf(side, percentsOf(percents))
      const { adopt, inJournal, places, placement, see, state } = lived(life)
      const all = reports(life)
      const [open, ...later] = all
      if (open === undefined) return
      see(open, 1)
      for (const { isRenamed, percents: told, step, times } of lies) {
        const shown = reports(lifeOf(side, percentsOf(told)))
        const order = shown[Math.min(step, shown.length - 1)] ?? open
        const fills = isRenamed ? order.fills.map((fill) => ({ ...fill, id: `x${fill.id}` })) : order.fills
        see({ ...order, fills }, times)
      }
      see(open)
      adopt()
      for (const order of later) see(order)
      adopt()
      see(all.at(-1) ?? open)
      assert.isUndefined(placement(), "it is over")
      assert.deepStrictEqual(places(), truth(life))
      assert.deepStrictEqual(Problems.problemsOf(state, 0), [])
      const slot = state.slots.get("s/a")
      const base = life.fills.reduce((sum, fill) => sum + fill, 0n)
      assert.deepStrictEqual([slot?.bought, slot?.sold], side === "BUY" ? [base, 0n] : [0n, base])
      assert.strictEqual(slot?.completedLegs, life.rest === 0n ? 1 : 0)
      // What other witnesses are compared with.
      const order = inJournal.get("p1")
      const quote = life.fills.reduce((sum, fill) => sum + quoteOf(fill), 0n)
      assert.strictEqual(order?.filledIn, side === "BUY" ? quote : base)
      assert.strictEqual(order?.isOver, true)
      assert.isUndefined(order?.contradiction)
    }
  )
})

const one = ladder(1, "ladder", "BTC/USDC", [40_000, 40_000])
const given = 6_000_000_000n

/** An order of which the venue says for half a minute that it was filled and paid out, and shows it open again for good. */
const liedAbout = Effect.gen(function* () {
  const { process, world } = yield* resting({ strategies: [one], pace: { pollMaxMillis: 1_000 } }, 1)
  yield* Effect.sleep(2_000)
  const [lie] = openOrders(process)
  let isLying = true
  rewriteOrders(world.network, (said, id) => {
    if (!isLying || id !== lie?.order.id) return said
    const { createdAt, depositedAmount, swapView } = said
    const amountOut = Schema.decodeUnknownSync(Schema.Struct({ amountOut: Schema.String }))(swapView).amountOut
    const fill = { id: "word", amountIn: depositedAmount, amountOut, createdAt, updatedAt: createdAt }
    const paid = { status: "COMPLETED", txHash: "word" }
    const payouts = { withdrawal: paid, allWithdrawals: [paid], refund: null }
    const ended = { fillStatus: "FILLED", payoutStatus: "COMPLETED", isPayoutStatusFinal: true }
    return { ...said, ...ended, partialFills: [fill], payouts }
  })
  yield* until(() => !process.state.placements.has(lie?.id ?? ""), 30_000, "it counts as filled and paid")
  isLying = false
  yield* until(() => Problems.problemsOf(process.state, 0).length > 0, 180_000, "it is told")
  const say = (word: Problems.Word) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const said = Problems.resolve(process.state, { placement: lie?.id ?? "", word, text: "looked" }, now)
      yield* Context.get(process.context, Bookkeeper).record(...Result.getOrThrow(said))
    })
  /** Everything is withdrawn, and what comes back of it is waited for. */
  const kill = Effect.gen(function* () {
    const before = world.network.sent.filter(isCancel).length
    world.setWithdraw({ code: "kill-switch", text: "test" })
    yield* until(() => unfinished(process.state).length === 0, 60_000, "all is back")
    yield* until(() => world.network.sent.filter(isCancel).length > before, 10_000, "it is cancelled")
  })
  return { deposit: lie?.inputAmount ?? 0n, kill, process, say }
})

const placesOf = ({ state }: Running) =>
  Object.fromEntries(Ledger.totals(state.ledger).map(({ asset, amount, place }) => [`${asset} ${place}`, amount]))

describe("an order that is reported as filled and paid, and lives on", () => {
  it.effect("holds money that the tables and the final message after a kill show", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { deposit, kill, process } = yield* liedAbout
        assert.deepStrictEqual(placesOf(process), { "USDC wallet": given - deposit, "USDC in order": deposit })
        assert.lengthOf(openOrders(process), 1)
        yield* kill
        const places = placesOf(process)
        const fees = places["USDC fees"] ?? 0n
        assert.isAbove(Number(fees), 0)
        assert.deepStrictEqual(places, { "USDC wallet": given - fees, "USDC fees": fees })
      })
    )
  )

  it.effect("is no longer a purchase in the books once the venue's report is adopted", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { deposit, kill, process, say } = yield* liedAbout
        yield* say("adopt")
        yield* Effect.sleep(60_000)
        assert.deepStrictEqual(Problems.problemsOf(process.state, 0), [])
        assert.deepStrictEqual(placesOf(process), { "USDC wallet": given - deposit, "USDC in order": deposit })
        const signed = (yield* process.events).filter(({ event }) => event._tag === "FundingSigned")
        assert.lengthOf(signed, 1, "its slot has what it wants")
        yield* kill
        const fees = placesOf(process)["USDC fees"] ?? 0n
        assert.deepStrictEqual(placesOf(process), { "USDC wallet": given - fees, "USDC fees": fees })
      })
    )
  )

  it.effect("leaves the books when the operator forgets it, and the kill switch still cancels it", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { deposit, kill, process, say } = yield* liedAbout
        yield* say("forget")
        assert.strictEqual(placesOf(process)["BTC wallet"], undefined)
        assert.strictEqual(Ledger.freeOf(process.state.ledger, "ladder", "USDC"), given - deposit)
        yield* kill
        assert.deepStrictEqual(Problems.problemsOf(process.state, 0), [])
      })
    )
  )
})
