/** A fill's price is what was exchanged, on every surface; the limit is what was asked for. */
import { assert, it } from "@effect/vitest"
import * as Decimal from "../../src/domain/Decimal.ts"
import { fillView } from "../../src/views/Fills.ts"
import { assetsBySymbol as assets } from "../world/bitcoin.ts"

it("a purchase at 59,900 that costs less shows its actual cost", () => {
  const view = fillView(
    1,
    {
      _tag: "FillSeen",
      strategy: "grid",
      slot: "cell-09",
      placement: "p1",
      fillId: "f1",
      side: "BUY",
      price: Decimal.make(59_900n),
      inputAsset: "USDC",
      amountIn: 298_430_000n,
      outputAsset: "BTC",
      amountOut: 500_000n,
      filledAt: 1
    },
    assets
  )
  assert.strictEqual(view.price, "59686")
})
