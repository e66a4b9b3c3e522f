/** Swaps against the sandbox: funded exactly once whatever dies when, and booked only by what amounts prove. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref, Result } from "effect"
import { HttpClient } from "effect/http"
import { SqlClient } from "effect/sql"
import * as SandboxWallet from "../../../src/cli/files/SandboxWallet.ts"
import * as SwapAccount from "../../../src/domain/SwapAccount.ts"
import type { SwapEventOf } from "../../../src/domain/SwapEvent.ts"
import { plainJson } from "../../../src/domain/Text.ts"
import * as Problems from "../../../src/engine/funding/Problems.ts"
import * as SwapBook from "../../../src/engine/funding/SwapBook.ts"
import * as Swapping from "../../../src/engine/funding/Swapping.ts"
import {
  type PaymentRequest,
  Wallet,
  type WalletPort,
  WalletRefused,
  WalletUnclear
} from "../../../src/engine/funding/Wallet.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import { Journal, JournalError } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { readSwaps } from "../../../src/journal/swapSteps.ts"
import { SandboxConnection } from "../../../src/sandbox/SandboxServer.ts"
import { type QuoteRequest, Swaps } from "../../../src/venue/Swaps.ts"
import { FundingHold, Venue } from "../../../src/venue/Venue.ts"
import { OutcomeUnknown, Rejected, RetryLater, VenueError } from "../../../src/venue/VenueError.ts"
import { btc, quoteRequest, send, usdc, venueBooks } from "../../sandbox/clients.ts"
import { play, start } from "../../sandbox/play.ts"
import { payByIntent } from "../../sandbox/playedSwaps.ts"

const asset = (symbol: string, id: string, decimals: number) => ({ symbol, id, decimals })
const origin = asset("BTC", btc, 8)
const destination = asset("USDC", usdc, 6)
const deadline = start + 120_000

const onChain = { depositType: "ORIGIN_CHAIN" } as const

const begin = Effect.fnUntraced(function* (changes: Partial<QuoteRequest> = {}) {
  const { account, url } = yield* SandboxConnection
  const asked = quoteRequest(account.signerId, { deadline: new Date(deadline).toISOString(), ...changes })
  const { quote } = (yield* (yield* Swaps).quote(asked)).value
  const agreed: SwapEventOf<"SwapAgreed"> = {
    _tag: "SwapAgreed",
    venue: url,
    account: account.signerId,
    swapType: asked.swapType,
    origin,
    destination,
    depositType: asked.depositType,
    depositAddress: quote.depositAddress ?? "",
    ...(quote.depositMemo === undefined ? {} : { depositMemo: quote.depositMemo }),
    amountIn: BigInt(quote.amountIn),
    amountOut: BigInt(quote.amountOut),
    minAmountOut: BigInt(quote.minAmountOut ?? 0),
    refundFee: BigInt(quote.refundFee ?? 0),
    recipient: asked.recipient,
    recipientType: asked.recipientType,
    refundTo: asked.refundTo,
    refundType: asked.refundType,
    deadline,
    quote: "{}",
    isSignatureVerified: true
  }
  return yield* (yield* SwapBook.make).begin(agreed)
})

const journalLayer = Bookkeeper.layer.pipe(
  Layer.provideMerge(Journal.layer),
  Layer.provideMerge(Sqlite.layer({ filename: ":memory:" }))
)

const makeSwapping = (gate: Effect.Effect<string | undefined> = Effect.undefined) =>
  Effect.flatMap(SwapBook.make, (book) => Swapping.make(book, gate))

const sandboxWallet = Layer.unwrap(
  Effect.gen(function* () {
    const { url } = yield* SandboxConnection
    const client = yield* HttpClient.HttpClient
    return SandboxWallet.layer(url, "bc1qme").pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, client)))
  })
)

/** Works on a swap until it is over; what a failed step recorded is read back, as the command does it. */
const finish = Effect.fnUntraced(function* (begun: SwapAccount.SwapAccount, looks = 400) {
  let account = begun
  for (let look = 0; look < looks && !SwapAccount.isOver(account); look += 1) {
    const swapping = yield* makeSwapping()
    account = yield* swapping
      .advance(account)
      .pipe(Effect.catch(() => Effect.map(reread(account.id), (found) => found ?? account)))
    yield* Effect.sleep("1 second")
  }
  return account
})

