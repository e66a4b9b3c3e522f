/**
 * The candles that a strategy sees: of its own market and of the markets that it watches, each only in the timeframes that it needs. The
 * columns of one timeframe are linked across markets, so that an expression can use candles of the same time.
 */
import type { CandleColumns } from "../../Indicators.ts"
import type { Strategy } from "../../Strategy.ts"
import { type ClosedCandles, frameName, type View } from "../../View.ts"
import { ownMarket } from "../Term.ts"

export type CandlesOf = (market: string) => ReadonlyMap<string, ClosedCandles> | undefined

type Seen = Pick<Strategy, "market" | "candles" | "watched">

const framesOf = ({ market, candles, watched = [] }: Seen, candlesOf: CandlesOf) => {
  const needed = (name: string, needs: ReadonlyMap<string, number> | undefined): ReadonlyMap<string, ClosedCandles> =>
    new Map([...(candlesOf(name) ?? [])].filter(([timeframe]) => needs?.has(timeframe)))
  const others = watched.map(({ market: { name }, candles }) => [name, needed(name, candles)] as const)
  return new Map([[ownMarket, needed(market.name, candles)] as const, ...others])
}

const byFrame = <A>(markets: ReadonlyMap<string, ReadonlyMap<string, A>>): ReadonlyMap<string, A> =>
  new Map(
    [...markets].flatMap(([market, frames]) =>
      [...frames].map(
        ([timeframe, candles]) => [frameName(timeframe, market === ownMarket ? undefined : market), candles] as const
      )
    )
  )

const links = new WeakMap<CandleColumns, { readonly from: Columns; readonly to: Columns }>()

type Columns = ReadonlyMap<string, CandleColumns>

const linkedOf = (from: Columns): Columns => {
  const [first] = from.values()
  const link = first === undefined ? undefined : links.get(first)
  if (link?.from.size === from.size && [...from].every(([name, columns]) => link.from.get(name) === columns))
    return link.to
  const elsewhere = new Map<string, CandleColumns>()
  for (const [name, columns] of from) elsewhere.set(name, { ...columns, elsewhere })
  if (first !== undefined) links.set(first, { from, to: elsewhere })
  return elsewhere
}

export const linked = <A extends { readonly columns: CandleColumns }>(
  markets: ReadonlyMap<string, ReadonlyMap<string, A>>
): ReadonlyMap<string, ReadonlyMap<string, A>> => {
  const joined = new Map([...markets].map(([market, frames]) => [market, new Map(frames)] as const))
  const timeframes = new Set([...markets.values()].flatMap((frames) => [...frames.keys()]))
  for (const timeframe of timeframes) {
    const columns = [...markets].flatMap(([market, frames]) => {
      const there = frames.get(timeframe)
      return there === undefined ? [] : [[market, there.columns] as const]
    })
    for (const [market, linkedColumns] of linkedOf(new Map(columns))) {
      const there = markets.get(market)?.get(timeframe)
      if (there !== undefined) joined.get(market)?.set(timeframe, { ...there, columns: linkedColumns })
    }
  }
  return joined
}

/** Returns the same objects until a candle closes, or a market comes or goes. */
export const make = (strategy: Seen): ((candlesOf: CandlesOf) => View["candles"]) => {
  if (strategy.candles === undefined && strategy.watched === undefined) return () => undefined
  let before: ReadonlyMap<string, ClosedCandles> = new Map()
  let joined: View["candles"] = before
  return (candlesOf) => {
    const markets = framesOf(strategy, candlesOf)
    const frames = byFrame(markets)
    if (isSame(before, frames)) return joined
    before = frames
    joined = strategy.watched === undefined ? frames : byFrame(linked(markets))
    return joined
  }
}

export const isSame = (a: View["candles"], b: View["candles"]): boolean =>
  a === b || (a?.size === b?.size && [...(a ?? [])].every(([frame, closed]) => b?.get(frame) === closed))
