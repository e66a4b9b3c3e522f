/** A venue that says of living orders that they are over, and refunded, must not be paid again and again. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import * as Ledger from "../../../src/domain/Ledger.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { unfinished } from "../../../src/engine/state/BotState.ts"
import { firstOf } from "../../long.ts"
import { inVirtualTime, isCancel, ladder, make, openOrders, resting, until } from "../../world/bot/botWorld.ts"

interface Attributes {
  [name: string]: unknown
}

const isAttributes = (value: unknown): value is Attributes => typeof value === "object" && value !== null

interface Filled {
  readonly partialFills: ReadonlyArray<object>
  readonly withdrawals: ReadonlyArray<object>
}

/** Every funded order of an answer, as if it had ended so, with what was filled of it. */
const ended = (status: string, filledOf?: (attributes: Attributes) => Filled) => (_request: unknown, body: unknown) => {
  const data = isAttributes(body) ? body["data"] : undefined
  for (const order of Array.isArray(data) ? data : [data]) {
    const attributes = isAttributes(order) ? order["attributes"] : undefined
    if (!isAttributes(attributes) || attributes["fillStatus"] !== "OPEN") continue
    const { partialFills, withdrawals = [] } = filledOf?.(attributes) ?? {}
    const refund = { status: "COMPLETED", txHash: "word" }
    Object.assign(attributes, {
      fillStatus: status,
      payoutStatus: "COMPLETED",
      isPayoutStatusFinal: true,
      ...(partialFills === undefined ? {} : { partialFills }),
      payouts: { withdrawal: withdrawals[0] ?? null, allWithdrawals: withdrawals, refund }
    })
  }
  return body
}

const aThousandthOf = (attributes: Attributes): Filled => {
  const { amountOut } = attributes["swapView"] as { amountOut: string }
  const [amountIn, brought] = [`${attributes["depositedAmount"]}`, amountOut].map((all) => `${BigInt(all) / 1_000n}`)
  const { createdAt } = attributes
  return {
    partialFills: [{ id: "a-thousandth", amountIn, amountOut: brought, createdAt, updatedAt: createdAt }],
    withdrawals: [{ status: "COMPLETED", amount: brought, txHash: "word" }]
  }
}

