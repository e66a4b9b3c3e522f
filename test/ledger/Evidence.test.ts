/** Each kind of contradiction that the journal of one order can show is named. */
import { assert, describe, it } from "@effect/vitest"
import type { PlacementEvent } from "../../src/domain/BotEvent.ts"
import { findings, make } from "../../src/ledger/Evidence.ts"
import { price } from "../strategy/support.ts"

const about = { strategy: "s", slot: "a", placement: "p1" }
const fill: PlacementEvent = {
  _tag: "FillSeen",
  ...about,
  fillId: "f",
  side: "SELL",
  price: price("100"),
  inputAsset: "BTC",
  amountIn: 10n,
  outputAsset: "USDC",
  amountOut: 1_000n,
  filledAt: 1
}
const paid = (amount: bigint): PlacementEvent => ({
  _tag: "PaidOut",
  ...about,
  asset: "USDC",
  amount,
  fee: 10n,
  txHashes: []
})
const closed: PlacementEvent = { _tag: "Closed", ...about, status: "FILLED", inputAsset: "BTC", unspent: 0n }
const refunded: PlacementEvent = { _tag: "Refunded", ...about, asset: "BTC", amount: 5n, fee: 0n, txHashes: [] }

const found = (...events: ReadonlyArray<PlacementEvent>) =>
  findings(events.map((event, index) => ({ sequence: index + 1, at: index, event })))

const said = (...events: ReadonlyArray<PlacementEvent>) =>
  found(...events)
    .map(({ text }) => text)
    .join("; ")
const kinds = (...events: ReadonlyArray<PlacementEvent>) => found(...events).map(({ kind }) => kind)

describe("evidence", () => {
  it("finds nothing wrong with an order that was paid in full", () => {
    assert.strictEqual(said(fill, closed, paid(990n)), "")
  })

  it("names what does not add up", () => {
    assert.match(said(fill, closed), /filled, payout pending/)
    assert.match(said(fill, closed, paid(900n)), /amounts do not match fills: filled 1000, paid 910/)
    assert.match(said(fill, closed, paid(990n), refunded), /a filled order was refunded/)
    const failed: PlacementEvent = {
      _tag: "LegFailed",
      ...about,
      leg: "payout",
      asset: "USDC",
      amount: 7n,
      reason: "x"
    }
    assert.match(said(failed), /failed leg: payout of 7: x/)
    const contradiction: PlacementEvent = { _tag: "Contradiction", ...about, what: "less than before", evidence: "e" }
    assert.match(said(contradiction), /contradiction: less than before \(e\)/)
  })

  it("tells the kinds apart", () => {
    const sent: PlacementEvent = { _tag: "FundingAcknowledged", ...about, intentHash: "h" }
    const deposited: PlacementEvent = { _tag: "DepositSeen", ...about, asset: "BTC", total: 10n, fresh: 10n }
    assert.deepStrictEqual(kinds(sent), ["deposit-unseen"])
    assert.deepStrictEqual(kinds(sent, deposited), [])
    assert.deepStrictEqual(kinds(sent, deposited, fill), ["filled-unpaid"])
    assert.deepStrictEqual(kinds(sent, deposited, closed), ["success-without-amounts"])
    assert.deepStrictEqual(kinds(sent, deposited, closed, refunded), [
      "success-without-amounts",
      "success-but-refunded"
    ])
    assert.deepStrictEqual(kinds(sent, deposited, fill, closed, paid(990n), refunded), ["refund-of-filled"])
    assert.deepStrictEqual(kinds(sent, deposited, fill, closed, paid(1n)), ["amounts-do-not-match"])
  })

  it("finds an order by any of its names, with all of its events", () => {
    const fold = make("deposit-1")
    fold.see({ sequence: 1, at: 1, event: fill })
    fold.see({
      sequence: 2,
      at: 2,
      event: {
        _tag: "Bound",
        ...about,
        orderId: "o",
        depositAddress: "deposit-1",
        via: "reply",
        estimatedRefundFee: 0n,
        estimatedWithdrawFee: 0n
      }
    })
    fold.see({ sequence: 3, at: 3, event: { ...fill, placement: "p2" } })
    assert.deepStrictEqual(
      fold.result().map(({ placement, moments }) => [placement, moments.length]),
      [["p1", 2]]
    )
  })
})
