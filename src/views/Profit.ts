/** Profit against holding, as the API shows it. Amounts are exact; the series of `ledger/Returns.ts` are doubles, for charts only. */
import { Schema, Struct } from "effect"
import * as Decimal from "../domain/Decimal.ts"
import { minuteMillis } from "../domain/Durations.ts"
import { chargedRow } from "../domain/EchoedFee.ts"
import { type Market, mid, type TwoSidedPrice } from "../domain/Market.ts"
import type { Minute } from "../journal/PriceStore.ts"
import { ProfitReport } from "../journal/ProfitReport.ts"
import { earnedOf, type Figures, nothing, type Row } from "../ledger/Profit.ts"
import { type Close, curve } from "../ledger/Returns.ts"
import * as Standing from "../ledger/Standing.ts"
import type { TradingRecord } from "../ledger/Trades.ts"
import * as Money from "../report/text/Money.ts"
import type * as ProfitText from "../report/text/ProfitText.ts"
import { marketsOf, type Strategy } from "../strategy/Strategy.ts"
import { asOf, Time } from "./AsOf.ts"
import type { FillView } from "./Fills.ts"
import * as LiveProfit from "./profit/LiveProfit.ts"

const Text = Schema.String

export const Profit = Schema.Struct({
  ...asOf,
  /** The totals by quote asset: trading profit (`gridProfit`) plus inventory less fees are the total. */
  standings: Schema.Array(
    Schema.Struct({
      ...ProfitReport.fields,
      /** The share in proportion for a year; null for less than a day. */
      shareOfYear: Schema.NullOr(Schema.Finite),
      gridProfit: Text,
      inventory: Text,
      fees: Text,
      /** Trading profit less fees since midnight UTC. */
      earnedToday: Text,
      rounds: Schema.Int,
      /** The budgets at the present price; null if one of them has none. */
      capital: Schema.NullOr(Text),
      since: Schema.NullOr(Time)
    })
  ),
  /** By UTC day, oldest first; the inventory is not divided by days. */
  days: Schema.Array(
    Schema.Struct({ day: Text, asset: Text, earned: Text, gridProfit: Text, fees: Text, rounds: Schema.Int })
  ),
  strategies: Schema.Array(
    Schema.Struct({
      strategy: Text,
      market: Text,
      asset: Text,
      /** The value of its holdings at the mid price, and the value of its budget without any trade. */
      worth: Text,
      held: Text,
      /** Trading profit less fees. */
      earned: Text,
      /** Against holding its budget: trading profit plus inventory less fees. */
      total: Text,
      gridProfit: Text,
      inventory: Text,
      fees: Text,
      fills: Schema.Int,
      /** The total over time, oldest first, at few points. For charts, not for books. */
      curve: Schema.Array(Schema.Finite)
    })
  ),
  /** Columns: time in seconds, value of all holdings, value without any trade. For charts, not for books. */
  series: Schema.Struct({
    asset: Text,
    time: Schema.Array(Schema.Int),
    worth: Schema.Array(Schema.Finite),
    held: Schema.Array(Schema.Finite)
  })
})

export const strategyProfit = (
  assets: Money.Assets,
  { name, market }: { readonly name: string; readonly market: Market },
  { capitals, strategies }: LiveProfit.LiveProfit,
  fills: ReadonlyArray<FillView>
): ReadonlyArray<Omit<(typeof Profit.Type)["strategies"][number], "curve">> => {
  const quote = market.quote.symbol
  const strategyCapital = Standing.sumOf(capitals.filter((each) => each.strategy === name && each.quote === quote))
  if (strategyCapital === undefined) return []
  const figures = strategies.find((each) => each.group === name && each.quote === quote)?.figures ?? nothing
  const { fees, gridProfit, inventory, total } = amountsOf(figures, quote, assets)
  return [
    {
      strategy: name,
      market: market.name,
      asset: quote,
      worth: Money.amountText(assets, quote, strategyCapital + figures.total),
      held: Money.amountText(assets, quote, strategyCapital),
      earned: Money.amountText(assets, quote, earnedOf(figures)),
      total,
      gridProfit,
      inventory,
      fees,
      fills: fills.filter(({ slot }) => slot.startsWith(`${name}/`)).length
    }
  ]
}

