/**
 * Profit and loss, the one source for the screen, `status`, `profit` and the exports. For each quote asset,
 * `realised` is what closed trades earned by the chosen method, `unrealised` what open positions would earn at the
 * last known price, `fees` what payouts and refunds cost, and `total` realised plus unrealised less fees. `flows` is
 * capital that came or went; it is never profit.
 */
import type { Amount } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import { utcDate } from "../domain/Text.ts"
import { earned, type Gain, type Lot, type LotMethod, match } from "./Lots.ts"
import type { Fee, Flow, Trade, TradingRecord } from "./Trades.ts"

export const groupings = ["strategy", "slot", "day", "asset"] as const
export type Grouping = (typeof groupings)[number]

export interface Figures {
  readonly realised: Amount
  readonly unrealised: Amount
  readonly fees: Amount
  readonly flows: Amount
  readonly total: Amount
}

export const nothing: Figures = { realised: 0n, unrealised: 0n, fees: 0n, flows: 0n, total: 0n }

export const plus = (a: Figures, b: Partial<Figures>): Figures => {
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

/** A part of the figures, with all that it can be grouped by. */
export interface Item {
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
export const poolOf = ({ strategy, market }: Trade): string => `${strategy}\u0000${market}`

const poolsOf = (trades: ReadonlyArray<Trade>) => Map.groupBy(trades, poolOf)

const unrealisedOf = ({ isShort, cost, quantity, openedBy }: Lot, mark: Mark): Amount => {
  const value = mark(openedBy.market, openedBy.base, openedBy.quote, quantity)
  if (value === undefined) return 0n
  return isShort ? cost - value : value - cost
}

interface ReportOptions {
  readonly method: LotMethod
  readonly mark: Mark
  /** Dates the unrealised part. */
  readonly now: number
}

/** By group and quote asset, groups in alphabetical order. */
export const report = (
  trading: TradingRecord,
  { by, ...options }: ReportOptions & { readonly by?: Grouping }
): ReadonlyArray<Row> => grouped(itemsOf(trading, options), by)

/** All that the figures consist of. */
export const itemsOf = ({ trades, fees, flows }: TradingRecord, { mark, method, now }: ReportOptions) => {
  const pools = [...poolsOf(trades).values()].map((pool) => match(pool, method))
  const quotes = new Set([...trades, ...fees].map(({ quote }) => quote))
  return [
    ...pools.flatMap(({ gains }) => gains.map(itemOfGain)),
    ...pools.flatMap(({ open }) => open.map((lot) => itemOfLot(lot, mark, now))),
    ...fees.map(itemOfFee),
    ...flowsIn(flows.map(itemOfFlow), quotes)
  ]
}

export const itemOfGain = (gain: Gain): Item => {
  const { strategy, slot, at, base, quote } = gain.closedBy
  return { strategy, slot, at, asset: base, quote, figures: { realised: earned(gain) } }
}

export const itemOfLot = (lot: Lot, mark: Mark, now: number): Item => {
  const { strategy, slot, base, quote } = lot.openedBy
  return { strategy, slot, at: now, asset: base, quote, figures: { unrealised: unrealisedOf(lot, mark) } }
}

export const itemOfFee = ({ strategy, slot, at, base, quote, inQuote }: Fee): Item => ({
  strategy,
  slot,
  at,
  asset: base,
  quote,
  figures: { fees: inQuote }
})

export const itemOfFlow = ({ strategy, at, asset, amount }: Flow): Item => ({
  strategy,
  slot: "",
  at,
  asset,
  quote: asset,
  figures: { flows: amount }
})

/** Capital counts in what trading is counted in; before any trade, in every asset. */
export const flowsIn = (flows: ReadonlyArray<Item>, quotes: ReadonlySet<string>): ReadonlyArray<Item> =>
  flows.filter(({ asset }) => quotes.has(asset) || quotes.size === 0)

export const grouped = (items: Iterable<Item>, by: Grouping | undefined): ReadonlyArray<Row> => {
  const rows = new Map<string, Row>()
  for (const item of items) {
    const group = groupOf(item, by)
    const key = `${group}\u0000${item.quote}`
    const known = rows.get(key)?.figures ?? nothing
    rows.set(key, { group, quote: item.quote, figures: plus(known, item.figures) })
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
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
export const fillKey = ({ at, placement, fillId }: Trade): string => `${placement}\u0000${fillId}\u0000${at}`

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
