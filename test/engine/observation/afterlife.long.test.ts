/** Orders that the venue ends and pays back, and then still shows as open: their money counts, and their slots do not pay again and again. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import * as Ledger from "../../../src/domain/Ledger.ts"
import * as Problems from "../../../src/engine/funding/Problems.ts"
import { unfinished } from "../../../src/engine/state/BotState.ts"
import * as Tally from "../../../src/engine/state/Tally.ts"
import { inVirtualTime, isCancel, ladder, openOrders, resting, until } from "../../world/bot/botWorld.ts"

const ended = (fillStatus: string) => ({
  fillStatus,
  payoutStatus: "COMPLETED",
  isPayoutStatusFinal: true,
  payouts: { withdrawal: null, allWithdrawals: [], refund: { status: "COMPLETED", txHash: "word" } }
})

interface Shown {
  readonly id: string
  readonly attributes: { [name: string]: unknown }
}

/** A venue that takes a cancel, says that the order is over, and for `millis` goes on to say so; then the order lives on. */
const lying = Effect.fnUntraced(function* (
  millis: number,
  world: Effect.Success<ReturnType<typeof resting>>["world"],
  said: (shown: Shown) => object = () => ended("CANCELED")
) {
  const lies = new Set<string>()
  let isLying = true
  const rewrite = (order: Shown) => {
    if (isLying && lies.has(order.id)) Object.assign(order.attributes, said(order))
  }
  const orderOf = new Map<string, unknown>()
  world.network.bend = (request) => {
    const [, id = ""] = /orders\/([^/]+)\/cancel$/.exec(request.url) ?? []
    if (id === "" || !isLying) return undefined
    lies.add(id)
    const shown = structuredClone(orderOf.get(id)) as Shown
    Object.assign(shown.attributes, said(shown))
    return { status: 202, body: { data: shown, meta: {} } }
  }
  world.network.reply = (_request, body) => {
    const { data } = body as { data?: Shown | ReadonlyArray<Shown> }
    const orders = Array.isArray(data) ? data : data === undefined ? [] : [data as Shown]
    for (const order of orders) {
      if (order?.attributes?.["fillStatus"] === undefined) continue
      orderOf.set(order.id, structuredClone(order))
      rewrite(order)
    }
    return body
  }
  yield* Effect.forkChild(
    Effect.andThen(
      Effect.sleep(millis),
      Effect.sync(() => (isLying = false))
    )
  )
  return lies
})

const one = ladder(1, "ladder", "BTC/USDC", [40_000, 40_000])

