/** Collects the markets of a process's strategies, each with about the size of its largest order, and the sizes that strategies name. */
import { type Amount, type Asset, max } from "../domain/Amount.ts"
import type { Market } from "../domain/Market.ts"
import type { Strategy } from "../strategy/Strategy.ts"
import type { QuoteSizes } from "./Quotes.ts"

export interface Wanted {
  readonly market: Market
  readonly sizes: QuoteSizes
  readonly depth: ReadonlyArray<Amount>
}

interface SizedStrategy extends Strategy {
  readonly largest: ReturnType<NonNullable<Strategy["largestOrder"]>> | undefined
}

/** At least one unit, because a token without decimals has a budget of few units. */
const orderOf = (budget: Amount, largest: Amount | undefined): Amount =>
  largest ?? (budget > 0n ? max(1n, budget / 10n) : 0n)

/** A market that is only watched is quoted for one base unit, unless an asset of the budget gives the size of an order. */
const watchedSizes = ({ base, quote }: Market, { largest, limits, market }: SizedStrategy): QuoteSizes => {
  const { budget } = limits
  const order = (asset: Asset): Amount =>
    asset === market.quote
      ? orderOf(budget.quote, largest?.quote)
      : asset === market.base
        ? orderOf(budget.base, largest?.base)
        : 0n
  const sizes = { base: order(base), quote: order(quote) }
  return sizes.base > 0n || sizes.quote > 0n ? sizes : oneOf(base)
}

const oneOf = ({ decimals }: Asset): QuoteSizes => ({ base: 10n ** BigInt(decimals), quote: 0n })

export const aboutOne = (market: Market): Wanted => ({ market, sizes: oneOf(market.base), depth: [] })

const ofStrategy = (strategy: SizedStrategy): ReadonlyArray<Wanted> => {
  const { market, others = [], watched = [], largest, limits, depth = [] } = strategy
  const { budget } = limits
  const quote = orderOf(budget.quote, largest?.quote)
  const sizes = (base: Amount) => ({ base: orderOf(base, largest?.base), quote })
  return [
    { market, sizes: sizes(budget.base), depth },
    ...others.map((other) => ({ market: other, sizes: sizes(budget.others?.get(other.base.symbol) ?? 0n), depth: [] })),
    ...watched.map((other) => ({ market: other.market, sizes: watchedSizes(other.market, strategy), depth: [] }))
  ]
}

const join = (a: Wanted, b: Wanted): Wanted => ({
  market: a.market,
  sizes: { base: max(a.sizes.base, b.sizes.base), quote: max(a.sizes.quote, b.sizes.quote) },
  depth: [...new Set([...a.depth, ...b.depth])].sort((x, y) => (x < y ? -1 : 1))
})

/** `endsOf` returns true for each slot of a strategy that gets no further order. */
export const wantedBy = (
  strategies: ReadonlyArray<Strategy>,
  endsOf: (strategy: string) => ReadonlyMap<string, boolean> = () => new Map()
): ReadonlyArray<Wanted> => {
  const demands = new Map<string, Wanted>()
  const all = strategies.map((each) => ({ ...each, largest: each.largestOrder?.(endsOf(each.name)) }))
  const hasOrders = ({ largest }: SizedStrategy) => largest === undefined || largest.base + largest.quote > 0n
  for (const each of all.filter(hasOrders).flatMap(ofStrategy)) {
    const demand = demands.get(each.market.name)
    demands.set(each.market.name, demand === undefined ? each : join(demand, each))
  }
  for (const { market } of all.filter((strategy) => !hasOrders(strategy)))
    if (!demands.has(market.name)) demands.set(market.name, aboutOne(market))
  return [...demands.values()]
}

const deeper = [3n, 10n]

export const withDepth = (wanted: Wanted, base: Amount): Wanted =>
  join(wanted, { ...wanted, depth: base > 0n ? deeper.map((times) => base * times) : [] })
