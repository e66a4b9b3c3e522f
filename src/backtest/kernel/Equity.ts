/**
 * The largest drawdown of everything held, over the close of every bar. In one market the index and what searching has
 * said spare most of the reading (`Drawdown`); in several every close is read, as their sum has no index.
 */
import type { Indices } from "../../candles/CrossingIndex.ts"
import * as Drawdown from "./Drawdown.ts"
import type { MarketRun } from "./MarketRun.ts"

interface Holding {
  readonly run: MarketRun
  readonly indices: Indices
}

export interface Equity {
  readonly drawdown: Drawdown.Drawdown
  readonly holdings: readonly [Holding, ...ReadonlyArray<Holding>]
  readonly first: Holding
  readonly isOne: boolean
}

export const make = (holdings: Equity["holdings"]): Equity => ({
  drawdown: Drawdown.make(),
  holdings,
  first: holdings[0],
  isOne: holdings.length === 1
})

/** Closes up to bar `to` (exclusive) lie between these two. */
export const know = ({ drawdown, isOne }: Equity, to: number, least: number, most: number): void => {
  if (isOne) Drawdown.know(drawdown, to, least, most)
}

/** Takes in the closes up to bar `to` (exclusive) with what is held now. */
export const advance = ({ drawdown, holdings, first, isOne }: Equity, to: number): void => {
  if (isOne) {
    const { run, indices } = first
    return Drawdown.advance(drawdown, indices.closes, to, run.wallet.base, run.wallet.quote)
  }
  let quote = 0
  for (const { run } of holdings) quote += run.wallet.quote
  for (; drawdown.next < to; drawdown.next++) {
    let equity = quote
    for (const { run } of holdings) equity += run.wallet.base * (run.candles.close[drawdown.next] ?? 0)
    if (equity > drawdown.peak) drawdown.peak = equity
    else drawdown.greatest = Math.max(drawdown.greatest, (drawdown.peak - equity) / drawdown.peak)
  }
}

export const maxDrawdown = ({ drawdown }: Equity): number => drawdown.greatest
