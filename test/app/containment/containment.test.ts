/** What a journal knows that can still act or be paid: each stage of an order is in the one list that is about it, and none is in no list. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { journalLists } from "../../../src/app/containment/Looking.ts"
import * as Containment from "../../../src/app/journal/Containment.ts"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"

const about = { strategy: "s", slot: "a", placement: "p1" }
const order = { orderId: "o1", depositAddress: "d1" }
const money = { asset: "USDC", amount: 100_000_000n }
const planned: BotEvent = {
  _tag: "Planned",
  ...about,
  market: "BTC/USDC",
  side: "BUY",
  price: Decimal.make(50_000n),
  quantity: 200_000n,
  inputAsset: "USDC",
  inputAmount: 100_000_000n,
  outputAsset: "BTC",
  outputAmount: 200_000n,
  deadline: 90_000,
  why: { code: "x", text: "x" }
}
const created: BotEvent = { _tag: "CreateSent", ...about, attempt: 1 }
const fees = { estimatedWithdrawFee: 0n, estimatedRefundFee: 0n }
const bound: BotEvent = { _tag: "Bound", ...about, ...order, via: "reply", ...fees }
const bytes = { signed: Redacted.make("{}"), intentHash: "h", validUntil: 60_000 }
const signed: BotEvent = { _tag: "FundingSigned", ...about, ...money, ...order, ...bytes }
const sent: BotEvent = { _tag: "FundingSent", ...about, attempt: 1 }
const doubt: BotEvent = { _tag: "FundingInDoubt", ...about, ...money, reason: "nobody said" }
const deposit: BotEvent = { _tag: "DepositSeen", ...about, asset: "USDC", total: money.amount, fresh: money.amount }
const closed: BotEvent = { _tag: "Closed", ...about, status: "CANCELED", inputAsset: "USDC", unspent: money.amount }
const refunded: BotEvent = { _tag: "Refunded", ...about, ...money, fee: 0n, txHashes: [] }
const settled: BotEvent = { _tag: "Settled", ...about }
const spare: BotEvent = { _tag: "OrphanSeen", ...about, orderId: "o2" }
const asked: BotEvent = { _tag: "PaymentAsked", ...about, ...money, ...order, wallet: "command", validUntil: 60_000 }

const listsAfter = (...events: ReadonlyArray<BotEvent>) => {
  const state = BotState.make()
  const begun: BotEvent = { _tag: "BudgetAllotted", strategy: "s", asset: "USDC", amount: 1_000_000_000n }
  for (const [index, event] of [begun, ...events].entries())
    BotState.apply(state, { sequence: index + 1, at: index, event })
  const assets = new Map([["USDC", { symbol: "USDC", id: "usdc", decimals: 6 }]])
  return journalLists({ assets, journal: "j", now: 7, state })
}
const found = (...events: ReadonlyArray<BotEvent>) =>
  listsAfter(...events).flatMap(({ found, name }) => found.map(({ id, text }) => `${name}: ${id}: ${text}`))

describe("the list of what can still act or be paid", () => {
  it("has each stage of an order under its own heading", () => {
    const life = [planned, created, bound, signed, sent]
    const payments = "Signed payments that may still be executed: s/a o1"
    const stages: ReadonlyArray<readonly [ReadonlyArray<BotEvent>, string]> = [
      [life.slice(0, 1), "Orders that are not paid: s/a p1: planned, and not paid"],
      [life.slice(0, 2), "Orders that are not paid: s/a p1: creating, and not paid"],
      [life.slice(0, 3), "Orders that are not paid: s/a o1: created, and not paid"],
      [life.slice(0, 4), `${payments}: signed, and not sent`],
      [life, `${payments}: sent, execution unknown`],
      [[...life, doubt], `${payments}: sent, execution unknown`],
      [[...life.slice(0, 3), asked], `${payments}: requested from a wallet, which may still pay`],
      [[...life, deposit], "Open orders: s/a o1: open"],
      [[...life, deposit, closed], "Money on its way back: s/a o1: ended; payout none, refund none"]
    ]
    for (const [events, said] of stages) assert.deepStrictEqual(found(...events), [said])
    assert.deepStrictEqual(found(), [])
    assert.deepStrictEqual(found(...life, deposit, closed, refunded, settled), [])
  })

  it("has a spare order until it is cancelled, and unpaid orders that are given up", () => {
    assert.include(
      found(planned, created, bound, spare),
      "Orders that are not paid: o2: a spare order, not funded and not cancelled yet"
    )
    const cancelled: BotEvent = { _tag: "OrphanCancelled", ...about, orderId: "o2" }
    assert.lengthOf(found(planned, created, bound, spare, cancelled), 1)
    const abandoned: BotEvent = { _tag: "Abandoned", ...about, reason: "x" }
    assert.deepStrictEqual(found(planned, created, bound, abandoned), [
      "Orders that are not paid: o1: a spare order, not funded and not cancelled yet"
    ])
  })

  it("counts as contained if every list is read and empty, with place and time", () => {
    const empty = listsAfter()
    assert.isTrue(Containment.isContained(empty))
    assert.isUndefined(Containment.openIn(empty))
    assert.strictEqual(
      Containment.linesOf(empty)[0],
      "Signed payments that may still be executed: none (j up to event 1, 1970-01-01 00:00:00 UTC)"
    )
    const unseen = { name: "Venue", at: "u", why: "it does not answer" }
    assert.strictEqual(Containment.openIn([...empty, unseen]), "Not contained: 1 unreadable list")
    const full = listsAfter(planned)
    assert.match(Containment.openIn([...full, unseen]) ?? "", /1 list of 5 not empty, and 1 unreadable list/)
    assert.deepInclude(Containment.dataOf([unseen]), { contained: false })
    assert.deepStrictEqual(Containment.dataOf([unseen]).lists[0]?.found, null)
  })
})
