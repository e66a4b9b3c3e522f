/** Whole bots at a venue that says, once their orders are over, that payouts and refunds had cost whatever it likes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { BotEvent, Of, Recorded } from "../../../src/domain/BotEvent.ts"
import * as Ledger from "../../../src/domain/Ledger.ts"
import { isTerminal } from "../../../src/domain/Order.ts"
import * as Problems from "../../../src/engine/funding/Problems.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { payoutCost } from "../../../src/engine/tracking/amounts/Fees.ts"
import { inVirtualTime, ladder, make, openOrders, type Running, until } from "../../world/bot/botWorld.ts"
import { type Attributes, rewriteOrders } from "../../world/bot/orderReports.ts"
import { reports, start } from "./orderLife.ts"

/** Below the price, so that all of it is sold as soon as it is paid for. */
const sale = `name: sale
market: BTC/USDC
kind: ladder
limits: { budget: { base: 0.1 }, maxPriceDeviation: 90% }
ladder: { side: sell, from: 58000, to: 58000, rungs: 1, total: { base: 0.05 } }
`
const rung = ladder(1, "ladder", "BTC/USDC", [40_000, 40_000])
/** What the sandbox takes for a payout or a refund of USDC. */
const fee = 20_000n

type World = Effect.Success<typeof make>

const isOver = ({ fillStatus }: Attributes) => isTerminal(String(fillStatus))
/** From now on orders are shown like this. */
const saying = (world: World, when: (order: Attributes) => boolean, what: Attributes) =>
  rewriteOrders(world.network, (order) => (when(order) ? { ...order, ...what } : order))

const ofKind = <T extends BotEvent["_tag"]>(events: Iterable<Recorded>, tag: T): ReadonlyArray<Of<T>> =>
  [...events].flatMap(({ event }) => (isOf(event, tag) ? [event] : []))
const isOf = <T extends BotEvent["_tag"]>(event: BotEvent, tag: T): event is Of<T> => event._tag === tag
const alertsIn = (events: Iterable<Recorded>) => ofKind(events, "Contradiction").map(({ kind, what }) => [kind, what])

const placesOf = ({ state }: Running, asset: string) =>
  new Map(Ledger.totals(state.ledger).flatMap((each) => (each.asset === asset ? [[each.place, each.amount]] : [])))

const isSettled = ({ state }: Running) => state.placementCount === 1 && !state.placements.has("p1")

const placed = Effect.fnUntraced(function* (world: World, strategy: string) {
  const bot = yield* world.run({ strategies: [strategy] })
  yield* until(() => openOrders(bot).length === 1, 60_000, "it rests")
  return bot
})

/** Ends the one order of a bot and returns what came of it. */
const ended = Effect.fnUntraced(function* (world: World, bot: Running) {
  world.setWithdraw({ code: "leaving", text: "the test ends it" })
  yield* until(() => isSettled(bot), 90_000, "it is settled")
  yield* Effect.sleep(3_000)
  return yield* bot.events
})

