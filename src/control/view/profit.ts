/**
 * Profit against holding, as the API shows it. The figures are those of `LiveProfit`, the series those of
 * `ledger/Returns.ts`: doubles, for the eye only.
 */
import * as Decimal from "../../domain/Decimal.ts"
import { type Market, mid, quoteAmount, type TwoSidedPrice } from "../../domain/Market.ts"
import type { BotState } from "../../engine/state/BotState.ts"
import type { Minute } from "../../journal/PriceStore.ts"
import { earnedOf, nothing } from "../../ledger/Profit.ts"
import { type Close, curve } from "../../ledger/Returns.ts"
import type { TradingRecord } from "../../ledger/Trades.ts"
import * as Money from "../../report/text/Money.ts"
import type { FillView, Profit } from "../api/Views.ts"
import type { LiveProfit } from "./LiveProfit.ts"

type StrategyProfit = (typeof Profit.Type)["strategies"][number]

/** The budget is valued on the strategy's first market; what trading made is added to it. */
export const strategyProfit = (
  state: BotState,
  assets: Money.Assets,
  { name, market }: { readonly name: string; readonly market: Market },
  price: TwoSidedPrice,
  { strategies }: LiveProfit,
  fills: ReadonlyArray<FillView>
): StrategyProfit => {
  const { base, quote } = market
  const budget = (symbol: string) => state.strategies.get(name)?.budget.get(symbol) ?? 0n
  const held = budget(quote.symbol) + quoteAmount(market, budget(base.symbol), mid(price), "down")
  const row = strategies.find((each) => each.group === name && each.quote === quote.symbol)
  const figures = row?.figures ?? nothing
  return {
    strategy: name,
    market: market.name,
    asset: quote.symbol,
    worth: Money.amountText(assets, quote.symbol, held + figures.total),
    held: Money.amountText(assets, quote.symbol, held),
    earned: Money.amountText(assets, quote.symbol, earnedOf(figures)),
    fills: fills.filter(({ slot }) => slot.startsWith(`${name}/`)).length
  }
}

/** What stands first, and each day. */
export const standingsView = ({ standings, days }: LiveProfit, assets: Money.Assets) => ({
  standings: standings.map(({ quote, figures, share, shareOfYear, capital, since }) => ({
    asset: quote,
    total: Money.amountText(assets, quote, figures.total),
    share: share ?? null,
    shareOfYear: shareOfYear ?? null,
    gridProfit: Money.amountText(assets, quote, figures.gridProfit),
    inventory: Money.amountText(assets, quote, figures.inventory),
    fees: Money.amountText(assets, quote, figures.fees),
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
  const points = curve(trading, {
    quote: quote.symbol,
    closes: closes.filter(({ at }) => at <= now),
    decimals: (symbol) => assets.get(symbol)?.decimals ?? 0
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

const rounded = (value: number): number => Number(value.toPrecision(12))
