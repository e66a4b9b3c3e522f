/** The last moment before money leaves: what is looked at again, and what is done when it is not as it was. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as Ledger from "../../../src/domain/Ledger.ts"
import type { Order } from "../../../src/domain/Order.ts"
import type { RefusalVerdict } from "../../../src/domain/Payload.ts"
import { present } from "../../../src/domain/Present.ts"
import { defaults, EngineSettings } from "../../../src/engine/EngineSettings.ts"
import { problemsOf } from "../../../src/engine/funding/Problems.ts"
import { closedBecause, type PresentFacts, type Step } from "../../../src/engine/holds/Holds.ts"
import * as Driver from "../../../src/engine/protocol/Driver.ts"
import { Bookkeeper } from "../../../src/engine/state/Bookkeeper.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { Journal } from "../../../src/journal/Journal.ts"
import * as Sqlite from "../../../src/journal/Sqlite.ts"
import { IntentGuard, SignerUnavailable } from "../../../src/signing/IntentGuard.ts"
import { type CreateOrder, Venue } from "../../../src/venue/Venue.ts"
import { OutcomeUnknown, Rejected, VenueError } from "../../../src/venue/VenueError.ts"
import { market } from "../../world/bitcoin.ts"

const hour = 3_600_000
const lost = new VenueError({ reason: new OutcomeUnknown({ operation: "submit intent", text: "lost" }) })

const refusedWith = (text: string, verdict?: RefusalVerdict) =>
  Effect.fail(
    new VenueError({
      reason: new Rejected({ operation: "submit intent", code: "http-400", text, ...present({ verdict }) })
    })
  )

/** A bound order of one slot that waits for its money. */
const bound = (id: string, address: string, fee = 0n): ReadonlyArray<BotEvent> => {
  const about = { strategy: "s", slot: id, placement: id }
  return [
    {
      _tag: "Planned",
      ...about,
      market: market.name,
      side: "SELL",
      price: Decimal.make(60_000n),
      quantity: 1_000_000n,
      inputAsset: "BTC",
      inputAmount: 1_000_000n,
      outputAsset: "USDC",
      outputAmount: 600_000_000n,
      deadline: 24 * hour + Number(id.slice(1)) * 1000,
      why: { code: "x", text: "x" }
    },
    { _tag: "CreateSent", ...about, attempt: 1 },
    {
      _tag: "Bound",
      ...about,
      orderId: `order-${id}`,
      depositAddress: address,
      via: "reply",
      estimatedWithdrawFee: fee,
      estimatedRefundFee: 0n
    }
  ]
}

const orderOf = (id: string, depositAddress: string): Order => ({
  id: `order-${id}`,
  side: "SELL",
  baseAsset: "btc",
  quoteAsset: "usdc",
  originAsset: "btc",
  destinationAsset: "usdc",
  quantity: 1_000_000n,
  price: Decimal.make(60_000n),
  inputAmount: 1_000_000n,
  outputAmount: 600_000_000n,
  depositAddress,
  depositType: "INTENTS",
  recipient: "me",
  recipientType: "INTENTS",
  refundTo: "me",
  refundType: "INTENTS",
  appFeeBasisPoints: 0,
  fillStatus: "AWAITING_DEPOSIT",
  depositedAmount: 0n,
  fills: [],
  withdrawals: [],
  payoutIsFinal: false,
  estimatedWithdrawFee: 0n,
  estimatedRefundFee: 0n,
  deadline: 24 * hour + Number(id.slice(1)) * 1000,
  createdAt: 0
})

interface World {
  /** What the venue says of its orders now, where it differs. */
  readonly says?: () => Partial<Order>
  readonly addressOf?: (orderId: string) => string
  readonly fee?: bigint
  readonly submit?: (count: number) => Effect.Effect<{ readonly value: { readonly intentHash: string } }, VenueError>
  /** Why the signer declines, if it does. */
  readonly declines?: () => string | undefined
  /** Why the key does not sign, if it does not. */
  readonly fails?: string
  /** In each payload that the venue generates, and so in what is signed. */
  readonly nonce?: string
  /** Why the gate is closed when it is asked for the n-th time. */
  readonly closed?: (asked: number) => string | undefined
}

