/** The smallest order that the venue accepts, at a price that fills only in a crash, from money that the account has. */
import { Effect, Schema } from "effect"
import { type Asset, floorOf, format, formatWithSymbol } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { baseQuantity, inputAmount, inputAsset, toTick } from "../../domain/Market.ts"
import { depositTypeOf } from "../../domain/MoneyPath.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import { WrongUsage } from "../../process/WrongUsage.ts"
import { heldIn, Venue } from "../../venue/Venue.ts"
import { marketNamed } from "../control/OrderRule.ts"

export class NoFirstOrder extends Schema.TaggedError<NoFirstOrder>()("NoFirstOrder", { why: Schema.String }) {
  override get message(): string {
    return `Cannot place a first order: ${this.why}`
  }
}

export const usualUsd = 2
const margin = 1.1
const away = { buy: 0.5, sell: 2 } as const
const priceDigits = 5

const heldOf = ({ account, markets }: BotConfig) =>
  heldIn(new Map(markets.assets.map((asset) => [asset.id, depositTypeOf(account, asset)]))).pipe(
    Effect.mapError(({ message }) => new NoFirstOrder({ why: `login: the balances cannot be read: ${message}` }))
  )

export const choose = Effect.fn("SmallOrder.choose")(function* (config: BotConfig, name: string, usd?: number) {
  const { account, venue } = config
  const { facts, minOrderUsd } = venue
  const market = marketNamed(name, config)
  if (typeof market === "string") return yield* new WrongUsage({ message: `MARKET: there is no ${name}; ${market}` })
  const least = minOrderUsd === undefined ? Math.max(usualUsd, facts.orders.minUsd ?? 0) : Decimal.toNumber(minOrderUsd)
  const tokens = yield* Venue.use((service) => service.tokens)
  const usdOf = ({ id, symbol }: Asset): number =>
    tokens.find(({ assetId }) => assetId === id)?.priceUsd ?? (facts.fees.stable.includes(symbol) ? 1 : 0)
  const [base, quote] = [usdOf(market.base), usdOf(market.quote)]
  if (base <= 0 || quote <= 0)
    return yield* new NoFirstOrder({ why: `the venue has no price of ${name} in USD; limitbot order places any order` })
  const held = yield* heldOf(config)
  const shortages: Array<string> = []
  for (const side of ["buy", "sell"] as const) {
    const direction = side === "buy" ? "BUY" : "SELL"
    const asset = inputAsset(market, direction)
    const price = toTick(market, direction, Decimal.fromNumber((base / quote) * away[side], priceDigits))
    const input = Decimal.fromNumber(((usd ?? least) * margin) / (side === "buy" ? quote : base), 15)
    const units = floorOf(input, asset.decimals)
    const quantity = side === "sell" ? units : baseQuantity(market, units, price, "up")
    const pays = inputAmount(market, direction, quantity, price)
    const isPrivate = depositTypeOf(account, asset) === "CONFIDENTIAL_INTENTS"
    const available = held.get(asset.id) ?? (isPrivate ? 0n : undefined)
    const [amount, written] = [format(quantity, market.base.decimals), Decimal.format(price)]
    if (available === undefined || available >= pays) return { side, market: name, amount, price: written }
    shortages.push(
      `it needs ${formatWithSymbol(pays, asset)} in the ${isPrivate ? "confidential" : "public"} account, which has ${formatWithSymbol(available, asset)}${isPrivate && facts.movesBetweenAccounts ? " (limitbot swap --to confidential brings money there)" : ""}`
    )
  }
  return yield* new NoFirstOrder({ why: shortages.join("; or ") })
})
