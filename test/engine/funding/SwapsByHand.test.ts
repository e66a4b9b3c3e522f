/** Swaps by hand against the sandbox: placements, funded exactly once whatever dies when, and every unit in the ledger. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Ref, Result } from "effect"
import { HttpClient } from "effect/http"
import * as Ledger from "../../../src/domain/Ledger.ts"
import type { RefusalVerdict } from "../../../src/domain/Payload.ts"
import { byHand } from "../../../src/domain/Placement.ts"
import { present } from "../../../src/domain/Present.ts"
import type { SwapReport } from "../../../src/domain/SwapRecord.ts"
import { defaults, EngineSettings } from "../../../src/engine/EngineSettings.ts"
import { unclearPayment } from "../../../src/engine/funding/Paying.ts"
import * as Problems from "../../../src/engine/funding/Problems.ts"
import {
  type PaymentRequest,
  Wallet,
  type WalletPort,
  WalletRefused,
  WalletUnclear
} from "../../../src/engine/funding/Wallet.ts"
import * as SwapsByHand from "../../../src/engine/SwapsByHand.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import * as Tries from "../../../src/engine/state/process/Tries.ts"
import * as SwapHistory from "../../../src/engine/state/swaps/SwapHistory.ts"
import * as SandboxWallet from "../../../src/files/sections/SandboxWallet.ts"
import { Journal, JournalError } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { SandboxConnection } from "../../../src/sandbox/SandboxServer.ts"
import type { QuoteRequest } from "../../../src/venue/Swaps.ts"
import { FundingHold, Venue } from "../../../src/venue/Venue.ts"
import { OutcomeUnknown, Rejected, RetryLater, VenueError } from "../../../src/venue/VenueError.ts"
import { firstOf, isLong } from "../../long.ts"
import { shifted } from "../../world/bot/botWorld.ts"
import * as LedgerFaults from "../../world/bot/ledgerFaults.ts"
import { btc, send, venueBooks } from "../../world/service/clients.ts"
import { play, start } from "../../world/service/play.ts"
import { payByIntent } from "../../world/service/playedSwaps.ts"
import { agreedSwap, origin } from "./agreedSwap.ts"

const deadline = start + 120_000

const onChain = { depositType: "ORIGIN_CHAIN" } as const

/** Quoted, and agreed to. */
const agree = Effect.fnUntraced(function* (changes: Partial<QuoteRequest> = {}) {
  const { account, url } = yield* SandboxConnection
  return yield* agreedSwap(account.signerId, url, { deadline: new Date(deadline).toISOString(), ...changes })
})

/** The same, and in the journal. */
const begin = (changes: Partial<QuoteRequest> = {}) =>
  agree(changes).pipe(Effect.flatMap(SwapsByHand.begin), Effect.flatMap(seen))

const settings = Layer.succeed(EngineSettings, {
  ...defaults,
  account: { signerId: "me", depositType: "INTENTS", maxAppFeeBasisPoints: 0 }
})

const journalLayer = Layer.merge(
  settings,
  Bookkeeper.layer.pipe(Layer.provideMerge(Journal.layer), Layer.provideMerge(Sqlite.layer({ filename: ":memory:" })))
)

/** The swap as its journal tells it now. */
const seen = Effect.fnUntraced(function* (name: string) {
  const account = (yield* SwapHistory.all).find(({ id }) => id === name)
  return account ?? (yield* Effect.die(new Error(`there is no swap ${name}`)))
})

/** One process that works on swaps. */
const makeWorker = (stopped: Effect.Effect<string | undefined> = Effect.undefined) =>
  Effect.map(SwapsByHand.make(stopped), ({ advance }) => ({
    /** Takes a step and reads what it left in the journal. */
    advance: (account: SwapHistory.SwapHistory, payAgain?: ReadonlySet<string>) =>
      Effect.andThen(advance(account.id, payAgain), seen(account.id))
  }))

