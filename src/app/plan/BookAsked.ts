/** Determines the markets and sizes of `limitbot book`, and our own orders that are open in these markets. */
import { Effect, Schema } from "effect"
import { type Amount, fromDecimal } from "../../domain/Amount.ts"
import type { OwnOrder } from "../../domain/Book.ts"
import * as Decimal from "../../domain/Decimal.ts"
import type { Market } from "../../domain/Market.ts"
import { restingIn } from "../../engine/markets/MarketWatch.ts"
import type { Wanted } from "../../orderbook/Wanted.ts"
import { Venue } from "../../venue/Venue.ts"
import { stateOf } from "../journal/JournalView.ts"

export const usualUsd = [100, 1_000, 10_000]

export class UnknownMarket extends Schema.TaggedError<UnknownMarket>()("UnknownMarket", {
  market: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `No market ${this.market} in the configuration. Markets: ${this.known.join(", ")}`
  }
}

export class NoSize extends Schema.TaggedError<NoSize>()("NoSize", { market: Schema.String, text: Schema.String }) {
  override get message(): string {
    return `${this.market}: ${this.text}. Set the sizes in base, for example --size 0.1 --size 1`
  }
}

export interface OwnResting {
  readonly orders: ReadonlyMap<string, ReadonlyArray<OwnOrder>>
  readonly marketsTraded: ReadonlySet<string>
}

export const restingNow = Effect.fnUntraced(function* (journal: string) {
  const state = yield* stateOf(journal)
  const ofStrategies = [...state.strategies.values()].flatMap(({ loaded }) => loaded?.market.split(", ") ?? [])
  return { orders: restingIn(state), marketsTraded: new Set(ofStrategies) } satisfies OwnResting
})

/** Returns the market with the named sizes in base. The quote size is 0, because a book is quoted in base only. */
export const wantedOf = Effect.fnUntraced(function* (
  name: string,
  known: ReadonlyMap<string, Market>,
  named: ReadonlyArray<string>
) {
  const market = known.get(name)
  if (market === undefined) return yield* new UnknownMarket({ market: name, known: [...known.keys()] })
  const quantities = named.length > 0 ? yield* quantitiesOf(market, named) : yield* usualQuantities(market)
  const [first = 1n, ...others] = quantities.toSorted((a, b) => (a < b ? -1 : 1))
  return { market, sizes: { base: first, quote: 0n }, depth: others } satisfies Wanted
})

const quantitiesOf = (market: Market, named: ReadonlyArray<string>) =>
  Effect.forEach(named, (text) => {
    const value = Decimal.parse(text)
    const quantity = value === undefined ? undefined : fromDecimal(value, market.base.decimals)
    if (quantity !== undefined && quantity > 0n) return Effect.succeed(quantity)
    return Effect.fail(new NoSize({ market: market.name, text: `${text} is not an amount of ${market.base.symbol}` }))
  })

const usualQuantities = Effect.fnUntraced(function* ({ name, base }: Market) {
  const tokens = yield* Venue.use((venue) => venue.tokens)
  const priceUsd = tokens.find(({ assetId }) => assetId === base.id)?.priceUsd ?? 0
  if (!(priceUsd > 0)) return yield* new NoSize({ market: name, text: `the venue has no price of ${base.symbol}` })
  // Three digits suffice, because the size only has to be approximate.
  return usualUsd.map((sizeUsd): Amount => {
    const exact = Decimal.fromNumber(sizeUsd / priceUsd, 3)
    const step = Decimal.make(1n, base.decimals)
    return fromDecimal(Decimal.roundToStep(exact, step, "up"), base.decimals) ?? 1n
  })
})
