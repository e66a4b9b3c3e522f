import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import * as CostBasis from "../../../src/domain/CostBasis.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { ownState } from "../../../src/engine/planning/DecisionRecord.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import * as Tally from "../../../src/engine/state/Tally.ts"
import type { Strategy } from "../../../src/strategy/Strategy.ts"
import { market } from "../../world/bitcoin.ts"

const strategy: Strategy = {
  name: "s",
  kind: "rules",
  file: "s.yaml",
  hash: "h",
  text: "",
  market,
  limits: {
    budget: { base: 0n, quote: 1_000_000_000n },
    maxOpenOrders: 1,
    maxPriceDeviation: Decimal.one,
    staleAfterMillis: 1_000
  },
  initialMemory: null,
  decide: () => ({ desired: [], absent: [], memory: null, reasons: [], until: { onFill: true } })
}

const about = { strategy: "s", slot: "a", placement: "p1" }
const price = Decimal.make(60_000n)
/** Half a coin for 30,000, of which a fifth fills. */
const events: ReadonlyArray<BotEvent> = [
  { _tag: "BudgetAllotted", strategy: "s", asset: "USDC", amount: 40_000_000_000n },
  {
    _tag: "Planned",
    ...about,
    market: "BTC/USDC",
    side: "BUY",
    price,
    quantity: 50_000_000n,
    inputAsset: "USDC",
    inputAmount: 30_000_000_000n,
    outputAsset: "BTC",
    outputAmount: 50_000_000n,
    deadline: 1_000_000,
    why: { code: "x", text: "x" }
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
    _tag: "FundingSigned",
    ...about,
    orderId: "o",
    depositAddress: "d",
    asset: "USDC",
    amount: 30_000_000_000n,
    signed: Redacted.make("s"),
    intentHash: "h",
    validUntil: 9
  },
  { _tag: "DepositSeen", ...about, asset: "USDC", total: 30_000_000_000n, fresh: 30_000_000_000n },
  {
    _tag: "FillSeen",
    ...about,
    fillId: "f1",
    side: "BUY",
    price,
    inputAsset: "USDC",
    amountIn: 6_000_000_000n,
    outputAsset: "BTC",
    amountOut: 10_000_000n,
    filledAt: 60
  },
  { _tag: "Closed", ...about, status: "CANCELLED", inputAsset: "USDC", unspent: 24_000_000_000n },
  { _tag: "PayoutStarted", ...about, asset: "BTC", amount: 10_000_000n },
  { _tag: "PaidOut", ...about, asset: "BTC", amount: 9_999_000n, fee: 1_000n, txHashes: [] },
  { _tag: "Refunded", ...about, asset: "USDC", amount: 23_999_000_000n, fee: 1_000_000n, txHashes: [] },
  { _tag: "Settled", ...about }
]

describe("orders of the last hour", () => {
  it("count for an hour after the clock is set back", () => {
    const state = BotState.make()
    const hour = 3_600_000
    for (const [index, event] of events.entries()) BotState.apply(state, { sequence: index + 1, at: 10 * hour, event })
    const placed = (now: number) => Tally.of(state, "s", now).own.lastHour
    const count = placed(10 * hour)
    assert.isAbove(count, 0)
    assert.strictEqual(placed(7 * hour), count)
    const compared = { _tag: "ClockCompared", skewMillis: 0, ok: true } as const
    BotState.apply(state, { sequence: state.sequence + 1, at: 7 * hour, event: compared })
    assert.deepStrictEqual([placed(7 * hour), placed(8 * hour)], [count, 0])
  })
})

describe("own state", () => {
  it("follows the orders, and every change of it is counted", () => {
    const state = BotState.make()
    const own = () => ownState(state, strategy, Tally.of(state, "s", 0).own)
    const seen = events.map((event, index) => {
      const [before, moves] = [own(), state.strategies.get("s")?.moves ?? 0]
      BotState.apply(state, { sequence: index + 1, at: 10 * index, event })
      const after = own()
      const isMoved = (state.strategies.get("s")?.moves ?? 0) > moves
      if (!isMoved) assert.deepStrictEqual(after, before, event._tag)
      return after
    })
    const [allotted, planned] = seen
    assert.deepStrictEqual([allotted?.openOrders, allotted?.freeQuote], [0, 40_000_000_000n])
    assert.deepStrictEqual([planned?.openOrders, planned?.freeQuote, planned?.lastPlacedAt], [1, 10_000_000_000n, 10])
    assert.deepStrictEqual(seen.at(-1), {
      openOrders: 0,
      freeBase: 9_999_000n,
      freeQuote: 33_999_000_000n,
      position: 9_999_000n,
      // The payout's fee is 0.00001 BTC, worth 0.60; the refund's is 1.00.
      realisedProfit: -1_600_000n,
      averageEntry: price,
      lastFill: { price, at: 60 },
      lastPlacedAt: 10
    })
  })
})

/** Deterministic numbers are enough: the identity below has no tolerance. */
const numbers = (seed: number) => {
  let state = seed
  return (most: number): bigint => {
    state = (state * 48_271) % 2_147_483_647
    return BigInt(state % most)
  }
}

describe("cost basis", () => {
  it("averages purchases, realises sales, and turns through zero", () => {
    const after = [
      ["BUY", 2n, 200n],
      ["BUY", 2n, 240n],
      ["SELL", 1n, 130n],
      ["SELL", 5n, 500n],
      ["BUY", 1n, 90n]
    ] as const
    let basis = CostBasis.empty
    const seen = after.map(([side, base, quote]) => {
      basis = CostBasis.trade(basis, side, base, quote)
      return [basis.position, basis.cost, basis.realised]
    })
    assert.deepStrictEqual(seen, [
      [2n, 200n, 0n],
      [4n, 440n, 0n],
      [3n, 330n, 20n],
      [-2n, 200n, -10n],
      [-1n, 100n, 0n]
    ])
  })

  it("loses no unit: inflow less outflow is realised profit plus cost", () => {
    for (let seed = 1; seed <= 200; seed++) {
      const next = numbers(seed)
      let [basis, flow, position] = [CostBasis.empty, 0n, 0n]
      for (let step = 0; step < 30; step++) {
        const side = next(2) === 0n ? "BUY" : "SELL"
        const [base, quote] = [next(1_000), next(100_000)]
        basis = CostBasis.trade(basis, side, base, quote)
        flow += side === "BUY" ? -quote : quote
        position += side === "BUY" ? base : -base
        const { cost, realised } = basis
        assert.strictEqual(basis.position, position)
        assert.isTrue(cost >= 0n && (position !== 0n || cost === 0n), `seed ${seed}`)
        assert.strictEqual(flow, position > 0n ? realised - cost : realised + cost, `seed ${seed}`)
      }
    }
  })
})
