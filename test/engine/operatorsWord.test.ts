/** What the operator says of a payment holds, whatever the venue goes on to show. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Result } from "effect"
import * as Ledger from "../../src/domain/Ledger.ts"
import { present } from "../../src/domain/Present.ts"
import { problemsOf, resolve, type Word } from "../../src/engine/funding/Problems.ts"
import { Wallet, type WalletPort, WalletUnclear } from "../../src/engine/funding/Wallet.ts"
import { Bookkeeper } from "../../src/engine/state/Bookkeeper.ts"
import { unfinished } from "../../src/engine/state/BotState.ts"
import { defaultTerms, overdueIn } from "../../src/engine/tracking/Overdue.ts"
import * as SandboxWallet from "../../src/files/sections/SandboxWallet.ts"
import { chainAccount, ownAccount } from "../../src/venue/VenueConfig.ts"
import { assets, inVirtualTime, ladder, make, type Running, resting, until } from "../world/bot/botWorld.ts"
import * as LedgerFaults from "../world/bot/ledgerFaults.ts"

const dayMillis = 86_400_000

const swapper = `name: swapper
market: SOL/USDC
kind: rules
limits: { budget: { quote: 1500 }, maxPriceDeviation: 90% }
rules:
  timeframe: 1m
  orders:
    in: { when: mid > 1, side: buy, by: swap, price: mid * (1 + 3%), size: { quote: 100 } }
`

const sayOf =
  ({ context, state }: Running) =>
  (placement: string, word: Word) =>
    Effect.gen(function* () {
      const said = resolve(state, { placement, word, text: "" }, yield* Clock.currentTimeMillis)
      if (Result.isFailure(said)) return said.failure
      yield* Context.get(context, Bookkeeper).record(...said.success)
      return "taken"
    })

/** A confidential swap may show no more than this. */
const withoutAmounts = (body: unknown): unknown => {
  const { status, swapDetails: _, ...rest } = Object(body)
  if (status !== "SUCCESS" && status !== "PROCESSING") return body
  const swapDetails = { intentHashes: [], nearTxHashes: [], originChainTxHashes: [], destinationChainTxHashes: [] }
  return { ...rest, status, swapDetails }
}

