/** What fees do to the profit of one market: one in base counts at the price of its order, rounded up; one in quote as it is. */
import { assert, describe, it } from "@effect/vitest"
import { fillPresets } from "../../../../src/lab/backtest/kernel/FillPresets.ts"
import * as OrderTable from "../../../../src/lab/backtest/kernel/orders/OrderTable.ts"
import { TradingResult } from "../../../../src/lab/backtest/kernel/state/TradingResult.ts"
import { price } from "../../../strategy/support.ts"
import { market } from "../../../world/bitcoin.ts"

const about = {
  slot: 0,
  leg: 0,
  price: price("60000"),
  quantity: 7n,
  endsOrder: true,
  isPart: false,
  isExit: undefined
}
/** 7 units for 420,000 less 3 units; sold for 420,000 less 20. */
const bought = { ...about, side: "BUY", input: 420_000n, output: 4n, fee: 3n } as const
const sold = { ...about, side: "SELL", input: 7n, output: 419_980n, fee: 20n } as const

const made = () => {
  const table = OrderTable.make(market, fillPresets.optimistic)
  const log = OrderTable.emptyLog()
  return { table, log, result: new TradingResult({ table, log }, 0n) }
}

describe("the trading result of a market", () => {
  it("is charged the cost of each fill once", () => {
    const { log, result, table } = made()
    const fill = (row: OrderTable.OrderRow) => OrderTable.fill(table, log, 0, OrderTable.add(table, row))
    fill(bought)
    result.fold()
    result.fold()
    assert.deepStrictEqual(result.position.basis, { position: 4n, cost: 240_000n, realised: -180_000n })
    fill({ ...sold, input: 4n, output: 239_980n })
    result.fold()
    assert.deepStrictEqual(result.position.basis, { position: 0n, cost: 0n, realised: -180_020n })
  })

  const charges = [
    ["a refund of a purchase is in quote", (result: TradingResult) => result.chargeRefund(bought, 5n), 5n],
    ["a refund of a sale is in base", (result: TradingResult) => result.chargeRefund(sold, 2n), 120_000n],
    ["a payout of a purchase is in base", (result: TradingResult) => result.chargePayout(bought, 2n), 120_000n],
    ["a payout of a sale is in quote", (result: TradingResult) => result.chargePayout(sold, 5n), 5n]
  ] as const
  it.each(charges)("%s", (_, charge, expected) => {
    const { result } = made()
    charge(result)
    assert.strictEqual(result.position.basis.realised, -expected)
  })

  it("rounds a fee up, and charges nothing for an order of zero", () => {
    const { result } = made()
    result.chargePayout({ ...bought, input: 100n }, 1n)
    assert.strictEqual(result.position.basis.realised, -15n)
    result.chargeRefund({ ...sold, input: 0n }, 1n)
    assert.strictEqual(result.position.basis.realised, -15n)
  })
})
