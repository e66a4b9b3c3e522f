/** The kill switch at the worst moment: between the gate and the network, and when the journal takes nothing any more. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Wallet } from "../../src/engine/funding/Wallet.ts"
import { unfinished } from "../../src/engine/state/BotState.ts"
import { defaultTerms } from "../../src/engine/tracking/Overdue.ts"
import { chainAccount } from "../../src/venue/VenueConfig.ts"
import { problemsOf } from "../../src/views/Problems.ts"
import { assets, inVirtualTime, isCancel, ladder, make, resting, until } from "../world/bot/botWorld.ts"

const killed = { code: "kill-switch", text: "test" }
const isSubmit = ({ path }: { readonly path: string }) => path.endsWith("/v0/submit-intent")

describe("the kill switch between the gate and the network", () => {
  it.effect("stops a payment whose record waits for a locked journal", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        world.setJournalLocked((events) => events.some(({ _tag }) => _tag === "FundingSent"))
        const bot = yield* world.run({ strategies: [ladder(2)] })
        const isAsked = () => world.network.sent.some(({ path }) => path.endsWith("/v0/generate-intent"))
        yield* until(isAsked, 60_000, "it is about to be signed")
        yield* Effect.sleep(1_000)
        assert.isTrue(unfinished(bot.state).some(({ state }) => state === "created"))
        world.setWithdraw(killed)
        yield* Effect.sleep(3_000)
        world.setJournalLocked(false)
        yield* Effect.sleep(30_000)
        assert.isEmpty(world.network.sent.filter(isSubmit))
        const [held] = unfinished(bot.state)
        assert.strictEqual(held?.funding?.attempts, 0, "it counts as never sent")
        const told = (yield* bot.events).filter(({ event }) => event._tag === "FundingHeld")
        assert.strictEqual(told.length, 1)
        const later = (yield* Clock.currentTimeMillis) + 180_000
        const problems = problemsOf(bot.state, new Map(), {
          now: later,
          pulse: undefined,
          stuckAfter: defaultTerms
        })
        assert.notInclude(
          problems.map(({ kind }) => kind),
          "stuck",
          "it is said to be sent"
        )
      })
    )
  )

  it.effect("stops the create of an order whose record waits for a locked journal", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        world.setJournalLocked((events) => events.some(({ _tag }) => _tag === "CreateSent"))
        const bot = yield* world.run({ strategies: [ladder(2)] })
        yield* Effect.sleep(3_000)
        world.setWithdraw(killed)
        yield* Effect.sleep(3_000)
        world.setJournalLocked(false)
        yield* until(() => bot.state.placementCount > 0, 30_000, "it is recorded")
        yield* until(() => unfinished(bot.state).length === 0, 30_000, "nothing is left")
        assert.isEmpty(
          world.network.sent.filter(({ method, path }) => method === "POST" && path.endsWith("/v0/orders"))
        )
        const tags = (yield* bot.events).map(({ event }) => event._tag)
        assert.notInclude(tags, "CreateRefused", "the venue was not asked")
      })
    )
  )

  it.effect("stops a request to a wallet whose record waits for a locked journal", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        let asked = 0
        const wallet = {
          kind: "command" as const,
          pay: () =>
            Effect.sync(() => {
              asked += 1
              return { txHash: "0xabc", sender: undefined }
            })
        }
        const own = new Map(assets.map(({ id }) => [id, "bc1qours"]))
        world.setJournalLocked((events) => events.some(({ _tag }) => _tag === "PaymentAsked"))
        const bot = yield* world.run({
          strategies: [ladder(2)],
          account: chainAccount(world.signerId, { recipients: own, refundTo: own }),
          beside: Layer.succeed(Wallet, wallet)
        })
        yield* Effect.sleep(10_000)
        assert.isTrue(unfinished(bot.state).some(({ state }) => state === "created"))
        world.setWithdraw(killed)
        yield* Effect.sleep(3_000)
        world.setJournalLocked(false)
        yield* until(() => unfinished(bot.state).length === 0, 60_000, "nothing is left")
        assert.strictEqual(asked, 0)
      })
    )
  )
})

describe("the kill switch with a broken journal", () => {
  it.effect("cancels all orders before the bot ends", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process } = yield* resting({ strategies: [ladder(4)] }, 4)
        yield* Effect.sleep(20_000)
        world.network.sent.length = 0
        let refused = 0
        world.network.bend = ({ url }) => (url.endsWith("/cancel") && refused++ < 2 ? "fails" : undefined)
        world.setJournalBroken(true)
        world.setWithdraw(killed)
        const paths = () => new Set(world.network.sent.filter(isCancel).map(({ path }) => path)).size
        assert.isBelow(yield* until(() => paths() === 4, 5_000, "four cancels"), 1_000)
        yield* until(() => process.fiber.pollUnsafe() !== undefined, 20_000, "then the bot ends")
        const cancels = world.network.sent.filter(isCancel).length
        assert.isAtLeast(cancels, 6, "what failed is sent again")
        assert.isAtMost(cancels, 10, "what is over is not")
      })
    )
  )
})