/** Works on placements, and tells what was done. */
const world = ({
  addressOf = (id) => `address-${id.slice(6)}`,
  closed = () => undefined,
  declines = () => undefined,
  fails,
  fee = 0n,
  nonce,
  says = () => ({}),
  submit
}: World) =>
  Effect.gen(function* () {
    const done = { asked: 0, signed: 0, sent: 0, paths: [] as CreateOrder["path"][] }
    const venue = Layer.mock(Venue)({
      createOrder: ({ path }) => {
        done.paths.push(path)
        return Effect.fail(lost)
      },
      getOrder: (id) => Effect.succeed({ value: { ...orderOf(id.slice(6), addressOf(id)), ...says() } }),
      generateIntent: () => Effect.succeed({ value: { standard: "nep413", payload: { nonce } } }),
      submitIntent: () => {
        done.sent += 1
        return submit?.(done.sent) ?? Effect.succeed({ value: { intentHash: "hash" } })
      }
    })
    const guard = Layer.mock(IntentGuard)({
      signTransfer: () =>
        Effect.suspend(() => {
          const reason = declines()
          if (reason !== undefined) return Effect.fail(new SignerUnavailable({ reason, isDeclined: true }))
          if (fails !== undefined) return Effect.fail(new SignerUnavailable({ reason: fails }))
          done.signed += 1
          const body = JSON.stringify({ signedData: { payload: { nonce } } })
          return Effect.succeed({ body, intentHash: "hash", validUntil: 120_000 })
        })
    })
    const settings = {
      ...defaults,
      account: { signerId: "me", depositType: "INTENTS" as const, maxAppFeeBasisPoints: 100 }
    }
    const layer = Layer.mergeAll(
      venue,
      guard,
      Layer.succeed(EngineSettings, settings),
      Bookkeeper.layer.pipe(Layer.provide(Journal.layer.pipe(Layer.provide(Sqlite.layer({ filename: ":memory:" })))))
    )
    const context = yield* Layer.build(layer)
    const { record, state, tries } = yield* Effect.provideContext(Bookkeeper, context)
    const driver = yield* Effect.provideContext(Driver.make, context)
    yield* record({ _tag: "BudgetAllotted", strategy: "s", asset: "BTC", amount: 10_000_000n })
    const gate = () => Effect.sync(() => closed(++done.asked))
    const work = (id: string) =>
      Effect.suspend(() => {
        const placement = state.placements.get(id)
        if (placement === undefined) return Effect.void
        return driver.advance(placement, { market, gate, payAgain: new Set() })
      })
    const isHopeless = (id: string) => {
      const placement = state.placements.get(id)
      return placement !== undefined && driver.isHopeless(placement)
    }
    const bind = (id: string, address: string) => record(...bound(id, address, fee))
    return { bind, done, isHopeless, record, state, tries, work }
  })

describe("a create", () => {
  it.effect("requests exactly the money path that the journal has", () =>
    Effect.gen(function* () {
      const { done, record, state, work } = yield* world({})
      yield* record(...bound("p1", "address-p1").slice(0, 1))
      yield* work("p1")
      const [asked] = done.paths
      assert.deepInclude(asked, { recipient: "me", refundTo: "me", originAsset: "btc", destinationAsset: "usdc" })
      assert.deepStrictEqual(state.placements.get("p1")?.path, asked)
    })
  )
})

