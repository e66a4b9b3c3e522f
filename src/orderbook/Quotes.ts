/** Executable prices: a dry quote in each direction for a tradable size. Every answer also checks the configured decimals of the assets. */
import { Clock, Effect, Schema } from "effect"
import { type Amount, type Asset, format, max } from "../domain/Amount.ts"
import type { DepthLevel } from "../domain/Book.ts"
import * as Decimal from "../domain/Decimal.ts"
import { type Market, type Price, quoteAmount, type TwoSidedPrice } from "../domain/Market.ts"
import { present } from "../domain/Present.ts"
import { type DryQuote, Venue } from "../venue/Venue.ts"
import type { VenueError } from "../venue/VenueError.ts"

export class WrongDecimals extends Schema.TaggedError<WrongDecimals>()("WrongDecimals", {
  symbol: Schema.String,
  configured: Schema.Int,
  amount: Schema.String,
  shown: Schema.String
}) {
  override get message(): string {
    return `Asset ${this.symbol} is configured with ${this.configured} decimals, but the venue shows ${this.amount} smallest units as ${this.shown}. Correct assets.${this.symbol}.decimals; nothing was traded.`
  }

  get since(): string {
    return `the venue shows ${this.amount} smallest units of ${this.symbol} as ${this.shown}, with other decimals than before`
  }
}

export type QuoteSizes = Readonly<Record<"base" | "quote", Amount>>

const priceDigits = 12

const ratio = (
  market: Market,
  quote: Amount,
  base: Amount,
  rounding: Decimal.Rounding
): Decimal.Decimal | undefined => {
  if (quote <= 0n || base <= 0n) return undefined
  const quoteUnits = Decimal.make(quote, market.quote.decimals)
  const baseUnits = Decimal.make(base, market.base.decimals)
  const magnitude = Math.floor(Math.log10(Decimal.toNumber(quoteUnits) / Decimal.toNumber(baseUnits)))
  return Decimal.divide(quoteUnits, baseUnits, Math.max(0, priceDigits - 1 - magnitude), rounding)
}

/** An output of fewer units is rounded by more than a basis point. */
const fineUnits = 10_000n

/** A quote rounds its output down to a unit. If that is too coarse for a price, the same output is requested exactly. */
const quoted = Effect.fnUntraced(function* (origin: Asset, destination: Asset, amount: Amount) {
  const [venue, assets] = [yield* Venue, { originAsset: origin.id, destinationAsset: destination.id }]
  const first = yield* venue.dryQuote({ ...assets, amount })
  const { amountIn, amountOut } = first.value
  return amountOut >= fineUnits || amountOut >= amountIn
    ? first
    : yield* venue.dryQuote({ ...assets, amount: amountOut, isOutput: true })
})

const buying = ({ base, quote }: Market, amount: Amount) => quoted(quote, base, amount)
const selling = ({ base, quote }: Market, amount: Amount) => quoted(base, quote, amount)

const askIn = (market: Market, { amountIn, amountOut }: DryQuote) => ratio(market, amountIn, amountOut, "up")
const bidIn = (market: Market, { amountIn, amountOut }: DryQuote) => ratio(market, amountOut, amountIn, "down")

/** Returns bid, ask and their base quantity; `undefined` if the quotes are unusable (zero amounts, crossed sides). */
export const observe = Effect.fn("Quotes.observe")(function* (market: Market, sizes: QuoteSizes) {
  // A price is as old as its request, because the answer may take long.
  const at = yield* Clock.currentTimeMillis
  const [bought, sold] =
    sizes.quote > 0n && sizes.base > 0n
      ? yield* Effect.all([buying(market, sizes.quote), selling(market, sizes.base)], { concurrency: 2 })
      : sizes.quote > 0n
        ? yield* Effect.flatMap(buying(market, sizes.quote), (first) =>
            Effect.map(selling(market, first.value.amountOut), (second) => [first, second] as const)
          )
        : yield* Effect.flatMap(selling(market, sizes.base), (first) =>
            Effect.map(buying(market, first.value.amountOut), (second) => [second, first] as const)
          )
  yield* verifyDecimals(bought.value, market.quote, market.base)
  yield* verifyDecimals(sold.value, market.base, market.quote)

  const [ask, bid] = [askIn(market, bought.value), bidIn(market, sold.value)]
  if (ask === undefined || bid === undefined || Decimal.isGreater(bid, ask)) return undefined
  return { price: { bid, ask, at } satisfies TwoSidedPrice, quantity: max(bought.value.amountOut, sold.value.amountIn) }
})

/** Requests both sides for one base quantity. The level lacks a side that the venue does not quote. */
export const level = Effect.fn("Quotes.level")(function* (market: Market, quantity: Amount, near: Price) {
  const at = yield* Clock.currentTimeMillis
  const cost = quoteAmount(market, quantity, near, "up")
  const [bought, sold] = yield* Effect.all(
    [unlessRefused(buying(market, cost)), unlessRefused(selling(market, quantity))],
    { concurrency: 2 }
  )
  const ask = bought === undefined ? undefined : askIn(market, bought.value)
  const bid = sold === undefined ? undefined : bidIn(market, sold.value)
  return { quantity, at, ...present({ bid, ask }) } satisfies DepthLevel
})

/** Requests a quote of one input unit. Fails if the venue does not know one of the assets, or knows it with other decimals. */
export const verify = Effect.fn("Quotes.verify")(function* (input: Asset, output: Asset) {
  const amount = Decimal.powerOfTen(input.decimals)
  const ask = { originAsset: input.id, destinationAsset: output.id, amount }
  const { value } = yield* Venue.use((venue) => venue.dryQuote(ask))
  yield* verifyDecimals(value, input, output)
})

const unlessRefused = <A>(quote: Effect.Effect<A, VenueError, Venue>) =>
  quote.pipe(Effect.catchReason("VenueError", "Rejected", () => Effect.succeed(undefined)))

const verifyDecimals = Effect.fnUntraced(function* (quote: DryQuote, input: Asset, output: Asset) {
  const sides = [
    { asset: input, amount: quote.amountIn, shown: quote.amountInFormatted },
    { asset: output, amount: quote.amountOut, shown: quote.amountOutFormatted }
  ]
  const wrong = sides.find(({ asset, amount, shown }) => shownDiffers(asset, amount, shown))
  if (wrong === undefined) return
  const { asset, amount, shown } = wrong
  return yield* new WrongDecimals({
    symbol: asset.symbol,
    configured: asset.decimals,
    amount: amount.toString(),
    shown
  })
})

/** The venue may cut off final digits of a shown amount. It may never move the decimal point. */
const shownDiffers = (asset: Asset, amount: Amount, shown: string): boolean => {
  const value = Decimal.parse(shown)
  if (value === undefined || amount === 0n) return false
  const exact = format(amount, asset.decimals)
  if (exact === Decimal.format(value)) return false
  const relative = Decimal.toNumber(value) / Number(exact)
  return relative < 0.99 || relative > 1.01
}
