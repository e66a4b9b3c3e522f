/**
 * Profit against holding, as the API shows it. The figures are those of `LiveProfit`, the series those of
 * `ledger/Returns.ts`: doubles, for the eye only.
 */
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid, type TwoSidedPrice } from "../../domain/Market.ts"
import type { Minute } from "../../journal/PriceStore.ts"
import { earnedOf, nothing } from "../../ledger/Profit.ts"
import { type Close, curve } from "../../ledger/Returns.ts"
import * as Standing from "../../ledger/Standing.ts"
import type { TradingRecord } from "../../ledger/Trades.ts"
import * as Money from "../../report/text/Money.ts"
import type { FillView, Profit } from "../api/Views.ts"
import type { LiveProfit } from "./LiveProfit.ts"

type StrategyProfit = (typeof Profit.Type)["strategies"][number]

/** What the budget would be worth without any trade, and with what trading made; nothing where it has no price. */
export const strategyProfit = (
  assets: Money.Assets,
  { name, market }: { readonly name: string; readonly market: Market },
  { capitals, strategies }: LiveProfit,
  fills: ReadonlyArray<FillView>
): ReadonlyArray<StrategyProfit> => {
  const quote = market.quote.symbol
  const held = Standing.sumOf(capitals.filter((each) => each.strategy === name && each.quote === quote))
  if (held === undefined) return []
  const figures = strategies.find((each) => each.group === name && each.quote === quote)?.figures ?? nothing
  return [
    {
      strategy: name,
      market: market.name,
      asset: quote,
      worth: Money.amountText(assets, quote, held + figures.total),
      held: Money.amountText(assets, quote, held),
      earned: Money.amountText(assets, quote, earnedOf(figures)),
      fills: fills.filter(({ slot }) => slot.startsWith(`${name}/`)).length
    }
  ]
}

/** What stands first, and each day. */
export const standingsView = ({ standings, days }: LiveProfit, assets: Money.Assets) => ({
  standings: standings.map(({ quote, figures, earnedToday, share, shareOfYear, capital, since }) => ({
    asset: quote,
    total: Money.amountText(assets, quote, figures.total),
    share: share ?? null,
    shareOfYear: shareOfYear ?? null,
    gridProfit: Money.amountText(assets, quote, figures.gridProfit),
    inventory: Money.amountText(assets, quote, figures.inventory),
    fees: Money.amountText(assets, quote, figures.fees),
    earnedToday: Money.amountText(assets, quote, earnedToday),
    rounds: figures.rounds,
    capital: capital === undefined ? null : Money.amountText(assets, quote, capital),
    since: since ?? null
  })),
  days: days
    .filter(({ figures: { gridProfit, fees, rounds } }) => gridProfit !== 0n || fees !== 0n || rounds !== 0)
    .map(({ group, quote, figures }) => ({
      day: group,
      asset: quote,
      earned: Money.amountText(assets, quote, earnedOf(figures)),
      gridProfit: Money.amountText(assets, quote, figures.gridProfit),
      fees: Money.amountText(assets, quote, figures.fees),
      rounds: figures.rounds
    }))
})

/** The most points of a line on a screen. */
const mostPoints = 1_500

/** The minutes of each market that is valued in one quote asset. */
export interface Valued {
  readonly market: Market
  readonly minutes: ReadonlyArray<Minute>
  /** How long each of them lasts. */
  readonly millis: number
  readonly now: TwoSidedPrice | undefined
}

export const series = (
  trading: TradingRecord,
  assets: Money.Assets,
  valued: ReadonlyArray<Valued>,
  now: number
): (typeof Profit.Type)["series"] => {
  const [first] = valued
  if (first === undefined) return { asset: "", time: [], worth: [], held: [] }
  const { quote } = first.market
  const closes = valued.flatMap(
    ({ market: { name: market }, minutes, millis, now: present }): ReadonlyArray<Close> => [
      ...minutes.map(({ openedAt, close }) => ({ market, at: openedAt + millis, close })),
      ...(present === undefined ? [] : [{ market, at: now, close: Decimal.toNumber(mid(present)) }])
    ]
  )
  const decimals = (symbol: string) => assets.get(symbol)?.decimals ?? 0
  const rounded = (value: number): number => Number(value.toFixed(decimals(quote.symbol)))
  const points = curve(trading, {
    quote: quote.symbol,
    closes: closes.filter(({ at }) => at <= now),
    decimals
  })
  const every = Math.max(1, Math.ceil(points.length / mostPoints))
  const shown = points.filter((_, index) => index % every === 0 || index === points.length - 1)
  return {
    asset: quote.symbol,
    time: shown.map(({ at }) => Math.floor(at / 1000)),
    worth: shown.map(({ worth }) => rounded(worth)),
    held: shown.map(({ held }) => rounded(held))
  }
}