/** Nothing is lost or made up, whatever a swap does. */
const assertBalanced = Effect.gen(function* () {
  const { state } = yield* Bookkeeper
  for (const [asset, sum] of LedgerFaults.sums(state.ledger)) assert.strictEqual(sum, 0n, asset)
  assert.deepStrictEqual(LedgerFaults.overdrawn(state.ledger), [])
})

const placesOf = (name: string) =>
  Bookkeeper.use(({ state }) =>
    Effect.sync(() =>
      Object.fromEntries(
        Ledger.places.flatMap((place) => {
          const amount = Ledger.heldBy(state.ledger, name, "BTC", place)
          return amount === 0n ? [] : [[place, amount]]
        })
      )
    )
  )

const sandboxWallet = Layer.unwrap(
  Effect.gen(function* () {
    const { url } = yield* SandboxConnection
    const client = yield* HttpClient.HttpClient
    return SandboxWallet.layer(url, "bc1qme").pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, client)))
  })
)

/** Works on a swap until it is over, each time as a new process; what a failed step recorded is read back. */
const finish = (begun: SwapHistory.SwapHistory, looks = 400, payAgain?: ReadonlySet<string>) =>
  Effect.gen(function* () {
    const worker = yield* makeWorker()
    let account = begun
    for (let look = 0; look < looks && !SwapHistory.isOver(account); look += 1) {
      account = yield* worker.advance(account, payAgain).pipe(Effect.catch(() => seen(account.id)))
      yield* Effect.sleep("1 second")
    }
    yield* assertBalanced
    return account
  }).pipe(Effect.scoped)

const outcome = (swap: SwapHistory.SwapHistory) => SwapHistory.endOf(swap)?.outcome
const doubtOf = ({ placement }: SwapHistory.SwapHistory) =>
  placement.state === "in doubt" ? placement.doubt.reason : undefined
const total = ({ input }: SwapHistory.SwapMoney) => Object.values(input).reduce((sum, amount) => sum + amount, 0n)

/** Wallets by what they do with the payments they are asked for, which are counted. */
const walletThat = (pay: WalletPort["pay"], asked: Ref.Ref<number>) =>
  Layer.succeed(Wallet, {
    kind: "command",
    pay: (payment) =>
      Effect.andThen(
        Ref.update(asked, (count) => count + 1),
        pay(payment)
      )
  })

const payOnChain = (payment: PaymentRequest, amount: bigint, memo = payment.depositMemo) =>
  Effect.gen(function* () {
    const { depositAddress } = payment
    const { body } = yield* send("POST", "/sandbox/deposit", {
      depositAddress,
      memo,
      asset: btc,
      amount: String(amount),
      sender: "bc1qme"
    })
    return (body as { txHash: string }).txHash
  })

