/** What only a person can decide, which words end it, and which words would let money be paid twice. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { totals } from "../../../src/domain/Ledger.ts"
import { acceptedWords, problemsOf, resolve } from "../../../src/engine/funding/Problems.ts"
import { payloadEndsAt } from "../../world/journalRows.ts"
import { about, order, remembered, until } from "../firstOrder.ts"

const hour = 3_600_000
/** Of the payload. */
const validUntil = payloadEndsAt(1)
const money = { asset: "USDC", amount: order.inputAmount }
const doubt: BotEvent = { _tag: "FundingInDoubt", ...about, ...money, reason: "no deposit shows" }
const answered: BotEvent = { _tag: "FundingAnswered", ...about, code: "http-400", text: "no balance" }
const closed: BotEvent = { _tag: "Closed", ...about, status: "CANCELED", inputAsset: "USDC", unspent: money.amount }
const odd: BotEvent = { _tag: "Contradiction", ...about, what: "odd", evidence: "seen twice" }
const missing: BotEvent = { _tag: "OrderMissing", ...about, orderId: "order-1", text: "not-found: none" }
const failed: BotEvent = { _tag: "LegFailed", ...about, leg: "refund", ...money, reason: "gone" }
const asked = (wallet: "manual" | "command"): BotEvent => ({
  _tag: "PaymentAsked",
  ...about,
  ...money,
  orderId: "order-1",
  depositAddress: "address-1",
  wallet,
  validUntil
})
const forgotten: BotEvent = {
  _tag: "JournalBehind",
  orderId: "lost",
  depositAddress: "address-9",
  market: "BTC/USDC",
  ...money,
  deposited: 1n,
  status: "OPEN"
}

const told = (events: ReadonlyArray<BotEvent>, now = 0) =>
  problemsOf(remembered(events), now).map(({ evidence, kind }) => [kind, evidence])

describe("a problem", () => {
  const [sent, resting] = [until("FundingSent"), until("StatusSeen")]
  const where = "order order-1, deposit address address-1"
  const rows: ReadonlyArray<readonly [kind: string, evidence: string, events: ReadonlyArray<BotEvent>]> = [
    ["in-doubt", `no deposit shows; ${where}, intent hash hash-1, sent 1 time, never answered`, [...sent, doubt]],
    [
      "in-doubt",
      `no deposit shows; ${where}, intent hash hash-1, sent 1 time, last answer http-400: no balance`,
      [...sent, answered, doubt]
    ],
    [
      "in-doubt",
      `no deposit shows; ${where}, no transaction known, asked the wallet 1 time`,
      [...until("Bound"), asked("manual"), doubt]
    ],
    [
      "in-doubt",
      `no deposit shows; ${where}, transaction tx, asked the wallet 1 time`,
      [...until("Bound"), asked("command"), { _tag: "PaymentMade", ...about, txHash: "tx" }, doubt]
    ],
    [
      "stuck",
      "the venue does not find our funded order order-1 (not-found: none): check that venue.apiKey made it",
      [...resting, missing]
    ],
    ["contradiction", `odd (seen twice); ${where}`, [...resting, odd]],
    ["frozen", `the venue gave up the refund: gone; ${where}`, [...resting, closed, failed]],
    [
      "contradiction",
      "this order of the bot is not in the journal, made at an unknown time (BTC/USDC, OPEN, 1 deposited at address-9)",
      [forgotten]
    ],
    [
      "contradiction",
      "this order of the bot is not in the journal, made 1970-01-01 00:00:00 UTC (BTC/USDC, OPEN, 1 deposited at address-9)",
      [{ ...forgotten, createdAt: 0 }]
    ]
  ]
  it.each(rows)("is reported as %s: %s", (kind, evidence, events) => {
    assert.deepStrictEqual(told(events), [[kind, evidence]])
  })

  it("is a payment without a deposit one hour after its payload expires, by the venue's clock", () => {
    const stuck =
      "the payment was sent (intent hash hash-1) and shows no deposit: order order-1, deposit address address-1"
    assert.deepStrictEqual(told(sent, validUntil + hour), [])
    assert.deepStrictEqual(told(sent, validUntil + hour + 1), [["stuck", stuck]])
    const executed = told(until("FundingAcknowledged"), validUntil + hour + 1)
    assert.include(executed[0]?.[1], "the payment has executed")
    const ahead: BotEvent = { _tag: "ClockCompared", skewMillis: hour, ok: false }
    assert.deepStrictEqual(told([...sent, ahead], validUntil + 2 * hour), [])
  })

  it("is money that is not back one hour after the end, unless its failure is reported already", () => {
    const ended = [...resting, closed]
    const since = remembered(ended).placements.get("p1")?.changedAt ?? 0
    assert.deepStrictEqual(told(ended, since + hour), [])
    const stuck = ["stuck", "order order-1 is CANCELED, but part of its money is missing"]
    assert.deepStrictEqual(told(ended, since + hour + 1), [stuck])
    assert.lengthOf(told([...ended, failed], since + 2 * hour), 1)
  })

  it("does not exist in the normal course of an order", () => {
    for (const tag of ["Planned", "Bound", "FundingSent", "StatusSeen", "FillSeen", "Closed", "Settled"] as const)
      assert.deepStrictEqual(told(until(tag)), [], tag)
  })
})

