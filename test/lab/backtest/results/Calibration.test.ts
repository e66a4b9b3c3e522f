import { assert, describe, it } from "@effect/vitest"
import type { BotEvent, Recorded } from "../../../../src/domain/BotEvent.ts"
import * as Decimal from "../../../../src/domain/Decimal.ts"
import * as MeasuredRules from "../../../../src/lab/backtest/results/MeasuredRules.ts"
import type { SeenMinute } from "../../../../src/ledger/FillBand.ts"
import * as Calibration from "../../../../src/ledger/measured/Calibration.ts"

const minute = 60_000

/** The life of the n-th order: its steps take as many seconds as `n` says, and it fills in its third minute. */
const life = (n: number): ReadonlyArray<Recorded> => {
  const start = n * 20 * minute
  const about = { strategy: "s", slot: `slot-${n}`, placement: `p${n}` }
  const filledAt = start + 3 * minute + 20_000
  const amounts = { inputAsset: "USDC", amountIn: 100n, outputAsset: "BTC", amountOut: 1n }
  const events: ReadonlyArray<readonly [number, BotEvent]> = [
    [
      start,
      {
        _tag: "Planned",
        ...about,
        market: "BTC/USDC",
        side: "BUY",
        price: Decimal.make(100n),
        quantity: 1n,
        inputAsset: "USDC",
        inputAmount: 100n,
        outputAsset: "BTC",
        outputAmount: 1n,
        deadline: start + 1e9,
        why: { code: "test", text: "" }
      }
    ],
    [start + 1000, { _tag: "CreateSent", ...about, attempt: 1 }],
    [
      start + 1000 + n * 10,
      {
        _tag: "Bound",
        ...about,
        orderId: `o${n}`,
        depositAddress: "a",
        via: "reply",
        estimatedWithdrawFee: 0n,
        estimatedRefundFee: 0n
      }
    ],
    [start + n * 1000, { _tag: "DepositSeen", ...about, asset: "USDC", total: 100n, fresh: 100n }],
    [
      filledAt + 500,
      { _tag: "FillSeen", ...about, fillId: `f${n}`, side: "BUY", price: Decimal.make(100n), filledAt, ...amounts }
    ],
    [filledAt + n * 2000, { _tag: "PaidOut", ...about, asset: "BTC", amount: 1n, fee: 0n, txHashes: [] }]
  ]
  return events.map(([at, event], index) => ({ sequence: n * 10 + index, at, event }))
}

/** The second minute touches and does not fill, the third goes `n` basis points beyond. */
const minutesOf = (n: number): ReadonlyArray<SeenMinute> =>
  [101, 99.99, 100 - n / 100].map((low, index) => ({ openedAt: (n * 20 + index + 1) * minute, low, high: 105 }))

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const measure = (count: number) =>
  Calibration.measure(numbers(count).flatMap(life), new Map([["BTC/USDC", numbers(count).flatMap(minutesOf)]]))

describe("Calibration", () => {
  it("excludes what app fees take of the input, so that a backtest counts them once", () => {
    const ranges = new Map([["BTC/USDC", numbers(40).flatMap(minutesOf)]])
    const appFees = [{ recipient: "alice.near", fee: 5 }]
    const asked = Calibration.measure(numbers(40).flatMap(life), ranges, { appFees })
    assert.closeTo(asked.edge.p90, 31, 1e-6)
    const echoed = numbers(40).flatMap((n): ReadonlyArray<Recorded> => {
      const [planned, ...rest] = life(n)
      const echo = { _tag: "FeeEchoed", placement: `p${n}`, slot: "s", strategy: "s", credential: "partner" } as const
      const event = { ...echo, askedBasisPoints: 5, basisPoints: 20.01 }
      return planned === undefined ? [] : [planned, { ...planned, event }, ...rest]
    })
    assert.closeTo(Calibration.measure(echoed, ranges, { appFees }).edge.p90, 15.99, 1e-6)
  })

  it("measures orders, not swaps", () => {
    const ranges = new Map([["BTC/USDC", numbers(100).flatMap(minutesOf)]])
    const events = numbers(100).flatMap((n) =>
      life(n).map((each) =>
        n > 40 && each.event._tag === "Planned" ? { ...each, event: { ...each.event, by: "swap" as const } } : each
      )
    )
    assert.deepStrictEqual(Calibration.measure(events, ranges), measure(40))
  })

  it("measures times and margins by nearest rank", () => {
    const found = measure(40)
    assert.deepStrictEqual(found.place, { count: 40, p25: 10_000, p50: 20_000, p90: 36_000 })
    assert.deepStrictEqual(found.create, { count: 40, p25: 100, p50: 200, p90: 360 })
    assert.deepStrictEqual(found.payout, { count: 40, p25: 20_000, p50: 40_000, p90: 72_000 })
    assert.strictEqual(found.cancel.count, 0)
    assert.strictEqual(found.edge.count, 40)
    assert.closeTo(found.edge.p90, 36, 1e-6)
    assert.strictEqual(found.touched, 80)
    assert.strictEqual(found.touchedWithoutFill, 40)
  })

  it("learns from fills outside the band: late ones widen the pessimistic side, early ones the optimistic side", () => {
    /** All prices of the orders' minutes, moved: beyond the limit before the fill, or never as far as the limit. */
    const moved = (second: number, third: (n: number) => number) =>
      Calibration.measure(
        numbers(40).flatMap(life),
        new Map([
          [
            "BTC/USDC",
            numbers(40).flatMap((n) =>
              [101, second, third(n)].map((low, index) => ({ openedAt: (n * 20 + index + 1) * minute, low, high: 105 }))
            )
          ]
        ])
      )
    const late = moved(99, (n) => 100 - n / 100)
    assert.closeTo(late.late.p90, 100, 1e-6)
    assert.strictEqual(MeasuredRules.rulesFor(late, "pessimistic").edgeBasisPoints, 100)
    assert.strictEqual(MeasuredRules.rulesFor(late, "optimistic").edgeBasisPoints, 10)
    const early = moved(100.5, () => 100.2)
    assert.closeTo(early.early.p90, 20, 1e-6)
    assert.strictEqual(MeasuredRules.rulesFor(early, "optimistic").edgeBasisPoints, 0)
    assert.match(Calibration.describe(early).join("\n"), /not reached yet when it filled: 20\.0 basis points/)
  })

  it("uses values with enough observations, by side, and says which have too few", () => {
    const found = measure(40)
    assert.deepStrictEqual(MeasuredRules.rulesFor(found, "optimistic"), {
      placeMillis: 10_000,
      payoutMillis: 20_000,
      edgeBasisPoints: 1
    })
    assert.deepStrictEqual(MeasuredRules.rulesFor(found, "pessimistic"), {
      placeMillis: 36_000,
      payoutMillis: 72_000,
      edgeBasisPoints: 20
    })
    const text = Calibration.describe(found).join("\n")
    assert.match(text, /cancelling: measured 0 times, 30 are needed: the default is used/)
    assert.match(text, /placing: 10\.0 s, 20\.0 s, 36\.0 s .* in 40 observations/)
    assert.match(text, /40 of 80 minutes that reached a resting order did not fill it/)
    assert.deepStrictEqual(MeasuredRules.rulesFor(measure(Calibration.enough - 1), "pessimistic"), {})
  })
})
