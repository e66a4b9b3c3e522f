/**
 * The tables of the CSV export. Times are ISO 8601 in UTC, amounts exact decimals in units of their asset. Columns are added at the end,
 * never changed or removed.
 */
import { type Amount, format, min } from "../../domain/Amount.ts"
import * as Decimal from "../../domain/Decimal.ts"
import { hourMillis, minuteMillis } from "../../domain/Durations.ts"
import { byHand } from "../../domain/Placement.ts"
import { iso } from "../../domain/Text.ts"
import type { Flow } from "../Capital.ts"
import { earned, type Gain, type LotMethod, match } from "../Lots.ts"
import type { Decimals } from "../PlainText.ts"
import type { Minutes } from "../Quality.ts"
import { type Close, curve } from "../Returns.ts"
import type { Fee, Trade, TradingRecord } from "../Trades.ts"

export interface Table {
  readonly name: string
  readonly titles: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
}

const pricePlaces = 12
const capitalId = "capital"

export type Period = Readonly<Record<"from" | "to", number>>

/** Quote per base, rounded down to this number of places. Empty if no base moved. */
export const priceOf = (
  { base, quote, baseAmount, quoteAmount }: Pick<Trade, "base" | "quote" | "baseAmount" | "quoteAmount">,
  decimals: Decimals,
  places: number
): string | undefined => {
  if (baseAmount === 0n) return undefined
  const [paid, moved] = [Decimal.make(quoteAmount, decimals(quote)), Decimal.make(baseAmount, decimals(base))]
  return Decimal.format(Decimal.divide(paid, moved, places, "down"))
}

export const tablesOf = (
  trading: TradingRecord,
  { decimals, method, span }: { readonly decimals: Decimals; readonly method: LotMethod; readonly span: Period }
): ReadonlyArray<Table> => {
  const money = (asset: string, amount: Amount) => format(amount, decimals(asset))
  const inSpan = ({ at }: { readonly at: number }) => at >= span.from && at < span.to
  const fill = (trade: Trade) => [
    iso(trade.at),
    trade.market,
    trade.side,
    money(trade.base, trade.baseAmount),
    trade.base,
    money(trade.quote, trade.quoteAmount),
    trade.quote,
    priceOf(trade, decimals, pricePlaces) ?? "",
    `${trade.strategy}/${trade.slot}`,
    trade.orderId ?? "",
    trade.fillId
  ]
  const leg = (each: Fee) => [
    iso(each.at),
    each.kind,
    each.asset,
    money(each.asset, each.received),
    money(each.asset, each.amount),
    `${each.strategy}/${each.slot}`,
    each.placement,
    each.txHashes.join(" ")
  ]
  const fee = (each: Fee) => [
    iso(each.at),
    each.kind,
    each.asset,
    money(each.asset, each.amount),
    money(each.quote, each.inQuote),
    each.quote,
    `${each.strategy}/${each.slot}`,
    each.estimated === undefined ? "" : money(each.asset, each.estimated)
  ]
  const flow = ({ at, strategy, asset, amount }: Flow) => [iso(at), strategy, asset, money(asset, amount)]
  return [
    {
      name: "fills",
      titles: "time,market,side,quantity,base,value,quote,price,slot,order,fill".split(","),
      rows: trading.trades.filter(inSpan).map(fill)
    },
    {
      name: "payouts",
      titles: "time,kind,asset,received,fee,slot,placement,transactions".split(","),
      rows: trading.fees.filter(inSpan).map(leg)
    },
    {
      name: "fees",
      titles: "time,kind,asset,fee,value,quote,slot,estimated".split(","),
      rows: trading.fees.filter((each) => inSpan(each) && each.amount > 0n).map(fee)
    },
    {
      name: "flows",
      titles: "time,strategy,asset,amount".split(","),
      rows: [...trading.flows, ...flowsByHand(trading)]
        .filter(inSpan)
        .toSorted((a, b) => a.at - b.at)
        .map(flow)
    },
    {
      name: "lots",
      titles: "acquired,sold,asset,quantity,cost,proceeds,gain,currency,basis,method".split(","),
      rows: lotRows(trading, { decimals, method, span })
    }
  ]
}

/** The payment of a swap by hand comes from outside, and its output returns there. Fills, fees and these flows add up to zero. */
const flowsByHand = ({ fees, trades }: TradingRecord): ReadonlyArray<Flow> =>
  [
    ...trades.flatMap(({ at, base, baseAmount, quote, quoteAmount, side, strategy }): ReadonlyArray<Flow> => {
      const sign = side === "BUY" ? 1n : -1n
      return [
        { at, strategy, asset: quote, amount: sign * quoteAmount },
        { at, strategy, asset: base, amount: -sign * baseAmount }
      ]
    }),
    ...fees.map(({ amount, asset, at, strategy }): Flow => ({ at, strategy, asset, amount }))
  ].filter(({ amount, strategy }) => strategy === byHand && amount !== 0n)

