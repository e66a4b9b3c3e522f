/** Venues report fills before their fee, or after it. The books of both lead to the same averages and the same exits. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { inputAmount, outputAmount, type Side } from "../../../src/domain/Market.ts"
import { armed, viewOf } from "../../../src/engine/planning/DecisionRecord.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { takenBack } from "../../../src/engine/tracking/amounts/TakingBack.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import { price, strategyOf } from "../../strategy/support.ts"

const file = (kind: string, section: string): Strategy =>
  strategyOf(`name: s
market: BTC/USDC
kind: ${kind}
limits: { budget: { base: 100, quote: 100000 } }
${kind}: ${section}
`)

const { market } = file("deals", "{ size: { base: 4 }, takeProfit: 1% }")
const coin = 100_000_000n

interface Trade {
  readonly slot: string
  readonly side: Side
  readonly at: string
  readonly quantity?: bigint
  /** Basis points that the venue takes of the payout. */
  readonly payoutShare?: bigint
}

type Reporting = "before" | "after"

/** An order that fills completely. Its fee is 20 basis points, and the venue reports its fill before or after that fee. */
const ordered = (reported: Reporting, { at, payoutShare = 0n, quantity = 4n * coin, side, slot }: Trade) => {
  const about = { strategy: "s", slot, placement: `${slot} ${side}` }
  const [inputAsset, outputAsset] = side === "BUY" ? ["USDC", "BTC"] : ["BTC", "USDC"]
  const [input, output] = [
    inputAmount(market, side, quantity, price(at)),
    outputAmount(market, side, quantity, price(at))
  ]
  const amountOut = reported === "after" ? (output * 998n) / 1000n : output
  const fee = (amountOut * payoutShare) / 10_000n
  const order = { orderId: "o", depositAddress: "d" }
  const amounts = { inputAsset, inputAmount: input, outputAsset, outputAmount: output }
  const fills = reported === "after" ? ({ fillsNet: true } as const) : {}
  const events: ReadonlyArray<BotEvent> = [
    {
      ...{ _tag: "Planned", ...about, market: market.name, side, price: price(at), quantity, ...amounts },
      ...{ deadline: 1_000_000, why: { code: "x", text: "x" } }
    },
    { _tag: "CreateSent", ...about, attempt: 1 },
    { _tag: "FeeEchoed", ...about, credential: "partner", askedBasisPoints: 0, basisPoints: 20, ...fills },
    { _tag: "Bound", ...about, ...order, via: "reply", estimatedWithdrawFee: 0n, estimatedRefundFee: 0n },
    {
      ...{ _tag: "FundingSigned", ...about, ...order, asset: inputAsset, amount: input },
      ...{ signed: Redacted.make("s"), intentHash: "h", validUntil: 9 }
    },
    { _tag: "DepositSeen", ...about, asset: inputAsset, total: input, fresh: input },
    {
      ...{ _tag: "FillSeen", ...about, fillId: "f", side, price: price(at), filledAt: 60 },
      ...{ inputAsset, amountIn: input, outputAsset, amountOut }
    },
    { _tag: "Closed", ...about, status: "FILLED", inputAsset, unspent: 0n },
    { _tag: "PayoutStarted", ...about, asset: outputAsset, amount: amountOut },
    { _tag: "PaidOut", ...about, asset: outputAsset, amount: amountOut - fee, fee, txHashes: [] },
    { _tag: "Settled", ...about }
  ]
  return events
}

const budget: ReadonlyArray<BotEvent> = [
  { _tag: "BudgetAllotted", strategy: "s", asset: "USDC", amount: 100_000_000_000n },
  { _tag: "BudgetAllotted", strategy: "s", asset: "BTC", amount: 100n * coin }
]

const stateOf = (events: ReadonlyArray<BotEvent>) => {
  const state = BotState.make()
  for (const event of [...budget, ...events])
    BotState.apply(state, { sequence: state.sequence + 1, at: state.sequence + 1, event })
  return state
}

const viewAt = (strategy: Strategy, events: ReadonlyArray<BotEvent>, at = "100", fillBasisPoints = 20) => {
  const moment = { now: 1_000, market: strategy.market, price: { bid: price(at), ask: price(at), at: 1_000 } }
  return { ...viewOf(stateOf(events), strategy, moment), fillBasisPoints }
}

/** Decides before and after these orders, and returns the prices of the planned exits. */
const exitsAfter = (strategy: Strategy, reported: Reporting, trades: ReadonlyArray<Trade>) => {
  const { memory } = strategy.decide(viewAt(strategy, []), strategy.initialMemory)
  const view = viewAt(
    strategy,
    trades.flatMap((trade) => ordered(reported, trade))
  )
  const { desired } = strategy.decide(view, memory)
  return desired.flatMap((slot) => {
    const order = armed(slot, view)
    return order?.isExit === true ? [Decimal.format(order.price)] : []
  })
}

