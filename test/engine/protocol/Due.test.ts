/**
 * What is due, row by row: each row of the table has a case that needs it, and each two neighbours that can both hold have one that
 * needs their order. The search of `test/model` finds what is lost without those that are about funding twice.
 */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { defaults } from "../../../src/engine/EngineSettings.ts"
import { type DoneInPass, type DueFacts, type DueRow, due, rows, type Todo } from "../../../src/engine/protocol/Due.ts"
import { concluded } from "../../../src/engine/protocol/Silence.ts"
import { firstOf } from "../../../src/engine/protocol/TableRow.ts"
import type { Placement } from "../../../src/engine/state/Placement.ts"
import * as Tries from "../../../src/engine/state/process/Tries.ts"
import { about, market, placementAfter } from "../firstOrder.ts"

const settings = {
  ...defaults,
  account: { signerId: "me", depositType: "INTENTS" as const, maxAppFeeBasisPoints: 100 }
}
const planned = placementAfter("Planned")
const creating = placementAfter("CreateSent")
const created = placementAfter("Bound")
const signed = placementAfter("FundingSigned")
const sent = placementAfter("FundingSent")
const acknowledged = placementAfter("FundingAcknowledged")
const money = { ...about, asset: "USDC", amount: created.inputAmount }
const doubt: BotEvent = { _tag: "FundingInDoubt", ...money, reason: "test" }
const inDoubt = placementAfter("FundingSent", doubt)
const asked = (wallet: "manual" | "command", ...more: ReadonlyArray<BotEvent>): Placement => {
  const payment = { orderId: "order-1", depositAddress: "address-1", wallet, validUntil: 1_000 }
  return placementAfter("Bound", { _tag: "PaymentAsked", ...money, ...payment }, ...more)
}
const unclear = asked("command", { _tag: "PaymentUnclear", ...about, text: "killed" }, doubt)
const paid = asked("command", { _tag: "PaymentMade", ...about, txHash: "tx" })
const doubted = (placement: Placement): Placement => ({ ...placement, mayBePaid: true })
const dearer = (placement: Placement): Placement =>
  placement.state === "created"
    ? { ...placement, order: { ...placement.order, estimatedRefundFee: placement.inputAmount } }
    : placement
const wantedElsewhere: Placement = {
  ...created,
  path: {
    originAsset: "usdc",
    destinationAsset: "btc",
    ...{ recipient: "you", recipientType: "INTENTS" },
    refundTo: "me",
    refundType: "INTENTS"
  }
}
const twin: Placement = { ...created, id: "p2" }

const validUntil = signed.funding?.validUntil ?? 0
const onChain = { ...settings, account: { ...settings.account, depositType: "ORIGIN_CHAIN" as const } }
const [open, closed] = [{ holdReason: undefined }, { holdReason: "held" }]
const did = (...done: ReadonlyArray<DoneInPass>): Partial<DueFacts> => ({ done: new Set(done) })
const checked = did("before payment")
const ready: Partial<DueFacts> = { ...did("before payment", "payload"), hasPayload: true }
const expired = { venueNow: validUntil + settings.visibilityMillis }
const again: Partial<DueFacts> = { payAgain: new Set(["p1-1"]), wallet: "command" }
const toPayAgain: Partial<DueFacts> = { ...again, ...did("paying again"), isStillUnpaid: true }
const gone = { market: undefined }
const alone = new Map([["p1", created]])
const beside = new Map([...alone, ["p2", twin]])

const factsWith = ({ now = 1_000, ...facts }: Partial<DueFacts>): DueFacts => ({
  ...{ now, venueNow: now, monotonicNow: now, runStartedAt: 0, settings, market, placements: alone },
  concluded: (placement, seen) => concluded(placement, seen, settings),
  ...{ mayContinue: true, mayBegin: true, payAgain: new Set<string>(), wallet: "manual", gateAnswer: undefined },
  ...{ done: new Set<DoneInPass>(), hasPayload: false, isStillUnpaid: false },
  ...facts
})

