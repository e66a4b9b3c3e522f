/**
 * The return on capital from the recorded minutes of prices: time-weighted (independent of when capital came), money-weighted (by when it
 * came), and the deepest fall. These are statistics, not money: doubles in quote units. Fees count in quote at the price of their order, as
 * in `Profit`, so equity less the value of holding is the total of `Profit`.
 */
import { minuteMillis } from "../domain/Durations.ts"
import { ofAccount } from "./Capital.ts"
import type { Decimals } from "./PlainText.ts"
import type { Minutes } from "./Quality.ts"
import type { TradingRecord } from "./Trades.ts"

export type Returns = Readonly<Record<"timeWeighted" | "moneyWeighted" | "maxDrawdown", number | null>>

export interface Close {
  readonly market: string
  readonly at: number
  readonly close: number
}

export type CurvePoint = Readonly<Record<"at" | "worth" | "capital" | "held", number>>

const unknown: Returns = { timeWeighted: null, moneyWeighted: null, maxDrawdown: null }

interface Valuation {
  readonly quote: string
  /** Holdings without a price are left out. */
  readonly closes: ReadonlyArray<Close>
  readonly decimals: Decimals
}

const stepsOf = ({ trades, losses, fees, flows }: TradingRecord, { quote, closes, decimals }: Valuation) => {
  const units = (asset: string, amount: bigint) => Number(amount) / 10 ** decimals(asset)
  const priced = new Set(closes.map(({ market }) => market))
  const bases = [...priced].filter((market) => market.endsWith(`/${quote}`)).map((market) => baseOf(market, quote))
  const assets = new Set([quote, ...bases])
  return [
    ...flows
      // No strategy uses capital that only the account has.
      .filter(({ asset, strategy }) => assets.has(asset) && strategy !== ofAccount)
      .map(({ at, asset, amount }) => ({ at, asset, change: units(asset, amount), isCapital: true })),
    ...[...trades, ...losses]
      .filter((trade) => trade.quote === quote && assets.has(trade.base))
      .flatMap(({ at, side, base, baseAmount, quoteAmount }) => {
        const sign = side === "BUY" ? 1 : -1
        return [
          { at, asset: base, change: sign * units(base, baseAmount), isCapital: false },
          { at, asset: quote, change: -sign * units(quote, quoteAmount), isCapital: false }
        ]
      }),
    ...fees
      .filter((fee) => fee.quote === quote && assets.has(fee.asset))
      .map(({ at, inQuote }) => ({ at, asset: quote, change: -units(quote, inQuote), isCapital: false }))
  ].sort((a, b) => a.at - b.at)
}

const baseOf = (market: string, quote: string): string => market.slice(0, -quote.length - 1)

export const curve = (trading: TradingRecord, valuation: Valuation): ReadonlyArray<CurvePoint> => {
  const { quote, closes } = valuation
  const steps = stepsOf(trading, valuation)
  const quoteCloses = closes.filter(({ market }) => market.endsWith(`/${quote}`)).toSorted((a, b) => a.at - b.at)
  const [own, held, prices] = [new Map<string, number>(), new Map<string, number>(), new Map([[quote, 1]])]
  const add = (to: Map<string, number>, asset: string, change: number) => to.set(asset, (to.get(asset) ?? 0) + change)
  const worth = (of: ReadonlyMap<string, number>) =>
    [...of].reduce((sum, [asset, amount]) => sum + (amount === 0 ? 0 : amount * (prices.get(asset) ?? Number.NaN)), 0)
  const points: Array<CurvePoint> = []
  let next = 0
  /** Capital since the last point. Capital that came while an asset had no price counts at the first point at which all assets have one. */
  let came = new Map<string, number>()
  for (const { at, market, close } of quoteCloses) {
    prices.set(baseOf(market, quote), close)
    for (let step = steps[next]; step !== undefined && step.at <= at; step = steps[next]) {
      add(own, step.asset, step.change)
      if (step.isCapital) for (const to of [held, came]) add(to, step.asset, step.change)
      next += 1
    }
    const point = { at, worth: worth(own), capital: worth(came), held: worth(held) }
    if (!Number.isFinite(point.worth) || !Number.isFinite(point.held) || own.size === 0) continue
    points.push(point)
    came = new Map()
  }
  return points
}

/** The rate over the whole span at which the capital grows to its present value; found by bisection. */
const moneyWeighted = (points: ReadonlyArray<CurvePoint>, first: CurvePoint, last: CurvePoint): number | null => {
  if (last.at === first.at) return null
  const flows = points.map(({ at, capital, held }, index) => ({
    share: (last.at - at) / (last.at - first.at),
    // Capital from before the first point counts as added at that point.
    amount: index === 0 ? held : capital
  }))
  const grown = (rate: number) => flows.reduce((sum, { share, amount }) => sum + amount * (1 + rate) ** share, 0)
  let [low, high] = [-0.999_999, 1_000]
  if (grown(low) > last.worth || grown(high) < last.worth) return null
  for (let round = 0; round < 200; round += 1) {
    const middle = (low + high) / 2
    if (grown(middle) < last.worth) low = middle
    else high = middle
  }
  return (low + high) / 2
}

export const returnsOf = (
  trading: TradingRecord,
  { quote, minutes, decimals }: { readonly quote: string; readonly minutes: Minutes; readonly decimals: Decimals }
): Returns => {
  const closes = [...minutes].flatMap(([market, all]) =>
    all.map(({ openedAt, close }) => ({ at: openedAt + minuteMillis, market, close }))
  )
  const points = curve(trading, { quote, closes, decimals })
  const [first] = points
  if (first === undefined || first.held <= 0) return unknown
  const last = points.at(-1) ?? first
  // A loss before the first close is a fall from the capital that came in.
  let index = first.worth / first.held
  let [highest, deepest] = [Math.max(1, index), Math.max(0, 1 - index)]
  let before = first.worth
  for (const { worth, capital } of points.slice(1)) {
    if (before > 0) index *= (worth - capital) / before
    before = worth
    highest = Math.max(highest, index)
    deepest = Math.max(deepest, 1 - index / highest)
  }
  return { timeWeighted: index - 1, moneyWeighted: moneyWeighted(points, first, last), maxDrawdown: deepest }
}