describe("swaps by hand", () => {
  it.effect.each([{}, onChain])("are dropped unpaid while the venue has an incident: %o", (changes) =>
    play(
      Effect.gen(function* () {
        const asked = yield* Ref.make(0)
        // Both assets are asked for: an incident of either holds it.
        const held = Layer.succeed(FundingHold, (ids: ReadonlyArray<string>) =>
          Effect.succeed(ids.length === 2 ? "incident" : undefined)
        )
        const wallet = walletThat((payment) => Effect.die(payment), asked)
        const account = yield* Effect.provide(Effect.flatMap(begin(changes), finish), Layer.merge(held, wallet))
        assert.strictEqual(SwapHistory.phaseOf(account), "dropped")
        assert.strictEqual(yield* Ref.get(asked), 0)
      }).pipe(Effect.provide(journalLayer))
    )
  )

  const kinds = [
    ["EXACT_INPUT", {}],
    ["EXACT_OUTPUT", { swapType: "EXACT_OUTPUT", amount: "500000000" }],
    ["FLEX_INPUT", { swapType: "FLEX_INPUT" }],
    ["confidential", { depositType: "CONFIDENTIAL_INTENTS", recipientType: "CONFIDENTIAL_INTENTS" }],
    ["on chain", onChain],
    ["on chain with a memo", { ...onChain, depositMode: "MEMO" }]
  ] as const satisfies ReadonlyArray<readonly [string, Partial<QuoteRequest>]>

  it.effect.each(kinds)("are paid, and every unit is explained: %s", ([, changes]) =>
    play(
      Effect.gen(function* () {
        const account = yield* finish(yield* begin(changes))
        assert.strictEqual(outcome(account), "paid", JSON.stringify(SwapHistory.endOf(account)))
        const money = SwapHistory.moneyOf(account)
        assert.strictEqual(total(money), account.placement.report?.deposited)
        assert.strictEqual(money.input.residual, 0n)
        assert.strictEqual(money.received, account.placement.report?.amountOut)
        assert.isAbove(Number(money.received), 0)
        assert.isUndefined(account.placement.contradiction)
      }).pipe(Effect.provide(Layer.merge(journalLayer, sandboxWallet)))
    )
  )

  it.effect("are paid even if an earlier process reported a lost lock", () =>
    play(
      Effect.gen(function* () {
        const begun = yield* begin()
        const books = yield* Bookkeeper
        yield* books.record({ _tag: "LeaseLost", reason: "removed" })
        assert.strictEqual(outcome(yield* finish(begun)), "paid")
        assert.isUndefined(books.state.leaseLost)
      }).pipe(Effect.provide(Layer.merge(journalLayer, sandboxWallet)))
    )
  )

  it.effect.each(firstOf(2, [1, 3, 5, 2, 4, 6]))("pay once if the process dies after its write number %s", (deadAt) =>
    play(
      Effect.gen(function* () {
        const { account } = yield* SandboxConnection
        const paid = Effect.map(venueBooks, ({ accounts }) =>
          BigInt(accounts[account.signerId]?.["BTC"]?.["balance"] ?? "0")
        )
        const before = yield* paid
        const begun = yield* begin()
        const books = yield* Bookkeeper
        let writes = 0
        // The write succeeds and the process dies before it acts on it.
        const dying = <A>(write: Effect.Effect<A, JournalError>) =>
          Effect.flatMap(write, (written) =>
            ++writes === deadAt
              ? Effect.fail(new JournalError({ message: "killed", cause: "killed" }))
              : Effect.succeed(written)
          )
        const mortal = Bookkeeper.of({
          ...books,
          tries: Tries.make(books.state),
          record: (...events) => dying(books.record(...events)),
          recordFrom: (events) => dying(books.recordFrom(events)),
          recordIfFits: (...events) => dying(books.recordIfFits(...events))
        })
        const run = Effect.gen(function* () {
          const worker = yield* Effect.provideService(makeWorker(), Bookkeeper, mortal)
          for (let look = 0; look < 10; look += 1) {
            yield* worker.advance(begun)
            yield* Effect.sleep("1 second")
          }
        })
        assert.isTrue(Result.isFailure(yield* Effect.result(Effect.scoped(run))), `it dies at ${deadAt}`)
        const ended = yield* finish(yield* seen(begun.id))
        assert.strictEqual(outcome(ended), "paid", `dead at ${deadAt}`)
        assert.strictEqual((yield* paid) - before, -1_000_000n, `dead at ${deadAt}`)
        assert.strictEqual(ended.steps.filter(({ event }) => event._tag === "FundingSigned").length, 1)
        assert.deepStrictEqual(yield* placesOf(begun.id), {})
      }).pipe(Effect.provide(journalLayer))
    )
  )

  it.effect("send only one payload if two workers advance one swap", () =>
    play(
      Effect.gen(function* () {
        const begun = yield* begin()
        const both = yield* Effect.all([makeWorker(), makeWorker()])
        yield* Effect.forEach(both, (one) => one.advance(begun), { concurrency: 2 })
        const ended = yield* finish(begun)
        assert.strictEqual(outcome(ended), "paid")
        assert.strictEqual(ended.steps.filter(({ event }) => event._tag === "FundingSigned").length, 1)
        assert.strictEqual(ended.placement.report?.deposited, 1_000_000n)
      }).pipe(Effect.scoped, Effect.provide(journalLayer))
    )
  )

  it.effect("are in one place of the ledger at each time, and leave nothing behind", () =>
    play(
      Effect.gen(function* () {
        const { state } = yield* Bookkeeper
        const worker = yield* makeWorker()
        let account = yield* begin()
        const places: Array<string> = []
        for (let look = 0; look < 60 && !SwapHistory.isOver(account); look += 1) {
          account = yield* worker.advance(account)
          yield* assertBalanced
          const held = yield* placesOf(account.id)
          for (const [place, amount] of Object.entries(held)) {
            assert.strictEqual(amount, 1_000_000n, place)
            if (places.at(-1) !== place) places.push(place)
          }
          yield* Effect.sleep("250 millis")
        }
        assert.deepStrictEqual(places, ["deposit in flight", "in order"])
        assert.deepStrictEqual(yield* placesOf(account.id), {})
        const { received } = SwapHistory.moneyOf(account)
        assert.strictEqual(Ledger.broughtByHand(state.ledger, "BTC"), -1_000_000n)
        assert.strictEqual(Ledger.broughtByHand(state.ledger, "USDC"), received)
        assert.isUndefined(state.strategies.get(byHand), "no strategy owns it")
      }).pipe(Effect.scoped, Effect.provide(journalLayer))
    )
  )
})

