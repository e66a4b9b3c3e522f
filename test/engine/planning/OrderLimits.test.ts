/** Each limit denies just beyond its edge and says why with its figures; losses are counted from marks. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { BotEvent } from "../../../src/domain/BotEvent.ts"
import { noPosition } from "../../../src/domain/CostBasis.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { type Hold, holdsOnSlot } from "../../../src/engine/holds/Holds.ts"
import { isOver, lossOf, marked } from "../../../src/engine/planning/LossGuard.ts"
import {
  check,
  type LimitInputs,
  type LimitName,
  orderLimits,
  refusedBy,
  shutBy,
  sized
} from "../../../src/engine/planning/OrderLimits.ts"
import * as BotState from "../../../src/engine/state/BotState.ts"
import { market } from "../../world/bitcoin.ts"

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

const fine: LimitInputs = {
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
  held: [],
  leavingBase: 0n,
  position: noPosition,
  free: 5_900_000_000n,
  openNotional: 0n,
  lastHour: 0,
  overall: { openOrders: 0, lastHour: 0, exposure: 0n }
}

const hold = (code: string, text: string): Hold => ({ scope: "slot", code, text, lifts: "resume", stops: ["create"] })

const limits = (change: Partial<LimitInputs["limits"]>): LimitInputs => ({
  ...fine,
  limits: { ...fine.limits, ...change }
})
const verdictOf = (at: LimitInputs, order = desired): LimitName | "approved" => {
  const verdict = check(order, at)
  return Result.isSuccess(verdict) ? "approved" : verdict.failure.limit
}

describe("a swap", () => {
  const at = (bid: bigint, ask: bigint): LimitInputs => ({
    ...fine,
    price: { bid: Decimal.make(bid), ask: Decimal.make(ask), at: noon }
  })
  const sale = { ...desired, side: "SELL", by: "swap" } as const
  const said = (order: typeof sale | (typeof desired & { readonly by: "swap" }), price: LimitInputs) => {
    const verdict = check(order, { ...price, free: 10n ** 12n })
    return Result.isSuccess(verdict) ? "approved" : `${verdict.failure.limit}: ${verdict.failure.reason}`
  }

  it("waits until the venue would make it at its limit or better", () => {
    assert.strictEqual(said(sale, at(59_000n, 59_100n)), "approved")
    assert.strictEqual(
      said(sale, at(58_764n, 59_100n)),
      "swap-price: A swap would return 0.40 % less than allowed: at 58764, the limit is 59000"
    )
    const purchase = { ...desired, by: "swap" } as const
    assert.strictEqual(said(purchase, at(58_000n, 59_000n)), "approved")
    assert.include(said(purchase, at(58_900n, 59_001n)), "swap-price: A swap would return 0.01 % less than allowed")
  })
})

describe("the limits of an order", () => {
  it("approve an order inside every limit", () => {
    assert.strictEqual(verdictOf(fine), "approved")
  })

  const cases: ReadonlyArray<readonly [LimitName, LimitInputs, LimitInputs]> = [
    ["kill-switch", { ...fine, held: [hold("kill-switch", "stop")] }, fine],
    ["frozen", { ...fine, held: [hold("frozen", "contradiction")] }, fine],
    ["paused", { ...fine, held: [hold("paused", "lost too much")] }, fine],
    ["held", { ...fine, held: [hold("journal-behind", "an order is not known")] }, fine],
    ["stale-price", { ...fine, now: noon + 30_001 }, { ...fine, now: noon + 30_000 }],
    ["stale-price", { ...fine, now: noon - 30_001 }, { ...fine, now: noon - 30_000 }],
    [
      "price-deviation",
      { ...fine, price: { bid: Decimal.make(56_190n), ask: Decimal.make(56_190n), at: noon } },
      { ...fine, price: { bid: Decimal.make(56_191n), ask: Decimal.make(56_191n), at: noon } }
    ],
    ["open-orders", { ...fine, openOrders: 10 }, { ...fine, openOrders: 9 }],
    ["budget", { ...fine, free: 5_899_999_999n }, fine],
    ["leaving-orders", { ...fine, leavingBase: 1n }, fine],
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
    it(`deny an order just beyond ${limit}, and not at its edge`, () => {
      assert.strictEqual(verdictOf(beyond), limit)
      assert.strictEqual(verdictOf(just), "approved")
    })
  }

  it("deny an order that rounds to nothing", () => {
    assert.strictEqual(verdictOf(fine, { ...desired, quantity: 0n as 10_000_000n }), "tiny")
  })
})

describe("the text of a refusal", () => {
  const said = (at: LimitInputs, order: Partial<Parameters<typeof check>[0]> = {}): string => {
    const verdict = check({ ...desired, ...order }, at)
    return Result.isSuccess(verdict) ? "approved" : verdict.failure.reason
  }
  const overall = { ...fine.overall, lastHour: 5, openOrders: 5, maxExposure: 6_000_000_000n, exposure: 100_000_001n }
  const sale = { ...fine, free: 1n, overall: { ...overall, maxExposure: 5n, exposure: 3n } }
  const at = (text: string) => ({ bid: Decimal.make(BigInt(text)), ask: Decimal.make(BigInt(text)), at: noon })

  it("has the figures, in the asset that the order pays with", () => {
    const cases: ReadonlyArray<readonly [string, string]> = [
      [said({ ...fine, held: [hold("kill-switch", "stop")] }), "stop"],
      [said({ ...fine, held: [hold("frozen", "odd")] }), "odd"],
      [said({ ...fine, held: [hold("paused", "lost")] }), "lost"],
      [said(limits({ quietHours: { fromMinute: 0, toMinute: 13 * 60 + 5 } })), "Quiet hours until 13:05 UTC"],
      [said({ ...fine, now: noon + 30_001 }), "The price is 30001 ms old, more than 30000 ms"],
      [
        said({ ...fine, price: at("56190") }),
        "BUY at 59000 is beyond 58999.5, the worst allowed at a mid of 56190; it waits for a mid above 56190.476, or raise limits.maxPriceDeviation"
      ],
      [
        said({ ...fine, price: at("62106") }, { side: "SELL" }),
        "SELL at 59000 is beyond 59000.7, the worst allowed at a mid of 62106; it waits for a mid below 62105.263, or raise limits.maxPriceDeviation"
      ],
      [said({ ...fine, openOrders: 10 }), "10 open orders, the maximum is 10"],
      [said(fine, { quantity: 0n }), "The order rounds to nothing"],
      [said(limits({ minOrder: 5_900_000_001n })), "Its value of 5900 USDC is below the minimum of 5900.000001 USDC"],
      [
        said({ ...limits({ maxNotional: 6_000_000_000n }), openNotional: 100_000_001n }),
        "Open orders would total 6000.000001 USDC, the maximum is 6000 USDC"
      ],
      [said({ ...limits({ maxOrdersPerHour: 3 }), lastHour: 3 }), "3 orders in the last hour, the maximum is 3"],
      [
        said({ ...fine, overall: { ...overall, maxOpenOrders: 5 } }),
        "5 open orders of all strategies, the maximum is 5"
      ],
      [
        said({ ...fine, overall: { ...overall, maxOrdersPerHour: 5 } }),
        "5 orders of all strategies in the last hour, the maximum is 5"
      ],
      [said({ ...fine, overall }), "All strategies would have 6000.000001 USDC in orders, the maximum is 6000 USDC"],
      [
        said(sale, { side: "SELL" }),
        "All strategies would have 0.10000003 BTC in orders, the maximum is 0.00000005 BTC"
      ],
      [said({ ...fine, free: 1n }), "It needs 5900 USDC, the strategy has 0.000001 USDC free"],
      [said({ ...fine, free: 1n }, { side: "SELL" }), "It needs 0.1 BTC, the strategy has 0.00000001 BTC free"]
    ]
    for (const [found, expected] of cases) assert.strictEqual(found, expected)
  })

  describe("with the minimum order judges an exit after a stop by its position", () => {
    const least = limits({ minOrder: 6_000_000_000n })
    const row = orderLimits.find(({ name }) => name === "min-order")
    const shown = (
      [position, peak]: readonly [position: bigint, peak: bigint],
      change: { readonly side?: "BUY" | "SELL"; readonly code?: string; readonly isExit?: true }
    ) => {
      const { code = "stop", side = "SELL", ...exit } = change
      const order = sized({ ...desired, side, why: { code, text: "t" }, ...exit }, market)
      const at = { ...least, position: { ...noPosition, basis: { ...noPosition.basis, position }, peak } }
      const refusal = row?.refuses(order, at)
      return [refusal ?? "passes", row?.stateText(order, at), row?.flips(order, at, refusal === undefined)]
    }
    const own = [
      "Its value of 5900 USDC is below the minimum of 6000 USDC",
      "value 5900 USDC, at least 6000 USDC",
      "a value of 6000 USDC or more"
    ]
    const worthIt = ["passes", "whole position 11800 USDC, at least 6000 USDC", "a whole position below 6000 USDC"]
    const less = [
      "Its whole position of 5900.00059 USDC is below the minimum of 6000 USDC",
      "whole position 5900.00059 USDC, at least 6000 USDC",
      "a whole position of 6000 USDC or more"
    ]
    const isExit = true
    it.each([
      ["a sale of a position worth the minimum", [20_000_000n, 20_000_000n], { isExit }, worthIt],
      ["a sale of the rest of such a position", [10_000_000n, 20_000_000n], { isExit }, worthIt],
      ["a purchase for a position below zero", [-20_000_000n, 20_000_000n], { isExit, side: "BUY" }, worthIt],
      ["a sale of a smaller position", [10_000_001n, 10_000_001n], { isExit }, less],
      ["a sale of all", [10_000_000n, 10_000_000n], { isExit }, own],
      ["a sale beside a position below zero", [-20_000_000n, 20_000_000n], { isExit }, own],
      ["a target", [20_000_000n, 20_000_000n], { isExit, code: "take-profit" }, own],
      ["an entry", [-20_000_000n, 20_000_000n], { side: "BUY" }, own]
    ] as const)("%s", (_, position, change, texts) => {
      assert.deepStrictEqual(shown(position, change), [...texts])
    })
  })

  it("comes from the first limit that refuses, in their order", () => {
    const all: LimitInputs = {
      ...limits({
        quietHours: { fromMinute: 0, toMinute: 1_439 },
        minOrder: 10n ** 12n,
        maxNotional: 0n,
        maxOrdersPerHour: 0
      }),
      held: [hold("kill-switch", "k"), hold("disk-full", "d"), hold("frozen", "f"), hold("paused", "p")],
      leavingBase: 1n,
      openOrders: 10,
      free: 0n,
      price: { bid: Decimal.one, ask: Decimal.make(70_000n), at: 0 },
      overall: { maxOpenOrders: 0, openOrders: 0, maxOrdersPerHour: 0, lastHour: 0, maxExposure: 0n, exposure: 0n }
    }
    const order = { ...desired, by: "swap" } as const
    const refused = orderLimits.map(
      ({ name, refuses }) => [name, refuses(sized(order, market), all) !== undefined] as const
    )
    assert.deepStrictEqual(
      refused.filter(([, is]) => !is).map(([name]) => name),
      ["tiny"]
    )
    const [first] = refused
    const verdict = check(order, all)
    assert.strictEqual(Result.isFailure(verdict) && verdict.failure.limit, first?.[0])
  })
})

describe("the text about what lifts a hold", () => {
  const paused = (limit: string): BotEvent => ({ _tag: "Paused", strategy: "s", limit, action: "pause", reason: "r" })
  const lifting = (event: BotEvent): ReadonlyArray<string | undefined> => {
    const state = BotState.make()
    BotState.apply(state, { sequence: 1, at: noon, event })
    const at = { ...fine, held: holdsOnSlot(state, "s", "x") }
    const order = sized(desired, market)
    return orderLimits
      .filter(({ refuses }) => refuses(order, at) !== undefined)
      .map(({ flips }) => flips(order, at, false))
  }

  it("names what lifts this pause", () => {
    for (const limit of ["operator", "early-ends", "refused-payments", "unexplained", "revived-orders"])
      assert.deepStrictEqual(lifting(paused(limit)), ["limitbot resume"], limit)
    assert.deepStrictEqual(lifting(paused("daily-loss")), ["limitbot resume, or a new day"])
    assert.deepStrictEqual(lifting(paused("drawdown")), ["limitbot resume, or a changed strategy file"])
  })

  it("agrees with the table of holds", () => {
    assert.deepStrictEqual(lifting({ _tag: "KillSwitch", on: true, reason: "r" }), ["limitbot kill --off"])
    assert.deepStrictEqual(lifting({ _tag: "WitnessDisagreed", size: 1, head: "h", text: "t" }), ["limitbot resolve"])
    assert.deepStrictEqual(lifting({ _tag: "DiskFull" }), ["the end of this hold"])
  })
})

describe("limits of backtests", () => {
  const priced = { side: "BUY", price: desired.price, quantity: desired.quantity } as const
  it("allow no order during a pause or in quiet hours, and name the pause first", () => {
    const quiet = limits({ quietHours: { fromMinute: 0, toMinute: 1_439 } }).limits
    const shut = (limits: LimitInputs["limits"], lost: string | undefined) => shutBy({ now: noon, limits, lost })
    assert.strictEqual(shut(quiet, "lost"), "paused")
    assert.strictEqual(shut(quiet, undefined), "quiet-hours")
    assert.strictEqual(shut(fine.limits, undefined), undefined)
  })

  it("refuse an order because of its price first, then its notional, then the count", () => {
    const tight = limits({ maxNotional: 0n, maxOrdersPerHour: 0 }).limits
    const of = (change: Partial<Parameters<typeof refusedBy>[1]>) =>
      refusedBy(priced, { market, limits: tight, price: fine.price, openNotional: 0n, lastHour: 0, ...change }, false)
    const far = { bid: Decimal.make(1n), ask: Decimal.make(1n) }
    assert.strictEqual(of({ price: far }), "price-deviation")
    assert.strictEqual(of({}), "notional")
    assert.strictEqual(of({ limits: limits({ maxOrdersPerHour: 0 }).limits }), "orders-per-hour")
    assert.strictEqual(of({ limits: fine.limits }), undefined)
  })
})

describe("marks of equity", () => {
  const day = 86_400_000
  const before = { day: 1, atStart: 100_000n, peak: 200_000n }

  it("begin with the first value, and with the first of each day", () => {
    assert.deepStrictEqual(marked(undefined, 5n, day), { marks: { day: 1, atStart: 5n, peak: 5n }, isNews: true })
    assert.deepStrictEqual(marked(before, 90_000n, 2 * day), {
      marks: { day: 2, atStart: 90_000n, peak: 200_000n },
      isNews: true
    })
    assert.deepStrictEqual(marked(before, 90_000n, 2 * day - 1), { marks: before, isNews: false })
  })

  it("rise with the equity, which is recorded if it rises by more than a thousandth", () => {
    assert.deepStrictEqual(marked(before, 200_200n, day), { marks: { ...before, peak: 200_200n }, isNews: false })
    assert.deepStrictEqual(marked(before, 200_201n, day), { marks: { ...before, peak: 200_201n }, isNews: true })
  })

  it("are broken just beyond the loss of a day and the fall from the peak", () => {
    const marks = { day: 1, atStart: 1_000n, peak: 2_001n }
    const daily = (worth: bigint) => lossOf({ maxDailyLoss: 100n }, marks, worth, market.quote)
    assert.strictEqual(daily(900n), undefined)
    assert.deepStrictEqual(daily(899n), {
      limit: "daily-loss",
      reason: "Lost 0.000101 USDC since midnight UTC, more than 0.0001 USDC"
    })
    const fall = (worth: bigint) => lossOf({ maxDrawdown: Decimal.make(1n, 1) }, marks, worth, market.quote)
    // Nine tenths of 2001 is 1800.9.
    assert.strictEqual(fall(1_800n), undefined)
    assert.deepStrictEqual(fall(1_799n), {
      limit: "drawdown",
      reason: "Equity is 0.001799 USDC, below 0.0018 USDC after a peak of 0.002001 USDC"
    })
    assert.strictEqual(lossOf({}, marks, 0n, market.quote), undefined)
  })

  it("end a daily pause the next day, and a drawdown only by the operator", () => {
    assert.isFalse(isOver({ limit: "daily-loss", day: 1 }, 2 * day - 1))
    assert.isTrue(isOver({ limit: "daily-loss", day: 1 }, 2 * day))
    assert.isFalse(isOver({ limit: "drawdown", day: 1 }, 2 * day))
  })
})

describe("quiet hours", () => {
  const at = (hour: number, minute: number, fromMinute: number, toMinute: number) => {
    const verdict = verdictOf({
      ...limits({ quietHours: { fromMinute, toMinute } }),
      now: 86_400_000 + (60 * hour + minute) * 60_000 + 59_999,
      price: { ...fine.price, at: 86_400_000 + (60 * hour + minute) * 60_000 }
    })
    return verdict === "quiet-hours"
  }
  it("begin with their first minute and end before their last, over midnight too", () => {
    assert.deepStrictEqual(
      [at(10, 59, 660, 780), at(11, 0, 660, 780), at(12, 59, 660, 780), at(13, 0, 660, 780)],
      [false, true, true, false]
    )
    assert.deepStrictEqual(
      [
        at(21, 59, 1_320, 360),
        at(22, 0, 1_320, 360),
        at(0, 0, 1_320, 360),
        at(5, 59, 1_320, 360),
        at(6, 0, 1_320, 360)
      ],
      [false, true, true, true, false]
    )
    assert.deepStrictEqual([at(11, 0, 660, 660), at(10, 0, 660, 660)], [true, true], "all day")
  })
})
