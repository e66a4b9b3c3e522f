/**
 * Profit and loss, the one source for every surface, for each quote asset. `gridProfit` is the earnings of buying and selling by turns,
 * `inventory` those of holding (see `Rounds`), `fees` the cost of payouts and refunds. `total` is grid profit plus inventory less fees.
 * `flows` is capital that came or went; it is never profit.
 *
 * Accounts use other figures: `realised` is the earnings of closed trades by the chosen method, `unrealised` those of open positions at the
 * last known price. Over a strategy, both add up to the same total. Over a slot they do not, because its sales close purchases of other
 * slots.
 */
import { type Amount, floorOf, magnitude } from "../domain/Amount.ts"
import * as Decimal from "../domain/Decimal.ts"
import { dayMillis } from "../domain/Durations.ts"
import { utcDate } from "../domain/Text.ts"
import type { Flow } from "./Capital.ts"
import { earned, type Gain, type Lot, type LotMethod, match } from "./Lots.ts"
import * as Rounds from "./Rounds.ts"
import type { Fee, Round, Trade, TradingRecord } from "./Trades.ts"

export const groupings = ["strategy", "slot", "day", "asset"] as const
export type Grouping = (typeof groupings)[number]

type Sum = "gridProfit" | "inventory" | "realised" | "unrealised" | "fees" | "flows" | "total"
export interface Figures extends Readonly<Record<Sum, Amount>> {
  readonly rounds: number
}

export const nothing: Figures = {
  gridProfit: 0n,
  inventory: 0n,
  realised: 0n,
  unrealised: 0n,
  fees: 0n,
  flows: 0n,
  total: 0n,
  rounds: 0
}

type Sums = { -readonly [Name in keyof Figures]: Figures[Name] }

const add = (
  sum: Sums,
  { gridProfit, inventory, rounds, realised, unrealised, fees, flows }: Partial<Figures>
): void => {
  if (gridProfit !== undefined) sum.gridProfit += gridProfit
  if (inventory !== undefined) sum.inventory += inventory
  if (rounds !== undefined) sum.rounds += rounds
  if (realised !== undefined) sum.realised += realised
  if (unrealised !== undefined) sum.unrealised += unrealised
  if (fees !== undefined) sum.fees += fees
  if (flows !== undefined) sum.flows += flows
}

export const plus = (a: Figures, b: Partial<Figures>): Figures => {
  const sum = { ...a }
  add(sum, b)
  return { ...sum, total: sum.gridProfit + sum.inventory - sum.fees }
}

export const earnedOf = ({ gridProfit, fees }: Figures): Amount => gridProfit - fees

/** Quote smallest units for a base amount at a market's last price, rounded down; `undefined` without a price. */
export type Mark = (market: string, base: string, quote: string, amount: Amount) => Amount | undefined

export interface Row {
  readonly group: string
  readonly quote: string
  readonly figures: Figures
}

export interface Item {
  readonly strategy: string
  readonly slot: string
  readonly at: number
  readonly asset: string
  readonly quote: string
  readonly figures: Partial<Figures>
}

const groupOf: Readonly<Record<Grouping, (item: Item, dateOf: typeof utcDate) => string>> = {
  strategy: ({ strategy }) => strategy,
  slot: ({ slot, strategy }) => `${strategy}/${slot}`,
  day: ({ at }, dateOf) => dateOf(at),
  asset: ({ asset }) => asset
}

export const poolOf = ({ strategy, market }: Pick<Trade, "strategy" | "market">): string => `${strategy}\u0000${market}`

type Exchanges = Pick<TradingRecord, "losses" | "trades">

/** Oldest first. Without losses and fees in base, positions would keep what has left. */
const poolsOf = ({ losses, trades }: Exchanges) =>
  Map.groupBy(
    [...trades, ...losses].toSorted((a, b) => a.at - b.at),
    poolOf
  )

interface ReportOptions {
  readonly method: LotMethod
  readonly mark: Mark
  readonly now: number
}

export const report = (
  trading: TradingRecord,
  { by, ...options }: ReportOptions & { readonly by?: Grouping }
): ReadonlyArray<Row> => grouped(itemsOf(trading, options), by)

export const itemsOf = (
  { trades, losses, fees, flows, rounds }: TradingRecord,
  { mark, method, now }: ReportOptions
) => {
  const pools = [...poolsOf({ trades, losses }).values()].map((pool) => ({ pool, ...match(pool, method) }))
  const quotes = new Set([...trades, ...fees].map(({ quote }) => quote))
  return [
    ...pools.flatMap(({ gains }) => gains.map(itemOfGain)),
    ...pools.flatMap(({ open }) => itemsOfLots(open, mark, now)),
    ...pools.flatMap(({ pool }) => itemsOfTurns(pool, Rounds.emptyBooks(), mark, now)),
    ...rounds.map(itemOfRound),
    ...fees.map(itemOfFee),
    ...flowsIn(flows.map(itemOfFlow), quotes)
  ]
}

const itemOf = (
  { strategy, slot, at, base, quote }: Pick<Trade, "strategy" | "slot" | "at" | "base" | "quote">,
  figures: Item["figures"]
): Item => ({ strategy, slot, at, asset: base, quote, figures })

