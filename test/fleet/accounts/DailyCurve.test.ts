/** The profit curve in an account's row: one point for each UTC day, and the present total last. */
import { assert, describe, it } from "@effect/vitest"
import * as DailyCurve from "../../../src/fleet/accounts/DailyCurve.ts"
import type { ProfitReport } from "../../../src/journal/ProfitReport.ts"

const at = (day: number, hour = 0) => Date.UTC(2026, 0, day, hour)
const usdc = (total: string): ProfitReport => ({ asset: "USDC", total, share: null })
const lastReport = (profit: ProfitReport, toldSecondsAgo: number) => ({
  told: { failing: null, openOrders: 0, fills: 0, events: 0, problems: [], money: [], profit: [profit] },
  toldSecondsAgo
})

describe("the profit curve of an account", () => {
  it("begins at zero and ends at the present total, with one point for each day", () => {
    const withCurves = DailyCurve.after(undefined, at(1))
    const curve = (total: string, now: number) => withCurves([usdc(total)], now)[0]?.curve
    assert.deepStrictEqual(curve("1", at(1, 1)), [0, 1])
    assert.deepStrictEqual(curve("2.5", at(1, 23)), [0, 2.5])
    assert.deepStrictEqual(curve("-2", at(2)), [0, 2.5, -2])
  })

  it("continues under another runner, from the day of the last report", () => {
    const last = { ...usdc("2"), curve: [0, 2.5, 2] }
    const curve = (secondsAgo: number) =>
      DailyCurve.after(lastReport(last, secondsAgo), at(3, 2))([usdc("3")], at(3, 2))[0]?.curve
    assert.deepStrictEqual(curve(3_600), [0, 2.5, 3])
    assert.deepStrictEqual(curve(7_201), [0, 2.5, 2, 3])
  })

  it("begins at the total that an earlier version reported", () => {
    const withCurves = DailyCurve.after(lastReport(usdc("2"), 1), at(3, 2))
    assert.deepStrictEqual(withCurves([usdc("3")], at(3, 2))[0]?.curve, [2, 3])
  })

  it("keeps the last point of a day although the first report of the next has none", () => {
    const withCurves = DailyCurve.after(undefined, at(1))
    withCurves([usdc("1")], at(1, 23))
    withCurves([], at(2))
    assert.deepStrictEqual(withCurves([usdc("3")], at(2, 1))[0]?.curve, [0, 1, 3])
  })

  it("keeps the newest 30 points of each quote asset", () => {
    const withCurves = DailyCurve.after(undefined, at(1))
    const days = Array.from({ length: 40 }, (_, day) =>
      withCurves([usdc(String(day)), { ...usdc("7"), asset: "EUR" }], at(1 + day))
    )
    const [dollars, euros] = days.at(-1) ?? []
    assert.deepStrictEqual([dollars?.curve?.length, dollars?.curve?.[0], dollars?.curve?.at(-1)], [30, 10, 39])
    assert.deepStrictEqual(new Set(euros?.curve), new Set([7]))
  })

  it("is missing for an asset that is no longer configured", () => {
    const [reported] = DailyCurve.after(undefined, at(1))([usdc("5 smallest units of USDC")], at(1))
    assert.deepStrictEqual(reported, usdc("5 smallest units of USDC"))
  })
})