describe("swaps in the bot's journal", () => {
  it.effect("are not signed, sent or requested from a wallet while the gate is closed", () =>
    play(
      Effect.gen(function* () {
        const closed = yield* makeWorker(Effect.succeed("the kill switch is on"))
        for (const changes of [{}, onChain]) {
          const dropped = yield* closed.advance(yield* begin(changes))
          assert.strictEqual(SwapHistory.phaseOf(dropped), "dropped")
          assert.isUndefined(dropped.placement.funding)
        }
        let asked = 0
        const closing = yield* makeWorker(Effect.sync(() => (++asked > 2 ? "the lease is lost" : undefined)))
        let signed = yield* closing.advance(yield* begin())
        assert.strictEqual(signed.placement.funding?.attempts, 0)
        for (let look = 0; look < 60 && !SwapHistory.isOver(signed); look += 1) {
          signed = yield* closing.advance(signed)
          yield* Effect.sleep("10 seconds")
        }
        assert.strictEqual(outcome(signed), "unfunded")
        assert.include(SwapHistory.endOf(signed)?.text ?? "", "never sent")
      }).pipe(Effect.scoped, Effect.provide(journalLayer))
    )
  )
})

describe("a payment without a deposit", () => {
  const followed = (submitIntent: Venue["Service"]["submitIntent"]) =>
    play(
      Effect.gen(function* () {
        const venue = yield* Venue
        const worker = yield* Effect.provideService(makeWorker(), Venue, { ...venue, submitIntent })
        let account = yield* begin()
        for (let look = 0; look < 60 && !SwapHistory.isOver(account); look += 1) {
          account = yield* worker.advance(account)
          yield* Effect.sleep("10 seconds")
        }
        yield* assertBalanced
        return { account, places: yield* placesOf(account.id) }
      }).pipe(Effect.scoped, Effect.provide(journalLayer))
    )
  const lost = new VenueError({ reason: new OutcomeUnknown({ operation: "submit intent", text: "lost" }) })
  const refusedWith = (text: string, verdict?: RefusalVerdict) =>
    Effect.fail(
      new VenueError({
        reason: new Rejected({ operation: "submit intent", code: "http-400", text, ...present({ verdict }) })
      })
    )

  it.effect("stays unclear while no answer arrives", () =>
    Effect.gen(function* () {
      const { account, places } = yield* followed(() => Effect.fail(lost))
      assert.deepStrictEqual(places, { "in doubt": 1_000_000n })
      assert.isFalse(SwapHistory.isOver(account))
      assert.include(doubtOf(account) ?? "", "never acknowledged")
      assert.strictEqual(SwapHistory.moneyOf(account).input["in doubt"], 1_000_000n)
    })
  )

  it.effect.each([
    ["not-paid", "unfunded"],
    ["forget", "unproven"]
  ] as const)("is listed by resolve, and ends with the operator's answer: %s", ([word, ended]) =>
    play(
      Effect.gen(function* () {
        const venue = yield* Venue
        const submitIntent = () => Effect.fail(lost)
        const worker = yield* Effect.provideService(makeWorker(), Venue, { ...venue, submitIntent })
        let account = yield* begin()
        const { record, state } = yield* Bookkeeper
        const taken = () =>
          Problems.resolve(state, { placement: account.id, word, text: "looked" }, account.placement.plannedAt)
        for (let look = 0; look < 60 && doubtOf(account) === undefined; look += 1) {
          account = yield* worker.advance(account)
          yield* Effect.sleep("10 seconds")
        }
        assert.isTrue(Result.isFailure(taken()), "it can still be executed")
        const now = account.placement.plannedAt + 3_600_000
        const [problem] = Problems.problemsOf(state, now)
        assert.deepStrictEqual([problem?.kind, problem?.placement, problem?.amount], ["in-doubt", "s1", 1_000_000n])
        const step = Problems.resolve(state, { placement: "s1", word, text: "looked" }, now)
        yield* record(...Result.getOrThrow(step))
        assert.strictEqual(outcome(yield* seen("s1")), ended)
        assert.isEmpty(Problems.problemsOf(state, now))
        assert.deepStrictEqual(yield* placesOf("s1"), {})
        const givenUp = Ledger.totals(state.ledger).filter(({ place }) => place === "lost")
        assert.deepStrictEqual(
          givenUp.map(({ amount }) => amount),
          word === "forget" ? [1_000_000n] : []
        )
        yield* assertBalanced
      }).pipe(Effect.scoped, Effect.provide(journalLayer))
    )
  )

  it.effect("is made once acknowledged, and its deposit is awaited", () =>
    Effect.gen(function* () {
      const { account, places } = yield* followed(({ intentHash }) => Effect.succeed({ value: { intentHash } }))
      assert.deepStrictEqual(places, { "deposit in flight": 1_000_000n })
      assert.isFalse(SwapHistory.isOver(account))
      assert.isUndefined(doubtOf(account))
      assert.strictEqual(SwapHistory.moneyOf(account).input["deposit in flight"], 1_000_000n)
    })
  )

  it.effect("stays unclear after two refusals that do not rule it out", () =>
    Effect.gen(function* () {
      const { account, places } = yield* followed(() => refusedWith("request-rejected"))
      assert.deepStrictEqual(places, { "in doubt": 1_000_000n })
      assert.isFalse(SwapHistory.isOver(account))
      assert.strictEqual(SwapHistory.moneyOf(account).input["in doubt"], 1_000_000n)
    })
  )

  it.effect("is unpaid if it is refused for lack of balance each time and has expired", () =>
    Effect.gen(function* () {
      const { account, places } = yield* followed(() => refusedWith("insufficient balance or overflow", "not-executed"))
      assert.deepStrictEqual(places, {})
      assert.strictEqual(SwapHistory.endOf(account)?.outcome, "unfunded")
    })
  )
})