describe("a payment", () => {
  it.effect("is signed and sent once, after one more read of its order", () =>
    Effect.gen(function* () {
      const { bind, done, state, work } = yield* world({})
      yield* bind("p1", "address-p1")
      yield* work("p1")
      assert.deepStrictEqual([done.signed, done.sent], [1, 1])
      assert.isTrue(state.placements.get("p1")?.funding?.acknowledged)
    })
  )

  it.effect("is put off, and its slot stays unfrozen, if it exceeds the signer's own cap", () =>
    Effect.gen(function* () {
      let cap: string | undefined = "its own maxPerDay allows at most 5 in 24 hours, this is 6"
      const { bind, done, state, work } = yield* world({ declines: () => cap })
      yield* bind("p1", "address-p1")
      yield* work("p1")
      // It is not asked at each turn: the next attempt is another order, after the pause of refusals.
      assert.strictEqual(state.placements.get("p1")?.state, "abandoned")
      const slot = state.slots.get("s/p1")
      assert.deepStrictEqual([slot?.failures, slot?.frozen], [1, undefined])
      assert.strictEqual(slot?.failedWhy, `not funded: The signer did not sign: ${cap}`)
      assert.deepStrictEqual(problemsOf(state, 0), [])
      cap = undefined
      yield* bind("p2", "address-p2")
      yield* work("p2")
      assert.deepStrictEqual([done.signed, done.sent], [1, 1], "what the cap allows again is paid")
    })
  )

  it.effect("is tried again for a while if the key fails, and then its order is given up", () =>
    Effect.gen(function* () {
      const { bind, done, state, work } = yield* world({ fails: "the signature that was made does not verify" })
      yield* bind("p1", "address-p1")
      yield* work("p1")
      assert.strictEqual(state.placements.get("p1")?.state, "created")
      yield* TestClock.adjust(defaults.resolveAfterMillis)
      yield* work("p1")
      assert.strictEqual(state.placements.get("p1")?.state, "abandoned")
      assert.deepStrictEqual([done.sent, state.slots.get("s/p1")?.frozen, problemsOf(state, 0)], [0, undefined, []])
    })
  )

  it.effect("is not made to an order whose deposit address has changed, and its slot is frozen", () =>
    Effect.gen(function* () {
      const { bind, done, state, work } = yield* world({ addressOf: () => "thief" })
      yield* bind("p1", "address-p1")
      yield* work("p1")
      assert.deepStrictEqual([done.signed, done.sent], [0, 0])
      assert.strictEqual(state.placements.get("p1")?.state, "abandoned")
      assert.include(state.slots.get("s/p1")?.frozen ?? "", "deposit address changed to thief")
      assert.include(problemsOf(state, 0)[0]?.evidence ?? "", "order order-p1, deposit address address-p1")
    })
  )

  it.effect("is made to neither of two orders with one address, and both slots are frozen", () =>
    Effect.gen(function* () {
      const { bind, done, state, work } = yield* world({ addressOf: () => "shared" })
      yield* bind("p1", "shared")
      yield* bind("p2", "shared")
      yield* work("p1")
      yield* work("p2")
      assert.deepStrictEqual([done.signed, done.sent], [0, 0])
      for (const id of ["p1", "p2"]) {
        assert.strictEqual(state.placements.get(id)?.state, "abandoned")
        assert.include(state.slots.get(`s/${id}`)?.frozen ?? "", "one deposit address")
      }
    })
  )

  it.effect("is not signed if its nonce is signed already; that is reported unless the answer is misdelivered", () =>
    Effect.gen(function* () {
      const { bind, done, state, work } = yield* world({ nonce: "once" })
      yield* bind("p1", "address-p1")
      yield* work("p1")
      yield* bind("p2", "address-p2")
      yield* work("p2")
      assert.strictEqual(state.placements.get("p2")?.state, "created")
      yield* TestClock.adjust(29_999)
      yield* work("p2")
      assert.strictEqual(state.placements.get("p2")?.state, "created")
      yield* TestClock.adjust(1)
      yield* work("p2")
      assert.deepStrictEqual([done.signed, done.sent], [1, 1])
      assert.strictEqual(state.placements.get("p2")?.state, "abandoned")
      assert.include(state.slots.get("s/p2")?.frozen ?? "", "its nonce was already signed")
    })
  )

  it.effect("is not signed if the gate closes directly before", () =>
    Effect.gen(function* () {
      const { bind, done, state, work } = yield* world({ closed: (asked) => (asked > 1 ? "killed" : undefined) })
      yield* bind("p1", "address-p1")
      yield* work("p1")
      assert.deepStrictEqual([done.signed, done.sent], [0, 0])
      assert.strictEqual(state.placements.get("p1")?.state, "abandoned")
    })
  )

  it.effect("expires unsent after the kill switch, and is certainly dead", () =>
    Effect.gen(function* () {
      const { bind, done, state, work } = yield* world({ closed: (asked) => (asked > 2 ? "killed" : undefined) })
      yield* bind("p1", "address-p1")
      yield* work("p1")
      yield* work("p1")
      assert.deepStrictEqual([done.signed, done.sent], [1, 0])
      yield* TestClock.adjust(hour)
      for (let look = 0; look < 3; look += 1) yield* work("p1")
      assert.strictEqual(state.placements.get("p1")?.state, "dead")
      assert.strictEqual(Ledger.freeOf(state.ledger, "s", "BTC"), 10_000_000n)
    })
  )

  it.effect("lets the bot leave at once between signing and sending", () =>
    Effect.gen(function* () {
      let leave = (): void => {}
      let hold: string | undefined
      const closed = (asked: number) => {
        if (asked === 3) leave()
        return hold
      }
      const answer = Effect.delay(Effect.succeed({ value: { intentHash: "hash" } }), 5_000)
      const { bind, done, state, work } = yield* world({ closed, submit: () => answer })
      yield* bind("p1", "address-p1")
      const turn = yield* Effect.forkChild(work("p1"))
      leave = () => turn.interruptUnsafe()
      yield* Fiber.await(turn)
      assert.strictEqual(state.placements.get("p1")?.funding?.attempts, 1)
      assert.isFalse(state.placements.get("p1")?.funding?.acknowledged)
      hold = "the bot leaves"
      yield* TestClock.adjust(5_000)
      assert.deepStrictEqual([done.signed, done.sent], [1, 1])
      assert.isTrue(state.placements.get("p1")?.funding?.acknowledged, "its answer counts although the turn is over")
    })
  )

  it.effect(
    "that may have arrived is not sent again while the gate is closed, then in doubt, and not signed again",
    () =>
      Effect.gen(function* () {
        const { bind, done, state, work } = yield* world({
          submit: () => Effect.fail(lost),
          closed: (asked) => (asked > 3 ? "killed" : undefined)
        })
        yield* bind("p1", "address-p1")
        yield* work("p1")
        yield* TestClock.adjust(5_000)
        yield* work("p1")
        assert.deepStrictEqual([done.signed, done.sent], [1, 1])
        yield* TestClock.adjust(100 * hour)
        for (let look = 0; look < 5; look += 1) {
          yield* work("p1")
          yield* TestClock.adjust(hour)
        }
        assert.strictEqual(state.placements.get("p1")?.state, "in doubt")
        assert.strictEqual(Ledger.heldBy(state.ledger, "p1", "BTC", "in doubt"), 1_000_000n)
        assert.deepStrictEqual([done.signed, done.sent], [1, 1])
      })
  )

  it.effect("that is acknowledged is not sent again while the gate is closed, and its late deposit is awaited", () =>
    Effect.gen(function* () {
      let says: Partial<Order> = {}
      const { bind, done, isHopeless, state, work } = yield* world({
        closed: (asked) => (asked > 3 ? "killed" : undefined),
        says: () => says
      })
      yield* bind("p1", "address-p1")
      yield* work("p1")
      says = { fillStatus: "CANCELED" }
      for (let look = 0; look < 60; look += 1) {
        yield* TestClock.adjust(60_000)
        yield* work("p1")
        if (look === 5) assert.isFalse(isHopeless("p1"))
      }
      assert.strictEqual(done.sent, 1)
      assert.strictEqual(state.placements.get("p1")?.state, "funding", "only a person can say that it was lost")
      assert.isTrue(isHopeless("p1"), "a bot that leaves would wait for ever")
    })
  )

  it.effect("that the venue executes and answers with 400 each time is made once", () =>
    Effect.gen(function* () {
      const rejected = new Rejected({ operation: "submit intent", code: "http-400", text: "timed out" })
      const refuse = () => Effect.fail(new VenueError({ reason: rejected }))
      const { bind, done, state, work } = yield* world({ submit: refuse })
      yield* bind("p1", "address-p1")
      for (let look = 0; look < 20; look += 1) {
        yield* work("p1")
        yield* TestClock.adjust(30_000)
      }
      assert.isAbove(done.sent, 1)
      assert.strictEqual(done.signed, 1)
      assert.strictEqual(state.placements.get("p1")?.state, "in doubt")
      assert.strictEqual(Ledger.heldBy(state.ledger, "p1", "BTC", "in doubt"), 1_000_000n)
    })
  )

  it.effect("that is refused each time for lack of balance ends without freezing its slot", () =>
    Effect.gen(function* () {
      const { bind, done, state, work } = yield* world({
        submit: () => refusedWith("insufficient balance or overflow", "not-executed")
      })
      yield* bind("p1", "address-p1")
      for (let look = 0; look < 20; look += 1) {
        yield* work("p1")
        yield* TestClock.adjust(10_000)
      }
      assert.isAbove(done.sent, 1)
      assert.strictEqual(done.signed, 1)
      assert.strictEqual(state.placements.get("p1")?.state, "dead")
      assert.strictEqual(Ledger.freeOf(state.ledger, "s", "BTC"), 10_000_000n)
    })
  )

  it.effect("that is refused for its salt is signed again with the new salt", () =>
    Effect.gen(function* () {
      const { bind, done, state, work } = yield* world({ submit: () => refusedWith("invalid salt", "stale-salt") })
      yield* bind("p1", "address-p1")
      for (let look = 0; look < 20; look += 1) {
        yield* work("p1")
        if (look === 11) assert.strictEqual(state.placements.get("p1")?.state, "funding", "it may still be executed")
        yield* TestClock.adjust(10_000)
      }
      assert.deepStrictEqual([done.signed, done.sent], [1, 2])
      assert.strictEqual(state.placements.get("p1")?.state, "dead")
      assert.strictEqual(Ledger.freeOf(state.ledger, "s", "BTC"), 10_000_000n)
    })
  )

  const unclear: ReadonlyArray<readonly [string, (count: number) => Effect.Effect<never, VenueError>]> = [
    [
      "once refused, once without an answer",
      (count) => (count === 1 ? Effect.fail(lost) : refusedWith("invalid signature", "not-executed"))
    ],
    [
      "once without an answer and then refused for its salt",
      (count) => (count === 1 ? Effect.fail(lost) : refusedWith("invalid salt", "stale-salt"))
    ],
    ["refused as expired", () => refusedWith("deadline has expired")],
    ["refused for a reason that says nothing", () => refusedWith("request-rejected")]
  ]
  it.effect.each(unclear)("that is %s is in doubt until a refund shows", ([, submit]) =>
    Effect.gen(function* () {
      let says: Partial<Order> = {}
      const { bind, state, work } = yield* world({ submit, says: () => says })
      yield* bind("p1", "address-p1")
      for (let look = 0; look < 20; look += 1) {
        yield* work("p1")
        yield* TestClock.adjust(30_000)
      }
      assert.strictEqual(state.placements.get("p1")?.state, "in doubt")
      says = { fillStatus: "CANCELED", refund: { status: "COMPLETED" }, payoutIsFinal: true, estimatedRefundFee: 7n }
      yield* TestClock.adjust(hour)
      yield* work("p1")
      assert.isUndefined(state.placements.get("p1"))
      assert.strictEqual(Ledger.freeOf(state.ledger, "s", "BTC"), 9_999_993n)
    })
  )

  const late: ReadonlyArray<
    readonly [string, Effect.Effect<{ readonly value: { readonly intentHash: string } }, VenueError>, number]
  > = [
    ["without an answer, before it is in doubt", Effect.fail(lost), 0],
    ["that is in doubt", Effect.fail(lost), 20],
    ["that was acknowledged", Effect.succeed({ value: { intentHash: "hash" } }), 20]
  ]
  it.effect.each(late)("%s ends its wait with a late deposit", ([, submit, looks]) =>
    Effect.gen(function* () {
      let says: Partial<Order> = {}
      const { bind, state, work } = yield* world({ submit: () => submit, says: () => says })
      yield* bind("p1", "address-p1")
      yield* work("p1")
      for (let look = 0; look < looks; look += 1) {
        yield* TestClock.adjust(30_000)
        yield* work("p1")
      }
      says = { fillStatus: "OPEN", depositedAmount: 1_000_000n }
      yield* TestClock.adjust(hour)
      yield* work("p1")
      assert.strictEqual(state.placements.get("p1")?.state, "open")
      assert.strictEqual(Ledger.heldBy(state.ledger, "p1", "BTC", "in order"), 1_000_000n)
    })
  )

  it.effect("whose transfer the venue has seen is awaited, and not in doubt", () =>
    Effect.gen(function* () {
      let says: Partial<Order> = {}
      const { bind, state, work } = yield* world({ submit: () => Effect.fail(lost), says: () => says })
      yield* bind("p1", "address-p1")
      yield* work("p1")
      says = { fillStatus: "KNOWN_DEPOSIT_TX" }
      for (let look = 0; look < 20; look += 1) {
        yield* TestClock.adjust(30_000)
        yield* work("p1")
      }
      assert.strictEqual(state.placements.get("p1")?.state, "funding")
    })
  )

  it.effect("without an answer that is refunded at once is over, and not in doubt", () =>
    Effect.gen(function* () {
      let says: Partial<Order> = {}
      const { bind, state, work } = yield* world({ submit: () => Effect.fail(lost), says: () => says })
      yield* bind("p1", "address-p1")
      yield* work("p1")
      says = { fillStatus: "CANCELED", refund: { status: "COMPLETED" }, payoutIsFinal: true, estimatedRefundFee: 7n }
      yield* TestClock.adjust(hour)
      yield* work("p1")
      assert.isUndefined(state.placements.get("p1"))
      assert.strictEqual(Ledger.freeOf(state.ledger, "s", "BTC"), 9_999_993n)
    })
  )

  it.effect("that is acknowledged is awaited without limit until its deposit shows", () =>
    Effect.gen(function* () {
      const { bind, state, work } = yield* world({})
      yield* bind("p1", "address-p1")
      yield* work("p1")
      for (let look = 0; look < 20; look += 1) {
        yield* TestClock.adjust(10 * hour)
        yield* work("p1")
      }
      assert.strictEqual(state.placements.get("p1")?.state, "funding")
      assert.strictEqual(Ledger.heldBy(state.ledger, "p1", "BTC", "deposit in flight"), 1_000_000n)
    })
  )

  it.effect("is not sent at every poll while the venue's clock is an hour behind", () =>
    Effect.gen(function* () {
      const { bind, done, record, work } = yield* world({ submit: () => Effect.fail(lost) })
      yield* bind("p1", "address-p1")
      yield* work("p1")
      yield* record({ _tag: "ClockCompared", skewMillis: hour, ok: false })
      for (let look = 0; look < 60; look += 1) {
        yield* TestClock.adjust(1_000)
        yield* work("p1")
      }
      assert.isAbove(done.sent, 3)
      assert.isAtMost(done.sent, 7)
    })
  )

  it.effect("in doubt stays in doubt if the venue's clock leaps ahead, and its slot does not pay again", () =>
    Effect.gen(function* () {
      let says: Partial<Order> = {}
      const { bind, record, state, work } = yield* world({ submit: () => Effect.fail(lost), says: () => says })
      const looks = Effect.fnUntraced(function* (count: number) {
        for (let look = 0; look < count; look += 1) {
          yield* TestClock.adjust(61_000)
          yield* work("p1")
        }
      })
      yield* bind("p1", "address-p1")
      yield* work("p1")
      // Neither does it begin one sooner: both clocks must say that the payload has expired.
      yield* record({ _tag: "ClockCompared", skewMillis: -2 * hour, ok: false })
      for (let look = 0; look < 5; look += 1) {
        yield* TestClock.adjust(10_000)
        yield* work("p1")
      }
      assert.strictEqual(state.placements.get("p1")?.state, "funding")
      yield* record({ _tag: "ClockCompared", skewMillis: 0, ok: true })
      yield* looks(5)
      assert.strictEqual(state.placements.get("p1")?.state, "in doubt")
      says = { fillStatus: "CANCELED" }
      yield* looks(5)
      yield* record({ _tag: "ClockCompared", skewMillis: -2 * hour, ok: false })
      yield* looks(5)
      yield* record({ _tag: "ClockCompared", skewMillis: 0, ok: true })
      yield* looks(5)
      assert.strictEqual(state.placements.get("p1")?.state, "in doubt")
      yield* looks(60)
      assert.strictEqual(state.placements.get("p1")?.state, "dead")
    })
  )

  it.effect("is not made to an order whose refund fee has risen above the cap", () =>
    Effect.gen(function* () {
      const { bind, done, state, work } = yield* world({ says: () => ({ estimatedRefundFee: 600_000n }) })
      yield* bind("p1", "address-p1")
      yield* work("p1")
      assert.strictEqual(done.signed, 0)
      assert.strictEqual(state.placements.get("p1")?.state, "abandoned")
      assert.strictEqual(state.slots.get("s/p1")?.failedWhy, "its refund is estimated at 600000, just before at 0")
    })
  )

  it.effect("is not made to an order whose payout fee rises above the cap in small steps", () =>
    Effect.gen(function* () {
      const fee = 24_000_000n
      const { bind, done, state, work } = yield* world({ fee, says: () => ({ estimatedWithdrawFee: 2n * fee }) })
      yield* bind("p1", "address-p1")
      yield* work("p1")
      assert.strictEqual(done.signed, 0)
      assert.match(state.slots.get("s/p1")?.failedWhy ?? "", /^not funded: its payout would cost .*more than 5 %$/)
    })
  )

  it.effect("is not made if its payout costs more than the cap", () =>
    Effect.gen(function* () {
      const { bind, done, state, work } = yield* world({ fee: 60_000_000n })
      yield* bind("p1", "address-p1")
      yield* work("p1")
      assert.strictEqual(done.signed, 0)
      assert.strictEqual(state.placements.get("p1")?.state, "abandoned")
    })
  )
})