/** What is due, in words. */
const said = (todo: Todo): string => {
  if (todo.do === "ask") return `ask ${todo.step}`
  if (todo.do === "read") return `read ${todo.why}`
  if (todo.do !== "record") return todo.do
  return todo.events.map((event) => ("reason" in event ? `${event._tag}: ${event.reason}` : event._tag)).join(", ")
}

type Case = readonly [
  when: string,
  placement: Placement,
  facts: Partial<DueFacts>,
  due: string,
  tries?: Partial<Tries.Tries>
]

const cases: ReadonlyArray<Case> = [
  ["it may have been paid, and that could still show", doubted(created), {}, "wait"],
  ["it may have been paid", doubted(created), { now: 200_000 }, "read taking over"],
  ["it may have been paid", doubted(planned), { now: 200_000, mayContinue: false }, "read taking over"],
  ["it may have been paid, and was read", doubted(created), { now: 200_000, ...did("taking over") }, "wait"],
  ["the venue was not yet asked for orders missing in the journal", created, { mayContinue: false }, "wait"],
  ["the venue was not yet asked for orders missing in the journal", planned, { mayContinue: false }, "wait"],
  ["its create is not approved yet", planned, { mayBegin: false }, "ask create"],
  ["something holds it", planned, { gateAnswer: closed, mayBegin: false }, "Abandoned: held"],
  ["no more creates in this turn", planned, { gateAnswer: open, mayBegin: false, ...gone }, "wait"],
  ["its market is gone", planned, { gateAnswer: open, ...gone }, "Abandoned: its market is not configured"],
  ["it may be created", planned, { gateAnswer: open }, "create"],
  ["it was created in this pass", creating, { now: 100_000, ...did("create") }, "wait"],
  ["its create has no answer", creating, {}, "wait"],
  [
    "its create has no answer",
    creating,
    { now: 100_000 },
    "Abandoned: no answer to its create, and no order of its kind in the list for 30 s"
  ],
  ["its fees are too high", dearer(created), {}, "Abandoned: not funded: its refund would cost 100 %, more than 5 %"],
  ["there is nothing to sign yet", created, checked, "read payload"],
  ["there is nothing to sign yet", created, { ...did("before payment", "payload") }, "wait"],
  ["its payment is not approved yet", created, {}, "ask fund"],
  ["its payment is not approved yet", created, ready, "ask fund"],
  ["something holds it", created, { gateAnswer: closed, ...gone }, "Abandoned: not funded: held"],
  ["something holds it", created, { gateAnswer: closed, ...ready }, "Abandoned: not funded: held"],
  ["its market is gone", created, { gateAnswer: open, ...gone }, "Abandoned: not funded: its market is not configured"],
  [
    "its money paths were edited",
    wantedElsewhere,
    { gateAnswer: open, placements: beside },
    "Abandoned: not funded: the configuration was edited since it was made: its recipient is you instead of me"
  ],
  [
    "another order has its address",
    created,
    { gateAnswer: open, placements: beside },
    "Contradiction, Contradiction, Abandoned: orders of p1 and p2 have one deposit address, Abandoned: orders of p1 and p2 have one deposit address"
  ],
  ["it was not read again", created, { gateAnswer: open }, "read before payment"],
  ["it was not read again", created, { gateAnswer: open, settings: onChain, hasPayload: true }, "read before payment"],
  ["its payment is signed here", created, { gateAnswer: open, ...ready }, "sign"],
  ["its payment is made elsewhere", created, { gateAnswer: open, ...checked, settings: onChain }, "pay"],
  ["it was paid in this pass", signed, did("sign"), "wait"],
  ["it was paid in this pass", asked("command"), did("pay"), "wait"],
  ["its first sending is not approved yet", signed, {}, "ask fund"],
  ["its resending is not approved yet", sent, { now: 10_000 }, "ask resend"],
  ["its bytes may be sent", signed, { gateAnswer: open }, "send"],
  ["its deposit is not overdue yet", signed, { gateAnswer: closed }, "wait"],
  ["its deposit is not overdue yet", acknowledged, { gateAnswer: closed }, "wait"],
  ["it has executed, and shows no deposit", acknowledged, expired, "read doubt"],
  ["it has executed, and was read recently", acknowledged, expired, "wait", { readAt: 500 }],
  ["its payload has expired", sent, expired, "read no deposit"],
  ["its payload has expired", sent, { ...expired, ...did("no deposit") }, "wait"],
  [
    "the wallet's answer is lost",
    asked("command"),
    { venueNow: 2_000 },
    "PaymentUnclear, FundingInDoubt: unclear whether the wallet paid: limitbot was interrupted while the wallet was running"
  ],
  ["the operator wants it paid again", unclear, again, "read paying again"],
  ["its second payment is not approved yet", unclear, toPayAgain, "ask fund"],
  ["it may be paid a second time", unclear, { ...toPayAgain, gateAnswer: open }, "pay"],
  ["the venue does not know the transaction", paid, { venueNow: 2_000 }, "report"],
  // Reported before the clock was set back.
  ["the venue does not know the transaction", paid, {}, "report", { reported: { attempts: 3, at: 5_000 } }],
  ["it was not paid by its end", paid, { venueNow: 2_000, ...did("report") }, "read payment"],
  ["it is unclear whether it was paid", inDoubt, { now: 100_000 }, "read doubt"],
  ["it is unclear whether it was paid", unclear, { now: 100_000 }, "read doubt"]
]