describe("orders that live on after they are settled", () => {
  it.effect("after a false confirmation of a cancel are reported, and a kill still cancels them", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting({ strategies: [one], pace: { pollMaxMillis: 1_000 } }, 1)
        yield* Effect.sleep(2_000)
        const lies = yield* lying(8_000, world)
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* until(() => unfinished(process.state).length === 0, 8_000, "it counts as back")
        assert.strictEqual(lies.size, 1)
        yield* until(() => Problems.problemsOf(process.state, 0).length > 0, 180_000, "it is told")
        assert.match(
          Problems.problemsOf(process.state, 0)[0]?.evidence ?? "",
          /ended CANCELED, but the venue still shows it OPEN/
        )
        const cancels = () => world.network.sent.filter(isCancel).length
        yield* until(() => cancels() > 1, 10_000, "it is cancelled again")
        yield* Effect.sleep(20_000)
        world.setWithdraw(undefined)
        const signed = Effect.map(process.events, (all) => all.filter(({ event }) => event._tag === "FundingSigned"))
        yield* Effect.sleep(40_000)
        assert.lengthOf(yield* signed, 1, "its slot gets nothing new")
        assert.lengthOf(openOrders(process), 0)
        const told = (yield* process.events).filter(({ event }) => event._tag === "Contradiction")
        assert.lengthOf(told, 1)
        yield* process.stop
        const second = yield* world.run({ strategies: [one] })
        yield* Effect.sleep(40_000)
        assert.lengthOf(yield* signed, 1, "after a restart neither")
        assert.lengthOf(Problems.problemsOf(second.state, 0), 1)
      })
    )
  )

  it.effect("are cancelled within three seconds of a kill, long before the list is due", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting({ strategies: [one] }, 1)
        yield* Effect.sleep(2_000)
        yield* lying(20_000, world)
        world.setWithdraw({ code: "operator", text: "test" })
        yield* until(() => unfinished(process.state).length === 0, 18_000, "it counts as back")
        yield* Effect.sleep(15_000)
        assert.lengthOf(Problems.problemsOf(process.state, 0), 0, "the bot has not read the list since")
        const cancels = () => world.network.sent.filter(isCancel).length
        const before = cancels()
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* until(() => cancels() > before, 3_000, "it is cancelled again")
      })
    )
  )

  it.effect("are cancelled within three seconds under the kill switch, also after a read that shows them ended", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting({ strategies: [one], pace: { pollMaxMillis: 1_000 } }, 1)
        yield* Effect.sleep(2_000)
        yield* lying(8_000, world)
        const { reply } = world.network
        let [isStale, readings] = [true, 0]
        world.network.reply = (request, body) => {
          const shown = reply(request, body)
          const { data } = shown as { data?: Shown | ReadonlyArray<Shown> }
          if (isStale && data !== undefined && "attributes" in data && "fillStatus" in data.attributes) {
            readings += 1
            Object.assign(data.attributes, ended("CANCELED"))
          }
          return shown
        }
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* until(() => unfinished(process.state).length === 0, 8_000, "it counts as back")
        const readBefore = readings
        yield* until(() => readings > readBefore, 20_000, "the list shows it, a read shows it ended")
        isStale = false
        const cancels = () => world.network.sent.filter(isCancel).length
        const before = cancels()
        yield* until(() => cancels() > before, 3_000, "it is cancelled again")
      })
    )
  )

  it.effect("stop new orders if there are two of them, so that the account is not emptied", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting({ strategies: [ladder(4)], pace: { pollMaxMillis: 1_000 } }, 4)
        yield* Effect.sleep(2_000)
        const lies = yield* lying(12_000, world)
        const [first, second] = openOrders(process)
        yield* process
          .inside()
          .withdrawPlacements([first?.id ?? "", second?.id ?? ""], { code: "operator", text: "test" })
        yield* until(() => lies.size === 2, 5_000, "they are cancelled")
        const paused = () => process.state.strategies.get("ladder")?.paused
        yield* until(() => paused() !== undefined, 60_000, "the strategy waits")
        assert.strictEqual(paused()?.limit, "revived-orders")
        assert.include(paused()?.reason ?? "", "2 orders are open although")
        const signed = Effect.map(process.events, (all) => all.filter(({ event }) => event._tag === "FundingSigned"))
        const { length } = yield* signed
        assert.isAtMost(length, 4 + 2)
        const others = openOrders(process).map(({ id }) => id)
        yield* process.inside().withdrawPlacements(others, { code: "operator", text: "test" })
        yield* Effect.sleep("5 minutes")
        assert.lengthOf(yield* signed, length, "no slot pays anything")
      })
    )
  )

  it.effect("count again in the books and in every limit", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting({ strategies: [ladder(4)], pace: { pollMaxMillis: 1_000 } }, 4)
        yield* Effect.sleep(2_000)
        yield* lying(12_000, world)
        const [first] = openOrders(process)
        yield* process.inside().withdrawPlacements([first?.id ?? ""], { code: "operator", text: "test" })
        yield* until(() => openOrders(process).some(({ id }) => id === "p5"), 60_000, "its slot pays again")
        yield* until(() => openOrders(process).length === 5, 180_000, "it is an order again")
        const inOrders = openOrders(process).reduce((sum, { inputAmount }) => sum + inputAmount, 0n)
        const held = Ledger.totals(process.state.ledger).find(
          ({ asset, place }) => asset === "USDC" && place === "in order"
        )
        assert.strictEqual(held?.amount, inOrders)
        const { all, own } = Tally.of(process.state, "ladder", yield* Clock.currentTimeMillis)
        for (const { exposure, notional, openOrders: count } of [own, all])
          assert.deepStrictEqual([count, notional, exposure.get("USDC")], [5, inOrders, inOrders])
      })
    )
  )

  it.effect("after a cancel falsely confirmed for four seconds do not make the slot pay again", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting({ strategies: [one], pace: { pollMaxMillis: 1_000 } }, 1)
        yield* Effect.sleep(2_000)
        const [placement] = openOrders(process)
        const lies = yield* lying(4_000, world)
        yield* process.inside().withdrawPlacements([placement?.id ?? ""], { code: "operator", text: "test" })
        yield* until(() => lies.size === 1, 5_000, "it is cancelled")
        yield* Effect.sleep(8_000)
        const events = yield* process.events
        const tags = (tag: string) => events.filter(({ event }) => event._tag === tag)
        assert.lengthOf(tags("Closed"), 1)
        assert.lengthOf(tags("Refunded"), 0, "its money is not free")
        assert.lengthOf(tags("FundingSigned"), 1, "its slot pays nothing meanwhile")
        yield* until(
          () => openOrders(process).length === 1 && process.state.placements.size === 1,
          60_000,
          "it is over"
        )
        assert.lengthOf(
          (yield* process.events).filter(({ event }) => event._tag === "FundingSigned"),
          2
        )
      })
    )
  )

  it.effect("count as ended after a second read, and at once when the bot leaves", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting({ strategies: [one], pace: { pollMaxMillis: 1_000 } }, 1)
        const [placement] = openOrders(process)
        yield* process.inside().withdrawPlacements([placement?.id ?? ""], { code: "operator", text: "test" })
        const at = (events: Effect.Success<typeof process.events>, tag: string) =>
          events.findLast(({ event }) => event._tag === tag)?.at ?? 0
        yield* until(() => openOrders(process).some(({ id }) => id !== placement?.id), 60_000, "it rests again")
        const first = yield* process.events
        assert.isAtLeast(at(first, "Refunded") - at(first, "Closed"), 5_000)
        assert.isAtMost(at(first, "Refunded") - at(first, "Closed"), 7_000)
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* until(() => unfinished(process.state).length === 0, 10_000, "it is back")
        const second = yield* process.events
        assert.isAtMost(at(second, "Refunded") - at(second, "Closed"), 1_000)
      })
    )
  )

  it.effect("but are shown as before their deposit hold no money, and do not count as alive", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting({ strategies: [one], pace: { pollMaxMillis: 1_000 } }, 1)
        let isOver = false
        let known: Shown | undefined
        const early = { fillStatus: "AWAITING_DEPOSIT", depositedAmount: "0", partialFills: [] }
        world.network.reply = (_request, body) => {
          const { data } = body as { data?: Shown | Array<Shown> }
          if (Array.isArray(data)) {
            const [listed] = data
            if (listed?.attributes?.["fillStatus"] !== undefined) known ??= structuredClone(listed)
            if (isOver && known !== undefined) data.splice(0, data.length, known)
          }
          if (!isOver || data === undefined || known === undefined) return body
          for (const order of Array.isArray(data) ? data : [data]) {
            if (order.id !== known.id) continue
            Object.assign(order.attributes, early)
          }
          return body
        }
        yield* until(() => known !== undefined, 30_000, "the list shows it")
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* until(() => unfinished(process.state).length === 0, 30_000, "it is over")
        yield* Effect.sleep(10_000)
        isOver = true
        yield* Effect.sleep(120_000)
        assert.lengthOf(Problems.problemsOf(process.state, 0), 0)
      })
    )
  )

  it.effect("although shown as filled and paid are reported too, and their slot stops", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting({ strategies: [one], pace: { pollMaxMillis: 1_000 } }, 1)
        yield* Effect.sleep(2_000)
        const filled = ({ attributes }: Shown) => ({
          ...ended("FILLED"),
          payouts: { refund: null, withdrawal: null, allWithdrawals: [{ status: "COMPLETED", txHash: "word" }] },
          partialFills: [
            {
              id: "fill",
              amountIn: attributes["depositedAmount"],
              amountOut: (attributes["swapView"] as { amountOut: string }).amountOut,
              createdAt: attributes["createdAt"],
              updatedAt: attributes["createdAt"]
            }
          ]
        })
        yield* lying(8_000, world, filled)
        const [placement] = openOrders(process)
        yield* process.inside().withdrawPlacements([placement?.id ?? ""], { code: "operator", text: "test" })
        yield* until(() => unfinished(process.state).length === 0, 8_000, "it counts as filled")
        yield* until(() => Problems.problemsOf(process.state, 0).length > 0, 180_000, "it is told")
        assert.match(
          Problems.problemsOf(process.state, 0)[0]?.evidence ?? "",
          /ended FILLED, but the venue still shows it/
        )
        yield* Effect.sleep(60_000)
        const signed = (yield* process.events).filter(({ event }) => event._tag === "FundingSigned")
        assert.lengthOf(signed, 1, "nothing is paid for it")
      })
    )
  )
})
