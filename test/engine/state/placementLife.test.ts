/** What each event makes of a placement, and which events cannot have happened. */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { certaintyOf } from "../../../src/domain/Payload.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { overdueIn } from "../../../src/engine/tracking/Overdue.ts"
import { orderOf } from "../../world/journalRows.ts"
import { about, placementAfter, remembered, until } from "../firstOrder.ts"

const value = 120_000_000n
const money = { asset: "USDC", amount: value }
const said = (word: "paid" | "not-paid" | "adopt" | "forget"): BotEvent => ({
  _tag: "Resolved",
  ...about,
  word,
  text: ""
})
const odd: BotEvent = { _tag: "Contradiction", ...about, what: "odd", evidence: "" }
const dead: BotEvent = { _tag: "FundingDead", ...about, ...money, reason: "test" }
const doubt: BotEvent = { _tag: "FundingInDoubt", ...about, ...money, reason: "test" }
const closed: BotEvent = { _tag: "Closed", ...about, status: "CANCELED", inputAsset: "USDC", unspent: value }
const givenUp: BotEvent = { _tag: "Abandoned", ...about, reason: "test" }
const failed = (leg: "payout" | "refund"): BotEvent => ({ _tag: "LegFailed", ...about, leg, ...money, reason: "test" })
const stateAfter = (events: ReadonlyArray<BotEvent>) => remembered(events).placements.get("p1")

describe("the operator's answer", () => {
  it("that a payment is made confirms it; that it is unpaid ends it, and its order is cancelled", () => {
    for (const events of [until("FundingSent"), [...until("FundingSent"), doubt]]) {
      const paid = stateAfter([...events, said("paid")])
      assert.deepStrictEqual([paid?.state, paid?.funding?.acknowledged], ["funding", true])
      for (const word of ["not-paid", "forget"] as const) {
        const ended = stateAfter([...events, said(word)])
        assert.strictEqual(ended?.state, "dead")
        assert.deepStrictEqual([...(ended?.spares ?? [])], [["order-1", false]])
      }
    }
  })

  it("that a leg has arrived counts the failed leg as paid, and nothing else", () => {
    const payout = placementAfter("Closed", failed("payout"), said("paid"))
    assert.deepStrictEqual([payout.payout, payout.refund, payout.received], ["paid", "none", 200_000n])
    const refund = placementAfter("StatusSeen", closed, failed("refund"), said("paid"))
    assert.deepStrictEqual([refund.payout, refund.refund, refund.received], ["none", "paid", 0n])
  })

  it("that money is lost forgets an open order, and gives up an ended one, which may still be paid", () => {
    const [open, over] = [until("StatusSeen"), [...until("StatusSeen"), closed]]
    for (const word of ["not-paid", "forget"] as const) {
      assert.isUndefined(stateAfter([...open, said(word)]))
      assert.strictEqual(stateAfter([...over, said(word)])?.state, "given up")
    }
  })

  it("ends a contradiction, and adopt remembers it as accepted", () => {
    const adopted = placementAfter("StatusSeen", odd, said("adopt"))
    assert.deepStrictEqual([adopted.contradiction, adopted.accepted, adopted.state], [undefined, "odd", "open"])
    const forgotten = placementAfter("Bound", odd, givenUp, said("forget"))
    assert.deepStrictEqual([forgotten.contradiction, forgotten.state], [undefined, "abandoned"])
    const paid = placementAfter("StatusSeen", odd, said("paid"))
    assert.strictEqual(paid.contradiction, "odd")
    assert.lengthOf(
      overdueIn(
        remembered([...until("StatusSeen"), odd]),
        { create: 0, deposit: 0, doubt: 0, end: 0, payout: 0, refund: 0 },
        0
      ),
      1
    )
  })
})

describe("a deposit", () => {
  const deposit: BotEvent = { _tag: "DepositSeen", ...about, asset: "USDC", total: value, fresh: value }
  it("reopens an order that is given up, and leaves an ended one closing", () => {
    for (const events of [
      [...until("Bound"), givenUp],
      [...until("FundingSent"), dead],
      [...until("FundingSent"), doubt]
    ])
      assert.strictEqual(stateAfter([...events, deposit])?.state, "open")
    const late = placementAfter("StatusSeen", closed, { ...deposit, total: value + 1n, fresh: 1n })
    assert.deepStrictEqual([late.state, late.deposited], ["closing", value + 1n])
  })
})

describe("the record of returned and acquired amounts", () => {
  it("is kept for each leg", () => {
    const paid = placementAfter("PaidOut")
    assert.deepStrictEqual([paid.payout, paid.received, paid.refund], ["paid", 199_990n, "none"])
    const refunded = placementAfter("StatusSeen", closed, {
      _tag: "Refunded",
      ...about,
      asset: "USDC",
      amount: value,
      fee: 0n,
      txHashes: []
    })
    assert.deepStrictEqual([refunded.refund, refunded.unspent], ["paid", value])
  })
})

