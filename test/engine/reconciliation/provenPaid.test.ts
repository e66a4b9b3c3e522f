/** The history ends a doubt only by showing that the payment was made; nothing else that it says proves anything. */
import { assert, describe, it } from "@effect/vitest"
import { addressKey, type HistoryLine, provenPaid } from "../../../src/engine/reconciliation/Reconciliation.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { budget, doubtful } from "../../world/bot/doubtful.ts"

const state = BotState.make()
for (const [index, event] of [budget, ...doubtful(1)].entries())
  BotState.apply(state, { sequence: index + 1, at: index, event })

const line: HistoryLine = {
  depositAddress: "address-1",
  depositMemo: undefined,
  status: "PENDING_DEPOSIT",
  createdAt: 0,
  amountIn: 0n,
  amountOut: 0n,
  refundTo: undefined,
  hashes: []
}

const proves = (change: Partial<HistoryLine>): boolean => {
  const shown = { ...line, ...change }
  const lines = new Map([[addressKey(shown), shown]])
  return provenPaid(state.placements.values(), lines).length === 1
}

describe("history as evidence of a payment in doubt", () => {
  it("is its hash, money at its address, or a status that follows a deposit", () => {
    assert.isTrue(proves({ hashes: ["other", "hash-1"] }))
    assert.isTrue(proves({ hashes: ["other,hash-1"], status: "FAILED" }))
    assert.isTrue(proves({ amountIn: 1n, status: "INCOMPLETE_DEPOSIT" }))
    for (const status of ["PROCESSING", "SUCCESS", "REFUNDED"]) assert.isTrue(proves({ status }), status)
  })

  it("is nothing else: no line, another address, an end without money, an unknown status", () => {
    assert.isEmpty(provenPaid(state.placements.values(), new Map()))
    for (const status of ["PENDING_DEPOSIT", "FAILED", "INCOMPLETE_DEPOSIT", "EXPIRED", "BRAND_NEW"])
      assert.isFalse(proves({ status }), status)
    assert.isFalse(proves({ status: "SUCCESS", depositAddress: "address-2" }))
    assert.isFalse(proves({ status: "SUCCESS", depositMemo: "1" }))
    assert.isFalse(proves({ hashes: ["hash-12"] }))
  })
})