/** What holds back is no row: nothing is due. */
const idle: ReadonlyArray<Case> = [
  ["", asked("command"), { venueNow: 2_000 }, "wait", { isAtWork: true }],
  ["", asked("manual"), { venueNow: 999 }, "wait"],
  ["", unclear, { ...toPayAgain, gateAnswer: closed }, "wait"],
  ["", unclear, { ...again, ...gone, ...did("doubt") }, "wait"],
  ["", paid, { venueNow: 999, ...did("report") }, "wait"],
  ["", inDoubt, { ...did("doubt") }, "wait"],
  ["", placementAfter("DepositSeen"), {}, "wait"]
]

const dueIn = ([, placement, facts, , tries]: Case, table: ReadonlyArray<DueRow> = rows): string =>
  said(due(placement, { ...Tries.none, ...tries }, factsWith(facts), table))
const holdsIn = (row: DueRow, [, placement, facts, , tries]: Case): boolean =>
  firstOf([row], placement.state, placement, factsWith(facts), { ...Tries.none, ...tries }) !== undefined

const all = [...cases, ...idle]
const isFound = (table: ReadonlyArray<DueRow>): boolean => all.some((each) => dueIn(each, table) !== each[3])

describe("the table of due steps", () => {
  it.each(all.map((each) => [each[0], each] as const))("%s", (_, each) => {
    assert.strictEqual(rows.find((row) => holdsIn(row, each))?.[1] ?? "", each[0])
    assert.strictEqual(dueIn(each), each[3])
  })

  it.each(rows.map(([states, name], at) => [name, states.join(), at] as const))(
    "fails its checks without the row: %s (%s)",
    (_, __, at) => {
      assert.isTrue(isFound(rows.filter((_row, index) => index !== at)))
    }
  )

  it.each(rows.slice(1).map(([, name], at) => [rows[at]?.[1], name, at] as const))(
    "fails its checks with these rows swapped, unless they never both hold or agree: %s, %s",
    (_, __, at) => {
      const [one, other] = [rows[at], rows[at + 1]]
      if (one === undefined || other === undefined) return assert.fail("there is no such row")
      const swapped = rows.map((row, index) => (index === at ? other : index === at + 1 ? one : row))
      const isAlike = all.every(
        (each) => !holdsIn(one, each) || !holdsIn(other, each) || dueIn(each, [one]) === dueIn(each, [other])
      )
      assert.isTrue(isAlike || isFound(swapped))
    }
  )
})
