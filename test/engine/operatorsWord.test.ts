/** What the operator says of a payment holds, whatever the venue goes on to show. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Result } from "effect"
import { resolve } from "../../src/engine/funding/Problems.ts"
import { Wallet } from "../../src/engine/funding/Wallet.ts"
import { Bookkeeper } from "../../src/engine/state/Bookkeeper.ts"
import { unfinished } from "../../src/engine/state/BotState.ts"
import { chainAccount } from "../../src/venue/VenueConfig.ts"
import { assets, inVirtualTime, ladder, make, until } from "./botWorld.ts"

describe("the operator's word", () => {
  it.effect("that a wallet paid held for ten minutes, and then the payment was in doubt again", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const own = new Map(assets.map(({ id }) => [id, "bc1qours"]))
        const wallet = { kind: "command" as const, pay: () => Effect.succeed({ txHash: "0xabc", sender: undefined }) }
        const bot = yield* world.run({
          strategies: [ladder(2)],
          pace: { paymentVisibilityMillis: 30_000 },
          account: chainAccount(world.signerId, { recipients: own, refundTo: own }),
          beside: Layer.succeed(Wallet, wallet)
        })
        const states = () => new Set(unfinished(bot.state).map(({ state }) => state))
        yield* until(() => states().has("funding"), 60_000, "the wallet has paid, as it says")
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* until(() => states().has("in doubt") && !states().has("funding"), 90_000, "no deposit shows")
        const doubts = Effect.map(
          bot.events,
          (all) => all.filter(({ event }) => event._tag === "FundingInDoubt").length
        )
        const before = yield* doubts
        const now = yield* Clock.currentTimeMillis
        for (const { id } of unfinished(bot.state)) {
          const said = Result.getOrThrow(resolve(bot.state, { placement: id, word: "paid", text: "" }, now))
          yield* Context.get(bot.context, Bookkeeper).record(said)
        }
        yield* Effect.sleep(90_000)
        assert.deepStrictEqual(states(), new Set(["funding"]))
        assert.strictEqual(yield* doubts, before)
      })
    )
  )
})
