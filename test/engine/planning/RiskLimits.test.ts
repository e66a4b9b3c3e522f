import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { type Circumstances, check, type LimitName } from "../../../src/engine/planning/RiskLimits.ts"

const market = {
  name: "BTC/USDC",
  base: { symbol: "BTC", id: "btc", decimals: 8 },
  quote: { symbol: "USDC", id: "usdc", decimals: 6 }
}
/** 0.1 BTC at 59,000: 5,900 USDC. */
const desired = {
  slot: "a",
  leg: 0,
  side: "BUY",
  price: Decimal.make(59_000n),
  quantity: 10_000_000n,
  why: { code: "t", text: "t" }
} as const
const noon = 12 * 3_600_000

const fine: Circumstances = {
  now: noon,
  market,
  limits: {
    budget: { base: 0n, quote: 10_000_000_000n },
    maxOpenOrders: 10,
    maxPriceDeviation: Decimal.make(5n, 2),
    staleAfterMillis: 30_000
  },
  price: { bid: Decimal.make(59_990n), ask: Decimal.make(60_010n), at: noon },
  openOrders: 0,
  free: 5_900_000_000n,
  openNotional: 0n,
  lastHour: 0,
  overall: { openOrders: 0, lastHour: 0, exposure: 0n }
}

const limits = (change: Partial<Circumstances["limits"]>): Circumstances => ({
  ...fine,
  limits: { ...fine.limits, ...change }
})
const verdictOf = (at: Circumstances, order = desired): LimitName | "approved" => {
  const verdict = check(order, at)
  return Result.isSuccess(verdict) ? "approved" : verdict.failure.limit
}

describe("a swap", () => {
  const at = (bid: bigint, ask: bigint): Circumstances => ({
    ...fine,
    price: { bid: Decimal.make(bid), ask: Decimal.make(ask), at: noon }
  })
  const sale = { ...desired, side: "SELL", by: "swap" } as const
  const said = (order: typeof sale | (typeof desired & { readonly by: "swap" }), price: Circumstances) => {
    const verdict = check(order, { ...price, free: 10n ** 12n })
    return Result.isSuccess(verdict) ? "approved" : `${verdict.failure.limit}: ${verdict.failure.reason}`
  }

  it("waits until the venue would make it at its limit or better", () => {
    assert.strictEqual(said(sale, at(59_000n, 59_100n)), "approved")
    assert.strictEqual(
      said(sale, at(58_764n, 59_100n)),
      "swap-price: A swap would bring 0.40 % less than allowed: at 58764, and 59000 is the worst"
    )
    const purchase = { ...desired, by: "swap" } as const
    assert.strictEqual(said(purchase, at(58_000n, 59_000n)), "approved")
    assert.include(said(purchase, at(58_900n, 59_001n)), "swap-price: A swap would bring 0.01 % less than allowed")
  })
})

describe("RiskLimits", () => {
  it("approves what is inside every limit", () => {
    assert.strictEqual(verdictOf(fine), "approved")
  })

  const cases: ReadonlyArray<readonly [LimitName, Circumstances, Circumstances]> = [
    ["kill-switch", { ...fine, killed: "stop" }, fine],
    ["frozen", { ...fine, frozen: "contradiction" }, fine],
    ["paused", { ...fine, paused: "lost too much" }, fine],
    ["stale-price", { ...fine, now: noon + 30_001 }, { ...fine, now: noon + 30_000 }],
    ["stale-price", { ...fine, now: noon - 30_001 }, { ...fine, now: noon - 30_000 }],
    [
      "price-deviation",
      { ...fine, price: { bid: Decimal.make(56_190n), ask: Decimal.make(56_190n), at: noon } },
      { ...fine, price: { bid: Decimal.make(56_191n), ask: Decimal.make(56_191n), at: noon } }
    ],
    ["open-orders", { ...fine, openOrders: 10 }, { ...fine, openOrders: 9 }],
    ["budget", { ...fine, free: 5_899_999_999n }, fine],
    ["min-order", limits({ minOrder: 5_900_000_001n }), limits({ minOrder: 5_900_000_000n })],
    [
      "notional",
      { ...limits({ maxNotional: 6_000_000_000n }), openNotional: 100_000_001n },
      { ...limits({ maxNotional: 6_000_000_000n }), openNotional: 100_000_000n }
    ],
    [
      "orders-per-hour",
      { ...limits({ maxOrdersPerHour: 3 }), lastHour: 3 },
      { ...limits({ maxOrdersPerHour: 3 }), lastHour: 2 }
    ],
    [
      "quiet-hours",
      limits({ quietHours: { fromMinute: 11 * 60, toMinute: 13 * 60 } }),
      limits({ quietHours: { fromMinute: 13 * 60, toMinute: 12 * 60 } })
    ],
    [
      "quiet-hours",
      limits({ quietHours: { fromMinute: 22 * 60, toMinute: 12 * 60 + 1 } }),
      limits({ quietHours: { fromMinute: 22 * 60, toMinute: 6 * 60 } })
    ],
    [
      "all-open-orders",
      { ...fine, overall: { ...fine.overall, maxOpenOrders: 5, openOrders: 5 } },
      { ...fine, overall: { ...fine.overall, maxOpenOrders: 5, openOrders: 4 } }
    ],
    [
      "all-orders-per-hour",
      { ...fine, overall: { ...fine.overall, maxOrdersPerHour: 5, lastHour: 5 } },
      { ...fine, overall: { ...fine.overall, maxOrdersPerHour: 5, lastHour: 4 } }
    ],
    [
      "all-exposure",
      { ...fine, overall: { ...fine.overall, maxExposure: 6_000_000_000n, exposure: 100_000_001n } },
      { ...fine, overall: { ...fine.overall, maxExposure: 6_000_000_000n, exposure: 100_000_000n } }
    ]
  ]
  for (const [limit, beyond, just] of cases) {
    it(`${limit} denies just beyond, and not at its edge`, () => {
      assert.strictEqual(verdictOf(beyond), limit)
      assert.strictEqual(verdictOf(just), "approved")
    })
  }

  it("denies an order that rounds to nothing", () => {
    assert.strictEqual(verdictOf(fine, { ...desired, quantity: 0n as 10_000_000n }), "tiny")
  })
})