const amountsOf = (figures: Figures, quote: string, assets: Money.Assets) => {
  const text = (name: Exclude<keyof Figures, "rounds">) => Money.amountText(assets, quote, figures[name])
  return {
    gridProfit: text("gridProfit"),
    inventory: text("inventory"),
    fees: text("fees"),
    total: text("total"),
    flows: text("flows"),
    realised: text("realised"),
    unrealised: text("unrealised"),
    rounds: figures.rounds
  }
}

const standingView = (
  { quote, figures, earnedToday, share, shareOfYear, capital, since }: Standing.ProfitStanding,
  assets: Money.Assets
) => {
  const { fees, gridProfit, inventory, rounds, total } = amountsOf(figures, quote, assets)
  return {
    asset: quote,
    total,
    share: share ?? null,
    shareOfYear: shareOfYear ?? null,
    gridProfit,
    inventory,
    fees,
    earnedToday: Money.amountText(assets, quote, earnedToday),
    rounds,
    capital: capital === undefined ? null : Money.amountText(assets, quote, capital),
    since: since ?? null
  }
}

const equityView = ({ equity, quote }: Standing.ProfitStanding, assets: Money.Assets, cash = 0n) => {
  if (equity === undefined) return { equity: null, exposure: null }
  const exposure = Math.min(1, Math.max(0, 1 - Number(cash) / Number(equity)))
  return { equity: Money.amountText(assets, quote, equity), exposure: equity > 0n ? exposure : null }
}

export const standingsView = ({ standings, days, cash }: LiveProfit.LiveProfit, assets: Money.Assets) => ({
  standings: standings.map((each) => ({
    ...standingView(each, assets),
    ...equityView(each, assets, cash.get(each.quote))
  })),
  days: days
    .filter(({ figures: { gridProfit, fees, rounds } }) => gridProfit !== 0n || fees !== 0n || rounds !== 0)
    .map(({ group, quote, figures }) => {
      const { fees, gridProfit, rounds } = amountsOf(figures, quote, assets)
      const earned = Money.amountText(assets, quote, earnedOf(figures))
      return { day: group, asset: quote, earned, gridProfit, fees, rounds }
    })
})

const mostPoints = 1_500

/** Keeps every n-th item and the last one. Returns at most `max` + 1 items. */
const sampled = <A>(all: ReadonlyArray<A>, max: number): ReadonlyArray<A> => {
  const every = Math.max(1, Math.ceil(all.length / max))
  return all.filter((_, index) => index % every === 0 || index === all.length - 1)
}

export interface Valued {
  readonly market: Market
  readonly minutes: ReadonlyArray<Minute>
  readonly millis: number
  readonly now: TwoSidedPrice | undefined
}

/** Keeps the last minute of each part of the time. */
const thinned = (minutes: ReadonlyArray<Minute>, every: number): ReadonlyArray<Minute> => {
  const partOf = (at = Number.POSITIVE_INFINITY): number => Math.floor(at / every)
  return minutes.filter(({ openedAt }, index) => partOf(openedAt) !== partOf(minutes[index + 1]?.openedAt))
}

/**
 * Returns the stored minutes, continued by the prices in memory. Those are closer together, and a restart loses them. After stored minutes
 * only one of each minute is used: a chart gives each point the same width.
 */
export const valuedBy = (
  { market, now }: Pick<Valued, "market" | "now">,
  stored: ReadonlyArray<Minute>,
  recent: Pick<Valued, "millis" | "minutes">
): ReadonlyArray<Valued> => {
  const begins = recent.minutes[0]?.openedAt
  if (begins === undefined) return [{ market, now, minutes: stored, millis: minuteMillis }]
  const before = stored.filter(({ openedAt }) => openedAt + minuteMillis <= begins)
  return [
    { market, now: undefined, minutes: before, millis: minuteMillis },
    { market, now, ...recent, minutes: before.length === 0 ? recent.minutes : thinned(recent.minutes, minuteMillis) }
  ]
}

type Line = (typeof Profit.Type)["series"]