describe("deposits on another chain", () => {
  const deposit = (changes: Partial<QuoteRequest>, act: (payment: PaymentRequest) => ReturnType<typeof payOnChain>) =>
    play(
      Effect.gen(function* () {
        const context = yield* Effect.context<SandboxConnection | HttpClient.HttpClient>()
        const asked = yield* Ref.make(0)
        const wallet = walletThat(
          (payment) =>
            act(payment).pipe(
              Effect.map((txHash) => ({ txHash, sender: "bc1qme" })),
              Effect.orDie,
              Effect.provideContext(context)
            ),
          asked
        )
        const begun = yield* begin({ ...onChain, ...changes })
        const account = yield* Effect.provide(finish(begun), wallet)
        assert.strictEqual(yield* Ref.get(asked), 1)
        const { accounts, imbalances } = yield* venueBooks
        assert.deepStrictEqual(imbalances, [])
        const { fees, spent } = SwapHistory.moneyOf(account).input
        const cameIn = accounts["bc1qme"]?.["BTC"]?.["external"] ?? "0"
        assert.strictEqual(cameIn, String(fees + spent), "both books agree on what left for good")
        return account
      }).pipe(Effect.provide(journalLayer))
    )

  it.effect("are refunded at the deadline if they are short", () =>
    Effect.gen(function* () {
      const account = yield* deposit({}, (payment) => payOnChain(payment, payment.amount - 1000n))
      const { input } = SwapHistory.moneyOf(account)
      assert.strictEqual(outcome(account), "refunded")
      assert.strictEqual(account.placement.report?.refundReason, "PARTIAL_DEPOSIT")
      assert.deepStrictEqual([input.refunded + input.fees, input.residual], [999_000n, 1000n])
      assert.isAbove(Number(input.fees), 0)
    })
  )

  it.effect("end once the venue has shown their refund for five seconds, though the clock jumps ahead", () =>
    play(
      Effect.gen(function* () {
        const context = yield* Effect.context<SandboxConnection | HttpClient.HttpClient>()
        const clock = yield* Clock.Clock
        const wallet = walletThat(
          (payment) =>
            payOnChain(payment, payment.amount - 1000n).pipe(
              Effect.map((txHash) => ({ txHash, sender: "bc1qme" })),
              Effect.orDie,
              Effect.provideContext(context)
            ),
          yield* Ref.make(0)
        )
        const worker = yield* Effect.provide(makeWorker(), wallet)
        let account = yield* begin(onChain)
        let [aheadMillis, looks] = [0, 0]
        while (!SwapHistory.isOver(account)) {
          const look = worker.advance(account).pipe(Effect.catch(() => seen(account.id)))
          account = yield* Effect.provideService(
            look,
            Clock.Clock,
            shifted(clock, () => aheadMillis)
          )
          if (account.placement.state === "closing") aheadMillis = 3_600_000
          looks += aheadMillis === 0 ? 0 : 1
          yield* Effect.sleep("1 second")
        }
        assert.strictEqual(outcome(account), "refunded")
        assert.isAtLeast(looks, 5)
      }).pipe(Effect.scoped, Effect.provide(journalLayer))
    )
  )

  it.effect("return the excess with the payout if they are too large", () =>
    Effect.gen(function* () {
      const account = yield* deposit({}, (payment) => payOnChain(payment, payment.amount + 5000n))
      const { input } = SwapHistory.moneyOf(account)
      assert.strictEqual(outcome(account), "paid")
      assert.deepStrictEqual([input.spent, input.refunded + input.fees, input.residual], [1_000_000n, 5000n, 0n])
    })
  )

  it.effect("are refunded if they come late", () =>
    Effect.gen(function* () {
      const account = yield* deposit({}, (payment) =>
        Effect.andThen(Effect.sleep("150 seconds"), payOnChain(payment, payment.amount))
      )
      assert.strictEqual(outcome(account), "refunded")
      assert.strictEqual(total(SwapHistory.moneyOf(account)), 1_000_000n)
    })
  )

  it.effect.skipIf(!isLong)("do not count as ours with a wrong memo", () =>
    Effect.gen(function* () {
      const account = yield* deposit({ depositMode: "MEMO" }, (payment) => payOnChain(payment, payment.amount, "wrong"))
      assert.isFalse(SwapHistory.isOver(account), "it waits: the venue returns such money by itself")
      assert.strictEqual(SwapHistory.moneyOf(account).input["deposit in flight"], 1_000_000n)
    })
  )

  it.effect("by an unclear wallet are repeated only with the operator's approval; a refusal ends them", () =>
    play(
      Effect.gen(function* () {
        const asked = yield* Ref.make(0)
        const unclear = walletThat(() => Effect.fail(new WalletUnclear({ text: "killed" })), asked)
        const begun = yield* begin(onChain)
        const waiting = yield* Effect.provide(finish(begun, 20), unclear)
        assert.strictEqual(waiting.placement.funding?.payment?.state, "unclear")
        assert.strictEqual(yield* Ref.get(asked), 1)

        const { state } = yield* Bookkeeper
        assert.deepStrictEqual(yield* placesOf(begun.id), { "in doubt": 1_000_000n })
        const placement = state.placements.get(begun.id)
        const payAgain = new Set([placement === undefined ? "" : (unclearPayment(placement) ?? "")])
        const paid = yield* Effect.provide(finish(waiting, 400, payAgain), sandboxWallet)
        assert.strictEqual(outcome(paid), "paid")

        const refusing = walletThat(() => Effect.fail(new WalletRefused({ text: "locked" })), asked)
        const refused = yield* Effect.provide(finish(yield* begin(onChain)), refusing)
        assert.strictEqual(outcome(refused), "unfunded")
        assert.strictEqual(total(SwapHistory.moneyOf(refused)), 0n)
      }).pipe(Effect.provide(journalLayer))
    )
  )

  it.effect("stay in doubt if the gate holds an unclear payment back when it is repeated", () =>
    play(
      Effect.gen(function* () {
        const asked = yield* Ref.make(0)
        const unclear = walletThat(() => Effect.fail(new WalletUnclear({ text: "killed" })), asked)
        const begun = yield* begin(onChain)
        const waiting = yield* Effect.provide(finish(begun, 5), unclear)
        const { state } = yield* Bookkeeper
        const placement = state.placements.get(begun.id)
        const payAgain = new Set([placement === undefined ? "" : (unclearPayment(placement) ?? "")])
        let looks = 0
        const closing = makeWorker(Effect.sync(() => (++looks > 1 ? "the kill switch is on" : undefined)))
        const { advance } = yield* Effect.provide(closing, unclear)
        yield* advance(waiting, payAgain)
        assert.strictEqual(looks, 2, "the gate closed while the request was recorded")
        assert.strictEqual(yield* Ref.get(asked), 1)
        assert.deepStrictEqual(yield* placesOf(begun.id), { "in doubt": 1_000_000n })
      }).pipe(Effect.scoped, Effect.provide(journalLayer))
    )
  )

  it.effect("by hand are awaited", () =>
    play(
      Effect.gen(function* () {
        const begun = yield* begin(onChain)
        const waiting = yield* finish(begun, 5)
        assert.strictEqual(waiting.placement.funding?.payment?.state, "asked")
        const { amountIn: amount, depositAddress, depositMemo } = begun.agreed
        yield* payOnChain({ reference: "", asset: origin, amount, depositAddress, depositMemo, deadline }, amount)
        assert.strictEqual(outcome(yield* finish(waiting)), "paid")
      }).pipe(Effect.provide(journalLayer))
    )
  )
})

