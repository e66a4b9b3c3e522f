/** The rows of slots: the distance of an order from the price is exact, also of a far one. */
import { assert, describe, it } from "@effect/vitest"
import * as Decimal from "../../src/domain/Decimal.ts"
import { slotsOf } from "../../src/views/Slots.ts"
import { remembered, until } from "../engine/firstOrder.ts"
import { assetsBySymbol } from "../world/bitcoin.ts"

describe("the row of an open order", () => {
  it("says the whole distance at three times the price", () => {
    const price = Decimal.make(20_000n)
    const prices = new Map([["BTC/USDC", { bid: price, ask: price, at: 0 }]])
    const [row] = slotsOf(remembered(until("StatusSeen")), assetsBySymbol, prices)
    assert.strictEqual(row?.shortState, "200.00 % away")
    assert.isBelow(row?.rank ?? 1, 1)
  })
})
