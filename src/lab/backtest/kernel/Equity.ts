/**
 * The largest drawdown of everything held, over the close of every bar. In one market, the index and the bounds of earlier searches make
 * most reading unnecessary (`Drawdown`); in several markets, the indices of all of them do (`SumDrawdown`). If bars are cut into small
 * ones, only the closes of whole bars count, as in other runs over the same candles.
 */
import type { CrossingIndex, Indices } from "../../../candles/CrossingIndex.ts"
import * as Drawdown from "./drawdown/Drawdown.ts"
import * as SumDrawdown from "./drawdown/SumDrawdown.ts"
import type { MarketRun } from "./MarketRun.ts"

interface Holding {
  readonly run: MarketRun
  readonly closes: CrossingIndex
}

export interface Equity {
  readonly drawdown: Drawdown.Drawdown
  readonly holdings: ReadonlyArray<Holding>
  readonly first: Holding
  readonly isOne: boolean
  readonly parts: number
}

interface Held {
  readonly run: MarketRun
  readonly indices: Indices
}

const holdingOf = ({ run, indices: { closes, told } }: Held): Holding => ({ run, closes: told?.closes ?? closes })

export const make = (held: readonly [Held, ...ReadonlyArray<Held>]): Equity => ({
  drawdown: Drawdown.make(),
  holdings: held.map(holdingOf),
  first: holdingOf(held[0]),
  isOne: held.length === 1,
  parts: held[0].indices.told?.parts ?? 1
})

/** Records that the closes up to bar `to` (exclusive) lie between `least` and `most`. */
export const know = ({ drawdown, isOne, parts }: Equity, to: number, least: number, most: number): void => {
  if (isOne && parts === 1) Drawdown.know(drawdown, to, least, most)
}

export const advance = ({ drawdown, holdings, first, isOne, parts }: Equity, to: number): void => {
  const end = parts === 1 ? to : Math.floor(to / parts)
  if (isOne) {
    const { run, closes } = first
    return Drawdown.advance(drawdown, closes, end, run.wallet.base, run.wallet.quote)
  }
  if (drawdown.next >= end) return
  let quote = 0
  for (const { run } of holdings) quote += run.wallet.quote
  SumDrawdown.advance(drawdown, holdings, quote, end)
}

export const maxDrawdown = ({ drawdown }: Equity): number => drawdown.greatest
