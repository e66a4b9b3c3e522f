/** The position of a strategy that is no longer in the files, in words. */
import { magnitude } from "../../domain/Amount.ts"
import type { LeftPosition } from "../../domain/BotEvent.ts"
import { averagePrice } from "../../domain/CostBasis.ts"
import * as Decimal from "../../domain/Decimal.ts"
import * as Money from "./Money.ts"

export const leftText = ({ base, cost, market }: LeftPosition, assets: Money.Assets): string => {
  const [baseSymbol = "", quoteSymbol = ""] = market.split("/")
  const [ofBase, ofQuote] = [assets.get(baseSymbol), assets.get(quoteSymbol)]
  const entry =
    ofBase === undefined || ofQuote === undefined
      ? undefined
      : averagePrice({ position: base, cost, realised: 0n }, { base: ofBase, quote: ofQuote })
  const price = entry === undefined ? "" : ` at ${Decimal.short(entry)} ${quoteSymbol} on average`
  const amount = Money.withSymbol(assets, baseSymbol, magnitude(base))
  return base > 0n ? `holds ${amount}, bought${price}` : `has sold ${amount}${price} and not bought it back`
}
