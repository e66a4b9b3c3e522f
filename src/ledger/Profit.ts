/**
 * Profit and loss, the one source for the screen, `status`, `profit` and the exports. For each quote asset,
 * `realised` is what closed trades earned by the chosen method, `unrealised` what open positions would earn at the
 * last known price, `fees` what payouts and refunds cost, and `total` realised plus unrealised less fees. `flows` is
 * capital that came or went; it is never profit.
 */
import type { Amount } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import { utcDate } from "../domain/Text.ts"
import { earned, type Lot, type LotMethod, match } from "./Lots.ts"
import type { Trade, TradingRecord } from "./Trades.ts"

export const groupings = ["strategy", "slot", "day", "asset"] as const
export type Grouping = (typeof groupings)[number]

export interface Figures {
  readonly realised: Amount
  readonly unrealised: Amount
  readonly fees: Amount
  readonly flows: Amount
  readonly total: Amount
}

const nothing: Figures = { realised: 0n, unrealised: 0n, fees: 0n, flows: 0n, total: 0n }

const plus = (a: Figures, b: Partial<Figures>): Figures => {
  const sum = {
    realised: a.realised + (b.realised ?? 0n),
    unrealised: a.unrealised + (b.unrealised ?? 0n),
    fees: a.fees + (b.fees ?? 0n),
    flows: a.flows + (b.flows ?? 0n)
  }
  return { ...sum, total: sum.realised + sum.unrealised - sum.fees }
}

/** Quote smallest units for a base amount at a market's last price, rounded down; `undefined` without a price. */
export type Mark = (market: string, base: string, quote: string, amount: Amount) => Amount | undefined

export interface Row {
  /** The group's name; empty for the whole. */
  readonly group: string
  readonly quote: string
  readonly figures: Figures
}

interface Item {
  readonly strategy: string
  readonly slot: string
  readonly at: number
  readonly asset: string
  readonly quote: string
  readonly figures: Partial<Figures>
}

const groupOf = (item: Item, by: Grouping | undefined): string => {
  switch (by) {
    case undefined:
      return ""
    case "strategy":
      return item.strategy
    case "slot":
      return `${item.strategy}/${item.slot}`
    case "day":
      return utcDate(item.at)
    case "asset":
      return item.asset
  }
}

/** Lots are kept by strategy and market, like the budgets. */
const poolsOf = (trades: ReadonlyArray<Trade>) =>
  Map.groupBy(trades, ({ strategy, market }) => `${strategy}\u0000${market}`)

const unrealisedOf = ({ isShort, cost, quantity, openedBy }: Lot, mark: Mark): Amount => {
  const value = mark(openedBy.market, openedBy.base, openedBy.quote, quantity)
  if (value === undefined) return 0n
  return isShort ? cost - value : value - cost
}

/** By group and quote asset, groups in alphabetical order. `now` dates the unrealised part. */
export const report = (
  { trades, fees, flows }: TradingRecord,
  {
    method,
    by,
    mark,
    now
  }: { readonly method: LotMethod; readonly by?: Grouping; readonly mark: Mark; readonly now: number }
): ReadonlyArray<Row> => {
  const quotes = new Set([...trades, ...fees].map(({ quote }) => quote))
  const items: Array<Item> = []
  for (const pool of poolsOf(trades).values()) {
    const { gains, open } = match(pool, method)
    for (const gain of gains) {
      const { strategy, slot, at, base, quote } = gain.closedBy
      items.push({ strategy, slot, at, asset: base, quote, figures: { realised: earned(gain) } })
    }
    for (const lot of open) {
      const { strategy, slot, base, quote } = lot.openedBy
      items.push({ strategy, slot, at: now, asset: base, quote, figures: { unrealised: unrealisedOf(lot, mark) } })
    }
  }
  for (const { strategy, slot, at, base, quote, inQuote } of fees)
    items.push({ strategy, slot, at, asset: base, quote, figures: { fees: inQuote } })
  for (const { strategy, at, asset, amount } of flows)
    if (quotes.has(asset) || quotes.size === 0)
      items.push({ strategy, slot: "", at, asset, quote: asset, figures: { flows: amount } })
  const rows = new Map<string, Row>()
  for (const item of items) {
    const group = groupOf(item, by)
    const key = `${group}\u0000${item.quote}`
    const known = rows.get(key)?.figures ?? nothing
    rows.set(key, { group, quote: item.quote, figures: plus(known, item.figures) })
  }
  return [...rows.values()].sort((a, b) =>
    a.group === b.group ? compare(a.quote, b.quote) : compare(a.group, b.group)
  )
}

/** What each fill realised, by `fillKey`; missing for a fill that only opens. */
export const realisedByFill = (trades: ReadonlyArray<Trade>, method: LotMethod): ReadonlyMap<string, Amount> => {
  const realised = new Map<string, Amount>()
  for (const pool of poolsOf(trades).values()) {
    for (const gain of match(pool, method).gains) {
      const key = fillKey(gain.closedBy)
      realised.set(key, (realised.get(key) ?? 0n) + earned(gain))
    }
  }
  return realised
}

/** Fill ids are unique within one order, not across orders. */
export const fillKey = ({ placement, fillId }: Trade): string => `${placement}\u0000${fillId}`

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** Values by prices in quote per base; `decimals` by symbol. */
export const markBy =
  (prices: TradingRecord["lastPrices"], decimals: (symbol: string) => number | undefined): Mark =>
  (market, base, quote, amount) => {
    const known = prices.get(market)
    const [ofBase, ofQuote] = [decimals(base), decimals(quote)]
    if (known === undefined || ofBase === undefined || ofQuote === undefined) return undefined
    const worth = Decimal.multiply(Decimal.make(amount, ofBase), known.price)
    return Decimal.divide(Decimal.multiply(worth, Decimal.make(Decimal.powerOfTen(ofQuote))), Decimal.one, 0, "down")
      .digits
  }