/**
 * An account's purchases, one pool for each market. Capital that came in as base counts as bought then, except base that was bought by hand
 * before. Base that was written off leaves its pool, until it arrives after all. Fees are only in the table of fees.
 */
export const taxPools = ({ trades, losses, flows }: TradingRecord): ReadonlyMap<string, ReadonlyArray<Trade>> => {
  const capital = flows.flatMap(({ isReturn, market, worth, ...flow }): ReadonlyArray<Trade> => {
    const [base = "", quote = ""] = market?.split("/") ?? []
    if (isReturn === true || market === undefined || worth === undefined || flow.asset !== base || flow.amount <= 0n)
      return []
    const { at, strategy, amount } = flow
    const about = { at, strategy, slot: "", placement: "", market, base, quote }
    return [{ ...about, fillId: capitalId, side: "BUY", baseAmount: amount, quoteAmount: worth }]
  })
  const lossTrades = losses.filter(({ baseAmount, loss }) => loss !== undefined && baseAmount > 0n)
  const all = [...capital, ...trades, ...lossTrades].toSorted((a, b) => a.at - b.at)
  return Map.groupBy(withoutBoughtByHand(all), ({ market }) => market)
}

/** Capital that was bought by hand before would count twice. */
const withoutBoughtByHand = (trades: ReadonlyArray<Trade>): ReadonlyArray<Trade> => {
  const bought = new Map<string, Amount>()
  return trades.flatMap((trade) => {
    const { base, baseAmount, fillId, quoteAmount, side, strategy } = trade
    const boughtAmount = bought.get(base) ?? 0n
    if (strategy === byHand)
      bought.set(base, side === "BUY" ? boughtAmount + baseAmount : boughtAmount - min(boughtAmount, baseAmount))
    if (fillId !== capitalId || boughtAmount === 0n) return [trade]
    const rest = baseAmount - min(boughtAmount, baseAmount)
    bought.set(base, boughtAmount - min(boughtAmount, baseAmount))
    return rest === 0n ? [] : [{ ...trade, baseAmount: rest, quoteAmount: (quoteAmount * rest) / baseAmount }]
  })
}

const lotRows = (
  trading: TradingRecord,
  { decimals, method, span }: { readonly decimals: Decimals; readonly method: LotMethod; readonly span: Period }
) =>
  [...taxPools(trading).values()].flatMap((pool) =>
    match(pool, method)
      .gains.filter(({ closedBy: { at } }) => at >= span.from && at < span.to)
      .map((gain) => {
        const { openedBy, closedBy, isShort, quantity, cost, proceeds } = gain
        const { base, quote } = openedBy
        const [acquired, sold] = isShort ? [closedBy, openedBy] : [openedBy, closedBy]
        return [
          iso(acquired.at),
          iso(sold.at),
          base,
          format(quantity, decimals(base)),
          format(cost, decimals(quote)),
          format(proceeds, decimals(quote)),
          format(earned(gain), decimals(quote)),
          quote,
          basisOf(gain),
          method
        ]
      })
  )

const basisOf = ({ closedBy, isShort, openedBy }: Gain): string => {
  if (closedBy.loss === "given up") return "given up as lost"
  if (closedBy.loss === "found") return "came after all"
  const acquired = isShort ? closedBy : openedBy
  return acquired.fillId === capitalId ? "capital at its market value" : isShort ? "bought after the sale" : "bought"
}

const hourly = (minutes: Minutes): ReadonlyArray<Close> => {
  const ends = [...minutes.values()].map((all) => (all.at(-1)?.openedAt ?? 0) + minuteMillis)
  const last = Math.max(0, ...ends)
  return [...minutes].flatMap(([market, all]) => {
    const hours = new Map(all.map((minute) => [Math.floor(minute.openedAt / hourMillis), minute.close]))
    return [...hours].map(([hour, close]) => ({ market, close, at: Math.min((hour + 1) * hourMillis, last) }))
  })
}

/**
 * Equity over time, beside the value of holding the same capital: one row at the end of each hour in which the bot saw a price. These are
 * statistics, rounded to the decimals of the currency. Exact money is in the other tables.
 */
export const equityTable = (
  trading: TradingRecord,
  { decimals, minutes, span }: { readonly minutes: Minutes; readonly decimals: Decimals; readonly span: Period }
): Table => {
  const closes = hourly(minutes)
  const quotes = [...new Set(trading.orders.map(({ quote }) => quote))].toSorted()
  const rows = quotes.flatMap((quote) => {
    const points = new Map(curve(trading, { quote, closes, decimals }).map((point) => [point.at, point]))
    const text = (value: number) => value.toFixed(decimals(quote))
    return [...points.values()]
      .filter(({ at }) => at >= span.from && at < span.to)
      .map(({ at, held, worth }) => [iso(at), quote, text(worth), text(held)])
  })
  return { name: "equity", titles: "time,currency,worth,held".split(","), rows }
}
