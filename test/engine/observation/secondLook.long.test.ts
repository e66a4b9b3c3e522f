/** The end of an order is read once more: what the venue takes back then is told, and the books are in the end what it has. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Ledger from "../../../src/domain/Ledger.ts"
import * as Problems from "../../../src/engine/funding/Problems.ts"
import { takenBackIn } from "../../../src/engine/observation/Afterlife.ts"
import { observe } from "../../../src/engine/tracking/OrderTracker.ts"
import { inVirtualTime, ladder, openOrders, type Running, resting, until } from "../../world/bot/botWorld.ts"
import { rewriteOrders } from "../../world/bot/orderReports.ts"
import { type Life, reports, start } from "../tracking/orderLife.ts"

const one = ladder(1, "ladder", "BTC/USDC", [40_000, 40_000])
const given = 6_000_000_000n

const placesOf = ({ state }: Running) =>
  Object.fromEntries(Ledger.totals(state.ledger).map(({ asset, amount, place }) => [`${asset} ${place}`, amount]))

/** An order that is said to be filled and paid out; from the moment its books are closed, `then` is said for good. */
const ended = (then: Readonly<Record<string, unknown>>) =>
  Effect.gen(function* () {
    const asked = { strategies: [one], pace: { pollMaxMillis: 5_000 } }
    const { process, world } = yield* resting(asked, 1)
    yield* Effect.sleep(2_000)
    const [order] = openOrders(process)
    let isOver = false
    rewriteOrders(world.network, (said, id) => {
      if (id !== order?.order.id) return said
      const { createdAt, depositedAmount, swapView } = said
      const { amountOut } = Schema.decodeUnknownSync(Schema.Struct({ amountOut: Schema.String }))(swapView)
      const fill = { id: "word", amountIn: depositedAmount, amountOut, createdAt, updatedAt: createdAt }
      const paid = { status: "COMPLETED", txHash: "word" }
      const payouts = { withdrawal: paid, allWithdrawals: [paid], refund: null }
      const filled = { fillStatus: "FILLED", payoutStatus: "COMPLETED", isPayoutStatusFinal: true, payouts }
      return { ...said, ...filled, partialFills: [fill], ...(isOver ? then : {}) }
    })
    yield* until(() => !process.state.placements.has(order?.id ?? ""), 30_000, "it counts as filled and paid")
    isOver = true
    const reads = () =>
      world.network.sent.filter(({ method, path }) => method === "GET" && path.endsWith(`/${order?.order.id}`)).length
    return { again: world.run(asked), deposit: order?.inputAmount ?? 0n, process, reads }
  })

describe("the second read of an ended order", () => {
  it.effect("finds a payout that the venue takes back", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const failed = { status: "FAILED", reason: "returned" }
        const payouts = { withdrawal: failed, allWithdrawals: [failed], refund: null }
        const { deposit, process } = yield* ended({ payoutStatus: "FAILED", payouts })
        // The bot goes on with what it believes, so the second read does not wait for another minute.
        yield* until(() => Problems.problemsOf(process.state, 0).length > 0, 75_000, "it is told")
        yield* Effect.sleep(10_000)
        const [problem] = Problems.problemsOf(process.state, 0)
        assert.match(problem?.evidence ?? "", /gave up the payout: returned/)
        const places = placesOf(process)
        assert.strictEqual(places["USDC wallet"], given - deposit)
        assert.isUndefined(places["BTC wallet"])
      })
    )
  )

  it.effect("finds an order that is cancelled and refunded after all", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const refund = { status: "COMPLETED", txHash: "back" }
        const payouts = { withdrawal: null, allWithdrawals: [], refund }
        const { process } = yield* ended({ fillStatus: "CANCELED", partialFills: [], payouts })
        yield* until(() => Problems.problemsOf(process.state, 0).length > 0, 120_000, "it is told")
        assert.match(
          Problems.problemsOf(process.state, 0)[0]?.evidence ?? "",
          /ended FILLED, and partialFills lacks word/
        )
        // Nobody asked for its end, so it is believed late.
        yield* Effect.sleep(720_000)
        const { "USDC fees": fees = 0n, ...places } = placesOf(process)
        assert.deepStrictEqual(places, { "USDC wallet": given - fees })
      })
    )
  )

  it.effect("also happens if the bot stops in the minute after the end and starts much later", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const refund = { status: "COMPLETED", txHash: "back" }
        const payouts = { withdrawal: null, allWithdrawals: [], refund }
        const { again, process, reads } = yield* ended({ fillStatus: "CANCELED", partialFills: [], payouts })
        yield* process.stop
        yield* Effect.sleep(3_600_000)
        const next = yield* again
        yield* until(() => Problems.problemsOf(next.state, 0).length > 0, 60_000, "it is told")
        yield* Effect.sleep(720_000)
        const { "USDC fees": fees = 0n, ...places } = placesOf(next)
        assert.deepStrictEqual(places, { "USDC wallet": given - fees })

        yield* next.stop
        yield* Effect.sleep(3_600_000)
        const before = reads()
        const last = yield* again
        yield* Effect.sleep(60_000)
        assert.strictEqual(reads() - before, 1, "each run reads it once")
        yield* last.stop
      })
    )
  )

  it.effect("happens once if nothing has changed", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, reads } = yield* ended({})
        yield* Effect.sleep(55_000)
        const before = reads()
        yield* Effect.sleep(500_000)
        assert.strictEqual(reads() - before, 1)
        assert.deepStrictEqual(Problems.problemsOf(process.state, 0), [])
      })
    )
  )

  it("takes back neither the operator's answer nor what a swap may leave out", () => {
    const life: Life = { side: "SELL", fills: [400_000n], rest: 600_000n, withdrawFee: 0n, refundFee: 0n }
    const { placement, record, state } = start(life)
    const all = reports(life)
    for (const order of all) {
      const known = placement()
      if (known !== undefined) record(...observe(known, order))
    }
    const last = state.ended.byId.get("o1")?.last
    const paid = all.at(-1)
    if (last === undefined || paid === undefined) return assert.fail("it is not over")
    assert.isUndefined(takenBackIn(last, paid))
    const unpaid = { ...paid, withdrawals: [] }
    assert.match(takenBackIn(last, unpaid) ?? "", /its payout was COMPLETED and is gone now/)
    assert.isUndefined(takenBackIn({ ...last, isByWord: true }, unpaid))
    assert.match(takenBackIn(last, { ...paid, payoutIsFinal: false }) ?? "", /is not final now/)
    const lost = { status: "FAILED", reason: "lost" }
    assert.match(
      takenBackIn(last, { ...paid, refund: lost }) ?? "",
      /its refund was COMPLETED and is FAILED \(lost\) now/
    )
    const changed = { ...paid, fills: paid.fills.map((fill) => ({ ...fill, amountOut: fill.amountOut + 1n })) }
    const what = takenBackIn(last, changed) ?? ""
    assert.match(what, /^fill \S+ changed its amounts$/)
    assert.isUndefined(takenBackIn({ ...last, contradiction: what }, changed), "people were told twice of one change")
    assert.isDefined(
      takenBackIn({ ...last, contradiction: what }, { ...changed, withdrawals: [] }),
      "of more they are told"
    )
    const bare = { ...paid, fills: [], withdrawals: [] }
    assert.isUndefined(takenBackIn({ ...last, by: "swap" }, bare))
    assert.isDefined(takenBackIn({ ...last, by: "swap" }, { ...bare, fillStatus: "REFUNDED" }))
  })
})
