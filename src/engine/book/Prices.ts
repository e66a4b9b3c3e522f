/**
 * Executable two-sided prices. There is no public book, so a price is a dry quote in each direction for a size that the
 * strategy would trade: it includes the spread. Every answer also proves or disproves the configured decimals of both assets.
 */
import { Clock, Effect, Schema } from "effect"
import { type Amount, type Asset, format } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market, TwoSidedPrice } from "../../domain/Market.ts"
import type { Strategy } from "../../strategy/Strategy.ts"
import { type DryQuote, Venue } from "../../venue/Venue.ts"

/** The configured decimals of an asset are not the venue's: every amount would be wrong by a power of ten. */
export class WrongDecimals extends Schema.TaggedError<WrongDecimals>()("WrongDecimals", {
  symbol: Schema.String,
  configured: Schema.Int,
  amount: Schema.String,
  shown: Schema.String
}) {
  override get message(): string {
    return `Asset ${this.symbol} is configured with ${this.configured} decimals, but the venue shows ${this.amount} smallest units as ${this.shown}. Correct assets.${this.symbol}.decimals; nothing was traded.`
  }
}

/** Sizes for which a market is quoted: at least one of them positive. */
export interface QuoteSizes {
  readonly base: Amount
  readonly quote: Amount
}

/** What each market of these strategies is quoted for: about the size of one of its orders, a tenth of the budget. */
export const sizesOf = (strategies: ReadonlyArray<Strategy>) =>
  new Map(
    strategies.flatMap(({ market, others = [], limits: { budget } }) => {
      const of = (market: Market, base: Amount) =>
        [market.name, { market, sizes: { base: base / 10n, quote: budget.quote / 10n } satisfies QuoteSizes }] as const
      return [of(market, budget.base), ...others.map((each) => of(each, budget.others?.get(each.base.symbol) ?? 0n))]
    })
  )

/** Digits of a price computed from two amounts: far below any tick, and short enough to read. */
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

/** Bid and ask of a market now; `undefined` when the venue quotes nothing usable (zero amounts, crossed sides). */
export const observe = Effect.fn("Prices.observe")(function* (market: Market, sizes: QuoteSizes) {
  const venue = yield* Venue
  const buying = (amount: Amount) =>
    venue.dryQuote({ originAsset: market.quote.id, destinationAsset: market.base.id, amount })
  const selling = (amount: Amount) =>
    venue.dryQuote({ originAsset: market.base.id, destinationAsset: market.quote.id, amount })

  // The age of a price is counted from before the question: the answer may have been on the way for long.
  const at = yield* Clock.currentTimeMillis
  const [bought, sold] =
    sizes.quote > 0n && sizes.base > 0n
      ? yield* Effect.all([buying(sizes.quote), selling(sizes.base)], { concurrency: 2 })
      : sizes.quote > 0n
        ? yield* Effect.flatMap(buying(sizes.quote), (first) =>
            Effect.map(selling(first.value.amountOut), (second) => [first, second] as const)
          )
        : yield* Effect.flatMap(selling(sizes.base), (first) =>
            Effect.map(buying(first.value.amountOut), (second) => [second, first] as const)
          )
  yield* verifyDecimals(bought.value, market.quote, market.base)
  yield* verifyDecimals(sold.value, market.base, market.quote)

  const ask = ratio(market, bought.value.amountIn, bought.value.amountOut, "up")
  const bid = ratio(market, sold.value.amountOut, sold.value.amountIn, "down")
  if (ask === undefined || bid === undefined || Decimal.isGreater(bid, ask)) return undefined
  return { bid, ask, at } satisfies TwoSidedPrice
})

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

/** The venue may cut digits off the end of what it shows, never move the point. */
const shownDiffers = (asset: Asset, amount: Amount, shown: string): boolean => {
  const value = Decimal.parse(shown)
  if (value === undefined || amount === 0n) return false
  const exact = format(amount, asset.decimals)
  if (exact === Decimal.format(value)) return false
  const relative = Decimal.toNumber(value) / Number(exact)
  return relative < 0.99 || relative > 1.01
}
