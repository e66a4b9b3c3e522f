/**
 * Profit and loss for a glance: in total, today (UTC), by strategy and by slot, all from `ledger/Profit.ts` by
 * average cost. The screen, `status` and the API show these figures. A running bot continues reading its journal where
 * it stopped, so what it shows is on disk and counted once.
 *
 * `total` is also the gain over holding the budget: the initial holdings have no price here until they trade.
 */
import { Clock, Effect, Stream } from "effect"
import type { Amount } from "../../domain/Amount.ts"
import type { Recorded } from "../../domain/BotEvent.ts"
import { mid, type TwoSidedPrice } from "../../domain/Market.ts"
import { utcDate } from "../../domain/Text.ts"
import { Journal } from "../../journal/Journal.ts"
import * as Profit from "../../ledger/Profit.ts"
import * as Trades from "../../ledger/Trades.ts"
import type * as Money from "../../report/text/Money.ts"

export interface LiveProfit {
  readonly whole: ReadonlyArray<Profit.Row>
  /** Realised and paid since midnight UTC; open positions are not divided by days. */
  readonly today: ReadonlyArray<Profit.Row>
  readonly strategies: ReadonlyArray<Profit.Row>
  /** By slot, as `grid/cell-07`. */
  readonly slots: ReadonlyMap<string, Profit.Row>
}

export const method = "average"

/** Open positions move with the price; they are valued again at least this often. */
const staleMillis = 2_000

export const pictureOf = (trading: Trades.TradingRecord, mark: Profit.Mark, now: number): LiveProfit => {
  const by = (grouping: Profit.Grouping) => Profit.report(trading, { method, by: grouping, mark, now })
  const today = Profit.report(trading, { method, by: "day", mark: () => undefined, now })
  return {
    whole: Profit.report(trading, { method, mark, now }),
    today: today.filter(({ group }) => group === utcDate(now)),
    strategies: by("strategy"),
    slots: new Map(by("slot").map((row) => [row.group, row]))
  }
}

/** Realised less fees since midnight UTC. */
export const todayOf = ({ today }: LiveProfit, quote: string): Amount => {
  const figures = today.find((row) => row.quote === quote)?.figures
  return figures === undefined ? 0n : figures.realised - figures.fees
}

/** A fold of the journal that remembers its last picture as long as nothing has changed. */
export interface ProfitFold {
  readonly see: (entry: Recorded) => void
  readonly trading: () => Trades.TradingRecord
  /** `prices` are fresher than those of the last decision. */
  readonly picture: (prices: ReadonlyMap<string, TwoSidedPrice>, now: number) => LiveProfit
}

export const make = (assets: Money.Assets): ProfitFold => {
  const decimals = (symbol: string) => assets.get(symbol)?.decimals
  const fold = Trades.make(decimals)
  let seen = 0
  let known: { readonly trading: Trades.TradingRecord; readonly seen: number } | undefined
  let shown: { readonly picture: LiveProfit; readonly at: number; readonly seen: number } | undefined
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
      if (shown !== undefined && shown.seen === seen && now - shown.at < staleMillis) return shown.picture
      const live = [...prices].map(([market, price]) => [market, { price: mid(price), at: price.at }] as const)
      const mark = Profit.markBy(new Map([...trading().lastPrices, ...live]), decimals)
      shown = { picture: pictureOf(trading(), mark, now), at: now, seen }
      return shown.picture
    }
  }
}

/** Follows the journal; each look reads what was recorded since. */
export const follow = Effect.fn("LiveProfit.follow")(function* (assets: Money.Assets) {
  const journal = yield* Journal
  const fold = make(assets)
  let sequence = 0
  return Effect.fnUntraced(function* (prices: ReadonlyMap<string, TwoSidedPrice>) {
    yield* journal.events({ after: sequence }).pipe(
      Stream.runForEachArray((page) =>
        Effect.andThen(
          Effect.sync(() => {
            for (const entry of page) {
              fold.see(entry)
              sequence = entry.sequence
            }
          }),
          Effect.yieldNow // The bot goes first.
        )
      )
    )
    return fold.picture(prices, yield* Clock.currentTimeMillis)
  })
})
