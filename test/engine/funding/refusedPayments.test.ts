/** A venue that executes what it says it refuses, and hides the deposit, must not be paid again and again. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { Wallet, type WalletPort, WalletRefused } from "../../../src/engine/funding/Wallet.ts"
import { whyStopped } from "../../../src/engine/holds/FundingStop.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { chainAccount } from "../../../src/venue/VenueConfig.ts"
import { isLong } from "../../long.ts"
import { about, asked } from "../../world/bot/askedPayment.ts"
import { assets, inVirtualTime, ladder, make, makeExpiring, openOrders, until } from "../../world/bot/botWorld.ts"

/** Every order of an answer, as before its deposit. */
const unpaid = (_request: unknown, body: unknown) => {
  const { data } = body as { data?: object | ReadonlyArray<object> }
  for (const order of Array.isArray(data) ? data : [data]) {
    const { attributes } = (order ?? {}) as { attributes?: { depositedAmount?: string } }
    if (attributes?.depositedAmount !== undefined)
      Object.assign(attributes, { fillStatus: "AWAITING_DEPOSIT", depositedAmount: "0" })
  }
  return body
}

describe("payments that are refused each time", () => {
  it.effect.skipIf(!isLong)(
    "are not signed again for hours; after those in flight their strategy waits for a person",
    () =>
      inVirtualTime(
        Effect.gen(function* () {
          const world = yield* make
          let isRefusing = true
          world.network.bend = ({ url }) =>
            isRefusing && url.endsWith("/v0/submit-intent")
              ? { status: 400, body: { message: "insufficient balance or overflow" } }
              : undefined
          const bot = yield* world.run({ strategies: [ladder(2)], pace: { pollMinMillis: 5_000 } })
          const signed = Effect.map(bot.events, (events) =>
            events.filter(({ event }) => event._tag === "FundingSigned")
          )
          yield* until(() => bot.state.strategies.get("ladder")?.paused !== undefined, 3_600_000, "it is paused")
          // Two more than slots: two are refused before the third says that it is no accident.
          const { length } = yield* signed
          assert.isAtMost(length, 2 + 2)
          assert.strictEqual(bot.state.strategies.get("ladder")?.paused?.limit, "refused-payments")
          yield* Effect.sleep("5 minutes")
          assert.lengthOf(yield* signed, length)

          isRefusing = false
          const books = Context.get(bot.context, Bookkeeper)
          yield* books.record({ _tag: "Resumed", strategy: "ladder", reason: "the account has it now" })
          yield* until(() => openOrders(bot).length === 2, 3_600_000, "all orders rest")
          assert.isUndefined(bot.state.strategies.get("ladder")?.refused)
        })
      )
  )

  it.effect.skipIf(!isLong)("do not stop their strategy if the verifier changes its salt meanwhile", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* makeExpiring
        const stale = new Set<string>()
        world.network.bend = ({ body, url }) => {
          if (!url.endsWith("/v0/submit-intent")) return undefined
          const bytes = body._tag === "Uint8Array" ? Buffer.from(body.body).toString() : ""
          if (stale.size < 4) stale.add(bytes)
          return stale.has(bytes) ? { status: 400, body: { message: "invalid salt" } } : undefined
        }
        const bot = yield* world.run({ strategies: [ladder(4)] })
        yield* until(
          () => openOrders(bot).length === 4,
          600_000,
          "all orders rest, each paid with a payload of its own"
        )
        const tags = (yield* bot.events).map(({ event }) => event._tag)
        const count = (tag: string) => tags.filter((each) => each === tag).length
        assert.deepStrictEqual([count("FundingSigned"), count("FundingDead"), count("Paused")], [8, 4, 0])
        assert.isAtMost(count("FundingSent"), 4 * 2 + 4)
      })
    )
  )

  it.effect("for their salt let a leaving bot end", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* makeExpiring
        world.network.bend = ({ url }) =>
          url.endsWith("/v0/submit-intent") ? { status: 400, body: { message: "invalid salt" } } : undefined
        const bot = yield* world.run({ strategies: [ladder(1, "ladder", "BTC/USDC", [40_000, 40_000])] })
        const refusals = () => [...bot.state.placements.values()].map(({ funding }) => funding?.clearRefusals)
        yield* until(() => refusals().includes(2), 60_000, "it is refused twice")
        world.setWithdraw({ code: "leaving", text: "The bot leaves" })
        yield* until(() => bot.inside().isIdle(), 120_000, "nothing is left to wait for")
      })
    )
  )

  it.effect("are requested once from a wallet program that pays but reports a failure", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const own = new Map(assets.map(({ id }) => [id, "bc1qown"]))
        let times = 0
        const wallet: WalletPort = {
          kind: "command",
          pay: () =>
            Effect.andThen(
              Effect.sync(() => (times += 1)),
              Effect.fail(new WalletRefused({ text: "code 1" }))
            )
        }
        const bot = yield* world.run({
          strategies: [ladder(1, "ladder", "BTC/USDC", [40_000, 40_000])],
          account: chainAccount(world.signerId, { recipients: own, refundTo: own }),
          beside: Layer.succeed(Wallet, wallet)
        })
        yield* Effect.sleep("10 minutes")
        assert.strictEqual(times, 3)
        const { paused } = bot.state.strategies.get("ladder") ?? {}
        assert.strictEqual(paused?.limit, "refused-payments")
        assert.match(paused?.reason ?? "", /3 payments in a row were refused \(The wallet did not pay: code 1\)/)
      })
    )
  )

  it.effect.skipIf(!isLong)("but made all the same are reported, also while their strategy waits", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let isHidden = true
        world.network.bend = ({ url }) =>
          url.endsWith("/v0/submit-intent")
            ? { isDelivered: true, status: 400, body: { message: "insufficient balance or overflow" } }
            : undefined
        world.network.reply = (request, body) => (isHidden ? unpaid(request, body) : body)
        const bot = yield* world.run({ strategies: [ladder(1, "ladder", "BTC/USDC", [40_000, 40_000])] })
        const dead = () => [...bot.state.placements.values()].some(({ state }) => state === "dead")
        yield* until(dead, 1_200_000, "it counts as never made")
        const books = Context.get(bot.context, Bookkeeper)
        yield* books.record({
          _tag: "Paused",
          strategy: "ladder",
          limit: "operator",
          action: "pause",
          reason: "test"
        })
        isHidden = false
        const known = () => bot.state.strategies.get("ladder")
        yield* until(
          () => known()?.refused?.isLie === true,
          120_000,
          "its deposit is booked although the strategy waits"
        )
        assert.match(whyStopped(known() ?? {}) ?? "", /refused/)
      })
    )
  )

  it("by a wallet that paid what it refused end all requests to that wallet", () => {
    const state = BotState.make()
    const dead: BotEvent = { _tag: "FundingDead", ...about, asset: "BTC", amount: 5n, reason: "no", by: "wallet" }
    const deposit: BotEvent = { _tag: "DepositSeen", ...about, asset: "BTC", total: 5n, fresh: 5n }
    for (const [index, event] of [...asked("command"), dead, deposit].entries())
      BotState.apply(state, { sequence: index + 1, at: index, event })
    const known = state.strategies.get(about.strategy)
    assert.match(whyStopped(known ?? {}) ?? "", /refused/)
  })
})