describe("deposits by intent", () => {
  const balance = Effect.gen(function* () {
    const { account } = yield* SandboxConnection
    const { accounts, imbalances } = yield* venueBooks
    assert.deepStrictEqual(imbalances, [])
    return BigInt(accounts[account.signerId]?.["BTC"]?.["balance"] ?? "0")
  })

  it.effect("that are executed late are refunded, and both books agree", () =>
    play(
      Effect.gen(function* () {
        const before = yield* balance
        const begun = yield* begin()
        yield* Effect.sleep("60 seconds")
        // Signed in time, but the answer to the first attempt is that it did not get through.
        const venue = yield* Venue
        const reason = new RetryLater({ operation: "submit intent", afterMillis: 1000, text: "busy" })
        const busy = Layer.succeed(Venue, { ...venue, submitIntent: () => Effect.fail(new VenueError({ reason })) })
        const signed = yield* Effect.flatMap(makeWorker(), (one) => one.advance(begun)).pipe(Effect.provide(busy))
        yield* Effect.sleep("61 seconds")
        const account = yield* finish(signed)
        assert.strictEqual(outcome(account), "refunded", JSON.stringify(SwapHistory.endOf(account)))
        assert.deepStrictEqual(SwapHistory.moneyOf(account).input.refunded, 1_000_000n)
        assert.strictEqual(yield* balance, before)
      }).pipe(Effect.scoped, Effect.provide(journalLayer))
    )
  )

  it.effect("are not made if somebody else pays the address first", () =>
    play(
      Effect.gen(function* () {
        const before = yield* balance
        const begun = yield* begin()
        yield* payByIntent(begun.agreed.depositAddress, "500")
        const dropped = yield* finish(begun)
        assert.strictEqual(SwapHistory.phaseOf(dropped), "dropped")
        assert.isUndefined(dropped.placement.funding)
        yield* Effect.sleep("3 minutes")
        assert.strictEqual(yield* balance, before)
      }).pipe(Effect.provide(journalLayer))
    )
  )

  it.effect("to which somebody adds are noted and refunded, and both books agree", () =>
    play(
      Effect.gen(function* () {
        const before = yield* balance
        const begun = yield* begin()
        const venue = yield* Venue
        const context = yield* Effect.context<SandboxConnection | HttpClient.HttpClient>()
        const submitIntent: typeof venue.submitIntent = (intent) =>
          payByIntent(begun.agreed.depositAddress, "500").pipe(
            Effect.orDie,
            Effect.provideContext(context),
            Effect.andThen(venue.submitIntent(intent))
          )
        const beside = Effect.provideService(makeWorker(), Venue, { ...venue, submitIntent })
        yield* Effect.scoped(Effect.flatMap(beside, (one) => one.advance(begun)))
        const account = yield* finish(begun)
        assert.strictEqual(outcome(account), "paid")
        const { refunded, residual, spent } = SwapHistory.moneyOf(account).input
        assert.deepStrictEqual([spent, refunded, residual], [1_000_000n, 500n, 0n])
        assert.match(account.placement.contradiction ?? "", /1000500 was deposited although 1000000 was signed for/)
        assert.strictEqual(before - (yield* balance), 1_000_000n)
        const { state } = yield* Bookkeeper
        assert.strictEqual(Ledger.broughtByHand(state.ledger, "BTC"), -1_000_000n)
      }).pipe(Effect.provide(journalLayer)),
      // What somebody else paid is not yet known when ours is sent.
      { settings: { recognitionMillis: [2000, 2000] } }
    )
  )
})