const reread = (id: string) => Bookkeeper.use(({ state }) => Effect.sync(() => state.swaps.get(id)))

const outcome = ({ ended }: SwapAccount.SwapAccount) => ended?.outcome
const total = ({ input }: SwapAccount.SwapMoney) => Object.values(input).reduce((sum, amount) => sum + amount, 0n)

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

describe("swaps", () => {
  it.effect.each([{}, onChain])("are dropped before anything is paid while the venue has an incident: %o", (changes) =>
    play(
      Effect.gen(function* () {
        const asked = yield* Ref.make(0)
        const held = Layer.succeed(FundingHold, (ids: ReadonlyArray<string>) => Effect.succeed(`held ${ids.length}`))
        const wallet = walletThat((payment) => Effect.die(payment), asked)
        const account = yield* Effect.provide(Effect.flatMap(begin(changes), finish), Layer.merge(held, wallet))
        assert.strictEqual(account.phase, "dropped")
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

  it.effect.each(kinds)("are paid and every unit is explained: %s", ([, changes]) =>
    play(
      Effect.gen(function* () {
        const account = yield* finish(yield* begin(changes))
        assert.strictEqual(outcome(account), "paid", JSON.stringify(account.ended))
        const money = SwapAccount.moneyOf(account)
        assert.strictEqual(total(money), account.seen?.deposited)
        assert.strictEqual(money.input.residual, 0n)
        assert.strictEqual(money.received, account.seen?.amountOut)
        assert.isAbove(Number(money.received), 0)
        assert.isUndefined(account.contradiction)
      }).pipe(Effect.provide(Layer.merge(journalLayer, sandboxWallet)))
    )
  )

  it.effect("a process that dies at any step pays once", () =>
    play(
      Effect.gen(function* () {
        const { account } = yield* SandboxConnection
        const paid = Effect.map(venueBooks, ({ accounts }) =>
          BigInt(accounts[account.signerId]?.["BTC"]?.balance ?? "0")
        )
        for (let deadAt = 1; deadAt <= 6; deadAt += 1) {
          const before = yield* paid
          const begun = yield* begin()
          const book = yield* SwapBook.make
          // The write succeeds and the process dies before it acts on it.
          const append: typeof book.append = (id, steps, events) =>
            Effect.flatMap(book.append(id, steps, events), (recorded) =>
              steps + events.length === deadAt + 1
                ? Effect.fail(new JournalError({ message: "killed", cause: "killed" }))
                : Effect.succeed(recorded)
            )
          const run = Effect.gen(function* () {
            const swapping = yield* Swapping.make({ ...book, append }, Effect.undefined)
            let present = begun
            for (let look = 0; look < 10 && !SwapAccount.isOver(present); look += 1) {
              present = yield* swapping.advance(present)
              yield* Effect.sleep("1 second")
            }
          }).pipe(Effect.ignore)
          yield* run
          const resumed = yield* reread(begun.id)
          assert.isDefined(resumed)
          if (resumed === undefined) return
          const ended = yield* finish(resumed)
          assert.strictEqual(outcome(ended), "paid", `dead at ${deadAt}`)
          assert.strictEqual((yield* paid) - before, -1_000_000n, `dead at ${deadAt}`)
          assert.strictEqual(ended.timeline.filter(({ event }) => event._tag === "IntentSigned").length, 1)
        }
      }).pipe(Effect.provide(journalLayer))
    )
  )

  it.effect("of two processes on one swap only one signs", () =>
    play(
      Effect.gen(function* () {
        const begun = yield* begin()
        const both = yield* Effect.all([makeSwapping(), makeSwapping()])
        const results = yield* Effect.forEach(both, (one) => Effect.result(one.advance(begun)), { concurrency: 2 })
        const tags = results.map((result) => (result._tag === "Failure" ? result.failure._tag : "done")).toSorted()
        assert.deepStrictEqual(tags, ["SwapTaken", "done"])
        assert.strictEqual(outcome(yield* finish((yield* reread(begun.id)) ?? begun)), "paid")
      }).pipe(Effect.provide(journalLayer))
    )
  )
})

describe("swaps in the bot's journal", () => {
  it.effect("nothing is signed, nor sent, nor asked of a wallet while the gate is closed", () =>
    play(
      Effect.gen(function* () {
        const closed = yield* makeSwapping(Effect.succeed("the kill switch is on"))
        for (const changes of [{}, onChain]) {
          const dropped = yield* closed.advance(yield* begin(changes))
          assert.strictEqual(dropped.phase, "dropped")
          assert.isUndefined(dropped.intent)
          assert.isUndefined(dropped.wallet)
        }
        let asked = 0
        const closing = yield* makeSwapping(Effect.sync(() => (++asked > 2 ? "the lease is lost" : undefined)))
        let signed = yield* closing.advance(yield* begin())
        assert.strictEqual(signed.intent?.attempts, 0)
        for (let look = 0; look < 60 && !SwapAccount.isOver(signed); look += 1) {
          signed = yield* closing.advance(signed)
          yield* Effect.sleep("10 seconds")
        }
        assert.strictEqual(outcome(signed), "unfunded")
        assert.include(signed.ended?.text ?? "", "never sent")
      }).pipe(Effect.provide(journalLayer))
    )
  )

  it.effect("those of older versions are read where they are, and gone on with in the journal", () =>
    play(
      Effect.gen(function* () {
        const { agreed, agreedAt: at } = yield* begin()
        const sql = yield* SqlClient.SqlClient
        const { _tag: event, ...fields } = agreed
        const body = plainJson({ _tag: event, ...fields })
        yield* sql`INSERT INTO swap_journal ${sql.insert({ swap: "s7", step: 1, at, event, body })}`
        assert.deepStrictEqual((yield* readSwaps).map(({ id }) => id).toSorted(), ["s1", "s7"])
        const old = (yield* SwapBook.make).find("s7")
        assert.deepStrictEqual(old?.agreed, agreed)
        if (old === undefined) return
        assert.strictEqual(outcome(yield* finish(old)), "paid")
        assert.strictEqual((yield* SwapBook.make).find("s7")?.ended?.outcome, "paid")
        assert.strictEqual((yield* begin()).id, "s8")
      }).pipe(Effect.provide(journalLayer))
    )
  )
})

describe("a payment that does not show", () => {
  const followed = (submitIntent: Venue["Service"]["submitIntent"]) =>
    play(
      Effect.gen(function* () {
        const venue = yield* Venue
        const swapping = yield* Effect.provideService(makeSwapping(), Venue, { ...venue, submitIntent })
        let account = yield* begin()
        for (let look = 0; look < 60 && !SwapAccount.isOver(account); look += 1) {
          account = yield* swapping.advance(account)
          yield* Effect.sleep("10 seconds")
        }
        return account
      }).pipe(Effect.provide(journalLayer))
    )
  const lost = new VenueError({ reason: new OutcomeUnknown({ operation: "submit intent", text: "lost" }) })
  const refusedWith = (text: string) =>
    Effect.fail(new VenueError({ reason: new Rejected({ operation: "submit intent", code: "http-400", text }) }))

  it.effect("was said to be unfunded, paid in nothing, because nobody answered", () =>
    Effect.gen(function* () {
      const account = yield* followed(() => Effect.fail(lost))
      assert.isFalse(SwapAccount.isOver(account))
      assert.include(account.doubt ?? "", "never acknowledged")
      assert.strictEqual(SwapAccount.moneyOf(account).input["in doubt"], 1_000_000n)
    })
  )

  it.effect.each([
    ["not-paid", "unfunded"],
    ["forget", "unproven"]
  ] as const)("is listed by resolve, and ends by the operator's word: %s", ([word, ended]) =>
    play(
      Effect.gen(function* () {
        const venue = yield* Venue
        const submitIntent = () => Effect.fail(lost)
        const swapping = yield* Effect.provideService(makeSwapping(), Venue, { ...venue, submitIntent })
        let account = yield* begin()
        const { record, state } = yield* Bookkeeper
        const taken = () => Problems.resolve(state, { placement: account.id, word, text: "looked" }, account.agreedAt)
        for (let look = 0; look < 60 && account.doubt === undefined; look += 1) {
          account = yield* swapping.advance(account)
          yield* Effect.sleep("10 seconds")
        }
        assert.isTrue(Result.isFailure(taken()), "it can still be executed")
        const now = account.agreedAt + 3_600_000
        const [problem] = Problems.problemsOf(state, now)
        assert.deepStrictEqual([problem?.kind, problem?.placement, problem?.amount], ["in-doubt", "s1", 1_000_000n])
        const step = Problems.resolve(state, { placement: "s1", word, text: "looked" }, now)
        yield* record(Result.getOrThrow(step))
        assert.strictEqual(state.swaps.get("s1")?.ended?.outcome, ended)
        assert.isEmpty(Problems.problemsOf(state, now))
      }).pipe(Effect.provide(journalLayer))
    )
  )

  it.effect("has been made when it was acknowledged, and is waited for", () =>
    Effect.gen(function* () {
      const account = yield* followed(({ intentHash }) => Effect.succeed({ value: { intentHash } }))
      assert.isFalse(SwapAccount.isOver(account))
      assert.isUndefined(account.doubt)
      assert.strictEqual(SwapAccount.moneyOf(account).input["deposit in flight"], 1_000_000n)
    })
  )

  it.effect("was said to be unfunded, and could be paid again, because it was refused twice", () =>
    Effect.gen(function* () {
      const account = yield* followed(() => refusedWith("request-rejected"))
      assert.isFalse(SwapAccount.isOver(account))
      assert.strictEqual(SwapAccount.moneyOf(account).input["in doubt"], 1_000_000n)
    })
  )

  it.effect("has not been made when it was refused for lack of balance each time and has expired", () =>
    Effect.gen(function* () {
      const account = yield* followed(() => refusedWith("insufficient balance or overflow"))
      assert.strictEqual(account.ended?.outcome, "unfunded")
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
        const { fees, spent } = SwapAccount.moneyOf(account).input
        const cameIn = accounts["bc1qme"]?.["BTC"]?.["external"] ?? "0"
        assert.strictEqual(cameIn, String(fees + spent), "both books agree on what left for good")
        return account
      }).pipe(Effect.provide(journalLayer))
    )

  it.effect("that are short are refunded at the deadline", () =>
    Effect.gen(function* () {
      const account = yield* deposit({}, (payment) => payOnChain(payment, payment.amount - 1000n))
      const { input } = SwapAccount.moneyOf(account)
      assert.strictEqual(outcome(account), "refunded")
      assert.strictEqual(account.seen?.refundReason, "PARTIAL_DEPOSIT")
      assert.deepStrictEqual([input.refunded + input.fees, input.residual], [999_000n, 0n])
      assert.isAbove(Number(input.fees), 0)
    })
  )

  it.effect("that are too much come back with the payout", () =>
    Effect.gen(function* () {
      const account = yield* deposit({}, (payment) => payOnChain(payment, payment.amount + 5000n))
      const { input } = SwapAccount.moneyOf(account)
      assert.strictEqual(outcome(account), "paid")
      assert.deepStrictEqual([input.spent, input.refunded + input.fees, input.residual], [1_000_000n, 5000n, 0n])
    })
  )

  it.effect("that come late are refunded", () =>
    Effect.gen(function* () {
      const account = yield* deposit({}, (payment) =>
        Effect.andThen(Effect.sleep("150 seconds"), payOnChain(payment, payment.amount))
      )
      assert.strictEqual(outcome(account), "refunded")
      assert.strictEqual(total(SwapAccount.moneyOf(account)), 1_000_000n)
    })
  )

  it.effect("with a wrong memo are never taken for ours", () =>
    Effect.gen(function* () {
      const account = yield* deposit({ depositMode: "MEMO" }, (payment) => payOnChain(payment, payment.amount, "wrong"))
      assert.isFalse(SwapAccount.isOver(account), "it waits: the venue returns such money by itself")
      assert.strictEqual(SwapAccount.moneyOf(account).input["deposit in flight"], 1_000_000n)
    })
  )

  it.effect("an unclear wallet is never asked again without the operator's word, one that refused is over", () =>
    play(
      Effect.gen(function* () {
        const asked = yield* Ref.make(0)
        const unclear = walletThat(() => Effect.fail(new WalletUnclear({ text: "killed" })), asked)
        const begun = yield* begin(onChain)
        const waiting = yield* Effect.provide(finish(begun, 20), unclear)
        assert.strictEqual(waiting.wallet?.state, "unclear")
        assert.strictEqual(yield* Ref.get(asked), 1)

        const book = yield* SwapBook.make
        yield* book.append(begun.id, waiting.steps, [{ _tag: "WalletReleased", reason: "the operator" }])
        const released = yield* reread(begun.id)
        const paid = yield* Effect.provide(finish(released ?? begun), sandboxWallet)
        assert.strictEqual(outcome(paid), "paid")

        const refusing = walletThat(() => Effect.fail(new WalletRefused({ text: "locked" })), asked)
        const refused = yield* Effect.provide(finish(yield* begin(onChain)), refusing)
        assert.strictEqual(outcome(refused), "unfunded")
        assert.strictEqual(total(SwapAccount.moneyOf(refused)), 0n)
      }).pipe(Effect.provide(journalLayer))
    )
  )

  it.effect("a person who pays by hand is waited for", () =>
    play(
      Effect.gen(function* () {
        const begun = yield* begin(onChain)
        const waiting = yield* finish(begun, 5)
        assert.strictEqual(waiting.wallet?.state, "asked")
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
        const signed = yield* Effect.flatMap(makeSwapping(), (one) => one.advance(begun)).pipe(Effect.provide(busy))
        yield* Effect.sleep("61 seconds")
        const account = yield* finish(signed)
        assert.strictEqual(outcome(account), "refunded", JSON.stringify(account.ended))
        assert.deepStrictEqual(SwapAccount.moneyOf(account).input.refunded, 1_000_000n)
        assert.strictEqual(yield* balance, before)
      }).pipe(Effect.provide(journalLayer))
    )
  )

  it.effect("to which somebody adds are noted, refunded, and both books agree", () =>
    play(
      Effect.gen(function* () {
        const before = yield* balance
        const begun = yield* begin()
        yield* payByIntent(begun.agreed.depositAddress, "500")
        const account = yield* finish(begun)
        assert.strictEqual(outcome(account), "paid")
        const { refunded, residual, spent } = SwapAccount.moneyOf(account).input
        assert.deepStrictEqual([spent, refunded, residual], [1_000_000n, 500n, 0n])
        assert.match(account.contradiction ?? "", /1000500 was deposited although 1000000 was signed for/)
        assert.strictEqual(before - (yield* balance), 1_000_000n)
      }).pipe(Effect.provide(journalLayer)),
      // What somebody else paid is not yet known when ours is generated.
      { settings: { recognitionMillis: [2000, 2000] } }
    )
  )
})

describe("what a report proves", () => {
  const seen = (changes: object): SwapAccount.Seen => ({
    _tag: "SwapSeen",
    status: "SUCCESS",
    intentHashes: [],
    ledgerTxHashes: [],
    originTxHashes: [],
    destinationTxHashes: [],
    ...changes
  })

  it.effect("success without amounts is unproven, and all of the input residual", () =>
    play(
      Effect.gen(function* () {
        const begun = yield* begin()
        const concluded = (changes: object) => SwapAccount.conclusion(begun, seen(changes))?.outcome
        assert.strictEqual(concluded({}), "unproven")
        assert.strictEqual(concluded({ deposited: 1_000_000n, refunded: 999_000n }), "refunded")
        assert.strictEqual(concluded({ amountIn: 1_000_000n, amountOut: begun.agreed.amountOut }), "paid")
        assert.strictEqual(concluded({ amountIn: 1_000_000n, amountOut: 1n }), "unproven")
        assert.strictEqual(concluded({ status: "REFUNDED" }), "unproven")
        assert.strictEqual(concluded({ status: "FAILED", amountOut: 5n }), "failed")
        assert.isUndefined(concluded({ status: "PROCESSING" }))
        assert.isUndefined(concluded({ status: "BRAND_NEW" }))
        const ended = { ...begun, seen: seen({ deposited: 1_000_000n }), phase: "ended" } as const
        const money = SwapAccount.moneyOf({ ...ended, ended: { _tag: "SwapEnded", outcome: "unproven", text: "" } })
        assert.strictEqual(money.input.residual, 1_000_000n)
        assert.strictEqual(money.received, 0n)
      }).pipe(Effect.provide(journalLayer))
    )
  )
})
