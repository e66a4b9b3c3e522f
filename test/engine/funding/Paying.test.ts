/** The name by which an operator has an unclear payment made once more. */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as Ledger from "../../../src/domain/Ledger.ts"
import { unclearPayment } from "../../../src/engine/funding/Paying.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"

const about = { strategy: "s", slot: "a", placement: "p1" }
const why = { code: "x", text: "x" }
const unclear: BotEvent = { _tag: "PaymentUnclear", ...about, text: "it died" }
const asked: ReadonlyArray<BotEvent> = [
  { _tag: "BudgetAllotted", strategy: "s", asset: "BTC", amount: 9n },
  {
    _tag: "Planned",
    ...about,
    market: "BTC/USDC",
    side: "SELL",
    price: Decimal.make(60_000n),
    quantity: 5n,
    inputAsset: "BTC",
    inputAmount: 5n,
    outputAsset: "USDC",
    outputAmount: 3_000n,
    deadline: 1_000_000,
    why
  },
  { _tag: "CreateSent", ...about, attempt: 1 },
  {
    _tag: "Bound",
    ...about,
    orderId: "o",
    depositAddress: "d",
    via: "reply",
    estimatedWithdrawFee: 0n,
    estimatedRefundFee: 0n
  },
  {
    _tag: "PaymentAsked",
    ...about,
    orderId: "o",
    depositAddress: "d",
    asset: "BTC",
    amount: 5n,
    wallet: "command",
    validUntil: 1_000_000
  }
]
const again: BotEvent = { _tag: "PaymentAskedAgain", ...about, attempt: 2 }

const past = (...events: ReadonlyArray<BotEvent>) => {
  const state = BotState.make()
  for (const [index, event] of [...asked, ...events].entries()) {
    BotState.apply(state, { sequence: index + 1, at: index, event })
  }
  const placement = state.placements.get("p1")
  return { ledger: Ledger.totals(state.ledger), payment: placement === undefined ? "" : unclearPayment(placement) }
}

describe("an unclear payment", () => {
  it("has a name that no other attempt has, so that a word said once is never taken for another", () => {
    assert.strictEqual(past().payment, "p1-1")
    assert.strictEqual(past(unclear).payment, "p1-1")
    assert.strictEqual(past(unclear, again).payment, "p1-2")
    assert.strictEqual(past(unclear, again, unclear).payment, "p1-2")
  })

  it("has no name once it is paid, seen or withdrawn", () => {
    assert.isUndefined(past({ _tag: "PaymentMade", ...about, txHash: "tx" }).payment)
    assert.isUndefined(past(unclear, { _tag: "CancelRequested", ...about, why }).payment)
    assert.isUndefined(past(unclear, { _tag: "DepositSeen", ...about, asset: "BTC", total: 5n, fresh: 5n }).payment)
  })

  it("that is asked again is booked once", () => {
    assert.deepStrictEqual(past(unclear, again).ledger, past(unclear).ledger)
  })
})