describe("the gate", () => {
  const price = { bid: Decimal.make(60_000n), ask: Decimal.make(60_000n), at: 0 }
  const limits = {
    budget: { base: 1n, quote: 1n },
    maxOpenOrders: 1,
    maxPriceDeviation: Decimal.make(5n, 2),
    staleAfterMillis: 1000
  }
  const open: PresentFacts = {
    now: 0,
    stopped: undefined,
    incident: undefined,
    limits,
    price,
    skewMillis: 2000,
    settings: { deadlineMarginMillis: 0 },
    leaseLost: undefined
  }
  const why = { code: "x", text: "pulled" }
  const about = { strategy: "s", slot: "p1", placement: "p1" }
  const all = ["create", "fund", "resend"] as const
  const beginnings = ["create", "fund"] as const
  const far = { ...price, bid: Decimal.make(90_000n), ask: Decimal.make(90_000n) }
  const paused = { _tag: "Paused", strategy: "s", limit: "operator", reason: "lunch" } as const
  const frozen: BotEvent = { _tag: "LegFailed", ...about, leg: "payout", asset: "BTC", amount: 1n, reason: "gone" }
  const removed: BotEvent = { _tag: "StrategyRemoved", strategy: "s", orders: "left" }
  const forgotten: BotEvent = {
    _tag: "JournalBehind",
    orderId: "lost",
    depositAddress: "address-lost",
    market: market.name,
    asset: "BTC",
    amount: 1n,
    deposited: 1n,
    status: "OPEN"
  }
  const gone = { what: "field `price` of orders", was: "text", is: "absent", closesFunding: true }
  const quietHours = { fromMinute: 0, toMinute: 60 }
  type Closing = readonly [string, RegExp, ReadonlyArray<Step>, Partial<PresentFacts>, ReadonlyArray<BotEvent>]
  const closings: ReadonlyArray<Closing> = [
    ["the kill switch", /pulled/, all, { stopped: "pulled" }, []],
    ["a noted kill switch", /noted/, all, {}, [{ _tag: "KillSwitch", on: true, reason: "noted" }]],
    ["a cancel", /cancelled: pulled/, all, {}, [{ _tag: "CancelRequested", ...about, why }]],
    ["the end of its order", /order is CANCELED/, all, {}, [{ _tag: "StatusSeen", ...about, status: "CANCELED" }]],
    ["a cancel at the venue", /PENDING_CANCEL/, all, {}, [{ _tag: "StatusSeen", ...about, status: "PENDING_CANCEL" }]],
    ["a contradiction", /odd/, all, {}, [{ _tag: "Contradiction", ...about, what: "odd", evidence: "" }]],
    ["a frozen slot", /its slot is frozen: payout failed: gone/, all, {}, [frozen]],
    ["a pause", /lunch/, all, {}, [{ ...paused, action: "pause" }]],
    ["a pause that cancels", /lunch/, all, {}, [{ ...paused, action: "drain" }]],
    ["a removed strategy", /no longer loaded/, all, {}, [removed]],
    ["a failing strategy", /planned: mistake/, all, {}, [{ _tag: "PlanFailed", strategy: "s", reason: "mistake" }]],
    ["an order that the journal has forgotten", /has order lost of this bot/, all, {}, [forgotten]],
    ["a service that has changed", /`price` of orders is gone/, all, {}, [{ _tag: "ServiceCompared", drift: [gone] }]],
    ["a full disk", /the disk is full/, all, {}, [{ _tag: "DiskFull" }]],
    ["a lost lease", /another bot may/, all, { leaseLost: "another bot may work" }, []],
    ["a noted loss of the lease", /removed/, all, {}, [{ _tag: "LeaseLost", reason: "removed" }]],
    ["an incident", /deposits are late/, all, { incident: "deposits are late" }, []],
    ["a clock that differs too much", /venue's by 31 s/, beginnings, { skewMillis: -31_000 }, []],
    ["a noted clock", /by 40 s/, beginnings, {}, [{ _tag: "ClockCompared", skewMillis: 40_000, ok: false }]],
    [
      "a deadline that is near",
      /deadline is too close/,
      ["fund"],
      { settings: { deadlineMarginMillis: 10 ** 15 } },
      []
    ],
    ["quiet hours", /Quiet hours/, beginnings, { limits: { ...limits, quietHours } }, []],
    ["an old price", /1001 ms old/, beginnings, { now: 1001 }, []],
    ["no price", /no price/, beginnings, { price: undefined }, []],
    ["a price that has run away", /beyond/, beginnings, { price: far }, []]
  ]
  it.effect.each(closings)("is closed by %s", ([, expected, stops, change, events]) =>
    Effect.gen(function* () {
      const { bind, state } = yield* world({})
      yield* bind("p1", "address-p1")
      const closedFor = (step: Step, inputs: PresentFacts) => closedBecause(state, { id: "p1" }, step, inputs)
      for (const step of all) assert.isUndefined(closedFor(step, open))
      for (const event of events) BotState.apply(state, { sequence: state.sequence + 1, at: 0, event })
      for (const step of all) {
        const why = closedFor(step, { ...open, ...change })
        if (stops.includes(step)) assert.match(why ?? "", expected, step)
        else assert.isUndefined(why, step)
      }
    })
  )

  it.effect("does not fund an unpaid first order of version 0.1, and resends a payment that it has sent", () =>
    Effect.gen(function* () {
      const { bind, state } = yield* world({})
      yield* bind("p1", "address-p1")
      const first = state.placements.get("p1")
      assert.isDefined(first)
      if (first !== undefined) state.placements.set("p1", { ...first, strategy: "first order" })
      const whys = all.map((step) => [step, closedBecause(state, { id: "p1" }, step, open)])
      const why = "an earlier version began it, and the operator had not agreed to pay it"
      assert.deepStrictEqual(whys, [
        ["create", why],
        ["fund", why],
        ["resend", undefined]
      ])
    })
  )

  it.effect("stays open whatever stops only another strategy", () =>
    Effect.gen(function* () {
      const { bind, state } = yield* world({})
      yield* bind("p1", "address-p1")
      const others: ReadonlyArray<BotEvent> = [
        { _tag: "Paused", strategy: "t", limit: "operator", action: "drain", reason: "lunch" },
        { _tag: "PlanFailed", strategy: "t", reason: "a mistake" },
        { _tag: "StrategyRemoved", strategy: "t", orders: "drained" }
      ]
      for (const event of others) BotState.apply(state, { sequence: state.sequence + 1, at: 0, event })
      for (const step of all) assert.isUndefined(closedBecause(state, { id: "p1" }, step, open))
    })
  )
})