describe("a report", () => {
  const report = (changes: Partial<SwapReport>): SwapReport => ({
    status: "SUCCESS",
    intentHashes: [],
    ledgerTxHashes: [],
    originTxHashes: [],
    destinationTxHashes: [],
    ...changes
  })

  it.effect("of success without amounts proves nothing, and all of the input is residual", () =>
    play(
      Effect.gen(function* () {
        const begun = yield* begin()
        const concluded = (changes: Partial<SwapReport>) =>
          SwapHistory.conclusion(begun.agreed, report(changes)).outcome
        assert.strictEqual(concluded({}), "unproven")
        assert.strictEqual(concluded({ deposited: 1_000_000n, refunded: 999_000n }), "refunded")
        assert.strictEqual(concluded({ amountIn: 1_000_000n, amountOut: begun.agreed.amountOut }), "paid")
        assert.strictEqual(concluded({ amountIn: 1_000_000n, amountOut: 1n }), "unproven")
        assert.strictEqual(concluded({ status: "REFUNDED" }), "unproven")
        assert.strictEqual(concluded({ status: "FAILED", amountOut: 5n }), "failed")
        const { record } = yield* Bookkeeper
        const about = { strategy: byHand, slot: begun.id, placement: begun.id }
        yield* record(
          { _tag: "SwapReported", ...about, ...report({ deposited: 1_000_000n }) },
          { _tag: "DepositSeen", ...about, asset: "BTC", total: 1_000_000n, fresh: 1_000_000n },
          { _tag: "Closed", ...about, status: "SUCCESS", inputAsset: "BTC", unspent: 0n },
          { _tag: "Settled", ...about }
        )
        const ended = yield* seen(begun.id)
        assert.strictEqual(outcome(ended), "unproven")
        const money = SwapHistory.moneyOf(ended)
        assert.strictEqual(money.input.residual, 1_000_000n)
        assert.strictEqual(money.received, 0n)
      }).pipe(Effect.provide(journalLayer))
    )
  )
})