export const itemOfGain = (gain: Gain): Item => itemOf(gain.closedBy, { realised: earned(gain) })

/** The lots are of one pool and method, all long or all short. The value is rounded once, as in `Rounds`. */
export const itemsOfLots = (lots: ReadonlyArray<Lot>, mark: Mark, now: number): ReadonlyArray<Item> => {
  let [held, known] = [0n, 0n]
  return lots.map(({ openedBy, isShort, cost, quantity }) => {
    held += quantity
    const all = mark(openedBy.market, openedBy.base, openedBy.quote, held)
    const value = (all ?? known) - known
    known += value
    const unrealised = all === undefined ? 0n : isShort ? cost - value : value - cost
    return itemOf({ ...openedBy, at: now }, { unrealised })
  })
}

/**
 * Round-trip earnings of the trades, and the present inventory. The trades are of one pool, oldest first, and follow those in `earlier`.
 */
export const itemsOfTurns = (
  trades: ReadonlyArray<Trade>,
  earlier: Rounds.TurnBooks,
  mark: Mark,
  now: number
): ReadonlyArray<Item> => {
  const books = Rounds.copyOf(earlier)
  const worth = ({ market, base, quote }: Rounds.TurnBook, amount: Amount) => {
    const value = mark(market, base, quote, magnitude(amount))
    return value === undefined || amount >= 0n ? value : -value
  }
  return [
    ...trades.map((trade) => itemOfTurn(trade, Rounds.take(books, trade).earned)),
    ...Rounds.inventory(books, worth).map(({ book, amount }) => itemOf({ ...book, at: now }, { inventory: amount }))
  ]
}

export const itemOfTurn = (trade: Trade, gridProfit: Amount): Item => itemOf(trade, { gridProfit })

export const itemOfRound = (round: Round): Item => itemOf(round, { rounds: round.isTakenBack === true ? -1 : 1 })

export const itemOfFee = (fee: Fee): Item => itemOf(fee, { fees: fee.inQuote })

export const itemOfFlow = ({ amount, asset, ...flow }: Flow): Item =>
  itemOf({ ...flow, slot: "", base: asset, quote: asset }, { flows: amount })

/** Keeps capital in the quote assets of trading. Before any trade, keeps capital in every asset. */
export const flowsIn = (flows: ReadonlyArray<Item>, quotes: ReadonlySet<string>): ReadonlyArray<Item> =>
  flows.filter(({ asset }) => quotes.has(asset) || quotes.size === 0)

export const grouped = (items: Iterable<Item>, by: Grouping | undefined): ReadonlyArray<Row> => {
  const sums = new Map<string, Map<string, Sums>>()
  const dates = new Map<number, string>()
  const dateOf = (at: number): string => {
    const day = Math.floor(at / dayMillis)
    const date = dates.get(day) ?? utcDate(at)
    dates.set(day, date)
    return date
  }
  for (const item of items) {
    const group = by === undefined ? "" : groupOf[by](item, dateOf)
    const ofGroup = sums.get(group) ?? new Map<string, Sums>()
    sums.set(group, ofGroup)
    const sum = ofGroup.get(item.quote) ?? { ...nothing }
    ofGroup.set(item.quote, sum)
    add(sum, item.figures)
  }
  const rows = [...sums].flatMap(([group, ofGroup]) =>
    [...ofGroup].map(([quote, sum]) => ({ group, quote, figures: plus(nothing, sum) }))
  )
  const keyOf = ({ group, quote }: Row) => `${group}\u0000${quote}`
  return rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

/** Returns the round-trip earnings of each fill, fee and loss in base, by `fillKey`. Missing for a fill that only opens. */
export const gridProfitByFill = (exchanges: Exchanges): ReadonlyMap<string, Amount> => {
  const earnedBy = new Map<string, Amount>()
  for (const pool of poolsOf(exchanges).values()) {
    const books = Rounds.emptyBooks()
    for (const trade of pool) {
      const { closed, earned: amount } = Rounds.take(books, trade)
      if (closed > 0n) earnedBy.set(fillKey(trade), amount)
    }
  }
  return earnedBy
}

/** Fill ids are unique within one order, not across orders. */
export const fillKey = ({ at, placement, fillId }: Trade): string => `${placement}\u0000${fillId}\u0000${at}`

/** `markedAt` receives the time of the oldest price that was used, by quote asset. */
export const markBy =
  (
    prices: TradingRecord["lastPrices"],
    decimals: (symbol: string) => number | undefined,
    markedAt = new Map<string, number>()
  ): Mark =>
  (market, base, quote, amount) => {
    const price = prices.get(market)
    const [ofBase, ofQuote] = [decimals(base), decimals(quote)]
    if (price === undefined || ofBase === undefined || ofQuote === undefined) return undefined
    if (amount !== 0n) markedAt.set(quote, Math.min(price.at, markedAt.get(quote) ?? price.at))
    const worth = Decimal.multiply(Decimal.make(amount, ofBase), price.price)
    return floorOf(worth, ofQuote)
  }
