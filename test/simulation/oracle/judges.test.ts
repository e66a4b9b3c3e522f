/** Each judge of the oracle lets a true history pass and objects to a doctored one: a judge that cannot fail judges nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import type { BotEvent, Of } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import type { Fill } from "../../../src/domain/Order.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import * as BookCheck from "../../../src/rehearsal/world/BookCheck.ts"
import { type Departure, rateLimit } from "../../../src/rehearsal/world/Network.ts"
import { calm } from "../../../src/rehearsal/world/Trouble.ts"
import * as Books from "../../../src/sandbox/core/money/Books.ts"
import * as SigningKey from "../../../src/sandbox/core/money/SigningKey.ts"
import * as State from "../../../src/sandbox/core/State.ts"
import * as MarketModel from "../../../src/sandbox/market/MarketModel.ts"
import { defaultSettings } from "../../../src/sandbox/Settings.ts"
import * as Ed25519 from "../../../src/signing/Ed25519.ts"
import * as Nep413 from "../../../src/signing/Nep413.ts"
import { factsOf } from "../../../src/venue/profile/Profiles.ts"
import * as Alerts from "./Alerts.ts"
import * as Bounds from "./Bounds.ts"
import * as Cancels from "./Cancels.ts"
import { Violation } from "./Judge.ts"
import * as Memory from "./Memory.ts"
import * as Postings from "./Postings.ts"
import * as Prices from "./Prices.ts"
import * as Shown from "./Shown.ts"
import * as Signatures from "./Signatures.ts"
import * as Stops from "./Stops.ts"

const court = () => {
  const clock = { now: 0 }
  return {
    clock,
    now: () => clock.now,
    note: () => undefined,
    violated: (invariant: string, text: string): never => {
      throw new Violation(invariant, text)
    }
  }
}

const objects = (invariant: string, act: () => void): void => {
  try {
    act()
  } catch (error) {
    assert.instanceOf(error, Violation)
    return assert.strictEqual(error instanceof Violation ? error.invariant : "", invariant)
  }
  assert.fail(`${invariant} cannot fail`)
}

const about = { strategy: "grid", slot: "cell-1", placement: "p1" }
const planned: Of<"Planned"> = {
  _tag: "Planned",
  ...about,
  market: "BTC/USDC",
  side: "SELL",
  price: Decimal.make(60_000n, 0),
  quantity: 100n,
  inputAsset: "BTC",
  inputAmount: 100n,
  outputAsset: "USDC",
  outputAmount: 200n,
  deadline: 1,
  why: { code: "test", text: "" }
}
const fill = (fillId: string, amountIn: bigint): Of<"FillSeen"> => ({
  _tag: "FillSeen",
  ...about,
  fillId,
  side: "SELL",
  price: planned.price,
  inputAsset: "BTC",
  amountIn,
  outputAsset: "USDC",
  amountOut: amountIn * 2n,
  filledAt: 0
})
const contradiction = (what: string): BotEvent => ({ _tag: "Contradiction", ...about, what, evidence: "" })
const settled: BotEvent = { _tag: "Settled", ...about }
const takenBack: BotEvent = {
  ...planned,
  _tag: "TakenBack",
  orderId: "o1",
  estimatedWithdrawFee: 0n,
  estimatedRefundFee: 0n,
  deposited: 100n,
  fills: [],
  payoutFee: 0n,
  refundFee: 0n
}

describe("the oracle's judges object to", () => {
  it("I7: a price that nobody requested lately", () => {
    const at = court()
    const prices = Prices.make(at)
    const question = (fate: Departure["fate"]): Departure => ({
      method: "POST",
      path: "/v0/quote",
      body: '{"dry":true}',
      at: 0,
      fate
    })
    prices.departed("one", question("delivered"))
    at.clock.now = Prices.oldestMillis
    prices.needed("one", "signed")
    objects("I7", () => prices.needed("two", "signed"))
    prices.departed("one", question("requestLost"))
    at.clock.now += 1
    objects("I7", () => prices.needed("one", "signed"))
  })

  it("I7: money that is signed away a tenth worse than the true price, or for an order a fifth away from it", () => {
    const prices = Prices.make(court(), (market) => (market === "BTC/USDC" ? 60_000 : undefined))
    const at = (side: "BUY" | "SELL", price: bigint, market = planned.market) => ({
      ...planned,
      ...{ side, market, price: Decimal.make(price, 0) }
    })
    const fair = [at("SELL", 54_001n), at("SELL", 71_999n), at("BUY", 65_999n), at("BUY", 48_001n)]
    for (const order of [...fair, at("BUY", 1n, "SOL/USDC")]) prices.paid(order)
    const unfair = [at("SELL", 53_999n), at("SELL", 72_001n), at("BUY", 66_001n), at("BUY", 47_999n)]
    for (const order of unfair) objects("I7", () => prices.paid(order))
  })

  const venueOf = (fills: ReadonlyArray<Omit<Fill, "at">>) => ({
    orderOf: () => ({ id: "o1", fills: fills.map((each) => ({ ...each, at: 0 })) }),
    isLiedAbout: () => false
  })
  const postingsOf = (...fills: ReadonlyArray<Omit<Fill, "at">>) => {
    const postings = Postings.make(court(), venueOf(fills))
    postings.recorded("one", planned)
    return postings
  }
  const truth = { id: "f1", amountIn: 60n, amountOut: 120n }

  it("I11: a fill that is posted twice, invented, changed or missing", () => {
    const postings = postingsOf(truth)
    postings.recorded("one", fill("f1", 60n))
    postings.complete()
    objects("I11", () => postings.recorded("one", fill("f1", 60n)))
    objects("I11", () => postingsOf(truth).recorded("one", fill("f2", 60n)))
    objects("I11", () => postingsOf(truth).recorded("one", fill("f1", 59n)))
    objects("I11", () => postingsOf({ ...truth, amountIn: 101n }).recorded("one", fill("f1", 101n)))
    objects("I11", () => postingsOf(truth).complete())
  })

  it("I22: dust that is sold twice", () => {
    const postings = postingsOf()
    const sale = { ...planned, placement: "p2", slot: "dust:BTC", inputAmount: 30n }
    postings.recorded("one", { _tag: "BudgetAllotted", strategy: "grid", asset: "BTC", amount: 100n })
    const left = { strategy: "grid", slot: "cell-1", side: "SELL", asset: "BTC", rest: 30n, reason: "" } as const
    postings.recorded("one", { _tag: "LegClosed", ...left })
    postings.recorded("one", sale)
    objects("I22", () => postings.recorded("one", { ...sale, placement: "p3", inputAmount: 31n }))
  })

  it("I17: more than a few of anything", () => {
    const calm = { tasks: 1, timers: 1, unfinished: new Map([["one", 1]]) }
    const at = court()
    const bounds = Bounds.make(at)
    bounds.check(calm)
    objects("I17", () => bounds.check({ ...calm, tasks: Bounds.most.tasks + 1 }))
    objects("I17", () => bounds.check({ ...calm, timers: Bounds.most.timers + 1 }))
    objects("I17", () => bounds.check({ ...calm, unfinished: new Map([["one", Bounds.most.unfinished + 1]]) }))
    for (let count = 0; count < Bounds.most.recordsPerMinute; count += 1) bounds.recorded("one")
    objects("I17", () => bounds.recorded("one"))
    at.clock.now = 60_000
    bounds.recorded("one")
    for (let count = 0; count < Bounds.most.requestsPerMinute; count += 1) bounds.departed("one")
    objects("I17", () => bounds.departed("one"))
  })

  /** Six orders under a switch, at a venue that takes so many a second; the bot cancels one at each of these times. */
  const killed = (perSecond: number, cancelledAt: ReadonlyArray<number>) => {
    const at = court()
    const orders = Array.from({ length: 6 }, (_, index) => ({ id: `o${index}`, placement: `p${index}` }))
    const limit = rateLimit(1, { tokens: 0, filledAt: 0 })
    const cancels = Cancels.make(at, {
      withinMillis: 1_000,
      live: () => orders,
      places: () => {
        const free = limit.copy()
        return (time) => free.take({ ...calm, requestsPerSecond: [perSecond, perSecond] }, time)
      }
    })
    for (at.clock.now = 0; at.clock.now < 10_000; at.clock.now += 10) {
      cancels.withdrawing("one", 0)
      for (const [index, { id }] of orders.entries())
        if (cancelledAt[index] === at.clock.now) cancels.departed("one", id)
      cancels.check()
    }
  }
  /** A second behind what a venue allows that takes one a second, and the last of them later by so much. */
  const everySecond = (late: number) => [2_000, 3_000, 4_000, 5_000, 6_000, 7_000 + late]

  it("I18: a cancel that the venue could have accepted a second ago", () => {
    killed(1_000, [0, 200, 400, 600, 800, 1_000])
    objects("I18", () => killed(1_000, [0, 200, 400, 600, 800, 1_050]))
    killed(1, everySecond(0))
    objects("I18", () => killed(1, everySecond(20)))
    objects("I18", () => killed(2, everySecond(0)))
    objects("I18", () => killed(1, everySecond(0).slice(1)))
  })

  it("I18: a bot that repeats one cancel while the others wait", () => {
    const at = court()
    const cancels = Cancels.make(at, {
      withinMillis: 1_000,
      live: () => [
        { id: "o1", placement: "p1" },
        { id: "o2", placement: "p2" }
      ],
      places: () => () => true
    })
    cancels.withdrawing("one", 0)
    for (let repetition = 0; repetition < 3; repetition += 1) cancels.departed("one", "o1")
    at.clock.now = 1_000
    cancels.check()
    at.clock.now = 1_001
    objects("I18", cancels.check)
  })

  it("I18: an order without a cancel for more than a second after its end is taken back", () => {
    const at = court()
    const live = () => [{ id: "o1", placement: "p1", takenBackAt: 5_000 }]
    const cancels = Cancels.make(at, { withinMillis: 1_000, live, places: () => () => true })
    cancels.withdrawing("one", 0)
    for (at.clock.now = 1_001; at.clock.now < 6_000; at.clock.now += 500) cancels.check()
    at.clock.now = 6_001
    objects("I18", cancels.check)
  })

  const removed: BotEvent = { _tag: "StrategyRemoved", strategy: "grid", orders: "left" }
  const loaded: BotEvent = {
    _tag: "StrategyLoaded",
    strategy: "grid",
    file: "grid.yaml",
    kind: "grid",
    market: "BTC/USDC",
    hash: "h"
  }
  const stopped: ReadonlyArray<readonly [string, BotEvent, BotEvent | undefined]> = [
    ["I18", { _tag: "KillSwitch", on: true, reason: "x" }, { _tag: "KillSwitch", on: false, reason: "released" }],
    ["I18", { _tag: "LeaseLost", reason: "x" }, { _tag: "LeaseRegained" }],
    ["I18", { _tag: "DiskFull" }, { _tag: "DiskFreed", fullMillis: 1 }],
    [
      "I6",
      { _tag: "Paused", strategy: "grid", limit: "operator", action: "pause", reason: "x" },
      { _tag: "Resumed", strategy: "grid", reason: "x" }
    ],
    ["I6", removed, loaded],
    ["I6", contradiction("odd"), { _tag: "Resolved", ...about, word: "adopt", text: "" }],
    ["I6", { _tag: "CancelRequested", ...about, why: planned.why }, undefined],
    ["I6", { _tag: "StatusSeen", ...about, status: "CANCELED" }, undefined]
  ]
  it.each(stopped)("%s: bytes that leave, or an order that is created, after %o", (invariant, stop, goesOn) => {
    const at = court()
    const stops = Stops.make(at)
    const created: BotEvent = { _tag: "CreateSent", ...about, attempt: 1 }
    const fees = { estimatedWithdrawFee: 0n, estimatedRefundFee: 0n }
    const found: BotEvent = { _tag: "Bound", ...about, orderId: "o", depositAddress: "d", via: "list", ...fees }
    stops.recorded("one", { _tag: "StatusSeen", ...about, status: "AWAITING_DEPOSIT" })
    stops.recorded("one", stop)
    stops.left("one", about)
    at.clock.now = 1
    objects(invariant, () => stops.left("one", about))
    const next: BotEvent = { _tag: "VenueDown", reason: "x" }
    stops.recorded("one", created)
    objects(invariant, () => stops.recorded("one", next))
    stops.recorded("one", created)
    stops.recorded("one", found)
    stops.left("two", about)
    if (invariant === "I6") stops.left("one", { strategy: "other", slot: "cell-1", placement: "p9" })
    // The stop, two creates and what followed each.
    if (goesOn === undefined) stops.lost("one", 5)
    else stops.recorded("one", goesOn)
    stops.left("one", about)
    stops.recorded("one", created)
    stops.recorded("one", next)
  })

  it("I21: an anomaly without an alert, and one with two", () => {
    const at = court()
    const alerts = Alerts.make(at)
    alerts.told("one", "p1", "more deposited than was sent")
    at.clock.now = Alerts.silentMillis
    alerts.check()
    at.clock.now += 1
    objects("I21", () => alerts.check())
    alerts.recorded("one", contradiction("too much"))
    alerts.check()
    alerts.told("one", "p1", "more deposited than was sent")
    objects("I21", () => alerts.recorded("one", contradiction("too much again")))
    alerts.recorded("one", settled)
    alerts.recorded("one", contradiction("it ended, and shows another fill"))
    objects("I21", () => alerts.recorded("one", contradiction("it ended, and shows a third fill")))
    alerts.recorded("one", takenBack)
    alerts.recorded("one", contradiction("its payout costs more than its fee"))
    objects("I21", () => alerts.recorded("one", contradiction("its refund costs more than its fee")))
    alerts.recorded("one", { _tag: "VenueDown", reason: "silent" })
    objects("I21", () => alerts.recorded("one", { _tag: "VenueDown", reason: "silent" }))
    alerts.recorded("one", { _tag: "VenueUp", downMillis: 1 })
    alerts.dark("one", at.clock.now)
    alerts.dark("one", undefined)
    objects("I21", () => alerts.dark("one", at.clock.now - Alerts.darkMillis - 1))
    alerts.recorded("one", { _tag: "VenueDown", reason: "silent" })
  })

  const account = Buffer.from(SigningKey.publicKey(1, "account")).toString("hex")
  /** A signed transfer, with what is wrong about it. */
  const transfer = ({
    nonce = 1,
    seed = 1,
    ...wrong
  }: Readonly<Record<string, unknown>> & { nonce?: number; seed?: number } = {}) => {
    const intent = { intent: "transfer", receiver_id: "address", tokens: { btc: "100" }, ...wrong }
    const message = JSON.stringify({
      deadline: "1970-01-01T00:01:00.000Z",
      signer_id: account,
      intents: [intent],
      ...wrong
    })
    const payload = { message, nonce: Buffer.alloc(32, nonce).toString("base64"), recipient: "verifier" }
    const digest = Nep413.digest({ ...payload, nonce: Buffer.alloc(32, nonce) })
    const signedData = {
      payload,
      public_key: Ed25519.format(SigningKey.publicKey(seed, "account")),
      signature: Ed25519.format(SigningKey.sign(seed, "account", digest))
    }
    const signed: Of<"FundingSigned"> = {
      _tag: "FundingSigned",
      ...about,
      orderId: "o1",
      depositAddress: "address",
      asset: "BTC",
      amount: 100n,
      signed: Redacted.make(JSON.stringify({ signedData })),
      intentHash: Nep413.hashText(digest),
      validUntil: 60_000
    }
    return signed
  }
  const others: ReadonlyArray<readonly [string, Of<"FundingSigned">]> = [
    ["of a stranger's address", transfer({ receiver_id: "thief" })],
    ["of another order's address", transfer({ receiver_id: "other" })],
    ["of another asset", transfer({ tokens: { usdc: "100" } })],
    ["of another amount", transfer({ tokens: { btc: "101" } })],
    ["of two assets", transfer({ tokens: { btc: "100", usdc: "1" } })],
    ["of two transfers", transfer({ intents: [{}, {}] })],
    ["until another time", transfer({ deadline: "1970-01-01T00:02:00.000Z" })],
    [
      "until years from now",
      { ...transfer({ deadline: "1990-01-01T00:00:00.000Z" }), validUntil: Date.UTC(1990, 0, 1) }
    ],
    ["of another account", transfer({ signer_id: "thief" })],
    ["of another key", transfer({ seed: 2 })],
    ["for another order", { ...transfer(), orderId: "o9" }],
    ["for another placement", { ...transfer(), placement: "p2" }],
    ["in other bytes", { ...transfer(), signed: Redacted.make(`${Redacted.value(transfer().signed)} `) }]
  ]
  it.each(others)("I5: a signed transfer %s", (_what, wrong) => {
    const order = (id: string) => ({ kind: "order" as const, id, origin: { id: "btc" } })
    const targets = new Map([
      ["address", order("o1")],
      ["other", order("o2")]
    ])
    const signatures = Signatures.make(court(), { account, targets })
    for (const signed of [transfer(), transfer(), transfer({ nonce: 2 })]) signatures.left("one", signed)
    objects("I5", () => signatures.left("one", wrong))
  })

  it("I9, I22, I1: a memory that differs from the journal, and a ledger that is overdrawn or does not add up", () => {
    const allotted = { _tag: "BudgetAllotted", strategy: "grid", asset: "BTC", amount: 100n } as const
    const told = (amount: bigint) => {
      const state = BotState.make()
      BotState.apply(state, { sequence: 1, at: 0, event: { ...allotted, amount } })
      return state
    }
    Memory.check("one", told(1n), told(1n))
    objects("I9", () => Memory.check("one", told(1n), told(2n)))
    objects("I22", () => Memory.check("one", undefined, told(-1n)))
    const odd = told(1n)
    for (const [key, { amount, entry }] of odd.ledger.balances)
      if (entry.account === "wallet") odd.ledger.balances.set(key, { entry, amount: amount + 1n })
    objects("I1", () => Memory.check("one", undefined, odd))
  })

  it("I10: money at the venue that a bot lacks, unless the bot names the same amount as unexplained", () => {
    const settings = { ...defaultSettings("native"), accounts: [account] }
    const venue = State.make(settings, MarketModel.make(settings, 0, undefined), 0)
    const bot = (wallet: bigint, residual: bigint) => {
      const state = BotState.make()
      const event = { _tag: "BudgetAllotted", strategy: "grid", asset: "BTC", amount: 100n } as const
      BotState.apply(state, { sequence: 1, at: 0, event })
      const { balances } = state.ledger
      for (const [key, { entry }] of balances)
        if (entry.account === "wallet") balances.set(key, { entry, amount: wallet })
      balances.set("unexplained", { entry: { asset: "BTC", account: "residual", owner: "p1" }, amount: residual })
      return [state]
    }
    const count = (wallet: bigint, residual: bigint, mayBeUnexplained: boolean) =>
      BookCheck.differences(venue, account, bot(wallet, residual), { mayBeUnexplained }).length
    assert.deepStrictEqual([count(100n, 0n, false), count(95n, 5n, true)], [0, 0])
    assert.deepStrictEqual([count(95n, 5n, false), count(95n, 4n, true), count(95n, 6n, true)], [1, 1, 1])
  })

  it("I10: a rebate of a swap that is not what the account gets of its own app fees", () => {
    const facts = factsOf("near-2026-11", "any")
    const settings = { ...defaultSettings("native"), accounts: [account], facts }
    const [asset] = settings.assets
    const count = (rebate: bigint) => {
      const venue = State.make(settings, MarketModel.make(settings, 0, undefined), 0)
      const id = asset?.id ?? ""
      Books.transfer(venue.books, id, rebate, { account, place: "traded" }, { account, place: "balance" })
      const request = { appFees: [{ recipient: account, fee: 21 }] }
      const swap = {
        kind: "swap",
        origin: asset,
        destination: settings.assets[1],
        request,
        outcome: { spent: 10_000n }
      }
      Object.assign(venue, { targets: new Map([["address", { ...swap, partner: "one" }]]) })
      return BookCheck.differences(venue, account, []).length
    }
    // The service keeps half of them.
    assert.deepStrictEqual([count(11n), count(21n)], [0, 1])
  })

  it("I10: money in doubt that counts as in the account although it has left", () => {
    const settings = { ...defaultSettings("native"), accounts: [account] }
    const order = { depositAddress: "address" }
    const doubt = { state: "in doubt", inputAsset: "BTC", order, funding: { amount: 5n } }
    const count = (intentHashes: ReadonlyArray<string>) => {
      const venue = State.make(settings, MarketModel.make(settings, 0, undefined), 0)
      Object.assign(venue, { targets: new Map([["address", { intentHashes }]]) })
      const state = BotState.make()
      const event = { _tag: "BudgetAllotted", strategy: "grid", asset: "BTC", amount: 100n } as const
      BotState.apply(state, { sequence: 1, at: 0, event })
      for (const [key, { entry }] of state.ledger.balances)
        if (entry.account === "wallet") state.ledger.balances.set(key, { entry, amount: 95n })
      Object.assign(state, { placements: new Map([["p1", doubt]]) })
      return BookCheck.differences(venue, account, [state]).length
    }
    assert.deepStrictEqual([count([]), count(["hash"])], [0, 1])
  })

  it("I24: money on the page that is not on disk", () => {
    const state = BotState.make()
    const postings = postingsOf()
    const allotted = { _tag: "BudgetAllotted", strategy: "grid", asset: "BTC", amount: 100n } as const
    BotState.apply(state, { sequence: 1, at: 0, event: allotted })
    BotState.apply(state, { sequence: 2, at: 0, event: { ...allotted, amount: 200n } })
    postings.recorded("one", { ...allotted, amount: 200n })
    Shown.check(postings, "one", state)
    const other = postingsOf()
    other.recorded("one", allotted)
    objects("I24", () => Shown.check(other, "one", state))
  })
})