describe("the operator's answer", () => {
  it.effect("that the venue is right is final, and its slot stays unfrozen", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const { world, process: bot } = yield* resting({ strategies: [ladder(2)] }, 2)
        world.network.reply = (_request, body) =>
          JSON.parse(JSON.stringify(body).replace(/"depositedAmount":"1\d+"/g, '"depositedAmount":"9999999999"'))
        const frozen = () => [...bot.state.slots.values()].filter((slot) => slot.frozen !== undefined)
        yield* until(() => frozen().length === 2, 30_000, "both are frozen")
        for (const { id } of unfinished(bot.state)) assert.strictEqual(yield* sayOf(bot)(id, "adopt"), "taken")
        yield* Effect.sleep(30_000)
        assert.isEmpty(frozen())
      })
    )
  )

  it.effect("on a swap that succeeds without amounts is accepted, and the swap ends", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const account = ownAccount(world.signerId, "CONFIDENTIAL_INTENTS")
        const bot = yield* world.run({ strategies: [swapper], account })
        world.network.reply = ({ url }, body) => (/v0[/]status/.test(url) ? withoutAmounts(body) : body)
        const swap = () => unfinished(bot.state)[0]
        yield* until(() => swap()?.status === "SUCCESS", 120_000, "the venue says that it succeeded")
        const id = swap()?.id ?? ""
        const now = yield* Clock.currentTimeMillis
        const later = now + 1_200_000
        assert.isEmpty(problemsOf(bot.state, now), "its amounts may follow")
        const [problem, ...more] = problemsOf(bot.state, later)
        assert.deepStrictEqual([problem?.kind, problem?.placement, problem?.asset], ["unproven", id, "USDC"])
        assert.isEmpty(more)
        assert.strictEqual(Ledger.totals(bot.state.ledger).find(({ place }) => place === "in order")?.asset, "USDC")

        const say = (word: Word, received?: bigint) =>
          Effect.gen(function* () {
            const answer = { placement: id, word, text: "the balance shows it", ...present({ received }) }
            const said = resolve(bot.state, answer, later)
            if (Result.isSuccess(said)) yield* Context.get(bot.context, Bookkeeper).record(...said.success)
            return Result.isFailure(said) ? said.failure : "taken"
          })
        const promised = swap()?.outputAmount ?? 0n
        assert.match(yield* say("paid"), /state the amount that arrived: limitbot resolve p1 --paid --received AMOUNT/)
        assert.match(yield* say("paid", 0n), /state the amount that arrived/)
        assert.match(yield* say("paid", promised * 20n), /its quote promised far less/)
        assert.match(yield* say("forget", 1n), /--received needs --paid/)
        const waits = overdueIn(bot.state, defaultTerms, (swap()?.deadline ?? 0) + 1_200_000)
        assert.match(waits.map(({ text }) => text).join(), /^the amount that arrived/)
        const before = Ledger.freeOf(bot.state.ledger, "swapper", "SOL")
        assert.strictEqual(yield* say("paid", promised + 5n), "taken")
        assert.isEmpty(problemsOf(bot.state, later))
        assert.strictEqual(bot.state.placements.get(id), undefined, "it is over")
        assert.strictEqual(Ledger.freeOf(bot.state.ledger, "swapper", "SOL") - before, promised + 5n)
        assert.deepStrictEqual(LedgerFaults.overdrawn(bot.state.ledger), [])
        assert.isTrue([...LedgerFaults.sums(bot.state.ledger).values()].every((sum) => sum === 0n))
      })
    )
  )

  it.effect("that a wallet has paid is final, and the payment stays confirmed", () =>
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
        for (const { id } of unfinished(bot.state)) assert.strictEqual(yield* sayOf(bot)(id, "paid"), "taken")
        yield* Effect.sleep(90_000)
        assert.deepStrictEqual(states(), new Set(["funding"]))
        assert.strictEqual(yield* doubts, before)
      })
    )
  )

  it.effect("that a payment is unpaid is rejected while the wallet is at work", () =>
    inVirtualTime(
      Effect.gen(function* () {
        const world = yield* make
        const own = new Map(assets.map(({ id }) => [id, "bc1qours"]))
        let isSlow = true
        const wallet = Layer.effect(
          Wallet,
          Effect.gen(function* () {
            const sandbox = Context.get(yield* Layer.build(SandboxWallet.layer(world.url, "bc1qours")), Wallet)
            const pay: WalletPort["pay"] = (payment) =>
              Effect.gen(function* () {
                while (isSlow) yield* Effect.sleep(1_000)
                yield* Effect.forkDetach(Effect.andThen(Effect.sleep(30_000), Effect.ignore(sandbox.pay(payment))))
                return yield* new WalletUnclear({ text: "it crashed" })
              })
            return { kind: "command" as const, pay }
          })
        )
        const bot = yield* world.run({
          strategies: [swapper],
          account: chainAccount(world.signerId, { recipients: own, refundTo: own }),
          beside: wallet
        })
        const [say, swap] = [sayOf(bot), () => unfinished(bot.state)[0]]
        yield* until(() => swap()?.state === "funding", 60_000, "the wallet is asked")
        world.setClockAhead(dayMillis)
        yield* until(() => bot.state.clock?.ok === false, 60_000, "the clocks are compared")
        const id = swap()?.id ?? ""
        assert.include(yield* say(id, "not-paid"), "no problem", "nothing is stuck by a wrong clock")
        world.setClockAhead(0)
        yield* until(() => bot.state.clock?.ok === true, 60_000, "the clock is right again")
        const now = yield* Clock.currentTimeMillis
        const early = resolve(bot.state, { placement: id, word: "not-paid", text: "" }, now + dayMillis)
        assert.include(Result.isFailure(early) ? early.failure : "taken", "still running")

        isSlow = false
        world.setWithdraw({ code: "kill-switch", text: "test" })
        yield* until(() => swap()?.state === "in doubt", 30_000, "nobody knows whether it paid")
        assert.strictEqual(yield* say(id, "not-paid"), "taken")
        yield* Effect.sleep(150_000)
        const told = (yield* bot.events).flatMap(({ event }) =>
          "placement" in event && event.placement === id ? [event._tag] : []
        )
        assert.includeMembers(told, ["DepositSeen", "FillSeen", "PaidOut", "Settled"])
      })
    )
  )
})
