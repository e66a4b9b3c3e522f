/**
 * Profit and loss for a glance: in total, by day (UTC), by strategy and by slot, all from the ledger's figures. The screen,
 * `status` and the API show these. What they show is on disk and counted once.
 *
 * `total` is also what trading made against holding the budget: whoever holds pays no fees, and the budget moves with the price alike.
 */
import { Clock, Effect } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import type { Recorded } from "../../domain/BotEvent.ts"
import { mid, type TwoSidedPrice } from "../../domain/Market.ts"
import * as Profit from "../../ledger/Profit.ts"
import * as Standing from "../../ledger/Standing.ts"
import * as Trades from "../../ledger/Trades.ts"
import type * as Money from "../../report/text/Money.ts"
import * as RunningProfit from "./RunningProfit.ts"
import * as StoredProfit from "./StoredProfit.ts"

export interface LiveProfit {
  /** What stands first on every surface, by quote asset. */
  readonly standings: ReadonlyArray<Standing.ProfitStanding>
  readonly whole: ReadonlyArray<Profit.Row>
  /** Every budget at the present price. */
  readonly capitals: ReadonlyArray<Standing.Capital>
  /** What was earned and paid by UTC day; the inventory is not divided by days, it stands at the last. */
  readonly days: ReadonlyArray<Profit.Row>
  readonly strategies: ReadonlyArray<Profit.Row>
  /** By slot, as `grid/cell-07`. */
  readonly slots: ReadonlyMap<string, Profit.Row>
}

export const { method } = RunningProfit

/** When the prices that value open positions were seen: the oldest of them. */
export const oldest = (prices: Trades.TradingRecord["lastPrices"]): number | undefined =>
  prices.size === 0 ? undefined : Math.min(...[...prices.values()].map(({ at }) => at))

/** Open positions move with the price; they are valued again at least this often. */
const staleMillis = 2_000

/** Where the figures come from: what they consist of when open positions are worth this, and the budgets. */
interface Source {
  readonly items: (mark: Profit.Mark) => ReadonlyArray<Profit.Item>
  readonly flows: ReadonlyArray<Profit.Item>
  readonly markets: ReadonlyMap<string, string>
  readonly lastPrices: Trades.TradingRecord["lastPrices"]
}

const sourceOf = (profit: RunningProfit.RunningProfit, now: number): Source => ({
  items: (mark) => RunningProfit.items(profit, mark, now),
  flows: [...profit.flows.values()],
  markets: profit.books.markets,
  lastPrices: profit.books.lastPrices
})

const pictureOf = ({ items: itemsBy, flows, markets }: Source, mark: Profit.Mark, now: number): LiveProfit => {
  const items = itemsBy(mark)
  const whole = Profit.grouped(items, undefined)
  const days = Profit.grouped(items, "day")
  return {
    standings: Standing.of(whole, { flows, markets, mark, now, days }),
    whole,
    capitals: Standing.capitalsOf({ flows, markets, mark }),
    days,
    strategies: Profit.grouped(items, "strategy"),
    slots: new Map(Profit.grouped(items, "slot").map((row) => [row.group, row]))
  }
}

/** What trading has come to, at the prices that the journal knows. */
export const pictureNow = (profit: RunningProfit.RunningProfit, assets: Money.Assets, now: number): LiveProfit => {
  const known = Profit.markBy(profit.books.lastPrices, (symbol) => assets.get(symbol)?.decimals)
  return pictureOf(sourceOf(profit, now), known, now)
}

/** What a slot earned after its fees; `undefined` until it closed something. */
export const slotEarned = ({ figures }: Profit.Row): Amount | undefined =>
  figures.rounds === 0 && figures.gridProfit === 0n ? undefined : Profit.earnedOf(figures)

/** Makes pictures, and remembers the last one as long as nothing has changed. */
const painter = (assets: Money.Assets) => {
  let shown: { readonly picture: LiveProfit; readonly at: number; readonly seen: number } | undefined
  /** `prices` are fresher than those of the last decision; `seen` goes up with every event. */
  return (seen: number, source: Source, prices: ReadonlyMap<string, TwoSidedPrice>, now: number): LiveProfit => {
    if (shown !== undefined && shown.seen === seen && now - shown.at < staleMillis) return shown.picture
    const live = [...prices].map(([market, price]) => [market, { price: mid(price), at: price.at }] as const)
    const mark = Profit.markBy(new Map([...source.lastPrices, ...live]), (symbol) => assets.get(symbol)?.decimals)
    shown = { picture: pictureOf(source, mark, now), at: now, seen }
    return shown.picture
  }
}

/** A fold of the journal that keeps all trades, for those who show them. */
export interface ProfitFold {
  readonly see: (entry: Recorded) => void
  readonly trading: () => Trades.TradingRecord
  /** `prices` are fresher than those of the last decision. */
  readonly picture: (prices: ReadonlyMap<string, TwoSidedPrice>, now: number) => LiveProfit
}

export const make = (assets: Money.Assets): ProfitFold => {
  const fold = Trades.make((symbol) => assets.get(symbol)?.decimals)
  const paint = painter(assets)
  let seen = 0
  let known: { readonly trading: Trades.TradingRecord; readonly seen: number } | undefined
  const trading = () => {
    if (known?.seen !== seen) known = { trading: fold.result(), seen }
    return known.trading
  }
  return {
    see: (entry) => {
      fold.see(entry)
      seen += 1
    },
    trading,
    picture: (prices, now) => {
      const record = trading()
      const source = {
        items: (mark: Profit.Mark) => Profit.itemsOf(record, { method, mark, now }),
        flows: record.flows.map(Profit.itemOfFlow),
        markets: record.markets,
        lastPrices: record.lastPrices
      }
      return paint(seen, source, prices, now)
    }
  }
}

/** Follows the journal; each look reads what was recorded since. */
export const follow = Effect.fn("LiveProfit.follow")(function* (assets: Money.Assets) {
  const read = yield* StoredProfit.reader
  const paint = painter(assets)
  return Effect.fnUntraced(function* (prices: ReadonlyMap<string, TwoSidedPrice>) {
    const profit = yield* read
    const now = yield* Clock.currentTimeMillis
    return paint(profit.sequence, sourceOf(profit, now), prices, now)
  })
})
