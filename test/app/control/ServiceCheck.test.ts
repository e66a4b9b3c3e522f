/** The size of the dry quote with which the service is compared. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as ServiceCheck from "../../../src/app/control/ServiceCheck.ts"
import * as Decimal from "../../../src/domain/Decimal.ts"
import { Canary } from "../../../src/venue/canary/Canary.ts"
import { factsOf } from "../../../src/venue/profile/Profiles.ts"
import { Venue } from "../../../src/venue/Venue.ts"
import { market } from "../../world/bitcoin.ts"

const facts = factsOf("document", "intents.native")
const { base, quote } = market

const quotedOf = Effect.fnUntraced(function* (
  { minOrderUsd, orders }: { readonly minOrderUsd?: Decimal.Decimal; readonly orders?: typeof facts.orders },
  decimals: number,
  priceUsd: number | undefined
) {
  const amounts: Array<bigint> = []
  const look = (_: unknown, amount: bigint) => {
    amounts.push(amount)
    return Effect.succeed({ drift: [], checked: ["quote"], unchecked: [], isWhole: true })
  }
  const listed = { assetId: base.id, symbol: base.symbol, decimals, blockchain: "btc" }
  const tokens = priceUsd === undefined ? [] : [{ ...listed, priceUsd }]
  const witnesses = Layer.merge(
    Layer.succeed(Canary, { look, order: () => Effect.succeed([]) }),
    Layer.mock(Venue)({ tokens: Effect.succeed(tokens) })
  )
  const venue = { facts: orders === undefined ? facts : { ...facts, orders }, minOrderUsd }
  const markets = { assets: [{ ...base, decimals }, quote], ticks: new Map() }
  const { quoted } = yield* Effect.provide(ServiceCheck.look({ markets, venue }), witnesses)
  return [amounts[0], quoted] as const
})

describe("the dry quote of a comparison", () => {
  it.effect("has a small usual value of the asset, and at least the smallest order", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* quotedOf({}, 8, 50_000), [20_000n, "0.0002 BTC in USDC"])
      const smallest = { ...facts.orders, minUsd: 25, chainMinUsd: { btc: 50 } }
      assert.strictEqual((yield* quotedOf({ orders: smallest }, 8, 50_000))[0], 100_000n)
      assert.strictEqual((yield* quotedOf({ minOrderUsd: Decimal.make(100n) }, 8, 50_000))[0], 200_000n)
    })
  )

  it.effect("has at least one unit of an asset without decimals, and a whole one of an asset without a price", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* quotedOf({}, 0, 0.002))[0], 5_000n)
      assert.strictEqual((yield* quotedOf({}, 0, 40))[0], 1n)
      assert.deepStrictEqual(yield* quotedOf({}, 8, undefined), [100_000_000n, "1 BTC in USDC"])
    })
  )
})
