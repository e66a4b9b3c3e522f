/**
 * Profit and loss in total, by day (UTC), by strategy and by slot. `total` equals the profit against holding the budget: the budget's own
 * price move cancels out, and a holder pays no fees.
 */
import { Clock, Effect } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import { elapsedMillis } from "../../domain/Durations.ts"
import { mid, type TwoSidedPrice } from "../../domain/Market.ts"
import * as Profit from "../../ledger/Profit.ts"
import * as Standing from "../../ledger/Standing.ts"
import type { TradesBooks } from "../../ledger/Trades.ts"
import * as Money from "../../report/text/Money.ts"
import * as RunningProfit from "./RunningProfit.ts"
import * as StoredProfit from "./StoredProfit.ts"

export interface LiveProfit {
  readonly standings: ReadonlyArray<Standing.ProfitStanding>
  readonly whole: ReadonlyArray<Profit.Row>
  readonly capitals: ReadonlyArray<Standing.Capital>
  /** By quote asset: the amount that running strategies hold, also in their orders. No price moves its value. */
  readonly cash: ReadonlyMap<string, Amount>
  /** Earnings and payments by UTC day. The inventory is not divided by days; it counts on the last. */
  readonly days: ReadonlyArray<Profit.Row>
  readonly strategies: ReadonlyArray<Profit.Row>
  readonly slots: ReadonlyMap<string, Profit.Row>
  /** By quote asset: the time of the oldest price that values its figures. */
  readonly markedAt: ReadonlyMap<string, number>
}

export const { method } = RunningProfit

/** Open positions move with the price, so a valuation is reused only for this time. */
const staleMillis = 2_000

const cashOf = ({ ledger: { balances }, markets, planned }: TradesBooks): ReadonlyMap<string, Amount> => {
  const cash = new Map<string, Amount>()
  for (const { amount, entry } of balances.values()) {
    const { account, asset, owner } = entry
    const strategy = planned.get(owner)?.life.strategy ?? owner
    const isCash = markets.get(strategy)?.endsWith(`/${asset}`) === true
    if (isCash && Money.ownPlaces.some((place) => place === account)) cash.set(asset, (cash.get(asset) ?? 0n) + amount)
  }
  return cash
}

export const profitNow = (
  profit: RunningProfit.RunningProfit,
  assets: Money.Assets,
  now: number,
  prices: ReadonlyMap<string, TwoSidedPrice> = new Map()
): LiveProfit => {
  const { lastPrices, markets } = profit.books
  const live = [...prices].map(([market, price]) => [market, { price: mid(price), at: price.at }] as const)
  const markedAt = new Map<string, number>()
  const mark = Profit.markBy(new Map([...lastPrices, ...live]), (symbol) => assets.get(symbol)?.decimals, markedAt)
  const items = RunningProfit.items(profit, mark, now)
  const flows = [...profit.flows.values()]
  const whole = Profit.grouped(items, undefined)
  const days = Profit.grouped(items, "day")
  const strategies = Profit.grouped(items, "strategy")
  return {
    standings: Standing.of(whole, { flows, markets, mark, now, days, strategies }),
    whole,
    capitals: Standing.capitalsOf({ flows, markets, mark }),
    cash: cashOf(profit.books),
    days,
    strategies,
    slots: new Map(Profit.grouped(items, "slot").map((row) => [row.group, row])),
    markedAt
  }
}

/** Returns the profit of a slot after its fees; `undefined` until it closed something. */
export const slotEarned = ({ figures }: Profit.Row): Amount | undefined =>
  figures.rounds === 0 && figures.gridProfit === 0n ? undefined : Profit.earnedOf(figures)

export const subscribe = Effect.fn("LiveProfit.subscribe")(function* (assets: Money.Assets) {
  const reader = yield* StoredProfit.reader
  let last: { readonly picture: LiveProfit; readonly at: number; readonly sequence: number } | undefined
  return Effect.fnUntraced(function* (prices: ReadonlyMap<string, TwoSidedPrice>) {
    const profit = yield* reader
    const now = yield* Clock.currentTimeMillis
    if (last?.sequence === profit.sequence && elapsedMillis(last.at, now) < staleMillis) return last.picture
    last = { picture: profitNow(profit, assets, now, prices), at: now, sequence: profit.sequence }
    return last.picture
  })
})