describe("orders that end early", () => {
  for (const status of firstOf(1, ["CANCELED", "EXPIRED"])) {
    it.effect(`as ${status} by the venue's report alone are not paid again; their strategy waits`, () =>
      inVirtualTime(
        Effect.gen(function* () {
          const world = yield* make
          world.network.reply = ended(status)
          const bot = yield* world.run({ strategies: [ladder(4)], pace: { pollMinMillis: 5_000 } })
          const signed = Effect.map(bot.events, (events) =>
            events.filter(({ event }) => event._tag === "FundingSigned")
          )
          yield* until(
            () => bot.state.strategies.get("ladder")?.paused?.limit === "early-ends",
            600_000,
            "it is paused"
          )
          const { length } = yield* signed
          assert.isAtMost(length, 4 + 2)
          yield* Effect.sleep("10 minutes")
          assert.lengthOf(yield* signed, length)

          world.network.reply = (_request, body) => body
          const books = Context.get(bot.context, Bookkeeper)
          yield* books.record({ _tag: "Resumed", strategy: "ladder", reason: "looked at" })
          yield* until(() => openOrders(bot).length === 4, 600_000, "all slots trade again")
        })
      )
    )

    for (const [when, toldAgain] of [
      ["while the venue says so", false],
      ["once the venue shows them again", true]
    ] as const)
      it.effect(
        `as ${status} by the venue's report alone are still tracked, and a kill ${when} cancels all of them`,
        () =>
          inVirtualTime(
            Effect.gen(function* () {
              const world = yield* make
              world.network.reply = ended(status)
              const bot = yield* world.run({ strategies: [ladder(4)], pace: { pollMinMillis: 5_000 } })
              const isPaused = () => bot.state.strategies.get("ladder")?.paused?.limit === "early-ends"
              yield* until(isPaused, 600_000, "it is paused")
              yield* Effect.sleep("12 minutes")
              const before = Ledger.totals(bot.state.ledger)
              const deposits = (yield* bot.events).flatMap(({ event }) =>
                event._tag === "DepositSeen" ? [event.fresh] : []
              )
              const paid = deposits.length
              assert.isAtLeast(paid, 3)
              assert.deepStrictEqual(
                before.flatMap(({ amount, place }) => (place === "refund in flight" ? [amount] : [])),
                [deposits.reduce((sum, each) => sum + each, 0n)],
                "none of it counts as free"
              )
              if (toldAgain) {
                world.network.reply = (_request, body) => body
                yield* until(() => openOrders(bot).length === paid, 120_000, "their books are open again")
                const words = (yield* bot.events).filter(({ event }) => event._tag === "Contradiction")
                assert.lengthOf(words, paid, "each is told")
              }
              const cancels = () => new Set(world.network.sent.filter(isCancel).map(({ path }) => path)).size
              assert.strictEqual(cancels(), 0)
              world.setWithdraw({ code: "kill-switch", text: "test" })
              yield* until(() => cancels() === paid, 2_000, "each is cancelled")
              yield* until(() => unfinished(bot.state).length === 0, 120_000, "all are back")
              assert.deepStrictEqual(
                Ledger.totals(bot.state.ledger).map(({ amount, place }) => [place, amount]),
                [
                  ["wallet", 6_000_000_000n - BigInt(paid) * 20_000n],
                  ["fees", BigInt(paid) * 20_000n]
                ]
              )
            })
          )
      )
  }

  it.effect("with a thousandth filled are not paid again without limit, and are reported", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        world.network.reply = ended("CANCELED", aThousandthOf)
        const bot = yield* world.run({ strategies: [ladder(4)] })
        const paused = () => bot.state.strategies.get("ladder")?.paused
        yield* until(() => paused() !== undefined, 60_000, "it is paused")
        assert.strictEqual(paused()?.limit, "early-ends")
        const signed = (yield* bot.events).filter(({ event }) => event._tag === "FundingSigned")
        assert.isAtMost(signed.length, 4 + 2)
        assert.isAtLeast((yield* bot.events).filter(({ event }) => event._tag === "FillSeen").length, 3)
      })
    )
  )

  it.effect("because somebody else cancels them count as back after ten minutes", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting(
          { strategies: [ladder(1, "ladder", "BTC/USDC", [40_000, 40_000])] },
          1
        )
        const id = openOrders(process)[0]?.order?.id ?? ""
        yield* world.cancel(id)
        const isHere = () => process.state.placements.get("p1")?.state
        yield* until(() => isHere() === "closing", 60_000, "it is over")
        const waited = yield* until(() => isHere() === undefined, 700_000, "it is settled")
        assert.isAtLeast(waited, 590_000)
        assert.isAtMost(waited, 610_000 + 60_000)
        const refunds = (yield* process.events).filter(({ event }) => event._tag === "Refunded")
        assert.lengthOf(refunds, 1)
        yield* until(() => openOrders(process).length === 1, 60_000, "its slot trades again")
      })
    )
  )

  it.effect("are believed after ten minutes, also if the clock is set back and corrected meanwhile", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting(
          { strategies: [ladder(1, "ladder", "BTC/USDC", [40_000, 40_000])] },
          1
        )
        yield* world.cancel(openOrders(process)[0]?.order?.id ?? "")
        const isHere = () => process.state.placements.get("p1")?.state
        yield* until(() => isHere() === "closing", 60_000, "it is over")
        world.setClockAhead(-3_600_000)
        yield* Effect.sleep("2 minutes")
        world.setClockAhead(0)
        yield* Effect.sleep("6 minutes")
        assert.strictEqual(isHere(), "closing")
        yield* until(() => isHere() === undefined, 300_000, "it is settled")
      })
    )
  )

  it.effect(
    "because we cancel them are believed after five seconds of this process, though the clock jumps ahead",
    () =>
      inVirtualTime(
        Effect.gen(function* () {
          const { process, world } = yield* resting(
            { strategies: [ladder(1, "ladder", "BTC/USDC", [40_000, 40_000])] },
            1
          )
          world.network.bend = ({ url }) => (url.endsWith("/cancel") ? { status: 503, body: {} } : undefined)
          const [order] = openOrders(process)
          world.setWithdraw({ code: "test", text: "test" })
          const isHere = () => process.state.placements.get("p1")?.state
          yield* until(() => process.state.placements.get("p1")?.cancel !== undefined, 10_000, "it is to be cancelled")
          yield* world.cancel(order?.order?.id ?? "")
          yield* until(() => isHere() === "closing", 60_000, "it is over")
          world.setClockAhead(3_600_000)
          yield* Effect.sleep("4 seconds")
          assert.strictEqual(isHere(), "closing")
          yield* until(() => isHere() === undefined, 60_000, "it is settled")
        })
      )
  )

  it.effect("because we cancel them do not count", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { process, world } = yield* resting({ strategies: [ladder(4)] }, 4)
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* until(() => unfinished(process.state).length === 0, 300_000, "all are back")
        world.setWithdraw(undefined)
        yield* until(() => openOrders(process).length === 4, 300_000, "all rest again")
        assert.isUndefined(process.state.strategies.get("ladder")?.endedEarly)
      })
    )
  )
})
