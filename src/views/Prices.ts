/** The last two-sided price of a market. */
import { Schema } from "effect"
import * as Decimal from "../domain/Decimal.ts"
import { mid, type TwoSidedPrice } from "../domain/Market.ts"
import { Time } from "./AsOf.ts"

export const PriceView = Schema.Struct({
  market: Schema.String,
  bid: Schema.String,
  ask: Schema.String,
  mid: Schema.String,
  at: Time
})
export type PriceView = typeof PriceView.Type

export const priceView = (market: string, price: TwoSidedPrice): PriceView => ({
  market,
  mid: priceText(mid(price)),
  ...quoteView(price)
})

export const quoteView = ({ bid, ask, at }: TwoSidedPrice) => ({ bid: priceText(bid), ask: priceText(ask), at })

/** Ten digits: quotes come with many more that mean nothing. */
const priceText = (price: Decimal.Decimal): string => Decimal.short(price, 10)

export const pricesIn = (views: ReadonlyArray<PriceView>): ReadonlyMap<string, TwoSidedPrice> =>
  new Map(
    views.flatMap(({ ask, at, bid, market }) => {
      const [low, high] = [Decimal.parse(bid), Decimal.parse(ask)]
      return low === undefined || high === undefined ? [] : [[market, { bid: low, ask: high, at }] as const]
    })
  )