describe("the accepted resolutions", () => {
  const [doubtful, past] = [[...until("FundingSent"), doubt], validUntil + 1]
  const accepted = (events: ReadonlyArray<BotEvent>, now = past, id = "p1") =>
    acceptedWords(remembered(events), id, now)
  it("of a payment exclude 'unpaid' while its payload can still be executed", () => {
    assert.deepStrictEqual(accepted(doubtful, validUntil), ["paid"])
    assert.deepStrictEqual(accepted(doubtful, validUntil + 1), ["paid", "not-paid", "forget"])
    const why = resolve(remembered(doubtful), { placement: "p1", word: "not-paid", text: "" }, validUntil - 1_500)
    assert.isTrue(Result.isFailure(why) && why.failure.includes("can still be executed for 2 s"))
  })

  it("of a wallet's payment wait for the wallet's answer", () => {
    const working = [...until("Bound"), asked("command"), doubt]
    assert.deepStrictEqual(accepted(working), ["paid"])
    const unclear: BotEvent = { _tag: "PaymentUnclear", ...about, text: "killed" }
    assert.deepStrictEqual(accepted([...until("Bound"), asked("command"), unclear, doubt], 0), [
      "paid",
      "not-paid",
      "forget"
    ])
    assert.deepStrictEqual(accepted([...until("Bound"), asked("manual"), doubt], 0), ["paid", "not-paid", "forget"])
  })

  it("let 'paid' be taken back once the payload has expired, unless the venue says that it executed", () => {
    const paid: BotEvent = { _tag: "Resolved", ...about, word: "paid", text: "a mistake" }
    const mistaken = [...until("FundingSent"), doubt, paid]
    const takeBack = (events: ReadonlyArray<BotEvent>, now: number) =>
      resolve(remembered(events), { placement: "p1", word: "not-paid", text: "" }, now)
    const early = takeBack(mistaken, validUntil - 1_500)
    assert.match(Result.isFailure(early) ? early.failure : "", /its payload can still be executed for 2 s/)
    const taken = takeBack(mistaken, validUntil + 1)
    const events = Result.isSuccess(taken) ? taken.success : []
    assert.deepStrictEqual(
      events.map((event) => event._tag),
      ["Resolved"]
    )
    const after = remembered([...mistaken, ...events])
    assert.strictEqual(after.placements.get("p1")?.state, "dead")
    assert.deepStrictEqual(totals(after.ledger), totals(remembered(until("Planned")).ledger))
    const executed: BotEvent = { _tag: "FundingAcknowledged", ...about, intentHash: "hash-1" }
    assert.isTrue(Result.isFailure(takeBack([...mistaken, executed], validUntil + 1)))
  })

  it("depend on the kind of problem", () => {
    assert.deepStrictEqual(accepted([...until("StatusSeen"), odd]), ["adopt", "forget"])
    assert.deepStrictEqual(accepted([...until("StatusSeen"), closed, failed]), ["paid", "not-paid", "forget"])
    assert.deepStrictEqual(accepted([...until("StatusSeen"), missing]), ["forget"])
    assert.deepStrictEqual(accepted([forgotten], 0, "lost"), ["forget"])
    assert.deepStrictEqual(accepted(until("StatusSeen")), [])
  })

  it("are recorded as an event of the slot", () => {
    const said = resolve(remembered(doubtful), { placement: "p1", word: "paid", text: "seen" }, 0)
    assert.deepStrictEqual(Result.getOrThrow(said), [{ _tag: "Resolved", ...about, word: "paid", text: "seen" }])
  })
})