export const series = (
  trading: TradingRecord,
  assets: Money.Assets,
  valued: ReadonlyArray<Valued>,
  now: number
): Line => {
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
  const points = curve(trading, { quote: quote.symbol, closes: closes.filter(({ at }) => at <= now), decimals })
  // The closes of several markets at one time are one point.
  const samples = sampled([...new Map(points.map((point) => [point.at, point])).values()], mostPoints)
  return {
    asset: quote.symbol,
    time: samples.map(({ at }) => Math.floor(at / 1000)),
    worth: samples.map(({ worth }) => rounded(worth)),
    held: samples.map(({ held }) => rounded(held))
  }
}

const gainsOf = ({ held, worth }: Line): ReadonlyArray<number> =>
  worth.map((value, index) => value - (held[index] ?? 0))

const maxStandingPoints = 30

export const standingCurve = (line: Line): ReadonlyArray<number> => sampled(gainsOf(line), maxStandingPoints - 1)

const mostCurvePoints = 60

/** Values all markets at about `mostCurvePoints` common times. Each strategy has its own curve, so more are slow. */
export const strategyCurve = (
  trading: TradingRecord,
  assets: Money.Assets,
  { name, ...traded }: Pick<Strategy, "name" | "market" | "others">,
  valued: ReadonlyArray<Valued>,
  now: number
): ReadonlyArray<number> => {
  const isOwn = ({ strategy }: { readonly strategy: string }): boolean => strategy === name
  const { fees, flows, losses, trades } = trading
  const own = {
    ...trading,
    ...{ fees: fees.filter(isOwn), flows: flows.filter(isOwn) },
    ...{ losses: losses.filter(isOwn), trades: trades.filter(isOwn) }
  }
  const markets = new Set(marketsOf(traded).map((market) => market.name))
  const ownValued = valued.filter(({ market }) => markets.has(market.name))
  const begins = ownValued.flatMap(({ minutes: [first] }) => (first === undefined ? [] : [first.openedAt]))
  const every = Math.max(1, (now - Math.min(now, ...begins)) / mostCurvePoints)
  const fewer = ownValued.map((each) => ({ ...each, minutes: thinned(each.minutes, every) }))
  return gainsOf(series(own, assets, fewer, now))
}

export const profitByStrategy = (profit: LiveProfit.LiveProfit): ProfitText.Profit => {
  const { method } = LiveProfit
  const { strategies } = profit
  const isOne = new Set(strategies.map(({ group }) => group)).size < 2
  return { ...profit, method, by: isOne ? undefined : "strategy", groups: isOne ? [] : strategies }
}

/** Fixed: the figures by quote asset, then the method, the age of the prices, and the groups if requested. */
export const profitInFull = (
  { charged, makers = [], standings, method, whole, by, groups, markedAt, statistics }: ProfitText.Profit,
  assets: Money.Assets
) =>
  Object.fromEntries(
    whole.map(({ quote, figures }) => {
      const standing = standings.find((each) => each.quote === quote)
      return [
        quote,
        {
          ...amountsOf(figures, quote, assets),
          ...(standing === undefined ? {} : Struct.pick(standingView(standing, assets), standingFields)),
          method,
          markedAt: markedAt.get(quote) ?? null,
          ...statistics?.get(quote),
          charged: (charged?.get(quote) ?? []).map(chargedRow),
          makers: makers.filter((maker) => maker.quote === quote),
          ...(by === undefined ? {} : { by, groups: groupsIn(groups, quote, by, assets) })
        }
      ]
    })
  )

const standingFields = ["earnedToday", "capital", "since", "share", "shareOfYear"] as const

const groupsIn = (rows: Iterable<Row>, quote: string, by: string, assets: Money.Assets) =>
  [...rows]
    .filter((row) => row.quote === quote)
    .map(({ figures, group }) => ({ [by]: group, ...amountsOf(figures, quote, assets) }))

export const profitBySlot = (picture: LiveProfit.LiveProfit, assets: Money.Assets) => {
  const figures = profitInFull({ ...profitByStrategy(picture), by: undefined, groups: [] }, assets)
  const rowsWithName = (rows: Iterable<Row>) => [...rows].filter(({ group }) => !group.endsWith("/"))
  return Object.fromEntries(
    Object.entries(figures).map(([quote, whole]) => [
      quote,
      {
        ...whole,
        strategies: groupsIn(rowsWithName(picture.strategies), quote, "strategy", assets),
        slots: groupsIn(rowsWithName(picture.slots.values()), quote, "slot", assets)
      }
    ])
  )
}
