/** The terms of a first order: the smallest that the venue accepts, at a price that nobody pays, from available money. */
import { Effect, Schema } from "effect"
import { type Amount, type Asset, floorOf, formatWithSymbol, max } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import {
  type BidAsk,
  baseQuantity,
  inputAmount,
  inputAsset,
  type Market,
  outputAmount,
  outputAsset,
  type Price,
  type Side,
  toTick
} from "../../domain/Market.ts"
import { depositTypeOf } from "../../domain/MoneyPath.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import * as Layers from "../../Layers.ts"
import * as Quotes from "../../orderbook/Quotes.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import * as Charges from "../../venue/profile/Charges.ts"
import { Venue } from "../../venue/Venue.ts"

export interface SmallestOrder {
  readonly market: Market
  readonly side: Side
  readonly price: Price
  readonly quantity: Amount
  readonly inputAmount: Amount
  readonly outputAmount: Amount
  readonly depositType: string
}

export class NoFirstOrder extends Schema.TaggedError<NoFirstOrder>()("NoFirstOrder", { why: Schema.String }) {
  override get message(): string {
    return `Cannot place a first order: ${this.why}`
  }
}

export const usualUsd = 2
const margin = 1.1
/** A price this far from the market fills only in a crash. */
const away = { BUY: 0.5, SELL: 2 } as const
const priceDigits = 5

/** Known balances by asset: private ones from the service, public ones from an RPC address. */
export type Balances = ReadonlyMap<string, Amount> | undefined

interface Wanted {
  /** BASE/QUOTE. */
  readonly market: string | undefined
  readonly usd: number | undefined
  readonly balances: Balances
}

/** Returns the named market; otherwise the first asset against the first stable one; otherwise the first two. */
const marketOf = Effect.fnUntraced(function* ({ markets, venue }: BotConfig, name: string | undefined) {
  const [base, ...others] = markets.assets.map(({ symbol }) => symbol)
  const quote = others.find((symbol) => venue.facts.fees.stable.includes(symbol)) ?? others[0]
  const marketName = name ?? `${base}/${quote}`
  const market = Layers.marketsByName(markets).get(marketName)
  if (market !== undefined) return market
  const symbols = markets.assets.map(({ symbol }) => symbol).join(", ")
  return yield* new WrongUsage({ message: `MARKET: there is no ${marketName}; the configuration has ${symbols}` })
})

export const choose = Effect.fn("Terms.choose")(function* (config: BotConfig, wanted: Wanted) {
  const { balances } = wanted
  const market = yield* marketOf(config, wanted.market)
  const { facts, minOrderUsd: configured } = config.venue
  const usd =
    (wanted.usd ??
      (configured === undefined ? Math.max(usualUsd, facts.orders.minUsd ?? 0) : Decimal.toNumber(configured))) * margin
  const tokens = yield* Venue.use((venue) => venue.tokens)
  const usdOf = ({ id, symbol }: Asset): number =>
    tokens.find(({ assetId }) => assetId === id)?.priceUsd ?? (config.venue.facts.fees.stable.includes(symbol) ? 1 : 0)
  const present = yield* priceOf(market, usdOf(market.quote))
  if (present === undefined) return yield* new NoFirstOrder({ why: `the venue quotes no price of ${market.name} now` })
  const { ask, bid } = present
  const shortages: Array<string> = []
  for (const side of ["BUY", "SELL"] as const) {
    const asset = inputAsset(market, side)
    const depositType = depositTypeOf(config.account, asset)
    if (depositType === "ORIGIN_CHAIN") {
      shortages.push(`${asset.symbol} is paid from another chain, by a wallet: swap it to the account first`)
      continue
    }
    const worth = usdOf(asset)
    if (worth <= 0) {
      shortages.push(`the venue has no price of ${asset.symbol} in USD`)
      continue
    }
    const far = Decimal.toNumber(side === "BUY" ? bid : ask) * away[side]
    const price = toTick(market, side, Decimal.fromNumber(far, priceDigits))
    const input = Decimal.fromNumber(usd / worth, asset.decimals === 0 ? 1 : Math.min(15, asset.decimals))
    const units = Decimal.divide(
      Decimal.multiply(input, Decimal.make(Decimal.powerOfTen(asset.decimals))),
      Decimal.one,
      0,
      "up"
    ).digits
    const quantity = side === "SELL" ? units : baseQuantity(market, units, price, "up")
    const terms: SmallestOrder = {
      market,
      side,
      price,
      quantity,
      inputAmount: inputAmount(market, side, quantity, price),
      outputAmount: outputAmount(market, side, quantity, price),
      depositType
    }
    const available = balances?.get(asset.id) ?? (depositType === "CONFIDENTIAL_INTENTS" ? 0n : undefined)
    const isConfidential = depositType === "CONFIDENTIAL_INTENTS"
    if (available === undefined || available >= terms.inputAmount) return { terms, price: present, available }
    shortages.push(
      `it needs ${formatWithSymbol(terms.inputAmount, asset)} in the ${isConfidential ? "confidential" : "public"} account, which has ${formatWithSymbol(available, asset)}${isConfidential && config.venue.facts.movesBetweenAccounts ? ` (limitbot swap --to confidential brings money there)` : ""}`
    )
  }
  return yield* new NoFirstOrder({ why: shortages.join("; or ") })
})

const quotedUsd = 100
/** A market that moves between two quotes may show a bid above the ask. */
const crossedTries = 5

const priceOf = Effect.fnUntraced(function* (market: Market, usdOfQuote: number) {
  const units = Decimal.fromNumber(usdOfQuote > 0 ? quotedUsd / usdOfQuote : 1, priceDigits)
  const quote = max(1n, floorOf(units, market.quote.decimals))
  for (let attempt = 0; attempt < crossedTries; attempt++) {
    const observation = yield* Quotes.observe(market, { base: 0n, quote })
    if (observation !== undefined) return observation.price
  }
  return undefined
})

/** The scheduled fee of a filled order, in basis points of its input. */
export const scheduledBasisPoints = (
  { account, venue }: BotConfig,
  { market, side }: Pick<SmallestOrder, "market" | "side">
): number => {
  const hasPartner = Charges.isPartner(venue.facts, venue.hasPartner)
  const assets = [inputAsset(market, side).symbol, outputAsset(market, side).symbol] as const
  const { fees } = venue.facts
  return Charges.totalOf(Charges.chargesOf(fees, { hasPartner, assets, appFees: account.terms.appFees ?? [] }))
}

export const lines = (
  { depositType, inputAmount: pays, market, outputAmount: receives, price, quantity, side }: SmallestOrder,
  basisPoints: number,
  { ask, bid }: BidAsk
): ReadonlyArray<string> => {
  const [input, output] = [inputAsset(market, side), outputAsset(market, side)]
  return [
    `order      ${side} ${formatWithSymbol(quantity, market.base)} at ${Decimal.format(price)} ${market.quote.symbol}, while the market is at ${Decimal.short(bid)} to ${Decimal.short(ask)}`,
    `pays in    ${formatWithSymbol(pays, input)} from ${depositType}, refunded when it is cancelled`,
    `would get  ${formatWithSymbol(receives, output)}, if it filled`,
    `fees       ${basisPoints} basis points of each fill, by the schedule; the order shows its other fees before it is paid`,
    "then       it is read back, cancelled, and its deposit refunded"
  ]
}