describe("a fee that is estimated after the end", () => {
  it.effect("is booked up to its limit, even if the venue takes the whole payout", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        saying(world, isOver, { estimatedWithdrawFee: "80000000000" })
        const bot = yield* world.run({ strategies: [sale] })
        yield* until(() => isSettled(bot), 90_000, "it is settled")
        const events = yield* bot.events
        const filled = ofKind(events, "FillSeen").reduce((sum, { amountOut }) => sum + amountOut, 0n)
        assert.strictEqual(placesOf(bot, "USDC").get("fees"), fee)
        assert.strictEqual(placesOf(bot, "USDC").get("residual"), filled - fee, "unexplained")
        assert.deepStrictEqual(alertsIn(events), [
          ["amounts-do-not-match", `the venue reports a payout cost of ${filled}, but it was funded at a fee of ${fee}`]
        ])
        yield* Effect.sleep(3_000)
        assert.isDefined(bot.state.strategies.get("sale")?.paused, "nothing new is funded")
        // The operator has seen it arrive.
        const says = Problems.resolve(bot.state, { placement: "p1", word: "paid", text: "it is in the account" }, 0)
        yield* Bookkeeper.use((books) => books.record(...Result.getOrThrow(says))).pipe(
          Effect.provideContext(bot.context)
        )
        assert.deepStrictEqual([...placesOf(bot, "USDC").keys()], ["wallet", "fees"])
        assert.deepStrictEqual(Problems.problemsOf(bot.state, 0), [])
      })
    )
  )

  it.effect("is not booked for a refund, and a restarted process agrees", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const first = yield* placed(world, rung)
        yield* first.stop
        saying(world, isOver, { estimatedRefundFee: "80000000000" })
        const second = yield* world.run({ strategies: [rung] })
        const events = yield* ended(world, second)
        const deposited = ofKind(events, "DepositSeen")[0]?.total ?? 0n
        assert.strictEqual(placesOf(second, "USDC").get("fees"), fee)
        assert.strictEqual(placesOf(second, "USDC").get("residual"), deposited - fee)
        assert.deepStrictEqual(alertsIn(events), [
          [
            "amounts-do-not-match",
            `the venue reports a refund cost of ${deposited}, but it was funded at a fee of ${fee}`
          ]
        ])
      })
    )
  )

  it.effect("is booked once per fill, or once per named transaction, however many payouts the venue lists", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const leg = (index: number) => ({ status: "COMPLETED", txHash: `${index}`.repeat(44) })
        const legs = Array.from({ length: 500 }, (_, index) => leg(index % 10))
        rewriteOrders(world.network, (order) =>
          isOver(order) && order["isPayoutStatusFinal"] === true
            ? { ...order, payouts: { withdrawal: leg(1), allWithdrawals: legs, refund: null } }
            : order
        )
        const bot = yield* world.run({ strategies: [sale] })
        yield* until(() => isSettled(bot), 90_000, "it is settled")
        assert.strictEqual(placesOf(bot, "USDC").get("fees"), fee * 10n, "ten hashes are named")
        assert.strictEqual(placesOf(bot, "USDC").get("residual"), fee * 490n)
      })
    )
  )

  it.effect("of a fill paid out in two withdrawals is explained in full, and its strategy continues", () =>
    inVirtualTime(
      Effect.gen(function* () {
        for (const [hashes, named] of [
          [["1", "2"], 2],
          [["1", "1"], 1],
          [["", ""], 1]
        ] as const) {
          const world = yield* make
          const legs = hashes.map((hash) => ({ status: "COMPLETED", txHash: hash.repeat(44) }))
          rewriteOrders(world.network, (order) =>
            isOver(order) && order["isPayoutStatusFinal"] === true
              ? { ...order, payouts: { withdrawal: legs[0], allWithdrawals: legs, refund: null } }
              : order
          )
          const bot = yield* world.run({ strategies: [sale] })
          yield* until(() => isSettled(bot), 90_000, "it is settled")
          yield* Effect.sleep(3_000)
          const most = BigInt(Math.min(2, Math.max(named, ofKind(yield* bot.events, "FillSeen").length)))
          assert.strictEqual(placesOf(bot, "USDC").get("fees"), fee * most, hashes.join())
          assert.strictEqual(placesOf(bot, "USDC").get("residual") ?? 0n, fee * (2n - most))
          assert.strictEqual(bot.state.strategies.get("sale")?.paused === undefined, most === 2n)
        }
      })
    )
  )

  it("of all named withdrawals together is at most what an order may cost", () => {
    const placement = start({
      side: "SELL",
      fills: [],
      rest: 1_000_000n,
      withdrawFee: 100_000n,
      refundFee: 0n
    }).placement()
    const [order] = reports({
      side: "SELL",
      fills: [1_000_000n],
      rest: 0n,
      withdrawFee: 100_000n,
      refundFee: 0n
    }).slice(-1)
    if (placement === undefined || order === undefined) return assert.fail("not placed")
    const named = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ status: "COMPLETED", txHash: `hash ${index}` }))
    const feeOf = (count: number) => payoutCost(placement, { ...order, withdrawals: named(count) }, 500_000_000n).fee
    assert.deepStrictEqual([1, 2, 250, 251, 5_000].map(feeOf), [
      100_000n,
      200_000n,
      25_000_000n,
      25_000_000n,
      25_000_000n
    ])
  })

  it.effect("may be lower, and if it is missing the estimate at funding counts", () =>
    inVirtualTime(
      Effect.gen(function* () {
        for (const [said, booked] of [
          ["7", 7n],
          [null, fee],
          ["", fee],
          [undefined, fee]
        ] as const) {
          const world = yield* make
          const bot = yield* placed(world, rung)
          saying(world, isOver, { estimatedRefundFee: said })
          const events = yield* ended(world, bot)
          assert.strictEqual(placesOf(bot, "USDC").get("fees"), booked, String(said))
          assert.deepStrictEqual(alertsIn(events), [])
          assert.isFalse(placesOf(bot, "USDC").has("residual"))
          world.setWithdraw(undefined)
        }
      })
    )
  )

  it.effect("is the estimate of the last read before funding", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let isCreated = false
        rewriteOrders(world.network, (order) => {
          const shown = isCreated ? { ...order, estimatedRefundFee: "30000" } : order
          isCreated = true
          return shown
        })
        const bot = yield* placed(world, rung)
        yield* bot.stop
        const second = yield* world.run({ strategies: [rung] })
        const events = yield* ended(world, second)
        assert.deepStrictEqual(
          ofKind(events, "FeesEstimated").map(({ estimatedRefundFee }) => estimatedRefundFee),
          [30_000n],
          "said once"
        )
        assert.strictEqual(placesOf(second, "USDC").get("fees"), 30_000n)
        assert.deepStrictEqual(alertsIn(events), [])
      })
    )
  )

  it.effect.each([
    ["estimatedWithdrawFee", "300000", /^its payout is estimated at 300000, just before at \d+$/],
    ["estimatedRefundFee", "120000000", /^its refund is estimated at 120000000, just before at \d+$/]
  ] as const)("%s that jumps right before the payment stops it with an alert", ([name, jumped, told]) =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let isCreated = false
        rewriteOrders(world.network, (order) => {
          const shown = isCreated ? { ...order, [name]: jumped } : order
          isCreated = true
          return shown
        })
        const bot = yield* world.run({ strategies: [rung] })
        yield* Effect.sleep(60_000)
        const events = yield* bot.events
        assert.deepStrictEqual(ofKind(events, "FundingSigned"), [], "nothing is paid")
        const [alert, ...others] = alertsIn(events)
        assert.deepStrictEqual(others, [])
        assert.match(alert?.[1] ?? "", told)
      })
    )
  )

  it.effect("of a recovered order is believed only up to what any order is funded at", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const first = yield* placed(world, rung)
        yield* first.stop
        const known = [...(yield* first.events)].map(({ event }) => event)
        const before = known.slice(
          0,
          known.findIndex(({ _tag }) => _tag === "Planned")
        )
        saying(world, () => true, { estimatedRefundFee: "80000000000" })
        const earlier: ReadonlyArray<BotEvent> = [...before, { _tag: "JournalRestored", events: 3, head: "hash" }]
        const second = yield* world.run({ strategies: [rung], ownJournal: true, earlier })
        yield* until(() => openOrders(second).length === 1, 60_000, "it is taken back")
        const events = yield* ended(world, second)
        assert.isUndefined(placesOf(second, "USDC").get("fees"))
        assert.strictEqual(placesOf(second, "USDC").get("residual"), ofKind(events, "DepositSeen")[0]?.total)
        assert.lengthOf(alertsIn(events), 1)
      })
    )
  )
})
