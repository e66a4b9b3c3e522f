/** The price that two dry quotes give. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { format } from "../../src/domain/Amount.ts"
import * as Decimal from "../../src/domain/Decimal.ts"
import * as Quotes from "../../src/orderbook/Quotes.ts"
import { Venue } from "../../src/venue/Venue.ts"

/** Bid and ask if the venue trades these smallest units for each other, both ways. */
const pricesOf = (base: readonly [bigint, decimals: number], quote: readonly [bigint, decimals: number]) => {
  const [[baseAmount, baseDecimals], [quoteAmount, quoteDecimals]] = [base, quote]
  const amountOf = (id: string) => {
    const [amount, decimals] = id === "BASE" ? base : quote
    return { amount, text: format(amount, decimals) }
  }
  const venue = Layer.mock(Venue)({
    dryQuote: ({ destinationAsset, originAsset }) => {
      const [input, output] = [amountOf(originAsset), amountOf(destinationAsset)]
      return Effect.succeed({
        value: {
          amountIn: input.amount,
          amountInFormatted: input.text,
          amountOut: output.amount,
          amountOutFormatted: output.text
        }
      })
    }
  })
  const market = {
    name: "BASE/QUOTE",
    base: { symbol: "BASE", id: "BASE", decimals: baseDecimals },
    quote: { symbol: "QUOTE", id: "QUOTE", decimals: quoteDecimals }
  }
  return Quotes.observe(market, { base: baseAmount, quote: quoteAmount }).pipe(
    Effect.map((quotes) => [quotes?.price.bid, quotes?.price.ask].map((price) => price && Decimal.format(price))),
    Effect.provide(venue)
  )
}

describe("a quoted price", () => {
  it.effect("has twelve digits, however high or low, with the bid rounded down and the ask up", () =>
    Effect.gen(function* () {
      const three = [300_000_000n, 8] as const
      assert.deepStrictEqual(yield* pricesOf(three, [100_000_000_000n, 6]), ["33333.3333333", "33333.3333334"])
      assert.deepStrictEqual(yield* pricesOf(three, [10_000n, 6]), ["0.00333333333333", "0.00333333333334"])
    })
  )

  it.effect("of more than twelve digits before the point is a whole number", () =>
    Effect.gen(function* () {
      const prices = yield* pricesOf([3n, 0], [100_000_000_000_000n, 0])
      assert.deepStrictEqual(prices, ["33333333333333", "33333333333334"])
    })
  )
})
