/** Money that an order does not account for stops its strategy, says which order, and ends by the operator's word. */
import { assert, describe, it } from "@effect/vitest"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import * as FundingStop from "../../../src/engine/holds/FundingStop.ts"
import { closedBecause } from "../../../src/engine/holds/Holds.ts"
import * as LossGuard from "../../../src/engine/planning/LossGuard.ts"
import { loaded } from "../../../src/engine/StartUp.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { parse } from "../../world/bot/botWorld.ts"
import { begin, orderOf } from "../../world/journalRows.ts"

const grid = parse(`name: grid
market: BTC/USDC
kind: grid
limits: { budget: { quote: 6000 } }
grid: { lower: 59000, upper: 61000, levels: 11, size: { base: 0.005 } }
`)

const day = 86_400_000
const losing = { ...grid, limits: { ...grid.limits, maxDailyLoss: 1n } }
const price = { bid: Decimal.make(60_000n), ask: Decimal.make(60_000n), at: 0 }
const moment = { price, now: 1 }

const folded = (events: ReadonlyArray<BotEvent>) => {
  const state = BotState.make()
  const see = (event: BotEvent) => BotState.apply(state, { sequence: state.sequence + 1, at: 1, event })
  events.forEach(see)
  return { state, see }
}

/** Number 3 is cancelled and refunded. */
const refundedShort = (by: bigint) =>
  orderOf(3).map((event) => (event._tag === "Refunded" ? { ...event, amount: event.amount - by } : event))

/** Number 1 is filled, but a part of its input and of its output is missing. */
const bothShort = orderOf(1).map((event): BotEvent => {
  if (event._tag === "FillSeen") return { ...event, amountIn: event.amountIn - 990_000n }
  return event._tag === "PaidOut" ? { ...event, amount: event.amount - 7n } : event
})

describe("an unexplained remainder", () => {
  it("pauses its strategy once, closes the gate, names the order, and ends on resume", () => {
    const { state, see } = folded([...begin, ...refundedShort(990_000n), ...orderOf(4).slice(0, 3)])
    const [paused, ...more] = FundingStop.check(state, grid)
    assert.deepStrictEqual(more, [])
    assert.include(JSON.stringify(paused), "order order-3 ended with 0.99 USDC unexplained")
    const inputs = {
      now: 1,
      stopped: undefined,
      incident: undefined,
      limits: grid.limits,
      price: undefined,
      skewMillis: undefined,
      settings: { deadlineMarginMillis: 0 },
      leaseLost: undefined
    }
    const gate = () => closedBecause(state, { id: "p4" }, "fund", inputs)
    assert.include(gate(), "order-3")
    if (paused !== undefined) see(paused)
    assert.deepStrictEqual(FundingStop.check(state, grid), [])
    see({ _tag: "Resumed", strategy: "grid", reason: "looked" })
    assert.deepStrictEqual(FundingStop.check(state, grid), [])
    assert.strictEqual(gate(), "no price")
  })

  it.each([
    ["daily-loss", "drain"],
    ["drawdown", "pause"]
  ] as const)("takes the place of a pause for the limit %s, which ends without a person", (limit, action) => {
    const { state, see } = folded([...begin, ...refundedShort(990_000n)])
    see({ _tag: "Paused", strategy: "grid", limit, action, reason: "it lost" })
    const changed = () => loaded(state, { ...grid, hash: "changed" })
    const nextDay = () => LossGuard.check(state, losing, { ...moment, now: 2 * day }, moment)
    const tags = () => [...changed(), ...nextDay()].map(({ _tag }) => _tag)
    assert.notInclude(tags(), "Resumed", "before the stop is recorded")
    const [stop] = FundingStop.check(state, grid)
    assert.deepInclude(stop, { _tag: "Paused", limit: "unexplained", action })
    if (stop !== undefined) see(stop)
    assert.notInclude(tags(), "Resumed")
    assert.deepStrictEqual(FundingStop.check(state, grid), [])
    assert.isDefined(FundingStop.whyStopped(state.strategies.get("grid") ?? {}))
  })

  it("is named for each asset of each order", () => {
    const { state } = folded([...begin, ...bothShort, ...refundedShort(1_000_000n)])
    const [paused] = FundingStop.check(state, grid)
    assert.include(JSON.stringify(paused), "order order-1 ended with 0.99 USDC and 0.00000007 BTC unexplained")
    assert.include(JSON.stringify(paused), "order order-3 ended with 1 USDC unexplained")
    assert.strictEqual(
      FundingStop.whyStopped(state.strategies.get("grid") ?? {}),
      "order order-1, order order-3 of its strategy ended with money unexplained"
    )
  })

  it("is not reported for an order that adds up", () => {
    const { state } = folded([...begin, ...orderOf(3), ...orderOf(4)])
    assert.deepStrictEqual(FundingStop.check(state, grid), [])
  })
})

describe("payments refused one after the other", () => {
  const signed = orderOf(1).slice(0, 4)
  const about = { strategy: "grid", slot: "cell-02", placement: "p1" }
  const dead: BotEvent = {
    _tag: "FundingDead",
    ...about,
    asset: "USDC",
    amount: 120_000_000n,
    reason: "it has expired"
  }
  const sent: BotEvent = { _tag: "FundingSent", ...about, attempt: 1 }
  const answered: BotEvent = { _tag: "FundingAnswered", ...about, code: "http-400", text: "no balance" }
  const asked: BotEvent = {
    _tag: "PaymentAsked",
    ...about,
    orderId: "order-1",
    depositAddress: "address-1",
    asset: "USDC",
    amount: 120_000_000n,
    wallet: "command",
    validUntil: 1
  }
  const refusedIn = (events: ReadonlyArray<BotEvent>) =>
    folded([...begin, ...events]).state.strategies.get("grid")?.refused

  it("are counted with the venue's last answer", () => {
    assert.deepStrictEqual(refusedIn([...signed, sent, dead]), { times: 1, answer: "it has expired" })
    assert.deepInclude(refusedIn([...signed, sent, answered, dead]), { times: 1 })
    assert.include(refusedIn([...signed, sent, answered, dead])?.answer, "no balance")
  })

  it("exclude unsent ones, and those requested from a wallet", () => {
    assert.isUndefined(refusedIn([...signed, dead]))
    assert.isUndefined(refusedIn([...signed.slice(0, 3), asked, dead]))
  })

  it("restart their count after a deposit, except after their own deposit", () => {
    const deposit: BotEvent = { _tag: "DepositSeen", ...about, asset: "USDC", total: 1n, fresh: 1n }
    assert.isUndefined(refusedIn([...signed, sent, dead, ...orderOf(3)]))
    assert.isTrue(refusedIn([...signed, sent, dead, deposit])?.isLie)
  })

  it("are reported as made if one has a deposit, whatever the other payments do", () => {
    const deposit: BotEvent = { _tag: "DepositSeen", ...about, asset: "USDC", total: 1n, fresh: 1n }
    const refusedAgain = orderOf(2)
      .slice(0, 4)
      .concat({ ...sent, placement: "p2" }, { ...dead, placement: "p2" })
    for (const later of [[], orderOf(3), refusedAgain]) {
      const { state } = folded([...begin, ...signed, sent, dead, deposit, ...later])
      const [paused] = FundingStop.check(state, grid)
      assert.include(JSON.stringify(paused), "a payment was refused but made (the payment of p1 was booked as not made")
      assert.strictEqual(
        FundingStop.whyStopped(state.strategies.get("grid") ?? {}),
        "a payment of its strategy was refused but made"
      )
    }
  })
})