describe("a cancel", () => {
  const pulled: BotEvent = { _tag: "CancelRequested", ...about, why: { code: "test", text: "pulled" } }
  it("is counted, with the time of its last request", () => {
    const sent = placementAfter("StatusSeen", pulled, { _tag: "CancelSent", ...about, attempt: 2 })
    const { attempts, lastSentAt, requestedAt } = sent.cancel ?? {}
    assert.deepStrictEqual([attempts, lastSentAt, requestedAt], [2, sent.changedAt, sent.changedAt - 1])
    const refused = placementAfter("StatusSeen", pulled, { _tag: "CancelRefused", ...about, code: "no", text: "no" })
    assert.strictEqual(refused.cancel?.attempts, 0)
  })
})

describe("an impossible event", () => {
  const impossible: ReadonlyArray<readonly [string, ReadonlyArray<BotEvent>]> = [
    ["a second plan", [...until("Planned"), ...until("Planned")]],
    ["a create after its order", [...until("Bound"), ...until("CreateSent").slice(-1)]],
    ["an order before its create", [...until("Planned"), ...until("Bound").slice(-1)]],
    ["a payment sent before its signature", [...until("Bound"), ...until("FundingSent").slice(-1)]],
    ["a second payload", [...until("FundingSigned"), ...until("FundingSigned").slice(-1)]],
    ["a deposit without an order", [...until("CreateSent"), ...until("DepositSeen").slice(-1)]],
    ["an end without an order", [...until("CreateSent"), closed]],
    ["an abandoned order that is paid", [...until("FundingSent"), givenUp]],
    ["a cancel without a request", [...until("StatusSeen"), { _tag: "CancelSent", ...about, attempt: 1 }]],
    ["the end of a deposited payment", [...until("StatusSeen"), dead]],
    ["a wallet's answer without a request", [...until("FundingSent"), { _tag: "PaymentUnclear", ...about, text: "x" }]],
    ["an event of an unplanned placement", until("CreateSent").slice(-1)]
  ]
  it.each(impossible)("like %s is neither folded nor written", (_, events) => {
    const [last, before] = [events.slice(-1), events.slice(0, -1)]
    if (events.length > 1) assert.isString(BotState.objection(remembered(before), last))
    assert.isString(BotState.objection(remembered([]), events))
    assert.throws(() => remembered(events), /Broken invariant/)
  })

  it("does not include those about a placement that is over and forgotten", () => {
    const spare: ReadonlyArray<BotEvent> = [
      said("forget"),
      { _tag: "OrphanSeen", ...about, orderId: "twin" },
      { _tag: "OrphanCancelled", ...about, orderId: "twin" }
    ]
    assert.isUndefined(BotState.objection(remembered(until("Settled")), spare))
    assert.strictEqual(remembered([...until("Settled"), ...spare]).placements.size, 0)
    assert.isUndefined(BotState.objection(remembered([]), until("Settled")))
  })
})

describe("a placement", () => {
  /** What is remembered of the first order when another is planned so long after its deadline. */
  const stateLater = (lateMillis: number, ...story: ReadonlyArray<BotEvent>) => {
    const state = remembered(story)
    const deadline = story.reduce((latest, event) => (event._tag === "Planned" ? event.deadline : latest), 0)
    const [planned] = until("Planned")
    if (planned?._tag !== "Planned") throw new Error("the story begins otherwise")
    const event = { ...planned, placement: "p2", slot: "cell-03", deadline: deadline + 1 }
    BotState.apply(state, { sequence: state.sequence + 1, at: deadline + lateMillis, event })
    return state.placements.get("p1")?.state
  }

  it("is remembered while there is money in its order, however late the venue is", () => {
    const late = 30 * 86_400_000
    assert.strictEqual(stateLater(late, ...until("StatusSeen")), "open")
    assert.strictEqual(stateLater(late, ...until("FundingSent")), "funding")
    assert.strictEqual(stateLater(late, ...until("FundingSent"), doubt), "in doubt")
  })

  it("is remembered after an end without money until its order can no longer appear", () => {
    const ended = [...until("FundingSent"), dead]
    assert.strictEqual(stateLater(3_600_000, ...ended), "dead")
    assert.isUndefined(stateLater(3_600_001, ...ended))
  })

  it("is remembered until a thousand others have ended, and then leaves nothing behind", () => {
    const { ended } = remembered(Array.from({ length: 1_300 }, (_, index) => orderOf(index + 1)).flat())
    assert.deepStrictEqual([ended.byId.size, ended.ofPlacements.size], [1_000, 1_000])
    assert.isFalse(ended.ofPlacements.has("p1"))
    assert.isTrue(ended.ofPlacements.has("p1299"))
  })
})

describe("an answer without a verdict, from an older journal", () => {
  it("still proves by its text that the nonce is used", () => {
    const fate = (text: string) => {
      const placement = placementAfter("FundingSent", { _tag: "FundingAnswered", ...about, code: "http-400", text })
      return placement.state === "funding" ? certaintyOf(placement.funding) : undefined
    }
    assert.strictEqual(fate("nonce was already used"), "executed")
    assert.strictEqual(fate("request rejected"), "doubtful")
  })
})
