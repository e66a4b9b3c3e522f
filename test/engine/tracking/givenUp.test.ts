/** Money that a person has given up is a loss wherever losses count; if it comes after all, it is booked like any other. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Result, Schema } from "effect"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as Ledger from "../../../src/domain/Ledger.ts"
import * as Problems from "../../../src/engine/funding/Problems.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import * as Profit from "../../../src/ledger/Profit.ts"
import * as Trades from "../../../src/ledger/Trades.ts"
import * as EventLine from "../../../src/report/text/EventLine.ts"
import { assets, inVirtualTime, ladder, openOrders, type Running, resting, until } from "../../world/bot/botWorld.ts"
import { rewriteOrders } from "../../world/bot/orderReports.ts"

const one = ladder(1, "ladder", "BTC/USDC", [40_000, 40_000])
const decimals = (symbol: string) => assets.find((asset) => asset.symbol === symbol)?.decimals

const placesOf = ({ state }: Running) =>
  Object.fromEntries(Ledger.totals(state.ledger).map(({ asset, amount, place }) => [`${asset} ${place}`, amount]))

/** What all trading came to at the price of the order. */
const totalOf = (bot: Running) =>
  Effect.map(bot.events, (events) => {
    const fold = Trades.make(decimals)
    for (const entry of events) fold.see(entry)
    const prices = new Map([["BTC/USDC", { price: Decimal.make(40_000n), at: 0 }]])
    const mark = Profit.markBy(prices, decimals)
    const [row] = Profit.report(fold.result(), { method: "average", mark, now: 0 })
    return row?.figures
  })

/** A purchase whose payout the venue gives up, until `pays` is said. */
const failed = Effect.gen(function* () {
  const { process, world } = yield* resting({ strategies: [one], pace: { pollMaxMillis: 1_000 } }, 1)
  yield* Effect.sleep(2_000)
  const [order] = openOrders(process)
  let status = "FAILED"
  rewriteOrders(world.network, (said, id) => {
    if (id !== order?.order.id) return said
    const { createdAt, depositedAmount, swapView } = said
    const { amountOut } = Schema.decodeUnknownSync(Schema.Struct({ amountOut: Schema.String }))(swapView)
    const fill = { id: "fill", amountIn: depositedAmount, amountOut, createdAt, updatedAt: createdAt }
    const leg = { status, ...(status === "FAILED" ? { reason: "x" } : { txHash: "tx" }) }
    const payouts = { withdrawal: leg, allWithdrawals: [leg], refund: null }
    const ended = { fillStatus: "FILLED", payoutStatus: status, isPayoutStatusFinal: true }
    return { ...said, ...ended, partialFills: [fill], payouts }
  })
  yield* until(() => Problems.problemsOf(process.state, 0).some(({ kind }) => kind === "frozen"), 60_000, "it failed")
  const id = order?.id ?? ""
  const fee = order?.order.estimatedWithdrawFee ?? 0n
  const say = (word: Problems.Word) =>
    Effect.gen(function* () {
      const said = Problems.resolve(process.state, { placement: id, word, text: "" }, yield* Clock.currentTimeMillis)
      if (Result.isFailure(said)) return said.failure
      yield* Context.get(process.context, Bookkeeper).record(...said.success)
      return "taken"
    })
  const pays = (): void => {
    status = "COMPLETED"
  }
  return { brought: order?.outputAmount ?? 0n, fee, id, paid: order?.inputAmount ?? 0n, pays, process, say }
})

describe("money that is given up", () => {
  it.effect("counts as lost in profit and in loss limits", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { brought, id, paid, pays, process, say } = yield* failed
        const owned = (asset: string) => Ledger.ownedBy(process.state.ledger, "ladder", asset)
        assert.deepStrictEqual([owned("BTC"), placesOf(process)["BTC residual"]], [brought, brought])
        assert.strictEqual(yield* say("forget"), "taken")
        assert.deepStrictEqual([owned("BTC"), owned("USDC")], [0n, 6_000_000_000n - paid])
        assert.deepInclude(placesOf(process), { "BTC lost": brought })
        assert.notProperty(placesOf(process), "BTC residual")
        assert.strictEqual((yield* totalOf(process))?.total, -paid)
        assert.include(yield* say("forget"), "no problem")

        pays()
        yield* until(() => placesOf(process)["BTC wallet"] !== undefined, 300_000, "it is booked")
        const fee = placesOf(process)["BTC fees"] ?? 0n
        assert.strictEqual(placesOf(process)["BTC wallet"], brought - fee)
        assert.notProperty(placesOf(process), "BTC lost")
        assert.isFalse(process.state.placements.has(id))
        const { gridProfit = -paid, total = -paid } = (yield* totalOf(process)) ?? {}
        assert.isBelow(Number(-total), Number(paid) / 100)
        assert.isBelow(Number(-gridProfit), Number(paid) / 100, "what it had lost is earned back")
        const basis = process.state.strategies.get("ladder")?.trading.get("BTC/USDC")?.position.basis
        assert.strictEqual(basis && basis.cost - basis.realised, paid, "it is held at what it had cost, less the fee")
        const bySymbol = new Map(assets.map((asset) => [asset.symbol, asset]))
        const told = (yield* process.events).flatMap(({ event }) =>
          event._tag === "Found" ? [EventLine.describe(event, bySymbol)?.text] : []
        )
        assert.match(told.join(), /^[\d.]+ BTC that was written off as lost has arrived$/)
        const slot = process.state.slots.get("ladder/rung-00")
        assert.strictEqual(slot?.completedLegs ?? 0, 0, "its slot went on without it")
      })
    )
  )

  it.effect("can be confirmed as arrived, net of the fee of its payout", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { brought, fee, id, process, say } = yield* failed
        assert.isAbove(Number(fee), 0)
        assert.strictEqual(yield* say("not-paid"), "taken")
        assert.deepInclude(placesOf(process), { "BTC lost": brought })
        assert.strictEqual(yield* say("paid"), "taken")
        assert.deepInclude(placesOf(process), { "BTC wallet": brought - fee, "BTC fees": fee })
        assert.notProperty(placesOf(process), "BTC residual")
        assert.isFalse(process.state.placements.has(id))
        assert.include(yield* say("paid"), "no problem")
      })
    )
  )

  it.effect("is booked net of the fee of its payout if a person confirms it first", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { brought, fee, id, pays, process, say } = yield* failed
        assert.strictEqual(yield* say("paid"), "taken")
        assert.deepInclude(placesOf(process), { "BTC wallet": brought - fee, "BTC fees": fee })
        pays()
        yield* until(() => !process.state.placements.has(id), 300_000, "its books are closed")
        assert.deepInclude(placesOf(process), { "BTC wallet": brought - fee, "BTC fees": fee })
        assert.notProperty(placesOf(process), "BTC residual")
      })
    )
  )
})
