/** The name by which an operator has an unclear payment made once more, and what a wallet's word is worth. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Ledger from "../../../src/domain/Ledger.ts"
import { mayRunUntil, notPaid, unclearPayment } from "../../../src/engine/funding/Paying.ts"
import { resolve } from "../../../src/engine/funding/Problems.ts"
import { Wallet, type WalletPort } from "../../../src/engine/funding/Wallet.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { chainAccount } from "../../../src/venue/VenueConfig.ts"
import { about, asked } from "../../world/bot/askedPayment.ts"
import { assets, inVirtualTime, ladder, make } from "../../world/bot/botWorld.ts"

const why = { code: "x", text: "x" }
const unclear: BotEvent = { _tag: "PaymentUnclear", ...about, text: "it died" }
const again: BotEvent = { _tag: "PaymentAskedAgain", ...about, attempt: 2 }

const remembered = (...events: ReadonlyArray<BotEvent>): BotState.BotState => {
  const state = BotState.make()
  for (const [index, event] of [...asked("command"), ...events].entries()) {
    BotState.apply(state, { sequence: index + 1, at: index, event })
  }
  return state
}

const past = (...events: ReadonlyArray<BotEvent>) => {
  const state = remembered(...events)
  const placement = state.placements.get("p1")
  return { ledger: Ledger.totals(state.ledger), payment: placement === undefined ? "" : unclearPayment(placement) }
}

describe("an unclear payment", () => {
  it("has a different name for each attempt, so that an approval applies to one attempt only", () => {
    assert.strictEqual(past().payment, "p1-1")
    assert.strictEqual(past(unclear).payment, "p1-1")
    assert.strictEqual(past(unclear, again).payment, "p1-2")
    assert.strictEqual(past(unclear, again, unclear).payment, "p1-2")
  })

  it("has no name once it is paid, seen or cancelled", () => {
    assert.isUndefined(past({ _tag: "PaymentMade", ...about, txHash: "tx" }).payment)
    assert.isUndefined(past(unclear, { _tag: "CancelRequested", ...about, why }).payment)
    assert.isUndefined(past(unclear, { _tag: "DepositSeen", ...about, asset: "BTC", total: 5n, fresh: 5n }).payment)
  })

  it("may still be made for eleven minutes by a program that outlives the bot, and by no other", () => {
    const interrupted: BotEvent = { ...unclear, interrupted: true }
    const until = (...events: ReadonlyArray<BotEvent>) => {
      const placement = remembered(...events).placements.get("p1")
      return placement === undefined ? undefined : mayRunUntil(placement)
    }
    const askedAt = asked("command").length - 1
    assert.strictEqual(until(), askedAt + 660_000, "nobody has recorded its answer")
    assert.strictEqual(until(interrupted), askedAt + 660_000)
    assert.isUndefined(until(unclear), "it has ended")
    assert.strictEqual(until(unclear, again), askedAt + 2 + 660_000)
    assert.isUndefined(until(interrupted, again, unclear))
    const doubt = { _tag: "FundingInDoubt", ...about, asset: "BTC", amount: 5n, reason: "test" } as const
    const notPaid = (now: number) =>
      resolve(remembered(interrupted, doubt), { placement: "p1", word: "not-paid", text: "x" }, now)
    const early = notPaid(askedAt + 659_999)
    assert.include(Result.isFailure(early) ? early.failure : "taken", "may run until 1970-01-01 00:11:00 UTC")
    assert.isTrue(Result.isSuccess(notPaid(askedAt + 660_000)))
  })

  it("stays unclear if the program refuses a second request, because the first may still be running", () => {
    const verdictOf = (...events: ReadonlyArray<BotEvent>) => {
      const placement = remembered(...events).placements.get("p1")
      return placement?.state === "funding" ? notPaid(placement, "busy", "wallet").map(({ _tag }) => _tag) : []
    }
    assert.deepStrictEqual(verdictOf(), ["FundingDead"])
    assert.deepStrictEqual(verdictOf(unclear, again), ["PaymentUnclear", "FundingInDoubt"])
  })

  it("is booked once when it is requested again", () => {
    assert.deepStrictEqual(past(unclear, again).ledger, past(unclear).ledger)
  })
})

describe("a wallet that repeats its last answer", () => {
  it.effect("pays once: a repeated answer does not count for a second payment", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const own = new Map(assets.map(({ id }) => [id, "bc1qown"]))
        const wallet: WalletPort = {
          kind: "command",
          pay: () => Effect.succeed({ txHash: "the-same-transaction", sender: undefined })
        }
        const bot = yield* world.run({
          strategies: [ladder(2)],
          account: chainAccount(world.signerId, { recipients: own, refundTo: own }),
          beside: Layer.succeed(Wallet, wallet)
        })
        const events = yield* Effect.andThen(Effect.sleep(20_000), bot.events)
        const said = [...events].flatMap(({ event }) =>
          event._tag === "PaymentMade" || event._tag === "PaymentUnclear" || event._tag === "FundingInDoubt"
            ? [event._tag]
            : []
        )
        assert.deepStrictEqual(said, ["PaymentMade", "PaymentUnclear", "FundingInDoubt"])
      })
    )
  )
})