const bought = [{ slot: "base", side: "BUY", at: "100" }] as const

describe.each(["before", "after"] as const)("if fills are reported %s their fee", (reported) => {
  it("a deal exits net of both fees", () => {
    const strategy = file("deals", "{ size: { base: 4 }, takeProfit: 1%, times: 1 }")
    assert.deepStrictEqual(exitsAfter(strategy, reported, bought), ["101.41"])
  })

  it("each target of a deal is net of both fees", () => {
    const targets = "[{ at: 1%, part: 50% }, { at: 3%, part: 50% }]"
    const strategy = file("deals", `{ size: { base: 4 }, takeProfit: ${targets}, times: 1 }`)
    assert.deepStrictEqual(exitsAfter(strategy, reported, bought), ["101.41", "103.42"])
  })

  it("a deal of sales buys back net of both fees", () => {
    const strategy = file("deals", "{ side: sell, size: { base: 4 }, takeProfit: 1%, times: 1 }")
    assert.deepStrictEqual(exitsAfter(strategy, reported, [{ slot: "base", side: "SELL", at: "100" }]), ["98.6"])
  })

  it("a deal that begins with a position counts from its own purchases", () => {
    const strategy = file(
      "deals",
      "{ size: { base: 4 }, takeProfit: 1%, times: 2, safety: { orders: 1, size: { base: 4 }, distance: 1% } }"
    )
    const earlier = ordered(reported, { slot: "safety-01", side: "BUY", at: "150" })
    const { memory } = strategy.decide(viewAt(strategy, earlier), strategy.initialMemory)
    const view = viewAt(strategy, [...earlier, ...bought.flatMap((trade) => ordered(reported, trade))])
    const exit = strategy.decide(view, memory).desired.find(({ slot }) => slot === "exit")
    assert.strictEqual(exit && Decimal.format(exit.legs[0].price), "101.41")
  })

  it("a removed rung keeps its exit", () => {
    const rungs = (to: number, count: number) =>
      file("ladder", `{ side: buy, from: 100, to: ${to}, rungs: ${count}, total: { base: 8 }, takeProfit: 1% }`)
    const trades = [
      { slot: "rung-00", side: "BUY", at: "100" },
      { slot: "rung-01", side: "BUY", at: "90" }
    ] as const
    const exits = ["101.41", "91.27"]
    assert.deepStrictEqual(exitsAfter(rungs(90, 2), reported, trades), exits)
    assert.deepStrictEqual(exitsAfter(rungs(100, 1), reported, trades), exits)
  })

  it("the average entry is the price that the market paid", () => {
    const { own } = viewAt(file("deals", "{ size: { base: 4 }, takeProfit: 1% }"), ordered(reported, bought[0]))
    const fee = reported === "after" ? 8_000n : 0n
    assert.deepInclude(own, {
      position: 4n * coin - 100n * fee,
      averageEntry: price("100"),
      realisedProfit: -100n * fee
    })
  })

  it("an order whose end is taken back leaves no position, no cost and no profit", () => {
    const events = ordered(reported, { ...bought[0], payoutShare: 100n })
    const state = stateOf(events.slice(0, -1))
    const placement = state.placements.get("base BUY")
    if (placement === undefined) assert.fail("the order is gone")
    for (const event of takenBack(placement)) BotState.apply(state, { sequence: state.sequence + 1, at: 1, event })
    const { basis } = state.strategies.get("s")?.trading.get(market.name)?.position ?? assert.fail("no position")
    assert.deepStrictEqual(basis, { position: 0n, cost: 0n, realised: 0n })
  })
})

describe("a fee of the payout in base", () => {
  it.each([
    ["ladder", "{ side: buy, from: 100, to: 90, rungs: 2, total: { base: 8 }, takeProfit: 1% }", "rung-00"],
    ["grid", "{ levels: [100, 101], size: { base: 4 } }", "cell-00"]
  ] as const)("does not move the exit of a %s", (kind, section, slot) => {
    const strategy = file(kind, section)
    const view = viewAt(strategy, ordered("before", { slot, side: "BUY", at: "100", payoutShare: 100n }), "100", 0)
    const { desired } = strategy.decide(view, strategy.decide(viewAt(strategy, []), strategy.initialMemory).memory)
    const [order] = desired.flatMap((each) => (each.slot === slot ? (armed(each, view) ?? []) : []))
    assert.strictEqual(order && Decimal.format(order.price), "101")
  })
})
